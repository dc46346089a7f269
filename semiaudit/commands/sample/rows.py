"""Rows of the files that samples are written to, as lines of CSV."""

from __future__ import annotations

from collections.abc import Collection, Sequence

Kinds = dict[str, str]
"""The columns of a file in order, with the kind of their values: text, integer or number; or with
the type that the column of a Parquet file has."""


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name for a column that no attribute has."""
    while name in taken:
        name += "_"
    return name


def line(values: Sequence[str]) -> str:
    """Return one row as CSV."""
    return ",".join(map(field, values)) + "\n"


def field(value: str) -> str:
    """Return one value of a row as CSV, quoted if needed."""
    if not any(mark in value for mark in ',"\r\n'):
        return value
    return '"' + value.replace('"', '""') + '"'
