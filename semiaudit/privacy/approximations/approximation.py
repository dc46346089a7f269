"""The type of an approximate number, which code cannot use as a bound."""

from __future__ import annotations

import math

from semiaudit.frozen import dataclass

LABEL = "an approximation, not a guarantee"


@dataclass(frozen=True, slots=True)
class Approximation:
    """An approximate number whose error has an unknown sign.

    It is neither a ``Bound`` nor a measure, it has no side, and it does not compare or convert:
    ``approximation <= limit`` and ``Fraction(approximation)`` raise TypeError.

    Attributes:
        estimate: the number, in floats.
        approximates: the quantity, in words.
        method: how it was obtained, in a word.
        source: where the method comes from.
        caveat: what is known against it; never empty.
    """

    estimate: float
    approximates: str
    method: str
    source: str
    caveat: str

    def __post_init__(self) -> None:
        if math.isnan(self.estimate):
            raise ValueError("an approximation is a number")
        if not (self.approximates and self.method and self.source and self.caveat):
            raise ValueError(
                "an approximation says what it approximates, how, and what is against it"
            )

    def __str__(self) -> str:
        return f"about {self.estimate:.6g} ({LABEL}: {self.method})"
