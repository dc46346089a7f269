"""The pair of datasets on which code is run: the one that the audited number is about."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from semiaudit.commands.verify.model import TableCounts, VerifiedPair
from semiaudit.commands.verify.outputs import cell_name
from semiaudit.data.tallies import columns_of, tallies
from semiaudit.errors import NOWHERE, Refusal, RefusedError
from semiaudit.frameworks.context import Context
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.parts import flattened, queries_of, query_of
from semiaudit.model.adjacency import per_record, table_distance
from semiaudit.model.audit import Release
from semiaudit.model.data_source import COUNT, Access, DataSource
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.mechanism import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
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

MOST_WRITTEN = 2_000_000
"""The most records, or cells of a table, of a dataset that is written."""

MOST_ENTRIES = 60_000_000
"""The most pairs of multisets, times classes, that are compared for the largest loss."""

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
        what = "the records have no attributes, which are the columns of the datasets of verify"
        remedy = "describe them by dataspace.attributes"
        raise RefusedError(Refusal(what, remedy, "dataspace"))
    return space


def attaining_pair(context: Context, release: Release, limits: Limits) -> VerifiedPair:
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
            pair = VerifiedPair(
                witness.start, witness.end, witness.distance, "example pair of a(t)"
            )
            return checked(pair, release)
    what = "no example pair is known for this spec"
    raise RefusedError(Refusal(what, "give one by --pair X.csv Y.csv"))


def checked(pair: VerifiedPair, release: Release) -> VerifiedPair:
    """Return the pair, with whether both datasets have the published invariants, by counting."""
    values = PublicValues(release, space_of(release))
    on_x, on_y = (values(Counter(dict(table))) for table in (pair.start, pair.end))
    if on_x is None or on_y is None:
        what = "a dataset of the pair has an impossible record, or breaks a public bound"
        raise RefusedError(Refusal(what, "correct the pair"))
    published = values.published()
    if published is not None and published not in (on_x, on_y):
        what = "neither dataset of the pair has the published counts of the spec"
        raise RefusedError(Refusal(what, "use a pair with these counts"))
    return replace(pair, inside=on_x == on_y)


def _largest_move(context: Context, release: Release, limits: Limits) -> VerifiedPair | None:
    cells = cells_of(context)
    if cells is None or not context.distance:
        return None
    for change in islice(moves_by_loss(context, cells, context.distance), MOST_TRIED):
        table = start_of(cells, [change], limits)
        if table is not None:
            pair = pair_of_move(release, cells, table, change)
            return pair if pair.inside else None
    return None


def pair_of_move(
    release: Release, cells: CellSystem, table: Sequence[int], change: Integers
) -> VerifiedPair:
    """Return a table over classes of cells and what a move makes of it."""
    ended = [k + int(c) for k, c in zip(table, change, strict=True)]
    attributes = space_of(release).attributes
    start, end = (
        tuple(
            (tuple(a.label(k) for a, k in zip(attributes, levels[0], strict=True)), count)
            for levels, count in zip(cells.system.cells, counts, strict=True)
            if count
        )
        for counts in (table, ended)
    )
    apart = table_distance(release.adjacency.metric, int(np.abs(change).sum()))
    return checked(VerifiedPair(start, end, apart, "largest change of the query"), release)


def cells_of(context: Context) -> CellSystem | None:
    """Return D_t over classes of cells that the queries distinguish; None if it is too large."""
    queries = queries_of(context.made)
    if context.distance is None or not queries:
        return None
    question = context.spaces.question(queries, context.distance, "D_t")
    return None if question.reach.records > MOST_MOVED else question.cells


def moves_by_loss(context: Context, cells: CellSystem, distance: int) -> Iterator[Integers]:
    """Yield the moves inside D_t within a distance, as changes of classes: largest loss first.

    None if there are too many.
    """
    question = context.spaces.question(queries_of(context.made), distance, "D_t")
    rows = np.zeros((cells.system.classes, len(cells.system.rows)), dtype=np.int64)
    for place, row in enumerate(cells.system.rows):
        for c, k in row:
            rows[c, place] = k
    reach = question.reach
    sizes = range(reach.records + 1) if reach.free else (reach.records,)
    found = multisets(rows, sizes, reach.most)
    pairs = 0 if found is None else sum(len(one) * one.shape[1] ** 2 for one in found.groups)
    if found is None or pairs * cells.system.classes > MOST_ENTRIES:
        return
    moves = [np.zeros((0, cells.system.classes), dtype=np.int64)]
    for groups in found.groups:
        first, other = np.triu_indices(groups.shape[1], 1)
        change = groups[:, other] - groups[:, first]
        moves.append(change[np.abs(change).sum(axis=2) <= found.most])
    listed = np.concatenate(moves)
    listed = np.unique(np.concatenate([listed, -listed]), axis=0)
    shifts = np.abs(listed @ images_of(cells))
    loss, queries = np.zeros(len(listed)), queries_of(context.made)
    for part, runs in flattened(context.made):
        query = query_of(part)
        if query is not None:
            block = question.answers.blocks[queries.index(replace(query, mark=NOWHERE))]
            seen = shifts[:, [at in block for at, _ in cells.coordinates]]
            laplace, scale = noise_of(part) or (False, 1.0)
            loss += runs * ((seen if laplace else seen**2).sum(axis=1) / scale)
    yield from listed[np.argsort(-loss, kind="stable")]


def images_of(cells: CellSystem) -> Integers:
    """Return the answers of the queries for a record of each class."""
    return np.array(cells.images, dtype=np.int64).reshape(cells.system.classes, -1)


def noise_of(part: object) -> tuple[bool, float] | None:
    """Return whether independent noise is Laplace noise, and its scale; None for other noise."""
    match part:
        case Gaussian() | DiscreteGaussian():
            return False, float(part.sigma_squared)
        case Laplace() | DiscreteLaplace() if part.support is None:
            return True, float(part.scale)
    return None


def start_of(cells: CellSystem, moves: Sequence[Integers], limits: Limits) -> Sequence[int] | None:
    """Return a table from which any sum of moves of disjoint classes leads to a table of D_t."""
    need = {c: -int(k) for move in moves for c, k in enumerate(move) if k < 0}
    ends = []
    for terms in sums_to_watch(cells.system):
        changes = [total(terms, [int(k) for k in move]) for move in moves]
        ends.append((sum(min(k, 0) for k in changes), sum(max(k, 0) for k in changes)))
    return starting_table(cells.system, need, ends, limits)[1]


def noisy_coordinates(
    context: Context, release: Release, pair: VerifiedPair
) -> tuple[NoisyCoordinate, ...] | None:
    """Return every noisy number that a record of X or Y is in; None if some noise is not known."""
    space, parts, coordinates = space_of(release), flattened(context.made), []
    for at, (part, runs) in enumerate(parts, 1):
        noise, query = noise_of(part), query_of(part)
        if noise is None or query is None:
            return None
        answers = Answers(space, query)
        places = places_of_answers(answers)
        on_x, on_y = (_answers(answers, table) for table in (pair.start, pair.end))
        alone = len(parts) == runs == 1
        for run in range(1, runs + 1):
            for coordinate in dict.fromkeys((*on_x, *on_y)):
                named = _name(answers, coordinate), places[coordinate], len(places), alone, at, run
                seen = on_x[coordinate], on_y[coordinate]
                coordinates.append(NoisyCoordinate(*named, *noise, *seen))
    return tuple(coordinates)


def _answers(answers: Answers, table: TableCounts) -> Counter[Coordinate]:
    found = Counter[Coordinate]()
    for cell, count in table:
        attributes = answers.space.attributes
        levels = [a.index(level) or 0 for a, level in zip(attributes, cell, strict=True)]
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


def pair_of_files(paths: tuple[str, str], release: Release, access: Access) -> VerifiedPair:
    """Read a pair from two files of microdata or tables.

    Raises:
        SpecError: a file cannot be read, or a value is not a level.
    """
    attributes, tables = space_of(release).attributes, []
    names = tuple(attribute.name for attribute in attributes)
    for path in paths:
        source = DataSource("records", os.path.abspath(path), folder="")
        if COUNT in columns_of(source, Path(), access) and COUNT not in names:
            source = DataSource("table", source.place, folder="")
        counts = tallies(source, Path(), attributes, [names], access).counts[names]
        labels = {
            tuple(a.label(k) for a, k in zip(attributes, levels, strict=True)): count
            for levels, count in sorted(counts.items())
            if count
        }
        tables.append(labels)
    moved = sum(abs(tables[0].get(c, 0) - tables[1].get(c, 0)) for c in {**tables[0], **tables[1]})
    metric = release.adjacency.metric
    if moved * per_record(metric) % 2:
        what = "the datasets of the pair have different sizes, so they have no distance"
        raise RefusedError(Refusal(what, "use datasets of one size"))
    start, end = (tuple(table.items()) for table in tables)
    pair = VerifiedPair(start, end, table_distance(metric, moved), "given by --pair")
    return checked(pair, release)


def write_datasets(pair: VerifiedPair, release: Release, form: str, folder: str) -> tuple[str, str]:
    """Write X and Y as CSV, as microdata or as tables; shared records have the same places in both.

    Raises:
        RefusedError: they are too large to write.
    """
    attributes = space_of(release).attributes
    names = [attribute.name for attribute in attributes]
    start, end = Counter(dict(pair.start)), Counter(dict(pair.end))
    size = max(start.total(), end.total())
    number, what = (space_of(release).cells, "cells") if form == "table" else (size, "records")
    if number > MOST_WRITTEN:
        message = f"the datasets of the pair have {number:,} {what}; at most {MOST_WRITTEN:,} are "
        remedy = "use --pair with smaller datasets, or a smaller spec of the same design"
        raise RefusedError(Refusal(f"{message}written", remedy))
    shared, paths = start & end, (os.path.join(folder, "x.csv"), os.path.join(folder, "y.csv"))
    for path, table in zip(paths, (start, end), strict=True):
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if form == "table":
                writer.writerow([*names, COUNT])
                for cell in product(*(map(a.label, range(a.size)) for a in attributes)):
                    writer.writerow([*cell, table[cell]])
                continue
            writer.writerow(names)
            for part in (shared, table - shared):
                for cell, count in sorted(part.items(), key=str):
                    writer.writerows([cell] * count)
    return paths
