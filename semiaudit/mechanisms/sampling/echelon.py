"""Sparse elimination in fractions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from semiaudit import deadline
from semiaudit.universe.solver.rational_algebra import subtract

Sparse = Mapping[int, int | Fraction]
"""A row by coordinate, without zeros."""


def reduced(rows: Iterable[Sparse], order: Iterable[int]) -> dict[int, dict[int, Fraction]]:
    """The reduced echelon form, by pivot: the first coordinate of a row in an order."""
    rank_of = {place: rank for rank, place in enumerate(order)}
    found: dict[int, dict[int, Fraction]] = {}
    holding: dict[int, set[int]] = {}
    for given in rows:
        deadline.check()
        row = {place: Fraction(k) for place, k in given.items() if k}
        for pivot in [place for place in row if place in found]:
            subtract(row, row[pivot], found[pivot])
        if not row:
            continue
        pivot = min(row, key=rank_of.__getitem__)
        scale = row[pivot]
        row = {place: k / scale for place, k in row.items()}
        for other in holding.pop(pivot, set()):
            target = found[other]
            subtract(target, target[pivot], row)
            for place in row:
                if place in target:
                    holding.setdefault(place, set()).add(other)
                elif place in holding:
                    holding[place].discard(other)
        found[pivot] = row
        for place in row:
            if place != pivot:
                holding.setdefault(place, set()).add(pivot)
    return found
