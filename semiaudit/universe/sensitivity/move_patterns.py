"""Moves of few records, up to the names of levels: which records share a level.

A move of ``half`` records takes ``half`` records out of the table and puts as many in. Its effect
on margins depends only on which of these 2 half records agree in which attributes: on one partition
of the records for every attribute. A margin keeps its counts if and only if every block of the
common refinement of its attributes' partitions holds as many leaving as entering records (the
partition is balanced); the change of any other margin is, block by block, the number of entering
less that of leaving records. An attribute with L levels allows partitions into up to L blocks, and
every such partition can be had: any blocks may be given any different levels.

So under margins of product cells the norms of every query of margins are maxima over a finite set
that does not depend on the numbers of levels beyond 2 half, nor on n >= half. A partition that is
not balanced has no balanced refinement, which prunes the search. Structural zeros, nested levels,
further invariants and t only remove moves: then the maxima are upper bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from semiaudit import deadline
from semiaudit.frozen import dataclass

MAX_HALF = 5
"""The most records that leave: 5 and as many others have 1,496 balanced partitions, 6 have
22,482."""

MAX_PARTITIONED = 8
"""The most records whose partitions are all listed, for attributes in no published margin: 8
records have 4,140 partitions, 10 have 115,975."""

MAX_STEPS = 400_000
"""The most refinements of partitions that a search computes, in Python."""

Partition = tuple[int, ...]
"""The block of every record, numbered in order of first appearance; the leaving records come
first."""

State = tuple[tuple[int, ...], tuple[Partition, ...]]
"""A kind of moves: the indices of the refined partitions, one for every distinct part of a margin
among the attributes so far; and the partition of every attribute so far."""

STATES_AT_ONCE = 256
"""States that are extended between two checks of the time limit."""


class _Known:
    def __init__(self, trivial: Partition) -> None:
        self.partitions = [trivial]
        self._numbers = {trivial: 0}
        self._met: dict[tuple[int, int], int] = {}

    def number(self, partition: Partition) -> int:
        """Return the number of a partition."""
        index = self._numbers.setdefault(partition, len(self.partitions))
        if index == len(self.partitions):
            self.partitions.append(partition)
        return index

    def met(self, one: int, other: int) -> int:
        """Return the number of the common refinement of two partitions."""
        key = one, other
        if key not in self._met:
            self._met[key] = self.number(meet(self.partitions[one], self.partitions[other]))
        return self._met[key]


@dataclass(frozen=True, slots=True)
class _States:
    """All kinds of moves that keep the published margins.

    Attributes:
        partitions: by index.
        places: for every margin, the position of its partition in a state.
        states: the states.
    """

    partitions: Sequence[Partition]
    places: dict[frozenset[int], int]
    states: Sequence[State]


@dataclass(frozen=True, slots=True)
class Largest:
    """The largest norms of the change of several margins, and the partitions that attain them.

    Attributes:
        patterns: for l1, l2 squared and linf, one partition for every attribute.
    """

    l1: int
    l2_squared: int
    linf: int
    patterns: tuple[tuple[Partition, ...], ...]


@cache
def partitions(points: int) -> tuple[Partition, ...]:
    """Return all partitions of some points."""

    def grow(prefix: Partition, blocks: int) -> Iterator[Partition]:
        if len(prefix) == points:
            yield prefix
            return
        for block in range(blocks + 1):
            yield from grow((*prefix, block), max(blocks, block + 1))

    return tuple(grow((), 0))


@cache
def balanced_partitions(half: int) -> tuple[Partition, ...]:
    """Return the balanced partitions of ``half`` leaving and as many entering records."""
    partitions_of_both: set[Partition] = set()

    def place(leaving: Partition, room: list[int], entering: Partition) -> None:
        if len(entering) == half:
            partitions_of_both.add((*leaving, *entering))
            return
        for block, free in enumerate(room):
            if free:
                room[block] -= 1
                place(leaving, room, (*entering, block))
                room[block] += 1

    for leaving in partitions(half):
        place(leaving, [leaving.count(block) for block in range(max(leaving, default=-1) + 1)], ())
    return tuple(sorted(partitions_of_both))


def meet(one: Partition, other: Partition) -> Partition:
    """Return the common refinement of two partitions."""
    names: dict[tuple[int, int], int] = {}
    return tuple(names.setdefault(pair, len(names)) for pair in zip(one, other, strict=True))


def changes(partition: Partition) -> list[int]:
    """Return by how much every block's count changes."""
    half = len(partition) // 2
    change = [0] * (max(partition, default=-1) + 1)
    for place, block in enumerate(partition):
        change[block] += 1 if place >= half else -1
    return change


@lru_cache(maxsize=1 << 16)
def balanced(partition: Partition) -> bool:
    """Return whether no block's count changes."""
    return not any(changes(partition))


def _key(partition: Partition) -> tuple[tuple[int, int], ...]:
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
    """Return the largest norms of the change of the requested margins, over moves of ``half``.

    Args:
        levels: the number of levels of every attribute.
        published: the margins that no move changes, as sets of attribute indices.
        asked: the margins of the query.
        half: the number of records that leave (and enter); 1 or more.

    Returns:
        Exact maxima over product cells (see above); None if the search would be too long.
    """
    states = _states(tuple(levels), tuple(published), tuple(dict.fromkeys(asked)), half)
    return None if states is None else _best(states, asked)


def patterns(
    levels: Sequence[int],
    published: Sequence[frozenset[int]],
    asked: Sequence[frozenset[int]],
    half: int,
    *,
    signed: bool = False,
) -> set[tuple[tuple[int, ...], ...]] | None:
    """Return the absolute values by which requested margins change, over moves of ``half``.

    Args: as those of ``largest``. signed: not the absolute values.

    Returns:
        For every kind of move, the values of each margin, descending, without zeros; over product
        cells, all of them occur. None if the search would be too long.
    """
    states = _states(tuple(levels), tuple(published), tuple(dict.fromkeys(asked)), half)
    if states is None:
        return None
    moved = [
        tuple(sorted((k if signed else abs(k) for k in changes(partition) if k), reverse=True))
        for partition in states.partitions
    ]
    places = [states.places[margin] for margin in asked]
    return {tuple(moved[meets[place]] for place in places) for meets, _ in states.states}


@lru_cache(maxsize=4)
def _states(
    levels: tuple[int, ...],
    published: tuple[frozenset[int], ...],
    asked: tuple[frozenset[int], ...],
    half: int,
) -> _States | None:
    """Return the kinds of moves: the refined partition of every margin, and one of every attribute.

    Margins that agree in the attributes so far share one partition, so very many margins are only
    expensive at the last attributes.
    """
    if half > MAX_HALF:
        return None
    trivial = (0,) * (2 * half)
    known = _Known(trivial)
    margins = tuple(dict.fromkeys((*published, *asked)))
    constrained = {place for margin in published for place in margin}
    single = len(asked) == 1 and all(len(margin) == 1 for margin in published)
    states: Sequence[State] = [((0,), ())]
    parts = [frozenset[int]()]
    steps = 0
    for place, size in enumerate(levels):
        if place not in constrained and not any(place in margin for margin in asked):
            states = [(meets, (*path, trivial)) for meets, path in states]
            continue
        if place not in constrained and size > 1 and 2 * half > MAX_PARTITIONED:
            return None
        options = [
            option
            for option in (
                balanced_partitions(half) if place in constrained else partitions(2 * half)
            )
            if max(option) < size
        ]
        steps += len(states) * len(options)
        if steps > MAX_STEPS:
            return None
        before, parts = parts, _parts_of(margins, place)
        wanted = _Wanted(before, parts, place, published, asked, single=single)
        states = _extended(states, options, wanted, known)
    at = {part: slot for slot, part in enumerate(parts)}
    return _States(known.partitions, {margin: at[margin] for margin in margins}, states)


def _parts_of(margins: Sequence[frozenset[int]], place: int) -> list[frozenset[int]]:
    return list(dict.fromkeys(frozenset(p for p in margin if p <= place) for margin in margins))


class _Wanted:
    """The requirements of one more attribute on every state.

    Attributes:
        slots: for every part of a margin, its earlier position, and whether the attribute is new.
        kept: the parts that must stay balanced.
        distinguishing: the parts by which states differ for later attributes.
        single: the only such part, up to the order of records; else None.
    """

    def __init__(
        self,
        before: Sequence[frozenset[int]],
        parts: Sequence[frozenset[int]],
        place: int,
        published: Sequence[frozenset[int]],
        asked: Sequence[frozenset[int]],
        *,
        single: bool,
    ) -> None:
        was = {part: slot for slot, part in enumerate(before)}
        self.slots = [(was[part - {place}], place in part) for part in parts]
        now = {part: slot for slot, part in enumerate(parts)}

        def part_of(margin: frozenset[int]) -> int:
            return now[frozenset(p for p in margin if p <= place)]

        self.kept = [part_of(m) for m in published if place in m and len(m) > 1]
        still_open = [m for m in published if any(other > place for other in m)]
        self.distinguishing = sorted({part_of(m) for m in (*still_open, *asked)})
        self.single = part_of(asked[-1]) if single else None


def _extended(
    states: Sequence[State], options: Sequence[Partition], wanted: _Wanted, known: _Known
) -> list[State]:
    """Extend every state by every partition of one attribute that keeps the margins balanced.

    States that later attributes do not distinguish are merged. With one requested margin and
    published margins of one attribute each, the same partitions are allowed for any order of the
    leaving and of the entering records, so only the sizes of blocks count.
    """
    states_by_key: dict[object, State] = {}
    numbers = [known.number(option) for option in options]
    for count, (meets, path) in enumerate(states):
        if not count % STATES_AT_ONCE:
            deadline.check()
        for option, number in zip(options, numbers, strict=True):
            refined = tuple(
                known.met(meets[slot], number) if new else meets[slot] for slot, new in wanted.slots
            )
            if not all(balanced(known.partitions[refined[slot]]) for slot in wanted.kept):
                continue
            key: object = tuple(refined[slot] for slot in wanted.distinguishing)
            if wanted.single is not None:
                key = _key(known.partitions[refined[wanted.single]])
            states_by_key.setdefault(key, (refined, (*path, option)))
    return list(states_by_key.values())


def _best(states: _States, asked: Sequence[frozenset[int]]) -> Largest:
    norms = [_norms(changes(partition)) for partition in states.partitions]
    places = [states.places[margin] for margin in asked]
    best = [(-1, ())] * 3  # type: list[tuple[int, tuple[Partition, ...]]]
    for meets, path in states.states:
        pattern_norms = [norms[meets[place]] for place in places]
        sums = sum(n[0] for n in pattern_norms), sum(n[1] for n in pattern_norms)
        for place, norm in enumerate((*sums, max((n[2] for n in pattern_norms), default=0))):
            if norm > best[place][0]:
                best[place] = (norm, path)
    return Largest(best[0][0], best[1][0], best[2][0], tuple(path for _, path in best))


def _norms(moved: Sequence[int]) -> tuple[int, int, int]:
    """Return l1, l2 squared and linf of one margin's change."""
    return (
        sum(map(abs, moved)),
        sum(change * change for change in moved),
        max(map(abs, moved), default=0),
    )
