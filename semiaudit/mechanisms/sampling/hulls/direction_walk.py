"""Directions of K-norm noise where K has too many facets to be taken apart: a walk, not exact.

With K in a subspace of dimension s, K-norm noise is a length with the law Gamma(s), drawn exactly,
times a direction z / |z|_K, where z has the density (|z|_2 / |z|_K)^s with respect to the standard
Gaussian of the subspace. That density is nearly flat where K is nearly round, as the hull of a
large table's moves is. The walk proposes sqrt(1 - b^2) z + b x with x a new Gaussian, which keeps
the Gaussian as it is, and takes it with the ratio of the densities (Metropolis). Its law
approaches the density; how near it is after finitely many steps is measured and not proven, so
that the draws are not shown to meet epsilon.

Source: Cotter, Roberts, Stuart and White, MCMC methods for functions, Statistical Science 28
(2013), for the proposals.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.sampling.hulls.gauges import GaugeNorm
from semiaudit.mechanisms.sampling.lattice import Lattice

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

STEP = 0.5
"""b: the part of a proposal that is new."""

THINNING = 50
"""Steps from one draw to the next."""

BURNING = 400
"""Steps before the first draw."""


@dataclass(frozen=True)
class Measured:
    """How well a walk mixed.

    Attributes:
        steps: of the walk, each with one linear program.
        accepted: the part of the proposals that was taken.
        correlation: between the log-densities of a draw and of the next one; 0 for independent
            draws. None if there are fewer than 20 draws.
    """

    steps: int
    accepted: float
    correlation: float | None


class DirectionWalk:
    """A walk through directions of a subspace.

    Args:
        lattice: whose basis gauges take weights in.
        gauge: of K.
    """

    def __init__(
        self,
        lattice: Lattice,
        gauge: GaugeNorm,
        generator: np.random.Generator,
        *,
        thinning: int = THINNING,
        burning: int = BURNING,
    ) -> None:
        import numpy as np

        self._lattice, self._gauge, self._generator = lattice, gauge, generator
        self._thinning = thinning
        wide = lattice.dense.astype(float)
        self._gram = wide @ wide.T
        # weights of a standard Gaussian of the subspace: variance the inverse of the Gram matrix
        self._root = np.linalg.cholesky(np.linalg.inv(self._gram))
        self._steps = self._taken = 0
        self._heights: list[float] = []
        self._at, self._norm, self._height = self._proposed(self._gaussian())
        for _ in range(burning):
            self._step()

    def draw(self) -> Floats:
        """The weights of the next direction, whose gauge norm is 1."""
        for _ in range(self._thinning):
            self._step()
        self._heights.append(self._height)
        return self._at / self._norm

    @property
    def measured(self) -> Measured:
        """How well the walk mixed so far."""
        import numpy as np

        correlation = None
        heights = np.array(self._heights)
        if len(heights) >= 20 and heights.std() > 0:
            correlation = float(np.corrcoef(heights[:-1], heights[1:])[0, 1])
        return Measured(self._steps, self._taken / max(self._steps, 1), correlation)

    def _gaussian(self) -> Floats:
        direction: Floats = self._root @ self._generator.standard_normal(self._lattice.rank)
        return direction

    def _proposed(self, weights: Floats) -> tuple[Floats, float, float]:
        """Weights, their gauge norm, and the logarithm of the density there."""
        norm = self._gauge.of(weights)
        length = sqrt(float(weights @ self._gram @ weights))
        return weights, norm, self._lattice.rank * log(length / norm)

    def _step(self) -> None:
        deadline.check()
        new = sqrt(1 - STEP * STEP) * self._at + STEP * self._gaussian()
        proposal = self._proposed(new)
        self._steps += 1
        if self._generator.random() < exp(min(0.0, proposal[2] - self._height)):
            self._at, self._norm, self._height = proposal
            self._taken += 1
