"""What a mechanism by itself guarantees in every measure: the answer of a calculator."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, get_args

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric
from semiaudit.model.bound import Bound, Causes
from semiaudit.model.guarantee import Numbers

Target = Literal["pure_dp", "approx_dp", "zcdp", "gdp", "tradeoff", "guess"]
TARGETS: tuple[Target, ...] = get_args(Target)
"""What a mechanism can be converted to."""


@dataclass(frozen=True, slots=True)
class ConversionQuestion:
    """What is asked of a mechanism in all of D.

    Attributes:
        text: the mechanism as it was written.
        distance: pairs of datasets up to so far apart.
        epsilons: at which delta is asked. rates: type I errors.
        priors: how often a guess of an attribute is right without the release.
        target: the one measure that is asked for; None: all.
    """

    text: str
    distance: int
    metric: Metric
    deltas: tuple[Fraction, ...]
    epsilons: tuple[Fraction, ...]
    rates: tuple[Fraction, ...]
    priors: tuple[Fraction, ...]
    target: Target | None = None


@dataclass(frozen=True, slots=True)
class Conversion:
    """The answer: certified numbers, as a report has them.

    Attributes:
        profile: (epsilon, upper bound of delta).
        guesses: (prior, upper bound of how often the best guess of an attribute is right).
        incomplete_because: why some numbers are less narrow than was asked for; empty if
            none is.
    """

    question: ConversionQuestion
    numbers: Numbers
    profile: tuple[tuple[Fraction, Bound], ...]
    guesses: tuple[tuple[Fraction, Bound], ...]
    incomplete_because: Causes

    @property
    def complete(self) -> bool:
        """Whether every number is as narrow as was asked for."""
        return not self.incomplete_because
