"""The errors of published counts, in the same units for every mechanism."""

from __future__ import annotations

from typing import Literal

from semiaudit.frozen import dataclass

Names = tuple[str, ...]

Stage = Literal["noisy", "fitted", "swapped"]
"""What is compared with the true counts: noisy answers, a table that is fitted to them, or swapped
records."""


FitNorm = Literal["l1", "l2"]
"""The distance that a fitted table minimizes."""


FitWay = Literal["nearest", "topdown"]
"""The nearest table, or margins before cells."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """How tables of nonnegative whole numbers replace noisy tables.

    Attributes:
        totals_first: fit margins before cells, instead of the nearest table.
    """

    norm: FitNorm
    totals_first: bool = False


@dataclass(frozen=True, slots=True)
class ErrorQuestion:
    """The errors that are asked for.

    Attributes:
        by: the margins that are named, in addition to the cells.
        runs: of the mechanism, if errors come from samples; None for a default.
        fitting: of noisy tables; None for none.
    """

    by: tuple[Names, ...] = ()
    runs: int | None = None
    fitting: Fitting | None = None


NO_MARGIN = ErrorQuestion()


@dataclass(frozen=True, slots=True)
class SizeError:
    """The mean relative error of the true counts from ``low`` to ``high``; there are ``counts``."""

    low: int
    high: int
    counts: int
    error: float


@dataclass(frozen=True, slots=True)
class LevelBias:
    """The mean error of the counts of an attribute's level with the fewest records."""

    attribute: str
    level: str
    bias: float


@dataclass(frozen=True, slots=True)
class TableErrors:
    """Errors that are functions of the confidential table.

    Attributes:
        sizes: by the number of digits of the true count.
        above_tenth: the share of positive counts with an error above 10 percent; None without any.
        zeros: the mean error of counts that are truly 0; None without any.
        smallest: for each attribute of the margin.
    """

    sizes: tuple[SizeError, ...]
    above_tenth: float | None
    zeros: float | None
    smallest: tuple[LevelBias, ...]


@dataclass(frozen=True, slots=True)
class CountErrors:
    """The errors of the counts of one margin; "a count" is one that is chosen at random.

    Attributes:
        part: of the mechanism, from 1.
        by: the attributes of the margin; empty for the rows of a matrix.
        cells: whether the margin is the table itself.
        counts: how many there are.
        runs: of the mechanism that were sampled; None if the law of the errors is known.
        deviation: the root of the mean square of the error.
        margin_of_error: the error of a count is no larger with probability 95 percent.
        absolute: the mean absolute error.
        table: None without the permission to print them, or without a table.
    """

    part: int
    stage: Stage
    by: Names
    cells: bool
    counts: int
    runs: int | None
    deviation: float
    margin_of_error: float
    absolute: float
    table: TableErrors | None
