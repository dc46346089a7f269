"""What is of no known kind, and everywhere it could arrive.

    python [-O] -m tests.mechanisms.strangers

prints what becomes of each arrival, so that a test can compare runs with and without assertions.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, cast

from semiaudit.auditing.building_blocks import statement_of
from semiaudit.auditing.run import audit_release
from semiaudit.errors import Mark, SemiauditError
from semiaudit.frameworks import FRAMEWORKS
from semiaudit.frameworks.context import Context
from semiaudit.gate.budgets import judge
from semiaudit.library.report import Report
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.mechanism_loss import (
    loss_at,
    loss_by_steps,
    loss_composition_first,
    loss_projected,
)
from semiaudit.mechanisms.parts import flattened, queries_of
from semiaudit.model.audit import Budget
from semiaudit.model.labels import measure_name
from semiaudit.model.measure import ApproxZCDP
from semiaudit.model.mechanism import Composition, Declared, Gaussian, Mechanism, Noise, Randomizer
from semiaudit.model.verdict import Verdict
from semiaudit.report import VERDICT_RENDERERS, Layout
from semiaudit.report.blocks.summary import first_problem
from semiaudit.report.markup.to_markdown import to_markdown
from semiaudit.report.text.layout import Lines, View
from semiaudit.report.text.to_text import to_text
from semiaudit.spec.build import load_release
from tests.mechanisms.fakes import TABLE, ToldSpaces, context
from tests.places import SPECS

PLACE = Mark(6, 3)
ONE = Fraction(1)
SPEC = SPECS / "holds" / "budgets.yaml"


@dataclass(frozen=True, slots=True)
class StrangeNoise(Noise):
    """Noise of no known kind."""

    kind: ClassVar[str] = "strange"


@dataclass(frozen=True, slots=True)
class MoreThanGaussian(Gaussian):
    """Derived from a known kind, which it need not be."""


@dataclass(frozen=True, slots=True)
class StrangeRandomizer(Randomizer):
    """A randomizer of no known kind."""

    kind: ClassVar[str] = "strange"


@dataclass(frozen=True, slots=True)
class Stranger:
    """Nothing that is known at all."""

    mark: Mark
    title: ClassVar[str] = "strange"
    kind: ClassVar[str] = "gaussian"


STRANGERS: dict[str, Any] = {
    "StrangeNoise": StrangeNoise(query=TABLE, mark=PLACE),
    "MoreThanGaussian": MoreThanGaussian(ONE, query=TABLE, mark=PLACE),
    "StrangeRandomizer": StrangeRandomizer(mark=PLACE),
    "Stranger": Stranger(PLACE),
    "ApproxZCDP": Declared(cast(Any, ApproxZCDP(ONE, Fraction(0))), PLACE),
}
"""Mechanisms of no known kind, by what their refusal calls them."""

SPACES = ToldSpaces()


def _audited(mechanism: Mechanism) -> object:
    return audit_release(replace(load_release(SPEC), mechanism=mechanism))


def _stated(mechanism: Mechanism) -> object:
    release = replace(load_release(SPEC), mechanism=mechanism)
    audit = audit_release(load_release(SPEC))
    return statement_of(release, audit.universe, audit.rows)


def _stated_by(stated: Callable[[Context], object], mechanism: Mechanism) -> object:
    return stated(context(mechanism, SPACES))


MECHANISM_ARRIVALS: dict[str, Callable[[Mechanism], object]] = {
    "kind_of": lambda m: kind_of(cast(Any, m)),
    "flattened": flattened,
    "queries_of": queries_of,
    "loss_at in D": lambda m: loss_at(m, 2, "D", SPACES, steps=True),
    "loss_at in D_t": lambda m: loss_at(m, 1, "D_t", SPACES, steps=True),
    "loss_by_steps": lambda m: loss_by_steps(m, 2, SPACES),
    "loss_composition_first": lambda m: loss_composition_first(m, 2, SPACES),
    "loss_projected": lambda m: loss_projected(m, SPACES),
    "in a composition": lambda m: flattened(Composition(((Gaussian(ONE, query=TABLE), 2), (m, 1)))),
    **{name: partial(_stated_by, stated) for name, stated in FRAMEWORKS.items()},
    "statement": _stated,
    "audit_release": _audited,
}
"""Where a mechanism can arrive."""


def _budget(**changed: Any) -> Budget:
    return replace(Budget("semi_dp", "rho", ONE, mark=PLACE), **changed)


def _judged(budget: Budget) -> object:
    audit = audit_release(load_release(SPEC))
    return judge(
        budget,
        audit.rows,
        audit.universe,
        audit.release.adjacency,
        tables_differ=True,
    )


def _verdict(outcome: str) -> Verdict:
    return Verdict("a.yaml", cast(Any, outcome))


STRANGE: Any = "strange"
OTHER_ARRIVALS: dict[str, Callable[[], object]] = {
    "judge of a framework": lambda: _judged(_budget(framework=STRANGE)),
    "audit of a framework": lambda: audit_release(
        replace(load_release(SPEC), budgets=(_budget(framework=STRANGE),))
    ),
    "judge of a budget measure": lambda: _judged(_budget(measure=STRANGE)),
    "name of a budget measure in reports": lambda: measure_name(STRANGE, None),
    "format of a report": lambda: Report(audit_release(load_release(SPEC))).render("strange"),
    "block in Markdown": lambda: to_markdown(View("a", "b", (cast(Any, Stranger(PLACE)),))),
    "block in a table": lambda: to_text(
        View("a", "b", (Lines("c", ()), cast(Any, Stranger(PLACE)))), width=80, color=False
    ),
    "outcome in the summary": lambda: first_problem(_verdict("strange")),
    **{
        f"outcome in {name}": partial(VERDICT_RENDERERS[name], [_verdict("strange")], Layout())
        for name in VERDICT_RENDERERS
    },
}
"""Where a framework's name, a budget's measure, a format, a block or an outcome can arrive."""


def what_becomes_of(arrival: Callable[[], object]) -> str:
    """The error that an arrival ends in; empty where it does not."""
    try:
        arrival()
    except (SemiauditError, AssertionError, LookupError, ValueError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def everything() -> dict[str, str]:
    """What becomes of every stranger wherever it arrives."""
    found = {
        f"{name}: {place}": what_becomes_of(partial(arrival, mechanism))
        for name, mechanism in STRANGERS.items()
        for place, arrival in MECHANISM_ARRIVALS.items()
    }
    return found | {place: what_becomes_of(arrival) for place, arrival in OTHER_ARRIVALS.items()}


if __name__ == "__main__":
    print(json.dumps(everything()))
