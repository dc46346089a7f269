"""The disclosures of t alone: forced counts, and record groups with a constant attribute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from semiaudit.model.adjacency import has_places
from semiaudit.model.audit import PublishedCounts, Release
from semiaudit.model.dataspace import Level, TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameMargin
from semiaudit.model.semi_adjacency import Cell, CellRange, Disclosed
from semiaudit.numeric.integer_program import Program
from semiaudit.numeric.limits import Limits
from semiaudit.universe.distance import closed_form
from semiaudit.universe.distance.closed_form import MOST_CELLS, label
from semiaudit.universe.distance.methods import bounded_by_changes
from semiaudit.universe.method import ALL_THREE, require_metric
from semiaudit.universe.problem import TableProblem
from semiaudit.universe.system.classes_of_cells import (
    MAX_COUNT,
    System,
    Table,
    capped,
    cut_offs,
    equations,
    universes_of,
)
from semiaudit.universe.system.closure_counts import projected
from semiaudit.universe.system.components import (
    MAX_COMPONENT_CELLS,
    Classes,
    Places,
    cell_of,
    levels_of,
    places_of,
    possible_cells,
    speaks_of,
)
from semiaudit.universe.system.decomposed import Decomposed
from semiaudit.universe.system.grouped_table import GroupedTable
from semiaudit.universe.system.listing import tables_of
from semiaudit.universe.system.nonnegative_sums import OPEN_END, forms_of, upper_ends

MAX_RANGES = 256
"""A report lists the ranges of at most this many cells; each can take two integer programs."""

RANGE_SHARE = 0.5
"""The part of the remaining time that the ranges can take: other computations follow."""

Range = tuple[int, int | None]
"""(the least count under t, the largest count or None if the count is unbounded)."""


def disclosed_of(problem: TableProblem) -> Disclosed:
    """Return what t alone discloses of a table; without t, what every t discloses.

    Raises:
        RefusedError: nothing is proven for the metric, t contradicts itself, or a component of
            attributes has too many cells.
    """
    require_metric(problem.release.adjacency, ALL_THREE, "what t discloses")
    space = problem.space
    if not space.attributes:
        return Disclosed()
    if problem.is_unconstrained:
        return _unconstrained(problem)
    if not problem.is_given and (not problem.fixed or bounded_by_changes(problem)):
        return Disclosed()  # some t fixes nothing: the sizes are open
    if problem.decomposed is not None:
        return _of_tree(problem, problem.decomposed)
    if not problem.is_given and problem.tree is not None and not problem.is_small:
        return Disclosed()
    table = problem.table
    if table is not None and has_places(problem.metric):
        known = closed_form.disclosed(table)
        return of_groups(problem.spelled, table, known) if table.counts_given else known
    system = problem.system
    # Where the structure answers, it does so only if no list of tables is possible.
    by_structure = not problem.is_given or (
        table is not None and closed_form.number_varying(table) < 2
    )
    if system is None or (by_structure and problem.separate_tables is None):
        return Disclosed() if table is None else closed_form.disclosed(table)
    return of_system(
        problem.spelled, space, system, problem.components, _listed(problem), problem.limits
    )


def _listed(problem: TableProblem) -> Sequence[Sequence[Table]] | None:
    """Return the tables of D_t over classes, which are not split; without t, those of every D_t."""
    if not problem.is_given:
        system, tables = problem.separate, problem.separate_tables
        if system is None or tables is None:
            return None
        return list(universes_of(system, tables).values())
    if has_places(problem.metric):
        tables = problem.tables
    else:
        tables = None if problem.system is None else tables_of(capped(problem.system))
    return None if tables is None else (tables,)


def _unconstrained(problem: TableProblem) -> Disclosed:
    """t is given, but determines nothing: its invariants are the same for all datasets of D."""
    if not problem.spelled.invariants or problem.spelled.published is None:
        return Disclosed()
    space, system = problem.space, problem.system
    if system is None:
        return Disclosed()
    ends: list[Range] = [(0, None)] * system.classes
    return of_system(problem.spelled, space, system, problem.components, None, problem.limits, ends)


def _of_tree(problem: TableProblem, d: Decomposed) -> Disclosed:
    if problem.is_small and problem.system is not None:
        return _of_classes(problem, d, problem.system)
    return of_margins(d)


def of_margins(d: Decomposed) -> Disclosed:
    """Return what margins with a junction tree disclose, without a look at the cells."""
    constant = {}
    for k, node in enumerate(d.tree.nodes):
        for at, place in enumerate(node.places):
            levels = {cell[at] for cell in d.counts[k]}
            if len(levels) == 1:
                attribute = d.space.attributes[place]
                constant[place] = attribute.name, attribute.label(levels.pop())
    for place in d.tree.free:
        attribute = d.space.attributes[place]
        if attribute.size == 1:
            constant[place] = attribute.name, attribute.label(0)
    cells = d.space.cells if d.space.product_cells else None
    return Disclosed(
        table_is_public=d.exchangeable is None and d.several is None,
        constant_attributes=tuple(pair for _, pair in sorted(constant.items())),
        cells=cells if cells is not None and cells <= MOST_CELLS else None,
    )


def _of_classes(problem: TableProblem, d: Decomposed, system: System) -> Disclosed:
    """Return what t discloses, from the range of every class.

    The ranges are the bounds that decomposable margins attain.

    Source: Dobra and Fienberg 2000: the least of the margins' counts, and their sum less the
    separators' counts, or 0.
    """
    nodes = d.tree.nodes
    sums = [projected(d.counts[k], node.separator) for k, node in enumerate(nodes)]
    ends: list[Range] = []
    for cells in system.cells:
        counts, shared = [], 0
        for k, node in enumerate(nodes):
            cell = tuple([cells[0][place] for place in node.places])
            counts.append(d.counts[k].get(cell, 0))
            if node.parent >= 0:
                shared += sums[k][tuple([cell[place] for place in node.separator])]
        ends.append((max(0, sum(counts) - shared), min(counts)))
    return of_system(problem.spelled, d.space, system, problem.components, None, Limits(0.0), ends)


def of_groups(release: Release, table: GroupedTable, known: Disclosed) -> Disclosed:
    """Add ranges and groups with constant attributes to the closed form's result."""
    if not table.counts_given or not table.size:
        return known
    space = table.space
    groups: list[tuple[Cell, str, Level]] = []
    for group in table.groups:
        if group.cells > MAX_COMPONENT_CELLS or group.members == ():
            continue
        cells = [
            cell_of(group.levels_of(c, member), group.sizes)
            for c, _ in group.counts or ()
            for member in range(group.multiplicity(c))
        ]
        groups += _constant_groups(release, space, group.positions, cells)
    ranges = None
    if table.cells <= MAX_RANGES:
        ranges = _product_ranges(space, table)
    constant = {name for name, _ in known.constant_attributes or ()}
    return replace(
        known,
        constant_groups=tuple(item for item in groups if item[1] not in constant),
        ranges=ranges,
    )


def _product_ranges(space: TableSpace, table: GroupedTable) -> tuple[CellRange, ...]:
    """Return the Frechet bounds of every cell; they are attained if the groups do not overlap."""
    size = table.size or 0
    options = []
    for group in table.groups:
        counts = dict(group.counts or ())
        classes = (
            range(len(group.members))
            if group.members
            else range(1 if group.members == () else group.able)
        )
        options.append(
            [
                (group, group.levels_of(c, member), counts.get(c, 0), group.multiplicity(c))
                for c in classes
                for member in range(group.multiplicity(c))
            ]
        )
    ranges: list[CellRange] = []
    for choice in product(*options):
        levels = [0] * len(space.attributes)
        for group, cell, _, _ in choice:
            for place, level in zip(group.positions, cell, strict=True):
                levels[place] = level
        numbers = [count for _, _, count, _ in choice]
        alone = all(several == 1 for _, _, _, several in choice)
        low = max(0, sum(numbers) - (len(numbers) - 1) * size) if alone else 0
        ranges.append((label(space, levels), low, min(numbers)))
    return tuple(ranges)


def of_system(
    release: Release,
    space: TableSpace,
    system: System,
    components: Sequence[Classes],
    tables: Sequence[Sequence[Table]] | None,
    limits: Limits,
    ends: Sequence[Range] | None = None,
) -> Disclosed:
    """Return what t discloses, by listed tables or by two integer programs for every class.

    This is one function because every field of the result comes from the same two lists, ``ends``
    and ``occurring``.

    Args:
        release: the release with the given t.
        space: its table of attributes.
        system: D_t over classes of cells.
        components: the classes of each component, from which ``system`` was built.
        tables: the tables of D_t over the system's classes (without t: those of every D_t), or None
            if they are not listed.
        limits: the limits of the programs.
        ends: the range of every class's count over D_t, if it is known already.
    """
    if system.values is None:
        # Without t only one thing holds for every t: D_t has one table if each listed one is alone
        # and a class is one cell. With several tables or cells, the result depends on t, so it is
        # open.
        single = tables is not None and all(len(universe) == 1 for universe in tables)
        unmixed = all(number == 1 for number in system.multiplicity)
        return Disclosed(table_is_public=True if single and unmixed else None)
    cells = system.zero_cells + sum(system.multiplicity)
    ends = _ends(system, tables, limits) if ends is None else ends
    if ends is None:
        return Disclosed(cells=cells)
    # A class of several cells that contains a record leaves the count of each cell open.
    mixed = [
        high != 0 and several > 1
        for (_, high), several in zip(ends, system.multiplicity, strict=True)
    ]
    fixed = [low == high and not several for (low, high), several in zip(ends, mixed, strict=True)]
    forced = system.zero_cells + sum(
        several for several, known in zip(system.multiplicity, fixed, strict=True) if known
    )
    # ``ends`` are attained. So a class with ``high`` 0 is empty in all of D_t, and any other one
    # has a record in some table, in any of its cells: a level is constant only if all these cells
    # share it.
    occurring = [
        sorted({c[at] for c, (_, high) in zip(system.choices, ends, strict=True) if high != 0})
        for at in range(len(components))
    ]
    constant: list[tuple[int, str, Level]] = []
    groups: list[tuple[Cell, str, Level]] = []
    for part, classes in zip(components, occurring, strict=True):
        occurring_cells = [cell for c in classes for cell in part.members[c]]
        for at, place in enumerate(part.positions):
            levels = {levels_of(cell, part.sizes)[at] for cell in occurring_cells}
            attribute = space.attributes[place]
            if len(levels) == 1 < attribute.size:
                constant.append((place, attribute.name, attribute.label(levels.pop())))
        groups += _constant_groups(release, space, part.positions, occurring_cells)
    names = {name for _, name, _ in constant}
    return Disclosed(
        table_is_public=all(fixed),
        constant_attributes=tuple(
            (name, level) for _, name, level in sorted(constant, key=lambda item: item[0])
        ),
        forced_cells=forced,
        cells=cells,
        constant_groups=tuple(item for item in groups if item[1] not in names),
        ranges=_ranges(space, system, components, ends) if cells <= MAX_RANGES else None,
    )


def _ends(
    system: System, tables: Sequence[Sequence[Table]] | None, limits: Limits
) -> list[Range] | None:
    finite = capped(system)
    unbounded = cut_offs(system)
    if tables is not None:
        spans = [(min(column), max(column)) for column in zip(*tables[0], strict=True)]
        return [(low, None if c in unbounded else high) for c, (low, high) in enumerate(spans)]
    ends = upper_ends(finite, OPEN_END if finite.size is None else finite.size)
    if system.classes > MAX_RANGES or max(ends, default=0) >= MAX_COUNT:
        return None
    part = limits.share(RANGE_SHARE)
    # The counts of all tables that programs found: a count of 0 is a minimum, and a count at the
    # known upper bound is a maximum, so no program is needed for them.
    least, most = list(ends), [0] * system.classes
    listed: list[Range] = []
    for c in range(system.classes):
        for sign, is_known in ((1, least[c] == 0), (-1, c in unbounded or most[c] == ends[c])):
            table = None if is_known else _extreme(finite, ends, c, sign, part)
            if table is None and not is_known:
                return None
            for place, count in enumerate(table or ()):
                least[place], most[place] = min(least[place], count), max(most[place], count)
        listed.append((least[c], None if c in unbounded else most[c]))
    return listed


def _extreme(
    system: System, ends: Sequence[int], c: int, sign: int, limits: Limits
) -> Table | None:
    """Return a table with the least (1) or largest (-1) count of a class, if proven."""
    program = Program()
    counts = [program.variable(0, end, sign if place == c else 0) for place, end in enumerate(ends)]
    for row, value in equations(system):
        program.row({counts[place]: k for place, k in row}, value, value)
    for form in forms_of(system, ends)[system.classes :]:
        program.row({counts[place]: k for place, k in form.sum}, -form.constant, None)
    answer = program.solve(limits)
    # Attained by a table in exact integers, and proven to be the bound.
    if answer.status != "solved" or answer.values is None or answer.proven != answer.cost:
        return None
    return answer.values


def _ranges(
    space: TableSpace, system: System, components: Sequence[Classes], ends: Sequence[Range]
) -> tuple[CellRange, ...]:
    range_of: dict[tuple[int, ...], Range] = {}
    options = [range(len(part.members)) for part in components]
    known = dict(zip(system.choices, ends, strict=True))
    for choice in product(*options):
        low, high = known.get(tuple(choice), (0, 0))
        members = [part.members[c] for part, c in zip(components, choice, strict=True)]
        if prod(map(len, members)) > 1:
            low = 0
        for cells in product(*members):
            levels = [0] * len(space.attributes)
            for part, cell in zip(components, cells, strict=True):
                for place, level in zip(part.positions, levels_of(cell, part.sizes), strict=True):
                    levels[place] = level
            range_of[tuple(levels)] = (low, high)
    return tuple((label(space, levels), *range_of[levels]) for levels in sorted(range_of))


def _constant_groups(
    release: Release, space: TableSpace, positions: Places, occurring: Sequence[int]
) -> list[tuple[Cell, str, Level]]:
    """Return groups with a constant attribute; those of ``occurring`` can have a record under t."""
    published = release.published
    margins = [
        places_of(space, constraint)
        for constraint in constraints_of(release.invariants)
        if isinstance(constraint, SameMargin) and speaks_of(space, constraint, positions)
    ]
    if not margins or not isinstance(published, PublishedCounts):
        return []
    sizes = [space.attributes[place].size for place in positions]
    now = [levels_of(cell, sizes) for cell in occurring]
    possible = [levels_of(cell, sizes) for cell in possible_cells(space, positions)]
    groups: dict[tuple[Cell, str, Level], None] = {}
    for margin in margins:
        places = [positions.index(place) for place in margin]
        for at in range(len(positions)):
            others = [place for place in places if place != at]
            if not others:
                continue
            before, after = _levels_by(possible, others, at), _levels_by(now, others, at)
            for who, levels in sorted(after.items()):
                if len(levels) > 1 or len(before[who]) == 1:
                    continue
                names = [space.attributes[positions[place]] for place in others]
                labelled: Callable[[int], Level] = space.attributes[positions[at]].label
                key = tuple(
                    f"{attribute.name} {attribute.label(level)}"
                    for attribute, level in zip(names, who, strict=True)
                )
                name = space.attributes[positions[at]].name
                groups[(key, name, labelled(min(levels)))] = None
    return list(groups)


def _levels_by(
    cells: Sequence[tuple[int, ...]], others: Sequence[int], at: int
) -> dict[tuple[int, ...], set[int]]:
    """Map levels of the attributes ``others`` to those that occur with them at the index ``at``."""
    levels_by_others: dict[tuple[int, ...], set[int]] = {}
    for levels in cells:
        levels_by_others.setdefault(tuple(levels[place] for place in others), set()).add(levels[at])
    return levels_by_others
