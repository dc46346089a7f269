"""``partition``: the universes of a small dataspace, inline or in a CSV file."""

from __future__ import annotations

import csv
from pathlib import Path

from semiaudit.errors import Problem, SpecError
from semiaudit.model.dataspace import Dataset, Dataspace, ListedSpace, ProductSpace, TableSpace
from semiaudit.spec.scalars import record_value
from semiaudit.spec.yaml12 import Document, Path_, Scalar, read_file, text_of

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
    located: list[list[tuple[Path_, object]]]
    if isinstance(node, Scalar):
        located = _from_file(document, folder, path, node)
    elif isinstance(node, list) and node and all(isinstance(block, list) for block in node):
        located = [
            [((*path, i, j), dataset) for j, dataset in enumerate(block)]
            for i, block in enumerate(node)
            if isinstance(block, list)
        ]
    else:
        document.report(path, "is no file and no list of blocks", "list the datasets of a block")
        return None
    blocks = []
    seen: set[Dataset] = set()
    for block in located:
        found = []
        for where, listed in block:
            dataset = _dataset(document, where, listed, space)
            if dataset is not None and dataset in seen:
                document.report(where, "is in two blocks", "list each dataset once")
            elif dataset is not None:
                found.append(dataset)
                seen.add(dataset)
        blocks.append(tuple(found))
    return tuple(blocks) if len(document.problems) == before else None


def _dataset(
    document: Document, where: Path_, node: object, space: Dataspace | None
) -> Dataset | None:
    if not isinstance(node, list):
        document.report(where, "is no dataset", "write a list of records")
        return None
    try:
        dataset = tuple(record_value(item) for item in node)
    except ValueError as error:
        document.report(where, *str(error).split("; ", 1))
        return None
    if space is not None and not _belongs(dataset, space):
        document.report(where, "is no dataset of the dataspace", "correct its records")
        return None
    return dataset


def _belongs(dataset: Dataset, space: Dataspace) -> bool:
    if isinstance(space, ProductSpace):
        return len(dataset) == space.size and set(dataset) <= set(space.values)
    return isinstance(space, ListedSpace) and dataset in space.datasets


def _from_file(
    document: Document, folder: Path, path: Path_, name: str
) -> list[list[tuple[Path_, object]]]:
    file = folder / name
    try:
        text = text_of(read_file(file), str(file))
        rows = list(csv.reader(text.splitlines()))
    except SpecError as error:
        document.report(path, str(error.problems[0]))
        return []
    except csv.Error as error:
        document.problems.append(Problem(str(file), 1, 1, "", f"is no CSV file ({error})"))
        return []
    blocks: dict[str, list[tuple[Path_, object]]] = {}
    for row in rows:
        if row:
            records = [Scalar(cell.strip(), plain=True) for cell in row[:-1]]
            blocks.setdefault(row[-1].strip(), []).append((path, records))
    return list(blocks.values())
