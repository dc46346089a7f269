"""The dataspace section: a table over attributes, a product, or a list of datasets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import (
    Attribute,
    Dataspace,
    Level,
    ListedSpace,
    ProductSpace,
    TableSpace,
    Value,
    value_label,
)
from semiaudit.spec.conditions import condition_of
from semiaudit.spec.scalars import level, word
from semiaudit.spec.schema import DataspaceSection, Nested, ProductSection
from semiaudit.spec.spec_files import Reporter, SpecFiles, report_in_spec
from semiaudit.spec.yaml12 import Path_, YamlDocument


@dataclass(frozen=True, slots=True)
class _Pair:
    """A level and its parent, and how to report a problem with them; ``report`` is the row's."""

    parent: Level
    own: Level
    report: Reporter


def nested_attribute(
    document: YamlDocument,
    files: SpecFiles,
    space: Path_,
    name: str,
    nested: Nested,
    known: Mapping[str, Attribute],
) -> Attribute | None:
    """The attribute with its levels' parents, or None with the problems in the document.

    A file has a row for every level: its parent's level, then its own; a first row that names
    both attributes is a heading.
    """
    path: Path_ = (*space, "attributes", name, "levels")
    parent = known[nested.within]
    before = len(document.problems)
    pairs = list(_pairs(document, files, path, nested, name))
    parents: dict[str, int] = {}
    levels: list[Level] = []
    for pair, index in zip(pairs, parent.indices(p.parent for p in pairs), strict=True):
        if index is None:
            what = f"is not a level of {parent.name}"
            pair.report(what, "name one of its levels", f"{pair.parent} {what}")
        elif str(pair.own) in parents:
            what = "names a level twice"
            quoted = f"names the level {pair.own} twice"
            pair.report(what, "give every level its own name", quoted)
        else:
            parents[str(pair.own)] = index
            levels.append(pair.own)
    if not levels and len(document.problems) == before:
        document.report(path, "has no levels", "name at least one")
    if len(document.problems) > before:
        return None
    mark = document.mark((*space, "attributes", name))
    return Attribute(name, tuple(levels), mark, nested.within, tuple(parents.values()))


def _pairs(
    document: YamlDocument, files: SpecFiles, path: Path_, nested: Nested, name: str
) -> Iterator[_Pair]:
    if isinstance(nested.levels, str):
        yield from _pairs_of_file(document, files, path, nested.levels, (nested.within, name))
        return
    for above, levels in nested.levels:
        where = (*path, str(above))
        in_spec = report_in_spec(document, where if where in document.key_marks else path, key=True)
        for inner in levels:
            yield _Pair(above, inner, in_spec)


def _pairs_of_file(
    document: YamlDocument, files: SpecFiles, path: Path_, file: str, heading: tuple[str, str]
) -> Iterator[_Pair]:
    for row in files.rows(document, path, file, "write a row of parent and level"):
        if row.line == 1 and row.cells == heading:
            continue
        if len(row.cells) != 2 or not all(row.cells):
            what = "is not a pair of parent and level"
            row.report(what, "write two columns", what)
            continue
        try:
            above, inner = word(row.cells[0]), level(row.cells[1])
        except ValueError as error:
            quoted, _, remedy = str(error).partition("; ")
            row.report("contains a value that is not a level", remedy, quoted)
            continue
        yield _Pair(above, inner, row.report)


LARGEST_EXPLICIT_SIZE = 1000


@dataclass(frozen=True, slots=True)
class DataspaceReader:
    """Reads a dataspace of one spec.

    Attributes:
        files: the files that it may name.
        path: of the section.
    """

    document: YamlDocument
    files: SpecFiles
    path: Path_ = ("dataspace",)

    def dataspace(self, section: DataspaceSection) -> Dataspace | None:
        """The dataspace, or None with its problems in the document."""
        path = self.path
        kinds = [
            k for k in ("attributes", "product", "datasets") if getattr(section, k) is not None
        ]
        if len(kinds) > 1:
            what = f"has {' and '.join(kinds)}"
            self.document.report(path, what, "describe the dataspace in one way")
            return None
        if section.size is not None and kinds in (["product"], ["datasets"]):
            what = f"goes with attributes, not with {kinds[0]}"
            self.document.report((*path, "size"), what, "remove it")
            return None
        if section.product is not None:
            return self._product(section.unit, section.product)
        if section.datasets is not None:
            return self._listed(section.unit, section.datasets)
        for name in section.attributes or {}:
            if not name.strip() or not name.isprintable() or any(mark in name for mark in "*,"):
                where = (*path, "attributes", name)
                what = "is not a name for an attribute"
                self.document.report(where, what, "leave out * , and control characters", key=True)
        attributes = self._attributes(section)
        if attributes is None:
            return None
        space = TableSpace(section.unit, section.size, attributes, (), self.document.mark(path))
        zeros = [
            condition_of(self.document, space, zero, (*path, "impossible", index))
            for index, zero in enumerate(section.impossible or [])
        ]
        impossible = tuple(zero for zero in zeros if zero is not None)
        return replace(space, impossible=impossible) if len(impossible) == len(zeros) else None

    def _attributes(self, section: DataspaceSection) -> tuple[Attribute, ...] | None:
        attributes: dict[str, Attribute] = {}
        waiting = dict(section.attributes or {})
        good = True
        for name, levels in waiting.items():
            if not isinstance(levels, Nested):
                mark = self.document.mark((*self.path, "attributes", name))
                attributes[name] = Attribute(name, levels, mark)
        nested = {name: levels for name, levels in waiting.items() if isinstance(levels, Nested)}
        while nested:
            ready = [name for name, levels in nested.items() if levels.within in attributes]
            if not ready:
                break
            for name in ready:
                attribute = nested_attribute(
                    self.document, self.files, self.path, name, nested.pop(name), attributes
                )
                good = good and attribute is not None
                if attribute is not None:
                    attributes[name] = attribute
                else:
                    attributes[name] = Attribute(name, 1)
        for name, levels in nested.items():
            what = f"lies within {levels.within}, which is not an attribute outside of it"
            remedy = "name another attribute of the dataspace"
            self.document.report((*self.path, "attributes", name, "within"), what, remedy)
            good = False
        return tuple(attributes[name] for name in waiting) if good else None

    def _product(self, unit: str, product: ProductSection) -> ProductSpace | None:
        values = tuple(product.values)
        path: Path_ = (*self.path, "product")
        if len({str(value_label(value)) for value in values}) != len(values):
            self.document.report((*path, "values"), "repeats a value", "list each value once")
            return None
        if product.size > LARGEST_EXPLICIT_SIZE:
            what = f"{product.size} records are too many to enumerate"
            self.document.report((*path, "size"), what, "describe the dataspace by attributes")
            return None
        return ProductSpace(unit, product.size, values, self.document.mark(path))

    def _listed(self, unit: str, listed: Sequence[Sequence[Value]]) -> ListedSpace | None:
        datasets = tuple(tuple(dataset) for dataset in listed)
        known: set[object] = set()
        good = True
        for index, dataset in enumerate(datasets):
            where: Path_ = (*self.path, "datasets", index)
            if len(dataset) != len(datasets[0]) or not dataset:
                what = f"has {len(dataset)} records and the first dataset {len(datasets[0])}"
                what = what if dataset else "has no records"
                self.document.report(where, what, "list datasets of one length, at least 1")
                good = False
            elif dataset in known:
                self.document.report(where, "is listed twice", "list each dataset once")
                good = False
            known.add(dataset)
        values = {value for dataset in datasets for value in dataset}
        if len({str(value_label(value)) for value in values}) < len(values):
            what = "has a number and a word with the same text"
            self.document.report((*self.path, "datasets"), what, "write them in one way")
            good = False
        mark = self.document.mark((*self.path, "datasets"))
        return ListedSpace(unit, datasets, mark) if good else None
