"""The figures of releases side by side, and of one release without its invariants.

Nothing is computed: they hold the numbers of the effective guarantees (semi_dp).
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
"""How many releases or invariants are spelled out below a figure, and with how many letters."""

REFUSED, OPEN, ALONE = "refused", "not established", "one dataset"


@dataclass(frozen=True, slots=True)
class Subject:
    """One release, or one part of the invariants.

    Attributes:
        name: stands in the legend and below its bars.
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
    """Every figure of which anything is known.

    Args:
        curves: each by the name of its subject.
        by, across: what the subjects differ in, for a title and for an axis.
        caption: what stands for what.
    """
    of = f" of {LEADING}"
    bars = [replace(f, across=across, note=caption) for f in (_epsilons(subjects), _a_t(subjects))]
    titled = [replace(f, title=f"{f.title} {by}".strip()) for f in bars]
    figures = (tradeoff_figure(curves, of, caption), epsilon_figure(curves, of, caption), *titled)
    return tuple(figure for figure in figures if figure.series)


def _epsilons(subjects: Sequence[Subject]) -> Figure:
    """epsilon of the effective guarantee at each delta, or that there is none."""
    points = [[] if s.row is None else [*s.row.numbers.tightest] for s in subjects]
    known = [{p.delta: p.epsilon for p in own if is_finite(p.epsilon)} for own in points]
    deltas = list(dict.fromkeys(delta for own in known for delta in own))
    categories = tuple(
        (s.name,) if own else (s.name, _why(s)) for s, own in zip(subjects, known, strict=True)
    )
    return epsilons_figure(f"epsilon of {LEADING}", deltas, known, categories)


def _why(subject: Subject) -> str:
    row, semi = subject.row, subject.semi_adjacency
    if semi is not None and semi.covering.upper == 0:
        return ALONE
    return REFUSED if row is None or row.guarantee.refused else "no epsilon"


def _a_t(subjects: Sequence[Subject]) -> Figure:
    """a(t) in the reading in use; the upper bound where it is an interval."""
    ends = [_end(subject.semi_adjacency) for subject in subjects]
    drawn = bars("a(t)", ends)
    # The sign distinguishes an upper bound from a value.
    signs = ["" if end.side == "exact" else "≤ " for end in ends if end is not None]
    labels = tuple(f"{sign}{text}" for sign, text in zip(signs, drawn.labels, strict=True))
    return Figure(
        "distance",
        "a(t)",
        "",
        "a(t), at most",
        (replace(drawn, labels=labels),) if drawn.points else (),
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
    """What stands for what, in short: a figure of a paper has its caption."""
    lines = [f"{name}: {shorten(text, TITLE, placeholder='…')}" for name, text in named]
    more = len(lines) - MOST_TITLES
    return "\n".join([*lines[:MOST_TITLES], *([f"{more} more"] if more > 0 else [])])
