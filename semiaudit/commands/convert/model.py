"""The result of the calculator: the guarantee of a mechanism by itself in every measure."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, get_args

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric, Neighbors
from semiaudit.model.bound import Bound, CanBeIncomplete, Causes
from semiaudit.model.guarantee import Numbers

Target = Literal["pure_dp", "approx_dp", "zcdp", "gdp", "tradeoff", "guess"]
TARGETS: tuple[Target, ...] = get_args(Target)
"""The targets of a conversion."""


@dataclass(frozen=True, slots=True)
class ConversionQuestion:
    """A question about a mechanism in all of D.

    Attributes:
        text: the mechanism as it was written.
        distance: the largest distance of pairs of datasets.
        epsilons: epsilons at which delta is computed. rates: type I errors.
        priors: the success probabilities of a guess of an attribute without the release.
        target: the requested measure; None for all.
        neighbors: the neighboring datasets for which the mechanism's numbers hold, where its text
            does not say; None for those of the metric.
        solved: what was solved for, in words; empty if nothing was.
    """

    text: str
    distance: int
    metric: Metric
    deltas: tuple[Fraction, ...]
    epsilons: tuple[Fraction, ...]
    rates: tuple[Fraction, ...]
    priors: tuple[Fraction, ...]
    target: Target | None = None
    neighbors: Neighbors | None = None
    solved: str = ""


@dataclass(frozen=True, slots=True)
class Conversion(CanBeIncomplete):
    """The answer: certified numbers, as a report has them.

    Attributes:
        profile: (epsilon, upper bound on delta).
        guesses: (prior, upper bound on the success probability of the best guess of an attribute).
        incomplete_because: why some numbers are wider than requested; empty if none is.
    """

    question: ConversionQuestion
    numbers: Numbers
    profile: tuple[tuple[Fraction, Bound], ...]
    guesses: tuple[tuple[Fraction, Bound], ...]
    incomplete_because: Causes
