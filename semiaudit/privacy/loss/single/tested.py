"""One pair with finitely many losses, by its most powerful tests.

The test A_j rejects at the j most telling outcomes. With P_j = P(A_j) and Q_j = Q(A_j),

    delta(epsilon) = max over j of P_j - exp(epsilon) Q_j,
    epsilon(delta) = max over j of ln((P_j - delta) / Q_j),

and the tradeoff function joins the points (Q_j, 1 - P_j) (Neyman-Pearson). Every mass is an exact
rational or a decimal interval, so nothing needs to be sorted or compared in doubles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from itertools import pairwise
from math import inf

from semiaudit.model.loss import (
    ApproxLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    Loss,
    RandomizedResponseLoss,
)
from semiaudit.numeric import DIGITS, ONE, ZERO, Interval, float_down, float_up

MOST_TESTS = 256
_NEAR = Context(prec=DIGITS)

Ends = tuple[float, float]
Point = tuple[Interval, Interval]


@dataclass(frozen=True, slots=True)
class Test:
    """One most powerful test: its mass under P, under Q, and what it misses of P."""

    first: Interval
    second: Interval
    missed: Interval

    @property
    def mirrored(self) -> Test:
        """Its complement, as a test of the swapped order."""
        return Test(ONE - self.second, self.missed, self.second)


@dataclass(frozen=True, slots=True)
class TestedPair:
    """A pair by its most powerful tests, in both orders.

    Attributes:
        tests: all A_j at which the likelihood ratio changes; none that never or always rejects.
        infinite: the mass under P where Q has none, in either order; exact.
        symmetric: the swapped order has the same tests.
    """

    tests: tuple[Test, ...]
    infinite: tuple[Fraction, Fraction]
    symmetric: bool

    @property
    def both_orders(self) -> Iterator[Test]:
        """The tests of the pair, and of the swapped one where it differs."""
        yield from self.tests
        if not self.symmetric:
            yield from (test.mirrored for test in self.tests)

    def delta(self, epsilon: Fraction) -> Ends:
        """See ``closed_form.SinglePair``."""
        growth = Interval.of(epsilon).exp()
        low, high = Decimal(0), Decimal(0)
        for test in self.both_orders:
            gained = test.first - growth * test.second
            low, high = max(low, gained.low), max(high, gained.high)
        return _probability(low, high)

    def epsilon(self, delta: Fraction) -> Ends | None:
        """See ``closed_form.SinglePair``."""
        if max(self.infinite) > delta:
            return inf, inf
        target = Interval.of(delta)
        low, high = Decimal(0), Decimal(0)
        for test in self.both_orders:
            excess = test.first - target
            if test.second.high <= 0 or excess.high <= 0:
                continue
            if test.second.low <= 0:
                return None
            high = max(high, (Interval.of(excess.high) / test.second).ln().high)
            if excess.low > 0:
                low = max(low, (Interval.of(excess.low) / test.second).ln().low)
        return float_down(low), float_up(high)

    def type_ii(self, alpha: Fraction) -> Ends | None:
        """See ``closed_form.SinglePair``.

        From above by chords of achievable points, on all that may span alpha; from below by a
        line of any slope s that no point lies under: min (b + s a) - s alpha.
        """
        type_i = Interval.of(alpha)
        points: list[Point] = [(ZERO, ONE), (ONE, ZERO)]
        for test in self.tests:
            points += [(test.second, test.missed), (test.missed, test.second)]
        hull = _lower_hull(points)
        if hull[-1][0].high <= type_i.low:
            return 0.0, float_up(hull[-1][1].high)
        upper, slope = Decimal(0), None
        for (left, above), (right, below) in pairwise(hull):
            if left.low > type_i.high or right.high < type_i.low:
                continue
            width = right - left
            if width.low <= 0:
                return None
            fall = (above - below) / width
            upper = max(upper, (above - fall * (type_i - left)).high)
            slope = fall.low
        if slope is None:
            return None
        line = Interval.of(max(slope, Decimal(0)))
        lowest = min((b + line * a).low for a, b in points)
        lower = (Interval.of(lowest) - line * type_i).low
        return _probability(min(lower, upper), upper)


def _probability(low: Decimal, high: Decimal) -> Ends:
    return max(float_down(low), 0.0), min(max(float_up(high), 0.0), 1.0)


def _lower_hull(points: Sequence[Point]) -> list[Point]:
    """About the lower convex hull, by the points' lower ends; any of the points is achievable."""
    hull: list[Point] = []
    for point in sorted(points, key=lambda point: (point[0].low, point[1].low)):
        if hull and (point[1].low >= hull[-1][1].low):
            continue
        while len(hull) > 1 and _turns_up(hull[-2], hull[-1], point):
            hull.pop()
        if hull and point[0].low <= hull[-1][0].high:
            # Too close to tell whose type I error is smaller: no chord can join them.
            hull.pop()
        hull.append(point)
    return hull


def _turns_up(first: Point, middle: Point, last: Point) -> bool:
    """Whether the middle point lies on or above the chord, in decimals."""
    (a, b), (c, d), (e, f) = ((point[0].low, point[1].low) for point in (first, middle, last))
    across = _NEAR.multiply(_NEAR.subtract(c, a), _NEAR.subtract(f, b))
    return across <= _NEAR.multiply(_NEAR.subtract(d, b), _NEAR.subtract(e, a))


def tested(loss: Loss, largest: int) -> TestedPair | None:
    """The tests of a pair with few losses, none beyond ``largest``; None for any other pair."""
    match loss:
        case RandomizedResponseLoss(epsilon=epsilon, levels=levels) if epsilon <= largest:
            return _symmetric(_randomized_response(epsilon, levels), Fraction(0))
        case ApproxLoss(epsilon=epsilon, delta=delta) if epsilon <= largest and delta < 1:
            return _symmetric(_approximate(epsilon, delta), delta)
        case DiscreteLaplaceLoss(shift=shift, scale=scale):
            if abs(shift) <= MOST_TESTS and abs(shift) / scale <= largest:
                return _symmetric(_discrete_laplace(abs(shift), scale), Fraction(0))
        case FiniteLoss(first=first, second=second) if len(first) <= MOST_TESTS:
            return _finite(first, second)
        case _:
            pass
    return None


def _symmetric(tests: list[Test], infinite: Fraction) -> TestedPair:
    return TestedPair(tuple(tests), (infinite, infinite), True)


def _randomized_response(epsilon: Fraction, levels: int) -> list[Test]:
    """Masses 1, a, ..., a over 1 + (levels - 1) a, with a = exp(-epsilon)."""
    shrink = Interval.of(-epsilon).exp().clip(0, 1)
    others = Interval.of(levels - 1) * shrink
    total = ONE + others
    rest = (ONE + Interval.of(levels - 2) * shrink) / total
    tests = [Test(ONE / total, shrink / total, others / total)]
    return [*tests, Test(rest, others / total, shrink / total)] if levels > 2 else tests


def _approximate(epsilon: Fraction, delta: Fraction) -> list[Test]:
    """Disclosed with probability delta, else randomized response between two values."""
    told, kept = Interval.of(delta), Interval.of(1 - delta)
    shrink = Interval.of(-epsilon).exp().clip(0, 1)
    low = kept * shrink / (ONE + shrink)
    return [
        Test(told, ZERO, kept),
        Test(told + kept / (ONE + shrink), low, low),
        Test(ONE, kept, ZERO),
    ]


def _discrete_laplace(shift: int, scale: Fraction) -> list[Test]:
    """Rejecting up to x = 0, ..., shift - 1 misses a^(x + 1) / (1 + a), with a = exp(-1 / scale).

    A false rejection has the probability a^(shift - x) / (1 + a): the same at the mirrored x.
    """
    shrink = Interval.of(-1 / scale).exp().clip(0, 1)
    tails = [shrink / (ONE + shrink)]
    for _ in range(shift - 1):
        tails.append(tails[-1] * shrink)
    return [Test(ONE - tails[x], tails[shift - 1 - x], tails[x]) for x in range(shift)]


def _finite(first: tuple[Fraction, ...], second: tuple[Fraction, ...]) -> TestedPair:
    """Outcomes by falling likelihood ratio p/q; those with q = 0 come first."""
    ratios: dict[Fraction | None, tuple[Fraction, Fraction]] = {}
    for p, q in zip(first, second, strict=True):
        if p or q:
            ratio = p / q if q else None
            sums = ratios.get(ratio, (Fraction(0), Fraction(0)))
            ratios[ratio] = (sums[0] + p, sums[1] + q)
    falling = sorted(ratios, key=lambda ratio: (ratio is not None, -(ratio or Fraction(0))))
    tests = []
    p_sum = q_sum = Fraction(0)
    for ratio in falling[:-1]:
        p_sum, q_sum = p_sum + ratios[ratio][0], q_sum + ratios[ratio][1]
        tests.append(Test(Interval.of(p_sum), Interval.of(q_sum), Interval.of(1 - p_sum)))
    told = ratios.get(None, (Fraction(0), Fraction(0)))[0]
    hidden = ratios.get(Fraction(0), (Fraction(0), Fraction(0)))[1]
    return TestedPair(tuple(tests), (told, hidden), False)
