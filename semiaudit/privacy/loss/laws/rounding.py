"""Move losses to a grid in three ways, each normalized under its tilt.

*Connect the dots*: an atom between two points of the grid is split among them so that its masses
under P and under Q are preserved. The pair that results is the dominating one whose profile joins
that of the source at the grid's points (Doroshenko et al. 2022, Theorem 3.2).

*Merged*: an outcome is replaced by a neighboring point of the grid. This is post-processing, also
of a whole composition, where the points add up. The masses under P and Q are preserved.

On a lattice whose step the grid's step divides, nothing moves.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from semiaudit.frozen import cached_property, dataclass
from semiaudit.privacy.loss.sources.loss_source import RAISED, UNIT, Atoms, Floats, TooLong

PRUNED_NATS = 100.0
"""Atoms below exp(-100) of the largest tilted weight are omitted, and counted as omitted mass."""

FURTHEST = 2.0**50
"""Points further out are not exact integers in doubles after they are added up."""

_LONGEST_WINDOW = 1e30
"""Replaces the length of a longer window: any number that is too large works."""

_BELOW = 0.75
"""An atom moves down by less than a quarter of a step, or else up to the next point."""


@dataclass(frozen=True)
class Tilted:
    """Masses at losses offset + step * point, each times exp(tilt * step * point).

    Attributes:
        points: shape (n,); a point may occur several times.
        weights: normalized to a sum of 1, shape (n,).
        errors: bounds on the absolute errors of the weights, shape (n,).
        log_total: logarithm of the divisor of the weights.
        log_omitted: logarithm of a bound on the tilted mass of omitted outcomes.
        loss_error: bound on the absolute error of every loss.
        mean: of the points under the weights. variance: likewise.
    """

    points: NDArray[np.int64]
    weights: Floats
    errors: Floats
    log_total: float
    log_omitted: float
    loss_error: float
    mean: float
    variance: float

    @cached_property
    def first(self) -> int:
        """Return the smallest point."""
        return int(self.points.min())

    @cached_property
    def error_sum(self) -> float:
        """Return the sum of all errors."""
        return float(self.errors.sum())

    @cached_property
    def last(self) -> int:
        """Return the largest point."""
        return int(self.points.max())


def pruned(atoms: Atoms, step: float, tilt: float) -> Atoms:
    """Omit atoms with a negligible tilted weight, and count their weight as omitted."""
    exponent = atoms.log_mass + tilt * step * atoms.positions
    peak = float(exponent.max())
    significant = exponent > peak - PRUNED_NATS
    if significant.all():
        return atoms
    log_pruned = peak - PRUNED_NATS + math.log(len(exponent)) + 1
    error, ends = atoms.mass_error, atoms.ends
    widest = 1.0 if ends is None else float((ends[1] - ends[0])[~significant].max())
    return replace(
        atoms,
        positions=atoms.positions[significant],
        log_mass=atoms.log_mass[significant],
        mass_error=error if isinstance(error, float) else error[significant],
        # An atom can be split, and then weighs up to exp(tilt * its width) times as much.
        log_omitted=float(np.logaddexp(atoms.log_omitted, log_pruned + tilt * step * widest)),
        ends=None if ends is None else (ends[0][significant], ends[1][significant]),
    )


def on_lattice(atoms: Atoms, step: float, tilt: float) -> Tilted:
    """Tilt the atoms without moving them; every position must be an integer."""
    points = np.rint(atoms.positions)
    if not np.array_equal(points, atoms.positions):
        raise ValueError("an atom lies off the lattice")
    return _tilted(points, atoms.log_mass + tilt * step * points, atoms, step, tilt)


def connected(atoms: Atoms, step: float, tilt: float) -> Tilted:
    """Connect the dots: return the dominating version, under P."""
    below, above = atoms.between()
    _furthest(below)  # otherwise a point and the next one can be the same double
    width = (above - below) * step
    above_share = np.expm1(-(atoms.positions - below) * step) / np.expm1(-width)
    # Rounding can put a loss slightly outside of its interval; the errors of losses include this. A
    # share close to 1 leaves few digits to the other share; the sum of the errors of weights bounds
    # the effect.
    above_share = np.clip(above_share, 0.0, 1.0)
    tilted = atoms.log_mass + tilt * step * below
    with np.errstate(divide="ignore"):
        lower = tilted + np.log1p(-above_share)
        upper = tilted + np.log(above_share) + tilt * width
    kept_low, kept_high = above_share < 1, above_share > 0
    points = np.concatenate((below[kept_low], above[kept_high]))
    exponent = np.concatenate((lower[kept_low], upper[kept_high]))
    error = atoms.mass_error
    if not isinstance(error, float):
        error = np.concatenate((error[kept_low], error[kept_high]))
    doubled = replace(atoms, mass_error=error)
    return _tilted(points, exponent, doubled, step, tilt)


@dataclass(frozen=True, slots=True)
class MergedLoss:
    """The version in which an outcome shows only a grid point next to its loss.

    Attributes:
        first: the points under P, the null. second: the points under Q, with a tilt of one more,
            because Q is about P exp(-loss); multiply its masses by exp(-offset).
        ahead: the mean, under the tilted weights, of point - loss / step; an estimate, not a bound.
    """

    first: Tilted
    second: Tilted
    ahead: float


def merged(atoms: Atoms, step: float, tilt: float) -> MergedLoss:
    """Move each atom down to a point by less than a quarter of a step, or else up to the next.

    The losses of cells are about in the middle between two points. If all move to the same side,
    each cell keeps a point of its own; a constant offset from the losses costs nothing.
    """
    points = np.floor(atoms.positions + _BELOW)
    tilted = atoms.log_mass + tilt * step * points
    steps = points - atoms.positions
    first = _tilted(points, tilted, atoms, step, tilt)
    second = _tilted(points, tilted + steps * step, atoms, step, tilt)
    return MergedLoss(first, second, float(first.weights @ steps))


def variance_to_neighbours(atoms: Atoms, step: float, tilt: float) -> float:
    """Estimate the tilted mean of (loss - a)(b - loss), for the points a, b around each loss."""
    below, above = atoms.between()
    spread = np.maximum((atoms.positions - below) * (above - atoms.positions), 0.0)
    exponent = atoms.log_mass + tilt * step * atoms.positions
    weight = np.exp(exponent - exponent.max())
    return float((weight * spread).sum() / weight.sum()) * step * step


def _furthest(points: Floats) -> float:
    """Return the largest distance of a point from 0, in steps."""
    furthest = float(np.abs(points).max())
    if not furthest < FURTHEST:
        raise TooLong(min(furthest, _LONGEST_WINDOW))
    return furthest


def _tilted(points: Floats, exponent: Floats, atoms: Atoms, step: float, tilt: float) -> Tilted:
    """Normalize exp(exponent) on the points; the exponent contains the tilt."""
    furthest = _furthest(points)
    peak = float(exponent.max())
    weights = np.exp(exponent - peak)
    # The exponent is a sum of a few rounded terms; its error is one of the weight, relatively.
    # (Splitting and merging add 8 u; 3 u ln n, below 47 u, is the rounding of log_total for up to
    # 2^22 atoms, in addition to that of its own size.)
    size = np.abs(exponent) + np.abs(tilt * step * points) + abs(peak) + 16
    total = float(weights.sum())
    weights /= total
    mean = float(weights @ points)
    return Tilted(
        points.astype(np.int64),
        weights,
        RAISED * weights * (4 * UNIT * size + atoms.mass_error) + 1e-300,
        peak + math.log(total),
        atoms.log_omitted,
        # A position is rounded a few times, which moves its loss.
        atoms.loss_error + 8 * UNIT * step * (furthest + 2),
        mean,
        float(weights @ (points - mean) ** 2),
    )
