"""The errors of a release's counts: of noisy answers, of fitted tables, and of swapped records.

A margin is estimated by the noisy answers that it sums; of several queries, by that with the least
variance. Errors come from the law of the sums if it is known, and from samples otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import groupby, product
from math import prod
from operator import attrgetter

import numpy as np
from scipy.sparse import csr_array

from semiaudit import deadline, progress
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import cached_property, dataclass
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.sampling.sampling_methods import Drawing
from semiaudit.mechanisms.sum_laws import (
    Floats,
    Integers,
    SumLaws,
    gaussian_masses,
    sum_laws,
    whole_laws,
)
from semiaudit.mechanisms.swapping.cells import codes_of
from semiaudit.mechanisms.swapping.swapped_table import SwappableTable, check_table, swappable
from semiaudit.mechanisms.topdown.fitted_table import FittedTables
from semiaudit.mechanisms.topdown.measured_counts import TopDownCount, cells_of, counts_of
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.mechanism import FiniteNoise, Noise, NoisePart, Part
from semiaudit.model.query import Query, width
from semiaudit.model.randomizers import Swapping
from semiaudit.model.results.errors import (
    CountErrors,
    ErrorQuestion,
    LevelBias,
    Names,
    SizeError,
    Stage,
    TableErrors,
)
from semiaudit.model.topdown import TopDown
from semiaudit.universe.sensitivity.answers import Answers, Records
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

MOST_CELLS = 50_000
"""The most possible cells of a table whose errors are computed."""

BEYOND = 0.05
"""The probability of an error above the margin of error."""

MOST_RUNS, LEAST_RUNS, HELD = 1_000, 20, 300_000
"""By default, errors of noise come from so many samples, or from fewer of large tables."""


RUNS = 20
"""By default, errors of tables that are fitted or swapped come from so many runs."""


@dataclass(frozen=True)
class SampledErrors:
    """Errors in some runs of the mechanism: runs x counts."""

    values: Floats

    @property
    def square(self) -> Floats:
        """Return the mean square error of each count."""
        return np.asarray((self.values**2).mean(axis=0))

    @property
    def absolute(self) -> Floats:
        """Return the mean absolute error of each count."""
        return np.asarray(np.abs(self.values).mean(axis=0))

    @property
    def bias(self) -> Floats:
        """Return the mean error of each count."""
        return np.asarray(self.values.mean(axis=0))

    def beyond(self, sizes: Floats) -> Floats:
        """Return the share of the runs in which the error of each count exceeds its size."""
        return np.asarray((np.abs(self.values) > sizes).mean(axis=0))

    def quantile(self, beyond: float) -> float:
        """Return the least size that this share of all errors exceeds."""
        return float(np.quantile(np.abs(self.values), 1 - beyond, method="inverted_cdf"))


Errors = SumLaws | SampledErrors


@dataclass(frozen=True)
class NoisyCounts:
    """Noisy counts that partition the possible cells.

    Attributes:
        part: the part of the mechanism, from 1.
        place: the index of each possible cell's count.
        laws: the laws of sums of counts, a 0-1 matrix; None if they are not known.
        sampled: the noise of the counts in some runs: runs x counts; None if it is not sampled.
    """

    part: int
    place: Integers
    laws: Callable[[csr_array], SumLaws | None]
    sampled: Callable[[int], Floats] | None = None


class ErrorTable:
    """The table whose errors are computed.

    Args:
        question: the margins, and the number of runs.
        table: the confidential counts, for errors that are functions of them; None to leave these
            out.

    Raises:
        RefusedError: a margin names what is not an attribute, or the table is too large.
    """

    def __init__(
        self,
        space: TableSpace,
        question: ErrorQuestion,
        table: Mapping[tuple[int, ...], int] | None,
    ) -> None:
        names = tuple(attribute.name for attribute in space.attributes)
        strange = [name for by in question.by for name in by if name not in names]
        if strange:
            what = f"--by: {strange[0]} is not an attribute"
            raise RefusedError(
                Refusal(what, f"name one of {', '.join(names)}", "dataspace.attributes")
            )
        self._space, self._question = space, question
        self.margins = tuple(dict.fromkeys((names, *question.by)))
        self.table = table
        records = Records(space)
        self.fits = records.within(records.components, MOST_CELLS)
        if question.by and not self.fits:
            what = f"--by is for tables with at most {MOST_CELLS:,} possible cells"
            raise RefusedError(Refusal(what, "remove it", "dataspace"))

    @cached_property
    def cells(self) -> Integers:
        """Return the levels of the possible cells: cells x attributes."""
        records = Records(self._space)
        levels = list(records.some(records.components)) if self.fits else []
        return np.array(levels, dtype=np.int64).reshape(-1, len(self._space.attributes))

    @cached_property
    def place_of(self) -> dict[tuple[int, ...], int]:
        """Return the index of each possible cell, by its levels."""
        return {tuple(levels): at for at, levels in enumerate(self.cells.tolist())}

    @cached_property
    def true(self) -> Floats | None:
        """Return the confidential counts of the possible cells."""
        return None if self.table is None else self.of_counts(self.table)

    def of_counts(self, counts: Mapping[tuple[int, ...], int]) -> Floats:
        """Return the counts of the possible cells, from those of the occupied ones."""
        return np.array([float(counts.get(levels, 0)) for levels in self.place_of])

    @property
    def row_major(self) -> list[int]:
        """Return the confidential counts of all cells, with those of impossible ones."""
        sizes = [attribute.size for attribute in self._space.attributes]
        counts = self.table or {}
        return [counts.get(levels, 0) for levels in product(*map(range, sizes))]

    def place(self, by: Names) -> Integers:
        """Return the index of the count of each cell in a margin."""
        columns = [self._space.position(name) for name in by]
        return np.asarray(np.unique(codes_of(self.cells[:, columns]), return_inverse=True)[1])

    def of_row(self, cells: Sequence[float]) -> Floats:
        """Return the possible cells of a table that is given row-major."""
        sizes = [attribute.size for attribute in self._space.attributes]
        places = np.ravel_multi_index(tuple(self.cells.T), sizes)
        return np.asarray(np.asarray(cells, dtype=float)[places])

    @property
    def asked_runs(self) -> int | None:
        """Return how often the mechanism is to be sampled; None for a default."""
        return self._question.runs

    def runs(self, default: int = MOST_RUNS) -> int:
        """Return how often the mechanism is sampled."""
        least = max(LEAST_RUNS, HELD // max(1, len(self.cells)))
        return self._question.runs or min(default, least)

    def of_noise(self, sources: Sequence[NoisyCounts]) -> Iterator[CountErrors]:
        """Yield the errors of each margin that some noisy counts determine."""
        for by in self.margins if len(self.cells) else ():
            place = self.place(by)
            best: tuple[Errors, int | None, int] | None = None
            for source in sources:
                deadline.check()
                sums = _sums(source.place, place)
                if sums is None:
                    continue
                found = self._errors(source, sums)
                if found is None:
                    continue
                errors, runs = found
                if best is None or errors.square.sum() < best[0].square.sum():
                    best = errors, runs, source.part
            if best is not None:
                yield self._summary("noisy", best[2], by, place, best[0], best[1])

    def of_rows(self, source: NoisyCounts) -> Iterator[CountErrors]:
        """Yield the errors of noisy answers that are no margins."""
        found = self._errors(source, csr_array(np.eye(source.place.size)))
        if found is not None:
            yield self._summary("noisy", source.part, (), source.place, *found)

    def _errors(self, source: NoisyCounts, sums: csr_array) -> tuple[Errors, int | None] | None:
        errors = source.laws(sums)
        if errors is not None:
            return errors, None
        if source.sampled is None:
            return None
        runs = self.runs()
        return SampledErrors(np.asarray(source.sampled(runs) @ sums.T)), runs

    def of_tables(
        self, stage: Stage, tables: Iterable[Sequence[float] | Floats], part: int = 1
    ) -> Iterator[CountErrors]:
        """Yield the errors of each margin of some tables of counts by possible cell.

        There are none without the confidential counts; the tables are then not made.
        """
        if self.true is None or not self.true.size:
            return
        errors = np.array([np.asarray(table, dtype=float) - self.true for table in tables])
        for by in self.margins:
            place = self.place(by)
            sums = [np.bincount(place, weights=run) for run in errors]
            values = SampledErrors(np.array(sums))
            yield self._summary(stage, part, by, place, values, len(errors))

    def _summary(
        self, stage: Stage, part: int, by: Names, place: Integers, errors: Errors, runs: int | None
    ) -> CountErrors:
        return CountErrors(
            part,
            stage,
            by,
            len(by) == len(self._space.attributes),
            int(place.max()) + 1,
            runs,
            float(np.sqrt(errors.square.mean())),
            errors.quantile(BEYOND),
            float(errors.absolute.mean()),
            self._of_table(self.true, by, place, errors) if by and self.true is not None else None,
        )

    def _of_table(self, cells: Floats, by: Names, place: Integers, errors: Errors) -> TableErrors:
        counts = np.bincount(place, weights=cells)
        positive, sizes = counts > 0, []
        low = 1
        while low <= counts.max():
            inside = (low <= counts) & (counts < 10 * low)
            if inside.any():
                error = float((errors.absolute[inside] / counts[inside]).mean())
                sizes.append(SizeError(low, 10 * low - 1, int(inside.sum()), error))
            low *= 10
        above = errors.beyond(np.where(positive, counts, np.inf) / 10)
        return TableErrors(
            tuple(sizes),
            float(above[positive].mean()) if positive.any() else None,
            float(errors.bias[~positive].mean()) if not positive.all() else None,
            tuple(self._smallest(name, cells, place, errors.bias) for name in by),
        )

    def _smallest(self, name: str, cells: Floats, place: Integers, bias: Floats) -> LevelBias:
        at = self._space.position(name)
        records = np.bincount(self.cells[:, at], weights=cells)
        possible = np.unique(self.cells[:, at])
        level = int(possible[np.argmin(records[possible])])
        counts = np.unique(place[self.cells[:, at] == level])
        label = str(self._space.attributes[at].label(level))
        return LevelBias(name, label, float(bias[counts].mean()))


def errors_of_noise(
    table: ErrorTable,
    part: NoisePart | FiniteNoise,
    query: Query,
    drawing: Drawing,
    spaces: SensitivitySpaces,
    exact: Sequence[int] | None,
    number: int = 1,
) -> Iterator[CountErrors]:
    """Yield the errors of the margins that the noisy answers to a query determine.

    Samples of a random walk take long, and have no proven law: without a number of runs, there are
    no errors for them.

    Args:
        exact: the answers without noise, if its law depends on them.
        number: of the part.
    """
    if drawing.of_answers and (exact is None or table.true is None):
        return
    if drawing.approximate and table.asked_runs is None:
        return
    answers, sources, first = Answers(spaces.table, query), [], 0
    coordinates = width(query, spaces.table)

    def sampled(runs: int, columns: Integers) -> Floats:
        known = exact if drawing.of_answers else None
        rows = drawing.outputs(known, runs, Randomness(0))
        noise = np.array([np.asarray(row, dtype=float)[columns] for row in rows])
        return noise if known is None else noise - np.asarray(known, dtype=float)[columns]

    def laws(sums: csr_array, columns: Integers) -> SumLaws | None:
        shape = sums.shape[0], coordinates
        wide = csr_array((sums.data, columns[sums.indices], sums.indptr), shape=shape)
        return sum_laws(part, query, spaces, wide)

    for margin in answers.margins:
        sizes = [answers.sizes[place] for place in margin]
        codes = np.full(len(table.cells), first, dtype=np.int64)
        if margin:
            codes += np.ravel_multi_index(tuple(table.cells[:, list(margin)].T), sizes)
        columns, place = np.unique(codes, return_inverse=True)
        functions = partial(laws, columns=columns), cache(partial(sampled, columns=columns))
        sources.append(NoisyCounts(number, place, *functions))
        first += prod(sizes)
    yield from table.of_noise(sources)
    if answers.matrix is not None:
        rows = np.arange(coordinates)
        functions = partial(laws, columns=rows), cache(partial(sampled, columns=rows))
        yield from table.of_rows(NoisyCounts(number, rows, *functions))


def errors_of_fit(
    table: ErrorTable,
    drawing: Drawing,
    exact: Sequence[int] | None,
    fit: FittedTables,
    number: int = 1,
) -> Iterator[CountErrors]:
    """Yield the errors of tables that are fitted to the noisy answers to the query ``table``.

    There are none for a random walk without a number of runs.

    Args: as for ``errors_of_noise``; the answers are needed.
    """

    if drawing.approximate and table.asked_runs is None:
        return

    def fitted() -> Iterator[Floats]:
        for row in drawing.outputs(exact, table.runs(RUNS), Randomness(0)):
            progress.doing("the errors of fitted tables")
            yield table.of_row(fit.of(row))

    yield from table.of_tables("fitted", fitted(), number)


def errors_of_topdown(
    table: ErrorTable,
    cells: Sequence[tuple[int, ...]],
    counts: Iterable[Sequence[TopDownCount]],
    number: int = 1,
) -> Iterator[CountErrors]:
    """Yield the errors of the margins that the noisy counts of a hierarchical release determine.

    Args:
        cells: the cells of the counts. counts: of each level. number: of the part.
    """
    sources = []
    for of_level in counts:
        for noisy, group in groupby(of_level, key=attrgetter("noisy")):
            place = np.full(len(table.place_of), -1)
            for at, count in enumerate(group):
                place[[table.place_of[cells[cell]] for cell in count.cells]] = at
            masses = gaussian_masses(float(noisy.sigma_squared))
            # A count of some records only is not a margin.
            if place.size and place.min() >= 0 and masses is not None:
                sources.append(NoisyCounts(number, place, partial(_whole, masses=masses)))
    yield from table.of_noise(sources)


def _whole(sums: csr_array, masses: Floats) -> SumLaws | None:
    return whole_laws(np.asarray(sums.sum(axis=1)).astype(np.int64), masses)


def errors_of_swaps(
    table: ErrorTable, records: SwappableTable, rate: Fraction, part: Swapping, number: int = 1
) -> Iterator[CountErrors]:
    """Yield the errors of swapped tables, from runs with a fixed seed.

    Args:
        records: the confidential records. number: of the part.
    """

    def swaps() -> Iterator[Floats]:
        source = Randomness(0)
        for _ in range(table.runs(RUNS)):
            progress.doing("the errors of swapped tables")
            deadline.check()
            after, _ = records.swapped(rate, part, source)
            levels = map(tuple, after.levels.tolist())
            yield table.of_counts(dict(zip(levels, after.counts.tolist(), strict=True)))

    yield from table.of_tables("swapped", swaps(), number)


def errors_of_part(
    table: ErrorTable, part: Part, spaces: SensitivitySpaces, number: int = 1
) -> Iterator[CountErrors]:
    """Yield the errors of a part of a mechanism; none if they are not known.

    Args:
        number: of the part, from 1.

    Raises:
        RefusedError: the part cannot be sampled.
        OutOfTimeError: the time limit was reached.
    """
    match part:
        case Noise(query=query) if query is not None:
            drawing = kind_of(part).sampler(part)(spaces, None)
            yield from errors_of_noise(table, part, query, drawing, spaces, None, number)
        case TopDown() if table.fits:
            cells = cells_of(part, spaces.table)
            yield from errors_of_topdown(table, cells, counts_of(part, spaces.table, cells), number)
        case Swapping(rate=rate) if rate is not None and table.table and table.fits:
            records = swappable(part, check_table(part, spaces.table), table.table)
            yield from errors_of_swaps(table, records, rate, part, number)


def _sums(source: Integers, target: Integers) -> csr_array | None:
    """Return the counts of a target as sums of those of a source, by the counts of each cell.

    None if a count of the source has cells of several counts of the target.
    """
    pairs = np.unique(np.stack([target, source]), axis=1)
    if pairs.shape[1] != int(source.max()) + 1:
        return None
    shape = int(target.max()) + 1, int(source.max()) + 1
    return csr_array((np.ones(pairs.shape[1]), (pairs[0], pairs[1])), shape=shape)
