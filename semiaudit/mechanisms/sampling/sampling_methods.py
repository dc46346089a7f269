"""Sampling methods of a part's noise: its integer vectors, its arithmetic, and its exactness.

The grid of floating-point noise, on which sums are exact.

Noise is first sampled as weights in a basis of integer vectors. The weights are rounded to
multiples of a power of 2, and the coordinates are sums of them: doubles add such numbers without
rounding, so that the invariants hold exactly in what is printed. Answers are integers, and all
integers are on the grid; so rounding acts on the noisy answer, for any data, and is
post-processing. The grid depends on the scale of the noise alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import frexp
from typing import TYPE_CHECKING, Protocol

from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms.sampling.hulls.direction_walk import DirectionWalk
from semiaudit.mechanisms.sampling.hulls.gauges import GaugeNorm
from semiaudit.mechanisms.sampling.integers import (
    DiscreteGaussianSampler,
    discrete_laplace,
    integers,
)
from semiaudit.mechanisms.sampling.lattice import Lattice, LatticeGaussian
from semiaudit.mechanisms.sampling.randomness import Randomness

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


BITS = 20
"""The step is at most the noise's scale over 2^20: far below any statistical effect."""

EXACT = 2.0**53
"""All integers up to here are doubles."""


def step_of(scale: float) -> float:
    """Return the step of the grid for noise of a scale above 0: a power of 2, at most 1."""
    _, exponent = frexp(scale)
    return 2.0 ** min(0, exponent - 1 - BITS)


def on_grid(weights: Floats, step: float) -> Floats:
    """Round numbers to the grid, in place."""
    import numpy as np

    weights *= 1 / step
    np.rint(weights, out=weights)
    weights *= step
    return weights


def check_exact(values: Floats, step: float) -> None:
    """Refuse numbers that are too large for the grid to be kept without rounding.

    Raises:
        RefusedError: the sum of a row could need more than 53 bits.
    """
    import numpy as np

    if values.size and float(np.abs(values).sum(axis=1).max()) >= EXACT * step:
        what = "the answers are too large, compared with the noise, for 53 bits to hold both"
        raise RefusedError(
            Refusal(what, "use discrete noise, whose samples are whole numbers", "mechanism")
        )


CHUNK = 1_000
"""Samples at a time: their data stay in a processor's cache."""

SHORT = 2**10
"""The largest entries of a basis for which sums of integer weights stay far below 53 bits."""

WHOLE = "exact, with whole numbers only"
COINS = "Canonne, Kamath and Steinke 2020, Algorithm {number}, or the distribution function"
GRID = "floating point, rounded to multiples of {step}"
WALKED = (
    "approximate: a random walk whose distribution is not proven to be that of K-norm noise, so "
    "epsilon is not proven for these numbers; rounded to multiples of {step}"
)


class Drawing(ABC):
    """Samples of one part's noise.

    Attributes:
        method: the algorithm, in words.
        exactness: what is exact about it.
        whole: whether samples are integers.
        step: every number is a multiple of this power of 2.
        approximate: whether the law of a sample is not proven to be that of the noise.
        of_answers: whether the law depends on the answer, so that there is no noise without data.
    """

    method: str
    exactness: str
    whole: bool
    step: float = 1.0
    approximate: bool = False
    of_answers: bool = False

    @abstractmethod
    def draw(self, number: int, source: Randomness) -> Floats:
        """Sample noise: number x width.

        Every number, and every sum in a row, is without rounding.
        """

    def outputs(
        self, answers: Sequence[int] | None, number: int, source: Randomness
    ) -> Iterator[Sequence[float | Fraction]]:
        """Yield answers with noise, or noise alone, one row per sample; numbers are not rounded.

        Raises:
            RefusedError: the answers are too large to be kept exactly together with the noise.
        """
        noise = self.draw(number, source)
        if answers is not None:
            noise = noise + answers
        check_exact(noise, self.step)
        yield from noise.tolist()

    @property
    def measured(self) -> str:
        """Describe the quality of an approximate sampler; empty for exact ones."""
        return ""


def grain(lattice: Lattice) -> int:
    """Return the most that a step of one weight can change a coordinate, if it is large; else 1."""
    return lattice.longest if lattice.longest > SHORT else 1


class OfWeights(Protocol):
    """Draws of weights in the basis of a lattice."""

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Weights: number x rank."""


@dataclass
class OnGrid(Drawing):
    """Floating-point noise, rounded to a grid on which sums are exact.

    Attributes:
        lattice: the whole vectors of the noise's subspace.
        weights: draws of its weights.
        scale: of the noise, by which the grid is chosen; weights are multiplied by ``factor``.
    """

    lattice: Lattice
    weights: OfWeights
    scale: float
    method: str
    factor: float = 1.0
    whole: bool = False

    def __post_init__(self) -> None:
        self.step = step_of(self.scale / grain(self.lattice))
        self.exactness = GRID.format(step=_step_text(self.step))

    def draw(self, number: int, source: Randomness) -> Floats:
        """Sample noise on the grid."""
        import numpy as np

        vectors = np.empty((number, self.lattice.width))
        for start in range(0, number, CHUNK):
            size = min(CHUNK, number - start)
            weights = self.weights.draw(size, source.generator)
            if self.factor != 1:
                weights = weights * self.factor
            rounded = on_grid(weights, self.step)
            if self.lattice.longest > SHORT:
                # Sums of long products can need more bits than their results.
                check_exact(rounded * self.lattice.reach, self.step)
            vectors[start : start + size] = self.lattice.vectors(rounded)
        return vectors


@dataclass
class Walked(Drawing):
    """Approximate K-norm noise by a walk through directions; its lengths are exact."""

    lattice: Lattice
    gauge: GaugeNorm
    epsilon: float
    method: str
    whole: bool = False
    approximate: bool = True

    def __post_init__(self) -> None:
        self.step = step_of(1 / self.epsilon / grain(self.lattice))
        self.exactness = WALKED.format(step=_step_text(self.step))
        self._walk: DirectionWalk | None = None

    def draw(self, number: int, source: Randomness) -> Floats:
        """Sample noise on the grid."""
        import numpy as np

        generator = source.generator
        if self._walk is None:
            self._walk = DirectionWalk(self.lattice, self.gauge, generator)
        directions = np.array([self._walk.draw() for _ in range(number)])
        lengths = generator.standard_gamma(self.lattice.rank, size=(number, 1)) / self.epsilon
        return self.lattice.vectors(on_grid(directions * lengths, self.step))

    @property
    def measured(self) -> str:
        """Describe how well the walk mixed."""
        if self._walk is None:
            return ""
        walk = self._walk.measured
        text = f"{walk.steps} steps, {walk.accepted:.0%} of the proposals accepted"
        if walk.correlation is None:
            return f"{text}; too few samples to estimate their dependence"
        return (
            f"{text}; correlation of the log-densities of successive samples: "
            f"{walk.correlation:.2f}"
        )


@dataclass
class WholeGaussian(Drawing):
    """Discrete Gaussian noise: independent, or on the integer vectors of a subspace."""

    width: int
    sigma_squared: Fraction
    lattice: Lattice | None = None
    exactness: str = WHOLE
    whole: bool = True

    def __post_init__(self) -> None:
        self.method = COINS.format(number=3)
        if self.lattice is not None:
            self.method = "Klein's sampler with rejection, on the whole vectors of the support"
            self._of_lattice = LatticeGaussian(self.lattice, self.sigma_squared)

    def draw(self, number: int, source: Randomness) -> Floats:
        """Sample noise; integers as doubles."""
        import numpy as np

        if self.lattice is not None:
            return np.array([self._of_lattice.draw(source) for _ in range(number)], dtype=float)
        law, growth = DiscreteGaussianSampler(self.sigma_squared), 1 / self.sigma_squared
        values = integers(number * self.width, (growth / 2, growth), law.draw, source)
        return values.reshape(number, self.width)


@dataclass
class WholeLaplace(Drawing):
    """Independent discrete Laplace noise."""

    width: int
    scale: Fraction
    method: str = COINS.format(number=2)
    exactness: str = WHOLE
    whole: bool = True

    def draw(self, number: int, source: Randomness) -> Floats:
        """Sample noise; integers as doubles."""
        law = partial(discrete_laplace, self.scale)
        values = integers(number * self.width, (1 / self.scale, Fraction(0)), law, source)
        return values.reshape(number, self.width)


@dataclass
class Still(Drawing):
    """No noise: the answer cannot change if the invariants are fixed."""

    width: int
    method: str = "none: the invariants determine the answer"
    exactness: str = "exact"
    whole: bool = True

    def draw(self, number: int, source: Randomness) -> Floats:
        """Return zeros."""
        import numpy as np

        return np.zeros((number, self.width))


def _step_text(step: float) -> str:
    exponent = frexp(step)[1] - 1
    return "1" if exponent == 0 else f"2^{exponent}"
