"""The integer vectors of a part's support, and noise projected on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from semiaudit.mechanisms.kind import refused
from semiaudit.mechanisms.sampling.large_tables import large_null_lattice
from semiaudit.mechanisms.sampling.lattice import Lattice, everything, null_lattice, span_lattice
from semiaudit.mechanisms.sampling.sampling_methods import OfWeights
from semiaudit.model.mechanism import NoisePart
from semiaudit.model.query import Query, width
from semiaudit.universe.sensitivity.answer_null_space import AnswerNullSpace
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


def support_of(part: NoisePart, query: Query, spaces: SensitivitySpaces) -> Lattice:
    """Return the integer vectors of the subspace of the noise."""
    number = width(query, spaces.table)
    match part.support:
        case None:
            return everything(number)
        case "null_space":
            null = spaces.subspaces.null_space(query)
            if null is None:
                return large_null_lattice(part, query, spaces)
            return _lattice_of(null)
        case "sensitivity_space":
            return span_of_changes(part, query, spaces)
        case _:
            assert_never(part.support)


def span_of_changes(part: NoisePart, query: Query, spaces: SensitivitySpaces) -> Lattice:
    """Return the integer vectors of the span of S inside D_t, or of a space that contains it.

    In a larger space, the noise loses no more between two datasets: the output is then the exact
    part of the answer and a projection of the answer with plain noise, which the audit bounds.
    """
    subspaces = spaces.subspaces
    if part.made_for is not None:
        null = subspaces.null_space(query) if subspaces.fills(query, part.made_for) else None
        if null is not None:
            return _lattice_of(null)
        span = subspaces.span(query, part.made_for)
        if span is not None:
            sparse = (dict(enumerate(vector)) for vector in span)
            return span_lattice(sparse, width(query, spaces.table))
    enclosing = subspaces.enclosing(query)
    if enclosing is None:
        what = "the table is too large to compute the space of its changes"
        raise refused(part, what, "use a smaller query, or noise without a support")
    return _lattice_of(enclosing)


def is_enclosed(part: NoisePart, query: Query, spaces: SensitivitySpaces) -> bool:
    """Return whether the span of S inside D_t is unknown: then an enclosing space is sampled."""
    subspaces = spaces.subspaces
    if part.made_for is None:
        return True
    return (
        not subspaces.fills(query, part.made_for) and subspaces.span(query, part.made_for) is None
    )


def _lattice_of(null: AnswerNullSpace) -> Lattice:
    idle = sorted(set(range(null.width)) - set(null.active))
    return null_lattice([*null.rows, *({place: 1} for place in idle)], null.width)


class Projected:
    """Noise on all coordinates, as the weights of its projection on a lattice's span."""

    def __init__(self, noise: OfWeights, lattice: Lattice) -> None:
        self._noise, self._lattice = noise, lattice

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Sample weights: number x rank."""
        noise = self._noise.draw(number, generator)
        if self._lattice.rank == self._lattice.width:
            return noise
        return self._lattice.projected(noise)


class InSpan:
    """Noise inside the span of a lattice, as its weights."""

    def __init__(self, noise: OfWeights, lattice: Lattice) -> None:
        self._noise, self._lattice = noise, lattice

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Sample weights: number x rank."""
        noise = self._noise.draw(number, generator)
        if self._lattice.free:
            return noise[:, list(self._lattice.free)]
        return noise @ self._lattice.inverse.T


def method_of(method: str, part: NoisePart, query: Query, spaces: SensitivitySpaces) -> str:
    """Describe a method, and the projection of its noise."""
    if part.support is None:
        return method
    enclosed = part.support == "sensitivity_space" and is_enclosed(part, query, spaces)
    where = (
        "a space that contains the support, because the support is not listed"
        if enclosed
        else "the support"
    )
    return f"{method}, projected on {where}"
