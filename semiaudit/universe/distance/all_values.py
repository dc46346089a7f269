"""The worst start over all values that a record may become: which proof is looked for when."""

from __future__ import annotations

from typing import Literal, Protocol

from semiaudit import progress
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance.interval import ParameterInterval

NODES = (3_000, 30_000)
"""Branch-and-bound nodes of a master program, at the first try and at the second: easy values y
are settled before a hard one may spend the time."""

QUICK_NODES = 500
"""Nodes of the programs that come before all: the first y that takes more says that others will,
and that loose ends are looked for before exact ones."""

LOOSE_STEPS = (4, 8, 16, 32)
"""How far above the best start a loose end is looked for, until a proof is found at once; a step
that fails for one y is not tried for the next."""

STEPS = (1, 2, 4, 8, 16)
"""How far above the best start a proof is looked for, once the exact value is out of reach;
doubled, since a proof a little too high is worth more than none."""

Result = ParameterInterval | Literal["none", "limit"]
"""A start above the threshold; a proof that there is none; or neither."""


class FarthestStartSearch(Protocol):
    """A search for the start that is farthest from one value.

    Attributes:
        limits: what the programs may spend.
        targets: all values that some dataset may hold.
        enough: a start that costs so much ends the search, which then proves no end; None for none.
    """

    limits: Limits
    targets: list[int]
    enough: int | None

    def beyond(self, y: int, threshold: int, nodes: int) -> Result:
        """A start at more than a cost from y; ``none`` if there is provably none."""


def worst_of_all(
    search: FarthestStartSearch, best: ParameterInterval
) -> tuple[ParameterInterval, int | None]:
    """The worst start by the cost of the table's change, and an upper bound of that cost.

    Args:
        search: of one system.
        best: a start that is known already.
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
    # Every y that is not left was settled by a "none": no start is farther from it than the
    # best lower bound of that moment, which only rose since.
    upper: int | None = best.lower
    for y in left:
        best, end = _proven_end(search, y, best, ends.get(y))
        upper = None if upper is None or end is None else max(upper, end, best.lower)
    return best, upper


def _settled(
    search: FarthestStartSearch, y: int, best: ParameterInterval, nodes: int, end: int | None
) -> tuple[ParameterInterval, bool]:
    """The best start, and whether none is farther from y, provably.

    Args:
        end: no start is farther from y than this; None if no end is proven.
    """
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
    """Prove an upper bound for every y that is left, some way above the best start.

    The farther above, the more moves may be used and the easier the proof: a loose end for all
    comes before exact ones for some, which alone would end nothing. A start that is found on
    the way is returned if it is the best.
    """
    steps = list(LOOSE_STEPS)
    for y in left:
        for step in tuple(steps):
            if not search.limits.left:
                return best
            end = best.lower + step
            result = search.beyond(y, end, NODES[0])
            if result == "none":
                # No start is farther from y than ``end``, whatever is found for other y.
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
    """The best start, and an upper bound of the cost of y above it; None if none is proven.

    Args:
        known: such an end that is proven already.
    """
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
