"""The errors of published counts, in the same units for every mechanism."""

from __future__ import annotations

from typing import Annotated, Literal

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
    """The mean relative error of the true counts from ``low`` to ``high``."""

    low: Annotated[int, "the smallest true count of the class"]
    high: Annotated[int, "the largest true count of the class"]
    counts: Annotated[int, "the number of counts in the class"]
    error: Annotated[float, "the mean of |error| / count"]


@dataclass(frozen=True, slots=True)
class LevelBias:
    """The mean error of the counts of an attribute's level with the fewest records."""

    attribute: str
    level: Annotated[str, "its level with the fewest records"]
    bias: Annotated[float, "the mean error of the counts of this level"]


@dataclass(frozen=True, slots=True)
class TableErrors:
    """Errors that are functions of the confidential table.

    Attributes:
        sizes: by the number of digits of the true count.
        above_tenth: with an error above 10 percent; None without any.
        zeros: None without any.
        smallest: for each attribute of the margin.
    """

    sizes: Annotated[tuple[SizeError, ...], "relative errors by the size of the true count"]
    above_tenth: Annotated[
        float | None, "the share of positive counts with a larger relative error"
    ]
    zeros: Annotated[float | None, "the mean error of counts that are truly 0"]
    smallest: Annotated[tuple[LevelBias, ...], "the bias of the smallest groups"]


@dataclass(frozen=True, slots=True)
class CountErrors:
    """The errors of the counts of one margin; "a count" is one that is chosen at random.

    Attributes:
        by: empty for the rows of a matrix.
        table: also None without a table.
    """

    part: Annotated[int, "the part of the mechanism, from 1"]
    stage: Annotated[
        Stage,
        "what has the errors: noisy answers, a table that is fitted to them, or swapped records",
    ]
    by: Annotated[Names, "the attributes of the margin"]
    cells: Annotated[bool, "whether the margin is the table itself"]
    counts: Annotated[int, "the number of counts"]
    runs: Annotated[
        int | None,
        "the number of sampled runs; null if the numbers follow from the law of the noise",
    ]
    deviation: Annotated[float, "the root of the mean square error"]
    margin_of_error: Annotated[
        float, "the number that the error of a random count does not exceed with probability 95%"
    ]
    absolute: Annotated[float, "the mean of |error| over all counts"]
    table: Annotated[
        TableErrors | None,
        "errors that are functions of the confidential table: do not publish them; null "
        "without --show-values",
    ]
