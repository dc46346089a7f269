"""``partition``: the universes of a small dataspace, inline or in a CSV file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from semiaudit.errors import Problem, SpecError
from semiaudit.model.dataspace import Dataset, Dataspace, ExplicitSpace, TableSpace, holds
from semiaudit.spec.scalars import record_value
from semiaudit.spec.yaml12 import Document, Node, Path_, Scalar, read_file, text_of

Blocks = tuple[tuple[Dataset, ...], ...]


def partition_blocks(
    document: Document, folder: Path, path: Path_, space: Dataspace | None
) -> Blocks | None:
    """The blocks of datasets, or None with the problems in the document.

    A file has a dataset a row: its records, then the name of its block. Datasets that are not
    listed form one more block.
    """
    node = document.at(path)
    if isinstance(space, TableSpace):
        document.report(path, "needs an explicit dataspace", "use product or datasets")
        return None
    before = len(document.problems)
    if isinstance(node, Scalar):
        rows = _rows_of_file(document, folder, path, node)
    elif isinstance(node, list) and node and all(isinstance(block, list) for block in node):
        rows = _rows_of_lists(document, path, node)
    else:
        document.report(path, "is no file and no list of blocks", "list the datasets of a block")
        return None
    blocks: dict[str, list[Dataset]] = {}
    seen: set[Dataset] = set()
    for row in rows:
        dataset = _dataset(row, space)
        if dataset is not None and dataset in seen:
            row.report("is in two blocks or twice in one", "list each dataset once")
        elif dataset is not None:
            blocks.setdefault(row.block, []).append(dataset)
            seen.add(dataset)
    found = tuple(tuple(block) for block in blocks.values())
    return found if len(document.problems) == before else None


@dataclass(frozen=True, slots=True)
class _Row:
    """One listed dataset, its block, and how a problem with it is reported."""

    block: str
    records: object
    report: Callable[[str, str], None]


def _dataset(row: _Row, space: ExplicitSpace | None) -> Dataset | None:
    if not isinstance(row.records, list):
        row.report("is no dataset", "write a list of records")
        return None
    try:
        dataset = tuple(record_value(item) for item in row.records)
    except ValueError as error:
        message, _, remedy = str(error).partition("; ")
        row.report(message, remedy)
        return None
    if space is not None and not holds(space, dataset):
        row.report("is no dataset of the dataspace", "correct its records")
        return None
    return dataset


def _rows_of_lists(document: Document, path: Path_, node: list[Node]) -> Iterator[_Row]:
    for i, block in enumerate(node):
        for j, dataset in enumerate(block if isinstance(block, list) else []):
            yield _Row(str(i), dataset, partial(document.report, (*path, i, j)))


def _rows_of_file(document: Document, folder: Path, path: Path_, name: str) -> Iterator[_Row]:
    import csv  # only a file needs it

    file = folder / name
    try:
        rows = list(
            csv.reader(
                text_of(read_file(file), str(file), "list datasets").splitlines(), strict=True
            )
        )
    except SpecError as error:
        document.report(path, str(error.problems[0]))
        return
    except csv.Error as error:
        document.report(path, f"{file} is no CSV file ({error})", "correct it")
        return

    def report(line: int, message: str, remedy: str) -> None:
        document.problems.append(Problem(str(file), line, 1, "", message, remedy))

    for line, row in enumerate(rows, start=1):
        if row:
            records = [Scalar(cell.strip(), plain=True) for cell in row[:-1]]
            yield _Row(row[-1].strip(), records, partial(report, line))
