"""The worst pairs of a finite mechanism, arranged for reading."""

from __future__ import annotations

from collections.abc import Iterator

from semiaudit.model.audit import Audit
from semiaudit.model.worst_pair import WorstPair, WorstPairs
from semiaudit.report.layout import Grid
from semiaudit.report.numbers import bound_text, rational_text

NOTES = (
    "A test assumes the first dataset of a type I error; at a delta an output is likelier for the "
    "first. Of several pairs the first one is named.",
)


def worst_pairs_block(audit: Audit) -> Grid | None:
    """Whom a finite mechanism tells apart best; None where that is not known."""
    if audit.worst_pairs is None:
        return None
    rows = tuple(row for found in audit.worst_pairs for row in _rows(found))
    if not rows:
        return None
    columns = ("guarantee", "at", "first dataset", "second dataset", "apart", "number")
    numeric = (False, False, False, False, True, True)
    title = "Which two datasets are told apart best"
    return Grid(title, columns, rows, numeric, NOTES, breaks=True)


def _rows(found: WorstPairs) -> Iterator[tuple[str, ...]]:
    for rate, pair in found.tradeoff:
        yield found.framework, f"type I {rational_text(rate)}", *_told(pair, "type II")
    for delta, pair in found.approx_dp:
        yield found.framework, f"delta {rational_text(delta)}", *_told(pair, "epsilon")


def _told(pair: WorstPair | None, name: str) -> tuple[str, str, str, str]:
    if pair is None:
        return "none", "none", "-", "-"
    apart = "-" if pair.distance is None else str(pair.distance)
    return pair.first, pair.second, apart, f"{name} {bound_text(pair.number)}"
