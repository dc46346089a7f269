"""Both definitions of a(t) without t, under keys and bounds, with or without margins.

Exchanges along a junction tree of the margins and the keys, taken as margins, change neither, nor a
bound on levels of one of them: with p of them covering a(t) under ``hamming`` is at most p + 1 for
every t and every n (``cover_bound``). A bound on attributes that no other invariant refers to costs
one more change: if the change of the record that becomes y breaks it, another record takes the old
levels of these attributes, and the bound holds again. (If no other record can do so, all others or
none of them meet the condition, and then y could not occur either.) Every table of a small size
gives a lower bound, because the supremum is over all sizes if the size is open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import comb, prod

from semiaudit.errors import RefusedError
from semiaudit.model.adjacency import has_places, per_record
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of, margin_of
from semiaudit.model.invariants.constraint import SameSize, SameSupport, Within
from semiaudit.model.semi_adjacency import Parameter, SemiAdjacency
from semiaudit.universe.distance.closed_form import COVERING, DEFINITION_13
from semiaudit.universe.system.components import components_of, speaks_of
from semiaudit.universe.system.decomposable import junction_tree
from semiaudit.universe.system.listing import MAX_TABLES

METHOD = "supremum_over_t"

MORE = 1
"""Additional records of a small table, besides those that can need to change."""

LEVELS = (2, 3)
"""Levels of an attribute in a small table: one for x and y, and one for the others."""


def relaxed_end(release: Release, space: TableSpace) -> int | None:
    """Return p + 1, or less for few records; None if margins and keys have no junction tree.

    If the order of records is ignored, the bound is max(2, p) records, for margins only
    (``acyclic_margins``): a key could make the closest table with y more distant.
    """
    metric = release.adjacency.metric
    if not has_places(metric):
        tree = junction_tree(release, space)
        keys = any(isinstance(c, SameSupport) for c in constraints_of(release.invariants))
        return None if tree is None or keys else max(2, len(tree.nodes)) * per_record(metric)
    alone = _bounds_alone(release, space)
    constraints = constraints_of(release.invariants)
    margins = [
        margin_of(constraint.attributes, invariant.mark)
        if isinstance(constraint, SameSupport)
        else invariant
        for index, (invariant, constraint) in enumerate(
            zip(release.invariants, constraints, strict=True)
        )
        if index not in alone
    ]
    closures = 0
    if not all(isinstance(fixed, SameSize) for fixed in constraints_of(margins)):
        tree = junction_tree(replace(release, invariants=tuple(margins)), space, bounds=True)
        if tree is None:
            return None
        closures = len(tree.nodes)
    most = closures + 1 + len(alone)
    return most if space.size is None else max(min(most, space.size), 1)


def _bounds_alone(release: Release, space: TableSpace) -> set[int]:
    constraints = constraints_of(release.invariants)
    alone = set()
    for positions in components_of(space, constraints):
        about = [i for i, c in enumerate(constraints) if speaks_of(space, c, positions)]
        if len(about) == 1 and isinstance(constraints[about[0]], Within):
            alone.add(about[0])
    return alone


def small_spaces(release: Release, space: TableSpace, most: int) -> list[TableSpace]:
    """Return dataspaces with so few records and levels that all their tables can be listed.

    Every t of a small dataspace is a t of the whole one: omitted levels occur in no record, and if
    nothing is published on an attribute, further levels bring no dataset closer. All levels are
    kept for attributes in bounds, nesting or structural zeros.

    Args:
        most: the proven upper bound.
    """
    whole = not space.product_cells
    whole |= any(
        isinstance(constraint, Within) for constraint in constraints_of(release.invariants)
    )
    spaces = []
    for kept in LEVELS:
        attributes = space.attributes
        if not whole:
            attributes = tuple(
                replace(
                    a, levels=min(a.levels, kept) if isinstance(a.levels, int) else a.levels[:kept]
                )
                for a in attributes
            )
        cells = prod(attribute.size for attribute in attributes)
        spaces += [
            replace(space, size=size, attributes=attributes)
            for size in range(most + MORE, 0, -1)
            if comb(size + cells - 1, size) <= MAX_TABLES
        ]
    return list(dict.fromkeys(spaces))


def suprema_of_all_sizes(
    release: Release, space: TableSpace, answered: Callable[[TableSpace], SemiAdjacency]
) -> tuple[Parameter, Parameter] | None:
    """Return both definitions as intervals, over all t and sizes; None if no upper bound is proven.

    Args:
        answered: computes both definitions, and the one in use, of the release over a small
            dataspace.
    """
    most = relaxed_end(release, space)
    if most is None or release.published is not None:
        return None
    covers = Parameter(0, most, METHOD, COVERING, None)
    printed = replace(covers, source=DEFINITION_13)
    for small in small_spaces(release, space, most):
        try:
            semi = answered(small)
        except RefusedError:
            # The bounds rule out every table of this size.
            continue
        if semi.covering.lower > covers.lower:
            covers = replace(semi.covering, upper=most, method=METHOD, trivial=False)
        if semi.definition_13.lower > printed.lower:
            printed = replace(semi.definition_13, upper=most, method=METHOD, trivial=False)
        if min(covers.lower, printed.lower) == most:
            break
    return covers, printed
