"""``within``: attributes that refine another one, with the map of their levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import Attribute, Level
from semiaudit.spec.scalars import level, word
from semiaudit.spec.schema import Nested
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
        for own in levels:
            yield _Pair(above, own, in_spec)


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
            above, own = word(row.cells[0]), level(row.cells[1])
        except ValueError as error:
            quoted, _, remedy = str(error).partition("; ")
            row.report("contains a value that is not a level", remedy, quoted)
            continue
        yield _Pair(above, own, row.report)
