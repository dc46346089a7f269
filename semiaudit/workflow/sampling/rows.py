"""Rows of the files that samples are written to, as lines of CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Sequence

Kinds = dict[str, str]
"""The columns of a file in order, with the kind of their values: text, integer or number."""


def free_name(name: str, taken: Collection[str]) -> str:
    """A name for a column that no attribute has."""
    while name in taken:
        name += "_"
    return name


def line(values: Sequence[str]) -> str:
    """One row as CSV."""
    if not any(c in value for value in values for c in ',"\r\n'):
        return ",".join(values) + "\n"
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue()
