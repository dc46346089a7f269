"""The pair of Laplace noise of scale 1 and its shift: closed form and list of losses."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.frozen import dataclass
from semiaudit.model.loss import LaplaceLoss
from semiaudit.numeric.intervals import HALF, ONE, TWO, Interval
from semiaudit.numeric.rationals import float_down, float_up
from semiaudit.privacy.loss.pairs.pair_kind import LARGEST_LOSS, Ends, Family, PairKind, probability
from semiaudit.privacy.loss.sources.loss_source import (
    LOG_SLACK,
    OMITTED_NATS,
    UNIT,
    Atoms,
    ContinuousNoise,
    Floats,
    TooLong,
    cumulants_of,
)
from semiaudit.privacy.measures.zcdp import rho_of_laplace

if TYPE_CHECKING:
    from semiaudit.privacy.loss.sources.loss_source import Source


@dataclass(frozen=True, slots=True)
class SingleLaplace:
    """Closed form of Laplace noise of scale 1, shifted by ``shift``, in decimal intervals.

    The most powerful tests reject beyond a threshold between the two centers; delta and the type
    II error follow from the two tails.
    """

    shift: Fraction

    def delta(self, epsilon: Fraction) -> Ends:
        """Return 1 - exp((epsilon - shift) / 2)."""
        if epsilon >= self.shift:
            return 0.0, 0.0
        return probability(ONE - Interval.of((epsilon - self.shift) / 2).exp())

    def epsilon(self, delta: Fraction) -> Ends:
        """Return shift + 2 ln(1 - delta), at least 0."""
        epsilon = Interval.of(self.shift) + TWO * Interval.of(1 - delta).ln()
        return max(float_down(epsilon.low), 0.0), max(float_up(epsilon.high), 0.0)

    def type_ii(self, type_i: Fraction) -> Interval | None:
        """Return the type II error at x: 1 - e^s x, then e^-s / (4 x), then e^-s (1 - x), tangent
        to each other.
        """
        if not type_i:
            return None
        growth = Interval.of(self.shift).exp()
        x, shrink = Interval.of(type_i), ONE / growth
        if 2 * type_i >= 1:
            return shrink * Interval.of(1 - type_i)
        bend = HALF * shrink
        steep = ONE - growth * x
        flat = HALF * bend / x
        if x.high < bend.low:
            return steep.clip(0, 1)
        if x.low > bend.high:
            return flat
        return Interval(min(steep.low, flat.low), max(steep.high, flat.high)).clip(0, 1)


def laplace(pair: LaplaceLoss) -> PairKind:
    """Define the kind: noise of scale 1, shifted to either side."""
    shift = abs(pair.shift)

    def source(_side: int) -> Source:
        return LaplaceSource(shift)

    return PairKind(
        symmetric=True,
        gaussian_size=shift**2,
        listable=True,
        mu_fitted=True,
        family=Family((LaplaceLoss,), "shared"),
        size=shift,
        rho=lambda: rho_of_laplace(shift),
        simplified=LaplaceLoss(shift) if shift else None,
        moved_further=lambda k: LaplaceLoss(k * pair.shift),
        closed_form=lambda: SingleLaplace(shift) if shift <= LARGEST_LOSS else None,
        source=source,
    )


_MOST_CELLS = 1 << 22
"""The most cells of one list: the number of points of the longest window."""

_CANCELS = 1e-3
"""Below this shift, the closed form of the cumulants cancels; they are summed over cells."""

_CELLS = 400
"""Cells of that sum for cumulants, which are estimates."""


@dataclass(frozen=True, slots=True)
class LaplaceSource(ContinuousNoise):
    """At x in [0, shift] the loss is shift - 2 x, with density exp(-x) / 2 under P.

    Half of the mass lies at the loss ``shift``, exp(-shift) / 2 at -shift. A cell from x to y has
    the loss shift - x - y, exactly. The two directions mirror each other.
    """

    shift: Fraction

    @property
    def offset(self) -> Fraction:
        """Return the largest loss, so that its atom is on the grid."""
        return self.shift

    @property
    def anchor(self) -> Fraction | None:
        """Return the distance between the two atoms."""
        return 2 * self.shift

    @property
    def largest(self) -> Fraction | None:
        """Return the shift."""
        return self.shift

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """See :class:`Source`; in closed form, except where it cancels.

        The moment exp(tilt shift) g / 2 has g = 1 + e + (1 - e) / c with c = 1 + 2 tilt and
        e = exp(-c shift).
        """

        import numpy as np

        shift = float(self.shift)
        if shift < _CANCELS:
            atoms = self._cells(np.linspace(0, shift, _CELLS + 1))
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

        import numpy as np

        shift = float(self.shift)
        width = min(shift, OMITTED_NATS / (1 + 2 * tilt))
        if 2 * width / step > _MOST_CELLS:
            raise TooLong(2 * width / step)
        edges = np.arange(0, math.ceil(2 * width / step) + 1, dtype=np.float64) * (step / 2)
        # Rounding can leave the last edge slightly before the shift, which has half of the mass.
        ended = width == shift or bool(edges[-1] >= shift)
        if ended:
            edges = np.append(edges[edges < shift], shift)
        atoms = self._cells(edges, ended=ended)
        return Atoms(
            atoms.positions / step,
            atoms.log_mass,
            atoms.mass_error,
            8 * UNIT * 2 * float(edges[-1]),
            -math.inf if ended else -float(edges[-1]) * (1 + 2 * tilt) + LOG_SLACK,
        )

    def _cells(self, edges: Floats, *, ended: bool = True) -> Atoms:
        import numpy as np

        left, right = edges[:-1], edges[1:]
        body = -left + np.log(-np.expm1(left - right)) - math.log(2)
        losses = np.concatenate(([0.0], -left - right))
        log_mass = np.concatenate(([-math.log(2)], body))
        if ended:
            losses = np.append(losses, -2 * edges[-1])
            log_mass = np.append(log_mass, -math.log(2) - edges[-1])
        # An edge is rounded once; the width of a cell is the difference of two rounded edges.
        return Atoms(losses, log_mass, UNIT * (32 + 8 * float(np.abs(log_mass).max())))
