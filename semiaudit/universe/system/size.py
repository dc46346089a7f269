"""How many records the datasets of D_t have, and whether they all have as many."""

from __future__ import annotations

from semiaudit.errors import Refusal
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import is_margin
from semiaudit.model.published_invariants import PublishedCounts


def size_of(release: Release, space: TableSpace) -> tuple[int | None, bool]:
    """The number of records if it is known, and whether all of D_t has one size."""
    published = release.published if isinstance(release.published, PublishedCounts) else None
    fixed_by_margin = any(
        is_margin(constraint) for constraint in constraints_of(release.invariants)
    )
    size = space.size
    if size is None and published is not None:
        size = published.size
    fixed = space.size is not None or fixed_by_margin
    if not release.invariants and not compares_sizes(release.adjacency.metric):
        fixed = True
    return (size if fixed else None), fixed


def size_within(release: Release, space: TableSpace, universe: UniverseName) -> int | None:
    """The number of records that all datasets of a universe have; None if it is not one number.

    What is published says nothing of D under a metric that compares sizes: its datasets have every
    size, and a neighbor of a dataset with other invariants is one record larger or smaller.
    """
    if universe == "D" and compares_sizes(release.adjacency.metric):
        return space.size
    return size_of(release, space)[0]


def open_size(release: Release, space: TableSpace) -> Refusal:
    """Why a metric that compares datasets of one size cannot be used here."""
    return Refusal(
        f"{release.adjacency.metric} compares datasets of equal size, but the spec does "
        "not fix the size",
        "add dataspace.size, or add total to the invariants",
        path="dataspace",
        line=space.mark.line,
        column=space.mark.column,
    )
