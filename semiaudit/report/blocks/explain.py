"""The example pair for covering a(t), record by record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import assert_never

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import has_places
from semiaudit.model.audit import Audit
from semiaudit.model.labels import label
from semiaudit.model.semi_adjacency import Cell, Witness
from semiaudit.report.blocks.universe_view import EXAMPLE_PAIR
from semiaudit.report.text.layout import Lines

SHOWN_STEPS = 12


def explained(audit: Audit) -> Lines | None:
    """Explain how the witness goes from one dataset to the other; None if there is no witness."""
    semi = audit.universe.semi_adjacency
    parameter, witness = semi.covering, semi.covering.witness
    if witness is None:
        return None
    steps = [_step(move) for move in moves_of(witness)]
    changed = f"record {_record(witness, witness.record_from)}"
    if witness.record_from is None:
        first = f"A record {_cell(witness.record_to)} enters."
    elif witness.record_to is None:
        first = f"The {changed} leaves."
    elif has_places(audit.universe.semi_adjacency.metric):
        first = f"The {changed} becomes {_cell(witness.record_to)}."
    else:
        first = f"The {changed} leaves, and {_cell(witness.record_to)} enters."
    then = f"{_number(len(steps))} must change:" if steps else "no other record must change."
    items = [("first", first), ("then", then)]
    items += [(f"{place}.", text) for place, text in enumerate(steps[:SHOWN_STEPS], start=1)]
    if len(steps) > SHOWN_STEPS:
        items.append(("", f"and {len(steps) - SHOWN_STEPS} more"))
    covered = "the invariants" if semi.own is None else semi.own.covered
    proof = f"No dataset that agrees on {covered} is closer."
    if parameter.lower != parameter.upper:
        proof = "It is not proven that no other start needs more"
        proof += "; the guarantees use the upper bound." if parameter.established else "."
    metric = audit.universe.semi_adjacency.metric
    match metric:
        case "hamming":
            sentence = f"{witness.distance} change{'s' * (witness.distance != 1)} in total."
        case "multiset_hamming" | "symmetric_difference":
            sentence = f"The two tables are at distance {witness.distance} ({label(metric)})."
        case _:
            assert_never(metric)
    items.append(("so", f"{sentence} {proof}"))
    of = "" if semi.own is None else f" of {covered}"
    least = "" if parameter.lower == parameter.upper else "at least "
    title = f"Why a(t){of} is {least}{witness.distance}. {EXAMPLE_PAIR}"
    return Lines(title, tuple(items))


def _number(count: int) -> str:
    words = ("no", "one other record", "these two others", "these three others")
    return words[count] if count < len(words) else f"these {count} others"


def _record(witness: Witness, cell: Cell | None) -> str:
    if cell is None:
        return ""
    place = 1
    for known, count in witness.start:
        if known == cell:
            return f"r{place} {_cell(cell)}"
        place += count
    return _cell(cell)


@dataclass(frozen=True, slots=True)
class Move:
    """A record that changes between the two datasets of a witness.

    Attributes:
        number: of the record in the first dataset, from 1; None if it enters.
        before, after: its cells; None if it enters, or leaves.
    """

    number: int | None
    before: Cell | None
    after: Cell | None


def moves_of(witness: Witness) -> list[Move]:
    """Return the other records' changes; a leaving record takes the most similar free place."""
    start, end = Counter(dict(witness.start)), Counter(dict(witness.end))
    if witness.record_from is not None:
        start[witness.record_from] -= 1
    if witness.record_to is not None:
        end[witness.record_to] -= 1
    leaving = [cell for cell, k in (start - end).items() for _ in range(k)]
    free = [cell for cell, k in (end - start).items() for _ in range(k)]
    numbers = _numbers(witness)
    moves = []
    for cell in leaving:
        number = numbers[cell].pop(0)
        target = max(free, key=lambda other: _equal_places(cell, other), default=None)
        if target is not None:
            free.remove(target)
        moves.append(Move(number, cell, target))
    return moves + [Move(None, None, cell) for cell in free]


def _step(move: Move) -> str:
    if move.before is None:
        return f"a record {_cell(move.after)} enters"
    name = f"r{move.number} {_cell(move.before)}"
    return f"{name} leaves" if move.after is None else f"{name} becomes {_cell(move.after)}"


def _numbers(witness: Witness) -> dict[Cell, list[int]]:
    numbers: dict[Cell, list[int]] = {}
    place = 1
    for cell, count in witness.start:
        taken = int(cell == witness.record_from)
        numbers[cell] = list(range(place + taken, place + min(count, SHOWN_STEPS * 4) + taken))
        place += count
    return numbers


def _equal_places(first: Sequence[object], second: Sequence[object]) -> int:
    return sum(a == b for a, b in zip(first, second, strict=True))


def _cell(cell: Cell | None) -> str:
    return f"({', '.join(map(str, cell or ()))})"
