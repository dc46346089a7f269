"""The range of counts of an answer, for noise whose law depends on the count."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from semiaudit.model.audit import PublishedCounts, Release, size_within
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.query import MarginsQuery, MatrixQuery, Query, TableQuery

MAX_CELLS = 200_000
"""The most cells of margins for which the largest count is looked up."""


def largest_count(release: Release, query: Query, universe: UniverseName) -> int | None:
    """Return an upper bound on all coordinates of the answer; None if they are unbounded.

    In D, it is the number of records, if all datasets have the same. Inside D_t, a count is at most
    the count of a published margin for the common levels.

    Args:
        query: a query of tables or margins; for a matrix, no bound is known.
    """
    space = release.dataspace
    if not isinstance(space, TableSpace):
        return None
    published = release.published if isinstance(release.published, PublishedCounts) else None
    size = size_within(release, space, universe)
    if universe == "D" or published is None or isinstance(query, MatrixQuery):
        return None if isinstance(query, MatrixQuery) else size
    ends = [_of_margin(space, names, published) for names in _margins(space, query)]
    known = [end for end in ends if end is not None]
    if len(known) < len(ends):
        return size
    return max(known) if size is None else min(size, max(known))


def _margins(space: TableSpace, query: TableQuery | MarginsQuery) -> Sequence[tuple[str, ...]]:
    if isinstance(query, TableQuery):
        return (tuple(attribute.name for attribute in space.attributes),)
    return query.margins


def _of_margin(space: TableSpace, names: Sequence[str], published: PublishedCounts) -> int | None:
    sizes = {attribute.name: attribute.size for attribute in space.attributes}
    common = [
        (inside, _summed(attributes, counts, inside, sizes))
        for attributes, counts in published.margins
        if (inside := [name for name in attributes if name in names])
    ]
    if not common:
        return None
    shared = [name for name in names if any(name in inside for inside, _ in common)]
    if prod(sizes[name] for name in shared) > MAX_CELLS:
        return min(max(counts.values()) for _, counts in common)
    places = [(tuple(shared.index(name) for name in inside), counts) for inside, counts in common]
    return max(
        min(counts[tuple(cell[at] for at in inside)] for inside, counts in places)
        for cell in product(*(range(sizes[name]) for name in shared))
    )


def _summed(
    attributes: Sequence[str], counts: Sequence[int], names: Sequence[str], sizes: dict[str, int]
) -> dict[tuple[int, ...], int]:
    sums: dict[tuple[int, ...], int] = {}
    cells = product(*(range(sizes[name]) for name in attributes))
    places = [list(attributes).index(name) for name in names]
    for cell, count in zip(cells, counts, strict=True):
        key = tuple(cell[place] for place in places)
        sums[key] = sums.get(key, 0) + count
    return sums
