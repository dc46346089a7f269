"""The contents of a table or microdata that a first spec needs: columns and their levels."""

from __future__ import annotations

from semiaudit.frozen import dataclass
from semiaudit.model.data_source import SourceKind

MOST_LEVELS = 100
"""Levels of a column that is taken for an attribute, at most."""

MOST_ASKED_LEVELS = 20_000
"""Levels of a column that the caller asks for, at most."""

MANY = f"has more than {MOST_LEVELS} values"
"""The reason to leave out a column that bins could make an attribute of, if it holds numbers."""


@dataclass(frozen=True, slots=True)
class SurveyedColumn:
    """A column of the data.

    Attributes:
        name: as the data have it.
        levels: its values, in a sensible order; none where it is no attribute.
        left_out: why it is no attribute, as the end of a sentence; empty if it is one.
        doubts: what may be a mistake in its levels, a sentence each.
        numbers: all its values are numbers, so that bins can make levels of them.
        within: the column that it refines: each level occurs with one level of that one; empty if
            there is none.
        parents: with ``within``, for each level the index of the one that it occurs with.
    """

    name: str
    levels: tuple[str, ...] = ()
    left_out: str = ""
    numbers: bool = False
    doubts: tuple[str, ...] = ()
    within: str = ""
    parents: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Survey:
    """The contents of a file.

    Attributes:
        kind: whether a row is a cell with a count or a record.
        count: the column of counts, empty if a row is a record.
        columns: the others, in their order.
        notes: what else is worth saying, a sentence each.
    """

    kind: SourceKind
    count: str
    columns: tuple[SurveyedColumn, ...]
    notes: tuple[str, ...] = ()
