"""``within``: attributes that refine another one, with the map of their levels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from semiaudit.errors import Problem, SpecError
from semiaudit.model.dataspace import Attribute, Level
from semiaudit.spec.scalars import level
from semiaudit.spec.schema import Nested
from semiaudit.spec.yaml12 import Document, Path_, Scalar, read_file, text_of


def nested_attribute(
    document: Document, folder: Path, name: str, nested: Nested, known: Mapping[str, Attribute]
) -> Attribute | None:
    """The attribute with its levels' parents, or None with the problems in the document.

    A file has a row for every level: its parent's level, then its own; a first row that names
    both attributes is a heading.
    """
    path: Path_ = ("dataspace", "attributes", name, "levels")
    parent = known[nested.within]
    before = len(document.problems)
    if isinstance(nested.levels, str):
        pairs = _pairs_of_file(document, folder, path, nested, name)
    else:
        pairs = [(above, own) for above, levels in nested.levels for own in levels]
    levels, parents = [], []
    for (above, own), index in zip(pairs, parent.indices(a for a, _ in pairs), strict=True):
        if index is None:
            where = (*path, str(above))
            key = where in document.key_marks
            what = f"{above} is not a level of {parent.name}"
            document.report(where if key else path, what, "name one of its levels", key=key)
            continue
        levels.append(own)
        parents.append(index)
    texts = [str(own) for own in levels]
    if len(set(texts)) < len(texts):
        doubled = sorted(text for text in set(texts) if texts.count(text) > 1)[0]
        document.report(path, f"names the level {doubled} twice", "give every level its own name")
    elif not levels and len(document.problems) == before:
        document.report(path, "has no levels", "name at least one")
    if len(document.problems) > before:
        return None
    mark = document.mark(("dataspace", "attributes", name))
    return Attribute(name, tuple(levels), mark, nested.within, tuple(parents))


def _pairs_of_file(
    document: Document, folder: Path, path: Path_, nested: Nested, name: str
) -> list[tuple[Level, Level]]:
    import csv  # only a file needs it

    assert isinstance(nested.levels, str)
    file = folder / nested.levels
    try:
        text = text_of(read_file(file), str(file), "write a row of parent and level")
        rows = list(csv.reader(text.splitlines(), strict=True))
    except SpecError as error:
        document.report(path, str(error.problems[0]))
        return []
    except csv.Error as error:
        document.report(path, f"{file} is no CSV file ({error})", "correct it")
        return []
    pairs: list[tuple[Level, Level]] = []
    for line, row in enumerate(rows, start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (line == 1 and cells == [nested.within, name]):
            continue
        if len(cells) != 2 or not all(cells):
            what, remedy = "is no pair of parent and level", "write two columns"
            document.problems.append(Problem(str(file), line, 1, "", what, remedy))
            continue
        try:
            above, own = (level(Scalar(cell, plain=True)) for cell in cells)
        except ValueError as error:
            what, _, remedy = str(error).partition("; ")
            document.problems.append(Problem(str(file), line, 1, "", what, remedy))
            continue
        pairs.append((above, own))
    return pairs
