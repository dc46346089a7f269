"""The invariants section: what is published exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import assert_never

from semiaudit.errors import Mark
from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import (
    Condition,
    Dataspace,
    Level,
    ListedSpace,
    ProductSpace,
    TableSpace,
    Value,
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
from semiaudit.spec.spec_files import SpecFiles
from semiaudit.spec.yaml12 import Path_, YamlDocument


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
        names = self._names(section.margin, path)
        return None if names is None else Margin(names, mark)

    def keys(self, section: InvariantSection, path: Path_, mark: Mark) -> Invariant | None:
        """Which combinations of levels occur."""
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
        from semiaudit.spec.partition import partition_blocks

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
"""For every key of the grammar what reads it."""
