"""The privacy loss of one ordered pair of the Poisson-subsampled Gaussian, divided into cells.

The likelihood ratio of a Gaussian mixture over sampled records to the unshifted Gaussian.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np

from semiaudit import deadline
from semiaudit.frozen import dataclass
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
        whole = top + np.log(total)
        near = np.abs(whole) < _NEAR
        mixed = np.where(near, np.log1p(np.where(near, excess, 0.0)), whole)
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
        low, high = self._reach(tilt)
        wider = 2.0 ** (math.ceil(math.log2(high - low) * _WIDTHS) / _WIDTHS)
        losses, log_mass = _shared_cells(self, low, low + wider)
        return cumulants_of(losses, log_mass, tilt)

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`. Cells are wider where the tilted law has hardly any mass."""
        low, high = self._reach(tilt)
        points, z, missed = self._grid(step, tilt, low, high)
        reach = self._own.reach + self._other.reach
        finest = _CELL / (max(high, -low) + reach + 5)
        count = math.ceil((high - low) / finest)
        edges = np.union1d(np.linspace(low, high, count + 1), z)
        edges = edges[np.append(np.diff(edges) > _APART, True)]
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
            self._log_omitted(tilt, low, high),
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
        apart = 2.0 ** np.clip(power, 0, widest)
        number = float((np.diff(loss) / (step * apart)).sum())
        if number > MOST_CELLS:
            raise TooLong(number)
        turns = np.flatnonzero(np.diff(apart)) + 1
        runs = []
        for first, last in pairwise([0, *turns.tolist(), _SURVEY]):
            wide = float(apart[first])
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
        z: Floats = np.interp(level, loss, edges)
        cell = np.clip(np.searchsorted(loss, level), 1, len(edges) - 1)
        for _ in range(_NEWTON):
            value, slope = self._loss(z)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                moved = z - (value - level) / slope
            z = np.clip(np.where(np.isfinite(moved), moved, z), edges[cell - 1], edges[cell])
        return z

    def _loss(self, z: Floats) -> tuple[Floats, Floats]:
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
        at = np.array([z])
        own = float(self._own.at(at)[0][0]) if self.own else 0.0
        if not self.other:
            return own, 0.0, 0.0
        other, slope = self._other.at(-at)
        return own, float(other[0]), float(slope[0]) * (1 + 1e-12)

    def _reach(self, tilt: float) -> tuple[float, float]:
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
        left = tail + (tilt + 1) * min(own_low, 0.0) - tilt * min(other_low, 0.0)
        own, other, slope = self.at(high)
        begun = (tilt + 1) * own - steep * high
        moved = steep + tilt * slope
        tangent = tail + begun - tilt * (other + slope * high) + moved * moved / 2
        flat = begun + steep * steep / 2 - (high - steep) ** 2 / 2 - tilt * self._other.log_rest
        size = 1 + moved * moved + (tilt + 1) * (abs(own) + abs(own_low) + steep * high)
        size += tilt * (abs(other) + abs(other_low) + slope * high + abs(self._other.log_rest))
        return max(left, min(tangent, flat)) + math.log(2) + 1e-12 * size + 1e-6


@lru_cache(maxsize=4)
def _shared_cells(
    source: SubsampledGaussianSource, low: float, high: float
) -> tuple[Floats, Floats]:
    """Return the losses and the logarithms of the masses of cells for cumulants."""
    count = max(_CUMULANT_CELLS + 1, math.ceil((high - low) * _PER_UNIT))
    log_mass, losses = source.cells(np.linspace(low, high, count))
    return losses, log_mass


@lru_cache(maxsize=64)
def _least_slope(source: SubsampledGaussianSource) -> float:
    """Return the slope at which the log ratio of Q decreases at the end of the normal law."""
    return source.at(NORMAL_REACH)[2]
