"""From a part of a mechanism to draws of its noise.

The supports, the hulls and the norms are those that the audit takes: they come from the same
sensitivity spaces. What is neither noise on a query nor given by its probabilities is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Literal, assert_never

from semiaudit.mechanisms.sampling.drawing import (
    Drawing,
    OnGrid,
    Still,
    WholeGaussian,
    WholeLaplace,
)
from semiaudit.mechanisms.sampling.finite_draws import FiniteNoiseDrawing
from semiaudit.mechanisms.sampling.hulls import hull_noise_of
from semiaudit.mechanisms.sampling.lattice import span_lattice
from semiaudit.mechanisms.sampling.refusals import refused
from semiaudit.mechanisms.sampling.supports import Projected, support_of, told_of
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
    Noise,
    NoisePart,
    OtherRecords,
    Part,
    RandomizedResponse,
    Shuffled,
    SubsampledGaussian,
    Swapping,
)
from semiaudit.model.query import Query, width
from semiaudit.model.topdown import TopDown
from semiaudit.numeric.rationals import float_up
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    from semiaudit.mechanisms.sampling.norm_balls import NormBall


Drawn = NoisePart | FiniteNoise | Finite
"""Parts that can be drawn."""


def drawn(part: Part) -> Drawn:
    """The part, which is noise on the answer to a query, or given by its probabilities.

    Raises:
        RefusedError: it is neither.
    """
    match part:
        case Declared() | RandomizedResponse() | SubsampledGaussian() | Shuffled():
            what = f"{part.kind} is no noise on the answer to a query, so that it cannot be drawn"
            remedy = "sample noise on a query, or a finite mechanism"
            raise refused(part, what, remedy)
        case Swapping():
            what = "swapping is no noise on the answer to a query"
            raise refused(part, what, "sample gaussian, laplace, their discrete kinds or k_norm")
        case TopDown():
            what = "topdown is sampled where it is the whole mechanism, and here it is a part"
            raise refused(part, what, "sample a spec of topdown alone")
        case OtherRecords():
            what = f"{part.kind} is of other records than the spec's, and is not drawn here"
            raise refused(part, what, "sample noise on one query")
        case Finite():
            return part
        case Noise():
            if part.query is None:
                what = "has shifts and no query, so that it is not known what it is added to"
                raise refused(part, what, "give its query: table, margins or matrix")
            return part
        case _:
            assert_never(part)


def drawing_of(part: NoisePart | FiniteNoise, spaces: SensitivitySpaces) -> Drawing:
    """How the noise of a part is drawn.

    Args:
        part: with ``made_for`` filled in, as the audit has it.

    Raises:
        RefusedError: its support or its norm is not known, or it is too large.
    """
    query = part.query
    if query is None:
        raise ValueError("noise without a query")
    if isinstance(part, FiniteNoise):
        return FiniteNoiseDrawing(part, width(query, spaces.table))
    return _noise(part, query, spaces)


def _noise(part: NoisePart, query: Query, spaces: SensitivitySpaces) -> Drawing:
    from semiaudit.mechanisms.sampling.linear_noise import Image, SphericalGaussian, root_of

    number = width(query, spaces.table)
    match part:
        case Gaussian():
            lattice = support_of(part, query, spaces)
            if not lattice.rank:
                return Still(number)
            sigma = sqrt(part.sigma_squared)
            gaussian = SphericalGaussian(lattice, sigma)
            return OnGrid(lattice, gaussian, sigma, told_of("Gaussian variables", part))
        case CorrelatedGaussian():
            lattice = span_lattice(map(_sparse, part.covariance), number)
            if not lattice.rank:
                return Still(number)
            root = root_of(part.covariance)
            scale = min(float(abs(row).max()) for row in root)
            image = Image(lattice, root, laplace=False)
            return OnGrid(
                lattice, image, scale, "a root of the covariance times Gaussian variables"
            )
        case DiscreteGaussian():
            lattice = support_of(part, query, spaces)
            plain = part.support is None
            if not lattice.rank:
                return Still(number)
            return WholeGaussian(number, part.sigma_squared, None if plain else lattice)
        case Laplace():
            lattice, scale = support_of(part, query, spaces), float(part.scale)
            if not lattice.rank:
                return Still(number)
            laplace = Projected(_norm_ball("l1", number), lattice)
            method = told_of("Laplace variables", part)
            return OnGrid(lattice, laplace, scale, method, factor=scale)
        case BasisLaplace():
            import numpy as np

            lattice, scale = span_lattice(map(_sparse, part.basis), number), float(part.scale)
            if not lattice.rank:
                return Still(number)
            image = Image(lattice, np.array(part.basis, dtype=float), laplace=True)
            method = "Laplace variables times the basis"
            least = min(abs(float(k)) for row in part.basis for k in row if k)
            return OnGrid(lattice, image, scale * min(least, 1.0), method, factor=scale)
        case DiscreteLaplace():
            return WholeLaplace(number, part.scale)
        case KNorm():
            return _k_norm(part, query, spaces)
        case _:
            assert_never(part)


def _sparse(row: Sequence[Fraction]) -> dict[int, Fraction]:
    return {place: k for place, k in enumerate(row) if k}


def _norm_ball(norm: Literal["l1", "l2", "linf"], number: int) -> NormBall:
    from semiaudit.mechanisms.sampling.norm_balls import NormBall

    return NormBall(norm, number)


def _k_norm(part: KNorm, query: Query, spaces: SensitivitySpaces) -> Drawing:
    number = width(query, spaces.table)
    if part.norm == "hull":
        return hull_noise_of(part, query, spaces)
    moved = spaces.everywhere(query, 1)
    match part.norm:
        case "l1":
            bound = moved.l1.value
        case "l2":
            square = moved.l2_squared.value
            bound = sqrt(square) if isinstance(square, Fraction) else square
        case "linf":
            bound = moved.linf.value
        case _:
            assert_never(part.norm)
    if isinstance(bound, float) and bound == float("inf"):
        raise refused(part, "the sensitivity of its query has no finite bound", "bound it")
    if not bound:
        return Still(number)
    scale = float_up(Fraction(bound) / part.epsilon)
    lattice = support_of(part, query, spaces)
    if not lattice.rank:
        return Still(number)
    algorithm = {"l1": 4, "l2": 5, "linf": 6}[part.norm]
    weights = Projected(_norm_ball(part.norm, number), lattice)
    method = told_of(f"Cho and Awan, Algorithm {algorithm}", part)
    return OnGrid(lattice, weights, scale, method, factor=scale)
