"""Both definitions of a(t) under margins with a junction tree and given counts, at any size.

The upper bound on covering a(t) is that of ``most_covering``. The lower bound is that of a table in
which no record has the worst y's levels in two of the separated closures (``arrangement``); the
least number of its records that y needs is computed exactly. For two closures, the bounds are
equal: the rules of ``most_covering`` fail for a y if and only if such a table exists.

*Upper bound on covering a(t).* Let the record at one place of X become y. A set of records that
together have y's levels in every closure can be rearranged so that one of them becomes y and no
margin changes (closure by closure, exchange all levels beyond a separator). Every change that makes
y is a change of such a set. So the distance is 1 + (the fewest other records that have y's levels
where the record itself does not).

For one y, some of its closures share a record in *every* X of D_t. Let closure c be below closure
k, with the separator s. Let m_c and m_k records have y's levels in the closures, and n_s in the
separator. All of them have y's levels in s. So

- if m_c = n_s, each record with y's levels in k has them in c as well (and the same upwards);
- if m_c + m_k > n_s, some record has both; also if m_c + m_k = n_s = n, unless the record that
  changes, which counts too, has one of the two.

A group of closures that share a record costs one record. ``most_covering`` groups them bottom-up by
a fixed rule, and takes the maximum over all y by dynamic programming.

*definition_13.* Let x become y, and take a table that is best for it. Closures in which x and y
differ need another record with y's levels, and one record serves several of them unless a closure
between them, in which x and y agree, has one record only, namely x: no other record can have y's
levels there. Cut the tree at these closures. One other record serves all of a part: X - x has y's
levels in every closure of the part (where x and y differ, since y's levels occur; where they agree,
since two records have them), and exchanges inside the part make one record of it. Exchanges for
another part happen beyond separators of that part, so that the first part stays in one piece. So
definition_13 is at most 1 + the largest number of parts in which x and y differ somewhere. Trees
without a common attribute are joined by links of no attributes, which can be laid between any
parts: the number is then that of the tree with the most parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric, has_places, per_record
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.semi_adjacency import Cell, Parameter, Witness
from semiaudit.universe.distance.closed_form import sparse_cells
from semiaudit.universe.distance.transversal import counting_bound, smallest_transversal
from semiaudit.universe.method import ProvenBounds
from semiaudit.universe.system.arrangement import Run, apart, table_of
from semiaudit.universe.system.closure_counts import Counts, projected
from semiaudit.universe.system.components import Numbers, matches
from semiaudit.universe.system.decomposable import JunctionTree
from semiaudit.universe.system.decomposed import Decomposed, FreeAttributes, Levels


def held(tree: JunctionTree, record: Levels, y: Levels) -> int:
    """Return the closures in which a record has y's levels, as a bit mask."""
    return sum(
        1 << k
        for k, node in enumerate(tree.nodes)
        if all(record[place] == y[place] for place in node.places)
    )


def fewest(masks: Iterable[int], wanted: int) -> tuple[int, ...] | None:
    """Return the fewest masks that together contain all wanted closures.

    None if it takes too long.
    """
    places = [k for k in range(wanted.bit_length()) if wanted >> k & 1]
    narrow: dict[int, int] = {}
    for mask in masks:
        narrow.setdefault(sum(1 << at for at, k in enumerate(places) if mask >> k & 1), mask)
    if not places:
        return ()
    transversal = smallest_transversal(sorted(narrow), len(places))
    return None if transversal is None else tuple(narrow[kind] for kind in transversal)


def rearranged(tree: JunctionTree, records: Sequence[Levels], y: Levels) -> list[dict[int, int]]:
    """Return the records after exchanges that make the first one y.

    Together they have y's levels.
    """
    exchanged = [dict(record) for record in records]
    for k, node in enumerate(tree.nodes):
        if all(exchanged[0][place] == y[place] for place in node.places):
            continue
        other = next(
            at
            for at, record in enumerate(exchanged)
            if at and all(record[place] == y[place] for place in node.places)
        )
        for place in tree.beyond(k):
            exchanged[0][place], exchanged[other][place] = (
                exchanged[other][place],
                exchanged[0][place],
            )
    return exchanged


def witness(
    d: Decomposed, runs: Sequence[Run], records: Sequence[Levels], y: Levels, distance: int
) -> Witness:
    """Return the pair in which the first of some records of a table becomes y by exchanges."""
    label = _labels(d)
    start: Counter[Cell] = Counter()
    for levels, _, count in runs:
        start[label(levels)] += count
    end = start.copy()
    after = rearranged(d.tree, records, y)
    end.subtract(label(record) for record in records)
    end.update(label(record) for record in after)
    return Witness(
        label(records[0]),
        label(after[0]),
        distance,
        sparse_cells(list(start.items())),
        sparse_cells(list(end.items())),
    )


def inside_class(d: Decomposed, levels: Levels, distance: int) -> Witness:
    """Return the pair in which one record of a table changes its free levels."""
    label = _labels(d)
    start: Counter[Cell] = Counter()
    for cell, _, count in d.runs:
        start[label(cell)] += count
    end = start.copy()
    before, after = label(levels), _cell(d, d.free.completed(levels, other=True) or {})
    end[before] -= 1
    end[after] += 1
    return Witness(
        before, after, distance, sparse_cells(list(start.items())), sparse_cells(list(end.items()))
    )


def _labels(d: Decomposed) -> Callable[[Levels], Cell]:
    places = sorted({place for node in d.tree.nodes for place in node.places})
    known: dict[Numbers, Cell] = {}

    def label(levels: Levels) -> Cell:
        key = tuple([levels[place] for place in places])
        if key not in known:
            known[key] = _cell(d, d.free.completed(levels) or {})
        return known[key]

    return label


def _cell(d: Decomposed, levels: Mapping[int, int]) -> Cell:
    return tuple(a.label(levels[place]) for place, a in enumerate(d.space.attributes))


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
    savings = [b[SERVED] - b[BARE] for b in below if b[SERVED] > NONE]
    return bare, bare + max(savings) if savings else NONE


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
    tree, attempts = d.tree, 0
    children = tree.children
    for k, node in enumerate(tree.nodes):
        neighbors = [(child, tree.nodes[child].above) for child in children[k]]
        neighbors += [(node.parent, node.separator)] if node.parent >= 0 else []
        for at, (side, first) in enumerate(neighbors):
            for other, second in neighbors[:at]:
                if not first or not second:
                    continue
                places = sorted({*first, *second})
                sums: dict[Numbers, int] = {}
                for cell, count in d.counts[k].items():
                    key = tuple([cell[place] for place in places])
                    sums[key] = sums.get(key, 0) + count
                for cell, count in d.counts[k].items():
                    if count == 1 and sums[tuple([cell[place] for place in places])] == 1:
                        attempts += 1
                        if attempts > MAX_PAIRS:
                            return
                        yield k, cell, (side, other)


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
    needed = ((1 << len(d.tree.nodes)) - 1) & ~held(d.tree, x, y)
    parts = _parts(d.tree, needed)
    if len(parts) != 2:
        return None
    records: list[Levels] = [x]
    for part in parts:
        remaining = d.without(records)
        if remaining is None:
            return None
        cells = {n: tuple([y[p] for p in d.tree.nodes[n].places]) for n in part}
        # Each record is taken out of the margins before the next one is chosen, so all of them can
        # be in one table.
        if any(cells[n] not in remaining[n] for n in part):
            return None
        record = _extended(d, remaining, cells)
        if record is None:
            return None
        records.append(record)
    runs = d.containing(records)
    masks = [held(d.tree, record, y) for record in records[1:]]
    if runs is None or fewest(masks, needed) is None or (masks[0] | masks[1]) & needed != needed:
        return None
    return runs, records, y


def _parts(tree: JunctionTree, required: int) -> list[list[int]]:
    part: dict[int, list[int]] = {}
    for k, node in enumerate(tree.nodes):
        if required >> k & 1:
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
    assigned, links = set(fixed), [(k, n.parent) for k, n in enumerate(tree.nodes) if n.parent >= 0]
    while len(assigned) < len(tree.nodes):
        start, other = next((a, b) for a, b in links if (a in assigned) != (b in assigned))
        k = other if start in assigned else start
        places = tree.nodes[k].places
        known = [(at, level_of[p]) for at, p in enumerate(places) if p in level_of]
        fits = [c for c in counts[k] if all(c[at] == level for at, level in known)]
        if not fits:
            return None
        preferred = tuple([like[p] for p in places]) if like is not None else None
        cell = preferred if preferred in fits else max(fits, key=lambda c: (counts[k][c], c))
        level_of.update(zip(places, cell, strict=True))
        assigned.add(k)
    return level_of


@dataclass(frozen=True, slots=True)
class Branch:
    """One choice of y's levels in a closure and in all closures below it.

    Attributes:
        is_open: no record was counted for the closure itself yet.
        records: the records counted so far.
        count: how many records have y's levels in the closure.
        total: the sum of these counts over the closures in ``apart``.
        levels: of y in the closure.
        below: one branch for every child.
        apart: closures that no rule joins; each needs its own record.
    """

    is_open: bool
    records: int
    count: int
    total: int
    levels: Numbers
    below: tuple[Branch, ...]
    apart: tuple[int, ...]


Best = dict[tuple[bool, int, bool], Branch]
"""The branches to keep, by state, records, and whether the count equals the separator's."""


def most_covering(
    tree: JunctionTree, counts: Sequence[Counts], *, with_x: bool = True
) -> list[Branch]:
    """Return branches of the whole tree, the worst y first.

    Its ``records`` bounds every y from above.

    Args:
        counts: of every node.
        with_x: the record that changes counts among those that are rearranged (``hamming``);
            otherwise a record of X must become y.

    Returns:
        At least one branch, by nonincreasing ``records``.
    """
    size = sum(counts[0].values())
    children = tree.children
    sums = [projected(counts[k], node.separator) for k, node in enumerate(tree.nodes)]
    below: list[dict[Numbers, Best]] = [{} for _ in tree.nodes]
    last: Best = {}
    for k in reversed(range(len(tree.nodes))):
        node = tree.nodes[k]
        for levels, count in counts[k].items():
            joined = []
            for child in children[k]:
                at = tuple([levels[place] for place in tree.nodes[child].above])
                room = sums[child][at]
                # Records that fill all of X include the one that changes.
                spare = room - int(with_x and room == size)
                joined.append(ClosureChild(child, room, spare, tuple(below[child][at].values())))
            for branch in _branches(k, levels, count, joined):
                if node.parent < 0:
                    _keep(last, _closed(branch, k), whole=False)
                else:
                    shared = tuple([levels[place] for place in node.separator])
                    is_whole = count == sums[k][shared]
                    _keep(below[k].setdefault(shared, {}), branch, whole=is_whole)
    return sorted(last.values(), key=lambda branch: (-branch.records, branch.total))


def most_records(
    tree: JunctionTree, counts: Sequence[Counts], branches: Sequence[Branch], *, with_x: bool = True
) -> int:
    """Return an upper bound on the records that any y needs, by the rules and by the counts.

    Sets of records need at most as many as ``counting_bound`` of their sizes allows (larger sets
    need no more). Disjoint sets, one for every closure, cannot exceed the number of records.

    Args:
        branches: of ``most_covering``.
    """
    others = sum(counts[0].values()) - int(with_x)
    if not others:
        return 0
    most = min(branches[0].records, _most_sharing(tree, counts, others))
    if most == len(tree.nodes) > 1 and _least_total(tree, counts) > others:
        most -= 1
    return most


def _most_sharing(tree: JunctionTree, counts: Sequence[Counts], others: int) -> int:
    common = frozenset(tree.nodes[0].places).intersection(*(node.places for node in tree.nodes))
    least: list[dict[Numbers, int]] = []
    room: Counter[Numbers] = Counter()
    for k, node in enumerate(tree.nodes):
        at = [place for place, name in enumerate(node.places) if name in common]
        smallest: dict[Numbers, int] = {}
        for levels, count in counts[k].items():
            key = tuple([levels[place] for place in at])
            smallest[key] = min(count, smallest.get(key, count))
            room[key] += count if k == 0 else 0
        least.append(smallest)
    most = 0
    for key, records in room.items():
        sizes = [smallest[key] for smallest in least]
        known = min(records, others)
        most = max(most, counting_bound(sizes, known) if max(sizes) <= known else len(sizes))
    return most


def _least_total(tree: JunctionTree, counts: Sequence[Counts]) -> int:
    """Return the least number of records with y's levels, summed over closures, over all y."""
    children = tree.children
    below: list[dict[Numbers, int]] = [{} for _ in tree.nodes]
    for k in reversed(range(len(tree.nodes))):
        node = tree.nodes[k]
        for levels, count in counts[k].items():
            total = count + sum(
                below[child][tuple([levels[place] for place in tree.nodes[child].above])]
                for child in children[k]
            )
            shared = tuple([levels[place] for place in node.separator])
            below[k][shared] = min(total, below[k].get(shared, total))
    return min(below[0].values())


@dataclass(frozen=True, slots=True)
class ClosureChild:
    """A child of a closure at y's levels in the separator.

    Attributes:
        room: how many records have these levels.
        spare: how many of them can have y's levels in only one of the two closures.
        branches: of the child.
    """

    child: int
    room: int
    spare: int
    branches: tuple[Branch, ...]


def _keep(best: Best, branch: Branch, *, whole: bool) -> None:
    """Keep, of branches that are otherwise equal, the one with the fewest records at y's levels.

    A joined closure never costs more than a separate one, and fewer records never make m_c + m_k >
    n_s true; so the dropped branches never need more.
    """
    key = branch.is_open, branch.records, whole
    known = best.get(key)
    if known is None or (branch.count, branch.total) < (known.count, known.total):
        best[key] = branch


def _branches(k: int, levels: Numbers, count: int, joined: Sequence[ClosureChild]) -> list[Branch]:
    start = Branch(True, 0, count, 0, levels, (), ())
    if any(joint.room == count for joint in joined):
        # All records with y's levels in that child have them here: the closure costs nothing.
        for joint in joined:
            choices = [_with(start, b, joint.child if b.is_open else -1) for b in joint.branches]
            start = min(choices, key=_worst)
        return [replace(start, is_open=False)]
    branches = [start]
    for joint in joined:
        choices = []
        for known in branches:
            for branch in joint.branches:
                alone = -1
                if branch.is_open and branch.count < joint.room:
                    shares = branch.count + count > joint.spare
                    if shares and known.is_open:
                        fewer = joint.child if branch.count <= count else k
                        choices.append(replace(_with(known, branch, fewer), is_open=False))
                        continue
                    alone = joint.child
                choices.append(_with(known, branch, alone))
        branches = [
            min(alike, key=_worst)
            for is_open in (True, False)
            if (alike := [branch for branch in choices if branch.is_open == is_open])
        ]
    return branches


def _worst(branch: Branch) -> tuple[int, int]:
    return -branch.records, branch.total


def _with(known: Branch, branch: Branch, alone: int) -> Branch:
    """Add a child, and a closure (or -1 for none) that is separate, to a closure's branch."""
    chain = (*known.apart, *branch.apart)
    total = known.total + branch.total
    if alone >= 0:
        chain = (*chain, alone)
        total += branch.count
    below = (*known.below, branch)
    return Branch(known.is_open, len(chain), known.count, total, known.levels, below, chain)


def _closed(branch: Branch, k: int) -> Branch:
    if not branch.is_open:
        return branch
    chain = (*branch.apart, k)
    return replace(
        branch, is_open=False, records=len(chain), total=branch.total + branch.count, apart=chain
    )


def levels_of_y(tree: JunctionTree, branch: Branch) -> dict[int, int]:
    """Return the levels of y, by attribute index."""
    level_of: dict[int, int] = {}
    children = tree.children
    waiting = [(0, branch)]
    while waiting:
        k, at = waiting.pop()
        level_of.update(zip(tree.nodes[k].places, at.levels, strict=True))
        waiting += zip(children[k], at.below, strict=True)
    return level_of


COVERING = "Cho and Awan, Definition 13 as read by Example 5; exchanges along a junction tree"
DEFINITION_13 = "Cho and Awan, Definition 13 as printed; exchanges along a junction tree"

MAX_CHOICES = 12
"""The most sets of closures, for each y, that are tried in the search for a table that separates
them. Nearly always, the first one works; each try is a flow through the tree."""


def covering(d: Decomposed, metric: Metric) -> Parameter:
    """Return covering a(t) as an interval; its bounds are equal for two closures."""
    still = _still(d, metric)
    if still is not None:
        return _parameter(*still, COVERING, metric)
    placed = has_places(metric)
    branches = most_covering(d.tree, d.counts, with_x=placed)
    most = most_records(d.tree, d.counts, branches, with_x=placed)
    upper = most + int(placed)
    # If a class has several cells, a dataset can be closer when the order of records is ignored.
    least = 2 if placed or d.several is None else 1
    best: tuple[int, Witness | None] = least, None
    for branch in branches:
        if best[0] >= min(branch.records, most) + int(placed):
            break
        y = levels_of_y(d.tree, branch)
        for chosen in _choices(d, y, branch.apart, placed=placed):
            if best[0] >= len(chosen) + int(placed):
                break
            pair = _apart(d, y, chosen, placed=placed)
            if pair is not None and pair[0] > best[0]:
                best = pair
    if best[0] == least and best[1] is None:
        best = _exchange(d, metric)
    return _parameter(best[0], upper, best[1], COVERING, metric)


def definition_13(d: Decomposed, metric: Metric, covering_end: int) -> Parameter:
    """Return a(t) by Definition 13 as printed: the infimum over both datasets.

    Args:
        covering_end: an upper bound on covering a(t), under the metric.
    """
    still = _still(d, metric)
    if still is not None:
        return _parameter(*still, DEFINITION_13, metric)
    upper, separated = covering_end // per_record(metric), None
    if has_places(metric):
        upper = min(upper, 1 + most_parts(d.tree, d.counts))
        separated = separated_pair(d) if upper > 2 else None
    if separated is None:
        lower, shown = _exchange(d, metric)
    else:
        runs, records, y = separated
        lower, shown = 3, witness(d, runs, records, y, 3)
    return _parameter(lower, upper, shown, DEFINITION_13, metric)


def remark_14(d: Decomposed, metric: Metric) -> tuple[int | None, int | None]:
    """Return a_min and a_maxmin: every table has one or two records that can change."""
    step = per_record(metric)
    if d.several is not None:
        return step, step
    if d.varies if has_places(metric) else d.exchangeable:
        return 2 * step, 2 * step
    return None, None


def _parameter(
    lower: int, upper: int, shown: Witness | None, source: str, metric: Metric
) -> Parameter:
    step = per_record(metric)
    if shown is not None and step > 1:
        shown = Witness(shown.record_from, shown.record_to, step * lower, shown.start, shown.end)
    method = "closed_form" if lower == upper else "set_cover"
    return Parameter(step * lower, step * upper, method, source, shown)


def _still(d: Decomposed, metric: Metric) -> tuple[int, int, Witness | None] | None:
    """Return 1 if records move only inside their classes, or 0 if no record can move."""
    if d.varies if has_places(metric) else d.exchangeable:
        return None
    if d.several is None:
        return 0, 0, None
    return 1, 1, inside_class(d, d.several, 1)


def _exchange(d: Decomposed, metric: Metric) -> tuple[int, Witness | None]:
    """A margin shows one changed record, unless the record only moves inside its class; then, if
    the order of records is ignored, another dataset can be closer.
    """
    if d.exchangeable is not None:
        k, first, other = d.exchangeable
        beyond = d.tree.beyond(k)
        y = {place: (other if place in beyond else first)[place] for place in first}
        if has_places(metric) or d.several is None:
            return 2, witness(d, d.runs, [first, other], y, 2)
    elif has_places(metric):
        first, other = _unlike(d)
        return 2, witness(d, d.runs, [first, other], other, 2)
    return (1, inside_class(d, d.several, 1)) if d.several is not None else (0, None)


def _unlike(d: Decomposed) -> tuple[Levels, Levels]:
    first = d.runs[0][0]
    return first, next(levels for levels, _, _ in d.runs if levels != first)


def _choices(
    d: Decomposed, y: Levels, separate: Sequence[int], *, placed: bool
) -> Iterator[tuple[int, ...]]:
    room = d.size - int(placed)

    def count(k: int) -> int:
        return d.counts[k][tuple([y[place] for place in d.tree.nodes[k].places])]

    ranked = sorted(separate, key=lambda k: (count(k), k))
    attempts = 0
    for length in range(len(ranked), 0, -1):
        for left_out in range(length, -1, -1) if length < len(ranked) else (length,):
            chosen = tuple(sorted([*ranked[:left_out], *ranked[left_out + 1 : length + 1]]))
            if len(chosen) == length and sum(map(count, chosen)) <= room:
                attempts += 1
                yield chosen
            if attempts >= MAX_CHOICES:
                return


def _apart(
    d: Decomposed, y: Levels, chosen: Sequence[int], *, placed: bool
) -> tuple[int, Witness | None] | None:
    flow = apart(d.tree, d.counts, y, chosen)
    if flow is None:
        return None
    runs = table_of(d.tree, d.counts, y, chosen, flow)
    some: dict[int, Levels] = {}
    for levels, _, _ in runs:
        some.setdefault(held(d.tree, levels, y), levels)
    required = (1 << len(d.tree.nodes)) - 1
    if not placed:
        known = len(chosen), None
        return None if required in some else _made(d, runs, y, None, some, required) or known
    best: tuple[int, Witness | None] | None = None
    hits = sum(1 << k for k in chosen)
    for mask, record in sorted(some.items(), key=lambda item: item[0].bit_count()):
        if not mask & hits:
            # No record covers two of the chosen closures, and the record that changes covers none.
            known = len(chosen) + 1, None
            pair = _made(d, runs, y, record, some, required & ~mask) or known
            if best is None or pair[0] > best[0]:
                best = pair
    return best


def _made(
    d: Decomposed,
    runs: Sequence[Run],
    y: Levels,
    record: Levels | None,
    some: dict[int, Levels],
    required: int,
) -> tuple[int, Witness | None] | None:
    """Return the number of records that y needs from a table, and the pair of datasets.

    None if that takes too long. The type of the record that changes is never needed: it has none of
    the required levels.
    """
    masks = fewest(some, required)
    if masks is None:
        return None
    records = [some[mask] for mask in masks]
    if record is not None:
        records = [record, *records]
    distance = len(records)
    return distance, witness(d, runs, records, y, distance)


METHOD = "supremum_over_t"


def supremum(space: TableSpace, tree: JunctionTree, size: int | None) -> ProvenBounds | None:
    """Bound both definitions over all t; None if no table is found that attains the upper bound.

    Args:
        size: the number of records, 2 or more; None for the supremum over all sizes too.
    """
    nodes = len(tree.nodes)
    others = nodes if size is None else min(nodes, size - 1)
    if others < 1:
        return None
    records, y = _spread(space, tree, others)
    if not all(_possible(space, record) for record in [*records, y]):
        return None
    masks = {held(tree, record, y): record for record in records[1:]}
    needed = fewest(masks, (1 << nodes) - 1 & ~held(tree, records[0], y))
    if needed is None or len(needed) < others:
        return None
    others_left = 0 if size is None else size - len(records)
    counts = _counts(tree, records, others_left)
    d = Decomposed(space, tree, counts, FreeAttributes(space, tree.free))
    runs = [(dict(record), False, 1) for record in records]
    runs[0] = (dict(records[0]), False, 1 + others_left)
    shown = witness(d, runs, [records[0], *(masks[mask] for mask in needed)], y, others + 1)
    covering = Parameter(others + 1, others + 1, METHOD, COVERING, shown)
    printed = definition_13(d, "hamming", others + 1)
    upper = min(others + 1, 1 + _most_separate(tree))
    if printed.lower < upper:
        return None
    printed = Parameter(printed.lower, upper, METHOD, DEFINITION_13, printed.witness)
    return ProvenBounds(covering, printed)


def _counts(
    tree: JunctionTree, records: Sequence[Levels], more: int
) -> tuple[dict[tuple[int, ...], int], ...]:
    """Return the margins of some records, and of ``more`` copies of the first one."""
    tables = []
    for node in tree.nodes:
        cells = [tuple([record[place] for place in node.places]) for record in records]
        counts = {cell: cells.count(cell) for cell in cells}
        counts[cells[0]] += more
        tables.append(counts)
    return tuple(tables)


def _spread(
    space: TableSpace, tree: JunctionTree, others: int
) -> tuple[list[dict[int, int]], dict[int, int]]:
    """One record nowhere has y's levels, the last closures have one record each, and one record
    covers the rest.
    """
    # Nothing here is a proof: the caller counts how many records this table needs, and uses it only
    # if they are as many as the upper bound.
    order: list[int] = []
    parent = {}
    for place, attribute in enumerate(space.attributes):
        if attribute.within is not None:
            parent[place] = space.position(attribute.within)
    while len(order) < len(space.attributes):
        order += [
            place
            for place in range(len(space.attributes))
            if place not in order and parent.get(place, place) in (*order, place)
        ]
    rooms = _rooms(space, order, parent)

    def record(like: dict[int, int], kept: frozenset[int]) -> dict[int, int]:
        """Return the levels of ``like`` where they are kept, else other levels if there are any."""
        level_of: dict[int, int] = {}
        for place in order:
            if place in kept:
                level_of[place] = like[place]
                continue
            levels = range(space.attributes[place].size)
            above = space.attributes[place].parents
            fits = [
                level
                for level in levels
                if place not in parent or above[level] == level_of[parent[place]]
            ]
            fits = [level for level in fits if rooms[place][level]] or fits or [0]
            level_of[place] = max(
                fits, key=lambda at: (at != like.get(place), rooms[place][at], -at)
            )
        return level_of

    y = record({}, frozenset())
    # Children come after their parents in the tree. So a closure from the end has an attribute that
    # the remaining ones lack, where the records of the remaining ones can differ from y.
    last = list(reversed(range(len(tree.nodes))))
    last_part = {place for k in last[others - 1 :] for place in tree.nodes[k].places}
    parts = [frozenset(tree.nodes[k].places) for k in last[: others - 1]]
    return [record(y, frozenset()), *(record(y, p) for p in (*parts, frozenset(last_part)))], y


def _rooms(space: TableSpace, order: Sequence[int], parent: dict[int, int]) -> list[list[int]]:
    """For every level, return how many ways its inner attributes vary; 0 if one has no level."""
    rooms = [[1] * attribute.size for attribute in space.attributes]
    for place in reversed(order):
        if place not in parent:
            continue
        above = [0] * space.attributes[parent[place]].size
        for level, at in enumerate(space.attributes[place].parents):
            above[at] += rooms[place][level]
        outer = rooms[parent[place]]
        rooms[parent[place]] = [a * b for a, b in zip(outer, above, strict=True)]
    return rooms


def _possible(space: TableSpace, levels: Levels) -> bool:
    values = [levels[place] for place in range(len(space.attributes))]
    nested = all(
        attribute.within is None
        or attribute.parents[values[place]] == values[space.position(attribute.within)]
        for place, attribute in enumerate(space.attributes)
    )
    return nested and not any(matches(space, zero, values) for zero in space.impossible)


def _most_separate(tree: JunctionTree) -> int:
    """Return the largest number of closures of one tree of which no two are neighbors.

    In a tree, a greedy choice from below is the largest: take each closure whose children were not
    taken.
    """
    chosen: set[int] = set()
    children = tree.children
    root = list(range(len(tree.nodes)))
    number: dict[int, int] = {}
    for k, node in enumerate(tree.nodes):
        if node.separator:
            root[k] = root[node.parent]
    for k in reversed(range(len(tree.nodes))):
        if not any(child in chosen for child in children[k] if tree.nodes[child].separator):
            chosen.add(k)
            number[root[k]] = number.get(root[k], 0) + 1
    return max(number.values())
