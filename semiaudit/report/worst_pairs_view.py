"""The worst pairs of a finite mechanism, arranged for reading."""

from __future__ import annotations

from collections.abc import Iterator

from semiaudit.model.audit import Audit
from semiaudit.model.worst_pair import WorstPair, WorstPairs
from semiaudit.report.layout import Lines
from semiaudit.report.numbers import bound_text, rational_text

ORDER = (
    "a test assumes the first of two, and at a delta an output is likelier for it; of several "
    "pairs the first one is named"
)


def worst_pairs_block(audit: Audit) -> Lines | None:
    """Whom a finite mechanism tells apart best; None where that is not known."""
    if not audit.worst_pairs:
        return None
    items = tuple(item for found in audit.worst_pairs for item in _items(found))
    return Lines("Which two datasets are told apart best", (*items, ("", ORDER)))


def _items(found: WorstPairs) -> Iterator[tuple[str, str]]:
    name: str = found.framework
    for rate, pair in found.tradeoff:
        yield name, f"type I error {rational_text(rate)}: {_told(pair, 'type II error')}"
        name = ""
    for delta, pair in found.approx_dp:
        yield name, f"delta {rational_text(delta)}: {_told(pair, 'epsilon')}"
        name = ""


def _told(pair: WorstPair | None, number: str) -> str:
    if pair is None:
        return "none, all laws are alike"
    apart = "" if pair.distance is None else f", {pair.distance} apart"
    return f"{pair.first} against {pair.second}{apart}: {number} {bound_text(pair.number)}"
