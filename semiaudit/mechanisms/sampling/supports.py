"""Where noise lies: the whole vectors of a part's support, and noise projected there."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from semiaudit.mechanisms.sampling.large_tables import large_null_lattice
from semiaudit.mechanisms.sampling.lattice import Lattice, everything, null_lattice, span_lattice
from semiaudit.mechanisms.sampling.refusals import refused
from semiaudit.mechanisms.sampling.sampling_methods import OfWeights
from semiaudit.model.mechanism import NoisePart
from semiaudit.model.query import Query, width
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


def support_of(part: NoisePart, query: Query, spaces: SensitivitySpaces) -> Lattice:
    """The whole vectors of the subspace that the noise lies in."""
    number = width(query, spaces.table)
    match part.support:
        case None:
            return everything(number)
        case "null_space":
            null = spaces.subspaces.null_space(query)
            if null is None:
                return large_null_lattice(part, query, spaces)
            idle = sorted(set(range(number)) - set(null.active))
            return null_lattice([*null.rows, *({place: 1} for place in idle)], number)
        case "sensitivity_space":
            if part.made_for is not None and spaces.subspaces.fills(query, part.made_for):
                null = spaces.subspaces.null_space(query)
                if null is not None:
                    idle = sorted(set(range(number)) - set(null.active))
                    return null_lattice([*null.rows, *({place: 1} for place in idle)], number)
            span = None
            if part.made_for is not None:
                span = spaces.subspaces.span(query, part.made_for)
            if span is None:
                what = "the sensitivity space is not listed, so that its span is not known"
                raise refused(part, what, "take support: null_space, or sample a smaller query")
            return span_lattice((dict(enumerate(vector)) for vector in span), number)
        case _:
            assert_never(part.support)


class Projected:
    """Noise on all coordinates, as the weights of its projection on a lattice's span."""

    def __init__(self, noise: OfWeights, lattice: Lattice) -> None:
        self._noise, self._lattice = noise, lattice

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Weights: number x rank."""
        noise = self._noise.draw(number, generator)
        if self._lattice.rank == self._lattice.width:
            return noise
        return self._lattice.projected(noise)


class InSpan:
    """Noise inside the span of a lattice, as its weights."""

    def __init__(self, noise: OfWeights, lattice: Lattice) -> None:
        self._noise, self._lattice = noise, lattice

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Weights: number x rank."""
        noise = self._noise.draw(number, generator)
        if self._lattice.free:
            return noise[:, list(self._lattice.free)]
        return noise @ self._lattice.inverse.T


def method_of(method: str, part: NoisePart) -> str:
    """A method, and whether its noise is projected."""
    return method if part.support is None else f"{method}, projected on the support"
