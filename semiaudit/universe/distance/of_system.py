"""a(t) for any count invariants: by listing D_t if it is small, else by integer programs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.model.adjacency import Metric, Reading, has_places
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.semi_adjacency import Cell, Parameter, Witness
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance import programs as bounded
from semiaudit.universe.distance.interval import ParameterInterval, Readings
from semiaudit.universe.distance.listed_tables import feasible_work, readings_of
from semiaudit.universe.system.classes_of_cells import System, Table
from semiaudit.universe.system.components import Numbers
from semiaudit.universe.system.listing import NoTableError, tables_of
from semiaudit.universe.witness import changed_classes

COVERING = "Cho and Awan, Definition 13 as read by Example 5 and Theorem 16's proof"
DEFINITION_13 = "Cho and Awan, Definition 13 as printed"


Universes = tuple[tuple[Table, ...], ...]
"""The tables of D_t, one D_t after another."""


LISTING_SHARE = 0.4
"""The part of the time for comparing all tables; if that fails, programs can still succeed."""


def general(
    system: System,
    metric: Metric,
    limits: Limits,
    most: int | None = None,
    reading: Reading = "covering",
) -> tuple[Readings, Universes | None]:
    """Return both definitions of a(t), and the tables of D_t (without t, of every D_t) if listed.

    Args:
        system: D_t over classes of cells (with t: without the classes that it shows to be empty);
            split for the metrics that ignore the order of records.
        metric: of the release.
        limits: the limits of the programs.
        most: a proven upper bound on covering a(t), if any.
        reading: the definition in use: programs search for it first.

    Raises:
        NoTableError: t contradicts itself.
    """
    tables = tables_of(system)
    universes = None
    if tables is not None:
        if not tables:
            raise NoTableError
        universes = _universes(system, tables)

        if feasible_work(max(map(len, universes)), system.classes):
            with suppress(OutOfTimeError), deadline.part(LISTING_SHARE):
                return _listed(system, metric, universes), universes

    return bounded.readings(system, metric, limits, most, reading), universes


def listed(system: System, metric: Metric) -> Readings | None:
    """Return both definitions from a list of the tables of D_t; None if there are too many.

    Raises:
        NoTableError: t contradicts itself.
    """
    tables = tables_of(system)
    if tables is None:
        return None
    if not tables:
        raise NoTableError

    universes = _universes(system, tables)
    if not feasible_work(max(map(len, universes)), system.classes):
        return None
    return _listed(system, metric, universes)


def _universes(system: System, tables: Sequence[Table]) -> Universes:
    universes: dict[Hashable, list[Table]] = {}
    for table in tables:
        universes.setdefault(system.invariants(table), []).append(table)
    return tuple(tuple(group) for group in universes.values())


def _listed(system: System, metric: Metric, universes: Universes) -> Readings:
    """Return a(t) of the one D_t, or without t the largest a(t) over every D_t: all exact."""
    readings = []
    for tables in universes:
        free = len({sum(table) for table in tables}) > 1
        readings.append(readings_of(tables, system.multiplicity, metric, size_is_free=free))
    if system.values is not None:
        return readings[0]
    return Readings(
        max((reading.covering for reading in readings), key=lambda interval: interval.lower),
        max((reading.definition_13 for reading in readings), key=lambda interval: interval.lower),
        "supremum_over_t",
    )


def parameter(
    system: System,
    space: TableSpace,
    interval: ParameterInterval,
    method: str,
    source: str,
    metric: Metric,
) -> Parameter:
    """Return one definition with its witness in the names of the spec."""
    witness = _witness(system, space, interval, metric) if interval.lower else None
    return Parameter(interval.lower, interval.upper, method, source, witness, interval.trivial)


def _witness(
    system: System, space: TableSpace, interval: ParameterInterval, metric: Metric
) -> Witness | None:
    if interval.start is None or interval.end is None:
        return None
    x, y = interval.classes
    if not has_places(metric):
        x, y = changed_classes(interval.start, interval.end, (x, y))
    start, end = dict(enumerate(interval.start)), dict(enumerate(interval.end))
    first = {c: label(space, cells[0]) for c, cells in enumerate(system.cells)}
    before = {first[c]: count for c, count in start.items() if count}
    after = {first[c]: count for c, count in end.items() if count}
    record_to = None if y < 0 else first[y]
    if 0 <= x == y and system.multiplicity[x] > 1:
        record_to = label(space, system.cells[x][1])
        after[first[x]] -= 1
        after = {cell: count for cell, count in after.items() if count} | {record_to: 1}
    return Witness(
        None if x < 0 else first[x], record_to, interval.lower, sparse(before), sparse(after)
    )


def label(space: TableSpace, levels: Numbers) -> Cell:
    """Return a cell in the names of the spec."""
    return tuple(
        attribute.label(level) for attribute, level in zip(space.attributes, levels, strict=True)
    )


def sparse(counts: dict[Cell, int]) -> tuple[tuple[Cell, int], ...]:
    """Return counts by cell in a stable order, without zeros."""
    return tuple(sorted(((c, k) for c, k in counts.items() if k), key=lambda item: _order(item[0])))


def _order(cell: Cell) -> tuple[tuple[int, int, str], ...]:
    return tuple((0, level, "") if isinstance(level, int) else (1, 0, level) for level in cell)
