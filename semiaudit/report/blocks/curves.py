"""Curves of guarantees for display: equal ones are merged, on axes that show all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from semiaudit.model.bound import Bound

Points = tuple[tuple[Fraction, Bound], ...]
"""(place, number), by ascending places."""

READ_AT = Fraction(1, 20)
"""The type I error at which a tradeoff function is shown until a reader chooses another one."""

_CORNER, _ALL_IN_CORNER = 0.01, 0.1
"""Type II errors that linear axes show as a corner: for one curve, and for the highest one."""


def joint(named: Iterable[tuple[str, Points]]) -> list[tuple[tuple[str, ...], Points]]:
    """Return each curve with known points once, with the names of all that are equal."""
    by_points: dict[Points, list[str]] = {}
    for name, points in named:
        if points:
            by_points.setdefault(points, []).append(name)
    return [(tuple(names), points) for points, names in by_points.items()]


def held_at(points: Points, type_i: Fraction) -> float:
    """Return the lower bound of a tradeoff function at a type I error: that of the next point.

    Returns:
        0 after the last known point.
    """
    return next((float(bound) for place, bound in points if place >= type_i), 0.0)


def are_in_corner(curves: Sequence[Points]) -> bool:
    """Return whether linear axes would show a tradeoff function as the axes themselves.

    A curve that is 0 at the shown point is not visible on a logarithmic axis, and does not count.
    """
    read = [held_at(points, READ_AT) for points in curves]
    positive = [value for value in read if value > 0]
    return bool(positive) and (min(positive) < _CORNER or max(positive) < _ALL_IN_CORNER)
