"""Many verdicts as JSON, version 1; the parts have the shapes of an audit's own report."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from semiaudit.frozen import dataclass
from semiaudit.model.bound import CAUSES, joined
from semiaudit.model.rules import RULES
from semiaudit.model.verdict import WORDS, Verdict, exit_code_of_run
from semiaudit.report.blocks.notices import notices_of, specs_of
from semiaudit.report.form.building_blocks_json import DOMAIN
from semiaudit.report.form.documents import Document
from semiaudit.report.form.forms import (
    BECAUSE,
    CONVERSION,
    DELTA,
    FIRST,
    FRAMEWORK,
    LEVEL,
    LIMIT,
    METRIC,
    NUMBER,
    POSITIVE,
    READING,
    SECOND,
    TEXT,
    TOOL,
    TRUTH,
    WHOLE,
    JsonForm,
    Keys,
    always,
    inside,
    itself,
    list_of,
    object_of,
    one_of,
    or_null,
    refer,
)
from semiaudit.report.form.to_json import BUDGET, INVARIANTS, OPERATING_POINTS, PURE_AND_ZCDP, UNIT
from semiaudit.report.text.layout import Layout

_DISTANCE = or_null(WHOLE)
_WAIVER = object_of(
    {
        "reason": TEXT.described("why it is accepted"),
        "approver": TEXT,
        "expires": (JsonForm({"type": "string", "format": "date"}, str), "expires"),
        "accepted": or_null(LIMIT),
        "file": TEXT,
        "line": (WHOLE, "mark.line"),
    }
)
_WAIVED = or_null(refer("waiver", _WAIVER))
_FINDING = object_of(
    {
        "rule": one_of(*RULES),
        "level": LEVEL,
        "message": TEXT,
        "file": TEXT,
        "line": POSITIVE,
        "column": (or_null(POSITIVE), lambda notice: notice.column or None),
        "waived": _WAIVED,
    }
)
_FINDINGS = list_of(refer("finding", _FINDING)), notices_of
_NUMBERS: Keys = {
    **PURE_AND_ZCDP,
    "gdp": or_null(object_of({"mu": (NUMBER, itself)})),
    "approx_dp": (
        list_of(object_of({"delta": DELTA, "epsilon": NUMBER, "conversion": CONVERSION})).described(
            "the tightest at each delta"
        ),
        "tightest",
    ),
    **OPERATING_POINTS,
}
_GUARANTEE = object_of(
    {
        "framework": FRAMEWORK,
        "refused": (TRUTH, lambda line: bool(line.refused)),
        "note": (TEXT, "refused"),
        "distance": _DISTANCE,
        **inside("numbers", _NUMBERS),
    }
)
_BUDGET = object_of(
    {
        **BUDGET,
        "rule": (or_null(one_of(*RULES)), lambda result: result.rule or None),
        "policy": (TRUTH, "budget.policy"),
        "waived": _WAIVED,
    }
)
_ENDS = object_of({"lower": (WHOLE, FIRST), "upper": (or_null(WHOLE), SECOND)})
_SEMI_ADJACENCY = object_of(
    {
        "metric": METRIC,
        "reading": READING,
        "value": _DISTANCE,
        "distance": _DISTANCE.described("that is in force in D_t"),
        "covering": _ENDS,
        "definition_13": _ENDS,
    }
)
_SPEC = object_of(
    {
        "path": TEXT,
        "sha256": (or_null(TEXT), lambda verdict: verdict.sha256 or None),
        "title": (or_null(TEXT), lambda verdict: verdict.digest and verdict.digest.title),
    }
)
_GIVEN = JsonForm({"const": True}).described("the spec gives the values of the invariants")
_EXIT_CODE = one_of(0, 1, 2, 3, 4)
_VERDICT = object_of(
    {
        "spec": (_SPEC, itself),
        "outcome": one_of(*WORDS),
        "exit_code": _EXIT_CODE,
        "complete": (or_null(TRUTH), lambda verdict: verdict.digest and verdict.digest.complete),
        "semi_adjacency": (or_null(_SEMI_ADJACENCY), "digest"),
        "invariants": (
            list_of(TEXT).described(INVARIANTS),
            lambda v: v.digest.invariants if v.digest else (),
        ),
        "guarantees": (list_of(_GUARANTEE), lambda v: v.digest.lines if v.digest else ()),
        "budgets": list_of(_BUDGET),
        "findings": _FINDINGS,
    },
    incomplete_because=BECAUSE,
    unit=(UNIT, lambda verdict: verdict.digest and verdict.digest.unit),
    domain=(DOMAIN, lambda verdict: verdict.digest and verdict.digest.domain),
    values_given=(_GIVEN, lambda verdict: verdict.digest and verdict.digest.values_given),
)


@dataclass(frozen=True, slots=True)
class GateRun:
    """Verdicts, and whether the run ended before it had all of them."""

    verdicts: Sequence[Verdict]
    incomplete: bool
    skipped: Sequence[tuple[str, Sequence[str]]]

    @property
    def complete(self) -> bool:
        """Return whether every audit is complete."""
        return not self.incomplete_because

    @property
    def incomplete_because(self) -> tuple[str, ...]:
        """Return the causes of all audits, and whether the run itself was ended."""
        causes = joined(*(verdict.incomplete_because for verdict in specs_of(self.verdicts)))
        return (*causes, INTERRUPTION) if self.incomplete else causes

    @property
    def outcomes(self) -> dict[str, int]:
        """Return how many specs have each outcome."""
        specs = specs_of(self.verdicts)
        return {outcome: sum(v.outcome == outcome for v in specs) for outcome in WORDS}

    @property
    def waivers(self) -> list[Verdict]:
        """Return the verdicts on waiver files."""
        return [verdict for verdict in self.verdicts if verdict.kind == "waivers"]


_SKIPPED: Keys = {
    "reason": (TEXT.described("why the files are not specs"), FIRST),
    "number": (WHOLE, lambda skipped: len(skipped[1])),
}
_SUMMARY = object_of(
    {
        outcome: (WHOLE.described(f"the number of specs: {word}"), itemgetter(outcome))
        for outcome, word in WORDS.items()
    }
)
INTERRUPTION = "interruption"
"""The cause of an incomplete run that ended before every spec was audited."""

_RUN_BECAUSE = list_of(one_of(*CAUSES, INTERRUPTION)).described(
    "why not every audit was made in full; only present where complete is false"
)
_RUN = object_of(
    {
        "schema_version": always(1),
        "tool": TOOL,
        "complete": TRUTH,
        "exit_code": (_EXIT_CODE, lambda run: exit_code_of_run(run.verdicts)),
        "summary": (_SUMMARY, "outcomes"),
        "verdicts": (list_of(_VERDICT), lambda run: specs_of(run.verdicts)),
        "waivers": list_of(object_of({"path": TEXT, "findings": _FINDINGS})),
        "passed_over": (list_of(object_of(_SKIPPED)), "skipped"),
    },
    incomplete_because=_RUN_BECAUSE,
)


DOCUMENT = Document(
    "check",
    "semiaudit check report, version 1",
    "What `semiaudit check --format json` and `semiaudit batch --format json` print.",
    _RUN,
    {
        "waiver": _WAIVER.described("an exception that somebody answers for"),
        "finding": _FINDING.described("a finding at a place of a file"),
    },
)


def verdicts_json(verdicts: Sequence[Verdict], layout: Layout) -> str:
    """Return the JSON of a run."""
    return DOCUMENT.text(GateRun(verdicts, layout.incomplete, layout.skipped))
