"""Continuous noise: Laplace, Gaussian and the Poisson-subsampled Gaussian, cut into cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from semiaudit.privacy.loss.sources import OMITTED_NATS, UNIT, Atoms, Floats, TooLong, cumulants_of

MOST_CELLS = 1 << 22
_CANCELS = 1e-3

_REACH = math.sqrt(2 * OMITTED_NATS)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)


@dataclass(frozen=True, slots=True)
class LaplaceSource:
    """At x in [0, shift] the loss is shift - 2 x, with density exp(-x) / 2 under P.

    Half of the mass lies at the loss ``shift``, exp(-shift) / 2 at -shift. A cell from x to y has
    the loss shift - x - y, exactly. The two orders are mirror images.
    """

    shift: Fraction

    @property
    def offset(self) -> Fraction:
        """The largest loss, so that its atom lies on the grid."""
        return self.shift

    @property
    def lattice_step(self) -> Fraction | None:
        """There is none."""
        return None

    @property
    def anchor(self) -> Fraction | None:
        """From one atom to the other."""
        return 2 * self.shift

    @property
    def infinite(self) -> Fraction:
        """Nothing."""
        return Fraction(0)

    @property
    def largest(self) -> Fraction | None:
        """The shift."""
        return self.shift

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """See :class:`Source`; in closed form, but where that cancels.

        The moment exp(tilt shift) g / 2 has g = 1 + e + (1 - e) / c with c = 1 + 2 tilt and
        e = exp(-c shift).
        """
        shift = float(self.shift)
        if shift < _CANCELS:
            atoms = self._cells(np.linspace(0, shift, 401))
            return cumulants_of(shift + atoms.positions, atoms.log_mass, tilt)
        c = 1 + 2 * tilt
        e = math.exp(-c * shift)
        moment = 1 + e + (1 - e) / c
        slope = 2 * shift * e * (1 / c - 1) - 2 * (1 - e) / c**2
        bend = 4 * shift * e * (shift - shift / c - 2 / c**2) + 8 * (1 - e) / c**3
        mean, square = slope / moment, bend / moment
        return tilt * shift + math.log(moment / 2), shift + mean, square - mean * mean

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`."""
        shift = float(self.shift)
        kept = min(shift, OMITTED_NATS / (1 + 2 * tilt))
        if 2 * kept / step > MOST_CELLS:
            raise TooLong(2 * kept / step)
        edges = np.arange(0, math.ceil(2 * kept / step) + 1, dtype=np.float64) * (step / 2)
        ended = bool(edges[-1] >= shift)
        if ended:
            edges = np.append(edges[edges < shift], shift)
        found = self._cells(edges, ended=ended)
        return Atoms(
            found.positions / step,
            found.log_mass,
            found.mass_error,
            8 * UNIT * 2 * float(edges[-1]),
            -math.inf if ended else -float(edges[-1]) * (1 + 2 * tilt) + 1e-9,
        )

    def _cells(self, edges: Floats, *, ended: bool = True) -> Atoms:
        left, right = edges[:-1], edges[1:]
        body = -left + np.log(-np.expm1(left - right)) - math.log(2)
        losses = np.concatenate(([0.0], -left - right))
        log_mass = np.concatenate(([-math.log(2)], body))
        if ended:
            losses = np.append(losses, -2 * edges[-1])
            log_mass = np.append(log_mass, -math.log(2) - edges[-1])
        # An edge is rounded once; the width of a cell is a difference of two rounded edges.
        return Atoms(losses, log_mass, UNIT * (32 + 8 * float(np.abs(log_mass).max())))


@dataclass(frozen=True, slots=True)
class GaussianSource:
    """Under P the loss is mu z + mu^2 / 2 with z standard normal; the orders are mirror images."""

    mu_squared: Fraction

    @property
    def offset(self) -> Fraction:
        """The mean of the loss."""
        return self.mu_squared / 2

    @property
    def lattice_step(self) -> Fraction | None:
        """There is none."""
        return None

    @property
    def anchor(self) -> Fraction | None:
        """There are no atoms."""
        return None

    @property
    def infinite(self) -> Fraction:
        """Nothing."""
        return Fraction(0)

    @property
    def largest(self) -> Fraction | None:
        """The loss is unbounded."""
        return None

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """See :class:`Source`; in closed form."""
        square = float(self.mu_squared)
        return tilt * (tilt + 1) * square / 2, (tilt + 0.5) * square, square

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`."""
        mu = math.sqrt(self.mu_squared)
        centre = tilt * mu
        low, high = centre - _REACH, centre + _REACH
        count = math.ceil(2 * _REACH * 2 * (centre + mu + _REACH + 5))
        width = step / mu
        if (high - low) / width > MOST_CELLS:
            raise TooLong((high - low) / width)
        points = np.arange(math.ceil(low / width), math.floor(high / width) + 1) * width
        edges = np.union1d(np.linspace(low, high, count + 1), points)
        middle, half = _middles(edges)
        log_mass = log_normal_cells(middle, half)
        losses = mu * middle + (log_average(middle, half) - log_average(middle + mu, half))
        size = float(np.abs(edges).max())
        # With z centred at tilt mu, exp(tilt mu z) has the mean exp((tilt mu)^2 / 2).
        return Atoms(
            losses / step,
            log_mass,
            cell_error(size),
            UNIT * (16 * mu * size + 64),
            centre * centre / 2 - OMITTED_NATS + 1e-9 * (1 + centre * centre),
        )


@dataclass(frozen=True, slots=True)
class SubsampledGaussianSource:
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
    def lattice_step(self) -> Fraction | None:
        """There is none."""
        return None

    @property
    def anchor(self) -> Fraction | None:
        """There are no atoms."""
        return None

    @property
    def infinite(self) -> Fraction:
        """Nothing."""
        return Fraction(0)

    @property
    def largest(self) -> Fraction | None:
        """-ln(1 - rate), rounded up, in one order; unbounded in the other."""
        if self.swapped:
            return None
        return Fraction(-math.log1p(-float(self.rate)) * (1 + 1e-14))

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """See :class:`Source`."""
        inverse = 1 / math.sqrt(self.sigma_squared)
        top = (tilt + 1) * inverse + 12 if self.swapped else 12.0
        edges = np.linspace(-12, top, max(801, math.ceil((top + 12) * 20)))
        log_mass, losses = self._cells(edges)
        return cumulants_of(losses, log_mass, tilt)

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`."""
        inverse = 1 / math.sqrt(self.sigma_squared)
        shifted = (tilt + 1) * inverse if self.swapped else 0.0
        low, high = -_REACH, shifted + _REACH
        finest = 0.4 / (high + inverse + 5)
        count = math.ceil((high - low) / finest)
        edges = np.union1d(np.linspace(low, high, count + 1), self._grid(step, low, high))
        edges = edges[np.append(np.diff(edges) > 1e-13, True)]
        log_mass, losses = self._cells(edges)
        size = float(np.abs(edges).max())
        return Atoms(
            losses / step,
            log_mass,
            cell_error(size + inverse),
            UNIT * (64 + 32 * inverse * (size + inverse)) + 1e-13 * inverse,
            self._log_omitted(tilt, inverse),
        )

    def _grid(self, step: float, low: float, high: float) -> Floats:
        """The z in [low, high] at which the loss is a multiple of the step."""
        inverse, rate = 1 / math.sqrt(self.sigma_squared), float(self.rate)
        ends = np.array([low, high])
        first, last = np.log1p(rate * np.expm1(ends * inverse - inverse * inverse / 2)) / step
        if last - first > MOST_CELLS:
            raise TooLong(float(last - first))
        ratio = np.arange(math.ceil(first), math.floor(last) + 1, dtype=np.float64) * step
        with np.errstate(invalid="ignore", divide="ignore"):
            z: Floats = np.log1p(np.expm1(ratio) / rate) / inverse + inverse / 2
        return z[(z > low) & (z < high)]

    def _cells(self, edges: Floats) -> tuple[Floats, Floats]:
        inverse, rate = 1 / math.sqrt(self.sigma_squared), float(self.rate)
        middle, half = _middles(edges)
        under_null = log_normal_cells(middle, half)
        ratio = middle * inverse - inverse * inverse / 2
        ratio += log_average(middle - inverse, half) - log_average(middle, half)
        losses = np.where(
            ratio < 30,
            np.log1p(rate * np.expm1(np.minimum(ratio, 30))),
            ratio + math.log(rate) + np.log1p((1 / rate - 1) * np.exp(-np.maximum(ratio, 30))),
        )
        return (under_null + losses, losses) if self.swapped else (under_null, -losses)

    def _log_omitted(self, tilt: float, inverse: float) -> float:
        """Tails in z, at either end exp(-64) of a normal mass.

        Not swapped, the integrand ratio^-tilt is at most (1 - rate)^-tilt. Swapped, it is
        ratio^(tilt + 1): at most 1 on the left; on the right ratio <= c exp(r) with c = rate +
        (1 - rate) exp(-r) at the end, and exp((tilt + 1) r) moves the normal law to its centre.
        """
        tail = -OMITTED_NATS
        if not self.swapped:
            return tail - tilt * math.log1p(-float(self.rate)) + 1e-6
        end = ((tilt + 1) * inverse + _REACH) * inverse - inverse * inverse / 2
        share = math.log(float(self.rate) + math.exp(-end))
        peak = (tilt + 1) * share + tilt * (tilt + 1) * inverse * inverse / 2
        return tail + math.log(2) + max(peak, 0.0) * (1 + 1e-9) + 1e-6


def log_normal_cells(middle: Floats, half: Floats) -> Floats:
    """ln of the standard normal mass of [middle - half, middle + half]."""
    density = -0.5 * middle * middle - 0.5 * math.log(2 * math.pi)
    found: Floats = density + np.log(2 * half) + log_average(middle, half)
    return found


def cell_error(size: float) -> float:
    """Bound on the relative error of the mass of a cell at most ``size`` from 0.

    Edges are the doubles that they are. Their difference is rounded relatively; the rounding of
    their middle moves the cell by size u, which changes its mass by size^2 u.
    """
    return UNIT * (64 + 4 * size * size)


def _middles(edges: Floats) -> tuple[Floats, Floats]:
    return (edges[1:] + edges[:-1]) / 2, (edges[1:] - edges[:-1]) / 2


def log_average(middle: Floats, half: Floats) -> Floats:
    """ln of the average of exp(-middle v - v^2 / 2) over v in [-half, half].

    Six Gauss-Legendre nodes; with (|middle| + 5) 2 half <= 1/2 their relative error is below
    (2 half)^12 (6!)^4 / (13 (12!)^3) sup |f^(12)| < 1e-18.
    """
    total = np.zeros_like(middle)
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        v = half * node
        total += weight / 2 * np.expm1(-v * (middle + v / 2))
    found: Floats = np.log1p(total)
    return found
