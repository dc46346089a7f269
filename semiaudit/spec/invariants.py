"""The invariants section: what is published exactly."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from semiaudit.model.dataspace import (
    Dataspace,
    ExplicitSpace,
    ProductSpace,
    TableSpace,
    value_label,
)
from semiaudit.model.invariant import (
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
from semiaudit.model.source import Mark
from semiaudit.spec.beside import Beside
from semiaudit.spec.conditions import condition_fits, names_fit
from semiaudit.spec.matrix import matrix_rows
from semiaudit.spec.partition import partition_blocks
from semiaudit.spec.scalars import record_value
from semiaudit.spec.schema import InvariantSection
from semiaudit.spec.yaml12 import Document, Path_


@dataclass(frozen=True, slots=True)
class InvariantReader:
    """Reads the invariants of one spec; ``beside`` holds the files that it may name."""

    document: Document
    beside: Beside
    space: Dataspace | None

    def invariant(self, path: Path_, section: InvariantSection) -> Invariant | None:
        """The invariant at a path, or None with its problems in the document."""
        space = self.space
        mark, kind = self.document.mark(path), section.kind
        inner: Path_ = (*path, kind)
        if kind == "total":
            return Total(mark)
        if kind in ("margin", "keys"):
            names = getattr(section, kind)
            if not names or not names_fit(self.document, space, names, inner):
                return self._nothing(inner, names)
            return Margin(tuple(names), mark) if kind == "margin" else Keys(tuple(names), mark)
        if kind in ("count", "bound"):
            item = section.count if kind == "count" else section.bound
            if item is None or not condition_fits(
                self.document, space, item.where, (*inner, "where")
            ):
                return self._nothing(inner, item)
            where = tuple(item.where.items())
            if space is not None and not isinstance(space, TableSpace):
                found = self._explicit_condition(item.where, space, (*inner, "where"))
                if found is None:
                    return None
                where = found
            if section.bound is None:
                return Count(where, mark)
            return PublicBound(where, section.bound.at_least, section.bound.at_most, mark)
        if kind == "statistic":
            if section.statistic is None or not names_fit(
                self.document, space, [section.statistic.of], inner
            ):
                return self._nothing(inner, section.statistic)
            return Statistic(section.statistic.name, section.statistic.of, mark)
        if kind == "linear":
            return self._linear(inner, mark)
        blocks = partition_blocks(self.document, self.beside, inner, space)
        return Partition(blocks, mark) if blocks is not None else None

    def _nothing(self, path: Path_, value: object) -> Invariant | None:
        """No invariant; reported if there is nothing at the path, else it already was."""
        if value is None:
            self.document.report(path, "is empty", "say what is published")
        return None

    def _linear(self, path: Path_, mark: Mark) -> Invariant | None:
        """Integer rows over the cells of a table, from a file or written out."""
        space = self.space
        if space is not None and not (isinstance(space, TableSpace) and space.attributes):
            what = "needs a table over attributes"
            self.document.report(path, what, "use count or partition")
            return None
        if self.document.at(path) is None:
            return self._nothing(path, None)
        columns = space.cells if isinstance(space, TableSpace) else None
        found = matrix_rows(self.document, self.beside, path, columns)
        return None if found is None else Linear(found[1], found[0], mark)

    def _explicit_condition(
        self, where: dict[str, tuple[int | str, ...]], space: ExplicitSpace, path: Path_
    ) -> tuple[tuple[str, tuple[int | str, ...]], ...] | None:
        """Levels as values of the dataspace, read as numbers where those are."""
        inside = space.values if isinstance(space, ProductSpace) else chain(*space.datasets)
        known = {str(value_label(value)): value_label(value) for value in inside}
        good = True
        found = []
        for name in where:
            node = self.document.at((*path, name))
            labels = []
            for item in node if isinstance(node, list) else [node]:
                label = value_label(record_value(item))
                labels.append(known.get(str(label), label))
                if str(label) not in known:
                    what = f"{label} is not a value of the dataspace"
                    self.document.report((*path, name), what, "name one of its values")
                    good = False
            found.append((name, tuple(labels)))
        return tuple(found) if good else None
