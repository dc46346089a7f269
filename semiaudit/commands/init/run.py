"""Draft a first spec from a file of data, with notes on what to complete."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from semiaudit.auditing.counting import MOST_CELLS
from semiaudit.data.survey import survey
from semiaudit.errors import Problem, SpecError
from semiaudit.frozen import dataclass
from semiaudit.model.results.survey import Survey
from semiaudit.paths import is_inside
from semiaudit.spec.drafts.draft import MOST_LEFT_OUT, SpecDraft, short

_MISSING = frozenset({"na", "n/a", "nan", "null", "none", "?", ".", "-"})
_LONGEST_TITLE = 100

MOST_NAMED = 20
"""Attributes that a note names with their numbers of levels, at most."""


@dataclass(frozen=True, slots=True)
class Drafted:
    """A first spec.

    Attributes:
        text: the spec.
        notes: findings and decisions, one sentence each.
        root: the folder that audits of the spec must be given with ``--root``; empty if none.
    """

    text: str
    notes: tuple[str, ...]
    root: str = ""


def draft(
    file: str,
    target: str,
    margins: Sequence[Sequence[str]] = (),
    count: str = "",
    *,
    dropped: Sequence[str] = (),
    kept: Sequence[str] = (),
) -> Drafted:
    """Draft a spec that can be audited as it is.

    Args:
        file: a CSV or Parquet file; a table of cells with counts, or microdata.
        target: the path of the new spec; the data path is relative to its folder.
        margins: the margins that are published exactly, by names of columns.
        count: the column of counts; empty to find it, if there is one.
        dropped: names of columns that are left out.
        kept: names of columns of which a level may be the sum of the others.

    Raises:
        SpecError: the file cannot be read, none of its columns can be an attribute, a margin names
            no attribute, or a margin has too many cells; or as ``survey`` says.
    """
    names = {name for margin in margins for name in margin}
    asked = sorted(names | {part.strip() for name in names for part in name.split("*")})
    surveyed = survey(Path(file), count, asked, dropped=dropped, kept=kept)
    drafted = SpecDraft(surveyed, asked)
    if not drafted.attributes:
        reasons = "; ".join(f"{short(c.name)!r} {reason}" for c, reason in drafted.left_out[:5])
        what = f"no column can be an attribute{': ' if reasons else ''}{reasons}"
        raise SpecError(
            [Problem(file, 0, 0, "", what, "use columns with levels; docs/data.md explains them")]
        )
    named = list(dict.fromkeys(drafted.margin(file, margin) for margin in margins))
    for margin in named:
        if drafted.cells(margin) > MOST_CELLS:
            where, what = (
                " * ".join(margin),
                f"has more than {MOST_CELLS} cells, the limit for counting",
            )
            raise SpecError([Problem(file, 0, 0, where, what, "use a coarser margin")])
    place, root = _place(file, target)
    name = "".join(c if c.isprintable() else "?" for c in os.path.basename(file))
    text = drafted.text(place, name[:_LONGEST_TITLE], named)
    return Drafted(text, tuple(_notes(surveyed, drafted)), root)


def _place(file: str, target: str) -> tuple[str, str]:
    folder = os.path.realpath(os.path.dirname(os.path.abspath(target)))
    inside = is_inside(file, folder)
    place = os.path.relpath(os.path.realpath(file), folder).replace(os.sep, "/")
    if not place.isprintable():
        what = "has control characters in its path, which a spec cannot contain"
        raise SpecError([Problem(file, 0, 0, "", what, "rename it")])
    return place, "" if inside else os.path.commonpath([folder, os.path.realpath(file)])


def _notes(surveyed: Survey, drafted: SpecDraft) -> Iterator[str]:
    yield from surveyed.notes
    for name, column in drafted.attributes.items():
        missing = [level for level in column.levels if level.lower() in _MISSING]
        if missing:
            yield f"{name!r} has the level {missing[0]!r}, which may mean a missing value"
    for column, reason in drafted.left_out[:MOST_LEFT_OUT]:
        yield f"left out: {short(column.name)!r} {reason}"
    if len(drafted.left_out) > MOST_LEFT_OUT:
        yield f"left out: {len(drafted.left_out) - MOST_LEFT_OUT} more"
    if drafted.can_be_binned:
        yield "bins make levels of numbers: see the comments in the spec"
    levels = [f"{short(n)} ({len(c.levels)})" for n, c in drafted.attributes.items()]
    more = len(levels) - MOST_NAMED
    shown = ", ".join(levels[:MOST_NAMED]) + (f", and {more} more" if more > 0 else "")
    number = len(levels)
    yield f"{number} attribute{'s' * (number > 1)}, with the number of levels: {shown}"
