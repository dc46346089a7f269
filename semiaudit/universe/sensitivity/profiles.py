"""Joint moves as one pattern per query, without those that another one dominates in every query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from semiaudit.universe.sensitivity.answers import Answers, Coordinate
from semiaudit.universe.sensitivity.differences import distinct
from semiaudit.universe.sensitivity.dominating_moves import Pattern, packed

if TYPE_CHECKING:
    from semiaudit.numeric.modular_rank import Integers

MAX_PROFILES = 20_000
"""The most distinct elements, up to the order of values, that are compared with each other."""

MAX_ELEMENTS = 3_000
"""The most elements of which none is seen to dominate another."""

MAX_PACKED = 200
"""The most elements that are packed into each other, pair by pair, in Python."""

Element = tuple[Pattern, ...]
"""The absolute values by which each query changes."""


class Profiles:
    """Collect stacked vectors in batches, and keep their distinct patterns."""

    def __init__(self, answers: Answers, coordinates: Sequence[Coordinate]) -> None:
        self.blocks = [
            [place for place, (at, _) in enumerate(coordinates) if at in block]
            for block in answers.blocks
        ]
        self.kept: list[Integers] = []
        self.rows = 0

    def add(self, batch: Integers) -> None:
        """Add the rows of a matrix over the coordinates."""
        size = np.abs(batch)
        ordered = [-np.sort(-size[:, block], axis=1) for block in self.blocks]
        self.kept.append(distinct(np.concatenate(ordered, axis=1)))
        self.rows += len(self.kept[-1])
        if self.rows > MAX_PROFILES:
            self._join()

    def _join(self) -> None:
        self.kept = [distinct(np.concatenate(self.kept))] if self.kept else []
        self.rows = sum(map(len, self.kept))

    def elements(self) -> list[Element] | None:
        """Return the distinct elements, without those that another one exceeds value by value."""
        self._join()
        if not self.kept:
            return [((),) * len(self.blocks)]
        if self.rows > MAX_PROFILES:
            return None
        rows = _largest_rows(self.kept[0])
        if rows is None:
            return None
        widths, elements = [len(block) for block in self.blocks], []
        for row in rows.tolist():
            values, element = iter(row), []
            for width in widths:
                block = [next(values) for _ in range(width)]
                element.append(tuple(value for value in block if value))
            elements.append(tuple(element))
        return elements


def _largest_rows(rows: Integers) -> Integers | None:
    """Return rows that no other row exceeds in every entry; None if too many are left."""
    order = np.argsort(-rows.sum(axis=1), kind="stable")
    largest = np.zeros((0, rows.shape[1]), dtype=rows.dtype)
    # A row that exceeds another one has a larger sum, so it was examined before.
    for row in rows[order]:
        if not (largest >= row).all(axis=1).any():
            largest = np.concatenate([largest, row[None, :]])
            if len(largest) > MAX_ELEMENTS:
                return None
    return largest


def undominated(elements: Iterable[Element]) -> list[Element] | None:
    """Drop elements whose patterns all fit into the patterns of another one."""
    ordered = sorted(set(elements), key=lambda element: (_sum(element), element), reverse=True)
    if len(ordered) > MAX_ELEMENTS:
        return None
    if len(ordered) > MAX_PACKED:
        return ordered
    remaining = list(ordered)
    # The smallest are dropped first, so one that fits by way of a dropped one is dropped too.
    for element in reversed(ordered):
        if any(other != element and dominates(other, element) for other in remaining):
            remaining.remove(element)
    return remaining


def dominates(one: Element, other: Element) -> bool:
    """Return whether all of the other's moves are seen to fit into the one's, query by query."""
    if any(sum(p) < sum(q) for p, q in zip(one, other, strict=True)):
        return False
    return all(packed(q, p) == p for p, q in zip(one, other, strict=True))


def _sum(element: Element) -> int:
    return sum(map(sum, element))
