"""The description of a sample: how a mechanism was run, and how exactly; not the numbers."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from semiaudit.frozen import dataclass
from semiaudit.model.bound import CanBeIncomplete, Causes
from semiaudit.model.randomizers import Names, Swapping
from semiaudit.model.results.errors import CountErrors


@dataclass(frozen=True, slots=True)
class SampledPart:
    """A part of a mechanism that was run."""

    kind: Annotated[str, "the kind of the part, as the spec names it"]
    query: Annotated[str, "the query that noise is added to, or the exchanged attributes"]
    runs: Annotated[int, "the number of runs of the part in one run of the mechanism"]
    coordinates: Annotated[int, "the number of values of one run"]
    whole: Annotated[bool, "whether the values are whole numbers"]
    method: Annotated[str, "the sampling algorithm"]
    exactness: Annotated[str, "how exactly the sampler follows the distribution"]
    measured: Annotated[str, "diagnostics of an approximate sampler; empty for an exact one"] = ""


@dataclass(frozen=True, slots=True)
class StrataSummary:
    """The strata of some records, which are public."""

    number: Annotated[int, "the number of strata with a record"]
    single: Annotated[int, "the number of strata with one record, which stays"]
    largest: Annotated[int, "the number of records of the largest stratum"]


@dataclass(frozen=True, slots=True)
class SwapMoves:
    """The moves of a swap in all strata together, which are confidential.

    Attributes:
        reselected: since exactly one record of them was selected.
        alone: for want of reselection.
    """

    selected: Annotated[int, "the number of selected records, after reselection"] = 0
    reselected: Annotated[int, "the number of strata with a reselection"] = 0
    selections: Annotated[int, "the total number of reselections"] = 0
    alone: Annotated[int, "the number of strata whose only selected record stayed"] = 0
    moved: Annotated[int, "records with other values of the exchanged attributes"] = 0

    def __add__(self, other: SwapMoves) -> SwapMoves:
        return SwapMoves(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True, slots=True)
class SampledSwap:
    """The result of a swap of the records.

    Attributes:
        part: the swapping as the spec states it.
        kept: margins that swapping keeps; they were counted again.
        left_out: the dataspace does not know them.
    """

    part: Swapping
    records: Annotated[int, "the number of records of the data"]
    strata: StrataSummary
    moves: SwapMoves
    kept: Annotated[tuple[Names, ...], "the margins that are equal to those of the data"]
    left_out: Annotated[Names, "the columns of the data that were not written"] = ()


@dataclass(frozen=True, slots=True)
class SwapError:
    """The error of one table under one swap of the data.

    Attributes:
        epsilon: inside D_t.
        error: over the cells that hold a record, the mean of the change of their counts, in percent
            of the count.
    """

    rate: Annotated[Fraction, "the swap rate, as a fraction"]
    run: Annotated[int, "the number of the run, from 1"]
    moved: Annotated[int, "records with other values of the exchanged attributes"]
    epsilon: Annotated[Fraction, "ε for each record that differs, at this rate, rounded up"]
    error: Annotated[float, "the mean absolute percentage error"]


@dataclass(frozen=True, slots=True)
class CurveQuestion:
    """The curve of the utility of swapping that is asked for.

    Attributes:
        table: the two attributes of the table.
        rates: swap rates, each above 0 and below 1.
        runs: how often the data are swapped at each rate.
    """

    table: tuple[str, str]
    rates: tuple[Fraction, ...]
    runs: int


@dataclass(frozen=True, slots=True)
class UtilityCurve:
    """The error of a two-way table as a function of the swap rate."""

    table: Annotated[Names, "the two attributes of the table"]
    cells: Annotated[int, "the number of cells with a record, which the error covers"]
    empty: Annotated[int, "the number of cells without a record, which the error leaves out"]
    errors: Annotated[tuple[SwapError, ...], "the errors by rate and run"]


@dataclass(frozen=True, slots=True)
class Sample(CanBeIncomplete):
    """The run of a mechanism.

    Attributes:
        fit: by which norm answers were replaced by whole numbers from 0 on; None: they were not.
        swap: None also where only its utility was asked for.
        files: the paths that the rows are written to.
    """

    incomplete_because: ClassVar[Causes] = ()
    path: Annotated[str, "the path of the spec"]
    sha256: Annotated[str, "the SHA-256 of the public content of the spec"]
    title: Annotated[str, "the title of the spec"]
    source: Annotated[str, "the source of the randomness"]
    seed: Annotated[int | None, "the seed in digits; null for randomness from the operating system"]
    draws: Annotated[int, "the number of independent runs of the mechanism"]
    answers: Annotated[
        bool, "whether the rows are noisy answers computed from data; false: noise alone"
    ]
    data: Annotated[str, "the place of the data; empty for noise alone"]
    fit: Annotated[
        Literal["l1", "l2"] | None,
        "the norm in which nearest tables were computed; null: none were",
    ]
    rows: Annotated[int, "the number of rows of the files"]
    distance: Annotated[int | None, "the semi-adjacency distance that the noise is for"]
    parts: Annotated[
        tuple[SampledPart, ...], "the parts of the mechanism, as the files number them"
    ]
    notes: Annotated[tuple[str, ...], "notes for the reader of the sample"]
    swap: Annotated[SampledSwap | None, "the result of a swap; null for noise"] = None
    utility: Annotated[
        UtilityCurve | None, "the errors of a table by the swap rate; null: not requested"
    ] = None
    errors: Annotated[
        tuple[CountErrors, ...], "the errors of the cells, and of each margin that was named"
    ] = ()
    files: tuple[str, ...] = ()
    totals_first: Annotated[bool, "whether margins were fitted before the cells"] = False
