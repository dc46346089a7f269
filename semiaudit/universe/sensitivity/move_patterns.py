"""Moves of few records up to the names of levels: which of the records share a level.

A move of ``half`` records takes ``half`` records out of the table and puts as many in. What it
does to margins depends only on which of these 2 half records agree in which attributes: on one
partition of the records for every attribute. A margin keeps its counts if and only if every block
of the common refinement of its attributes' partitions holds as many leaving as entering records
(the partition is balanced); the change of any other margin is, block by block, the number of
entering less that of leaving records. An attribute with L levels allows partitions into up to L
blocks, and every such partition can be had: any blocks may be given any different levels.

So under margins of product cells the norms of every query of margins are maxima over a finite set
that does not depend on the numbers of levels beyond 2 half, nor on n >= half. A partition that is
not balanced has no balanced refinement, which prunes the search. Structural zeros, nested levels,
further invariants and t only take moves away: then the maxima are upper bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

MAX_HALF = 5
"""Records that leave: 5 and as many others have 1,496 balanced partitions, 6 have 22,482."""

MAX_PARTITIONED = 8
"""Records of which all partitions are listed, for attributes that no published margin has: 8
records have 4,140 partitions, 10 have 115,975."""

MAX_STEPS = 400_000
"""Refinements of partitions that a search computes at most, in Python."""

Partition = tuple[int, ...]
"""The block of every record, numbered as blocks first appear; the leaving records come first."""

States = dict[object, tuple[tuple[Partition, ...], tuple[Partition, ...]]]
"""By what tells kinds of moves apart: the partitions of the margins, and of the attributes."""


@dataclass(frozen=True, slots=True)
class Largest:
    """The largest norms of the change of several margins, and the partitions that reach them.

    Attributes:
        patterns: for l1, l2 squared and linf one partition for every attribute.
    """

    l1: int
    l2_squared: int
    linf: int
    patterns: tuple[tuple[Partition, ...], ...]


@cache
def partitions(points: int) -> tuple[Partition, ...]:
    """All partitions of some points."""

    def grow(prefix: Partition, blocks: int) -> Iterator[Partition]:
        if len(prefix) == points:
            yield prefix
            return
        for block in range(blocks + 1):
            yield from grow((*prefix, block), max(blocks, block + 1))

    return tuple(grow((), 0))


@cache
def balanced_partitions(half: int) -> tuple[Partition, ...]:
    """The partitions of ``half`` leaving and as many entering records with balanced blocks."""
    found: set[Partition] = set()

    def place(left: Partition, room: list[int], right: Partition) -> None:
        if len(right) == half:
            found.add((*left, *right))
            return
        for block, free in enumerate(room):
            if free:
                room[block] -= 1
                place(left, room, (*right, block))
                room[block] += 1

    for left in partitions(half):
        place(left, [left.count(block) for block in range(max(left, default=-1) + 1)], ())
    return tuple(sorted(found))


def meet(one: Partition, other: Partition) -> Partition:
    """The common refinement of two partitions."""
    names: dict[tuple[int, int], int] = {}
    return tuple(names.setdefault(pair, len(names)) for pair in zip(one, other, strict=True))


def changes(partition: Partition) -> list[int]:
    """By how much every block's count changes."""
    half = len(partition) // 2
    found = [0] * (max(partition, default=-1) + 1)
    for place, block in enumerate(partition):
        found[block] += 1 if place >= half else -1
    return found


def balanced(partition: Partition) -> bool:
    """True if no block's count changes."""
    return not any(changes(partition))


def _key(partition: Partition) -> tuple[tuple[int, int], ...]:
    """A partition up to the order of the leaving and that of the entering records."""
    half = len(partition) // 2
    blocks = range(max(partition, default=-1) + 1)
    return tuple(
        sorted((partition[:half].count(block), partition[half:].count(block)) for block in blocks)
    )


def largest(
    levels: Sequence[int],
    published: Sequence[frozenset[int]],
    asked: Sequence[frozenset[int]],
    half: int,
) -> Largest | None:
    """The largest norms of the change of the margins asked for, among the moves of ``half``.

    Args:
        levels: the number of levels of every attribute.
        published: the margins that no move changes, as sets of attributes' places.
        asked: the margins of the query.
        half: how many records leave, and as many enter; 1 or more.

    Returns:
        Exact maxima over product cells (see above); None where the search would be too long.
    """
    states = _states(levels, published, asked, half)
    return None if states is None else _best(states, len(published))


def patterns(
    levels: Sequence[int],
    published: Sequence[frozenset[int]],
    asked: Sequence[frozenset[int]],
    half: int,
) -> set[tuple[tuple[int, ...], ...]] | None:
    """By what absolute values every margin asked for changes, for all moves of ``half`` at once.

    Args: as those of ``largest``.

    Returns:
        For every kind of move the values of each margin, descending, without zeros. All of them
        over product cells; None where the search would be too long.
    """
    states = _states(levels, published, asked, half)
    if states is None:
        return None
    known: dict[Partition, tuple[int, ...]] = {}
    for meets, _ in states.values():
        for part in meets[len(published) :]:
            if part not in known:
                moved = (abs(k) for k in changes(part) if k)
                known[part] = tuple(sorted(moved, reverse=True))
    return {tuple(known[part] for part in meets[len(published) :]) for meets, _ in states.values()}


def _states(
    levels: Sequence[int],
    published: Sequence[frozenset[int]],
    asked: Sequence[frozenset[int]],
    half: int,
) -> States | None:
    """The kinds of moves: the refined partition of every margin, and one of every attribute."""
    if half > MAX_HALF:
        return None
    trivial = (0,) * (2 * half)
    margins = [*published, *asked]
    told = {place for margin in published for place in margin}
    single = len(asked) == 1 and all(len(margin) == 1 for margin in published)
    states: States = {(): ((trivial,) * len(margins), ())}
    steps = 0
    for place, size in enumerate(levels):
        if place not in told and not any(place in margin for margin in asked):
            states = {key: (meets, (*path, trivial)) for key, (meets, path) in states.items()}
            continue
        if place not in told and size > 1 and 2 * half > MAX_PARTITIONED:
            return None
        options = [
            option
            for option in (balanced_partitions(half) if place in told else partitions(2 * half))
            if max(option) < size
        ]
        steps += len(states) * len(options)
        if steps > MAX_STEPS:
            return None
        states = _extended(states, options, place, margins, len(published), single=single)
    return states


def _extended(
    states: States,
    options: Sequence[Partition],
    place: int,
    margins: Sequence[frozenset[int]],
    published: int,
    *,
    single: bool,
) -> States:
    """Every state with every partition of one more attribute that keeps the margins balanced."""
    found: States = {}
    for meets, path in states.values():
        for option in options:
            refined = tuple(
                meet(known, option) if place in margin else known
                for known, margin in zip(meets, margins, strict=True)
            )
            if not all(
                balanced(part)
                for part, margin in zip(refined[:published], margins, strict=False)
                if place in margin and len(margin) > 1
            ):
                continue
            open_margins = tuple(
                part
                for part, margin in zip(refined, margins, strict=True)
                if any(other > place for other in margin)
            )
            # States that the attributes to come treat alike are one. With one margin asked for and
            # published margins of one attribute each, these allow the same partitions however the
            # leaving, and the entering, records are ordered, so that only the blocks' sizes count.
            if single:
                key: object = _key(refined[-1])
            else:
                key = open_margins, refined[published:]
            found.setdefault(key, (refined, (*path, option)))
    return found


def _best(states: States, published: int) -> Largest:
    """The maxima over the states, which stand for every move that keeps the margins: exact."""
    best = [(-1, ())] * 3  # type: list[tuple[int, tuple[Partition, ...]]]
    for meets, path in states.values():
        moved = [change for part in meets[published:] for change in changes(part)]
        norms = (
            sum(map(abs, moved)),
            sum(change * change for change in moved),
            max(map(abs, moved), default=0),
        )
        for place, norm in enumerate(norms):
            if norm > best[place][0]:
                best[place] = (norm, path)
    return Largest(best[0][0], best[1][0], best[2][0], tuple(path for _, path in best))
