"""The types of a Parquet file's columns, so that a file with the same values can have them too."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from semiaudit.data.column import literal
from semiaudit.data.files import opened_file
from semiaudit.model.data_source import CONFINED, Access, DataSource

KEPT = re.compile(
    r"DATE|TIME|TIMESTAMP|BOOLEAN|UUID|FLOAT|DOUBLE|U?(?:TINY|SMALL|BIG)INT|U?INTEGER"
    r"|DECIMAL\([0-9]+,[0-9]+\)"
)
"""Types of DuckDB that Parquet has too; others are written as text."""

_AT_ONCE = 1_000


def kept_types(
    source: DataSource,
    folder: Path,
    texts: Mapping[str, Sequence[str]],
    access: Access = CONFINED,
) -> dict[str, str]:
    """The types of columns, where each of some texts is the text of one of the type's values.

    Args:
        source: a Parquet file.
        folder: what its path is relative to.
        texts: by the names of the columns: all that may be written in their place.

    Returns:
        Those of ``KEPT`` alone; columns of text, and of which a text is no such value, are left
        out.

    Raises:
        SpecError: the data cannot be read.
    """
    with opened_file(source, folder, access) as reader:
        return {
            name: form
            for name, given in texts.items()
            if KEPT.fullmatch(form := reader.column(name).type)
            and all(
                reader.fetched(_query(form, given[first : first + _AT_ONCE])) == [(True,)]
                for first in range(0, len(given), _AT_ONCE)
            )
        }


def _query(form: str, texts: Sequence[str]) -> str:
    rows = ", ".join(f"({literal(text)})" for text in texts)
    value = f"CAST(TRY_CAST(t AS {form}) AS VARCHAR)"
    return f"SELECT bool_and(coalesce({value} = t, false)) FROM (VALUES {rows}) given(t)"
