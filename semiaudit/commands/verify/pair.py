"""The pair of datasets on which code is run: the one that the audited number is about."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from semiaudit.commands.verify.model import Pair, TableCounts
from semiaudit.commands.verify.outputs import cell_name
from semiaudit.data.tallies import columns_of, tallies
from semiaudit.errors import NOWHERE, Refusal, RefusedError
from semiaudit.frameworks.context import Context
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.parts import flattened, queries_of, query_of
from semiaudit.model.adjacency import per_record, table_distance
from semiaudit.model.audit import PublishedCounts, Release
from semiaudit.model.data_source import COUNT, Access, DataSource
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.mechanism import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from semiaudit.model.semi_adjacency import Cell
from semiaudit.universe.sensitivity.answers import Answers, Coordinate, places_of_answers
from semiaudit.universe.sensitivity.differences import multisets
from semiaudit.universe.sensitivity.query_classes import CellSystem
from semiaudit.universe.sensitivity.start_table import starting_table, sums_to_watch
from semiaudit.universe.system.classes_of_cells import total
from semiaudit.universe.system.components import levels_of
from semiaudit.universe.witness import PublicValues

if TYPE_CHECKING:
    from semiaudit.numeric.limits import Limits
    from semiaudit.numeric.modular_rank import Integers

MOST_RECORDS = 2_000_000
"""The most records, or cells of a table, of a dataset that is written."""

MOST_MOVES = 4_000_000
"""The most pairs of multisets that are compared for the pair with the largest loss."""

MOST_MOVED = 64
"""The most records that change between the datasets of a listed pair."""

MOST_TRIED = 50
"""The most moves for which a starting table is searched."""


@dataclass(frozen=True, slots=True)
class NoisyCoordinate:
    """A noisy number of a release, and its answers on the two datasets.

    Attributes:
        name: as ``outputs.cell_name`` makes it.
        position, width: its index among the coordinates of the query, and their number.
        part, run: which part of the mechanism, and which of its runs, from 1.
        alone: whether the mechanism has no other part and no other run.
        scale: sigma squared of Gaussian noise, or b of Laplace noise.
    """

    name: str
    position: int
    width: int
    alone: bool
    part: int
    run: int
    laplace: bool
    scale: float
    on_x: int
    on_y: int


def space_of(release: Release) -> TableSpace:
    """Return the table of attributes of a release.

    Raises:
        RefusedError: it has none.
    """
    space = release.dataspace
    if not isinstance(space, TableSpace) or not space.attributes:
        what, remedy = "verify needs a table over attributes", "add dataspace.attributes"
        raise RefusedError(Refusal(what, remedy, "dataspace"))
    return space


def attaining_pair(context: Context, release: Release, limits: Limits) -> Pair:
    """Return a pair of D_t within the distance of the audit, with the largest loss that is found.

    Raises:
        RefusedError: there is no distance, or no pair is known.
    """
    if not context.distance:
        why = context.no_distance or "a(t) is 0"
        raise RefusedError(Refusal(f"there is no pair of datasets: {why}", "give one by --pair"))
    if (pair := _largest_move(context, release, limits)) is not None:
        return pair
    semi = context.universe.semi_adjacency
    for parameter in (semi.chosen, semi.covering, semi.definition_13):
        witness = parameter.witness
        if witness is not None and witness.distance <= context.distance:
            pair = Pair(witness.start, witness.end, witness.distance, "example pair of a(t)")
            return checked(pair, release)
    what = "no example pair is known for this spec"
    raise RefusedError(Refusal(what, "give one by --pair X.csv Y.csv"))


def checked(pair: Pair, release: Release) -> Pair:
    """Return the pair, with whether both datasets have the published invariants, by counting."""
    values = PublicValues(release, space_of(release))
    on_x, on_y = (values(Counter(dict(table))) for table in (pair.start, pair.end))
    if on_x is None or on_y is None:
        what = "a dataset of the pair has an impossible record, or breaks a public bound"
        raise RefusedError(Refusal(what, "correct the pair"))
    published = values.published() if isinstance(release.published, PublishedCounts) else None
    if published is not None and on_x != published and on_y != published:
        what = "neither dataset of the pair has the published counts of the spec"
        raise RefusedError(Refusal(what, "use a pair with these counts"))
    return pair.with_inside(inside=on_x == on_y and (published is None or on_x == published))


def _largest_move(context: Context, release: Release, limits: Limits) -> Pair | None:
    space, metric = space_of(release), release.adjacency.metric
    cells = cells_of(context)
    for change in (
        ()
        if cells is None
        else islice(moves_by_loss(context, cells, context.distance or 1), MOST_TRIED)
    ):
        table = None if cells is None else start_of(cells, [change], limits)
        if cells is None or table is None:
            continue
        ended = [k + int(c) for k, c in zip(table, change, strict=True)]
        start, end = (labelled(space, cells, counts) for counts in (table, ended))
        apart = table_distance(metric, int(np.abs(change).sum()))
        pair = checked(Pair(start, end, apart, "largest change of the query"), release)
        return pair if pair.inside else None
    return None


def cells_of(context: Context) -> CellSystem | None:
    """Return D_t over classes of cells that the queries distinguish; None if it is too large."""
    queries = queries_of(context.made)
    if context.distance is None or not queries:
        return None
    question = context.spaces.question(queries, context.distance, "D_t")
    return None if question.reach.records > MOST_MOVED else question.cells


def moves_by_loss(context: Context, cells: CellSystem, distance: int) -> Iterator[Integers]:
    """Yield the moves inside D_t, as changes of the counts of classes: largest loss first.

    Moves within a distance; none if there are too many.
    """
    queries, system = queries_of(context.made), cells.system
    question = context.spaces.question(queries, distance, "D_t")
    rows = np.zeros((system.classes, len(system.rows)), dtype=np.int64)
    for place, row in enumerate(system.rows):
        for c, k in row:
            rows[c, place] = k
    reach = question.reach
    sizes = range(reach.records + 1) if reach.free else (reach.records,)
    found = multisets(rows, sizes, reach.most)
    if found is None or sum(len(group) ** 2 for group in found.groups) > MOST_MOVES:
        return
    moves = [np.zeros((0, system.classes), dtype=np.int64)]
    for group in found.groups:
        first, other = np.triu_indices(len(group), 1)
        change = group[other] - group[first]
        moves.append(change[np.abs(change).sum(axis=1) <= found.most])
    listed = np.concatenate(moves)
    listed = np.unique(np.concatenate([listed, -listed]), axis=0)
    images = np.array(cells.images, dtype=np.int64).reshape(system.classes, -1)
    loss = _losses(context, question.answers, cells, np.abs(listed @ images))
    yield from listed[np.argsort(-loss, kind="stable")]


def _losses(
    context: Context, answers: Answers, cells: CellSystem, shifts: Integers
) -> npt.NDArray[np.float64]:
    """Return a number for each row of shifts that rises with its loss."""
    queries = queries_of(context.made)
    loss = np.zeros(len(shifts))
    for part, runs in flattened(context.made):
        query = query_of(part)
        if query is None:
            continue
        block = answers.blocks[queries.index(replace(query, mark=NOWHERE))]
        seen = shifts[:, [at in block for at, _ in cells.coordinates]]
        laplace, scale = noise_of(part) or (False, 1.0)
        loss += runs * ((seen if laplace else seen**2).sum(axis=1) / scale)
    return loss


def noise_of(part: object) -> tuple[bool, float] | None:
    """Return whether independent noise is Laplace noise, and its scale; None for other noise."""
    match part:
        case Gaussian() | DiscreteGaussian():
            return False, float(part.sigma_squared)
        case Laplace() | DiscreteLaplace() if part.support is None:
            return True, float(part.scale)
    return None


def start_of(cells: CellSystem, moves: Sequence[Integers], limits: Limits) -> Sequence[int] | None:
    """Return a table from which any of some moves, of disjoint classes, lead to tables of D_t."""
    need = {c: -int(k) for move in moves for c, k in enumerate(move) if k < 0}
    changes = [
        [total(terms, [int(k) for k in move]) for move in moves]
        for terms in sums_to_watch(cells.system)
    ]
    ends = [(sum(min(k, 0) for k in row), sum(max(k, 0) for k in row)) for row in changes]
    return starting_table(cells.system, need, ends, limits)[1]


def labelled(space: TableSpace, cells: CellSystem, table: Sequence[int]) -> TableCounts:
    """Return a table over classes as sparse counts of cells."""
    return tuple(
        (tuple(a.label(k) for a, k in zip(space.attributes, levels[0], strict=True)), count)
        for levels, count in zip(cells.system.cells, table, strict=True)
        if count
    )


def noisy_coordinates(
    context: Context, release: Release, pair: Pair
) -> tuple[NoisyCoordinate, ...] | None:
    """Return every noisy number that a record of X or Y is in; None if some noise is not known."""
    space, coordinates = space_of(release), []
    tables = [_indexed(space, table) for table in (pair.start, pair.end)]
    parts = flattened(context.made)
    alone = len(parts) == 1 and parts[0][1] == 1
    for at, (part, runs) in enumerate(parts, 1):
        scale, query = noise_of(part), query_of(part)
        if scale is None or query is None:
            return None
        answers = Answers(space, query)
        places = places_of_answers(answers)
        on_x, on_y = (_answers(answers, table) for table in tables)
        for run in range(1, runs + 1):
            coordinates += [
                NoisyCoordinate(
                    _name(answers, coordinate),
                    places[coordinate],
                    len(places),
                    alone,
                    at,
                    run,
                    *scale,
                    on_x[coordinate],
                    on_y[coordinate],
                )
                for coordinate in dict.fromkeys((*on_x, *on_y))
            ]
    return tuple(coordinates)


def _answers(answers: Answers, table: Mapping[tuple[int, ...], int]) -> Counter[Coordinate]:
    found = Counter[Coordinate]()
    for levels, count in table.items():
        for coordinate, k in answers.column(levels):
            found[coordinate] += k * count
    return found


def _name(answers: Answers, coordinate: Coordinate) -> str:
    """Return the name that `mechanism sample` gives to a number, by its labels."""
    at, cell = coordinate
    if at >= len(answers.margins):
        return f"row={cell + 1}"
    places = answers.margins[at]
    levels = levels_of(cell, [answers.sizes[place] for place in places])
    attributes = [answers.space.attributes[place] for place in places]
    return cell_name({a.name: str(a.label(k)) for a, k in zip(attributes, levels, strict=True)})


def _indexed(space: TableSpace, table: TableCounts) -> dict[tuple[int, ...], int]:
    return {
        tuple(a.index(level) or 0 for a, level in zip(space.attributes, cell, strict=True)): k
        for cell, k in table
    }


def pair_of_files(paths: tuple[str, str], release: Release, access: Access) -> Pair:
    """Read a pair from two files of microdata or tables.

    Raises:
        SpecError: a file cannot be read, or a value is not a level.
    """
    space = space_of(release)
    names = tuple(attribute.name for attribute in space.attributes)
    tables: list[TableCounts] = []
    for path in paths:
        place = os.path.abspath(path)
        probe = DataSource("records", place, folder="")
        source = probe
        if COUNT in columns_of(probe, Path(), access) and COUNT not in names:
            source = DataSource("table", place, folder="")
        counts = tallies(source, Path(), space.attributes, [names], access).counts[names]
        cells = sorted(counts.items())
        tables.append(
            tuple(
                (tuple(a.label(k) for a, k in zip(space.attributes, levels, strict=True)), count)
                for levels, count in cells
                if count
            )
        )
    start, end = (Counter(dict(table)) for table in tables)
    moved = sum(abs(start[cell] - end[cell]) for cell in start.keys() | end.keys())
    metric = release.adjacency.metric
    if moved * per_record(metric) % 2:
        what = "the datasets of the pair have different sizes, so they have no distance"
        raise RefusedError(Refusal(what, f"use datasets of one size, or a metric for {moved}"))
    return checked(
        Pair(tables[0], tables[1], table_distance(metric, moved), "given by --pair"), release
    )


def write_datasets(pair: Pair, release: Release, form: str, folder: str) -> tuple[str, str]:
    """Write X and Y as CSV, as microdata or as tables; return the paths.

    Shared records have the same places in both files, and the changed ones too.

    Raises:
        RefusedError: they are too large to write.
    """
    space = space_of(release)
    names = [attribute.name for attribute in space.attributes]
    size = max(sum(k for _, k in table) for table in (pair.start, pair.end))
    number, what = (space.cells, "cells") if form == "table" else (size, "records")
    if number > MOST_RECORDS:
        message = f"the datasets of the pair have {number:,} {what}, and at most {MOST_RECORDS:,} "
        remedy = "use --pair with smaller datasets, or a smaller spec of the same design"
        raise RefusedError(Refusal(f"{message}are written", remedy))
    start, end = Counter(dict(pair.start)), Counter(dict(pair.end))
    shared, paths = start & end, []
    for label, table in (("x", start), ("y", end)):
        path = os.path.join(folder, f"{label}.csv")
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if form == "table":
                writer.writerow([*names, COUNT])
                for cell in product(*(range(a.size) for a in space.attributes)):
                    labels: Cell = tuple(
                        a.label(k) for a, k in zip(space.attributes, cell, strict=True)
                    )
                    writer.writerow([*labels, table[labels]])
            else:
                writer.writerow(names)
                for part in (shared, table - shared):
                    for labels, count in sorted(part.items(), key=str):
                        writer.writerows([labels] * count)
        paths.append(path)
    return paths[0], paths[1]
