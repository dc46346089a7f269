"""What each invariant costs, as CSV: a row a number, in the columns of an audit's CSV."""

from __future__ import annotations

from collections.abc import Iterator

from semiaudit.commands.ablate.model import Ablated
from semiaudit.commands.ablate.words import variant_name
from semiaudit.model.frameworks import LEADING
from semiaudit.report.to_csv import Record, records_of_distance, records_of_row, table_beside

NAMES = ("variant", "published")
"""The columns before those of an audit's CSV."""


def to_csv(found: Ablated) -> str:
    """Render an ablation; a variant that is not audited has a row with the reason."""
    return table_beside(NAMES, _records(found))


def _records(found: Ablated) -> Iterator[tuple[tuple[str, str], Record]]:
    for variant in found.variants:
        published = "; ".join(found.invariants[place] for place in variant.kept)
        texts = variant_name(variant), published
        if variant.semi_adjacency is None or variant.row is None:
            yield texts, Record(framework=LEADING, universe="D_t", refused=variant.refused)
            continue
        for record in records_of_distance(variant.semi_adjacency):
            yield texts, record
        for record in records_of_row(variant.row):
            yield texts, record
