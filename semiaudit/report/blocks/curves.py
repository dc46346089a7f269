"""Curves of guarantees for display: equal ones are merged, and lines between points are certified.

Between two certified points, a line is drawn only if it is certified too. For two fixed output
distributions, delta is the supremum over events of P(E) - e^epsilon Q(E), and so convex in
e^epsilon: the chord between two points (e^epsilon, delta) is certified, and its image is drawn. A
tradeoff function is convex, so a chord between two of its points is above it. A pair (epsilon,
delta) that holds in both orders gives two lines below it, and the largest of all lines is drawn.
Source: docs/theory/conversions.md, Certified curves.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import GuaranteeCurve

Points = tuple[tuple[Fraction, Bound], ...]
"""(place, number), by ascending places."""

Line = tuple[tuple[float, float], ...]
"""(across, up), by ascending places, to be joined by straight lines."""

Drawn = TypeVar("Drawn", bound=Hashable)
"""A curve: its points, or its line."""

_TOLERANCE = 0.0025
"""How far a straight segment may be from the image of a chord, relative to delta."""

_LARGEST = 700.0
"""The exponential of a larger epsilon is not a double."""

_SAFE = 1 - 1e-12
"""The rounding of the lines below a tradeoff function."""

_RATIO = 0.4
"""The most logarithm of the ratio of two neighboring points of a line on logarithmic axes."""

_CLOSE = 1e-12
"""On logarithmic axes, a segment to 0 ends at this part of its other end."""

READ_AT = Fraction(1, 20)
"""The type I error at which a tradeoff function is shown until a reader chooses another one."""


def joint(named: Iterable[tuple[str, Drawn]]) -> list[tuple[tuple[str, ...], Drawn]]:
    """Return each curve that is not empty once, with the names of all that are equal."""
    by_curve: dict[Drawn, list[str]] = {}
    for name, curve in named:
        if curve:
            by_curve.setdefault(curve, []).append(name)
    return [(tuple(names), curve) for curve, names in by_curve.items()]


def epsilon_line(points: Points) -> Line:
    """Return a line of epsilon over delta through certified points, along the images of chords.

    Args:
        points: (delta, epsilon), by ascending deltas; infinite numbers are left out.
    """
    known = [(float(at), float(bound)) for at, bound in points if math.isfinite(float(bound))]
    line = known[:1]
    for (left, high), (right, low) in pairwise(known):
        ratio, fall = math.log(right / left) if left else math.inf, high - low
        pieces = 1
        if fall and math.isfinite(ratio):
            # The distance of a chord's image is about a (a + 1) h^2 / 8, with a h the ratio.
            pieces = math.ceil(math.sqrt(ratio * (ratio + fall) / 8 / _TOLERANCE))
        for piece in range(1, max(pieces, 1)):
            share = (math.exp(ratio * piece / pieces) - 1) / (math.exp(ratio) - 1)
            # ln((1 - share) e^high + share e^low)
            line.append(
                (left + share * (right - left), high + math.log1p(share * math.expm1(-fall)))
            )
        line.append((right, low))
    return tuple(line)


def tradeoff_line(curve: GuaranteeCurve) -> Line:
    """Return the vertices of the largest of the lines that the pairs of a curve certify.

    Returns:
        (type I error, type II error) from 0 to 1; empty if no epsilon is finite.
    """
    pairs = [(float(bound), float(at)) for at, bound in curve.epsilons]
    pairs += [(float(at), float(bound)) for at, bound in curve.profile]
    lines = [(0.0, 0.0)]
    for epsilon, delta in pairs:
        if epsilon < _LARGEST and delta < 1:
            growth, left = math.exp(epsilon), (1 - delta) * _SAFE
            lines += [(-growth / _SAFE, left), (-1 / growth, left / growth * _SAFE)]
    if len(lines) == 1:
        return ()
    upper: list[tuple[float, float]] = []
    for line in sorted(lines):
        if upper and upper[-1][0] == line[0]:
            upper.pop()
        while len(upper) > 1 and _crossing(upper[-2], line) <= _crossing(*upper[-2:]):
            upper.pop()
        upper.append(line)
    inner = (_crossing(*two) for two in pairwise(upper))
    places = [0.0, *(x for x in inner if 0 < x < 1), 1.0]
    return tuple((x, max(slope * x + height for slope, height in upper)) for x in places)


def _crossing(start: tuple[float, float], other: tuple[float, float]) -> float:
    return (start[1] - other[1]) / (other[0] - start[0])


def on_logarithmic_axes(line: Line) -> Line:
    """Return a line with points between its own, so that logarithmic axes show its image."""
    image = list(line[:1])
    for (left, high), (right, low) in pairwise(line):
        across, down = (
            math.log(large / max(small, large * _CLOSE)) if large * _CLOSE else 0.0
            for large, small in ((right, left), (high, low))
        )
        pieces = math.ceil(max(across, down) / _RATIO)
        for piece in range(1, pieces):
            if across >= down:
                share = (right * math.exp(across * (piece / pieces - 1)) - left) / (right - left)
            else:
                share = high * -math.expm1(-down * piece / pieces) / (high - low)
            if 0 < share < 1:
                image.append((left + share * (right - left), high + share * (low - high)))
        image.append((right, low))
    return tuple(image)
