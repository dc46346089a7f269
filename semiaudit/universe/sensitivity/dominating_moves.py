"""Moves of coordinates whose privacy loss dominates that of every element of S.

For independent log-concave noise that is identical in every coordinate, moves u lose at least as
much as an element v if the absolute values of v fit into bins, one for each move, whose sums are at
most the moves: T(N, N + a + b) = f_a o f_b <= f_a (x) f_b, and T(N, N + a) falls as a grows (E15;
docs/theory/queries.md, "One pair that dominates"). The result is a certificate of that form; a
better one can be missed, which is loose, never wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from semiaudit import deadline
from semiaudit.model.bound import Bound
from semiaudit.model.query import DominatingMoves

if TYPE_CHECKING:
    from semiaudit.numeric.modular_rank import Integers

Pattern = tuple[int, ...]
"""Absolute values without zeros, descending."""

MAX_ENTRIES = 2_000_000
"""The most entries of listed elements that are sorted, 16 MB; for more, only norms decide."""

MAX_PATTERNS = 2_000
"""The most patterns that are packed into bins, one by one, in Python."""

MAX_WIDTH = 200
"""The most nonzero values of a pattern that is packed: each is compared with every bin."""


def patterns_of(vectors: Integers) -> list[Pattern] | None:
    """Return the distinct patterns of some vectors, in a reproducible order; None if too many."""
    if vectors.size > MAX_ENTRIES:
        return None

    distinct = np.unique(-np.sort(-np.abs(vectors), axis=1), axis=0)
    if len(distinct) > MAX_PATTERNS or int((distinct != 0).sum(axis=1).max(initial=0)) > MAX_WIDTH:
        return None
    return [tuple(int(k) for k in row if k) for row in distinct]


def dominating(patterns: Iterable[Pattern]) -> Pattern:
    """Return moves that dominate every pattern: the best result of several orders of packing."""
    known = sorted(set(patterns))
    by_squares = sorted(known, key=lambda p: (-_squared(p), p))
    by_sum = sorted(known, key=lambda p: (-sum(p), -_squared(p), p))
    total = (max(map(sum, known), default=0),)
    candidates = [_grown_over(by_squares), _grown_over(by_sum), tuple(k for k in total if k)]
    return min(candidates, key=lambda bins: (_squared(bins), bins))


def packed(pattern: Pattern, bins: Sequence[int]) -> Pattern:
    """Return bins that contain a pattern: the given ones, enlarged or extended where needed.

    The bins only grow, so patterns that fitted still do: bins that grew over all patterns dominate
    each of them.
    """
    sizes, room = list(bins), list(bins)
    for value in pattern:
        fitting = [place for place, free in enumerate(room) if free >= value]
        if fitting:
            room[min(fitting, key=lambda place: (room[place], place))] -= value
            continue
        costs = [((sizes[at] + value - free) ** 2 - sizes[at] ** 2, at) for at, free in
                 enumerate(room)]  # fmt: skip
        cost, place = min(costs, default=(value * value, -1))
        if cost < value * value:
            sizes[place] += value - room[place]
            room[place] = 0
        else:
            sizes.append(value)
            room.append(0)
    return tuple(sorted(sizes, reverse=True))


def best_moves(
    candidates: Iterable[Sequence[tuple[int, int]]], l2_squared: Bound
) -> DominatingMoves:
    """Return the dominating moves with the smallest sum of squares.

    The moves are attained if that sum is the largest squared norm: the element that has it is
    dominated, and joining two values in one bin, or leaving room in one, would make it smaller.

    Args:
        candidates: lists of (size, number of coordinates) that each dominate the sensitivity space.
        l2_squared: its largest squared Euclidean norm.
    """
    best = min(map(_tidy, candidates), key=lambda moves: (moves.squared, moves.sizes))
    attained = l2_squared.side == "exact" and l2_squared.value == best.squared
    return DominatingMoves(best.sizes, attained)


def runs(bins: Pattern) -> list[tuple[int, int]]:
    """Return (size, number) of the bins."""
    return list(Counter(bins).items())


def _tidy(candidate: Sequence[tuple[int, int]]) -> DominatingMoves:
    numbers: Counter[int] = Counter()
    for size, number in candidate:
        numbers[size] += number
    sizes = sorted((size for size, number in numbers.items() if size and number), reverse=True)
    return DominatingMoves(tuple((Fraction(size), numbers[size]) for size in sizes), attained=False)


def _grown_over(patterns: Sequence[Pattern]) -> Pattern:
    bins: Pattern = ()
    for pattern in patterns:
        deadline.check()
        bins = packed(pattern, bins)
    return bins


def _squared(pattern: Pattern) -> int:
    return sum(value * value for value in pattern)
