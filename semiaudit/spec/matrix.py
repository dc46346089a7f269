"""Matrices of whole numbers over the cells of a table: in a CSV file, or written out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from semiaudit.spec.beside import Beside, Tell, told_in_spec
from semiaudit.spec.scalars import LARGEST_SIZE, shown, whole
from semiaudit.spec.yaml12 import Document, Path_, Scalar

Rows = tuple[tuple[int, ...], ...]


def matrix_rows(
    document: Document, beside: Beside, path: Path_, columns: int | None
) -> tuple[Rows, str] | None:
    """The rows at a path and the name of their file; or None with the problems in the document.

    Args:
        document: the spec.
        beside: the files that it may name.
        path: of a file's name, or of a list of rows.
        columns: how many entries a row must have; None where that is not known.
    """
    node = document.at(path)
    before = len(document.problems)
    name, rows = "matrix", []
    if isinstance(node, Scalar):
        name = str(node)
        for found in beside.rows(document, path, name, "write rows of whole numbers"):
            places = range(1, len(found.cells) + 1)
            reports: list[Tell] = [partial(_of_entry, found.tell, place) for place in places]
            rows.append(_row(found.cells, reports, found.tell, columns))
    elif isinstance(node, list) and node:
        for index, row in enumerate(node):
            where: Path_ = (*path, index)
            if not isinstance(row, list):
                document.report(where, "is no row", "write a list of whole numbers")
                continue
            reports = [told_in_spec(document, (*where, i)) for i in range(len(row))]
            rows.append(_row(row, reports, told_in_spec(document, where), columns))
    else:
        document.report(path, "is no file and no list of rows", "write rows of whole numbers")
    return (tuple(rows), name) if len(document.problems) == before else None


def _of_entry(tell: Tell, place: int, message: str, remedy: str, quoted: str) -> None:
    tell(f"entry {place}: {message}", remedy, f"entry {place}: {quoted}")


def _row(
    entries: Sequence[object], reports: Sequence[Tell], report: Tell, columns: int | None
) -> tuple[int, ...]:
    if columns is not None and len(entries) != columns:
        number = f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}"
        what = f"has {number} and the table {shown(columns)} cells"
        report(what, "give one entry a cell, in the order of the attributes", what)
    found = []
    for entry, tell in zip(entries, reports, strict=True):
        try:
            value = whole(entry)
        except ValueError as error:
            quoted, _, remedy = str(error).partition("; ")
            tell("is no whole number", remedy, quoted)
            continue
        if abs(value) > LARGEST_SIZE:
            remedy = f"stay within {LARGEST_SIZE} in size"
            tell("is too large", remedy, f"{shown(value)} is too large")
        found.append(value)
    return tuple(found)
