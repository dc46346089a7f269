"""The figures of an audit: what its curves and its rows are drawn as. Nothing is computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from semiaudit.model.audit import Audit
from semiaudit.model.bound import Bound
from semiaudit.model.curves import Curve
from semiaudit.model.figure import Figure, Series, Shape
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.guarantee import Row
from semiaudit.model.semantics import Semantic
from semiaudit.report.numbers import bound_text, rational_text

Points = tuple[tuple[float, float], ...]

STEPS = "Steps: between two points each curve is drawn where it is certified to hold."


def figures_of(audit: Audit) -> tuple[Figure, ...]:
    """Every figure of which anything is known, of an audit with its curves."""
    found = (
        tradeoff_figure(audit.curves),
        epsilon_figure(audit.curves),
        comparison_figure(audit.rows),
        semantics_figure(audit.semantics),
    )
    return tuple(figure for figure in found if figure.series)


def tradeoff_figure(curves: Sequence[Curve]) -> Figure:
    """Tradeoff functions: the least type II error over the type I error (SU's form)."""
    return Figure(
        "tradeoff",
        "Tradeoff functions",
        "type I error",
        "type II error, at least",
        _joint([(c.name, _points(c.tradeoff)) for c in curves], "held_before"),
        note=STEPS,
        unit_square=True,
    )


def epsilon_figure(curves: Sequence[Curve]) -> Figure:
    """epsilon over delta, on a logarithmic axis."""
    return Figure(
        "epsilon",
        "epsilon over delta",
        "delta",
        "epsilon, at most",
        _joint([(c.name, _points(c.epsilons)) for c in curves], "held_after"),
        logarithmic=frozenset("x"),
        note=STEPS,
    )


def comparison_figure(rows: Sequence[Row]) -> Figure:
    """The notions side by side: epsilon at each delta that the report has."""
    stated = [row for row in rows if any(_finite(p.epsilon) for p in row.numbers.tightest)]
    deltas = list(dict.fromkeys(p.delta for row in stated for p in row.numbers.tightest))
    places = [
        {point.delta: point.epsilon for point in row.numbers.tightest if _finite(point.epsilon)}
        for row in stated
    ]
    return Figure(
        "comparison",
        "What each notion states",
        "",
        "epsilon, at most",
        tuple(
            _bars(f"delta {rational_text(delta)}", [found.get(delta) for found in places])
            for delta in deltas
        ),
        categories=tuple(_category(row) for row in stated),
    )


def semantics_figure(secrets: Sequence[Semantic]) -> Figure:
    """rho of each kind of secret of a hierarchical release, in D and inside D_t."""
    names = list(dict.fromkeys(secret.name for secret in secrets if secret.zcdp is not None))
    universes = list(dict.fromkeys(s.universe for s in secrets if s.zcdp is not None))

    def largest(name: str, universe: UniverseName) -> Bound | None:
        found = (s.zcdp for s in secrets if (s.name, s.universe) == (name, universe))
        return max((b for b in found if b and _finite(b)), key=lambda b: b.value, default=None)

    return Figure(
        "semantics",
        "What each kind of secret costs",
        "",
        "rho, at most",
        tuple(_bars(f"in {u}", [largest(name, u) for name in names]) for u in universes),
        categories=tuple((name,) for name in names),
    )


def _joint(named: Iterable[tuple[str, Points]], shape: Shape) -> tuple[Series, ...]:
    """A curve for each name; curves that are the same are one, with all their names."""
    found: dict[Points, list[str]] = {}
    for name, points in named:
        if points:
            found.setdefault(points, []).append(name)
    return tuple(Series(", ".join(names), points, shape) for points, names in found.items())


def _category(row: Row) -> tuple[str, ...]:
    distance = row.guarantee.distance
    told = () if distance is None else (f"up to {distance}",)
    return (row.guarantee.framework, *told)


def _bars(name: str, bounds: Iterable[Bound | None]) -> Series:
    known = [(place, bound) for place, bound in enumerate(bounds) if bound is not None]
    return Series(
        name,
        tuple((float(place), float(bound)) for place, bound in known),
        "bars",
        tuple(_short(bound) for _, bound in known),
    )


def _short(bound: Bound) -> str:
    """At most two decimals, rounded up where the number is an upper bound."""
    value, text = float(bound), bound_text(bound)
    if len(text) <= 5 or not 0.01 <= value < 10**4:
        return text
    rounded: Callable[[float], float] = math.floor if bound.side == "lower" else math.ceil
    return f"{rounded(value * 100) / 100:.2f}"


def _finite(bound: Bound) -> bool:
    return not isinstance(bound.value, float)


def _points(points: Iterable[tuple[Fraction, Bound]]) -> Points:
    return tuple((float(at), float(bound)) for at, bound in points if _finite(bound))
