"""Closed form of one pair with finitely many losses, by its most powerful tests.

The test A_j rejects at the j outcomes with the largest likelihood ratios. With P_j = P(A_j) and Q_j
= Q(A_j),

    delta(epsilon) = max over j of P_j - exp(epsilon) Q_j,
    epsilon(delta) = max over j of ln((P_j - delta) / Q_j),

and the tradeoff function joins the points (Q_j, 1 - P_j) (Neyman-Pearson). Every mass is an exact
rational or a decimal interval, so nothing needs to be sorted or compared in doubles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise
from math import inf

from semiaudit.frozen import dataclass
from semiaudit.numeric.intervals import DIGITS, ONE, ZERO, Interval
from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.loss.closed_forms.single_pair import LARGEST_LOSS, Ends

MOST_TESTS = 256
"""A pair with more tests is left to the engine, whose transforms are faster then."""

_NEAR = Context(prec=DIGITS)

Point = tuple[Interval, Interval]


@dataclass(frozen=True, slots=True)
class Test:
    """A most powerful test: its mass under P, its mass under Q, and the rest of P."""

    first: Interval
    second: Interval
    missed: Interval

    @property
    def mirrored(self) -> Test:
        """Return the complement of the test, as a test of the swapped pair."""
        return Test(ONE - self.second, self.missed, self.second)


@dataclass(frozen=True, slots=True)
class TestedPair:
    """The most powerful tests of a pair, in both directions.

    Attributes:
        tests: all A_j at which the likelihood ratio changes; none that never or always rejects.
        infinite: the mass under P where Q has none, in either direction; exact.
        symmetric: the swapped pair has the same tests.
    """

    tests: tuple[Test, ...]
    infinite: tuple[Fraction, Fraction]
    symmetric: bool

    @property
    def both_directions(self) -> Iterator[Test]:
        """Iterate over the tests of the pair, and of the swapped pair if it differs."""
        yield from self.tests
        if not self.symmetric:
            yield from (test.mirrored for test in self.tests)

    def delta(self, epsilon: Fraction) -> Ends | None:
        """See ``SinglePair``."""
        if epsilon > LARGEST_LOSS:
            return None
        growth = Interval.of(epsilon).exp()
        low, high = Decimal(0), Decimal(0)
        for test in self.both_directions:
            gained = test.first - growth * test.second
            low, high = max(low, gained.low), max(high, gained.high)
        return _probability(low, high)

    def epsilon(self, delta: Fraction) -> Ends | None:
        """See ``SinglePair``."""
        if max(self.infinite) > delta:
            return inf, inf
        target = Interval.of(delta)
        low, high = Decimal(0), Decimal(0)
        for test in self.both_directions:
            excess = test.first - target
            # A test that never reaches delta bounds no epsilon. A test without false rejections is
            # part of the infinite mass, which delta covers.
            if test.second.high <= 0 or excess.high <= 0:
                continue
            if test.second.low <= 0:
                return None
            high = max(high, (Interval.of(excess.high) / test.second).ln().high)
            if excess.low > 0:
                low = max(low, (Interval.of(excess.low) / test.second).ln().low)
        return float_down(low), float_up(high)

    def type_ii(self, type_i: Fraction) -> Interval | None:
        """Return the smaller type II error of the two directions.

        As a function, it is not convex, and no function that is composed.
        """
        if not type_i:
            return None
        swapped = [(test.missed, test.second) for test in self.tests]
        own = [(test.second, test.missed) for test in self.tests]
        ends = [
            _type_ii(points, type_i) for points in ([own] if self.symmetric else [own, swapped])
        ]
        known = [end for end in ends if end is not None]
        if len(known) < len(ends):
            return None
        return Interval(min(end.low for end in known), min(end.high for end in known))


def _type_ii(tests: Sequence[Point], type_i: Fraction) -> Interval | None:
    """Return the type II error of one direction at a type I error x; None if it is too close.

    The upper bound is the lowest chord of achievable points that spans x. The lower bound is a line
    of any slope s below all points: min (b + s a) - s x.

    Args:
        tests: (type I error, type II error) of the most powerful tests.
    """
    x = Interval.of(type_i)
    points: list[Point] = [(ZERO, ONE), (ONE, ZERO), *tests]
    hull = _lower_hull(points)
    if hull[-1][0].high <= x.low:
        return Interval(ZERO.low, hull[-1][1].high)
    upper, slope = Decimal(0), None
    for (left, above), (right, below) in pairwise(hull):
        if left.low > x.high or right.high < x.low:
            continue
        width = right - left
        if width.low <= 0:
            return None
        fall = (above - below) / width
        upper = max(upper, (above - fall * (x - left)).high)
        slope = fall.low
    if slope is None:
        return None
    line = Interval.of(max(slope, Decimal(0)))
    lowest = min((b + line * a).low for a, b in points)
    lower = (Interval.of(lowest) - line * x).low
    return Interval(min(lower, upper), upper).clip(0, 1)


def _probability(low: Decimal, high: Decimal) -> Ends:
    return max(float_down(low), 0.0), min(max(float_up(high), 0.0), 1.0)


def _lower_hull(points: Sequence[Point]) -> list[Point]:
    """Estimate the lower convex hull, by the points' lower bounds; every point is achievable."""
    hull: list[Point] = []
    for point in sorted(points, key=lambda point: (point[0].low, point[1].low)):
        if hull and (point[1].low >= hull[-1][1].low):
            continue
        while len(hull) > 1 and _turns_up(hull[-2], hull[-1], point):
            hull.pop()
        if hull and point[0].low <= hull[-1][0].high:
            # Too close to decide which type I error is smaller: no chord can join them.
            hull.pop()
        hull.append(point)
    return hull


def _turns_up(first: Point, middle: Point, last: Point) -> bool:
    (a, b), (c, d), (e, f) = ((point[0].low, point[1].low) for point in (first, middle, last))
    across = _NEAR.multiply(_NEAR.subtract(c, a), _NEAR.subtract(f, b))
    return across <= _NEAR.multiply(_NEAR.subtract(d, b), _NEAR.subtract(e, a))


def symmetric_tests(tests: Sequence[Test], infinite: Fraction = Fraction(0)) -> TestedPair:
    """Make the tests of a pair whose swapped pair has the same tests and the same infinite mass."""
    return TestedPair(tuple(tests), (infinite, infinite), True)
