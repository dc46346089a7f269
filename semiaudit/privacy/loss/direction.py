"""One direction (P, Q) of a product of pairs: its sources, and the choice of its tilt."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction

from semiaudit import deadline
from semiaudit.errors import RefusedError
from semiaudit.frozen import dataclass
from semiaudit.model.loss import GaussianLoss
from semiaudit.privacy.loss.laws.rounding import pruned, variance_to_neighbours
from semiaudit.privacy.loss.laws.window import WINDOW_NATS
from semiaudit.privacy.loss.normal_form import NormalForm
from semiaudit.privacy.loss.pairs.pair_kinds import kind_of
from semiaudit.privacy.loss.sources.loss_source import LEAST, UNIT, Source

Cumulants = tuple[float, float, float]
"""(ln E exp(tilt L), its first derivative, its second) for the losses L; estimates, not bounds."""

_CLOSE = 1e-3
"""A tilt is precise enough when this part of the way from tilt 0 is left. No bound depends on it,
and a more precise tilt does not narrow a bracket."""

_MOST_SECANTS = 40
"""The most evaluations for one tilt; about twelve are typical."""

_CALMER = (0.95, 0.9, 0.8, 0.7, 0.6)
"""Parts of a tilt that are tried if the law reaches far."""

_FAR_OUT = 3.0
"""The multiple of a normal distribution's reach beyond which a point is far out."""

_MANY = 64
"""If a sum has at least this many equal parts, it usually needs few frequencies."""

_SPEEDS = 12
"""Exponents that are tried for the reach of the law, each half of the previous one."""

_STILL = 1e-20
"""A variance below this part of the squared mean is rounding: the loss has one value."""

_FIRST_TILT, _FIRST_SHARE = 0.01, 0.1
"""The first tilt that is tried, or this share of 1 / (standard deviation) if that is less."""

_FURTHEST = 1e4
"""The most squared standard deviations by which a tilt moves the mean: no delta of a double is so
rare."""

_EXHAUSTED = 1e-3
"""If the variance falls to this part, the tilted loss is close to its largest value."""

_LEAST_DELTA = 1e-320
"""Replaces a target of 0, which has no logarithm."""

_REPRESENTATIVES = 128
"""The most sources whose cumulants are computed: enough for a tilt, a step and a window."""

_LEAST_SPREAD = 1e-300
"""Replaces a variance of 0, to avoid a division by 0."""

_MOST_LOGARITHM = Fraction(1000)
"""1 - exp(-1000) is 1 to all digits: a larger logarithm need not become a double."""

_RARE = Fraction(1, 10**200)
"""A mass this small is multiplied by its repeats before it becomes a double."""


@dataclass(frozen=True, slots=True)
class Direction:
    """The sources of one direction of a product.

    Attributes:
        parts: each source with how often it occurs; empty if no finite loss is possible, or nothing
            is lost.
        infinite: lower and upper bound on the mass under P where Q has none, in [0, 1].
        finite: whether a finite loss is possible at all.
        standing_for_all: some of very many sources, with the number of sources that each
            represents.
    """

    parts: tuple[tuple[Source, int], ...]
    infinite: tuple[float, float]
    finite: bool = True
    standing_for_all: tuple[tuple[Source, float], ...] = ()

    @property
    def offset(self) -> Fraction:
        """Return the loss of the sum if all positions are 0."""
        return sum((repeat * source.offset for source, repeat in self.parts), Fraction(0))

    @property
    def largest(self) -> Fraction | None:
        """Return an upper bound on all finite losses, if there is one."""
        total = Fraction(0)
        for source, repeat in self.parts:
            if source.largest is None:
                return None
            total += repeat * source.largest
        return total

    @property
    def lattice_step(self) -> Fraction | None:
        """Return the step of the lattice that carries all composed losses, or None."""
        step = Fraction(0)
        for source, _ in self.parts:
            source_step = source.lattice_step
            if source_step is None:
                return None
            step = _common(step, source_step)
        return step or Fraction(1)

    def anchored(self, step: float) -> float:
        """Return a step, at most this one, that puts the most common source's atoms on the grid."""
        anchors = [
            (repeat, float(source.anchor))
            for source, repeat in self.parts
            if source.anchor is not None
        ]
        longer = [(repeat, anchor) for repeat, anchor in anchors if anchor >= step]
        if not longer:
            return step
        _, anchor = max(longer)
        return anchor / math.ceil(anchor / step * (1 - 8 * UNIT))

    def variance_added(self, step: float, tilt: float) -> float:
        """Estimate how much connecting the dots raises the variance of the tilted sum."""
        total = 0.0
        for source, number in self.representatives:
            deadline.check()
            atoms = pruned(source.atoms(step, tilt), step, tilt)
            total += number * variance_to_neighbours(atoms, step, tilt)
        return total

    @property
    def representatives(self) -> Sequence[tuple[Source, float]]:
        """Return the sources with their numbers of repetitions, or a few that represent them.

        For estimates only: no bound uses them.
        """
        return self.standing_for_all or self.parts

    def cumulants(self, tilt: float) -> Cumulants:
        """Estimate ln E exp(tilt L) over finite losses and its derivatives; not a bound."""
        total, mean, spread = 0.0, 0.0, 0.0
        deadline.check()
        for source, repeat in self.representatives:
            of_source = source.cumulants(tilt)
            total += repeat * of_source[0]
            mean += repeat * of_source[1]
            spread += repeat * of_source[2]
        return total, mean, max(spread, _LEAST_SPREAD)

    def spreads(self, tilt: float) -> tuple[float, float]:
        """Estimate the standard deviations of the sum and of the widest single part."""
        variances = [(source.cumulants(tilt)[2], repeat) for source, repeat in self.representatives]
        total = math.fsum(repeat * variance for variance, repeat in variances)
        widest = max(variance for variance, _ in variances)
        return math.sqrt(max(total, _LEAST_SPREAD)), math.sqrt(max(widest, 0.0))

    def tilt_for_epsilon(self, epsilon: float) -> float:
        """Return a tilt that centers the losses at epsilon (0 if they are larger already)."""
        return self._solved(lambda tilt, cumulants: cumulants[1] - epsilon)

    def tilt_for_delta(self, delta: float) -> float:
        """Return a tilt that centers the losses about where delta(epsilon) is the given delta."""
        target = math.log(max(delta - self.infinite[0], _LEAST_DELTA))

        def excess(tilt: float, cumulants: Cumulants) -> float:
            total, mean, spread = cumulants
            sharp = 1 + tilt * (tilt + 1) * math.sqrt(2 * math.pi * spread)
            return target - (total - tilt * mean - math.log(sharp))

        return self._solved(excess)

    def tilt_for_type_i(self, type_i: float) -> float:
        """Return a tilt that centers the losses about the threshold of a test with this error.

        The test rejects Q above the threshold. The tilt uses Q's tail, or P's for a mirrored test
        with a large type I error.
        """
        above_half = type_i > 0.5
        target = math.log(max(1 - type_i if above_half else type_i, _LEAST_DELTA))

        def excess(tilt: float, cumulants: Cumulants) -> float:
            total, mean, spread = cumulants
            slope = tilt if above_half else tilt + 1
            sharp = 1 + slope * math.sqrt(2 * math.pi * spread)
            return target - (total - slope * mean - math.log(sharp))

        return self._solved(excess)

    def _solved(self, rising: Callable[[float, Cumulants], float]) -> float:
        """Estimate the root of a function of the tilt; stop where hardly any spread is left."""
        cumulants = self.cumulants(0.0)
        low, below = 0.0, rising(0.0, cumulants)
        close = -_CLOSE * below
        _, mean, spread = cumulants
        if below >= 0 or spread <= _STILL * mean * mean:
            return 0.0
        # A loss that hardly ever moves has a spread that does not show where tilts matter.
        high = min(_FIRST_SHARE / math.sqrt(spread), _FIRST_TILT)
        above = rising(high, self.cumulants(high))
        while above < 0 and high * high * spread <= _FURTHEST:
            cumulants = self.cumulants(2 * high)
            if cumulants[2] <= _EXHAUSTED * spread:
                break
            low, below, high, above = high, above, 2 * high, rising(2 * high, cumulants)
        if above <= 0:
            return high
        return self._calmer(self._between(rising, (low, below), (high, above), close))

    def _calmer(self, tilt: float) -> float:
        """Return the tilt, or a smaller one that is nearly as good and whose law reaches less far.

        Rare losses far out, as for sampled noise, dominate at some tilt, and a window must contain
        them long before that. The bulk of the losses decides, as long as it has most of the weight.
        """
        log_moment, mean, _ = self.cumulants(tilt)
        best = tilt
        # If a moment this far out is not a double, keep the tilt.
        with suppress(RefusedError):
            furthest, normal = self._reach(tilt, tilt)
            if furthest <= _FAR_OUT * normal:
                return tilt
            # The error of a grid is about the square of its step, and the step grows with the
            # length of the window. If few frequencies are summed, a window can be long.
            power = 1 if sum(repeat for _, repeat in self.parts) >= _MANY else 2
            least = power * math.log(furthest)
            for share in _CALMER:
                other = share * tilt
                # The nats by which the tilted weight at the mean decreases.
                behind = (self.cumulants(other)[0] - other * mean) - (log_moment - tilt * mean)
                cost = power * math.log(self._reach(other, tilt)[0]) + max(behind, 0.0)
                if cost < least:
                    best, least = other, cost
        return best

    def _reach(self, tilt: float, fastest: float) -> tuple[float, float]:
        """Estimate how far the tilted law reaches above its mean, as windows measure it.

        Args:
            fastest: the largest exponent of Chernoff's bound for which a moment is computed.

        Returns:
            The reach, and the reach of a normal law with the same spread.
        """
        log_moment, mean, spread = self.cumulants(tilt)
        speed = min(math.sqrt(2 * WINDOW_NATS / spread), fastest)
        normal = speed * spread / 2 + WINDOW_NATS / speed
        best = math.inf
        for _ in range(_SPEEDS):
            moved = self.cumulants(tilt + speed)[0] - log_moment
            end = (moved + WINDOW_NATS) / speed - mean
            if end > best:
                break
            best = end if math.isfinite(end) else best
            speed /= 2
        return max(best, math.sqrt(spread)), normal

    def _between(
        self,
        rising: Callable[[float, Cumulants], float],
        low: tuple[float, float],
        high: tuple[float, float],
        close: float,
    ) -> float:
        tilt = high[0]
        for _ in range(_MOST_SECANTS):
            tilt = high[0] - high[1] * (high[0] - low[0]) / (high[1] - low[1])
            value = rising(tilt, self.cumulants(tilt))
            if abs(value) <= close:
                break
            # The value of an end that stays is halved, so that the next secant passes the root.
            if value < 0:
                low, high = (tilt, value), (high[0], high[1] / 2)
            else:
                low, high = (low[0], low[1] / 2), (tilt, value)
        return tilt


def direction_of(form: NormalForm, side: int) -> Direction:
    """Return the sources of (P, Q) on side 0, of (Q, P) on the last side."""
    pairs = list(form.parts)
    if form.gaussian:
        pairs.append((GaussianLoss(form.gaussian), 1))
    parts: list[tuple[Source, int]] = []
    finite, log_finite, least = True, 0.0, 0.0
    for pair, repeat in pairs:
        source = kind_of(pair, "a direction of a product").source(side)
        if source is None:
            finite = False
            continue
        parts.append((source, repeat))
        if source.infinite:
            log_finite += _log_complement(source.infinite, repeat)
            least = 2 * LEAST
    if not finite:
        return Direction((), (1.0, 1.0), False)
    infinite = abs(math.expm1(log_finite))
    error = 32 * UNIT * len(parts)
    # No double below the smallest one is a bound on a nonzero number.
    ends = (max(infinite * (1 - error) - least, 0.0), min(infinite * (1 + error) + least, 1.0))
    many = len(parts) > _REPRESENTATIVES
    return Direction(tuple(parts), ends, True, _representatives(parts) if many else ())


def _representatives(parts: Sequence[tuple[Source, int]]) -> tuple[tuple[Source, float], ...]:
    ranked = sorted(parts, key=lambda part: -part[0].cumulants(0.0)[2])
    half = _REPRESENTATIVES // 2
    stride = -(-(len(ranked) - half) // half)
    runs = [ranked[place : place + stride] for place in range(half, len(ranked), stride)]
    others = ((run[len(run) // 2][0], float(sum(repeat for _, repeat in run))) for run in runs)
    return (*ranked[:half], *others)


def _common(first: Fraction, second: Fraction) -> Fraction:
    return Fraction(
        math.gcd(first.numerator * second.denominator, second.numerator * first.denominator),
        first.denominator * second.denominator,
    )


def _log_complement(mass: Fraction, repeat: int) -> float:
    """Return repeat ln(1 - mass), within a few units in the last place."""
    if mass < _RARE:
        return -float(min(repeat * mass, _MOST_LOGARITHM))
    if mass < Fraction(1, 2):
        return repeat * math.log1p(-float(mass))
    return repeat * math.log(float(1 - mass))
