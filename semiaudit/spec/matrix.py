"""Matrices of whole numbers over the cells of a table: in a CSV file, or written out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from semiaudit.errors import Problem, SpecError
from semiaudit.spec.scalars import LARGEST_SIZE, shown, whole
from semiaudit.spec.yaml12 import Document, Path_, Scalar, read_file, text_of

Rows = tuple[tuple[int, ...], ...]
_Report = Callable[[str, str], None]


def matrix_rows(
    document: Document, folder: Path, path: Path_, columns: int | None
) -> tuple[Rows, str] | None:
    """The rows at a path and the name of their file; or None with the problems in the document.

    Args:
        document: the spec. folder: where a file is looked for.
        path: of a file's name, or of a list of rows.
        columns: how many entries a row must have; None where that is not known.
    """
    node = document.at(path)
    before = len(document.problems)
    name, rows = "matrix", []
    if isinstance(node, Scalar):
        name, rows = str(node), _rows_of_file(document, folder, path, node, columns)
    elif isinstance(node, list) and node:
        for index, row in enumerate(node):
            where: Path_ = (*path, index)
            if not isinstance(row, list):
                document.report(where, "is no row", "write a list of whole numbers")
                continue
            reports = [partial(document.report, (*where, place)) for place in range(len(row))]
            rows.append(_row(row, reports, partial(document.report, where), columns))
    else:
        document.report(path, "is no file and no list of rows", "write rows of whole numbers")
    return (tuple(rows), name) if len(document.problems) == before else None


def _rows_of_file(
    document: Document, folder: Path, path: Path_, name: str, columns: int | None
) -> list[tuple[int, ...]]:
    import csv  # only a file needs it

    file = folder / name
    try:
        text = text_of(read_file(file), str(file), "write rows of whole numbers")
    except SpecError as error:
        document.report(path, str(error.problems[0]))
        return []

    def report(line: int, message: str, remedy: str) -> None:
        document.problems.append(Problem(str(file), line, 1, "", message, remedy))

    reader = csv.reader(text.splitlines(), strict=True)
    rows = []
    try:
        for entries in reader:
            if entries:
                told = partial(report, reader.line_num)
                cells = [Scalar(entry.strip(), plain=True) for entry in entries]
                reports = [partial(_of_entry, told, place) for place in range(1, len(cells) + 1)]
                rows.append(_row(cells, reports, told, columns))
    except csv.Error as error:
        report(reader.line_num, f"is no CSV ({error})", "correct it")
    return rows


def _of_entry(report: _Report, place: int, message: str, remedy: str) -> None:
    report(f"entry {place}: {message}", remedy)


def _row(
    entries: Sequence[object], reports: Sequence[_Report], report: _Report, columns: int | None
) -> tuple[int, ...]:
    if columns is not None and len(entries) != columns:
        number = f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}"
        what = f"has {number} and the table {shown(columns)} cells"
        report(what, "give one entry a cell, in the order of the attributes")
    found = []
    for entry, tell in zip(entries, reports, strict=True):
        try:
            value = whole(entry)
        except ValueError as error:
            message, _, remedy = str(error).partition("; ")
            tell(message, remedy)
            continue
        if abs(value) > LARGEST_SIZE:
            tell(f"{shown(value)} is too large", f"stay within {LARGEST_SIZE} in size")
        found.append(value)
    return tuple(found)
