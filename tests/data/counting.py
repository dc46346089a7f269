"""Counting without any database, and short ways to write the files of the tests."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from semiaudit.data.tallies import Tallies, tallies
from semiaudit.errors import SpecError
from semiaudit.model.data_source import Access, DataSource, SourceKind
from semiaudit.model.dataspace import Attribute

STATE = Attribute("state", 3)
SEX = Attribute("sex", ("m", "f"))
BOTH = (STATE, SEX)
MARGINS: list[tuple[str, ...]] = [(), ("sex",), ("sex", "state")]

QUOTING = Access(engines=("duckdb", "sqlite", "postgres"), show_values=True)
"""What these tests allow: messages quote the values that are wrong, so that each is told apart."""

Counts = dict[tuple[str, ...], dict[tuple[int, ...], int]]


def counted(
    path: Path,
    kind: SourceKind,
    attributes: Sequence[Attribute] = BOTH,
    groupings: Sequence[tuple[str, ...]] = MARGINS,
) -> Tallies:
    return tallies(DataSource(kind, path.name), path.parent, attributes, groupings, QUOTING)


def problems(
    path: Path,
    kind: SourceKind,
    attributes: Sequence[Attribute] = BOTH,
    groupings: Sequence[tuple[str, ...]] = MARGINS,
) -> list[str]:
    """The problems of a file that must not be counted, without the folder of the file."""
    try:
        found = counted(path, kind, attributes, groupings)
    except SpecError as error:
        return [str(problem).replace(f"{path.parent}/", "") for problem in error.problems]
    raise AssertionError(f"was counted: {found}")


def csv_file(folder: Path, text: str | bytes, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def parquet_file(folder: Path, query: str, name: str = "data.parquet") -> Path:
    import duckdb

    path = folder / name
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


def counts_by_hand(path: Path, groupings: Sequence[tuple[str, ...]], weighted: bool) -> Counts:
    """The counts of a CSV file over attributes whose levels are numbers."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found: Counts = {}
    for grouping in groupings:
        cells: Counter[tuple[int, ...]] = Counter()
        for row in rows:
            cells[tuple(int(row[name]) for name in grouping)] += (
                int(row["count"]) if weighted else 1
            )
        found[grouping] = {cell: count for cell, count in cells.items() if count}
    return found
