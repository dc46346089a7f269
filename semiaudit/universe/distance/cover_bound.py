"""Upper bound on the number of records that a change needs under margins with a junction tree.

Let the record at one place of X become y. A set of records that together have y's levels in every
closure can be rearranged so that one of them becomes y and no margin changes (closure by closure,
exchange all levels beyond a separator). Every change that makes y is a change of such a set. So the
distance is 1 + (the fewest other records that have y's levels where the record itself does not).

For one y, some of its closures share a record in *every* X of D_t. Let closure c be below closure
k, with the separator s. Let m_c and m_k records have y's levels in the closures, and n_s in the
separator. All of them have y's levels in s. So

- if m_c = n_s, each record that has y's levels in k has them in c as well (and the same upwards); -
if m_c + m_k > n_s, some record has both; also if m_c + m_k = n_s = n, unless the record that
changes, which counts too, has one of the two.

A group of closures that share a record costs one record. ``most_covering`` groups them bottom-up by
a fixed rule, and takes the maximum over all y by dynamic programming.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from semiaudit.frozen import dataclass
from semiaudit.universe.distance.transversal import counting_bound
from semiaudit.universe.system.closure_counts import Counts, projected
from semiaudit.universe.system.components import Numbers
from semiaudit.universe.system.decomposable import JunctionTree


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
                    whole = count == sums[k][shared]
                    _keep(below[k].setdefault(shared, {}), branch, whole=whole)
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
    kept = [start]
    for joint in joined:
        choices = []
        for known in kept:
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
        kept = [
            min(those, key=_worst)
            for is_open in (True, False)
            if (those := [branch for branch in choices if branch.is_open == is_open])
        ]
    return kept


def _worst(branch: Branch) -> tuple[int, int]:
    return -branch.records, branch.total


def _with(known: Branch, branch: Branch, alone: int) -> Branch:
    """Add a child, and a closure (or -1 for none) that is separate, to a closure's branch."""
    apart = (*known.apart, *branch.apart)
    total = known.total + branch.total
    if alone >= 0:
        apart = (*apart, alone)
        total += branch.count
    below = (*known.below, branch)
    return Branch(known.is_open, len(apart), known.count, total, known.levels, below, apart)


def _closed(branch: Branch, k: int) -> Branch:
    if not branch.is_open:
        return branch
    apart = (*branch.apart, k)
    return replace(
        branch, is_open=False, records=len(apart), total=branch.total + branch.count, apart=apart
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
