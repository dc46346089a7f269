"""Poisson-subsampled Gaussian noise: records that can be sampled, in either dataset.

Closed form of one step of the Poisson-subsampled Gaussian: sums of normal tails.

The likelihood ratio rises with the outcome, so that the most powerful tests reject above a
threshold t: with P(t) and Q(t) the masses above it, delta(epsilon) is P(t) - e^epsilon Q(t) where
the ratio is e^epsilon, and the tradeoff function joins the points (Q(t), 1 - P(t)).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.model.loss import GaussianLoss, SubsampledGaussianLoss
from semiaudit.numeric.intervals import DIGITS, HALF, ONE, ZERO, Interval
from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.loss.closed_forms.single_pair import LARGEST_LOSS, Ends, probability
from semiaudit.privacy.loss.pairs.pair_kind import Family, PairKind, unknown_steps
from semiaudit.privacy.special.normal import upper_tail

if TYPE_CHECKING:
    from semiaudit.privacy.loss.closed_forms.single_pair import SinglePair
    from semiaudit.privacy.loss.sources.loss_source import Source


_CONTEXT = Context(prec=DIGITS)
_ROUNDS = 120
"""The most evaluations for one root; about 12 to 24 are typical. No bound depends on it."""
_CLOSE = Decimal("1e-44")
"""A root with this relative error is precise enough: the tails there are enclosed to 40 digits."""
_DOUBLINGS = 400
"""Doublings from 1 that exceed every threshold of a double."""
_WIDENINGS = 8
"""Enclosures of a threshold that are tried, each a thousand times as wide as the previous one."""


@dataclass(frozen=True)
class StepDirection:
    """P, the law of N(J / sigma, 1), against Q, that of N(-K / sigma, 1).

    Attributes:
        own, other: of J ~ Bin(own, rate) and of K ~ Bin(other, rate).
    """

    sigma_squared: Fraction
    rate: Fraction
    own: int
    other: int

    def masses_above(self, t: Decimal) -> tuple[Interval, Interval]:
        """Return the masses under P and Q of the outcomes above t."""
        at = Interval.of(t)
        first = (mass * upper_tail(at - move) for mass, move in self._law(self.own))
        second = (mass * upper_tail(at + move) for mass, move in self._law(self.other))
        return _sum(first), _sum(second)

    def log_ratio(self, t: Decimal) -> Interval:
        """Return the loss at t, which increases: ln of the ratio of the densities of P and Q."""
        at = Interval.of(t)
        first, second = (
            _sum(mass * (move * y - move * move * HALF).exp() for mass, move in self._law(records))
            for records, y in ((self.own, at), (self.other, -at))
        )
        return first.ln() - second.ln()

    def delta(self, epsilon: Fraction) -> Interval | None:
        """Return the maximum of P(t) - e^epsilon Q(t), enclosed; None if no threshold is certified.

        The difference increases with t while the loss is below epsilon, and decreases after.
        """
        wanted = Interval.of(epsilon)
        if self._exceeds_all(wanted):
            return ZERO
        root = _root(lambda t: _middle(self.log_ratio(t) - wanted))
        enclosed = None if root is None else self._enclosed(root, wanted)
        if enclosed is None:
            return None
        growth = wanted.exp()
        first, second = self.masses_above(enclosed[0])
        _, beyond = self.masses_above(enclosed[1])
        return Interval((first - growth * second).low, (first - growth * beyond).high).clip(0, 1)

    def epsilon(self, delta: Fraction) -> Ends | None:
        """Return epsilon at a delta above 0 that does not hold at epsilon 0.

        A double is an upper bound if delta is certified to hold there, a lower bound if delta is
        certified to fail.
        """
        target = Interval.of(delta)
        point = _root(lambda t: _middle(target.ln() - self._delta_of(t)))
        if point is None:
            return None
        root = self.log_ratio(point)
        ends = [float_up(root.high), max(float_down(root.low), 0.0)]
        for place, side in enumerate((1, -1)):
            step = 1
            while 0 < ends[place] <= LARGEST_LOSS:
                value = self.delta(Fraction(ends[place]))
                if value is None:
                    return None
                if value.high <= target.low if side > 0 else value.low >= target.high:
                    break
                ends[place] = max(ends[place] + side * step * math.ulp(ends[place]), 0.0)
                step *= 2
        return (ends[1], ends[0]) if ends[0] <= LARGEST_LOSS else None

    def threshold(self, type_i: Fraction) -> Decimal | None:
        """Estimate the t above which Q has the mass ``type_i``."""
        log_mass = Interval.of(type_i).ln()
        return _root(lambda t: _middle(log_mass - self.masses_above(t)[1].ln()))

    def neutral(self) -> Decimal | None:
        """Estimate the t at which the loss is 0."""
        return _root(lambda t: _middle(self.log_ratio(t)))

    def _delta_of(self, t: Decimal) -> Interval:
        """Return ln of P(t) - e^loss Q(t), the delta at the loss of t; it decreases with t."""
        first, second = self.masses_above(t)
        delta = first - self.log_ratio(t).exp() * second
        return delta.ln() if delta.low > 0 else -Interval.of(10**15)

    def _exceeds_all(self, wanted: Interval) -> bool:
        """Return whether no loss is as large: without records of its own, P is N(0, 1)."""
        return not self.own and wanted.low >= (-self._law(self.other)[0][0].ln()).high

    def _enclosed(self, root: Decimal, wanted: Interval) -> tuple[Decimal, Decimal] | None:
        """Return thresholds at which the loss is certified to be below, and above, a value."""
        width = max(abs(root), Decimal(1)) * _CLOSE
        for _ in range(_WIDENINGS):
            low, high = _CONTEXT.subtract(root, width), _CONTEXT.add(root, width)
            if self.log_ratio(low).high <= wanted.low and wanted.high <= self.log_ratio(high).low:
                return low, high
            width *= 1000
        return None

    def _law(self, records: int) -> tuple[tuple[Interval, Interval], ...]:
        return _law(self.sigma_squared, self.rate, records)


@dataclass(frozen=True)
class SingleStep:
    """The numbers of one step, on the worst of several sides.

    Attributes:
        counts: (own, other) of every side; with (a, b) also (b, a) is one.
    """

    sigma_squared: Fraction
    rate: Fraction
    counts: tuple[tuple[int, int], ...]

    def delta(self, epsilon: Fraction) -> Ends | None:
        """See ``SinglePair``."""
        delta = self._delta(epsilon)
        return None if delta is None else probability(delta)

    def epsilon(self, delta: Fraction) -> Ends | None:
        """See ``SinglePair``."""
        if not delta:
            return math.inf, math.inf
        below = above = 0.0
        for side in self._sides:
            spent = side.delta(Fraction(above))
            if spent is None:
                return None
            if spent.high <= Interval.of(delta).low:
                continue
            ends = side.epsilon(delta)
            if ends is None:
                return None
            below, above = max(below, ends[0]), max(above, ends[1])
        return below, above

    def type_ii(self, type_i: Fraction) -> Interval | None:
        """See ``SinglePair``.

        The upper bound is the test of some side, or a chord of slope -1 between a test of one side
        and the mirrored test of another. The lower bound is the dual at their slopes.
        """
        if not type_i:
            return ONE
        advantage = self._delta(Fraction(0))
        tests = [self._test(side, type_i) for side in self._sides]
        known = [test for test in tests if test is not None]
        if advantage is None or len(known) < len(tests):
            return None
        upper, slope = min(known)
        upper = min(upper, self._chord(type_i))
        flat = ONE - advantage - Interval.of(type_i)
        delta = self._delta(abs(slope))
        if delta is None:
            return None
        growth, rest = Interval.of(slope).exp(), ONE - delta
        # At a slope below 1 in size, use the dual of the mirrored function: the errors are
        # exchanged.
        dual = (
            rest - growth * Interval.of(type_i)
            if slope > 0
            else growth * (rest - Interval.of(type_i))
        )
        lower = max(dual.low, flat.low, Decimal(0))
        return Interval(min(lower, upper), upper)

    @property
    def _sides(self) -> list[StepDirection]:
        """Return the directions, those with the most records of their own first: they lose most."""
        counts = sorted(self.counts, reverse=True)
        return [StepDirection(self.sigma_squared, self.rate, own, other) for own, other in counts]

    def _delta(self, epsilon: Fraction) -> Interval | None:
        if epsilon > LARGEST_LOSS:
            return None
        deltas = [side.delta(epsilon) for side in self._sides]
        known = [delta for delta in deltas if delta is not None]
        if len(known) < len(deltas):
            return None
        return Interval(max(delta.low for delta in known), max(delta.high for delta in known))

    def _test(self, side: StepDirection, type_i: Fraction) -> tuple[Decimal, Fraction] | None:
        """Return an upper bound on the type II error, and about the loss at the threshold."""
        t = side.threshold(type_i)
        if t is None:
            return None
        width = max(abs(t), Decimal(1)) * _CLOSE
        for _ in range(_WIDENINGS):
            first, second = side.masses_above(_CONTEXT.add(t, width))
            if second.high <= Interval.of(type_i).low:
                return (ONE - first).high, Fraction(_middle(side.log_ratio(t)))
            width *= 1000
        return None

    def _chord(self, type_i: Fraction) -> Decimal:
        """Return an upper bound on the type II error from chords of slope -1.

        Each chord joins the test of a side at a loss of 0, (Q(t), 1 - P(t)), to its mirrored test.
        """
        best, x = Decimal(1), Interval.of(type_i)
        for side in self._sides:
            t = side.neutral()
            if t is not None:
                first, second = side.masses_above(t)
                if second.high <= x.low and x.high <= (ONE - first).low:
                    best = min(best, (ONE - first + second - x).high)
        return best


def _root(rising: Callable[[Decimal], Decimal]) -> Decimal | None:
    """Estimate the root of an increasing function of a threshold; None if none is found.

    Doubled steps from 0 give a bracket; then false position follows, where the value of an end that
    stays twice is halved.
    """
    deadline.check(deadline.GRACE)
    at_zero = rising(Decimal(0))
    if not at_zero:
        return Decimal(0)
    side = Decimal(-1 if at_zero > 0 else 1)
    near, far = (Decimal(0), at_zero), (side, rising(side))
    for _ in range(_DOUBLINGS):
        if far[1] * side >= 0:
            break
        near, far = far, (2 * far[0], rising(2 * far[0]))
    else:
        return None
    low, high = (near, far) if side > 0 else (far, near)
    point, last = far[0], 0
    for _ in range(_ROUNDS):
        span, rise = _CONTEXT.subtract(high[0], low[0]), _CONTEXT.subtract(high[1], low[1])
        if not rise or span <= _CLOSE * max(abs(low[0]), abs(high[0]), Decimal(1)):
            break
        share = _CONTEXT.divide(_CONTEXT.multiply(span, low[1]), rise)
        point = _CONTEXT.subtract(low[0], share)
        value = rising(point)
        if not value or not low[0] < point < high[0]:
            break
        if value < 0:
            low, high = (point, value), (high[0], high[1] / 2 if last < 0 else high[1])
        else:
            low, high = (low[0], low[1] / 2 if last > 0 else low[1]), (point, value)
        last = -1 if value < 0 else 1
    return point


def _middle(interval: Interval) -> Decimal:
    return _CONTEXT.divide(_CONTEXT.add(interval.low, interval.high), Decimal(2))


def _sum(terms: Iterable[Interval]) -> Interval:
    total = ZERO
    for term in terms:
        total = total + term
    return total


@lru_cache(maxsize=256)
def _law(
    sigma_squared: Fraction, rate: Fraction, records: int
) -> tuple[tuple[Interval, Interval], ...]:
    """Return Bin(records, rate)(j) and j / sigma."""
    spacing = Interval.of(1 / sigma_squared).sqrt()
    return tuple(
        (
            Interval.of(math.comb(records, j) * rate**j * (1 - rate) ** (records - j)),
            Interval.of(j) * spacing,
        )
        for j in range(records + 1)
    )


def subsampled_gaussian(pair: SubsampledGaussianLoss) -> PairKind:
    """Define the kind: two mixtures; see docs/theory/amplification.md, *Sampled Gaussian noise*.

    No mu is fitted, because none smaller than without sampling is known. Its rho is that of the
    noise without sampling.
    """
    counts = _counts(pair)

    def source(side: int) -> Source:
        from semiaudit.privacy.loss.pairs.subsampled_gaussian_source import SubsampledGaussianSource

        return SubsampledGaussianSource(pair.sigma_squared, pair.rate, *counts[side % len(counts)])

    def closed_form() -> SinglePair:
        return SingleStep(pair.sigma_squared, pair.rate, counts)

    own, other = counts[0]
    unsampled = (own + other) ** 2 / pair.sigma_squared
    return PairKind(
        symmetric=pair.replaced,
        gaussian_size=unsampled,
        listable=True,
        mu_fitted=False,
        family=Family((pair,), "alone"),
        size=Fraction(1),
        rho=lambda: unsampled / 2,
        simplified=GaussianLoss(unsampled) if pair.rate == 1 else pair if pair.rate else None,
        moved_further=unknown_steps,
        closed_form=closed_form,
        source=source,
        sides=0 if pair.replaced else len(counts),
    )


def _counts(pair: SubsampledGaussianLoss) -> tuple[tuple[int, int], ...]:
    """Return (records only in the first dataset, records only in the second) for every side."""
    if pair.replaced:
        return ((pair.records, pair.records),)
    return tuple((own, pair.records - own) for own in range(pair.records + 1))
