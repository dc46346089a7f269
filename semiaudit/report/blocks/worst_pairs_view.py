"""The worst pairs of a finite mechanism, arranged for reading."""

from __future__ import annotations

from collections.abc import Iterator

from semiaudit.model.audit import Audit
from semiaudit.model.guarantee import WorstPair, WorstPairs
from semiaudit.model.labels import label
from semiaudit.model.number_text import bound_text
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.text.layout import Lines

ORDER = (
    "A test assumes the first dataset of a pair, and at a δ an output is more likely for it. Of "
    "several worst pairs, the first is named."
)


def worst_pairs_block(audit: Audit) -> Lines | None:
    """Return the datasets that a finite mechanism distinguishes best; None if unknown."""
    if not audit.worst_pairs:
        return None
    items = tuple(item for pairs in audit.worst_pairs for item in _items(pairs))
    return Lines("Worst pairs of datasets", (*items, ("", ORDER)))


def _items(pairs: WorstPairs) -> Iterator[tuple[str, str]]:
    name = label(pairs.framework)
    for rate, pair in pairs.tradeoff:
        yield name, f"type I error {rational_text(rate)}: {_pair_text(pair, 'type II error')}"
        name = ""
    for delta, pair in pairs.approx_dp:
        yield name, f"δ = {rational_text(delta)}: {_pair_text(pair, 'ε')}"
        name = ""


def _pair_text(pair: WorstPair | None, number: str) -> str:
    if pair is None:
        return "none, all output distributions are equal"
    apart = "" if pair.distance is None else f", distance {pair.distance}"
    return f"{pair.first} against {pair.second}{apart}: {number} {bound_text(pair.number)}"
