"""Both definitions of a(t) without t, under keys and bounds, with or without margins.

Exchanges along a junction tree of the margins and the keys, taken as margins, change neither, nor a
bound on levels of one of them: with p of them covering a(t) under ``hamming`` is at most p + 1 for
every t and every n (``acyclic_margins``). A bound on attributes that no other invariant refers to
costs one more change: if the change of the record that becomes y breaks it, another record takes
the old levels of these attributes, and the bound holds again. (If no other record can do so, all
others or none of them meet the condition, and then y could not occur either.) Every table of a
small size gives a lower bound, because the supremum is over all sizes if the size is open.

If records enter and leave by themselves, a record that enters breaks at most the counts and upper
bounds that count it; ``suprema_of_free_sizes`` has the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from math import comb, prod
from typing import assert_never

from semiaudit.errors import RefusedError
from semiaudit.model.adjacency import has_places, per_record
from semiaudit.model.dataspace import Condition, TableSpace
from semiaudit.model.invariants import constraints_of, margin_of
from semiaudit.model.invariants.constraint import (
    Constraint,
    SameCellSums,
    SameMargin,
    SameSize,
    SameSums,
    SameSupport,
    Within,
    attributes_of,
)
from semiaudit.model.semi_adjacency import Parameter
from semiaudit.universe.distance.closed_form import COVERING, DEFINITION_13
from semiaudit.universe.method import ProvenBounds
from semiaudit.universe.problem import TableProblem
from semiaudit.universe.system.components import MAX_LOOKS, components_of, matches, speaks_of
from semiaudit.universe.system.decomposable import junction_tree
from semiaudit.universe.system.listing import MAX_TABLES

METHOD = "supremum_over_t"

MORE = 1
"""Additional records of a small table, besides those that can need to change."""

LEVELS = (2, 3)
"""Levels of an attribute in a small table: one for x and y, and one for the others."""


def most_for_every_t(problem: TableProblem) -> int | None:
    """Return an upper bound on covering a(t) for every t and size; None if none is proven.

    It is p + 1, or less for few records, if margins and keys have a junction tree of p nodes.

    If the order of records is ignored, the bound is max(2, p) records, for margins only
    (``acyclic_margins``): a key could make the closest table with y more distant.
    """
    release, space, constraints = problem.release, problem.space, problem.constraints
    if not has_places(problem.metric):
        tree = junction_tree(release, space)
        if tree is None or any(isinstance(c, SameSupport) for c in constraints):
            return None
        return max(2, len(tree.nodes)) * per_record(problem.metric)
    alone = _bounds_alone(problem)
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


def _bounds_alone(problem: TableProblem) -> set[int]:
    space, constraints = problem.space, problem.constraints
    alone = set()
    for positions in components_of(space, constraints):
        about = [i for i, c in enumerate(constraints) if speaks_of(space, c, positions)]
        if len(about) == 1 and isinstance(constraints[about[0]], Within):
            alone.add(about[0])
    return alone


def small_spaces(problem: TableProblem, most: int) -> list[TableSpace]:
    """Return dataspaces with so few records and levels that all their tables can be listed.

    Every t of a small dataspace is a t of the whole one: omitted levels occur in no record, and if
    nothing is published on an attribute, further levels bring no dataset closer. All levels are
    kept for attributes in bounds, nesting or structural zeros.

    Args:
        most: the proven upper bound.
    """
    space = problem.space
    whole = not space.product_cells or any(isinstance(c, Within) for c in problem.constraints)
    spaces = []
    for cap in LEVELS:
        attributes = space.attributes
        if not whole:
            attributes = tuple(
                replace(
                    a, levels=min(a.levels, cap) if isinstance(a.levels, int) else a.levels[:cap]
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
    problem: TableProblem, answered: Callable[[TableProblem], ProvenBounds]
) -> ProvenBounds | None:
    """Bound both definitions over all t and sizes; None if no upper bound is proven.

    Args:
        answered: computes both definitions over a small dataspace.
    """
    most = most_for_every_t(problem)
    if most is None or problem.is_given:
        return None
    covers = Parameter(0, most, METHOD, COVERING, None)
    printed = replace(covers, source=DEFINITION_13)
    for small in small_spaces(problem, most):
        try:
            semi = answered(problem.over(small))
        except RefusedError:
            # The bounds rule out every table of this size.
            continue
        if semi.covering.lower > covers.lower:
            covers = replace(semi.covering, upper=most, method=METHOD, trivial=False)
        if semi.definition_13.lower > printed.lower:
            printed = replace(semi.definition_13, upper=most, method=METHOD, trivial=False)
        if min(covers.lower, printed.lower) == most:
            break
    return ProvenBounds(covers, printed)


def suprema_of_free_sizes(problem: TableProblem) -> ProvenBounds | None:
    """Bound both definitions over all t and sizes, if records enter and leave by themselves.

    None if the constraints are not counts, keys, and bounds on one condition each. If there are
    counts or upper bounds besides keys or lower bounds, also None if two constraints share an
    attribute, or a count or an upper bound counts every record.

    A record y that enters breaks no lower bound and no key that occurs. For each count and upper
    bound that counts y and is full, another record z that it counts leaves. This breaks a lower
    bound or a key only if there is one on other attributes; then z does not leave, and becomes a
    record that differs in the attributes of the full one, which is not counted: two more changes
    instead of one. If y is in the dataset already, a record that nothing counts enters, or another
    one leaves.
    """
    if problem.is_given:
        return None
    space, constraints = problem.space, problem.constraints
    if not all(map(_is_of_one_condition, constraints)):
        return None
    full = [c for c in constraints if _has_upper_end(c)]
    lower = [c for c in constraints if not isinstance(c, Within) or c.least]
    named = [name for c in constraints for name in attributes_of(c, space)]
    if not full:
        most = 1
    elif not lower:
        most = 1 + _most_at_once(space, full)
    elif (
        len(named) != len(set(named))
        or not space.product_cells
        or any(_counts_everything(space, c) for c in full)
    ):
        return None
    else:
        most = 1 + sum(1 + any(other is not c for other in lower) for c in full)
    covers = Parameter(1, most, METHOD, COVERING, None)
    if most > 1 and (not lower or len(constraints) == 1) and _counts_two_kinds(space, full):
        covers = replace(covers, lower=2)
    return ProvenBounds(covers, Parameter(1, 1, METHOD, DEFINITION_13, None))


def _is_of_one_condition(constraint: Constraint) -> bool:
    match constraint:
        case SameSupport() | Within():
            return True
        case SameSums():
            return len(constraint.rows) == 1 and [k for k, _ in constraint.rows[0]] == [1]
        case SameSize() | SameMargin() | SameCellSums():
            return False
        case _:
            assert_never(constraint)


def _has_upper_end(constraint: Constraint) -> bool:
    return isinstance(constraint, SameSums) or (
        isinstance(constraint, Within) and constraint.most is not None
    )


def _counts_everything(space: TableSpace, constraint: Constraint) -> bool:
    """Return whether a condition allows all levels, so that every record meets it."""
    return all(
        len(set(levels)) == space.attributes[space.position(name)].size
        for name, levels in _condition(constraint)
    )


def _condition(constraint: Constraint) -> Condition:
    if isinstance(constraint, SameSums):
        return constraint.rows[0][0][1]
    return constraint.where if isinstance(constraint, Within) else ()


def _most_at_once(space: TableSpace, bounds: Sequence[Constraint]) -> int:
    """Return how many upper bounds count one record; their number if there are many records."""
    if space.cells * len(bounds) > MAX_LOOKS:
        return len(bounds)
    cells = product(*(range(attribute.size) for attribute in space.attributes))
    return max(sum(matches(space, _condition(c), cell) for c in bounds) for cell in cells)


def _counts_two_kinds(space: TableSpace, full: Sequence[Constraint]) -> bool:
    """Return whether the tightest count or upper bound counts two kinds of records.

    As many records of one kind as it allows are then a dataset that no record of the other kind
    enters alone.
    """
    if not space.product_cells or space.cells * len(full) > MAX_LOOKS:
        return False
    ends = [c.most if isinstance(c, Within) else 1 for c in full]
    tightest = min((end for end in ends if end), default=None)
    shut = [_condition(c) for c, end in zip(full, ends, strict=True) if end == 0]
    cells = product(*(range(attribute.size) for attribute in space.attributes))
    possible = [cell for cell in cells if not any(matches(space, where, cell) for where in shut)]
    counts = [
        sum(matches(space, _condition(c), cell) for cell in possible)
        for c, end in zip(full, ends, strict=True)
        if end == tightest
    ]
    return max(counts, default=0) > 1
