"""Tables whose invariants fix the count of every class of every component.

Remark 17 of Cho and Awan: publishing the joint counts of some attributes makes them one feature.
The same holds if counts, nested levels and structural zeros inside a component of attributes sort
its cells into classes, and t fixes the count of each class: the classes are the levels of one
feature, and the table is the product of such features.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from semiaudit.errors import NOWHERE, Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.model.audit import PublishedCounts, Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import (
    Constraint,
    SameMargin,
    Within,
    attributes_of,
    is_published,
)
from semiaudit.numeric.row_space import unique_solution
from semiaudit.universe.system.components import (
    Classes,
    Numbers,
    Places,
    PublishedRows,
    classes_of,
    components_of,
    levels_of,
    possible_cells,
    speaks_of,
)


@dataclass(frozen=True, slots=True)
class AttributeGroup:
    """One component of attributes as a single feature.

    Attributes:
        positions: the indices of the attributes in the order of the spec, ascending.
        sizes: their numbers of levels.
        members: the row-major cells of each class. None if every cell is its own class; ``()`` if
            nothing is published on the component, and all its cells are one class.
        counts: (class, count) of every class that occurs, or None if not given.
        able: the number of classes that can occur.
    """

    positions: Places
    sizes: Numbers
    members: tuple[Numbers, ...] | None
    counts: tuple[tuple[int, int], ...] | None
    able: int

    @property
    def cells(self) -> int:
        """Return how many cells can occur."""
        return sum(map(len, self.members)) if self.members else prod(self.sizes)

    @property
    def roomiest(self) -> int:
        """Return a class with the most cells."""
        if not self.members:
            return 0
        sizes = [len(cells) for cells in self.members]
        return sizes.index(max(sizes))

    def multiplicity(self, c: int) -> int:
        """Return the number of cells of a class."""
        if self.members is None:
            return 1
        return len(self.members[c]) if self.members else prod(self.sizes)

    def levels_of(self, c: int, member: int = 0) -> Numbers:
        """Return the level index of each attribute in a cell of a class."""
        if self.members is None:
            return levels_of(c, self.sizes)
        return levels_of(self.members[c][member] if self.members else member, self.sizes)


@dataclass(frozen=True, slots=True)
class GroupedTable:
    """A table as a product of features whose counts t fixes.

    Attributes:
        size: the number of records, or None if no size is known.
        groups: the features; those of attributes without published counts have one class.
        published: the number of features with a published margin.
    """

    space: TableSpace
    size: int | None
    groups: tuple[AttributeGroup, ...]
    published: int

    @property
    def cells(self) -> int:
        """Return how many cells can occur."""
        return prod(group.cells for group in self.groups)

    @property
    def counts_given(self) -> bool:
        """Return whether t is known: counts were given, or every group has only one class."""
        return all(group.counts is not None for group in self.groups)


def grouped_table(
    release: Release, space: TableSpace, size: int | None, *, size_fixed: bool
) -> GroupedTable | None:
    """Return the table as a product of features; None if t does not fix the count of every class.

    Args:
        size: the number of records, if it is known.
        size_fixed: all datasets of D_t have one size, known or not.

    Raises:
        RefusedError: the published counts contradict each other, or a component of attributes is
            too large to be sorted into classes.
    """
    published = release.published if isinstance(release.published, PublishedCounts) else None
    groups: list[AttributeGroup] = []
    features = 0
    constraints = constraints_of(release.invariants)
    for positions in components_of(space, constraints):
        about = [c for c in constraints if speaks_of(space, c, positions)]
        features += bool(about)
        group = _group(release, space, positions, about, published, size, size_fixed=size_fixed)
        if group is None:
            return None
        groups.append(group)
    return GroupedTable(space, size, tuple(groups), features)


def _group(
    release: Release,
    space: TableSpace,
    positions: Places,
    about: Sequence[Constraint],
    published: PublishedCounts | None,
    size: int | None,
    *,
    size_fixed: bool,
) -> AttributeGroup | None:
    sizes = tuple(space.attributes[place].size for place in positions)
    simple = space.product_cells or not _restricted(space, positions)
    if not about:
        counts = None if size is None else ((0, size),)
        members = () if simple else (tuple(possible_cells(space, positions)),)
        return AttributeGroup(positions, sizes, members, counts, 1)
    if published is None and not all(map(is_published, about)):
        return None
    joint = any(len(attributes_of(c, space)) == len(positions) for c in about)
    if joint and simple and all(isinstance(c, SameMargin) for c in about):
        return _joint(space, positions, sizes, published, size)
    return _sorted(release, space, positions, published, size, size_fixed=size_fixed)


def _restricted(space: TableSpace, positions: Places) -> bool:
    names = {space.attributes[place].name for place in positions}
    nested = any(space.attributes[place].within is not None for place in positions)
    return nested or any({n for n, _ in zero} <= names for zero in space.impossible)


def _joint(
    space: TableSpace,
    positions: Places,
    sizes: Numbers,
    published: PublishedCounts | None,
    size: int | None,
) -> AttributeGroup:
    """Return a margin over all attributes of the component: every cell is a class."""
    possible = prod(sizes)
    if published is not None:
        flat = dict(published.margins)[tuple(space.attributes[p].name for p in positions)]
        counts = tuple((cell, c) for cell, c in enumerate(flat) if c)
        return AttributeGroup(positions, sizes, None, counts, possible)
    known = ((0, size),) if possible == 1 and size is not None else None
    return AttributeGroup(positions, sizes, None, known, possible)


def _sorted(
    release: Release,
    space: TableSpace,
    positions: Places,
    published: PublishedCounts | None,
    size: int | None,
    *,
    size_fixed: bool,
) -> AttributeGroup | None:
    constraints = constraints_of(release.invariants)
    part = classes_of(space, constraints, positions)
    classes = len(part.members)
    rows = [dict(enumerate(coefs)) for _, coefs in part.rows]
    published_rows = PublishedRows(space, constraints, published) if published else None
    values = [published_rows[key] if published_rows else 0 for key, _ in part.rows]
    if size_fixed:
        rows.append(dict.fromkeys(range(classes), 1))
        values.append(size or 0)

    unique = unique_solution(rows, values, classes)
    if unique is None:
        return None
    if published_rows is None:
        known = ((0, size),) if classes == 1 and size is not None else None
        return AttributeGroup(part.positions, part.sizes, part.members, known, classes)
    if any(count.denominator > 1 for count in unique):
        raise RefusedError(contradiction(release))
    solution = tuple(int(count) for count in unique)
    _check(release, part, published_rows, solution, values)
    counts = tuple((c, count) for c, count in enumerate(solution) if count)
    return AttributeGroup(part.positions, part.sizes, part.members, counts, classes)


def _check(
    release: Release, part: Classes, rows: PublishedRows, counts: Numbers, values: Sequence[int]
) -> None:
    sums = [sum(k * n for k, n in zip(coefs, counts, strict=True)) for _, coefs in part.rows]
    sums += [sum(counts)] * (len(values) - len(sums))
    good = min(counts, default=0) >= 0 and sums == list(values)
    for index, ids in part.keys:
        occurring = {cell for cell, count in zip(ids, counts, strict=True) if count}
        good = good and occurring == set(rows.values[index])
    if not good:
        raise RefusedError(contradiction(release))
    for index, bound, inside in part.bounds:
        value = sum(count for count, flag in zip(counts, inside, strict=True) if flag)
        if not bound.admits(value):
            raise RefusedError(broken_bound(release, index, value))


def contradiction(release: Release) -> Refusal:
    """Make the refusal that no table has the published counts."""
    if release.published is None:
        bounds = [c for c in constraints_of(release.invariants) if isinstance(c, Within)]
        mark = bounds[0].mark if bounds else NOWHERE
        what = "no table satisfies the public bounds"
        return Refusal(what, "correct the bounds", "invariants", mark.line, mark.column)
    mark = release.published.mark
    return Refusal(
        "contradict each other: no table has these values",
        "correct the counts",
        path="data",
        line=mark.line,
        column=mark.column,
    )


def broken_bound(release: Release, index: int, value: int | None = None) -> Refusal:
    """Make the refusal that the published counts contradict a public bound."""
    bound = release.invariants[index]
    note = "" if value is None else f": it is {value}"
    return Refusal(
        f"{bound} contradicts the data{note}",
        "correct the bound or the data",
        path=f"invariants[{index}]",
        line=bound.mark.line,
        column=bound.mark.column,
    )
