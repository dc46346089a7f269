"""Sources with finitely many losses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from semiaudit.frozen import dataclass
from semiaudit.privacy.loss.sources.loss_source import (
    UNIT,
    Atoms,
    Floats,
    cumulants_of,
    log_ratio,
    steps_of,
)


@dataclass(frozen=True, slots=True)
class FiniteSource:
    """A source with finitely many losses.

    Attributes:
        lattice_step: the step of the lattice: one or two losses are always on a lattice; a single
            one is on every lattice, which is a step of 0.
        largest: an upper bound on every loss.
        lattice_error: the largest distance of a loss from its lattice point.
        multiples: where ``lattice_step`` is given, (loss - offset) / lattice_step; else empty.
        losses: the losses in floats, each within 8 u of itself.
        log_mass: logarithms of the masses under P, each within 8 u (1 + its size).
    """

    losses: Floats
    log_mass: Floats
    multiples: tuple[int, ...] = ()
    offset: Fraction = Fraction(0)
    lattice_step: Fraction | None = None
    infinite: Fraction = Fraction(0)
    largest: Fraction | None = None
    lattice_error: float = 0.0

    @property
    def anchor(self) -> Fraction | None:
        """Return the step of the lattice, if there is one."""
        return self.lattice_step or None

    def cumulants(self, tilt: float) -> tuple[float, float, float]:
        """See :class:`Source`."""
        return cumulants_of(self.losses, self.log_mass, tilt)

    def atoms(self, step: float, tilt: float) -> Atoms:
        """See :class:`Source`."""
        size = float(np.abs(self.losses).max())
        mass_error = 8 * UNIT * (1 + float(np.abs(self.log_mass).max()))
        if self.lattice_step is not None:
            positions = np.array(self.multiples, dtype=np.float64)
            positions *= steps_of(float(self.lattice_step), step)
            return Atoms(positions, self.log_mass, mass_error, self.lattice_error)
        return Atoms(self.losses / step, self.log_mass, mass_error, 8 * UNIT * size)


def two_sided(epsilon: Fraction, infinite: Fraction) -> FiniteSource:
    """Return the losses epsilon and -epsilon of f_{epsilon,0}, and a mass at infinity."""
    size = float(epsilon)
    log_rest = log_ratio(1 - infinite, Fraction(1))
    log_low = log_rest - size - math.log1p(math.exp(-size))
    if epsilon == 0:
        return FiniteSource(
            np.zeros(1),
            np.full(1, log_rest),
            (0,),
            Fraction(0),
            Fraction(0),
            infinite,
            Fraction(0),
        )
    return FiniteSource(
        np.array([-size, size]),
        np.array([log_low, log_low + size]),
        (0, 1),
        -epsilon,
        2 * epsilon,
        infinite,
        epsilon,
    )


def source_of_outcomes(
    first: Sequence[Fraction], second: Sequence[Fraction]
) -> FiniteSource | None:
    """Return the losses ln(p/q) of two lists of probabilities; equal ratios are one atom.

    None if the two distributions have no outcome in common.
    """
    masses: dict[Fraction, Fraction] = {}
    infinite = Fraction(0)
    for p, q in zip(first, second, strict=True):
        if p and q:
            masses[p / q] = masses.get(p / q, Fraction(0)) + p
        elif p:
            infinite += p
    if not masses:
        return None
    ratios = sorted(masses)
    losses = np.array([log_ratio(ratio, Fraction(1)) for ratio in ratios])
    log_mass = np.array([log_ratio(masses[ratio], Fraction(1)) for ratio in ratios])
    highest = Fraction(float(losses[-1])) + Fraction(1, 10**14) * (1 + abs(int(losses[-1])))
    if len(losses) > 2:
        return FiniteSource(losses, log_mass, infinite=infinite, largest=highest)
    lowest = Fraction(float(losses[0]))
    return FiniteSource(
        losses,
        log_mass,
        tuple(range(len(losses))),
        lowest,
        Fraction(float(losses[-1])) - lowest,
        infinite,
        highest,
        16 * UNIT * float(np.abs(losses).max()),
    )
