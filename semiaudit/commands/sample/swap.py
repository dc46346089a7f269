"""Run a swap: records exchange values inside their stratum; the error of a table by swap rate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field as field_of
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from semiaudit import deadline, progress
from semiaudit.auditing.confidential_table import (
    OWN,
    Data,
    Table,
    counts_of,
    given_of,
    table_inside_of,
)
from semiaudit.commands.sample.rows import Kinds, field, free_name, line
from semiaudit.data.kept_types import kept_types
from semiaudit.data.tallies import columns_of
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.count_errors import ErrorTable, errors_of_swaps
from semiaudit.mechanisms.kind import refused
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.swapping.cells import Cells, codes_of
from semiaudit.mechanisms.swapping.stratum_loss import sizes_up_to, unit_loss
from semiaudit.mechanisms.swapping.swapped_table import SwappableTable, check_table, swappable
from semiaudit.model.audit import Release
from semiaudit.model.data_source import Access, DataSource
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import known
from semiaudit.model.invariants.constraint import SameMargin, SameSize, Within
from semiaudit.model.randomizers import Names, Swapping, SwapVariant
from semiaudit.model.results.errors import CountErrors, ErrorQuestion
from semiaudit.model.results.sample import (
    CurveQuestion,
    Sample,
    SampledPart,
    SampledSwap,
    SwapError,
    UtilityCurve,
)
from semiaudit.numeric.limits import Limits
from semiaudit.report.blocks.count_errors import error_notes
from semiaudit.spec.build import Loaded
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

NOT_AUDITED = "the mechanism cannot be audited, so it does not run; see `semiaudit analyze`"
"""What a refusal of the audit means here."""

AT_ONCE = 10_000
"""Equal records that are written as one text."""

SEEDED = (
    "anyone who knows the seed can undo much of the swap: use a seed only for tests, and do not "
    "publish the records"
)
CONFIDENTIAL = (
    "publish only the swapped records and the counts that swapping keeps: the numbers of selected "
    "and moved records, and the errors, are computed from the confidential data, and no audit "
    "covers them"
)
NOT_KEPT = (
    "the spec publishes {names} exactly, and swapping does not keep it: the swapped records can "
    "have another value"
)
STILL = (
    "the swap changes nothing: no stratum has two records that differ both in the exchanged "
    "attributes and in the others, so the counts that swapping keeps disclose every record"
)
LEFT_OUT = (
    "columns that are not attributes of the dataspace were not written, because the audit does not "
    "cover them; add an attribute for each column that the release needs"
)


@dataclass(frozen=True)
class Swapped:
    """The result of a swap.

    Attributes:
        sample: its description.
        space: the attributes.
        cells: the swapped table; None if only its utility was requested.
        counts: whether rows are cells with a column of counts, as in the data; otherwise, rows are
            records.
        types: the types of the attribute columns in Parquet, if known from the data.
    """

    sample: Sample
    space: TableSpace
    cells: Cells | None
    counts: bool
    types: Mapping[str, str] = field_of(default_factory=dict)

    @property
    def columns(self) -> Kinds:
        """Return the columns of the rows of ``lines``: the attributes, by name."""
        kinds = {a.name: self.types.get(a.name) or _kind(a) for a in self.space.attributes}
        return kinds | ({free_name("count", kinds): "integer"} if self.counts else {})

    def lines(self) -> Iterator[str]:
        """Yield the swapped records, or the counts of the swapped table, as CSV with a header.

        Rows are sorted by their levels, so no row's position shows where it was.
        """
        yield line(list(self.columns))
        if self.cells is None:
            return
        labels = [[field(str(a.label(k))) for k in range(a.size)] for a in self.space.attributes]
        rows = zip(self.cells.levels.tolist(), self.cells.counts.tolist(), strict=True)
        for levels, count in rows:
            text = ",".join([known[k] for known, k in zip(labels, levels, strict=True)])
            if self.counts:
                yield f"{text},{count}\n"
                continue
            text += "\n"
            for first in range(0, count, AT_ONCE):
                yield text * min(AT_ONCE, count - first)

    def __iter__(self) -> Iterator[str]:
        return self.lines()

    def drawn(self) -> Swapped:
        """Return the lines, which are made again in each iteration."""
        return self

    def summary(self) -> Sample:
        """Return what was done, and how."""
        return self.sample


METHODS: dict[SwapVariant, str] = {
    "derangement": "a uniform derangement of the selected records, by rejection",
    "uniform": "a uniform permutation of the selected records",
}
EXACTNESS = {
    True: "exact: fair bits from the operating system, without rounding",
    False: "exact, except that a seeded generator replaces fair bits",
}


def sample_of(
    release: Release,
    part: Swapping,
    source: Randomness,
    where: str,
    swap: SampledSwap | None,
    utility: UtilityCurve | None,
    rows: int,
    errors: tuple[CountErrors, ...],
    *,
    still: bool,
) -> Sample:
    """Describe a swap.

    Args:
        where: the place of the data, in words.
        rows: the number of rows of the files. errors: of the swapped tables.
        still: whether no exchange of two records in a stratum would change the data.
    """
    notes = [CONFIDENTIAL, *error_notes(errors, confidential=True)]
    if still:
        notes.append(STILL)
    if swap is not None and source.seed is not None:
        notes.append(SEEDED)
    if swap is not None and swap.left_out:
        notes.append(LEFT_OUT)
    # Swapping keeps some margins exactly. Of every other invariant the files can have another value
    # than the published one.
    others = [] if swap is None else _not_kept(release, swap.kept)
    if others:
        notes.append(NOT_KEPT.format(names=" and ".join(others)))
    exactness = EXACTNESS[source.seed is None]
    sampled = SampledPart(
        part.kind, ", ".join(part.swap), 1, rows, True, METHODS[part.variant], exactness
    )
    return Sample(
        release.path,
        release.sha256,
        release.title,
        source.origin,
        source.seed,
        1,
        True,
        where,
        None,
        rows,
        None,
        () if swap is None else (sampled,),
        tuple(notes),
        swap,
        utility,
        errors,
    )


def _not_kept(release: Release, margins: Sequence[Names]) -> list[str]:
    space = release.dataspace
    implied_by = space.determined_by if isinstance(space, TableSpace) else frozenset[str]
    kept = [implied_by(names) for names in margins]
    return [
        str(invariant)
        for invariant in known(release.invariants)
        if not isinstance(held := invariant.constraint, SameSize | Within)
        and not (isinstance(held, SameMargin) and any({*held.attributes} <= one for one in kept))
    ]


def _kind(attribute: Attribute) -> str:
    levels = attribute.levels
    whole = isinstance(levels, int) or all(isinstance(level, int) for level in levels)
    return "integer" if whole else "text"


def curve_of(
    question: CurveQuestion,
    cells: Cells,
    columns: Sequence[int],
    strata: SwappableTable,
    part: Swapping,
    source: Randomness,
) -> UtilityCurve:
    """Swap the data repeatedly at each rate, and compare one table with that of the data.

    Args:
        cells: the data.
        columns: the columns of the table's two attributes.
        strata: the same data, ready to be swapped.
        part: the swapping, whose own rate does not count.
        source: of fair bits.

    Raises:
        OutOfTimeError: the time limit was reached.
    """
    before = cells.margin(columns)
    possible = int(np.prod([np.unique(cells.levels[:, at]).size for at in columns]))
    errors, largest = [], strata.largest_changing
    for rate in question.rates:
        loss = unit_loss(rate, sizes_up_to(largest), part.variant, reselection=part.reselection)
        for run in range(1, question.runs + 1):
            progress.doing(f"the utility at the rate {rate}, run {run}")
            deadline.check()
            after, moves = strata.swapped(rate, part, source)
            error = percentage_error(before, after.margin(columns))
            errors.append(SwapError(rate, run, moves.moved, loss.epsilon, error))
    occupied = before.counts.size
    return UtilityCurve(question.table, occupied, possible - occupied, tuple(errors))


def percentage_error(before: Cells, after: Cells) -> float:
    """Return the mean absolute percentage error of counts, over the cells with a record before.

    Returns:
        The mean of |after - before| / before, times 100; in floating point.
    """
    number = before.counts.size
    codes = codes_of(np.concatenate([before.levels, after.levels]))
    counts = np.zeros(number, dtype=np.int64)
    places = np.searchsorted(codes[:number], codes[number:])
    inside = places < number
    inside[inside] = codes[:number][places[inside]] == codes[number:][inside]
    counts[places[inside]] = after.counts[inside]
    return float(100 * np.mean(np.abs(counts - before.counts) / before.counts))


class SwappedError(RuntimeError):
    """Swapped records do not have the margins that swapping keeps: an internal error."""


def swap(
    loaded_spec: Loaded,
    release: Release,
    part: Swapping,
    data: Data,
    source: Randomness,
    question: CurveQuestion | None,
    access: Access,
    errors: ErrorQuestion,
    *,
    records: bool,
) -> Swapped:
    """Run a swap of the given data, or of the spec's own.

    Args:
        loaded_spec: the spec.
        release: the release; if the spec names data, t is counted.
        part: its swapping.
        data: a file; else the data of the spec.
        question: the requested curve of utility, if any.
        errors: the margins whose errors are computed.
        records: also run the spec's own rate.

    Raises:
        SpecError: the data cannot be read, or disagree with the spec.
        RefusedError: the spec does not specify enough to run it, or there are no data.
        OutOfTimeError: the time limit was reached.
    """
    space = check_table(part, release.dataspace)
    names = [attribute.name for attribute in space.attributes]
    columns = _columns(question, names)
    progress.doing("reading the data")
    origin, given = given_of(loaded_spec, release, data, access)
    table = _table(loaded_spec, origin, space, access)
    where = str(data or (OWN if origin is None else origin.place))

    strata = swappable(part, space, table)
    cells = strata.cells
    # The records are swapped only at a rate for which the audit has a guarantee.
    rate = _audited_rate(part, given, space, cells.records)
    after: Cells | None = None
    sampled_swap: SampledSwap | None = None
    if records:
        progress.doing("swapping")
        after, moves = strata.swapped(rate, part, source)
        # The guarantee assumes that these margins do not change. They are counted again, so that an
        # error of the program ends the run, and no records are written.
        kept = part.kept(names)
        _check_kept(cells, after, [[names.index(n) for n in margin] for margin in kept])
        left_out = _left_out(origin, names, access)
        sampled_swap = SampledSwap(part, cells.records, strata.summary, moves, kept, left_out)
    curve: UtilityCurve | None = None
    if question is not None:
        curve = curve_of(question, cells, columns, strata, part, source)
    counts = origin is None or origin.kind == "table"
    rows = 0 if after is None else len(after.counts) if counts else after.records
    still = not strata.largest_changing
    error_table = ErrorTable(space, errors, table if access.show_values else None)
    found = tuple(errors_of_swaps(error_table, strata, rate, part))
    sample = sample_of(release, part, source, where, sampled_swap, curve, rows, found, still=still)
    return Swapped(sample, space, after, counts, _types(origin, space, access) if records else {})


def _audited_rate(part: Swapping, given: Release, space: TableSpace, records: int) -> Fraction:
    """Return the rate of a swap with an audited guarantee inside D_t; refuse any other swap.

    The audit only needs that no stratum has more than ``records`` records, so it does not count the
    strata again. A single record is written unchanged.
    """
    sized = replace(given, dataspace=replace(space, size=max(records, 2)), published=None)
    spaces = SensitivitySpaces(sized, Limits())
    reason = kind_of(part).refusal(part, "invariant_dp", spaces)
    if reason or part.rate is None:
        raise refused(part, reason, NOT_AUDITED)
    return part.rate


def _columns(question: CurveQuestion | None, names: Sequence[str]) -> list[int]:
    if question is None:
        return []
    unknown = [name for name in question.table if name not in names]
    if unknown:
        known = ", ".join(names)
        what = f"--utility: {unknown[0]} is not an attribute"
        raise RefusedError(Refusal(what, f"name two of {known}", "dataspace.attributes"))
    if question.table[0] == question.table[1]:
        what = f"--utility: {question.table[0]} is named twice"
        raise RefusedError(Refusal(what, "name two attributes", "dataspace.attributes"))
    return [names.index(name) for name in question.table]


def _table(
    loaded_spec: Loaded, origin: DataSource | None, space: TableSpace, access: Access
) -> Table:
    if origin is not None:
        return counts_of(origin, space, access)
    inside = table_inside_of(loaded_spec, space)
    if inside is None:
        raise RefusedError(Refusal("the spec has no records to swap", "add --data FILE", "data"))
    return inside


def _left_out(origin: DataSource | None, names: Sequence[str], access: Access) -> Names:
    if origin is None:
        return ()

    known = {column.name for column in origin.columns_of(names)} | {origin.count}
    held = columns_of(origin, Path(origin.folder), access)
    return tuple(name for name in held if name not in known)


def _types(origin: DataSource | None, space: TableSpace, access: Access) -> dict[str, str]:
    if origin is None or origin.engine is not None or not origin.place.lower().endswith(".parquet"):
        return {}

    columns = origin.columns_of([attribute.name for attribute in space.attributes])
    labels = {
        column.name: [str(attribute.label(k)) for k in range(attribute.size)]
        for column, attribute in zip(columns, space.attributes, strict=True)
    }
    column_types = kept_types(origin, Path(origin.folder), labels, access)
    return {
        attribute.name: column_types[column.name]
        for column, attribute in zip(columns, space.attributes, strict=True)
        if column.name in column_types
    }


def _check_kept(before: Cells, after: Cells, margins: Sequence[Sequence[int]]) -> None:
    for columns in margins:
        old, new = before.margin(columns), after.margin(columns)
        if not (np.array_equal(old.levels, new.levels) and np.array_equal(old.counts, new.counts)):
            raise SwappedError("a margin that swapping keeps has changed")
