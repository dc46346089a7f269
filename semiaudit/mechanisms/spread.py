"""The variances of noise that keeps the invariants, as exact rationals.

Noise of variance v on every coordinate, projected on a subspace by P, has the covariance v P (Gao,
Gong and Yu, sections 3.1 and 5; docs/errata.md, E18 and E19). Of noise on a lattice, and of K-norm
noise, no such number is known.
"""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from semiaudit.mechanisms.parts import flattened
from semiaudit.model.bound import exact
from semiaudit.model.mechanism import (
    BasisLaplace,
    CorrelatedGaussian,
    Declared,
    DiscreteGaussian,
    DiscreteLaplace,
    Finite,
    FiniteNoise,
    Gaussian,
    KNorm,
    Laplace,
    Mechanism,
    OtherRecords,
    Part,
    Randomizer,
    Swapping,
)
from semiaudit.model.spread import Spread
from semiaudit.model.topdown import TopDown
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

METHOD = "covariance"
SOURCE = "Gao, Gong and Yu, section 3"


def spreads_of(mechanism: Mechanism, spaces: SensitivitySpaces) -> tuple[Spread, ...]:
    """Of every part with a support, a covariance or a basis whose variances are known."""
    found = (spread_of(part, spaces) for part, _ in flattened(mechanism))
    return tuple(spread for spread in found if spread is not None)


def spread_of(part: Part, spaces: SensitivitySpaces) -> Spread | None:
    """Of one part; None where its variances are not known, or it has none of the three."""
    match part:
        case Gaussian():
            return _projected(part, part.sigma_squared, spaces)
        case Laplace():
            return _projected(part, 2 * part.scale * part.scale, spaces)
        case CorrelatedGaussian():
            from semiaudit.numeric.semidefinite import Semidefinite

            diagonal = [row[at] for at, row in enumerate(part.covariance)]
            return _spread(part, Semidefinite(part.covariance).rank, diagonal)
        case BasisLaplace():
            from semiaudit.numeric.semidefinite import RowsOf

            twice = 2 * part.scale * part.scale
            columns = zip(*part.basis, strict=True)
            diagonal = [twice * sum((k * k for k in column), Fraction(0)) for column in columns]
            return _spread(part, RowsOf(part.basis).rank, diagonal)
        case DiscreteGaussian() | DiscreteLaplace() | KNorm() | FiniteNoise():
            return None
        case Declared() | Randomizer() | Finite() | Swapping() | TopDown() | OtherRecords():
            return None
        case _:
            assert_never(part)


def _projected(
    part: Gaussian | Laplace, variance: Fraction, spaces: SensitivitySpaces
) -> Spread | None:
    if part.query is None or part.support is None:
        return None
    found = spaces.subspaces.projector(part.query, part.support, part.made_for)
    if found is None:
        return None
    rank, largest = found
    return _of(part, rank, variance * largest, variance * rank)


def _spread(
    part: CorrelatedGaussian | BasisLaplace, rank: int, diagonal: list[Fraction]
) -> Spread | None:
    total = sum(diagonal, Fraction(0))
    return _of(part, rank, max(diagonal, default=Fraction(0)), total)


def _of(
    part: Gaussian | Laplace | CorrelatedGaussian | BasisLaplace,
    rank: int,
    variance: Fraction,
    total: Fraction,
) -> Spread | None:
    if part.query is None:
        return None
    numbers = (exact(value, METHOD, SOURCE) for value in (variance, total))
    return Spread(part.query, part.kind, rank, *numbers)
