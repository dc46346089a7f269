"""Which record leaves and which one enters, between two tables under a metric without places."""

from __future__ import annotations

from collections.abc import Sequence

ABSENT = -1
"""The value instead of a class if no record leaves, or none enters."""


def changed_classes(
    start: Sequence[int], end: Sequence[int], wanted: tuple[int, int]
) -> tuple[int, int]:
    """A class that loses records from one table to the other, and one that gains some.

    Args:
        start, end: the counts of X and Y, by class.
        wanted: the classes x and y of which a reading speaks; each is taken if it changes so.

    Returns:
        ``ABSENT`` where no class loses, or none gains. Else the class whose count changes most,
        the first of these, if the wanted one does not.
    """
    change = [after - before for before, after in zip(start, end, strict=True)]
    x, y = wanted
    moved = (
        x if x >= 0 and change[x] < 0 else min(range(len(change)), key=change.__getitem__),
        y if y >= 0 and change[y] > 0 else max(range(len(change)), key=change.__getitem__),
    )
    return (
        moved[0] if change[moved[0]] < 0 else ABSENT,
        moved[1] if change[moved[1]] > 0 else ABSENT,
    )
