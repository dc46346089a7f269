"""Matrices in specs: in a CSV file, or written out; over the cells of a table, or over a query.

Those over the coordinates of a query are the covariances and the bases of correlated noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

from pydantic import Field, WithJsonSchema

from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.mechanism import Rationals
from semiaudit.model.query import Query, width
from semiaudit.spec.scalars import LARGEST_SCALE, LARGEST_SIZE, rational, shown, whole
from semiaudit.spec.spec_files import Reporter, SpecFiles, report_in_spec
from semiaudit.spec.yaml12 import Path_, Scalar, YamlDocument

if TYPE_CHECKING:
    from semiaudit.spec.mechanism.mechanism_reader import SpecPlace

Rows = tuple[tuple[int, ...], ...]

Entry = TypeVar("Entry", int, Fraction)

MOST_COORDINATES = 128
"""Coordinates of a query whose noise has a matrix, and rows of a basis: what is proven of the
matrix is computed in fractions."""

Matrix = Annotated[
    Any,
    Field(description="rows of numbers over the query's coordinates: a CSV file, or a list"),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "array",
                    "items": {"type": "array", "items": {"type": ["number", "string"]}},
                },
            ]
        }
    ),
]
"""The key of a matrix, as the spec has it: what it holds is read once its query is known."""


@dataclass(frozen=True, slots=True)
class _Form(Generic[Entry]):
    """The kind of the entries of a matrix.

    Attributes:
        read: one of them.
        entry: what it must be. entries: how to ask for them.
        most: how large it may be.
        over, one_each: what the columns stand for.
    """

    read: Callable[[object], Entry]
    entry: str
    entries: str
    most: int
    over: str
    one_each: str


_CELLS = _Form(
    whole,
    "whole number",
    "rows of whole numbers",
    LARGEST_SIZE,
    "the table has {} cells",
    "give one entry for each cell, in the order of the attributes",
)
_COORDINATES = _Form(
    rational,
    "number",
    "rows of numbers",
    LARGEST_SCALE**2,
    "the query has {} coordinates",
    "give one entry for each coordinate of the query",
)


@dataclass(frozen=True, slots=True)
class _MatrixRow(Generic[Entry]):
    values: tuple[Entry, ...]
    report: Reporter
    entries: Sequence[Reporter]


def matrix_rows(
    document: YamlDocument, files: SpecFiles, path: Path_, columns: int | None
) -> tuple[Rows, str] | None:
    """The rows at a path and the name of their file; or None with the problems in the document.

    Args:
        document: the spec.
        files: the files that it may name.
        path: of a file's name, or of a list of rows.
        columns: how many entries a row must have; None if that is not known.
    """
    node = document.at(path)
    rows = _read(document, files, path, columns, _CELLS)
    name = str(node) if isinstance(node, Scalar) else "matrix"
    return None if rows is None else (tuple(row.values for row in rows), name)


def covariance_of(place: SpecPlace, query: Query | None) -> Rationals | None:
    """The covariance matrix of a part, or None with the problems in the document.

    Empty if there is no dataspace to read it against; that problem is reported elsewhere.
    """
    columns = _columns(place, query, "covariance")
    if not columns:
        return () if columns == 0 else None
    queries, path = place.setting.queries, (*place.path, "covariance")
    return _covariance_rows(queries.document, queries.files, path, columns)


def basis_of(place: SpecPlace, query: Query | None) -> Rationals | None:
    """The basis of a part, as ``covariance_of``."""
    columns = _columns(place, query, "basis")
    if not columns:
        return () if columns == 0 else None
    queries, path = place.setting.queries, (*place.path, "basis")
    return _rational_rows(queries.document, queries.files, path, columns, MOST_COORDINATES)


def _columns(place: SpecPlace, query: Query | None, key: str) -> int | None:
    """Return the number of coordinates of the query; 0 if it is not known, None if too many."""
    space = place.setting.queries.space
    if query is None or not isinstance(space, TableSpace):
        return 0
    coordinates = width(query, space)
    if coordinates > MOST_COORDINATES:
        what = f"is for a query of {coordinates} coordinates"
        place.report((key,), what, f"use at most {MOST_COORDINATES}, or use a support")
        return None
    return coordinates


def _rational_rows(
    document: YamlDocument, files: SpecFiles, path: Path_, columns: int, most: int
) -> tuple[tuple[Fraction, ...], ...] | None:
    rows = _read(document, files, path, columns, _COORDINATES)
    if rows is not None and len(rows) > most:
        document.report(path, f"has {len(rows)} rows", f"give at most {most}")
        return None
    return None if rows is None else tuple(row.values for row in rows)


def _covariance_rows(
    document: YamlDocument, files: SpecFiles, path: Path_, columns: int
) -> tuple[tuple[Fraction, ...], ...] | None:
    rows = _read(document, files, path, columns, _COORDINATES)
    if rows is None:
        return None
    if len(rows) != columns:
        what = f"has {len(rows)} {'row' if len(rows) == 1 else 'rows'}"
        document.report(
            path,
            f"{what}, but the query has {columns} coordinates",
            "give a row for each coordinate",
        )
        return None
    covariance = tuple(row.values for row in rows)
    for at, row in enumerate(rows):
        for other in range(at):
            if row.values[other] != covariance[other][at]:
                what = f"is not the entry {at + 1} of row {other + 1}"
                quoted = f"{shown(row.values[other])} {what}, {shown(covariance[other][at])}"
                row.entries[other](what, "a covariance is symmetric", quoted)
                return None
    from semiaudit.numeric.semidefinite import eliminated  # few specs have a covariance

    bad = eliminated(covariance).bad
    if bad is not None:
        what = "shows that the matrix is not positive semidefinite, so that it is not a covariance"
        rows[bad].report(f"the row {what}", "correct it, or give its entries exactly", what)
        return None
    return covariance


def _read(
    document: YamlDocument, files: SpecFiles, path: Path_, columns: int | None, form: _Form[Entry]
) -> list[_MatrixRow[Entry]] | None:
    before = len(document.problems)
    rows = [
        _row(raw.cells, raw.entries, raw.report, columns, form)
        for raw in rows_at(document, files, path, form.entries, f"a list of {form.entry}s")
    ]
    return rows if len(document.problems) == before else None


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row as it is written in a file or in the spec, and how to report problems with it.

    Attributes:
        report: of the row. entries: of each of its cells.
    """

    cells: Sequence[object]
    report: Reporter
    entries: Sequence[Reporter]


def rows_at(
    document: YamlDocument, files: SpecFiles, path: Path_, wanted: str, row_is: str
) -> Iterator[RawRow]:
    """The rows at a path, which names a CSV file or holds lists.

    Args:
        wanted: what is asked for, as in "rows of numbers". row_is: what one row is.
    """
    node = document.at(path)
    if isinstance(node, Scalar):
        for raw in files.rows(document, path, str(node), f"write {wanted}"):
            places = range(1, len(raw.cells) + 1)
            reports: list[Reporter] = [partial(_of_entry, raw.report, place) for place in places]
            yield RawRow(raw.cells, raw.report, reports)
    elif isinstance(node, list) and node:
        for index, row in enumerate(node):
            where: Path_ = (*path, index)
            if not isinstance(row, list):
                document.report(where, "is not a row", f"write {row_is}")
                continue
            reports = [report_in_spec(document, (*where, i)) for i in range(len(row))]
            yield RawRow(row, report_in_spec(document, where), reports)
    else:
        document.report(path, "is neither a file nor a list of rows", f"write {wanted}")


def _of_entry(report: Reporter, place: int, message: str, remedy: str, quoted: str) -> None:
    report(f"entry {place}: {message}", remedy, f"entry {place}: {quoted}")


def _row(
    entries: Sequence[object],
    reports: Sequence[Reporter],
    report: Reporter,
    columns: int | None,
    form: _Form[Entry],
) -> _MatrixRow[Entry]:
    if columns is not None and len(entries) != columns:
        number = f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}"
        what = f"has {number}, but {form.over.format(shown(columns))}"
        report(what, form.one_each, what)
    values: list[Entry] = []
    for entry, report_entry in zip(entries, reports, strict=True):
        try:
            value = form.read(entry)
        except ValueError as error:
            quoted, _, remedy = str(error).partition("; ")
            report_entry(f"is not a {form.entry}", remedy, quoted)
            continue
        if abs(value) > form.most:
            remedy = f"stay within {form.most} in size"
            report_entry("is too large", remedy, f"{shown(value)} is too large")
        values.append(value)
    return _MatrixRow(tuple(values), report, reports)
