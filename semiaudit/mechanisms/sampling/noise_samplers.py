"""The samplers of noise on a query, by kind of noise.

The supports, the hulls and the norms are those of the audit: they come from the same sensitivity
spaces. Each function takes the noise, with ``made_for`` filled in as the audit has it, its query,
and the sensitivity spaces; it raises ``RefusedError`` if the support or the norm is not known, or
is too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import assert_never

import numpy as np

from semiaudit.mechanisms.kind import refused
from semiaudit.mechanisms.sampling.hulls.hull_samplers import hull_noise_of
from semiaudit.mechanisms.sampling.lattice import span_lattice
from semiaudit.mechanisms.sampling.linear_noise import Image, SphericalGaussian, root_of
from semiaudit.mechanisms.sampling.norm_balls import Norm, NormBallNoise
from semiaudit.mechanisms.sampling.sampling_methods import (
    Drawing,
    OnGrid,
    Still,
    WholeGaussian,
    WholeLaplace,
)
from semiaudit.mechanisms.sampling.support_lattices import Projected, method_of, support_of
from semiaudit.model.mechanism import (
    BasisLaplace,
    CorrelatedGaussian,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    KNorm,
    Laplace,
)
from semiaudit.model.query import Query, width
from semiaudit.numeric.rationals import float_up
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces


def gaussian(part: Gaussian, query: Query, spaces: SensitivitySpaces) -> Drawing:
    """Return a sampler of spherical Gaussian noise, projected on its support."""
    lattice = support_of(part, query, spaces)
    if not lattice.rank:
        return Still(width(query, spaces.table))
    sigma = sqrt(part.sigma_squared)
    noise = SphericalGaussian(lattice, sigma)
    return OnGrid(lattice, noise, sigma, method_of("Gaussian variables", part, query, spaces))


def correlated_gaussian(
    part: CorrelatedGaussian, query: Query, spaces: SensitivitySpaces
) -> Drawing:
    """Return a sampler of a root of the covariance times Gaussian variables."""
    number = width(query, spaces.table)
    lattice = span_lattice(map(_sparse, part.covariance), number)
    if not lattice.rank:
        return Still(number)
    root = root_of(part.covariance)
    scale = min(float(abs(row).max()) for row in root)
    image = Image(lattice, root, laplace=False)
    return OnGrid(lattice, image, scale, "a root of the covariance times Gaussian variables")


def discrete_gaussian(part: DiscreteGaussian, query: Query, spaces: SensitivitySpaces) -> Drawing:
    """Return a sampler of discrete Gaussian noise on the integer vectors of its support."""
    number, lattice = width(query, spaces.table), support_of(part, query, spaces)
    if not lattice.rank:
        return Still(number)
    return WholeGaussian(number, part.sigma_squared, None if part.support is None else lattice)


def laplace(part: Laplace, query: Query, spaces: SensitivitySpaces) -> Drawing:
    """Return a sampler of independent Laplace noise, projected on its support."""
    lattice = support_of(part, query, spaces)
    if not lattice.rank:
        return Still(lattice.width)
    scale, noise = float(part.scale), Projected(_ball("l1", query, spaces), lattice)
    return OnGrid(
        lattice, noise, scale, method_of("Laplace variables", part, query, spaces), factor=scale
    )


def basis_laplace(part: BasisLaplace, query: Query, spaces: SensitivitySpaces) -> Drawing:
    """Return a sampler of Laplace variables times the basis."""
    number, scale = width(query, spaces.table), float(part.scale)
    lattice = span_lattice(map(_sparse, part.basis), number)
    if not lattice.rank:
        return Still(number)
    basis = np.array(part.basis, dtype=float)
    image = Image(lattice, basis, laplace=True)
    method = "Laplace variables times the basis"
    # The noise is at least this long in every direction of its span, in units of its scale. (The
    # least entry can be a mere rounding error of a zero.)
    least = float(np.linalg.svd(basis, compute_uv=False)[lattice.rank - 1])
    return OnGrid(lattice, image, scale * min(least, 1.0), method, factor=scale)


def discrete_laplace(part: DiscreteLaplace, query: Query, spaces: SensitivitySpaces) -> Drawing:
    """Return a sampler of independent discrete Laplace noise."""
    return WholeLaplace(width(query, spaces.table), part.scale)


def k_norm(part: KNorm, query: Query, spaces: SensitivitySpaces) -> Drawing:
    """Return a sampler of K-norm noise: of a hull, or of a norm with a known unit ball."""
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
        raise refused(part, "the sensitivity of its query has no finite bound", "use another query")
    if not bound:
        return Still(number)
    scale = float_up(Fraction(bound) / part.epsilon)
    lattice = support_of(part, query, spaces)
    if not lattice.rank:
        return Still(number)
    algorithm = {"l1": 4, "l2": 5, "linf": 6}[part.norm]
    weights = Projected(_ball(part.norm, query, spaces), lattice)
    method = method_of(f"Cho and Awan, Algorithm {algorithm}", part, query, spaces)
    return OnGrid(lattice, weights, scale, method, factor=scale)


def _ball(norm: Norm, query: Query, spaces: SensitivitySpaces) -> NormBallNoise:
    """Return noise on the coordinates that some possible record changes."""
    return NormBallNoise(norm, width(query, spaces.table), spaces.subspaces.active(query))


def _sparse(row: Sequence[Fraction]) -> dict[int, Fraction]:
    return {place: k for place, k in enumerate(row) if k}
