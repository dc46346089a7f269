"""Data that are counted: the file or the engine that holds them, and what its columns are."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise

from semiaudit.model.data_source import COUNT, Bin, DataColumn, DataSource, SourceKind
from semiaudit.model.dataspace import Attribute, Dataspace, Level, TableSpace
from semiaudit.numeric.rationals import decimal_from_text
from semiaudit.spec.data.data_schema import ColumnRole, DataSection
from semiaudit.spec.spec_files import SpecFiles
from semiaudit.spec.yaml12 import HeldScalar, Path_, YamlDocument

_COLUMNS: Path_ = ("data", "columns")


def data_source(
    document: YamlDocument, files: SpecFiles, section: DataSection, space: Dataspace
) -> DataSource | None:
    """Return the source from which t is counted if the spec names a file or an engine; else None.

    Problems are in the document; then the source is None too.
    """
    kinds: tuple[SourceKind, ...] = ("table", "records")
    named = [kind for kind in kinds if getattr(section, kind) is not None]
    others = [key for key in ("counts", "margins", "dataset") if getattr(section, key) is not None]
    if section.engine is not None and not named:
        what = "names no table"
        document.report(("data", "engine"), what, "add table or records: its name in the engine")
    if section.columns is not None and not named:
        what = "describes columns, but there is no table and there are no records"
        document.report(("data", "columns"), what, "add one of the two, or leave it out", key=True)
    if len(named) != 1 or others:
        return None
    path: Path_ = ("data", named[0])
    if not isinstance(space, TableSpace) or not space.attributes:
        what = "needs a table over attributes"
        document.report(path, what, "describe the dataspace by attributes")
        return None
    place, node = getattr(section, named[0]), document.at(path)
    held = node.held if isinstance(node, HeldScalar) else None
    if held is not None and section.engine is not None:
        document.report(("data", "engine"), "does not go with a table in Python", "leave it out")
        return None
    if section.engine is None and held is None:
        file = files.path(document, path, place)
        if file is None:
            return None
        place = str(file) if file.is_absolute() else place
    columns = _columns(document, section.columns or {}, named[0], space)
    if columns is None:
        return None
    mark, folder = document.mark(path), str(files.folder)
    return DataSource(named[0], place, section.engine, mark, folder, columns, held)


def _columns(
    document: YamlDocument, columns: Mapping[str, ColumnRole], kind: SourceKind, space: TableSpace
) -> tuple[DataColumn, ...] | None:
    """Return the meanings of columns; None with the problems in the document."""
    before = len(document.problems)
    attributes = {attribute.name: attribute for attribute in space.attributes}
    holders: dict[str | None, str] = {}
    data_columns = []
    for name, column in columns.items():
        path = (*_COLUMNS, name)
        attribute = None if column.is_count else column.attribute or name
        if attribute is None and kind == "records":
            what = "records have no column of counts"
            document.report(path, what, "leave it out, or write {attribute: count}")
        elif attribute is not None and attribute not in attributes:
            what = f"{attribute} is not an attribute of the dataspace"
            document.report(
                path, what, f"it has {', '.join(attributes)}", key=column.attribute is None
            )
        elif attribute in holders:
            content = "the counts" if attribute is None else attribute
            what = f"{content} is in the column {holders[attribute]} too"
            document.report(path, what.replace("counts is", "counts are"), "name one column")
        else:
            holders[attribute] = name
            bins = () if attribute is None else _bins(document, path, column, attributes[attribute])
            data_columns.append(DataColumn(name, attribute, bins))
    named = {column.name: column.attribute for column in data_columns}
    names = [*attributes, COUNT] if kind == "table" else list(attributes)
    for name in names:
        own = None if name == COUNT and name not in attributes else name
        if name in named and own not in holders and named[name] != own:
            what = f"is the column of {named[name] or 'the counts'}, so that {name} has no column"
            document.report((*_COLUMNS, name), what, f"say which column holds {name}", key=True)
    return tuple(data_columns) if len(document.problems) == before else None


def _bins(
    document: YamlDocument, path: Path_, column: ColumnRole, attribute: Attribute
) -> tuple[Bin, ...]:
    """The bins of an attribute; those that overlap, or are no levels, are reported."""
    where, before = (*path, "bins"), len(document.problems)
    bins: list[tuple[str, Bin]] = []
    keys: dict[int, str] = {}
    for (key, (low, high)), level in zip(
        column.bins.items(), attribute.indices(column.bins), strict=True
    ):
        if level is None:
            what = f"{key} is not a level of {attribute.name}"
            document.report((*where, key), what, "name one of its levels", key=True)
        elif level in keys:
            what = f"repeats the level {keys[level]} of {attribute.name}"
            document.report((*where, key), what, "give each level one bin", key=True)
        else:
            keys[level] = key
            bins.append((key, Bin(level, low, high)))
    bins.sort(key=lambda item: (item[1].low is not None, item[1].low or Fraction(0)))
    for (first, one), (key, other) in pairwise(bins):
        if one.high is None or other.low is None or other.low <= one.high:
            what = f"overlaps the bin {first}"
            document.report(
                (*where, key),
                what,
                "put each number in one bin only: a bin includes both of its ends",
            )
    for lone, number in _numbers_without_a_bin(attribute, keys):
        for key, one in bins:
            if (one.low is None or one.low <= number) and (one.high is None or number <= one.high):
                what = f"contains {lone}, which is another level of {attribute.name}"
                document.report((*where, key), what, "end the bin before it")
    is_complete = not keys or not isinstance(attribute.levels, int) or len(keys) == attribute.size
    if not is_complete and len(document.problems) == before:
        what = f"has bins for {len(keys)} of the {attribute.size} levels of {attribute.name}"
        document.report(where, what, "give each level a bin, or name the levels")
    return tuple(one for _, one in bins)


def _numbers_without_a_bin(
    attribute: Attribute, binned: Container[int]
) -> Iterator[tuple[Level, Fraction]]:
    """Named levels that are numbers; without a bin they are found by their text."""
    if isinstance(attribute.levels, int):
        return
    for index, level in enumerate(attribute.levels):
        number = decimal_from_text(str(level))
        if index not in binned and number is not None:
            yield level, number
