"""The figures of releases side by side, and of one release without its invariants.

Nothing is computed: they hold the numbers of the effective guarantees (semi_dp).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import shorten

from semiaudit.model.ablation import Ablated
from semiaudit.model.bound import Bound, exact, upper
from semiaudit.model.comparison import SideBySide
from semiaudit.model.curves import Curve
from semiaudit.model.figure import Figure
from semiaudit.model.frameworks import LEADING
from semiaudit.model.guarantee import Row
from semiaudit.model.semi_adjacency import SemiAdjacency
from semiaudit.report.ablation_words import name_of, variant_name
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
class _Subject:
    """One release, or one part of the invariants.

    Attributes:
        name: stands in the legend and below its bars.
        row: its effective guarantee; None where it is not audited.
    """

    name: str
    row: Row | None
    semi_adjacency: SemiAdjacency | None


def figures_of_comparison(found: SideBySide) -> tuple[Figure, ...]:
    """Every figure of which anything is known, of releases with their curves."""
    subjects = []
    for release in found.releases:
        rows = (row for row in release.rows if row.guarantee.framework == LEADING)
        subjects.append(_Subject(release.name, next(rows, None), release.semi_adjacency))
    told = _told([(release.name, release.title) for release in found.releases])
    return _figures(subjects, found.curves, "", "release", told)


def figures_of_ablation(found: Ablated) -> tuple[Figure, ...]:
    """Every figure of which anything is known, of an ablation with its curves."""
    names = {str(place): variant_name(v) for place, v in enumerate(found.variants)}
    subjects = [_Subject(variant_name(v), v.row, v.semi_adjacency) for v in found.variants]
    curves = [replace(curve, name=names[curve.name]) for curve in found.curves]
    told = _told([(name_of(place), text) for place, text in enumerate(found.invariants)])
    return _figures(subjects, curves, "by what is published exactly", "published exactly", told)


def _figures(
    subjects: Sequence[_Subject], curves: Sequence[Curve], by: str, across: str, told: str
) -> tuple[Figure, ...]:
    of = f" of {LEADING}"
    bars = [replace(f, across=across, note=told) for f in (_epsilons(subjects), _a_t(subjects))]
    titled = [replace(f, title=f"{f.title} {by}".strip()) for f in bars]
    found = (tradeoff_figure(curves, of, told), epsilon_figure(curves, of, told), *titled)
    return tuple(figure for figure in found if figure.series)


def _epsilons(subjects: Sequence[_Subject]) -> Figure:
    """epsilon of the effective guarantee at each delta, or that there is none."""
    points = [[] if s.row is None else [*s.row.numbers.tightest] for s in subjects]
    known = [{p.delta: p.epsilon for p in own if is_finite(p.epsilon)} for own in points]
    deltas = list(dict.fromkeys(delta for own in known for delta in own))
    categories = tuple(
        (s.name,) if own else (s.name, _why(s)) for s, own in zip(subjects, known, strict=True)
    )
    return epsilons_figure(f"epsilon of {LEADING}", deltas, known, categories)


def _why(subject: _Subject) -> str:
    row, semi = subject.row, subject.semi_adjacency
    if semi is not None and semi.covering.upper == 0:
        return ALONE
    return REFUSED if row is None or row.guarantee.refused else "no epsilon"


def _a_t(subjects: Sequence[_Subject]) -> Figure:
    """a(t) in the reading in use; the upper end where it is an interval."""
    ends = [_end(subject.semi_adjacency) for subject in subjects]
    drawn = bars("a(t)", ends)
    # An upper end is told from a value.
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


def _told(named: Sequence[tuple[str, str]]) -> str:
    """What stands for what, in short: a figure of a paper has its caption."""
    lines = [f"{name}: {shorten(text, TITLE, placeholder='…')}" for name, text in named]
    more = len(lines) - MOST_TITLES
    return "\n".join([*lines[:MOST_TITLES], *([f"{more} more"] if more > 0 else [])])
