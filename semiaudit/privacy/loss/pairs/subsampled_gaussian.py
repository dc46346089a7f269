"""The pair of one step of Poisson-subsampled Gaussian noise: closed form and list of losses.

Records of either dataset can be sampled. The closed form is a sum of normal tails. The likelihood
ratio rises with the outcome, so that the most powerful tests reject above a threshold t: with P(t)
and Q(t) the masses above it, delta(epsilon) is P(t) - e^epsilon Q(t) where the ratio is e^epsilon,
and the tradeoff function joins the points (Q(t), 1 - P(t)).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.model.loss import GaussianLoss, SubsampledGaussianLoss
from semiaudit.numeric.intervals import DIGITS, HALF, ONE, ZERO, Interval
from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.loss.pairs.pair_kind import (
    LARGEST_LOSS,
    Ends,
    Family,
    PairKind,
    probability,
    unknown_steps,
)
from semiaudit.privacy.loss.sources.loss_source import (
    OMITTED_NATS,
    UNIT,
    Atoms,
    ContinuousNoise,
    Floats,
    TooLong,
    cumulants_of,
    log_ratio,
)
from semiaudit.privacy.loss.sources.normal_cells import (
    NORMAL_REACH,
    cell_error,
    log_average,
    log_normal_cells,
    middles,
)
from semiaudit.privacy.special.normal import upper_tail

if TYPE_CHECKING:
    from semiaudit.privacy.loss.pairs.pair_kind import SinglePair
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
        level = Interval.of(epsilon)
        if self._exceeds_all(level):
            return ZERO
        root = _root(lambda t: _middle(self.log_ratio(t) - level))
        enclosed = None if root is None else self._enclosed(root, level)
        if enclosed is None:
            return None
        growth = level.exp()
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

    def _exceeds_all(self, level: Interval) -> bool:
        """Return whether no loss is as large: without records of its own, P is N(0, 1)."""
        return not self.own and level.low >= (-self._law(self.other)[0][0].ln()).high

    def _enclosed(self, root: Decimal, level: Interval) -> tuple[Decimal, Decimal] | None:
        """Return thresholds at which the loss is certified to be below, and above, a value."""
        width = max(abs(root), Decimal(1)) * _CLOSE
        for _ in range(_WIDENINGS):
            low, high = _CONTEXT.subtract(root, width), _CONTEXT.add(root, width)
            if self.log_ratio(low).high <= level.low and level.high <= self.log_ratio(high).low:
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
            delta_above = side.delta(Fraction(above))
            if delta_above is None:
                return None
            if delta_above.high <= Interval.of(delta).low:
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
        known_tests = [test for test in tests if test is not None]
        if advantage is None or len(known_tests) < len(tests):
            return None
        upper, slope = min(known_tests)
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


_NEAR = 0.5
"""Logarithms of a ratio below this are computed from the excess of the ratio over 1."""


@dataclass(frozen=True, slots=True)
class SampledMixture:
    """N(spacing J, 1) over N(0, 1), with J ~ Bin(records, rate).

    At y the ratio is the mean of exp(J spacing y - (J spacing)^2 / 2). Its logarithm is convex and
    increases with y, with a slope of the spacing times the mean of J at y, at most that of
    ``records``.
    """

    records: int
    rate: Fraction
    spacing: float

    @property
    def reach(self) -> float:
        """Return the shift of the law if all records are sampled."""
        return self.records * self.spacing

    @property
    def log_rest(self) -> float:
        """Return ln of the probability that no record is sampled, a lower bound on every ratio."""
        return _weights(self.records, self.rate)[0][1]

    def at(self, y: Floats) -> tuple[Floats, Floats]:
        """Return the logarithm of the ratio, and its slope."""
        return self._mixed([self._exponent(j, y) for j in range(1, self.records + 1)])

    def of_cells(self, middle: Floats, half: Floats, side: int) -> Floats:
        """Return ln of the ratio of the masses of [middle - half, middle + half], y = side * z."""

        import numpy as np

        if not self.records:
            return np.zeros_like(middle)
        plain = log_average(middle, half)
        moves = [side * j * self.spacing for j in range(1, self.records + 1)]
        ratios = [
            self._exponent(j, side * middle) + log_average(middle - move, half) - plain
            for j, move in enumerate(moves, 1)
        ]
        return self._mixed(ratios)[0]

    def _exponent(self, j: int, y: Floats) -> Floats:
        move = j * self.spacing
        return y * move - move * move / 2

    def _mixed(self, ratios: Sequence[Floats]) -> tuple[Floats, Floats]:
        """Return ln of the mean of exp(ratio of J), in a form without cancellation, and its slope.

        For a large ratio, the excess is nearly its exponential; for a small one, ``expm1`` is used.
        """

        import numpy as np

        deadline.check()
        if not ratios:
            raise ValueError("there is no record that may be sampled")
        weights = _weights(self.records, self.rate)
        rows = [
            log_weight + ratio for (_, log_weight), ratio in zip(weights[1:], ratios, strict=True)
        ]
        none = weights[0][1]
        top = np.maximum(np.maximum.reduce(rows), none)
        shares = [np.exp(row - top) for row in rows]
        total = np.exp(none - top) + sum(shares)
        excess = np.zeros_like(top)
        for (weight, _), row, ratio in zip(weights[1:], rows, ratios, strict=True):
            small = weight * np.expm1(np.minimum(ratio, 1.0))
            excess += np.where(ratio < 1, small, np.exp(np.minimum(row, 1.0)) - weight)
        log_total = top + np.log(total)
        near = np.abs(log_total) < _NEAR
        mixed = np.where(near, np.log1p(np.where(near, excess, 0.0)), log_total)
        mean = sum(j * share for j, share in enumerate(shares, 1)) / total
        return mixed, self.spacing * mean


@lru_cache(maxsize=64)
def _weights(records: int, rate: Fraction) -> tuple[tuple[float, float], ...]:
    """Return Bin(records, rate)(j) and its logarithm, each within some units in the last place."""
    weights = []
    for j in range(records + 1):
        mass = math.comb(records, j) * rate**j * (1 - rate) ** (records - j)
        weights.append((float(mass), log_ratio(mass, Fraction(1))))
    return tuple(weights)


MOST_CELLS = 1 << 22
"""The most cells of one list: the number of points of the longest window."""
FURTHEST = 2.0**50
"""Points further out are not exact integers in doubles after they are added up."""
_SURVEY = 2000
"""Cells for the estimate of the mass beyond a loss."""
_CUMULANT_CELLS, _PER_UNIT = 800, 20
"""Cells for cumulants, which are estimates: the minimum, and the number for each standard
deviation."""
_WIDTHS = 4
"""Widths of the range of cumulants for each power of two: close tilts share their cells."""
_THIN = 0.005
"""If the mass beyond is less than this, the points of the grid are further apart."""
_LEAST_MASS = 1e-30
"""Replaces a smaller mass beyond a loss, so that points are not spread further for it."""
_CELL = 0.4
"""Width of a cell over its distance from 0: below the 1/2 that ``log_average`` needs."""
_APART = 1e-13
"""Edges closer than this are one edge; the error of losses includes it."""
_SHORT = 0.25
"""Within a cell, the tilted and the untilted weight change by a factor of less than exp of this."""
_NEWTON = 5
"""Newton steps from a cell of the survey to the place where a loss is a point of the grid; the
remaining distance counts as an error of losses."""
_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class SubsampledGaussianSource(ContinuousNoise):
    """The law P of N(J / sigma, 1) against the law Q of N(-K / sigma, 1).

    J ~ Bin(own, rate) records are sampled of those that only the first dataset has, K ~ Bin(other,
    rate) of those that only the second has. With ``_own`` and ``_other`` the log ratios to N(0, 1),
    the loss at z is own(z) - other(-z), which rises with z.
    """

    sigma_squared: Fraction
    rate: Fraction
    own: int
    other: int

    @property
    def offset(self) -> Fraction:
        """Return 0."""
        return Fraction(0)

    @property
    def largest(self) -> Fraction | None:
        """Return None (unbounded), unless P is N(0, 1): then -ln of Q's mass there, rounded up."""
        return None if self.own else Fraction(-self._other.log_rest * (1 + 1e-14))

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """See :class:`Source`."""
        low, high = self.reach(tilt)
        wider = 2.0 ** (math.ceil(math.log2(high - low) * _WIDTHS) / _WIDTHS)
        losses, log_mass = shared_cells(self, low, low + wider)
        return cumulants_of(losses, log_mass, tilt)

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`."""
        return self.atoms_between(step, tilt, *self.reach(tilt))

    def atoms_between(self, step: float, tilt: float, low: float, high: float) -> Atoms:
        """Return the atoms of the z in [low, high], and the omitted tails of all z.

        Cells are wider where the tilted law has hardly any mass.
        """

        import numpy as np

        points, z, missed = self._grid(step, tilt, low, high)
        reach = self._own.reach + self._other.reach
        finest = _CELL / (max(high, -low) + reach + 5)
        count = math.ceil((high - low) / finest)
        edges = np.union1d(np.linspace(low, high, count + 1), z)
        edges = edges[np.append(np.diff(edges) > _APART, True)]
        edges[0] = low
        log_mass, losses = self.cells(edges)
        place = np.searchsorted(z, (edges[1:] + edges[:-1]) / 2)
        # Each cell has the error of its own place: most of the weight is near 0.
        size = np.maximum(np.abs(edges[1:]), np.abs(edges[:-1]))
        error = self._error(size)
        return Atoms(
            losses / step,
            log_mass,
            cell_error(size + reach) + error,
            float(error.max()) + missed + _APART * reach,
            self._log_omitted(tilt, *self.reach(tilt)),
            (points[place], points[place + 1]),
        )

    @property
    def _own(self) -> SampledMixture:
        return SampledMixture(self.own, self.rate, 1 / math.sqrt(self.sigma_squared))

    @property
    def _other(self) -> SampledMixture:
        return SampledMixture(self.other, self.rate, 1 / math.sqrt(self.sigma_squared))

    def _error(self, size: Floats) -> Floats:
        """Bound the rounding of losses at most ``size`` from 0: see docs/theory/losses.md."""
        records = self.own + self.other
        reach = self._own.reach + self._other.reach
        rest = abs(self._own.log_rest + self._other.log_rest) if self.rate > _HALF else 0.0
        error: Floats = UNIT * (64 * records + 32 * reach * (size + reach) + 16 * rest)
        return error

    def _grid(
        self, step: float, tilt: float, low: float, high: float
    ) -> tuple[Floats, Floats, float]:
        """Points of the grid, the z in (low, high) at which the loss is one of the inner, and by
        how much it misses them at most.

        The first point is not above the loss at ``low``, the last one not below that at ``high``.
        Where the tilted law beyond has the mass m, the points are about sqrt(_THIN / m) steps
        apart, but not so far that the tilt matters between them. What this adds to the variance is
        a small part of what a step adds everywhere.
        """

        import numpy as np

        edges = np.linspace(low, high, _SURVEY + 1)
        loss = self._loss(edges)[0]
        if not float(loss[-1] - loss[0]) < FURTHEST * step:
            raise TooLong(float(loss[-1] - loss[0]) / step)
        log_mass, losses = self.cells(edges)
        weight = np.exp(log_mass + tilt * losses - float((log_mass + tilt * losses).max()))
        weight /= weight.sum()
        beyond = np.minimum(np.cumsum(weight), np.cumsum(weight[::-1])[::-1])
        power = np.floor(0.5 * np.log2(_THIN / np.maximum(beyond, _LEAST_MASS)))
        widest = max(math.floor(math.log2(_SHORT / ((tilt + 1) * step))), 0)
        spacing = 2.0 ** np.clip(power, 0, widest)
        number = float((np.diff(loss) / (step * spacing)).sum())
        if number > MOST_CELLS:
            raise TooLong(number)
        turns = np.flatnonzero(np.diff(spacing)) + 1
        runs = []
        for first, last in pairwise([0, *turns.tolist(), _SURVEY]):
            wide = float(spacing[first])
            begin, end = math.ceil(loss[first] / (step * wide)), loss[last] / (step * wide)
            runs.append(wide * np.arange(begin, math.ceil(end), dtype=np.float64))
        inner = np.unique(np.concatenate(runs))
        z = np.maximum.accumulate(self._places(inner * step, edges, loss))
        inside = (z > low) & (z < high)
        inner, z = inner[inside], z[inside]
        missed = float(np.abs(self._loss(z)[0] - inner * step).max(initial=0.0))
        first, last = math.floor(loss[0] / step), math.ceil(loss[-1] / step)
        if len(inner):
            first, last = min(first, inner[0] - 1), max(last, inner[-1] + 1)
        points = np.concatenate(([first], inner, [max(last, first + 1)]))
        return points, z, missed

    def _places(self, level: Floats, edges: Floats, loss: Floats) -> Floats:
        import numpy as np

        z: Floats = np.interp(level, loss, edges)
        cell = np.clip(np.searchsorted(loss, level), 1, len(edges) - 1)
        for _ in range(_NEWTON):
            value, slope = self._loss(z)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                next_z = z - (value - level) / slope
            z = np.clip(np.where(np.isfinite(next_z), next_z, z), edges[cell - 1], edges[cell])
        return z

    def _loss(self, z: Floats) -> tuple[Floats, Floats]:
        import numpy as np

        value, slope = np.zeros_like(z), np.zeros_like(z)
        for mixture, side in ((self._own, 1), (self._other, -1)):
            if mixture.records:
                ratio, steepness = mixture.at(side * z)
                value, slope = value + side * ratio, slope + steepness
        return value, slope

    def cells(self, edges: Floats) -> tuple[Floats, Floats]:
        """Return ln of the masses under P of the cells between edges, and their losses."""
        middle, half = middles(edges)
        own = self._own.of_cells(middle, half, 1)
        log_mass = log_normal_cells(middle, half) + own
        return log_mass, own - self._other.of_cells(middle, half, -1)

    def at(self, z: float) -> tuple[float, float, float]:
        """Return the log ratios of P and of Q at z, and the slope at which that of Q decreases."""

        import numpy as np

        at = np.array([z])
        own = float(self._own.at(at)[0][0]) if self.own else 0.0
        if not self.other:
            return own, 0.0, 0.0
        other, slope = self._other.at(-at)
        return own, float(other[0]), float(slope[0]) * (1 + 1e-12)

    def reach(self, tilt: float) -> tuple[float, float]:
        """Return the range of z that contains all but about exp(-64) of the tilted law.

        The weight at z is the normal density times exp((tilt + 1) own(z) - tilt other(-z)). On the
        right it is at most that of a law centered at (tilt + 1) times the steepest slope of own(z),
        and tilt times the slope of -other(-z), which falls.
        """
        centre = (tilt + 1) * self._own.reach + tilt * _least_slope(self)
        return -NORMAL_REACH, centre * (1 + 1e-12) + NORMAL_REACH

    def _log_omitted(self, tilt: float, low: float, high: float) -> float:
        """Bound the tails in z, at either end exp(-64) of a normal mass.

        On the left, own(z) is at most its value at ``low``, and other(-z) at least. On the right
        own(z) is below the line through its value at ``high`` with the slope of all its records,
        and -other(-z), which is concave, below its tangent there. A line a + b z in the exponent
        moves the normal law to its center b: the integral is exp(a + b^2 / 2) times the normal mass
        beyond high - b, which is at least 11.3. Nowhere is other below ``log_rest``, which gives
        another bound in the place of the tangent.
        """
        tail, steep = -OMITTED_NATS, (tilt + 1) * self._own.reach
        own_low, other_low, _ = self.at(low)
        left_tail = tail + (tilt + 1) * min(own_low, 0.0) - tilt * min(other_low, 0.0)
        own, other, slope = self.at(high)
        begun = (tilt + 1) * own - steep * high
        center = steep + tilt * slope
        tangent = tail + begun - tilt * (other + slope * high) + center * center / 2
        flat = begun + steep * steep / 2 - (high - steep) ** 2 / 2 - tilt * self._other.log_rest
        size = 1 + center * center + (tilt + 1) * (abs(own) + abs(own_low) + steep * high)
        size += tilt * (abs(other) + abs(other_low) + slope * high + abs(self._other.log_rest))
        return max(left_tail, min(tangent, flat)) + math.log(2) + 1e-12 * size + 1e-6


@lru_cache(maxsize=4)
def shared_cells(
    source: SubsampledGaussianSource, low: float, high: float
) -> tuple[Floats, Floats]:
    """Return the losses and the logarithms of the masses of cells for cumulants."""

    import numpy as np

    count = max(_CUMULANT_CELLS + 1, math.ceil((high - low) * _PER_UNIT))
    log_mass, losses = source.cells(np.linspace(low, high, count))
    return losses, log_mass


@lru_cache(maxsize=64)
def _least_slope(source: SubsampledGaussianSource) -> float:
    """Return the slope at which the log ratio of Q decreases at the end of the normal law."""
    return source.at(NORMAL_REACH)[2]
