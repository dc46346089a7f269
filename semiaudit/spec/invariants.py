"""The invariants section: the statistics that are published exactly, and their partitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from math import prod
from typing import assert_never

from semiaudit.errors import Mark
from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import (
    Attribute,
    Condition,
    Dataset,
    Dataspace,
    ExplicitSpace,
    Level,
    ListedSpace,
    ProductSpace,
    TableSpace,
    Value,
    holds,
    value_label,
)
from semiaudit.model.invariants import (
    Count,
    Invariant,
    Keys,
    Linear,
    Margin,
    Partition,
    PublicBound,
    Statistic,
    Total,
)
from semiaudit.spec.conditions import condition_of, names_fit
from semiaudit.spec.matrix import matrix_rows
from semiaudit.spec.scalars import record_value
from semiaudit.spec.schema import InvariantSection
from semiaudit.spec.spec_files import Reporter, SpecFiles, report_in_spec
from semiaudit.spec.yaml12 import Node, Path_, Scalar, YamlDocument

MOST_COUNTS = 4096
"""The most counts of a margin with a condition, which are analyzed one by one."""

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
    known: set[Dataset] = set()
    for row in rows:
        dataset = _dataset(row, space)
        if dataset is not None and dataset in known:
            what = "is in two blocks or twice in one"
            row.report(what, "list each dataset once", what)
        elif dataset is not None:
            blocks.setdefault(row.block, []).append(dataset)
            known.add(dataset)
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


@dataclass(frozen=True, slots=True)
class InvariantReader:
    """Reader of the invariants of one spec; ``files`` has the files that it may name."""

    document: YamlDocument
    files: SpecFiles
    space: Dataspace | None

    def invariant(self, path: Path_, section: InvariantSection) -> Invariant | None:
        """The invariant at a path, or None with its problems in the document."""
        kind = section.kind
        return READERS[kind](self, section, (*path, kind), self.document.mark(path))

    def total(self, section: InvariantSection, path: Path_, mark: Mark) -> Invariant | None:
        """The number of records."""
        return Total(mark)

    def margin(self, section: InvariantSection, path: Path_, mark: Mark) -> Invariant | None:
        """The counts of all combinations of levels."""
        item = section.margin
        mapping = isinstance(self.document.at(path), dict)
        if item is None or (item.where is None and "where" in item.model_fields_set):
            self._nothing((*path, "where") if mapping else path)
            return None
        if item.where is None:
            names = self._names(item.attributes, (*path, "attributes") if mapping else path)
            return None if names is None else Margin(names, mark)
        names = self._names(item.attributes, (*path, "attributes"))
        where = self.condition(item.where, (*path, "where"))
        if names is None or where is None:
            return None
        if not isinstance(self.space, TableSpace):
            if self.space is not None:
                what = "needs a table over attributes"
                self.document.report((*path, "where"), what, "use count", key=True)
            return None
        number = prod(self.space.attributes[self.space.position(name)].size for name in names)
        if number > MOST_COUNTS:
            what = f"has {number} counts; a margin with where has at most {MOST_COUNTS}"
            self.document.report(path, what, "leave out where, or name fewer attributes")
            return None
        return counted_margin(self.space, names, where, mark)

    def keys(self, section: InvariantSection, path: Path_, mark: Mark) -> Invariant | None:
        """Return the invariant of the combinations of levels that occur."""
        names = self._names(section.keys, path)
        return None if names is None else Keys(names, mark)

    def count(self, section: InvariantSection, path: Path_, mark: Mark) -> Invariant | None:
        """The number of records that satisfy a condition."""
        item = section.count
        if item is None:
            self._nothing(path)
            return None
        where = self.condition(item.where, (*path, "where"))
        return None if where is None else Count(where, mark)

    def bound(self, section: InvariantSection, path: Path_, mark: Mark) -> Invariant | None:
        """A public bound on a count."""
        item = section.bound
        if item is None:
            self._nothing(path)
            return None
        where = self.condition(item.where, (*path, "where"))
        return None if where is None else PublicBound(where, item.at_least, item.at_most, mark)

    def statistic(self, section: InvariantSection, path: Path_, mark: Mark) -> Invariant | None:
        """A statistic of the values of an explicit dataspace."""
        item = section.statistic
        if item is None:
            self._nothing(path)
            return None
        fits = names_fit(self.document, self.space, [item.of], path)
        return Statistic(item.name, item.of, mark) if fits else None

    def partition(self, section: InvariantSection, path: Path_, mark: Mark) -> Invariant | None:
        """The universes of an explicit dataspace, listed."""
        blocks = partition_blocks(self.document, self.files, path, self.space)
        return None if blocks is None else Partition(blocks, mark)

    def linear(self, section: InvariantSection, path: Path_, mark: Mark) -> Invariant | None:
        """Integer rows over the cells of a table, from a file or written out."""
        space = self.space
        if space is not None and not (isinstance(space, TableSpace) and space.attributes):
            what = "needs a table over attributes"
            self.document.report(path, what, "use count or partition")
            return None
        if self.document.at(path) is None:
            self._nothing(path)
            return None
        columns = space.cells if isinstance(space, TableSpace) else None
        rows = matrix_rows(self.document, self.files, path, columns)
        return None if rows is None else Linear(rows[1], rows[0], mark)

    def condition(self, where: Mapping[str, Levels], path: Path_) -> Condition | None:
        """The condition at a path, in the dataspace's own levels."""
        space = self.space
        condition = condition_of(self.document, space, where, path)
        if condition is None:
            return None
        match space:
            case None | TableSpace():
                return condition
            case ProductSpace():
                return self._of_values(where, space.values, path)
            case ListedSpace():
                return self._of_values(where, chain(*space.datasets), path)
            case _:
                assert_never(space)

    def _names(self, names: Sequence[str] | None, path: Path_) -> tuple[str, ...] | None:
        if not names:
            self._nothing(path)
            return None
        return tuple(names) if names_fit(self.document, self.space, names, path) else None

    def _nothing(self, path: Path_) -> None:
        self.document.report(path, "is empty", "name what is published")

    def _of_values(
        self, where: Mapping[str, Levels], values: Iterable[Value], path: Path_
    ) -> Condition | None:
        known = {str(value_label(value)): value_label(value) for value in values}
        good = True
        conditions = []
        for name in where:
            node = self.document.at((*path, name))
            labels = []
            for item in node if isinstance(node, list) else [node]:
                try:
                    label = value_label(record_value(item))
                except ValueError as error:
                    quoted, _, remedy = str(error).partition("; ")
                    self.document.report((*path, name), quoted, remedy)
                    good = False
                    continue
                labels.append(known.get(str(label), label))
                if str(label) not in known:
                    what = f"{label} is not a value of the dataspace"
                    self.document.report((*path, name), what, "name one of its values")
                    good = False
            conditions.append((name, tuple(labels)))
        return tuple(conditions) if good else None


def counted_margin(
    space: TableSpace, names: tuple[str, ...], where: Condition, mark: Mark
) -> Margin:
    """Return the margin of the records that satisfy a condition, with a condition for each count.

    Nesting rules out combinations, which have no count. If all records satisfy the condition, it is
    a margin without one.
    """
    attributes = {attribute.name: attribute for attribute in space.attributes}
    allowed = {name: sorted(_known(attributes[name].indices(levels))) for name, levels in where}
    allowed = {name: at for name, at in allowed.items() if len(at) < attributes[name].size}
    counted = []
    for chosen in product(*(allowed.get(name, range(attributes[name].size)) for name in names)):
        levels = allowed | {name: [index] for name, index in zip(names, chosen, strict=True)}
        named = [(attributes[name], index) for name, index in zip(names, chosen, strict=True)]
        if all(
            a.within not in levels or a.parents[index] in levels[a.within] for a, index in named
        ):
            counted.append(_labels(attributes, levels))
    return Margin(names, mark, _labels(attributes, allowed), tuple(counted) if allowed else ())


def _known(indices: Iterable[int | None]) -> set[int]:
    return {index for index in indices if index is not None}


def _labels(attributes: Mapping[str, Attribute], levels: Mapping[str, list[int]]) -> Condition:
    return tuple((name, tuple(map(attributes[name].label, at))) for name, at in levels.items())


Levels = tuple[Level, ...]
_Reader = Callable[[InvariantReader, InvariantSection, Path_, Mark], Invariant | None]

READERS: dict[str, _Reader] = {
    "total": InvariantReader.total,
    "margin": InvariantReader.margin,
    "count": InvariantReader.count,
    "keys": InvariantReader.keys,
    "bound": InvariantReader.bound,
    "linear": InvariantReader.linear,
    "statistic": InvariantReader.statistic,
    "partition": InvariantReader.partition,
}
"""The reader of each key of the grammar."""
