"""Polygons below tradeoff functions, by the definitions, in plain fractions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

Point = tuple[Fraction, Fraction]
"""(type I error, type II error)."""


def at(vertices: Sequence[Point], type_i: Fraction) -> Fraction:
    """The polygon at a type I error: on the first edge that reaches it from the left."""
    for (x0, y0), (x1, y1) in pairwise(vertices):
        if x0 <= type_i < x1:
            return y0 + (y1 - y0) * (type_i - x0) / (x1 - x0)
    return vertices[-1][1]


def hull_below(points: Iterable[Point]) -> list[Point]:
    """The vertices of the largest convex function through or below points in the unit square, and
    (1, 0): a point is one if no chord of two others passes through or below it.
    """
    lowest: dict[Fraction, Fraction] = {}
    for x, y in points:
        lowest[x] = min(y, lowest.get(x, y))
    lowest[Fraction(1)] = Fraction(0)
    known = sorted(lowest.items())

    def is_vertex(point: Point) -> bool:
        left = [other for other in known if other[0] < point[0]]
        right = [other for other in known if other[0] > point[0]]
        return all(
            a[1] + (b[1] - a[1]) * (point[0] - a[0]) / (b[0] - a[0]) > point[1]
            for a in left
            for b in right
        )

    return [point for point in known if is_vertex(point)]


def largest_line(lines: Iterable[tuple[Fraction, Fraction]], x: Fraction) -> Fraction:
    """The largest of 0 and of the lines c - t x at a type I error below 1."""
    return max(Fraction(0), *(c - t * x for c, t in lines))


def steepest_left(vertices: Sequence[Point], delta: Fraction) -> Fraction | None:
    """The least growth of at least 1 with 1 - y - growth x <= delta at all vertices; None if there
    is none.
    """
    if any(not x and 1 - y > delta for x, y in vertices):
        return None
    return max(Fraction(1), *((1 - y - delta) / x for x, y in vertices if x))
