"""Exact sampling from laws given by their probabilities: integers and fair bits only."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import TYPE_CHECKING

import numpy as np

from semiaudit.mechanisms.finite.finite_kind import seen_laws
from semiaudit.mechanisms.kind import refused
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.sampling.sampling_methods import WHOLE, Drawing
from semiaudit.model.mechanism import Finite, FiniteNoise
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

METHOD = "a uniform whole number below the common denominator of the probabilities"


class Chances:
    """A law on finitely many indices.

    Args:
        law: probabilities, which sum to 1.
    """

    def __init__(self, law: Sequence[Fraction]) -> None:
        self._whole = lcm(*(share.denominator for share in law))
        self._ends = list(accumulate(int(share * self._whole) for share in law))

    def draw(self, source: Randomness) -> int:
        """Sample an index with exactly its probability."""
        return bisect_right(self._ends, source.below(self._whole))


@dataclass
class FiniteNoiseDrawing(Drawing):
    """Noise with finitely many values, with one law or one law for each count.

    Attributes:
        width: coordinates of the answer.
    """

    part: FiniteNoise
    width: int
    method: str = METHOD
    exactness: str = WHOLE
    _chances: dict[tuple[Fraction, ...], Chances] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _require_exact(self.part)
        self.whole = all(value.denominator == 1 for value in self.part.values)
        self.of_answers = self.part.of_counts
        for value in self.part.values:
            if 10 ** value.denominator.bit_length() % value.denominator:
                what = f"adds {value}, which has no finite decimal expansion"
                raise refused(self.part, what, "use values with finitely many decimals")

    def outputs(
        self, answers: Sequence[int] | None, number: int, source: Randomness
    ) -> Iterator[Sequence[float | Fraction]]:
        """Yield noise, or answers with noise, in rationals."""
        counts = answers or (0,) * self.width
        for _ in range(number):
            yield [count + self._of(count, source) for count in counts]

    def draw(self, number: int, source: Randomness) -> Floats:
        """Sample noise as doubles, for laws that do not depend on the count."""
        return np.array([list(map(float, row)) for row in self.outputs(None, number, source)])

    def _of(self, count: int, source: Randomness) -> Fraction:
        law = self.part.law(count) if self.part.of_counts else self.part.laws[0]
        if law not in self._chances:
            self._chances[law] = Chances(law)
        return self.part.values[self._chances[law].draw(source)]


@dataclass
class OutcomeDrawing(Drawing):
    """The outcome of a finite mechanism, as the number of its column, from 1.

    Attributes:
        law: of the dataset in question.
    """

    law: tuple[Fraction, ...]
    method: str = METHOD
    exactness: str = WHOLE
    whole: bool = True

    def draw(self, number: int, source: Randomness) -> Floats:
        """Sample outcomes: number x 1."""
        chances = Chances(self.law)
        outcomes = [chances.draw(source) + 1 for _ in range(number)]
        return np.array(outcomes, dtype=float).reshape(number, 1)


def outcome_of(
    part: Finite, seen: tuple[int, ...] | None, spaces: SensitivitySpaces
) -> OutcomeDrawing:
    """Return a sampler of a finite mechanism's outcome.

    Args:
        seen: what it sees of the confidential dataset: its index in D, or the answer of the query;
            None without data.

    Raises:
        RefusedError: there are no data, or the audit refuses the mechanism's rows.
    """
    if seen is None:
        source = "--data FILE" if part.query is not None else "data.dataset in the spec"
        raise refused(
            part,
            "has an output distribution for each dataset, but there are no data",
            f"add {source}",
        )
    _require_exact(part)
    law_of, _ = seen_laws(part, "D", spaces)
    return OutcomeDrawing(law_of(seen))


def _require_exact(part: Finite | FiniteNoise) -> None:
    if part.rtol:
        what = "has rounded probabilities, which no sampler has"
        raise refused(part, what, "give fractions that sum to 1, without rtol")
