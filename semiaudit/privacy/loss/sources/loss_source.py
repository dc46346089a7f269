"""The interface of a source: the privacy loss of one direction of one pair, as weighted atoms.

A source lists the losses ln(dP/dQ) under P as weighted atoms. A continuous loss is cut into cells;
all outcomes of a cell count as one atom with the cell's masses under P and Q, so its loss is the
logarithm of their ratio. A cell never reaches over a point of the grid it was made for. Positions
are counted in steps of the grid from the source's own exact ``offset``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, TypeAlias

from semiaudit.frozen import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"

UNIT = 2.0**-53
"""The unit roundoff u of doubles."""

UNDERFLOW = 1e-300
"""An upper bound on a sum of products that underflowed."""

RAISED = 1.01
"""Bounds on errors are raised by 1 %, which is far more than their own rounding and the products of
two errors."""

LOG_SLACK = 1e-9
"""A relative and absolute allowance above the rounding of the logarithm of a bound."""

LEAST = 5e-324
"""The smallest double: a product that underflows is off by at most this."""

OMITTED_NATS = 64.0
"""Omitted tails have a tilted mass of at most about exp(-64)."""

LISTED_INTEGERS = 1 << 20
"""Up to this many integers are listed one by one; more are listed in blocks, if a grid allows
it."""

MOST_INTEGERS = 1 << 22
"""The most integers, or blocks of them, that are listed: the points of the longest window."""


class TooLong(Exception):
    """Too many points or atoms would be needed.

    Attributes:
        points: an estimate of the number that would be needed.
    """

    def __init__(self, points: float) -> None:
        self.points = points
        super().__init__(points)


@dataclass(frozen=True, slots=True)
class Atoms:
    """The loss of a source on a grid, before rounding.

    Attributes:
        positions: (loss - offset) / step of each atom, shape (n,).
        log_mass: the logarithm of its mass under P, shape (n,).
        mass_error: bound on the relative error of each mass, or of all of them.
        loss_error: bound on the absolute error of every loss, in addition to that of its position.
        log_omitted: logarithm of a bound on the integral of exp(tilt (loss - offset)) over the
            omitted outcomes; minus infinity where none is.
        ends: the points of the grid below and above each atom's outcomes; None if they are the
            neighboring ones.
    """

    positions: Floats
    log_mass: Floats
    mass_error: Floats | float
    loss_error: float = 0.0
    log_omitted: float = -math.inf
    ends: tuple[Floats, Floats] | None = None

    def between(self) -> tuple[Floats, Floats]:
        """Return the points of the grid below and above every atom."""

        import numpy as np

        if self.ends is not None:
            return self.ends
        below = np.floor(self.positions)
        return below, below + 1


class Source(Protocol):
    """One direction (P, Q) of a pair."""

    @property
    def offset(self) -> Fraction:
        """Return the origin of positions; every loss of a lattice is offset + step * integer."""

    @property
    def lattice_step(self) -> Fraction | None:
        """Return the step of the lattice that carries all finite losses, or None."""

    @property
    def anchor(self) -> Fraction | None:
        """Return a distance between atoms that should be a multiple of the grid step, or None."""

    @property
    def infinite(self) -> Fraction:
        """Return the mass under P where Q has none."""

    @property
    def largest(self) -> Fraction | None:
        """Return the tightest known upper bound on every finite loss, or None."""

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """Estimate ln E exp(tilt L) over finite losses and its first two derivatives."""

    def atoms(self, step: float, tilt: float) -> Atoms:
        """Return the atoms for a grid of this step, without masses negligible at this tilt."""


class ContinuousNoise:
    """The common defaults of sources of continuous noise."""

    __slots__ = ()

    @property
    def lattice_step(self) -> Fraction | None:
        """Return None: continuous noise has no lattice."""
        return None

    @property
    def anchor(self) -> Fraction | None:
        """Return None: continuous noise has no atoms."""
        return None

    @property
    def infinite(self) -> Fraction:
        """Return nothing: both distributions have mass everywhere."""
        return Fraction(0)


def highest(tilt: float) -> float:
    """Return the maximum of exp(-tilt x) (1 - exp(-x)) over positive x: t^t / (1 + t)^(1 + t)."""
    return math.exp(tilt * math.log(tilt / (1 + tilt))) / (1 + tilt) if tilt else 1.0


def cumulants_of(losses: Floats, log_mass: Floats, tilt: float) -> tuple[float, float, float]:
    """Estimate ln E exp(tilt L) and its first two derivatives for weighted losses, in floats."""

    import numpy as np

    exponent = log_mass + tilt * losses
    top = float(exponent.max())
    weight = np.exp(exponent - top)
    total = float(weight.sum())
    mean = float((weight * losses).sum()) / total
    spread = float((weight * (losses - mean) ** 2).sum()) / total
    return top + math.log(total), mean, spread


def steps_of(own_step: float, step: float) -> float:
    """Return the lattice step in steps of the grid: an exact integer where it should be one."""
    ratio = own_step / step
    nearest = round(ratio)
    return float(nearest) if nearest and abs(ratio - nearest) <= 8 * UNIT * ratio else ratio


def log_ratio(numerator: Fraction, denominator: Fraction) -> float:
    """Return ln(numerator / denominator), within a few units in the last place, also near 0."""
    ratio = numerator / denominator
    excess = ratio - 1
    if abs(excess) < Fraction(1, 2):
        return math.log1p(float(excess))
    # Scaled to a size of 1 by a power of two, so that no large logarithms cancel.
    power = ratio.numerator.bit_length() - ratio.denominator.bit_length()
    scaled = ratio / Fraction(2) ** power
    return math.log(float(scaled)) + power * math.log(2)
