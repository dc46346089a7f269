"""The confidential table of a sample: in a file, in an engine, or in the spec itself."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TypeAlias

from semiaudit.auditing.counting import MOST_CELLS, counted
from semiaudit.data.tallies import columns_of, tallies
from semiaudit.errors import Problem, Refusal, RefusedError, SpecError
from semiaudit.mechanisms.count_errors import ErrorTable
from semiaudit.mechanisms.sampling.nonnegative import SumConstraint
from semiaudit.mechanisms.topdown.fitted_table import FittedTables
from semiaudit.model.audit import PublishedCounts, Release
from semiaudit.model.data_source import COUNT, HELD, Access, DataSource, HeldTable
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameSupport, Within
from semiaudit.model.query import Query, TableQuery
from semiaudit.model.results.errors import ErrorQuestion, Fitting
from semiaudit.spec.build import Loaded
from semiaudit.spec.data.published import table_inside
from semiaudit.universe.sensitivity.answer_null_space import rows_of
from semiaudit.universe.sensitivity.answers import Records
from semiaudit.universe.system.components import matches

Table = Mapping[tuple[int, ...], int]
"""The counts of a table by the levels of its cells; cells without records are omitted."""


def rules_of(
    release: Release,
    space: TableSpace,
    table: Table,
    possible: Sequence[tuple[int, ...]] | None = None,
) -> list[SumConstraint]:
    """Return the rules of all tables with the invariants of a table, and its dataspace.

    They contain nothing of the table except the values of its invariants, which are published.

    Args:
        possible: the cells that can occur, as the cells of the rules; by default, the rules are
            about all cells, row-major, and impossible cells are 0.

    Raises:
        RefusedError: an invariant is not a sum of cells.
    """
    constraints = constraints_of(release.invariants)
    if any(isinstance(constraint, SameSupport) for constraint in constraints):
        what = "--nonnegative-integers cannot keep which combinations of levels occur"
        raise RefusedError(Refusal(what, "remove --nonnegative-integers", "invariants"))
    cells = possible
    if cells is None:
        cells = list(product(*(range(attribute.size) for attribute in space.attributes)))
    counts = {at: table[levels] for at, levels in enumerate(cells) if levels in table}
    rows = rows_of(space, [c for c in constraints if not isinstance(c, Within)], cells)
    if space.size is not None:
        rows.append(dict.fromkeys(range(len(cells)), 1))
    rules = []
    for row in rows:
        value = sum(k * counts.get(cell, 0) for cell, k in row.items())
        rules.append(SumConstraint(row, value, value))
    for constraint in constraints:
        if isinstance(constraint, Within):
            held = {at: 1 for at, c in enumerate(cells) if matches(space, constraint.where, c)}
            rules.append(SumConstraint(held, constraint.least, constraint.most))
    if possible is None and not space.product_cells:
        records = Records(space)
        rules += [
            SumConstraint({at: 1}, 0, 0) for at, c in enumerate(cells) if not records.possible(c)
        ]
    return rules


def fitted_tables(
    release: Release,
    table: Table | None,
    queries: Sequence[Query | None],
    fitting: Fitting,
) -> FittedTables:
    """Return the tables that replace the noisy answers to some queries.

    Raises:
        RefusedError: there are no counts, a query is not ``table``, or an invariant is not a sum.
    """
    space = release.dataspace
    if table is None or not isinstance(space, TableSpace):
        what = "--nonnegative-integers needs noisy answers, and the spec has no data"
        raise RefusedError(Refusal(what, "add data to the spec, or sample --data FILE", "data"))
    if not all(isinstance(query, TableQuery) for query in queries):
        what = "--nonnegative-integers is for noisy tables, but a query is not `table`"
        raise RefusedError(Refusal(what, "remove it, or use `query: table`", "mechanism"))
    sizes = [attribute.size for attribute in space.attributes]
    return FittedTables(fitting, rules_of(release, space, table), sizes)


OWN = "the spec's own data"

Data: TypeAlias = str | HeldTable | None
"""The path of a file, or a table that Python holds; None for the data of the spec."""


def table_of(
    loaded_spec: Loaded,
    release: Release,
    data: Data,
    access: Access,
    most: int | None = MOST_CELLS,
) -> Table | None:
    """Return the confidential table, by the levels of its cells; None without data.

    Args:
        most: the most cells of a table, including impossible ones; None for no limit.
    """
    space = release.dataspace
    if not isinstance(space, TableSpace) or not space.attributes:
        if data is not None:
            what = "--data needs a dataspace with attributes"
            remedy = "for an explicit dataspace, add data.dataset to the spec"
            raise RefusedError(Refusal(what, remedy, "data"))
        return None
    source, _ = given_of(loaded_spec, release, data, access)
    if source is None:
        return table_inside_of(loaded_spec, space)
    if most is not None and space.cells > most:
        what = f"the table has more than {most} cells"
        raise RefusedError(Refusal(what, "use a smaller table", "dataspace"))
    return counts_of(source, space, access)


def error_table(
    loaded_spec: Loaded | None, release: Release, question: ErrorQuestion, access: Access
) -> ErrorTable | None:
    """Return the table whose errors are computed, with the spec's counts if they can be shown.

    None without attributes.

    Raises:
        RefusedError: a margin that is asked for is not one of the table.
    """
    space = release.dataspace
    if not isinstance(space, TableSpace) or not space.attributes:
        return None
    table = ErrorTable(space, question, None)
    if loaded_spec is None or not access.show_values or not table.fits:
        return table
    return ErrorTable(space, question, table_of(loaded_spec, release, None, access))


def given_of(
    loaded_spec: Loaded, release: Release, data: Data, access: Access
) -> tuple[DataSource | None, Release]:
    """Return the source of the data: the given file, if it agrees with the spec, or the spec's.

    Args:
        release: the release; if the spec names data, t is counted.

    Returns:
        The file or engine, None if there is none; and the release with t of these data.

    Raises:
        SpecError: the file cannot be read, or disagrees with the spec.
    """
    if data is None:
        return loaded_spec.release.source, release
    try:
        source = _given(data, loaded_spec.release, access)
    except SpecError as error:
        raise SpecError([replace(p, file=str(data)) for p in error.problems]) from None
    return source, _agreeing(release, replace(release, source=source), str(data), access)


def table_inside_of(loaded_spec: Loaded, space: TableSpace) -> Table | None:
    """Return the table in the spec itself; None if it has none."""
    inside = table_inside(loaded_spec.document, space)
    if inside is None:
        return None
    cells = product(*(range(attribute.size) for attribute in space.attributes))
    return {levels: k for levels, k in zip(cells, inside, strict=True) if k}


def counts_of(source: DataSource, space: TableSpace, access: Access) -> Table:
    """Return the counts of all occupied cells.

    Raises:
        SpecError: the data cannot be read, or a value is not a level.
    """
    names = tuple(attribute.name for attribute in space.attributes)
    return tallies(source, Path(source.folder), space.attributes, [names], access).counts[names]


def _given(data: str | HeldTable, release: Release, access: Access) -> DataSource:
    own_source = release.source
    columns = () if own_source is None else own_source.columns
    if isinstance(data, str):
        probe = DataSource("records", os.path.abspath(data), columns=columns)
    else:
        probe = DataSource("records", HELD, columns=columns, held=data)
    held = columns_of(probe, Path(), access)
    table = replace(probe, kind="table")
    space = release.dataspace
    attributes = [a.name for a in space.attributes] if isinstance(space, TableSpace) else []
    is_table = table.count in held and (table.count != COUNT or COUNT not in attributes)
    return table if is_table else probe


def _named(problem: Problem, spec: str, data: str) -> Problem:
    if problem.file != spec:
        return replace(problem, file=data)
    return problem if problem.line else replace(problem, file=data, path="")


def _agreeing(stated: Release, given: Release, data: str, access: Access) -> Release:
    try:
        release = counted(given, access)
    except SpecError as error:
        raise SpecError([_named(p, stated.path, data) for p in error.problems]) from None
    require_agreement(stated, release, data)
    return release


def require_agreement(stated: Release, given: Release, data: str) -> None:
    """Refuse data whose published counts are not those of the spec, if it has some.

    Raises:
        SpecError: they disagree; with the invariants.
    """
    mine, theirs = stated.published, given.published
    if not isinstance(mine, PublishedCounts) or not isinstance(theirs, PublishedCounts):
        return
    pairs = zip(mine.margins, theirs.margins, strict=True)
    wrong = [f"margin {' * '.join(names)}" for (names, a), (_, b) in pairs if a != b]
    others = zip(mine.others, theirs.others, strict=True)
    wrong += [f"invariants[{at}]" for (at, a), (_, b) in others if a != b]
    if mine.size is not None and mine.size != theirs.size:
        wrong.insert(0, "the number of records")
    if wrong:
        what = f"disagrees with the data of the spec in {', '.join(wrong)}"
        remedy = "use the data that the spec was written for, or correct the spec"
        raise SpecError([Problem(data, 0, 0, "", what, remedy)])
