"""The largest transversal number of sets of given sizes: the worst-case cost of one changed record.

A record that becomes y changes one count in each of p' differing groups; other records must
compensate, and one record can compensate in every group in which it has y's level. The worst
dataset makes the smallest set of payers as large as possible: p' sets of prescribed sizes on n - 1
records, arranged so that their smallest transversal (hitting set) is large. Seen from the
complements, a transversal number above k is a covering design of strength k.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from semiaudit.frozen import dataclass

BASE_POINTS = 9
"""The most groups of equal records in the search for arrangements: with more, a covering must
contain too many subsets to search."""

NODE_LIMIT = 4_000
"""The most partial coverings that one search examines: most arrangements are found by then or
never."""

SMALLEST_NODE_LIMIT = 50 * NODE_LIMIT
"""The most partial transversals that one search examines; they cost less each, and None loses a
witness."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Records by type: the number of records that are in exactly each combination of the sets.

    Attributes:
        runs: (the sets of the type, as a bit mask, number of records), which sum to the records.
        transversal: a smallest set of types that meets every set.
    """

    runs: tuple[tuple[int, int], ...]
    transversal: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TransversalBounds:
    """Bounds lower <= largest transversal number <= upper; the arrangement attains lower."""

    lower: int
    upper: int
    arrangement: Arrangement


def transversal_bounds(sizes: Sequence[int], records: int) -> TransversalBounds:
    """Bound the largest transversal number of sets of given sizes.

    Args:
        sizes: the number of records in each set, each at least 1 and at most ``records``.
        records: the number of records to choose from.

    Returns:
        Certified bounds; equal if the sizes sum to at most ``records`` or there are at most three
        sets (of at most (records + 1) / 2 each), and if the search attains the counting bound.

    Source: docs/theory/semi-adjacency.md; Theorem 16's proof gives the upper bound. Counting bound:
    Schoenheim's bound on covering designs, for blocks of unequal sizes.
    """
    if not sizes:
        return TransversalBounds(0, 0, Arrangement(((0, records),) if records else (), ()))
    if sum(sizes) <= records:
        # Disjoint sets need a record each, and no transversal needs more than one for each set.
        runs = [(1 << place, size) for place, size in enumerate(sizes)]
        remaining = records - sum(sizes)
        runs += [(0, remaining)] if remaining else []
        singles = tuple(1 << place for place in range(len(sizes)))
        return TransversalBounds(len(sizes), len(sizes), Arrangement(tuple(runs), singles))
    upper = counting_bound(sizes, records)
    best = _greedy_disjoint(sizes, records)
    strength = upper - 1
    while strength >= len(best.transversal):
        arrangement, exhausted = _arrangement_above(sizes, records, strength)
        if arrangement is not None and len(arrangement.transversal) > len(best.transversal):
            best = arrangement
            break
        if exhausted:
            # All arrangements were examined, and none exceeds this strength.
            upper = strength
        strength -= 1
    return TransversalBounds(len(best.transversal), upper, best)


def smallest_transversal(
    types: Sequence[int], sets: int, *, limit: int = SMALLEST_NODE_LIMIT
) -> tuple[int, ...] | None:
    """Return a smallest collection of types that together meet every set, by iterative deepening.

    Args:
        types: bit masks of the sets of each type; their union contains every set.
        sets: the number of sets.

    Returns:
        The chosen types, or None if ``limit`` search nodes did not decide.
    """
    maximal = sorted(
        {kind for kind in types if kind and not any(kind & ~o == 0 and kind != o for o in types)},
        key=lambda kind: (-kind.bit_count(), kind),
    )
    by_set = [[kind for kind in maximal if kind >> place & 1] for place in range(sets)]
    budget = [limit]

    def search(missing: int, depth: int) -> list[int] | None:
        if not missing:
            return []
        budget[0] -= 1
        if depth == 0 or budget[0] < 0 or missing.bit_count() > depth * maximal[0].bit_count():
            return None
        place = min((p for p in range(sets) if missing >> p & 1), key=lambda p: (len(by_set[p]), p))
        for kind in by_set[place]:
            others = search(missing & ~kind, depth - 1)
            if others is not None:
                return [kind, *others]
        return None

    for depth in range(1, sets + 1):
        chosen = search((1 << sets) - 1, depth)
        if budget[0] < 0:
            return None
        if chosen is not None:
            # Smallest: every smaller depth was searched completely without one.
            return tuple(chosen)
    return None


def counting_bound(sizes: Sequence[int], records: int) -> int:
    """Return an upper bound on the transversal number: records must be in enough complements.

    Any strength at which there are too few complements is a proof, so galloping search finds it.
    """
    blocks = sorted((records - size for size in sizes), reverse=True)
    passed, failed = 0, len(sizes)
    step = 1
    while failed - passed > 1:
        strength = min(passed + step, failed - 1)
        if _blocks_needed(blocks, records, strength) <= len(sizes):
            passed, step = strength, 2 * step
        else:
            failed, step = strength, 1 if strength == passed + 1 else max(step // 4, 1)
    # At this strength, the complements of the sets are too few to cover all subsets of this many
    # records, so some subset is in no complement: it meets every set. (len(sizes) records always
    # do.)
    return failed


def _blocks_needed(blocks: Sequence[int], points: int, strength: int) -> int:
    """Return a lower bound on the number of blocks that cover all subsets of ``strength`` points.

    Schoenheim's recursion: the blocks through one point, less that point, cover the subsets of
    strength - 1 of the others; so every point lies in ``through`` blocks, and the blocks' sizes add
    up to points * through at least. The largest blocks reach that sum soonest.

    Args:
        blocks: sizes of the blocks, descending.
    """
    if strength == 0:
        return 1
    through = _blocks_needed([block - 1 for block in blocks], points - 1, strength - 1)
    total = 0
    for number, block in enumerate(blocks, start=1):
        total += max(block, 0)
        if total >= points * through:
            return number
    return len(blocks) + 1


def _greedy_disjoint(sizes: Sequence[int], records: int) -> Arrangement:
    runs: list[tuple[int, int]] = [(0, records)]
    for place in sorted(range(len(sizes)), key=lambda p: (sizes[p], p)):
        runs = _put(runs, place, sizes[place])
    chosen = smallest_transversal([kind for kind, _ in runs], len(sizes))
    if chosen is None:
        return _prefix(sizes, records)
    return Arrangement(tuple(runs), chosen)


def _prefix(sizes: Sequence[int], records: int) -> Arrangement:
    """Arrange as many of the smallest sets as fit apart.

    Every further set contains the first of them.

    The separate sets need one payer each, and the first set's payer also covers all others: the
    smallest transversal is known without a search.
    """
    order = sorted(range(len(sizes)), key=lambda p: (sizes[p], p))
    runs: list[tuple[int, int]] = []
    chosen: list[int] = []
    free = records
    for place in order:
        if sizes[place] > free:
            break
        runs.append((1 << place, sizes[place]))
        chosen.append(1 << place)
        free -= sizes[place]
    runs += [(0, free)] if free else []
    for place in order[len(chosen) :]:
        core, tail = runs[:1], runs[1:]
        room = sizes[place] - core[0][1]
        runs = [(core[0][0] | 1 << place, core[0][1]), *_put(tail, place, room)]
    payers = [next(kind for kind, _ in runs if kind & single) for single in chosen[1:]]
    return Arrangement(tuple(runs), (runs[0][0], *payers))


def _put(runs: list[tuple[int, int]], place: int, size: int) -> list[tuple[int, int]]:
    """Add a set to ``size`` records, first to those that are in the fewest sets."""
    result: list[tuple[int, int]] = []
    for kind, number in sorted(runs, key=lambda run: (run[0].bit_count(), run[0])):
        used = min(number, size)
        size -= used
        result += [(kind | 1 << place, used)] if used else []
        result += [(kind, number - used)] if number > used else []
    return result


def _arrangement_above(
    sizes: Sequence[int], records: int, strength: int
) -> tuple[Arrangement | None, bool]:
    """Return an arrangement or None, and whether the search proved that there is none."""
    exhausted = False
    for points in range(strength + 1, min(BASE_POINTS, records) + 1):
        weights = [records // points + (i < records % points) for i in range(points)]
        blocks, complete = _covering(sizes, records, weights, strength)
        if blocks is not None:
            runs = _runs_from_blocks(sizes, weights, blocks)
            chosen = smallest_transversal([kind for kind, _ in runs], len(sizes))
            if chosen is not None:
                return Arrangement(tuple(runs), chosen), False
        # Only if every record is a separate point does the search cover all arrangements.
        exhausted = complete and points == records
    return None, exhausted


def _covering(
    sizes: Sequence[int], records: int, weights: Sequence[int], strength: int
) -> tuple[list[int] | None, bool]:
    room = [records - size for size in sizes]
    subsets = [sum(1 << i for i in c) for c in combinations(range(len(weights)), strength)]
    blocks = [0] * len(sizes)
    budget = [NODE_LIMIT]

    def weight(block: int) -> int:
        return sum(w for i, w in enumerate(weights) if block >> i & 1)

    def search() -> bool:
        budget[0] -= 1
        if budget[0] < 0:
            return False
        subset = next((s for s in subsets if all(s & ~block for block in blocks)), None)
        if subset is None:
            return True
        visited = set()
        for place in sorted(range(len(blocks)), key=lambda p: -(blocks[p] & subset).bit_count()):
            before = blocks[place]
            if (before, room[place]) in visited or weight(before | subset) > room[place]:
                continue
            visited.add((before, room[place]))
            blocks[place] = before | subset
            if search():
                return True
            blocks[place] = before
        return False

    # Some block must contain the first subset that none contains; each was tried, except for blocks
    # with equal content and room. So a search within its budget that finds nothing is a proof.
    complete = search()
    return (blocks if complete else None), budget[0] >= 0


def _runs_from_blocks(
    sizes: Sequence[int], weights: Sequence[int], blocks: Sequence[int]
) -> list[tuple[int, int]]:
    runs = [
        (sum(1 << place for place, block in enumerate(blocks) if not block >> point & 1), number)
        for point, number in enumerate(weights)
    ]
    for place, size in enumerate(sizes):
        excess = sum(number for kind, number in runs if kind >> place & 1) - size
        cut: list[tuple[int, int]] = []
        for kind, number in runs:
            drop = min(number, excess) if kind >> place & 1 else 0
            excess -= drop
            cut += [(kind & ~(1 << place), drop)] if drop else []
            cut += [(kind, number - drop)] if number > drop else []
        runs = cut
    return runs
