"""The variances of noise that keeps the invariants, exactly, and of noise on the integers.

Noise of variance v on every coordinate, projected on a subspace by P, has the covariance v P (Gao,
Gong and Yu, sections 3.1 and 5; docs/errata.md, E18 and E19). For noise on a lattice and for K-norm
noise, no such number is known. The variance of independent discrete noise is a series, which is
rounded up.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from semiaudit.model.bound import exact, upper
from semiaudit.model.mechanism import Noise
from semiaudit.model.query import Spread
from semiaudit.numeric.intervals import Interval
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

METHOD = "covariance"
SOURCE = "Gao, Gong and Yu, section 3"
SERIES = "Canonne, Kamath and Steinke 2020, Fact 18; the sum of a geometric series"


def spread_of_projection(
    part: Noise, variance: Fraction, spaces: SensitivitySpaces
) -> Spread | None:
    """Return the spread of independent noise that is projected on its support.

    None without a support, or if the projector is unknown.

    Args:
        variance: of every coordinate before the projection.
    """
    if part.query is None or part.support is None:
        return None
    projection = spaces.subspaces.projector(part.query, part.support, part.made_for)
    if projection is None:
        return None
    rank, largest = projection
    return _spread(part, rank, variance * largest, variance * rank)


def spread_of_discrete(part: Noise, variance: Interval, spaces: SensitivitySpaces) -> Spread | None:
    """Return the spread of independent noise on the integers; None without a query.

    Args:
        variance: of every coordinate, enclosed.
    """
    if part.query is None:
        return None
    number = len(spaces.subspaces.active(part.query))
    numbers = (upper(v, METHOD, SERIES) for v in (variance, Interval.of(number) * variance))
    return Spread(part.query, part.kind, number, *numbers)


def spread_of_covariance(part: Noise, rank: int, diagonal: Sequence[Fraction]) -> Spread | None:
    """Return the spread of noise with a covariance of this rank and diagonal, or None.

    None without a query.
    """
    return _spread(part, rank, max(diagonal, default=Fraction(0)), sum(diagonal, Fraction(0)))


def _spread(part: Noise, rank: int, variance: Fraction, total: Fraction) -> Spread | None:
    if part.query is None:
        return None
    numbers = (exact(value, METHOD, SOURCE) for value in (variance, total))
    return Spread(part.query, part.kind, rank, *numbers)
