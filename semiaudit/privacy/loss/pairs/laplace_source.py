"""The privacy loss of Laplace noise against its shift, divided into cells."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from semiaudit.frozen import dataclass
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
        shift = float(self.shift)
        kept = min(shift, OMITTED_NATS / (1 + 2 * tilt))
        if 2 * kept / step > _MOST_CELLS:
            raise TooLong(2 * kept / step)
        edges = np.arange(0, math.ceil(2 * kept / step) + 1, dtype=np.float64) * (step / 2)
        # Rounding can leave the last edge slightly before the shift, which has half of the mass.
        ended = kept == shift or bool(edges[-1] >= shift)
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
        left, right = edges[:-1], edges[1:]
        body = -left + np.log(-np.expm1(left - right)) - math.log(2)
        losses = np.concatenate(([0.0], -left - right))
        log_mass = np.concatenate(([-math.log(2)], body))
        if ended:
            losses = np.append(losses, -2 * edges[-1])
            log_mass = np.append(log_mass, -math.log(2) - edges[-1])
        # An edge is rounded once; the width of a cell is the difference of two rounded edges.
        return Atoms(losses, log_mass, UNIT * (32 + 8 * float(np.abs(log_mass).max())))
