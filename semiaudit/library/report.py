"""An audit for Python: the guarantees as values, all formats, and the exit code."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from semiaudit.auditing.findings import NOT_PROVEN
from semiaudit.auditing.run import (
    TIME_LIMIT,
    TOLERANCE,
    audit_file,
    audit_release,
    problems_of,
)
from semiaudit.deadline import Deadline
from semiaudit.library.answer import EXIT_EXCEEDS, EXIT_HOLDS, EXIT_NOT_AUDITED, FiguredAnswer
from semiaudit.library.arguments import seconds
from semiaudit.model.audit import Audit
from semiaudit.model.data_source import Access
from semiaudit.model.frameworks import LEADING, NAMES
from semiaudit.model.labels import DEFINITION, budget_name, label
from semiaudit.model.number_text import bound_text
from semiaudit.model.rules import NO_SUCH_NUMBER, NOT_STATED, UNDECIDED
from semiaudit.model.verdict import PASSED
from semiaudit.numeric.rationals import rational_text
from semiaudit.privacy.loss import TIME_LIMIT as LOSS_TIME_LIMIT
from semiaudit.privacy.loss import Accuracy
from semiaudit.report import AUDIT_PRESENTATION, FIGURES, Layout
from semiaudit.report.blocks.conclusion import conclusion, status_of
from semiaudit.report.form.columns import columns_of
from semiaudit.report.notebook import html_card, html_table

if TYPE_CHECKING:
    from semiaudit.library.guarantee import Guarantee
    from semiaudit.library.semi_adjacency import SemiAdjacency
    from semiaudit.library.spec import Spec
    from semiaudit.model.figure import Figure


class Report(FiguredAnswer[Audit]):
    """A finished audit: the guarantees of all privacy definitions, by name and in order."""

    __slots__ = ("_tolerance",)

    figures = FIGURES
    _presentation = AUDIT_PRESENTATION

    @staticmethod
    def _figures_of(result: Audit) -> tuple[Figure, ...]:
        from semiaudit.report.figures.figures_of import figures_of

        return figures_of(result)

    def __init__(self, audit: Audit, tolerance: float = TOLERANCE, left: float = math.inf) -> None:
        super().__init__(audit, left)
        self._tolerance = tolerance

    def render(
        self,
        form: str = "text",
        *,
        width: int = 80,
        color: bool = False,
        verbose: bool = False,
    ) -> str:
        """Render the report: ``text``, ``json``, ``markdown``, ``html``, ``csv`` or ``latex``.

        Args:
            verbose: text has the remarks that are in every report, and all formats for people have
                references to theory.

        Raises:
            ValueError: no such format.
        """
        return self._rendered(form, Layout(width, color, verbose=verbose))

    def to_columns(self) -> dict[str, list[str | float | None]]:
        """Return every number of the comparison as columns, for any data-frame library.

        Returns:
            ``path``, ``title``, ``framework``, ``universe``, ``distance``, ``measure``, ``at`` (a
            delta or a type I error), ``value``, ``side``, ``method``, ``refused``: one row for each
            number, and one for each refused privacy definition.
        """

        return columns_of(self._result)

    @property
    def title(self) -> str:
        """Return the title of the spec."""
        return self._result.release.title

    @property
    def path(self) -> str:
        """Return the path of the spec, or its replacement."""
        return self._result.release.path

    @property
    def a_t(self) -> int | None:
        """Return the upper bound on a(t) by the spec's definition; None if it is not established.

        Guarantees use this bound. If the report says "3 to 4", it is 4:
        ``as_dict()["semi_adjacency"]`` has both bounds, as ``lower`` and ``upper`` of each
        definition. It covers everything that is published exactly, for records of any kind.
        """
        return self.semi_adjacency.value

    @property
    def semi_adjacency(self) -> SemiAdjacency:
        """Return a(t) with both bounds, as ``semi_adjacency(spec)`` computes it alone."""
        from semiaudit.library.semi_adjacency import SemiAdjacency

        return SemiAdjacency(self._result.universe.semi_adjacency)

    @property
    def example_pair(self) -> dict[str, object] | None:
        """Return two datasets that prove the lower bound on covering a(t); None if none are known.

        See ``SemiAdjacency.example_pair``.
        """
        return self.semi_adjacency.example_pair

    @property
    def nominal_dp(self) -> Guarantee:
        """Return the advertised guarantee, which ignores the invariants."""
        return self["nominal_dp"]

    @property
    def group_privacy(self) -> Guarantee:
        """Return the guarantee for all of D, up to the semi-adjacent distance."""
        return self["group_privacy"]

    @property
    def semi_dp(self) -> Guarantee:
        """Return the effective guarantee: datasets that agree on the invariants, up to a(t)."""
        return self["semi_dp"]

    @property
    def subspace_dp(self) -> Guarantee:
        """Return the guarantee for the part of the output that the invariants do not determine."""
        return self["subspace_dp"]

    @property
    def invariant_dp(self) -> Guarantee:
        """Return the guarantee with a loss per unit of distance inside D_t."""
        return self["invariant_dp"]

    @property
    def refusal(self) -> str:
        """Return why there is no semi_dp guarantee.

        Empty if there is one, or if nothing is left to protect.
        """
        return refusal_of(self._result)

    @property
    def exit_code(self) -> int:
        """Return 2 if semi_dp was refused, 1 if a budget failed, else 0."""
        if self.refusal:
            return EXIT_NOT_AUDITED
        return EXIT_HOLDS if all(b.holds for b in self._result.budgets) else EXIT_EXCEEDS

    @property
    def _remarks(self) -> tuple[str, ...]:
        refused = f"{self.path}: {self.refusal}; see the findings of the report"
        return (refused,) if self.refusal else ()

    def __getitem__(self, name: str) -> Guarantee:
        from semiaudit.library.guarantee import Guarantee

        for row in self._result.rows:
            if row.guarantee.framework == name:
                return Guarantee(row.guarantee, Accuracy(self._tolerance, LOSS_TIME_LIMIT))
        raise KeyError(f"no privacy definition {name!r}; there are {', '.join(NAMES)}")

    def __iter__(self) -> Iterator[Guarantee]:
        return (self[name] for name in NAMES)

    def __len__(self) -> int:
        return len(NAMES)

    def __repr__(self) -> str:
        budgets = self._result.budgets
        held = f"{sum(b.holds for b in budgets)} of {len(budgets)} budgets {PASSED}"
        summary = [f"a(t) = {'unknown' if self.a_t is None else self.a_t}", *[held] * bool(budgets)]
        return f"<Report {self.path}: {self.title}; {'; '.join(summary)}>"

    def _repr_html_(self) -> str:
        audit = self._result
        card = html_card(self.title, status_of(audit), conclusion(audit))
        return card + html_table(self.title, *self._table())

    def _table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]], str]:
        rows: list[tuple[str, ...]] = []
        for row in self._result.rows:
            guarantee, points = row.guarantee, row.numbers.tightest
            epsilons = "; ".join(
                f"{bound_text(p.epsilon)} at δ = {rational_text(p.delta)}" for p in points
            )
            distance = "" if guarantee.distance is None else str(guarantee.distance)
            value = guarantee.refused or epsilons
            rows.append((label(guarantee.framework), label(guarantee.universe), distance, value))
        header = (DEFINITION, "universe", "up to distance", "ε, at most")
        return header, rows, repr(self).strip("<>")


def audit(
    spec: str | os.PathLike[str] | Mapping[str, object] | Spec,
    *,
    time_limit: float = TIME_LIMIT,
    tolerance: float = TOLERANCE,
    root: str | os.PathLike[str] = "",
    allow_engines: Iterable[str] = (),
    show_values: bool = False,
) -> Report:
    """Audit a spec.

    Args:
        spec: the path of a file; or the spec itself, as a ``Spec``, as plain Python values, or as a
            YAML text, which has a line break in it.
        time_limit: seconds, above 0, for all computations together. It is checked between steps;
            results that are cut short are looser, or are refused.
        tolerance: the relative bracket width of a composed loss.
        root: a folder that can contain the files of the spec; by default, only the spec's own
            folder. A ``Spec`` has its own root already.
        allow_engines: schemes of connection URLs from which the spec can read (docs/data.md).
        show_values: whether messages can quote values of data files.

    Raises:
        SpecError: the spec or its data are not valid, or this version cannot audit them; every
            problem with its place.
        ValueError: the time limit or the tolerance is out of range.
    """
    from semiaudit.library.spec_argument import release_of

    access = Access(os.fspath(root), tuple(allow_engines), show_values)
    limit = Deadline(seconds(time_limit))
    release, allowed = release_of(spec, access, time_limit)
    with problems_of(release.path, time_limit):
        audited = audit_release(release, limit.left, tolerance, allowed)
    return Report(audited, tolerance, limit.left)


def audit_many(
    specs: Iterable[str | os.PathLike[str] | Mapping[str, object] | Spec],
    *,
    time_limit: float = TIME_LIMIT,
    root: str | os.PathLike[str] = "",
    allow_engines: Iterable[str] = (),
    show_values: bool = False,
) -> list[Report]:
    """Audit several specs, in order. Raises at the first that cannot be audited."""
    engines = tuple(allow_engines)
    return [
        audit(
            spec,
            time_limit=time_limit,
            root=root,
            allow_engines=engines,
            show_values=show_values,
        )
        for spec in specs
    ]


def audit_path(
    path: str, time_limit: float, tolerance: float, access: Access, text: bytes | None = None
) -> Report:
    """Audit a spec file.

    Args:
        text: the spec itself, if it is not a file.
    """
    limit = Deadline(time_limit)
    audited = audit_file(path, time_limit, tolerance, access=access, text=text)
    return Report(audited, tolerance, limit.left)


def audit_of(report: Report) -> Audit:
    """Return the audit as domain objects, for internal use."""
    return report._result


LACKS_NUMBER = (NO_SUCH_NUMBER, NOT_STATED, UNDECIDED)
"""Rules by which a budget without a number fails; if time is the reason, it is not audited."""


def refusal_of(audit: Audit) -> str:
    """Return why there is no semi_dp guarantee, or no number of a budget because of the time limit.

    Empty if there is one, or if nothing is left to protect.
    """
    semi = next(r.guarantee for r in audit.rows if r.guarantee.framework == LEADING)
    disclosed = audit.universe.semi_adjacency.covering.upper == 0
    if semi.refused and not disclosed:
        return f"{NOT_PROVEN}: {semi.refused}"
    for result in audit.budgets if "time" in audit.incomplete_because else ():
        if result.rule in LACKS_NUMBER and result.actual is None:
            name = budget_name(result.budget)
            return f"the time limit was reached before {name} was known; raise --time-limit"
    return ""
