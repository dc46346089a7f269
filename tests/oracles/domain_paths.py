"""Whether neighbors inside an OpenDP domain join any two datasets, in as many steps as they differ.

Every multiset of a few records is listed, and paths are searched breadth first.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations_with_replacement, product

Dataset = tuple[tuple[int, ...], ...]


def datasets(sizes: Sequence[int], most: int) -> list[Dataset]:
    """All multisets of up to ``most`` records, as sorted tuples."""
    records = list(product(*map(range, sizes)))
    return [chosen for n in range(most + 1) for chosen in combinations_with_replacement(records, n)]


def groups(dataset: Dataset, by: Iterable[int]) -> Counter[tuple[int, ...]]:
    """The records of each group of a margin."""
    return Counter(tuple(record[at] for at in by) for record in dataset)


def apart(a: Dataset, b: Dataset, *, replaced: bool) -> int:
    """Steps between two datasets that differ: replaced records, or records that enter or leave."""
    left, right = Counter(a), Counter(b)
    gone, new = (left - right).total(), (right - left).total()
    return max(gone, new) if replaced else gone + new


def joined(
    universe: Sequence[Dataset],
    t_of: Callable[[Dataset], object],
    excused: Callable[[Dataset, Dataset], bool],
    *,
    replaced: bool,
) -> bool:
    """Whether all pairs that agree on t are joined in as many steps, inside the universe and D_t.

    Args:
        universe: the domain.
        t_of: the invariants.
        excused: whether two datasets need not be joined.
        replaced: whether a step replaces a record; sizes then agree.
    """
    blocks: dict[object, list[Dataset]] = {}
    for dataset in universe:
        key = (t_of(dataset), len(dataset) if replaced else 0)
        blocks.setdefault(key, []).append(dataset)
    for block in blocks.values():
        near = {a: [b for b in block if apart(a, b, replaced=replaced) == 1] for a in block}
        for start in block:
            steps = {start: 0}
            waiting = deque([start])
            while waiting:
                here = waiting.popleft()
                for there in near[here]:
                    if there not in steps:
                        steps[there] = steps[here] + 1
                        waiting.append(there)
            for end in block:
                if excused(start, end):
                    continue
                if steps.get(end) != apart(start, end, replaced=replaced):
                    return False
    return True
