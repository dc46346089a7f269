"""The description of a sample: how a mechanism was run, and how exactly; not the numbers."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import ClassVar

from semiaudit.frozen import dataclass
from semiaudit.model.bound import CanBeIncomplete, Causes
from semiaudit.model.randomizers import Names, Swapping
from semiaudit.model.results.errors import CountErrors


@dataclass(frozen=True, slots=True)
class SampledPart:
    """A part of a mechanism that was run.

    Attributes:
        kind: the kind of the noise, as the spec names it.
        query: the query to which it is added.
        runs: the number of runs of the part in one run of the mechanism.
        coordinates: of the answer.
        whole: whether the numbers are integers.
        method: the algorithm of the sampler.
        exactness: what is exact about the samples.
        measured: the quality of an approximate sampler; empty for exact ones.
    """

    kind: str
    query: str
    runs: int
    coordinates: int
    whole: bool
    method: str
    exactness: str
    measured: str = ""


@dataclass(frozen=True, slots=True)
class StrataSummary:
    """The strata of some records, which are public.

    Attributes:
        number: of strata that hold a record.
        single: those of one record, which stays as it is.
        largest: records of the largest one.
    """

    number: int
    single: int
    largest: int


@dataclass(frozen=True, slots=True)
class SwapMoves:
    """The moves of a swap in all strata together, which are confidential.

    Attributes:
        selected: records that were selected in the end.
        reselected: strata that were selected again, since exactly one record was selected.
        selections: how often they were, in all.
        alone: strata of which one record was selected and stayed, for want of reselection.
        moved: records with other values of the exchanged attributes than before.
    """

    selected: int = 0
    reselected: int = 0
    selections: int = 0
    alone: int = 0
    moved: int = 0

    def __add__(self, other: SwapMoves) -> SwapMoves:
        return SwapMoves(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True, slots=True)
class SampledSwap:
    """The result of a swap of the records.

    Attributes:
        part: the swapping as the spec states it.
        records: of the data.
        strata: of the data.
        moves: what happened in them.
        kept: margins that swapping keeps; they were counted again and are those of the data.
        left_out: columns of the data that the dataspace does not know, and that were not written.
    """

    part: Swapping
    records: int
    strata: StrataSummary
    moves: SwapMoves
    kept: tuple[Names, ...]
    left_out: Names = ()


@dataclass(frozen=True, slots=True)
class SwapError:
    """The error of one table under one swap of the data.

    Attributes:
        rate: the swap rate.
        run: from 1.
        moved: records with other values of the exchanged attributes than before.
        epsilon: what a swap at this rate loses at most per record that differs, inside D_t.
        error: the mean absolute percentage error: over the cells that hold a record, the mean of
            the change of their counts, in percent of the count.
    """

    rate: Fraction
    run: int
    moved: int
    epsilon: Fraction
    error: float


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
    """The error of a two-way table as a function of the swap rate.

    Attributes:
        table: the two attributes.
        cells: of the table, that hold a record and count.
        empty: its other cells; nothing is a percentage of their counts.
        errors: rate by rate and run by run.
    """

    table: Names
    cells: int
    empty: int
    errors: tuple[SwapError, ...]


@dataclass(frozen=True, slots=True)
class Sample(CanBeIncomplete):
    """The run of a mechanism.

    Attributes:
        path, sha256, title: of the spec.
        source: where the randomness came from, in words.
        seed: None if it came from the operating system.
        draws: how often the whole mechanism was performed.
        answers: numbers are noisy answers; else they are noise alone.
        data: where the table was, in words; empty without answers.
        fit: by which norm answers were replaced by whole numbers from 0 on; None: they were not.
        rows: of the table that was drawn.
        distance: of semi-adjacency that the noise is made for; None if none is known.
        parts: of the mechanism.
        notes: what a reader must know.
        swap: what a swap did; None for noise, and where only its utility was asked for.
        utility: the error of a table by the swap rate; None if it was not asked for.
        errors: of the cells, and of each margin that was named.
        files: the paths that the rows are written to.
        totals_first: margins were fitted before cells.
    """

    incomplete_because: ClassVar[Causes] = ()
    path: str
    sha256: str
    title: str
    source: str
    seed: int | None
    draws: int
    answers: bool
    data: str
    fit: str | None
    rows: int
    distance: int | None
    parts: tuple[SampledPart, ...]
    notes: tuple[str, ...]
    swap: SampledSwap | None = None
    utility: UtilityCurve | None = None
    errors: tuple[CountErrors, ...] = ()
    files: tuple[str, ...] = ()
    totals_first: bool = False
