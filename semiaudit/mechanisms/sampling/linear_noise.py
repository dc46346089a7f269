"""Gaussian and Laplace noise on a subspace: linear images of independent variables.

In the basis of the subspace's integer vectors, rows B, spherical Gaussian noise on the subspace has
weights of covariance sigma^2 (B B')^-1. With free coordinates B = [I, A], and the symmetric root of
(I + A A')^-1 is I less a matrix of the rank of A: for the margins of a table, this is few columns,
and the root costs little more than sampling the variables.

Source: Cho and Awan, Algorithm 1; Gao, Gong and Yu, Corollaries 3.5 to 3.9 and Theorem 3.11.
"""

from __future__ import annotations

from math import copysign, sqrt
from typing import TYPE_CHECKING

from semiaudit.mechanisms.sampling.lattice import Lattice
from semiaudit.mechanisms.sampling.margin_lattice import MarginLattice
from semiaudit.numeric.semidefinite import eliminated

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


class SphericalGaussian:
    """N(0, sigma^2 P), P the projector on the span of a lattice, as weights in its basis."""

    def __init__(self, lattice: Lattice, sigma: float) -> None:
        import numpy as np

        self._rank, self._sigma = lattice.rank, sigma
        self._tables = lattice if isinstance(lattice, MarginLattice) else None
        if self._tables is not None:
            return
        self._others = lattice.sums if lattice.free else None
        if lattice.free:
            values, vectors = np.linalg.eigh(lattice.dependent_squares)
        else:
            values, vectors = np.linalg.eigh(lattice.cosines)
        if self._others is None:
            root = (vectors * values**-0.5) @ vectors.T
            self._root = root / lattice.lengths[:, None]
            return
        # (I + A A')^(-1/2) = I - A V diag((1 - (1 + s)^(-1/2)) / s) V' A', A'A = V diag(s) V';
        # the fraction is 1 / (1 + s + sqrt(1 + s)), which has no difference of near numbers.
        values = np.maximum(values, 0)
        self._root = (vectors / (1 + values + np.sqrt(1 + values))) @ vectors.T

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Sample weights: number x rank, in columns."""
        if self._tables is not None:
            every = generator.standard_normal((self._tables.width, number))
            return self._tables.projected(every.T) * self._sigma
        noise = generator.standard_normal((self._rank, number))
        if self._others is None:
            noise = self._root @ noise
        elif len(self._root):
            noise -= self._others.T @ (self._root @ (self._others @ noise))
        if self._sigma != 1:
            noise *= self._sigma
        return noise.T


class RoundInSpan:
    """Noise of density proportional to exp(-|v|_2) on the span of a lattice, as its weights.

    Source: Cho and Awan, Algorithm 5, in a subspace.
    """

    def __init__(self, lattice: Lattice) -> None:
        self._lattice, self._gaussian = lattice, SphericalGaussian(lattice, 1)

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Sample weights: number x rank."""
        import numpy as np

        weights = self._gaussian.draw(number, generator)
        vectors = self._lattice.vectors(weights)
        sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
        lengths = generator.standard_gamma(self._lattice.rank, size=(number, 1))
        directed: Floats = weights / sizes * lengths
        return directed


class Image:
    """B'z for independent standard variables z, as weights in the basis of a lattice.

    Args:
        rows: B, a row for each variable; every row lies in the lattice's span.
        laplace: whether the variables are Laplace of scale 1, instead of standard Gaussian.
    """

    def __init__(self, lattice: Lattice, rows: Floats, *, laplace: bool) -> None:
        self._map = rows @ lattice.inverse.T
        self._laplace = laplace

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Sample weights: number x rank."""
        shape = number, len(self._map)
        if self._laplace:
            return generator.laplace(size=shape) @ self._map
        return generator.standard_normal(shape) @ self._map


def root_of(covariance: Sequence[Sequence[Fraction]]) -> Floats:
    """Return rows B with B'B = covariance, as many as its rank.

    The last has the least new variance.

    The elimination is exact and each entry is rounded once. So no direction is lost, however small
    its variance is compared with that of others.
    """
    import numpy as np

    rows = eliminated(covariance).rows
    root = np.zeros((len(rows), len(covariance)))
    for at, (row, divisor) in enumerate(rows):
        for place, k in row.items():
            # k itself can be too large for a double.
            root[at, place] = copysign(sqrt(k * k / divisor), 1 if k > 0 else -1)
    return root
