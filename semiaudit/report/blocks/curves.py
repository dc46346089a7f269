"""Curves of guarantees as they are shown: coinciding ones as one, on axes on which all are seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from semiaudit.model.bound import Bound

Points = tuple[tuple[Fraction, Bound], ...]
"""(place, number), by ascending places."""

READ_AT = Fraction(1, 20)
"""The type I error at which a tradeoff function is read before a reader chooses another one."""

_CORNER, _ALL_IN_CORNER = 0.01, 0.1
"""Type II errors that linear axes show as a corner: of one curve, and of the highest one."""


def joint(named: Iterable[tuple[str, Points]]) -> list[tuple[tuple[str, ...], Points]]:
    """Return each curve of which points are known once, with the names of all that coincide."""
    by_points: dict[Points, list[str]] = {}
    for name, points in named:
        if points:
            by_points.setdefault(points, []).append(name)
    return [(tuple(names), points) for points, names in by_points.items()]


def held_at(points: Points, type_i: Fraction) -> float:
    """Return the lower bound that a tradeoff function has at a type I error: that of the next one.

    Returns:
        0 behind the last known point.
    """
    return next((float(bound) for place, bound in points if place >= type_i), 0.0)


def are_in_corner(curves: Sequence[Points]) -> bool:
    """Whether linear axes would show a tradeoff function as the axes themselves.

    A curve that is 0 if it is read has no place on a logarithmic axis, and does not count.
    """
    read = [held_at(points, READ_AT) for points in curves]
    positive = [value for value in read if value > 0]
    return bool(positive) and (min(positive) < _CORNER or max(positive) < _ALL_IN_CORNER)
