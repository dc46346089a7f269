"""The figures of releases side by side, and of one release without some of its invariants.

Nothing is computed: they show the numbers of the effective guarantees (semi_dp).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from textwrap import shorten

from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound, exact, upper
from semiaudit.model.figure import Figure
from semiaudit.model.frameworks import LEADING
from semiaudit.model.guarantee import GuaranteeCurve, GuaranteeRow
from semiaudit.model.semi_adjacency import SemiAdjacency
from semiaudit.report.plots.series import (
    bars,
    epsilon_figure,
    epsilons_figure,
    is_finite,
    tradeoff_figure,
)

MOST_TITLES, TITLE = 6, 72
"""The most releases or invariants that are named below a figure, and the most letters of each."""

REFUSED, OPEN, ALONE = "refused", "not established", "one dataset"


@dataclass(frozen=True, slots=True)
class Subject:
    """One release, or one part of the invariants.

    Attributes:
        name: appears in the legend and below its bars.
        row: its effective guarantee; None if it is not audited.
    """

    name: str
    row: GuaranteeRow | None
    semi_adjacency: SemiAdjacency | None


def figures_side_by_side(
    subjects: Sequence[Subject],
    curves: Sequence[GuaranteeCurve],
    by: str,
    across: str,
    caption: str,
) -> tuple[Figure, ...]:
    """Return every figure with known numbers.

    Args:
        curves: each by the name of its subject.
        by, across: the difference between the subjects, for a title and for an axis.
        caption: the meaning of the short names.
    """
    of = f" of {LEADING}"
    bars = [replace(f, across=across, note=caption) for f in (_epsilons(subjects), _a_t(subjects))]
    titled = [replace(f, title=f"{f.title} {by}".strip()) for f in bars]
    figures = (tradeoff_figure(curves, of, caption), epsilon_figure(curves, of, caption), *titled)
    return tuple(figure for figure in figures if figure.series)


def _epsilons(subjects: Sequence[Subject]) -> Figure:
    points = [[] if s.row is None else [*s.row.numbers.tightest] for s in subjects]
    known = [{p.delta: p.epsilon for p in each if is_finite(p.epsilon)} for each in points]
    deltas = list(dict.fromkeys(delta for each in known for delta in each))
    categories = tuple(
        (s.name,) if each else (s.name, _why(s)) for s, each in zip(subjects, known, strict=True)
    )
    return epsilons_figure(f"epsilon of {LEADING}", deltas, known, categories)


def _why(subject: Subject) -> str:
    row, semi = subject.row, subject.semi_adjacency
    if semi is not None and semi.covering.upper == 0:
        return ALONE
    return REFUSED if row is None or row.guarantee.refused else "no epsilon"


def _a_t(subjects: Sequence[Subject]) -> Figure:
    """Make the figure of a(t) by the definition in use; an interval shows its upper bound."""
    ends = [_end(subject.semi_adjacency) for subject in subjects]
    figure = bars("a(t)", ends)
    # The sign distinguishes an upper bound from a value.
    signs = ["" if end.side == "exact" else "≤ " for end in ends if end is not None]
    labels = tuple(f"{sign}{text}" for sign, text in zip(signs, figure.labels, strict=True))
    return Figure(
        "distance",
        "a(t)",
        "",
        "a(t), at most",
        (replace(figure, labels=labels),) if figure.points else (),
        categories=tuple(
            (s.name, *([OPEN if s.semi_adjacency else REFUSED] if end is None else []))
            for s, end in zip(subjects, ends, strict=True)
        ),
        counts=True,
    )


def _end(semi: SemiAdjacency | None) -> Bound | None:
    if semi is None or semi.value is None:
        return None
    closed = semi.chosen.lower == semi.value
    return exact(semi.value, "", "") if closed else upper(semi.value, "", "")


def captions(named: Sequence[tuple[str, str]]) -> str:
    """Explain the short names briefly: a figure of a paper has its own caption."""
    lines = [f"{name}: {shorten(text, TITLE, placeholder='…')}" for name, text in named]
    more = len(lines) - MOST_TITLES
    return "\n".join([*lines[:MOST_TITLES], *([f"{more} more"] if more > 0 else [])])
