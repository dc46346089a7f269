"""Pairs on finitely many outcomes: any, that of (epsilon, delta)-DP, and randomized response."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING

from semiaudit.frozen import dataclass
from semiaudit.model.loss import ApproxLoss, FiniteLoss, RandomizedResponseLoss
from semiaudit.numeric.intervals import DIGITS, ONE, ZERO, Interval
from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.loss.pairs.pair_kind import (
    LARGEST_LOSS,
    Ends,
    Family,
    PairKind,
    unknown_steps,
)
from semiaudit.privacy.loss.sources.loss_source import (
    UNIT,
    Atoms,
    Floats,
    cumulants_of,
    log_ratio,
    steps_of,
)
from semiaudit.privacy.measures.zcdp import rho_of_pure_dp, rho_of_randomized_response

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


@dataclass(frozen=True, slots=True)
class FiniteSource:
    """A source with finitely many losses.

    Attributes:
        lattice_step: the step of the lattice: one or two losses are always on a lattice; a single
            one is on every lattice, which is a step of 0.
        largest: an upper bound on every loss.
        lattice_error: the largest distance of a loss from its lattice point.
        multiples: where ``lattice_step`` is given, (loss - offset) / lattice_step; else empty.
        losses: the losses in floats, each within 8 u of itself.
        log_mass: logarithms of the masses under P, each within 8 u (1 + its size).
    """

    losses: Floats
    log_mass: Floats
    multiples: tuple[int, ...] = ()
    offset: Fraction = Fraction(0)
    lattice_step: Fraction | None = None
    infinite: Fraction = Fraction(0)
    largest: Fraction | None = None
    lattice_error: float = 0.0

    @property
    def anchor(self) -> Fraction | None:
        """Return the step of the lattice, if there is one."""
        return self.lattice_step or None

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """See :class:`Source`."""
        return cumulants_of(self.losses, self.log_mass, tilt)

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`."""

        import numpy as np

        size = float(np.abs(self.losses).max())
        mass_error = 8 * UNIT * (1 + float(np.abs(self.log_mass).max()))
        if self.lattice_step is not None:
            positions = np.array(self.multiples, dtype=np.float64)
            positions *= steps_of(float(self.lattice_step), step)
            return Atoms(positions, self.log_mass, mass_error, self.lattice_error)
        return Atoms(self.losses / step, self.log_mass, mass_error, 8 * UNIT * size)


def two_sided(epsilon: Fraction, infinite: Fraction) -> FiniteSource:
    """Return the losses epsilon and -epsilon of f_{epsilon,0}, and a mass at infinity."""

    import numpy as np

    size = float(epsilon)
    log_rest = log_ratio(1 - infinite, Fraction(1))
    log_low = log_rest - size - math.log1p(math.exp(-size))
    if epsilon == 0:
        return FiniteSource(
            np.zeros(1),
            np.full(1, log_rest),
            (0,),
            Fraction(0),
            Fraction(0),
            infinite,
            Fraction(0),
        )
    return FiniteSource(
        np.array([-size, size]),
        np.array([log_low, log_low + size]),
        (0, 1),
        -epsilon,
        2 * epsilon,
        infinite,
        epsilon,
    )


def source_of_outcomes(
    first: Sequence[Fraction], second: Sequence[Fraction]
) -> FiniteSource | None:
    """Return the losses ln(p/q) of two lists of probabilities; equal ratios are one atom.

    None if the two distributions have no outcome in common.
    """

    import numpy as np

    masses: dict[Fraction, Fraction] = {}
    infinite = Fraction(0)
    for p, q in zip(first, second, strict=True):
        if p and q:
            masses[p / q] = masses.get(p / q, Fraction(0)) + p
        elif p:
            infinite += p
    if not masses:
        return None
    ratios = sorted(masses)
    losses = np.array([log_ratio(ratio, Fraction(1)) for ratio in ratios])
    log_mass = np.array([log_ratio(masses[ratio], Fraction(1)) for ratio in ratios])
    highest = Fraction(float(losses[-1])) + Fraction(1, 10**14) * (1 + abs(int(losses[-1])))
    if len(losses) > 2:
        return FiniteSource(losses, log_mass, infinite=infinite, largest=highest)
    lowest = Fraction(float(losses[0]))
    return FiniteSource(
        losses,
        log_mass,
        tuple(range(len(losses))),
        lowest,
        Fraction(float(losses[-1])) - lowest,
        infinite,
        highest,
        16 * UNIT * float(np.abs(losses).max()),
    )


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
        plain = [(test.second, test.missed) for test in self.tests]
        ends = [
            _type_ii(points, type_i) for points in ([plain] if self.symmetric else [plain, swapped])
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


def finite(pair: FiniteLoss) -> PairKind:
    """Define the kind: exact probabilities; the two directions usually differ."""
    return PairKind(
        symmetric=_masses(pair.first, pair.second) == _masses(pair.second, pair.first),
        gaussian_size=Fraction(1),
        listable=True,
        mu_fitted=True,
        family=Family((pair,), "alone"),
        size=Fraction(1),
        rho=lambda: None,
        simplified=pair if pair.first != pair.second else None,
        moved_further=unknown_steps,
        closed_form=lambda: _tested_finite(pair.first, pair.second),
        source=lambda side: _source_of_finite(pair, swapped=side > 0),
    )


def _masses(
    first: Sequence[Fraction], second: Sequence[Fraction]
) -> dict[Fraction | None, Fraction]:
    """Return the mass under the first law of each ratio p/q; None is the ratio for q = 0."""
    masses: dict[Fraction | None, Fraction] = {}
    for p, q in zip(first, second, strict=True):
        if p:
            ratio = p / q if q else None
            masses[ratio] = masses.get(ratio, Fraction(0)) + p
    return masses


@lru_cache(maxsize=256)
def _tested_finite(first: tuple[Fraction, ...], second: tuple[Fraction, ...]) -> TestedPair | None:
    """Return the pair by its tests, if there are few.

    The outcomes are sorted by decreasing p/q, those with q = 0 first.
    """
    if len(first) > MOST_TESTS:
        return None
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
    revealed = ratios.get(None, (Fraction(0), Fraction(0)))[0]
    hidden = ratios.get(Fraction(0), (Fraction(0), Fraction(0)))[1]
    return TestedPair(tuple(tests), (revealed, hidden), False)


@lru_cache(maxsize=16)
def _source_of_finite(pair: FiniteLoss, *, swapped: bool) -> Source | None:
    """Return the losses ln(p/q); None if the two distributions have no outcome in common."""
    laws = (pair.second, pair.first) if swapped else (pair.first, pair.second)
    return source_of_outcomes(*laws)


def approx(pair: ApproxLoss) -> PairKind:
    """Define the kind: disclosure with probability delta, else randomized response."""
    return PairKind(
        symmetric=True,
        gaussian_size=Fraction(1),
        listable=True,
        mu_fitted=True,
        family=Family((pair,), "alone"),
        size=Fraction(1),
        rho=lambda: None if pair.delta else rho_of_pure_dp(pair.epsilon),
        simplified=pair if pair.epsilon or pair.delta else None,
        moved_further=unknown_steps,
        closed_form=lambda: _tested_approx(pair.epsilon, pair.delta),
        source=lambda _side: _source_of_approx(pair.epsilon, pair.delta),
    )


def _tested_approx(epsilon: Fraction, delta: Fraction) -> TestedPair | None:
    if epsilon > LARGEST_LOSS or delta == 1:
        return None
    revealed, unrevealed = Interval.of(delta), Interval.of(1 - delta)
    shrink = Interval.of(-epsilon).exp().clip(0, 1)
    low = unrevealed * shrink / (ONE + shrink)
    tests = [
        Test(revealed, ZERO, unrevealed),
        Test(revealed + unrevealed / (ONE + shrink), low, low),
        Test(ONE, unrevealed, ZERO),
    ]
    return symmetric_tests(tests, delta)


def _source_of_approx(epsilon: Fraction, delta: Fraction) -> Source | None:
    """Return the losses: infinite with probability delta, else epsilon or -epsilon."""
    return None if delta == 1 else two_sided(epsilon, delta)


def randomized_response(pair: RandomizedResponseLoss) -> PairKind:
    """Define the kind: one of several values, kept with odds e^epsilon to each other value."""
    return PairKind(
        symmetric=True,
        gaussian_size=pair.epsilon**2,
        listable=True,
        mu_fitted=True,
        family=Family((RandomizedResponseLoss, pair.levels), "alone"),
        size=pair.epsilon,
        rho=lambda: rho_of_randomized_response(pair.epsilon, pair.levels),
        simplified=pair if pair.epsilon else None,
        moved_further=unknown_steps,
        closed_form=lambda: _tested_response(pair.epsilon, pair.levels),
        source=lambda _side: _source_of_response(pair.epsilon, pair.levels),
    )


def _tested_response(epsilon: Fraction, levels: int) -> TestedPair | None:
    """Return the tests: masses 1, a, ..., a over 1 + (levels - 1) a, with a = exp(-epsilon)."""
    if epsilon > LARGEST_LOSS:
        return None
    shrink = Interval.of(-epsilon).exp().clip(0, 1)
    others = Interval.of(levels - 1) * shrink
    total = ONE + others
    rest = (ONE + Interval.of(levels - 2) * shrink) / total
    tests = [Test(ONE / total, shrink / total, others / total)]
    if levels > 2:
        tests.append(Test(rest, others / total, shrink / total))
    return symmetric_tests(tests)


def _source_of_response(epsilon: Fraction, levels: int) -> Source:
    """Return the losses epsilon, 0 and -epsilon; without 0 for two levels."""
    import numpy as np

    if levels == 2:
        return two_sided(epsilon, Fraction(0))
    size, others = float(epsilon), levels - 1
    log_other = -(size + math.log1p(others * math.exp(-size)))
    return FiniteSource(
        np.array([-size, 0.0, size]),
        np.array([log_other, log_other + math.log(others - 1), log_other + size]),
        (-1, 0, 1),
        lattice_step=epsilon,
        largest=epsilon,
    )
