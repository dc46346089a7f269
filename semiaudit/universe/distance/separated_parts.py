"""definition_13 under margins with a junction tree: parts that one record separates.

Let x become y, and take a table that is best for it. Closures in which x and y differ need another
record with y's levels, and one record serves several of them unless a closure between them, in
which x and y agree, has one record only, namely x: no other record can have y's levels there. Cut
the tree at these closures. One other record serves all of a part: X - x has y's levels in every
closure of the part (where x and y differ, since y's levels occur; where they agree, since two
records have them), and exchanges inside the part make one record of it. Exchanges for another part
happen beyond separators of that part, so that the first part stays in one piece. So definition_13
is at most 1 + the largest number of parts in which x and y differ somewhere. Trees without a common
attribute are joined by links of no attributes, which can be laid between any parts: the number is
then that of the tree with the most parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from semiaudit.universe.distance.exchanges import fewest, held
from semiaudit.universe.system.arrangement import Run
from semiaudit.universe.system.closure_counts import Counts
from semiaudit.universe.system.components import Numbers
from semiaudit.universe.system.decomposable import JunctionTree
from semiaudit.universe.system.decomposed import Decomposed, Levels

MAX_PAIRS = 200
"""Pairs of records that are examined for a record that two others must compensate; if there is one,
it is usually found early."""

NONE = -1
"""The value of a part without such a choice."""

BARE, SERVED = 0, 1
"""The states of the part that continues upward: without a difference yet (or no part continues);
with a difference, and counted."""


def most_parts(tree: JunctionTree, counts: Sequence[Counts]) -> int:
    """Bound the number of parts of one tree in which x and y differ; the bound is at least 1.

    Dynamic programming over the cells computes it. If x and y differ in a closure, the levels in
    its separators can be any that occur, which only adds choices. A part needs one closure with a
    difference: elsewhere in it, y can equal x, which leaves all other parts unchanged. So a part
    with a difference takes no further differences from below.
    """
    children = tree.children
    known: list[dict[Numbers, list[int]]] = [{} for _ in tree.nodes]
    best = 1
    for k in reversed(range(len(tree.nodes))):
        node = tree.nodes[k]
        joined = [child for child in children[k] if tree.nodes[child].separator]
        cells: Counter[Numbers] = Counter()
        for levels, count in counts[k].items():
            shared = tuple([levels[place] for place in node.separator])
            cells[shared] += 1
            below = [
                known[child][tuple([levels[place] for place in tree.nodes[child].above])]
                for child in joined
            ]
            parts = known[k].setdefault(shared, [NONE, NONE])
            for at, value in enumerate(_agreeing(below, alone=count == 1)):
                parts[at] = max(parts[at], value)
        differing = 1 + sum(max(b[BARE] for b in known[child].values()) for child in joined)
        for shared, parts in known[k].items():
            if cells[shared] > 1:
                parts[SERVED] = max(parts[SERVED], differing)
        if not node.separator:
            best = max(best, *(max(parts) for parts in known[k].values()))
    return best


def _agreeing(below: Sequence[Sequence[int]], *, alone: bool) -> tuple[int, int]:
    """Return the choices of a closure in which x and y agree; it is cut out if only x is in it."""
    if alone:
        return sum(max(b) for b in below), NONE
    bare = sum(b[BARE] for b in below)
    more = [b[SERVED] - b[BARE] for b in below if b[SERVED] > NONE]
    return bare, bare + max(more) if more else NONE


def separated_pair(d: Decomposed) -> tuple[list[Run], list[Levels], Levels] | None:
    """Return a table, three records and y.

    The first record becomes y, and needs both of the others in any X.

    x and y agree in a closure with no other record, and differ on two sides of it. A record with
    y's levels on both sides would also have them in the closure.
    """
    for k, cell, sides in _cuts(d):
        pair = _pair(d, k, cell, sides)
        if pair is not None:
            return pair
    return None


def _cuts(d: Decomposed) -> Iterator[tuple[int, Numbers, tuple[int, int]]]:
    tree, tried = d.tree, 0
    children = tree.children
    for k, node in enumerate(tree.nodes):
        near = [(child, tree.nodes[child].above) for child in children[k]]
        near += [(node.parent, node.separator)] if node.parent >= 0 else []
        for at, (one, first) in enumerate(near):
            for other, second in near[:at]:
                if not first or not second:
                    continue
                both = sorted({*first, *second})
                sums: dict[Numbers, int] = {}
                for cell, count in d.counts[k].items():
                    key = tuple([cell[place] for place in both])
                    sums[key] = sums.get(key, 0) + count
                for cell, count in d.counts[k].items():
                    if count == 1 and sums[tuple([cell[place] for place in both])] == 1:
                        tried += 1
                        if tried > MAX_PAIRS:
                            return
                        yield k, cell, (one, other)


def _pair(
    d: Decomposed, k: int, cell: Numbers, sides: tuple[int, int]
) -> tuple[list[Run], list[Levels], Levels] | None:
    # The choices below are only attempts. What proves the pair: x is the only record with ``cell``,
    # and the separators to both sides determine ``cell`` (``_cuts``). A record with y's levels on
    # both sides has x's levels in both separators, so it is x. Two others are needed in any X.
    x = _extended(d, d.counts, {k: cell})
    if x is None:
        return None
    fixed = {k: cell}
    for side in sides:
        places = d.tree.nodes[side].places
        shared = [p for p in places if p in d.tree.nodes[k].places]
        others = [
            levels
            for levels in d.counts[side]
            if all(levels[places.index(p)] == x[p] for p in shared)
            and any(levels[at] != x[p] for at, p in enumerate(places))
        ]
        if not others:
            return None
        fixed[side] = max(others, key=lambda levels: (d.counts[side][levels], levels))
    y = _extended(d, d.counts, fixed, like=x)
    if y is None:
        return None
    wanted = ((1 << len(d.tree.nodes)) - 1) & ~held(d.tree, x, y)
    parts = _parts(d.tree, wanted)
    if len(parts) != 2:
        return None
    records: list[Levels] = [x]
    for part in parts:
        left = d.without(records)
        if left is None:
            return None
        own = {n: tuple([y[p] for p in d.tree.nodes[n].places]) for n in part}
        # Each record is taken out of the margins before the next one is chosen, so all of them can
        # be in one table.
        if any(own[n] not in left[n] for n in part):
            return None
        record = _extended(d, left, own)
        if record is None:
            return None
        records.append(record)
    runs = d.containing(records)
    masks = [held(d.tree, record, y) for record in records[1:]]
    if runs is None or fewest(masks, wanted) is None or (masks[0] | masks[1]) & wanted != wanted:
        return None
    return runs, records, y


def _parts(tree: JunctionTree, wanted: int) -> list[list[int]]:
    part: dict[int, list[int]] = {}
    for k, node in enumerate(tree.nodes):
        if wanted >> k & 1:
            known = part.get(node.parent)
            part[k] = [k] if known is None else known
            if known is not None:
                known.append(k)
    return [members for k, members in part.items() if members[0] == k]


def _extended(
    d: Decomposed,
    counts: Sequence[Counts],
    fixed: Mapping[int, Numbers],
    like: Levels | None = None,
) -> dict[int, int] | None:
    tree = d.tree
    level_of: dict[int, int] = {}
    for k, cell in fixed.items():
        level_of.update(zip(tree.nodes[k].places, cell, strict=True))
    done, links = set(fixed), [(k, n.parent) for k, n in enumerate(tree.nodes) if n.parent >= 0]
    while len(done) < len(tree.nodes):
        one, other = next((a, b) for a, b in links if (a in done) != (b in done))
        k = other if one in done else one
        places = tree.nodes[k].places
        known = [(at, level_of[p]) for at, p in enumerate(places) if p in level_of]
        fits = [c for c in counts[k] if all(c[at] == level for at, level in known)]
        if not fits:
            return None
        kept = tuple([like[p] for p in places]) if like is not None else None
        cell = kept if kept in fits else max(fits, key=lambda c: (counts[k][c], c))
        level_of.update(zip(places, cell, strict=True))
        done.add(k)
    return level_of
