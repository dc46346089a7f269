"""The worst start over all values y of a changed record: the order of the proofs."""

from __future__ import annotations

from typing import Literal, Protocol

from semiaudit import progress
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance.interval import ParameterInterval

NODES = (3_000, 30_000)
"""Branch-and-bound nodes of a master program, in the first and second attempt: easy values y are
settled before a hard one can spend the time."""

QUICK_NODES = 500
"""Nodes of the first programs: if a y takes more, others are expected to take more too, and loose
bounds are searched before exact ones."""

LOOSE_STEPS = (4, 8, 16, 32)
"""Distances above the best start at which loose bounds are searched, until one step yields a proof;
a step that fails for one y is not tried for the next."""

STEPS = (1, 2, 4, 8, 16)
"""Distances above the best start at which a proof is searched, if the exact value is out of reach;
the steps double, because a slightly loose bound is better than none."""

Result = ParameterInterval | Literal["none", "limit"]
"""A start above the threshold; a proof that there is none; or neither."""


class FarthestStartSearch(Protocol):
    """The search for the start that is farthest from one value y.

    Attributes:
        limits: the limits of the programs.
        targets: all values that a dataset can contain.
        enough: a start with this cost ends the search, which then proves no upper bound; None for
            none.
    """

    limits: Limits
    targets: list[int]
    enough: int | None

    def beyond(self, y: int, threshold: int, nodes: int) -> Result:
        """Return a start at more than a cost from y.

        ``none`` if it is proven that there is none.
        """


def worst_of_all(
    search: FarthestStartSearch, best: ParameterInterval
) -> tuple[ParameterInterval, int | None]:
    """Return the start with the largest cost of the table's change, and a bound on the cost.

    Args:
        search: of one system.
        best: a known start.
    """
    left = list(search.targets)
    ends: dict[int, int] = {}
    for nodes in (QUICK_NODES, *NODES):
        waiting, left = left, []
        while waiting:
            y = waiting.pop(0)
            best, settled = _settled(search, y, best, nodes, ends.get(y))
            progress.narrowed(lower=best.lower)
            if _is_enough(search, best):
                return best, None
            if not settled:
                left.append(y)
                if nodes == QUICK_NODES:
                    left += waiting
                    best = _loose_ends(search, left, best, ends)
                    break
        if not left or not search.limits.left:
            break
    # Every other y was settled by a "none": no start is farther from it than the best lower bound
    # at that time, which only increased since.
    upper: int | None = best.lower
    for y in left:
        best, end = _proven_end(search, y, best, ends.get(y))
        upper = None if upper is None or end is None else max(upper, end, best.lower)
    return best, upper


def _settled(
    search: FarthestStartSearch, y: int, best: ParameterInterval, nodes: int, end: int | None
) -> tuple[ParameterInterval, bool]:
    """Return the best start, and whether it is proven that no start is farther from y."""
    while end is None or best.lower < end:
        result = search.beyond(y, best.lower, nodes)
        if not isinstance(result, ParameterInterval):
            return best, result == "none"
        best = result
        if _is_enough(search, best):
            return best, False
    return best, True


def _is_enough(search: FarthestStartSearch, best: ParameterInterval) -> bool:
    return search.enough is not None and best.lower >= search.enough


def _loose_ends(
    search: FarthestStartSearch, left: list[int], best: ParameterInterval, ends: dict[int, int]
) -> ParameterInterval:
    """A looser bound allows more moves and has an easier proof. Loose bounds for all y come before
    exact ones for some, which alone bound nothing. A start that is found on the way is returned
    if it is the best.
    """
    steps = list(LOOSE_STEPS)
    for y in left:
        for step in tuple(steps):
            if not search.limits.left:
                return best
            end = best.lower + step
            result = search.beyond(y, end, NODES[0])
            if result == "none":
                # No start is farther from y than ``end``, for any results on other y.
                ends[y] = end
                break
            if isinstance(result, ParameterInterval):
                best = result
            elif len(steps) > 1:
                steps.remove(step)
    return best


def _proven_end(
    search: FarthestStartSearch, y: int, best: ParameterInterval, known: int | None
) -> tuple[ParameterInterval, int | None]:
    """Return the best start, and a proven upper bound on the cost of y above it, or None."""
    for step in STEPS:
        end = best.lower + step
        if not search.limits.left or (known is not None and end >= known):
            break
        result = search.beyond(y, end, NODES[0])
        if isinstance(result, ParameterInterval):
            best = result
        elif result == "none":
            # No start is farther from y than ``end``.
            return best, end
    return best, known
