"""Losses with finitely many values: randomized response, (epsilon, delta), any finite pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from semiaudit.model.loss import ApproxLoss, FiniteLoss, RandomizedResponseLoss
from semiaudit.privacy.loss.sources.source import (
    UNIT,
    Atoms,
    Floats,
    cumulants_of,
    log_ratio,
    steps_of,
)


@dataclass(frozen=True, slots=True)
class FiniteSource:
    """Finitely many losses.

    Attributes:
        lattice_step: one or two losses lie on a lattice whatever they are; a single one on every
            lattice, which is a step of 0.
        largest: what no loss exceeds.
        lattice_error: how far a loss may be off its lattice point.
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
        """The step of the lattice, if it is one."""
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


def randomized_response(loss: RandomizedResponseLoss) -> FiniteSource:
    """Losses epsilon, 0 and -epsilon; without the 0 for two levels."""
    epsilon = float(loss.epsilon)
    others = loss.levels - 1
    log_other = -(epsilon + math.log1p(others * math.exp(-epsilon)))
    if loss.levels == 2:
        return _two_sided(loss.epsilon, Fraction(0))
    losses = np.array([-epsilon, 0.0, epsilon])
    masses = np.array([log_other, log_other + math.log(others - 1), log_other + epsilon])
    return FiniteSource(
        losses, masses, (-1, 0, 1), Fraction(0), loss.epsilon, Fraction(0), loss.epsilon
    )


def approximate(loss: ApproxLoss) -> FiniteSource | None:
    """Infinite with probability delta, else epsilon or -epsilon.

    None where delta is 1, so that no finite loss is left.
    """
    return None if loss.delta == 1 else _two_sided(loss.epsilon, loss.delta)


def _two_sided(epsilon: Fraction, infinite: Fraction) -> FiniteSource:
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


def finite_pair(loss: FiniteLoss, *, swapped: bool) -> FiniteSource | None:
    """The losses ln(p/q) of a finite pair; outcomes of equal ratio are one atom.

    None where the two distributions have no outcome in common.
    """
    first, second = (loss.second, loss.first) if swapped else (loss.first, loss.second)
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
