"""The confidential table that a sample answers from: in a file, an engine or the spec itself."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import product
from pathlib import Path

from semiaudit.errors import Problem, Refusal, RefusedError, SpecError
from semiaudit.model.access import Access
from semiaudit.model.audit import Release
from semiaudit.model.data_source import COUNT, DataSource
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.published import PublishedCounts
from semiaudit.spec.build import Loaded
from semiaudit.spec.published import table_inside
from semiaudit.workflow.audit.counting import MOST_CELLS, counted
from semiaudit.workflow.sampling.rules import Table


def table_of(found: Loaded, release: Release, data: str | None, access: Access) -> Table | None:
    """The confidential table, by the levels of its cells; None without data."""
    space = release.dataspace
    if not isinstance(space, TableSpace) or not space.attributes:
        if data is not None:
            what = "--data is a table or microdata, and the dataspace is none over attributes"
            remedy = "of an explicit dataspace, give data.dataset in the spec"
            raise RefusedError(Refusal(what, remedy, "data"))
        return None
    names = tuple(attribute.name for attribute in space.attributes)
    if data is not None:
        source = _source_of(data, found.release, access)
        _check_agreement(release, replace(release, source=source), data, access)
    elif found.release.source is not None:
        source = found.release.source
    else:
        inside = table_inside(found.document, space)
        if inside is None:
            return None
        cells = product(*(range(attribute.size) for attribute in space.attributes))
        return {levels: k for levels, k in zip(cells, inside, strict=True) if k}
    if space.cells > MOST_CELLS:
        what = f"the table has more than {MOST_CELLS} cells"
        raise RefusedError(Refusal(what, "sample a smaller one", "dataspace"))
    from semiaudit.data.tallies import tallies

    return tallies(source, Path(source.folder), space.attributes, [names], access).counts[names]


def _source_of(data: str, release: Release, access: Access) -> DataSource:
    """A file as a table of cells, if it has a column of counts, or as microdata."""
    from semiaudit.data.files import opened_file

    told = release.source
    columns = () if told is None else told.columns
    place = os.path.abspath(data)
    probe = DataSource("records", place, columns=columns, folder="")
    with opened_file(probe, Path(), access) as reader:
        held = reader.columns()
    table = DataSource("table", place, columns=columns, folder="")
    space = release.dataspace
    attributes = [a.name for a in space.attributes] if isinstance(space, TableSpace) else []
    is_table = table.count in held and (table.count != COUNT or COUNT not in attributes)
    return table if is_table else probe


def _check_agreement(stated: Release, given: Release, data: str, access: Access) -> None:
    """Refuse data whose published values are not those of the spec.

    Raises:
        SpecError: they disagree; no value of the data is quoted.
    """
    try:
        told = counted(given, access).published
    except SpecError as error:
        # what the spec says of its own data is said of the file
        named = [p if p.line else replace(p, file=data, path="") for p in error.problems]
        raise SpecError(named) from None
    mine = stated.published
    if not isinstance(mine, PublishedCounts) or not isinstance(told, PublishedCounts):
        return
    pairs = zip(mine.margins, told.margins, strict=True)
    wrong = [f"margin {' * '.join(names)}" for (names, a), (_, b) in pairs if a != b]
    others = zip(mine.others, told.others, strict=True)
    wrong += [f"invariants[{at}]" for (at, a), (_, b) in others if a != b]
    if mine.size is not None and mine.size != told.size:
        wrong.insert(0, "the number of records")
    if wrong:
        what = f"disagrees with the data of the spec in {', '.join(wrong)}"
        remedy = "give the data that the spec was written for, or correct the spec"
        raise SpecError([Problem(data, 0, 0, "", what, remedy)])
