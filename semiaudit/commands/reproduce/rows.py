"""Published and recomputed numbers as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from semiaudit.commands.reproduce.model import Reproduced, Reproduction, ReproductionEntry
from semiaudit.commands.reproduce.words import ours_text, side_of
from semiaudit.report.text.shield import cell

COLUMNS = (
    "entry",
    "name",
    "what",
    "published",
    "unit",
    "basis",
    "source",
    "place",
    "ours",
    "side",
    "verdict",
    "erratum",
    "corrected",
)


def to_csv(reproduction: Reproduction) -> str:
    """Render a reproduction as CSV: a row for each result."""
    return csv_of([COLUMNS]) + "".join(map(csv_of_entry, reproduction.entries))


def csv_of_entry(entry: ReproductionEntry) -> str:
    """Return the rows of one entry."""
    return csv_of(map(_row, entry.results))


def csv_of(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as CSV."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()


def _row(result: Reproduced) -> list[str]:
    published = result.published
    texts = (
        published.entry,
        published.name,
        published.what,
        published.text,
        published.unit,
        published.basis,
        published.source,
        published.place,
        ours_text(result),
        side_of(result.ours),
        result.verdict,
        published.erratum,
        published.corrected,
    )
    return [cell(text) for text in texts]
