"""Brute-force oracle for what a file shows: levels that are totals, and columns that are nested.

Every set of levels is tried as it is defined, cell by cell, without masks or SQL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

Cell = tuple[str, ...]
LEAST_COMBINATIONS = 4


def _levels(cells: Sequence[Cell], attribute: int) -> list[str]:
    return sorted({cell[attribute] for cell in cells})


def _sets(cells: Sequence[Cell]) -> Iterator[dict[int, str]]:
    """Every choice of one level of each of some attributes with three levels or more."""
    attributes = [a for a in range(len(cells[0])) if len(_levels(cells, a)) >= 3]
    for size in range(1, len(attributes) + 1):
        for some in combinations(attributes, size):
            for levels in product(*(_levels(cells, a) for a in some)):
                yield dict(zip(some, levels, strict=True))


def _is_total(counts: dict[Cell, int], attribute: int, chosen: dict[int, str]) -> bool:
    others: dict[Cell, dict[str, int]] = {}
    for cell, count in counts.items():
        if all(cell[a] != level for a, level in chosen.items() if a != attribute):
            rest = cell[:attribute] + cell[attribute + 1 :]
            others.setdefault(rest, {})[cell[attribute]] = count
    positive = [found for found in others.values() if any(found.values())]
    own = chosen[attribute]
    if len(positive) < LEAST_COMBINATIONS:
        return False
    return all(
        found.get(own, 0) == sum(count for level, count in found.items() if level != own)
        for found in positive
    )


def totals(counts: dict[Cell, int]) -> set[tuple[int, str]]:
    """The levels that are the sum of the others: those of every set whose levels all are.

    Args:
        counts: of each cell that the table lists; the others are empty.
    """
    found: set[tuple[int, str]] = set()
    for chosen in _sets(list(counts)):
        if all(_is_total(counts, attribute, chosen) for attribute in chosen):
            found |= set(chosen.items())
    return found


def nested(rows: Sequence[Cell], *, cells: bool) -> dict[int, int]:
    """The columns each value of which occurs with one value of another one; with the finest one.

    That one has two values or more, and fewer; records need two rows for each value
    on average. Of several finest ones, the first.
    """
    found = {}
    for one in range(len(rows[0])):
        own = _levels(rows, one)
        above = []
        for other in range(len(rows[0])):
            many = len(_levels(rows, other))
            single = all(
                len({row[other] for row in rows if row[one] == level}) == 1 for level in own
            )
            if 2 <= many < len(own) and single and (cells or len(rows) >= 2 * len(own)):
                above.append((-many, other))
        if above:
            found[one] = min(above)[1]
    return found
