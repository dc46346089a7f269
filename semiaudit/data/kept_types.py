"""The types of a Parquet file's columns, so that a file with the same values can keep them."""

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
"""Types of DuckDB that Parquet supports too; others are written as text."""

_AT_ONCE = 1_000


def kept_types(
    source: DataSource,
    folder: Path,
    texts: Mapping[str, Sequence[str]],
    access: Access = CONFINED,
) -> dict[str, str]:
    """Return the types of columns for which all given texts are values of the type.

    Args:
        source: a Parquet file.
        folder: the base folder of its path.
        texts: by column name, all values that can be written instead.

    Returns:
        Only types of ``KEPT``; text columns, and columns with a text that is not a value of the
        type, are omitted.

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
