"""a(t) of any count invariants: by listing D_t where it is small, else by integer programs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from semiaudit.model.adjacency import Metric
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.semi_adjacency import Cell, Parameter, Witness
from semiaudit.universe.components import Numbers
from semiaudit.universe.found import Found
from semiaudit.universe.program import Limits
from semiaudit.universe.system import System, Table, split
from semiaudit.universe.tables import tables_of

COVERING = "Cho and Awan, Definition 13 as read by Example 5 and Theorem 16's proof"
LITERAL = "Cho and Awan, Definition 13 as printed"


class NoTableError(Exception):
    """No table has the published values."""


@dataclass(frozen=True, slots=True)
class General:
    """Both readings of a(t), Remark 14's values, and the tables that were listed for them.

    Attributes:
        system: the system that the tables are tables of.
        universes: the tables of D_t, or without t those of every D_t; None if not listed.
    """

    covering: Parameter
    definition_13: Parameter
    a_min: int | None
    a_maxmin: int | None
    system: System
    universes: tuple[tuple[Table, ...], ...] | None


def general(
    system: System,
    metric: Metric,
    space: TableSpace,
    limits: Limits,
    most: int | None = None,
) -> General:
    """Both readings of a(t).

    Args:
        most: an upper end of covering a(t) that is known already, if any.
        system: D_t over classes of cells (with t: without the classes that it shows to be empty).

    Raises:
        NoTableError: t contradicts itself.
    """
    if metric != "hamming":
        system = split(system)
    tables = tables_of(system)
    if tables is not None:
        if not tables:
            raise NoTableError
        universes = _universes(system, tables)
        from semiaudit.universe.readings import feasible_work

        if feasible_work(max(map(len, universes)), system.classes):
            return _listed(system, metric, space, universes)
        return _solved(system, metric, space, limits, universes, most)
    return _solved(system, metric, space, limits, None, most)


def _universes(system: System, tables: Sequence[Table]) -> tuple[tuple[Table, ...], ...]:
    found: dict[Hashable, list[Table]] = {}
    for table in tables:
        found.setdefault(system.invariants(table), []).append(table)
    return tuple(tuple(group) for group in found.values())


def _listed(
    system: System, metric: Metric, space: TableSpace, universes: tuple[tuple[Table, ...], ...]
) -> General:
    from semiaudit.universe.readings import readings_of

    known = system.values is not None
    readings = []
    for tables in universes:
        free = len({sum(table) for table in tables}) > 1
        readings.append(readings_of(tables, system.multiplicity, metric, size_is_free=free))
    method = "enumeration" if known else "supremum_over_t"
    covering = max((reading.covering for reading in readings), key=lambda found: found.value)
    literal = max((reading.definition_13 for reading in readings), key=lambda found: found.value)
    return General(
        parameter(system, space, covering, covering.value, method, COVERING),
        parameter(system, space, literal, literal.value, method, LITERAL),
        readings[0].a_min if known else None,
        readings[0].a_maxmin if known else None,
        system,
        universes,
    )


def _solved(
    system: System,
    metric: Metric,
    space: TableSpace,
    limits: Limits,
    universes: tuple[tuple[Table, ...], ...] | None,
    most: int | None,
) -> General:
    from semiaudit.universe import bounded

    found = bounded.readings(system, metric, limits, most)
    method = "integer_program" if system.values is not None else "supremum_over_t"
    return General(
        parameter(system, space, found.covering.lower, found.covering.upper, method, COVERING),
        parameter(system, space, found.literal.lower, found.literal.upper, method, LITERAL),
        None,
        None,
        system,
        universes,
    )


def parameter(
    system: System,
    space: TableSpace,
    lower: Found,
    upper: int | None,
    method: str,
    source: str,
) -> Parameter:
    """One reading with its witness in the spec's words."""
    witness = _witness(system, space, lower) if lower.value and lower.start else None
    return Parameter(lower.value, upper, method, source, witness)


def _witness(system: System, space: TableSpace, found: Found) -> Witness:
    assert found.start is not None
    assert found.end is not None
    x, y = found.classes
    start, end = dict(enumerate(found.start)), dict(enumerate(found.end))
    first = {c: label(space, cells[0]) for c, cells in enumerate(system.cells)}
    before = {first[c]: count for c, count in start.items() if count}
    after = {first[c]: count for c, count in end.items() if count}
    record_to = None if y < 0 else first[y]
    if x == y and found.value and system.multiplicity[x] > 1:
        record_to = label(space, system.cells[x][1])
        after[first[x]] -= 1
        after = {cell: count for cell, count in after.items() if count} | {record_to: 1}
    return Witness(
        None if x < 0 else first[x], record_to, found.value, sparse(before), sparse(after)
    )


def label(space: TableSpace, levels: Numbers) -> Cell:
    """A cell as the spec names its levels."""
    return tuple(
        attribute.label(level) for attribute, level in zip(space.attributes, levels, strict=True)
    )


def sparse(counts: dict[Cell, int]) -> tuple[tuple[Cell, int], ...]:
    """Counts by cell in a stable order, without zeros."""
    return tuple(sorted(((c, k) for c, k in counts.items() if k), key=lambda item: _order(item[0])))


def _order(cell: Cell) -> tuple[tuple[int, int, str], ...]:
    return tuple((0, level, "") if isinstance(level, int) else (1, 0, level) for level in cell)
