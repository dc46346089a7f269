"""The privacy loss of the Poisson-subsampled Gaussian, in either direction, cut into cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from semiaudit.privacy.loss.sources.normal_cells import (
    NORMAL_REACH,
    cell_error,
    log_average,
    log_normal_cells,
    middles,
)
from semiaudit.privacy.loss.sources.source import (
    OMITTED_NATS,
    UNIT,
    Atoms,
    ContinuousNoise,
    Floats,
    TooLong,
    cumulants_of,
)

MOST_CELLS = 1 << 22
"""Cells of one list, as many as the longest window has points."""
FURTHEST = 2.0**50
"""Points further out would not be exact integers in doubles once they are added up."""
_SURVEY = 2000
"""Cells by which the mass beyond a loss is estimated."""
_CUMULANT_CELLS, _PER_UNIT = 800, 20
"""Cells for cumulants, which are estimates: at least, and to a standard deviation of the noise."""
_THIN = 0.005
"""Where less than this mass lies beyond, the points of the grid are taken further apart."""
_LEAST_MASS = 1e-30
"""Stands for a smaller mass beyond a loss: points no further apart for it."""
_LARGE = 30.0
"""From this log ratio on its logarithm is taken apart: exp(-30) of it is what 1 - rate adds."""
_HALF = Fraction(1, 2)
_CELL = 0.4
"""Width of a cell over its distance from 0: below the 1/2 that ``log_average`` needs."""
_APART = 1e-13
"""Edges closer than this are one edge; the error of losses counts it."""
_SHORT = 0.25
"""Within a cell the tilted and the untilted weight turn by less than exp of this."""


@dataclass(frozen=True, slots=True)
class SubsampledGaussianSource(ContinuousNoise):
    """N(0, 1) against (1 - rate) N(0, 1) + rate N(1/sigma, 1), or the same ``swapped``.

    With z standard normal the ratio of the mixture to N(0, 1) is 1 + rate (exp(r(z)) - 1), where
    r(z) = z / sigma - 1 / (2 sigma^2); the loss is its logarithm, with a minus sign if not swapped.
    """

    sigma_squared: Fraction
    rate: Fraction
    swapped: bool

    @property
    def offset(self) -> Fraction:
        """Zero."""
        return Fraction(0)

    @property
    def largest(self) -> Fraction | None:
        """-ln(1 - rate), rounded up, in one direction; unbounded in the other."""
        if self.swapped:
            return None
        return Fraction(-self._log_rest() * (1 + 1e-14))

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """See :class:`Source`."""
        low, high = self._reach(tilt)
        count = max(_CUMULANT_CELLS + 1, math.ceil((high - low) * _PER_UNIT))
        edges = np.linspace(low, high, count)
        log_mass, losses = self._cells(edges)
        return cumulants_of(losses, log_mass, tilt)

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`. Cells widen where the tilted law has hardly any mass."""
        inverse = 1 / math.sqrt(self.sigma_squared)
        low, high = self._reach(tilt)
        points, z = self._grid(step, tilt, low, high)
        finest = _CELL / (max(high, -low) + inverse + 5)
        count = math.ceil((high - low) / finest)
        edges = np.union1d(np.linspace(low, high, count + 1), z)
        edges = edges[np.append(np.diff(edges) > _APART, True)]
        log_mass, losses = self._cells(edges)
        place = np.searchsorted(z, (edges[1:] + edges[:-1]) / 2)
        below, above = points[place], points[place + 1]
        size = float(np.abs(edges).max())
        return Atoms(
            losses / step,
            log_mass,
            cell_error(size + inverse),
            UNIT * (64 + 32 * inverse * (size + inverse)) + _APART * inverse,
            self._log_omitted(tilt, low, high),
            (below, above) if self.swapped else (-above, -below),
        )

    def _grid(self, step: float, tilt: float, low: float, high: float) -> tuple[Floats, Floats]:
        """Points of the grid, and the z in (low, high) at which the log ratio is one of the inner.

        The first point is not above the ratio at ``low``, the last one not below that at ``high``.
        Where the tilted law beyond has the mass m, the points are about sqrt(_THIN / m) steps
        apart, but not so far that the tilt matters between them. What this adds to the variance is
        a small part of what a step adds everywhere.
        """
        edges = np.linspace(low, high, _SURVEY + 1)
        ratio = self._log_ratio(edges)
        if not float(ratio[-1] - ratio[0]) < FURTHEST * step:
            raise TooLong(float(ratio[-1] - ratio[0]) / step)
        log_mass, losses = self._cells(edges)
        weight = np.exp(log_mass + tilt * losses - float((log_mass + tilt * losses).max()))
        weight /= weight.sum()
        beyond = np.minimum(np.cumsum(weight), np.cumsum(weight[::-1])[::-1])
        power = np.floor(0.5 * np.log2(_THIN / np.maximum(beyond, _LEAST_MASS)))
        widest = max(math.floor(math.log2(_SHORT / ((tilt + 1) * step))), 0)
        apart = 2.0 ** np.clip(power, 0, widest)
        number = float((np.diff(ratio) / (step * apart)).sum())
        if number > MOST_CELLS:
            raise TooLong(number)
        turns = np.flatnonzero(np.diff(apart)) + 1
        runs = []
        for first, last in pairwise([0, *turns.tolist(), _SURVEY]):
            wide = float(apart[first])
            begin, end = math.ceil(ratio[first] / (step * wide)), ratio[last] / (step * wide)
            runs.append(wide * np.arange(begin, math.ceil(end), dtype=np.float64))
        inner = np.unique(np.concatenate(runs))
        inverse = 1 / math.sqrt(self.sigma_squared)
        z = self._unmixed(inner * step) / inverse + inverse / 2
        inside = (z > low) & (z < high)
        inner, z = inner[inside], z[inside]
        first, last = math.floor(ratio[0] / step), math.ceil(ratio[-1] / step)
        if len(inner):
            first, last = min(first, inner[0] - 1), max(last, inner[-1] + 1)
        return np.concatenate(([first], inner, [max(last, first + 1)])), z

    def _log_ratio(self, z: Floats) -> Floats:
        inverse = 1 / math.sqrt(self.sigma_squared)
        return self._mixed(z * inverse - inverse * inverse / 2)

    def _log_rest(self) -> float:
        """ln(1 - rate), of which a rate next to 1 in doubles says little."""
        rate = self.rate
        return math.log(float(1 - rate)) if rate > _HALF else math.log1p(-float(rate))

    def _mixed(self, ratio: Floats) -> Floats:
        """ln(1 - rate + rate exp(ratio)), in the form in which nothing cancels."""
        rate = float(self.rate)
        near = np.clip(ratio, -1.0 if self.rate > _HALF else -math.inf, _LARGE)
        found = np.log1p(rate * np.expm1(near))
        if self.rate > _HALF:
            low = np.log(float(1 - self.rate) + rate * np.exp(np.minimum(ratio, 0.0)))
            found = np.where(ratio < -1, low, found)
        high = np.maximum(ratio, _LARGE)
        beyond = high + math.log(rate) + np.log1p((1 / rate - 1) * np.exp(-high))
        return np.where(ratio < _LARGE, found, beyond)

    def _unmixed(self, level: Floats) -> Floats:
        """The ratio at which ``_mixed`` is ``level``, likewise; NaN where there is none."""
        rate, rest = float(self.rate), float(1 - self.rate)
        near, high = np.minimum(level, _LARGE), np.maximum(level, _LARGE)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.log1p(np.expm1(near) / rate)
            if self.rate > _HALF:
                found = np.where(level < -1, np.log((np.exp(near) - rest) / rate), found)
        beyond = high - math.log(rate) + np.log1p(-rest * np.exp(-high))
        return np.where(level < _LARGE, found, beyond)

    def _cells(self, edges: Floats) -> tuple[Floats, Floats]:
        inverse = 1 / math.sqrt(self.sigma_squared)
        middle, half = middles(edges)
        under_null = log_normal_cells(middle, half)
        ratio = middle * inverse - inverse * inverse / 2
        ratio += log_average(middle - inverse, half) - log_average(middle, half)
        losses = self._mixed(ratio)
        return (under_null + losses, losses) if self.swapped else (under_null, -losses)

    def _reach(self, tilt: float) -> tuple[float, float]:
        """The z between which all but about exp(-64) of the tilted law lies.

        Swapped, the weight is the normal density times ratio^(tilt + 1), at most that of a law
        centred at (tilt + 1) / sigma. Else it is times ratio^-tilt, and to the left of ``low``,
        where the log ratio has the slope ``_slope``, centred at -tilt times that at most.
        """
        if self.swapped:
            return -NORMAL_REACH, (tilt + 1) / math.sqrt(self.sigma_squared) + NORMAL_REACH
        return -NORMAL_REACH - tilt * self._slope(-NORMAL_REACH) * (1 + 1e-12), NORMAL_REACH

    def _slope(self, z: float) -> float:
        """Of the log ratio, which is convex: its share of the mixture, over sigma."""
        inverse, rate = 1 / math.sqrt(self.sigma_squared), float(self.rate)
        log_odds = z * inverse - inverse * inverse / 2 + math.log(rate) - self._log_rest()
        return inverse / (1 + math.exp(min(-log_odds, 700.0)))

    def _log_omitted(self, tilt: float, low: float, high: float) -> float:
        """Tails in z, at either end exp(-64) of a normal mass.

        Swapped, the integrand ratio^(tilt + 1) is at most 1 on the left; on the right ratio <= c
        exp(r) with c = rate + (1 - rate) exp(-r) at the end, and exp((tilt + 1) r) moves the
        normal law to its centre. Not swapped, ratio^-tilt is at most 1 or its value at ``high`` on
        the right. On the left the log ratio L is above its tangent at ``low``, so that with a =
        tilt L'(low) the integral is at most exp(a low + a^2 / 2 - tilt L(low)) times the mass
        below low + a, which is at most -11.3; and L is nowhere below ln(1 - rate).
        """
        tail = -OMITTED_NATS
        ends = self._log_ratio(np.array([low, high]))
        if not self.swapped:
            moved = tilt * self._slope(low)
            left = tail + moved * low + moved * moved / 2 - tilt * float(ends[0])
            plain = -low * low / 2 - tilt * self._log_rest()
            right = tail - tilt * min(float(ends[1]), 0.0)
            size = 1 + tilt * (abs(float(ends[0])) + abs(float(ends[1]))) + moved * abs(low)
            return max(min(left, plain), right) + math.log(2) + 1e-12 * size + 1e-6
        inverse, rate = 1 / math.sqrt(self.sigma_squared), float(self.rate)
        end = high * inverse - inverse * inverse / 2
        share = math.log(rate + float(1 - self.rate) * math.exp(-end)) + 1e-12
        peak = (tilt + 1) * share + tilt * (tilt + 1) * inverse * inverse / 2
        return tail + math.log(2) + max(peak, 0.0) * (1 + 1e-9) + 1e-6
