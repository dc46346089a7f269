"""The methods for a(t) of tables, cheapest first.

Solvers and numpy are imported when a method that uses them is asked: an audit with a closed form
loads neither. To drop an invariant bounds a(t) on neither side (docs/theory.md, erratum E7), so no
method does it.
"""

from __future__ import annotations

from dataclasses import replace

from semiaudit.model.adjacency import compares_sizes, has_places, per_record
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants.constraint import SameSize
from semiaudit.model.semi_adjacency import Parameter, Witness
from semiaudit.universe.distance import closed_form
from semiaudit.universe.distance.open_sizes import (
    most_for_every_t,
    suprema_of_all_sizes,
    suprema_of_free_sizes,
)
from semiaudit.universe.method import (
    ALL_THREE,
    EQUAL_SIZES,
    OF_SETS,
    ORDERED,
    UNORDERED,
    Method,
    ProvenBounds,
    ask,
)
from semiaudit.universe.problem import TableProblem
from semiaudit.universe.system.classes_of_cells import records
from semiaudit.universe.system.components import levels_of, possible_cells

KEPT = (
    "no record can change alone, because swapping keeps a count that would change; the "
    "spec has no attributes that show how many others must change too"
)


def counted_by_unlisted(problem: TableProblem) -> bool:
    """Return whether an invariant without attributes in the dataspace counts every record."""
    return any(isinstance(c, SameSize) and c.by_unlisted for c in problem.constraints)


def _of_undescribed_records(problem: TableProblem) -> ProvenBounds:
    """Any record can change alone, unless an invariant without attributes counts it: then another
    record must change with it, and no more is known.
    """
    metric, space = problem.metric, problem.space
    if counted_by_unlisted(problem):
        known = Parameter(2 * per_record(metric), None, "none", KEPT, None)
        return ProvenBounds(known, known)
    if compares_sizes(metric) and problem.release.invariants:
        known = Parameter(2, 2, "closed_form", closed_form.COVERING, None)
        return ProvenBounds(known, known)
    step = 1 if space.size is None else per_record(metric)
    known = Parameter(step, step, "closed_form", closed_form.COVERING, None)
    return ProvenBounds(known, replace(known, source=closed_form.DEFINITION_13))


def _of_all_of_d(problem: TableProblem) -> ProvenBounds:
    space, witness = problem.space, None
    places = tuple(range(len(space.attributes)))
    first = next(possible_cells(space, places), None)
    if first is not None:
        sizes = [attribute.size for attribute in space.attributes]
        cell = closed_form.label(space, levels_of(first, sizes))
        witness = Witness(None, cell, 1, (), ((cell, 1),))
    step = 0 if witness is None else 1
    known = Parameter(step, step, "closed_form", closed_form.COVERING, witness)
    end = step or None
    return ProvenBounds(known, replace(known, source=closed_form.DEFINITION_13), end, end)


def along_junction_tree(problem: TableProblem) -> ProvenBounds | None:
    """Bound a(t) for overlapping margins with a junction tree; None without a record.

    If an interval stays open and the table is small, the list of all tables replaces it. Margins
    that do not overlap have a tighter closed form.
    """
    d, metric = problem.decomposed, problem.metric
    if d is None:
        return None
    from semiaudit.universe.distance import acyclic_margins

    covers = acyclic_margins.covering(d, metric)
    printed = acyclic_margins.definition_13(d, metric, covers.upper or 0)
    if printed.lower > covers.lower:
        # definition_13 is at most covering a(t); its pair need not be a pair for covering.
        covers = replace(covers, lower=printed.lower, witness=None)
    answer = ProvenBounds(covers, printed, *acyclic_margins.remark_14(d, metric))
    if answer.is_exact or not problem.is_small:
        return answer
    listed = _of_listed_tables(problem)
    if listed is None:
        return answer
    return replace(answer, covering=listed.covering, definition_13=listed.definition_13)


def _over_junction_tree(problem: TableProblem) -> ProvenBounds | None:
    if problem.tree is None:
        return None
    from semiaudit.universe.distance import acyclic_margins

    return acyclic_margins.supremum(problem.space, problem.tree, problem.size)


def bounded_by_changes(problem: TableProblem) -> bool:
    """Return whether margins, keys, and bounds without t bound a(t) for every size."""
    if problem.is_given or not problem.release.invariants or not problem.space.attributes:
        return False
    if problem.fixed and (
        not has_places(problem.metric) or problem.space.size is not None or problem.has_only_margins
    ):
        return False
    return most_for_every_t(problem) is not None


def _of_features(problem: TableProblem) -> ProvenBounds | None:
    table = problem.table
    if table is None:
        return None
    margins = problem.space.product_cells and problem.has_only_margins
    return ProvenBounds(
        closed_form.covering(table),
        closed_form.definition_13(table),
        *closed_form.remark_14(table),
        closed_form.theorem_16_bound(table) if margins else None,
    )


def _of_multisets(problem: TableProblem) -> ProvenBounds | None:
    """Use the structure where a list of tables, which would be exact, is not possible."""
    if problem.table is None or problem.split_tables is not None:
        return None
    return closed_form.supremum(problem.table, problem.metric)


FEW_CELLS = 16
"""For up to this many cells, a supremum over t uses the table itself: programs solve it directly,
and fewer levels would only loosen its lower bound."""


def _with_fewer_levels(problem: TableProblem) -> ProvenBounds | None:
    """Bound a(t) by a table with at most two levels per attribute.

    Every t of the table with fewer levels is a t of this one. Its margins count no record at the
    further levels of a published attribute; further levels of another attribute bring no dataset
    closer. So a lower bound for that table is a lower bound here.
    """
    fewer = fewer_levels(problem)
    if fewer is None or problem.split_tables is not None:
        return None
    most = most_by_structure(problem)
    if most is None:
        return None
    small = ask(METHODS, problem.over(fewer))
    return ProvenBounds(
        replace(small.covering, upper=most, trivial=False),
        replace(small.definition_13, upper=most, trivial=False),
    )


def fewer_levels(problem: TableProblem) -> TableSpace | None:
    """Without t and under margins only, return the dataspace with at most two levels per attribute.

    If the size is open too, a small size is used: the supremum is over all sizes.
    """
    space = problem.space
    if problem.is_given or not problem.has_only_margins or not space.product_cells:
        return None
    if space.cells <= FEW_CELLS or all(a.size <= 2 for a in space.attributes):
        return None
    attributes = tuple(
        replace(a, levels=min(a.levels, 2) if isinstance(a.levels, int) else a.levels[:2])
        for a in space.attributes
    )
    size = space.size or 2 * len(problem.release.invariants) + 2
    return replace(space, size=size, attributes=attributes)


def most_by_structure(problem: TableProblem) -> int | None:
    """Return an upper bound on covering a(t), for this t or every t; None if none is proven.

    The proof for a product of features is in ``closed_form.most_changes``.
    """
    if not has_places(problem.metric) and problem.table is not None:
        return closed_form.most_changes(problem.table, problem.metric)
    return most_for_every_t(problem)


def _of_listed_tables(problem: TableProblem) -> ProvenBounds | None:
    from semiaudit.universe.distance.integer_programs import by_listing

    return by_listing(problem)


def _by_integer_programs(problem: TableProblem) -> ProvenBounds | None:
    from semiaudit.universe.distance.integer_programs import by_programs

    return by_programs(problem, _by_structure_or_size(problem).covering)


TOO_MANY = "t distinguishes too many classes of cells for the integer programs"


def _by_structure_or_size(problem: TableProblem) -> ProvenBounds:
    """a(t) is at most the bound of the structure, else n: n changes turn any dataset into any."""
    most, size = most_by_structure(problem), problem.size
    if size is None and problem.separate is not None:
        size = records(problem.separate)
    changes = None if size is None else size * per_record(problem.metric)
    if most is None:
        from semiaudit.universe.distance.longest_moves import most_of_moves

        most = most_of_moves(problem)
        if most is not None and changes is not None and most >= changes:
            most = None  # The number of records is no worse, and shows nothing of the invariants.
    trivial = most is None
    if changes is not None:
        most = changes if most is None else min(most, changes)
    known = Parameter(0, most, "none", TOO_MANY, None, trivial and most is not None)
    return ProvenBounds(known, known)


def _has_distances(problem: TableProblem) -> bool:
    """Return whether any two datasets of D have a distance."""
    return problem.fixed or compares_sizes(problem.metric)


def _has_cells(problem: TableProblem) -> bool:
    return bool(problem.space.attributes) and _has_distances(problem)


METHODS: tuple[Method[TableProblem, ProvenBounds], ...] = (
    Method(
        "records without attributes",
        ALL_THREE,
        lambda p: not p.space.attributes and _has_distances(p),
        _of_undescribed_records,
    ),
    Method(
        "records that enter and leave alone",
        OF_SETS,
        lambda p: _has_cells(p) and p.is_unconstrained,
        _of_all_of_d,
    ),
    Method(
        "counts, keys, and bounds of a free size",
        OF_SETS,
        lambda p: _has_cells(p) and not p.is_given and not p.fixed,
        suprema_of_free_sizes,
        is_last=True,
    ),
    Method(
        "exchanges along a junction tree", ALL_THREE, _has_cells, along_junction_tree, is_last=True
    ),
    Method(
        "supremum over a junction tree",
        ORDERED,
        lambda p: not p.is_given and p.fixed,
        _over_junction_tree,
        is_last=True,
    ),
    Method(
        "small tables of all sizes",
        EQUAL_SIZES,
        bounded_by_changes,
        lambda p: suprema_of_all_sizes(p, lambda small: ask(METHODS, small)),
        is_last=True,
    ),
    Method("features of ordered datasets", ORDERED, _has_cells, _of_features, is_last=True),
    Method("features of multisets", UNORDERED, _has_cells, _of_multisets, is_last=True),
    Method("fewer levels", ALL_THREE, _has_cells, _with_fewer_levels, is_last=True),
    Method("list of tables", ALL_THREE, _has_cells, _of_listed_tables),
    Method("structure or size", ALL_THREE, _has_cells, _by_structure_or_size),
    Method("integer programs", ALL_THREE, _has_cells, _by_integer_programs),
)
