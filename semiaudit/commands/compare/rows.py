"""Releases side by side, as CSV: a row a number, in the columns of an audit's CSV."""

from __future__ import annotations

from collections.abc import Iterator

from semiaudit.commands.compare.model import SideBySide
from semiaudit.report.to_csv import Record, records_of_distance, records_of_row, table_beside

NAMES = ("release", "path", "title")
"""The columns before those of an audit's CSV. The order stands in the other formats."""


def to_csv(found: SideBySide) -> str:
    """Render a comparison."""
    return table_beside(NAMES, _records(found))


def _records(found: SideBySide) -> Iterator[tuple[tuple[str, str, str], Record]]:
    for release in found.releases:
        texts = release.name, release.path, release.title
        for record in records_of_distance(release.semi_adjacency):
            yield texts, record
        for row in release.rows:
            for record in records_of_row(row):
                yield texts, record
