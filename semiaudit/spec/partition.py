"""``partition``: the universes of a small dataspace, inline or in a CSV file."""

from __future__ import annotations

from collections.abc import Iterator

from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import Dataset, Dataspace, ExplicitSpace, TableSpace, holds
from semiaudit.spec.scalars import record_value
from semiaudit.spec.spec_files import Reporter, SpecFiles, report_in_spec
from semiaudit.spec.yaml12 import Node, Path_, Scalar, YamlDocument

Blocks = tuple[tuple[Dataset, ...], ...]


def partition_blocks(
    document: YamlDocument, files: SpecFiles, path: Path_, space: Dataspace | None
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
        rows = _rows_of_file(document, files, path, node)
    elif isinstance(node, list) and node and all(isinstance(block, list) for block in node):
        rows = _rows_of_lists(document, path, node)
    else:
        document.report(
            path, "is neither a file nor a list of blocks", "list the datasets of a block"
        )
        return None
    blocks: dict[str, list[Dataset]] = {}
    seen: set[Dataset] = set()
    for row in rows:
        dataset = _dataset(row, space)
        if dataset is not None and dataset in seen:
            what = "is in two blocks or twice in one"
            row.report(what, "list each dataset once", what)
        elif dataset is not None:
            blocks.setdefault(row.block, []).append(dataset)
            seen.add(dataset)
    partition = tuple(tuple(block) for block in blocks.values())
    return partition if len(document.problems) == before else None


@dataclass(frozen=True, slots=True)
class _PartitionRow:
    block: str
    records: object
    report: Reporter


def _dataset(row: _PartitionRow, space: ExplicitSpace | None) -> Dataset | None:
    if not isinstance(row.records, list):
        row.report("is not a dataset", "write a list of records", "is not a dataset")
        return None
    try:
        dataset = tuple(record_value(item) for item in row.records)
    except ValueError as error:
        quoted, _, remedy = str(error).partition("; ")
        row.report("contains a value that is not a record", remedy, quoted)
        return None
    if space is not None and not holds(space, dataset):
        what = "is not a dataset of the dataspace"
        row.report(what, "correct its records", what)
        return None
    return dataset


def _rows_of_lists(
    document: YamlDocument, path: Path_, node: list[Node]
) -> Iterator[_PartitionRow]:
    for i, block in enumerate(node):
        for j, dataset in enumerate(block if isinstance(block, list) else []):
            yield _PartitionRow(str(i), dataset, report_in_spec(document, (*path, i, j)))


def _rows_of_file(
    document: YamlDocument, files: SpecFiles, path: Path_, name: str
) -> Iterator[_PartitionRow]:
    for row in files.rows(document, path, name, "list datasets"):
        yield _PartitionRow(row.cells[-1], list(row.cells[:-1]), row.report)
