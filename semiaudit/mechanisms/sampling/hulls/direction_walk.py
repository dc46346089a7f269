"""Approximate directions of K-norm noise by a random walk, if K has too many facets.

With K in a subspace of dimension s, K-norm noise is a length with the law Gamma(s), sampled
exactly, times a direction z / |z|_K, where z has the density (|z|_2 / |z|_K)^s with respect to the
standard Gaussian of the subspace. That density is nearly flat if K is nearly round, like the hull
of a large table's changes. The walk proposes sqrt(1 - b^2) z + b x with x a new Gaussian, which
preserves the Gaussian, and accepts it with the ratio of the densities (Metropolis). Its law
approaches the density; the distance after finitely many steps is measured, not proven, so the
samples are not proven to satisfy epsilon.

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
"""Steps between two samples."""

BURNING = 400
"""Steps before the first sample."""


@dataclass(frozen=True)
class Measured:
    """Statistics on how well a walk mixed.

    Attributes:
        steps: of the walk, each with one linear program.
        accepted: the part of the proposals that was accepted.
        correlation: the correlation of the log-densities of consecutive samples; 0 for independent
            samples. None for fewer than 20 samples.
    """

    steps: int
    accepted: float
    correlation: float | None


class DirectionWalk:
    """A walk through directions of a subspace.

    Args:
        lattice: the lattice whose basis the gauge's weights use.
        gauge: the gauge of K.
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
        """Return the weights of the next direction, whose gauge norm is 1."""
        for _ in range(self._thinning):
            self._step()
        self._heights.append(self._height)
        return self._at / self._norm

    @property
    def measured(self) -> Measured:
        """Return statistics on how well the walk mixed so far."""
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
        """Return weights, their gauge norm, and the logarithm of the density there."""
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
