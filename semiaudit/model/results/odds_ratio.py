"""The semi-private test of an odds ratio: what is asked, and what is found."""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from typing import ClassVar, Literal, get_args

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric
from semiaudit.model.bound import Bound, CanBeIncomplete, Causes
from semiaudit.model.measure import GDP, ApproxDP

NoiseName = Literal["tulap", "lemma_36", "normal"]
NOISE_NAMES: tuple[NoiseName, ...] = get_args(NoiseName)
"""The canonical noise of a test; a tradeoff function may have more than one."""

Alternative = Literal["greater", "less", "two-sided"]
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
"""The odds ratio under the alternative to independence: above 1, below 1, or either."""


@dataclass(frozen=True, slots=True)
class Margins:
    """The one-way margins of a 2x2 table, which are public.

    Attributes:
        first_row: x11 + x12. second_row: x21 + x22. first_column: x11 + x21.
    """

    first_row: int
    second_row: int
    first_column: int

    def __post_init__(self) -> None:
        if min(self.first_row, self.second_row, self.first_column) < 0:
            raise ValueError("a margin is a count, and not below 0")
        if self.first_column > self.size:
            raise ValueError("the first column has more records than both rows together")

    @property
    def size(self) -> int:
        """Return the number of records."""
        return self.first_row + self.second_row

    @property
    def least(self) -> int:
        """The smallest x21 that the margins allow."""
        return max(0, self.first_column - self.first_row)

    @property
    def most(self) -> int:
        """The largest x21 that the margins allow."""
        return min(self.second_row, self.first_column)

    def table(self, count: int) -> tuple[int, int, int, int]:
        """The table (x11, x12, x21, x22) of these margins with that x21."""
        from_first = self.first_column - count
        return from_first, self.first_row - from_first, count, self.second_row - count


@dataclass(frozen=True, slots=True)
class OddsRatioQuestion:
    """The question that a test answers about a table.

    Attributes:
        measure: f, as epsilon and delta or as mu.
        noise: which canonical noise of f.
        level: the largest probability that the null hypothesis is rejected where it holds.
        odds_ratios: at which the power is computed.
        seed: of the noise, for examples only; None: the operating system's randomness.
    """

    measure: ApproxDP | GDP
    noise: NoiseName
    alternative: Alternative
    level: Fraction
    odds_ratios: tuple[Fraction, ...]
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Labels:
    """The names of the rows and columns of a table in a spec.

    Attributes:
        rows, columns: (attribute, its first level, its second level).
    """

    path: str
    rows: tuple[str, str, str]
    columns: tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose margins are published, and what else is known of it.

    Attributes:
        count: x21, which is confidential: no report shows it. None if only a noisy one is known.
        noisy_count: x21 with noise, as it was released; None if the noise is still to be drawn.
        metric, distance: between which datasets of D_t x21 moves by at most 1: those up to a(t), or
            up to the distance that a spec gives instead.
        only_margins: nothing but the margins (and the number of records) is published.
    """

    margins: Margins
    count: int | None = field(repr=False)
    noisy_count: Fraction | None
    metric: Metric
    distance: int
    only_margins: bool = True
    labels: Labels | None = None


@dataclass(frozen=True, slots=True)
class OddsRatioTest(CanBeIncomplete):
    """The result of a test.

    Attributes:
        statistic: x21 with noise.
        p_value: rounded up.
        at_least: the smallest statistic that rejects for a large odds ratio, rounded up; None
            if none does.
        at_most: the largest that rejects for a small one, rounded down; None if none does.
        power: (odds ratio, probability to reject, rounded down).
    """

    incomplete_because: ClassVar[Causes] = ()
    question: OddsRatioQuestion
    table: Table
    statistic: Fraction
    p_value: Bound
    at_least: Bound | None
    at_most: Bound | None
    power: tuple[tuple[Fraction, Bound], ...]

    @property
    def rejects(self) -> bool:
        """Return whether the null hypothesis is rejected at the level."""
        return self.p_value.within(self.question.level)

    @property
    def drawn(self) -> bool:
        """Return whether the noise was sampled for this test, and not before."""
        return self.table.noisy_count is None

    @property
    def optimal(self) -> bool:
        """Return whether the test is uniformly most powerful among unbiased ones (Theorem 37)."""
        return self.question.alternative != "two-sided" and self.table.only_margins
