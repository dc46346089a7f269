"""The universes of a table over attributes: a closed form if one applies, else a system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.adjacency import Metric, compares_sizes, has_places, per_record
from semiaudit.model.audit import Release, open_size, size_of
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import (
    Constraint,
    SameSize,
    is_linear,
    is_margin,
    publishing_constraints,
)
from semiaudit.model.semi_adjacency import Disclosed, Parameter, SemiAdjacency, Universe, Witness
from semiaudit.universe import disclosure
from semiaudit.universe.distance import closed_form
from semiaudit.universe.distance.open_sizes import (
    relaxed_end,
    suprema_of_all_sizes,
    suprema_of_free_sizes,
)
from semiaudit.universe.system.classes_of_cells import build_system, split
from semiaudit.universe.system.components import (
    MAX_LOOKS,
    classes_of,
    components_of,
    levels_of,
    possible_cells,
)
from semiaudit.universe.system.decomposable import junction_tree
from semiaudit.universe.system.grouped_table import GroupedTable, contradiction, grouped_table
from semiaudit.universe.system.listing import NoTableError, tables_of
from semiaudit.universe.system.open_counts import capped
from semiaudit.universe.witness import check_table

if TYPE_CHECKING:
    from semiaudit.numeric.limits import Limits


KEPT = (
    "no record can change alone, because swapping keeps a count that would change; the "
    "spec has no attributes that show how many others must change too"
)


def unspecified(release: Release, space: TableSpace) -> tuple[Parameter, Parameter, bool]:
    """Return both definitions of a(t), and whether neighbors in D can differ in the invariants.

    Any record can change alone, unless an invariant without attributes in the dataspace counts it:
    then another record must change with it, and no more is known.
    """
    metric = release.adjacency.metric
    if any(isinstance(c, SameSize) and c.by_unlisted for c in constraints_of(release.invariants)):
        known = Parameter(2 * per_record(metric), None, "none", KEPT, None)
        return known, known, True
    if compares_sizes(metric) and release.invariants:
        known = Parameter(2, 2, "closed_form", closed_form.COVERING, None)
        return known, known, True
    step = 1 if space.size is None else per_record(metric)
    known = Parameter(step, step, "closed_form", closed_form.COVERING, None)
    definition_13 = Parameter(step, step, "closed_form", closed_form.DEFINITION_13, None)
    return known, definition_13, False


FEW_CELLS = 16
"""For up to this many cells, a supremum over t uses the table itself: programs solve it directly,
and fewer levels would only loosen its lower bound."""

TOO_MANY = "t distinguishes too many classes of cells for the integer programs"


def table_universe(
    release: Release, space: TableSpace, limits: Limits, spelled: Release | None = None
) -> Universe:
    """Return D_t of a table: both definitions of a(t) with checked witnesses, and what t discloses.

    Args:
        release: with its invariants in normal form.
        limits: the limits of the programs.
        spelled: the release as the spec has it; its margins name groups with constant attributes.

    Raises:
        RefusedError: an invariant is not a count of a table, the metric needs a size that is open,
            t contradicts itself, or a component of attributes has too many cells.
    """
    spelled = spelled or release
    constraints = constraints_of(release.invariants)
    if space.attributes and not space.product_cells:
        _check_possible(space, constraints)
    size, fixed = size_of(release, space)
    metric = release.adjacency.metric
    if not compares_sizes(metric) and not fixed and release.invariants:
        # Datasets of different sizes have no distance under this metric, and the size is open: only
        # bounds for every size answer.
        suprema = _of_small_tables(release, space, limits) if space.attributes else None
        if suprema is None:
            raise RefusedError(open_size(release, space))
        return _of_readings(release, space, suprema)
    if not space.attributes:
        return _without_attributes(release, space)
    if not fixed and not release.invariants:
        return _free_size(release, space, limits, spelled)
    if not fixed:
        suprema = suprema_of_free_sizes(release, space)
        if suprema is not None:
            return _of_readings(release, space, suprema)
    # Every method below is valid by itself, so one that does not apply, or proves nothing, leaves
    # the question to the next.
    tree = junction_tree(release, space)
    if tree is not None and tree.overlaps and release.published is not None:
        from semiaudit.universe.distance.acyclic_universe import acyclic_universe

        proven = acyclic_universe(release, tree, spelled)
        if proven is not None:
            readings = proven.covering, proven.definition_13, proven.remark_14, proven.disclosed
            return _universe(release, space, *readings, restricts=proven.restricts)
    elif release.published is None and fixed and has_places(metric):
        suprema = None
        if tree is not None and tree.overlaps:
            from semiaudit.universe.distance.acyclic_margins import supremum

            suprema = supremum(space, tree, size)
        if suprema is None and space.size is None and not all(map(is_margin, constraints)):
            suprema = _of_small_tables(release, space, limits)
        if suprema is not None:
            return _of_readings(release, space, suprema)
    table = grouped_table(release, space, size, size_fixed=fixed) if fixed else None
    if table is not None and has_places(metric):
        return _closed_form(release, table, spelled)
    return _general(release, space, size if fixed else None, table, limits, spelled)


def _of_small_tables(
    release: Release, space: TableSpace, limits: Limits
) -> tuple[Parameter, Parameter] | None:
    def answered(small: TableSpace) -> SemiAdjacency:
        return table_universe(replace(release, dataspace=small), small, limits).semi_adjacency

    return suprema_of_all_sizes(release, space, answered)


def _of_readings(
    release: Release, space: TableSpace, suprema: tuple[Parameter, Parameter]
) -> Universe:
    return _universe(release, space, *suprema, (None, None), Disclosed(), restricts=True)


def _check_possible(space: TableSpace, constraints: Sequence[Constraint]) -> None:
    for positions in components_of(space, constraints):
        cells = prod(space.attributes[place].size for place in positions)
        if cells * len(space.impossible) > MAX_LOOKS:
            classes_of(space, constraints, positions)
        if next(possible_cells(space, positions), None) is None:
            what = "leaves no possible combination of levels"
            mark = space.mark
            remedy = "correct dataspace.impossible or the nesting"
            raise RefusedError(Refusal(what, remedy, "dataspace", mark.line, mark.column))


def _theorem_16(release: Release, space: TableSpace) -> bool:
    """Return whether Theorem 16 applies: margins of product cells under hamming (E7)."""
    return (
        has_places(release.adjacency.metric)
        and space.product_cells
        and all(is_margin(constraint) for constraint in constraints_of(release.invariants))
    )


def _universe(
    release: Release,
    space: TableSpace,
    covering: Parameter,
    definition_13: Parameter,
    remark_14: tuple[int | None, int | None],
    disclosed: Disclosed,
    *,
    restricts: bool,
    bound: int | None = None,
) -> Universe:
    adjacency = release.adjacency
    for reading in (covering, definition_13):
        check_table(release, space, reading)
        witness = reading.witness
        known = release.published is not None and disclosed.table_is_public is None
        if known and witness is not None and witness.start != witness.end:
            disclosed = replace(disclosed, table_is_public=False)
    return Universe(
        SemiAdjacency(
            adjacency.metric, adjacency.reading, covering, definition_13, bound, *remark_14
        ),
        disclosed,
        restricts=restricts,
        whole=not restricts,
        metric_is_adjacency_metric=not compares_sizes(adjacency.metric) or space.size is None,
        linear=all(map(is_linear, publishing_constraints(constraints_of(release.invariants)))),
        farthest=0 if covering.upper == 0 and not restricts else None,
        one_size=size_of(release, space)[1],
    )


def _without_attributes(release: Release, space: TableSpace) -> Universe:
    """Make the universe of records that the spec does not describe: any one of them can change."""
    known, definition_13, restricts = unspecified(release, space)
    return _universe(
        release, space, known, definition_13, (None, None), Disclosed(), restricts=restricts
    )


def _free_size(release: Release, space: TableSpace, limits: Limits, spelled: Release) -> Universe:
    positions = tuple(range(len(space.attributes)))
    sizes = [attribute.size for attribute in space.attributes]
    first = next(possible_cells(space, positions), None)
    witness, step = None, 0
    if first is not None:
        from semiaudit.universe.distance.integer_programs import label

        cell = label(space, levels_of(first, sizes))
        witness, step = Witness(None, cell, 1, (), ((cell, 1),)), 1
    known = Parameter(step, step, "closed_form", closed_form.COVERING, witness)
    definition_13 = Parameter(step, step, "closed_form", closed_form.DEFINITION_13, witness)
    ends = (1, 1) if step else (None, None)
    disclosed = Disclosed()
    if spelled.invariants and spelled.published is not None:
        disclosed = _unconstrained(release, space, limits, spelled)
    return _universe(release, space, known, definition_13, ends, disclosed, restricts=False)


def _unconstrained(
    release: Release, space: TableSpace, limits: Limits, spelled: Release
) -> Disclosed:
    components = [classes_of(space, (), positions) for positions in components_of(space, ())]
    system = build_system(space, release, components, None)
    if system is None:
        return Disclosed()
    ends: list[tuple[int, int | None]] = [(0, None)] * system.classes
    return disclosure.of_system(spelled, space, system, components, None, limits, ends)


def _closed_form(release: Release, table: GroupedTable, spelled: Release) -> Universe:
    space = table.space
    bound = closed_form.theorem_16_bound(table) if _theorem_16(release, space) else None
    known = closed_form.disclosed(table)
    if table.counts_given:
        known = disclosure.of_groups(spelled, table, known)
    return _universe(
        release,
        space,
        closed_form.covering(table),
        closed_form.definition_13(table),
        closed_form.remark_14(table),
        known,
        restricts=any(group.able > 1 for group in table.groups),
        bound=bound,
    )


def _general(
    release: Release,
    space: TableSpace,
    size: int | None,
    table: GroupedTable | None,
    limits: Limits,
    spelled: Release,
) -> Universe:
    """Analyze a table by listing or programs.

    Args:
        size: the number of records if all datasets of D_t have it; else None.
        table: it as a product of features, or None; then the metric ignores the order of records.
        spelled: the release as the spec has it.
    """
    from semiaudit.universe.distance.integer_programs import (
        COVERING,
        DEFINITION_13,
        general,
        parameter,
    )

    constraints = constraints_of(release.invariants)
    components = [
        classes_of(space, constraints, positions) for positions in components_of(space, constraints)
    ]
    metric = release.adjacency.metric
    restricts = any(len(part.members) > 1 for part in components)
    if compares_sizes(metric):
        # D has several sizes, so even a row over one class restricts it: the row fixes the size.
        restricts |= any(row for part in components for _, row in part.rows if any(row))
        restricts |= size is not None and space.size is None
    system = build_system(space, release, components, size)
    most = relaxed_end(release, space)
    # For a product of features, the proof in ``closed_form.most_changes`` bounds covering a(t), for
    # this t or, without t, for every t.
    if table is not None:
        most = closed_form.most_changes(table, metric)
    suprema = closed_form.supremum(table, metric) if table is not None else None
    fewer = _fewer_levels(release, space)
    if fewer is not None and most is not None and suprema is None:
        # Every t of the table with fewer levels is a t of this one. Its margins count no record at
        # the further levels of a published attribute; further levels of another attribute bring no
        # dataset closer. So a lower bound for that table is a lower bound here.
        reduced = replace(release, dataspace=fewer)
        small = table_universe(reduced, fewer, limits).semi_adjacency
        suprema = (
            replace(small.covering, upper=most, trivial=False),
            replace(small.definition_13, upper=most, trivial=False),
        )
    # A list of all tables is exact, so a bound from the structure is the result only where no list
    # is possible.
    if system is None or (suprema is not None and tables_of(split(system)) is None):
        known = suprema or _open(metric, size, most)
        disclosed = Disclosed() if table is None else closed_form.disclosed(table)
        return _universe(release, space, *known, (None, None), disclosed, restricts=restricts)
    # Without places, a record that moves inside its class makes another table: split classes show
    # it. Cut-off counts make D_t finite and keep a(t) (docs/theory/semi-adjacency.md, Open counts).
    separate = system if has_places(metric) else capped(split(system))
    try:
        readings, listed = general(separate, metric, limits, most, release.adjacency.reading)
    except NoTableError:
        raise RefusedError(contradiction(release)) from None
    # The disclosures of t refer to the classes themselves, which are not split.
    if system.values is not None and separate is not system:
        tables = tables_of(capped(system))
        listed = None if tables is None else (tuple(tables),)
    return _universe(
        release,
        space,
        parameter(separate, space, readings.covering, readings.method, COVERING, metric),
        parameter(separate, space, readings.definition_13, readings.method, DEFINITION_13, metric),
        (readings.a_min, readings.a_maxmin),
        disclosure.of_system(spelled, space, system, components, listed, limits),
        restricts=restricts,
    )


def _fewer_levels(release: Release, space: TableSpace) -> TableSpace | None:
    """Without t and under margins only, return the dataspace with at most two levels per attribute.

    If the size is open too, a small size is used: the supremum is over all sizes.
    """
    margins = all(is_margin(constraint) for constraint in constraints_of(release.invariants))
    if release.published is not None or not margins or not space.product_cells:
        return None
    if space.cells <= FEW_CELLS or all(a.size <= 2 for a in space.attributes):
        return None
    attributes = tuple(
        replace(a, levels=min(a.levels, 2) if isinstance(a.levels, int) else a.levels[:2])
        for a in space.attributes
    )
    size = space.size or 2 * len(release.invariants) + 2
    return replace(space, size=size, attributes=attributes)


def _open(metric: Metric, size: int | None, most: int | None) -> tuple[Parameter, Parameter]:
    """Return an open result: a(t) is at most the proven upper bound, else n, else unbounded."""
    trivial = most is None and size is not None
    if most is None and size is not None:
        most = size * per_record(metric)
    known = Parameter(0, most, "none", TOO_MANY, None, trivial)
    return known, known
