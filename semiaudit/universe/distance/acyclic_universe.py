"""The universe of a table whose margins form no cycle, with given counts: a(t) and disclosure."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from math import prod

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric, compares_sizes, has_places
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameMargin
from semiaudit.model.semi_adjacency import Disclosed, Parameter
from semiaudit.numeric.limits import Limits
from semiaudit.universe import disclosure
from semiaudit.universe.distance.acyclic_margins import covering, definition_13, remark_14
from semiaudit.universe.distance.closed_form import MOST_CELLS
from semiaudit.universe.distance.integer_programs import (
    COVERING,
    DEFINITION_13,
    LISTING_SHARE,
    listed,
    parameter,
)
from semiaudit.universe.system.classes_of_cells import System, build_system, split
from semiaudit.universe.system.closure_counts import projected
from semiaudit.universe.system.components import (
    Classes,
    Places,
    classes_of,
    components_of,
    places_of,
    possible_cells,
    speaks_of,
)
from semiaudit.universe.system.decomposable import JunctionTree, closure
from semiaudit.universe.system.decomposed import Decomposed, decomposed

MOST_CELLS_LOOKED_AT = 20_000
"""Components with up to this many cells are sorted into classes in Python, to be listed and for
what t discloses."""

MOST_COEFFICIENTS = 1_000_000
"""The most cells times rows of the margins, for the same purpose."""


@dataclass(frozen=True, slots=True)
class Proven:
    """The results that the junction tree proves.

    Attributes:
        covering, definition_13: the two definitions of a(t).
        remark_14: a_min and a_maxmin.
        restricts: as in ``Universe``.
    """

    covering: Parameter
    definition_13: Parameter
    remark_14: tuple[int | None, int | None]
    disclosed: Disclosed
    restricts: bool


def acyclic_universe(
    release: Release, tree: JunctionTree, spelled: Release | None = None
) -> Proven | None:
    """Return the results for overlapping margins with a junction tree; None for an empty table.

    Margins that do not overlap have a tighter closed form.

    Args:
        spelled: the release as the spec has it; None if it is the same.

    Raises:
        RefusedError: t contradicts itself or a public bound.
    """
    space = tree.space
    d = decomposed(release, tree)
    if not d.size:
        return None
    metric = release.adjacency.metric
    covers = covering(d, metric)
    printed = definition_13(d, metric, covers.upper or 0)
    if printed.lower > covers.lower:
        # definition_13 is at most covering a(t); its pair need not be a pair for covering.
        covers = replace(covers, lower=printed.lower, witness=None)
    components = components_of(space, constraints_of(release.invariants))
    disclosed = _disclosed(d)
    if _is_small(release, space, components):
        constraints = constraints_of(release.invariants)
        parts = [classes_of(space, constraints, places) for places in components]
        system = build_system(space, release, parts, d.size)
        if system is not None:
            disclosed = _of_classes(spelled or release, d, system, parts)
        if system is not None and not all(r.lower == r.upper for r in (covers, printed)):
            covers, printed = _listed(space, system, metric) or (covers, printed)
    restricts = compares_sizes(metric) or _restricts(release, space)
    return Proven(covers, printed, remark_14(d, metric), disclosed, restricts)


def _is_small(release: Release, space: TableSpace, components: Sequence[Places]) -> bool:
    constraints = constraints_of(release.invariants)
    for places in components:
        if prod(space.attributes[place].size for place in places) > MOST_CELLS_LOOKED_AT:
            return False
        rows = sum(
            prod(space.attributes[place].size for place in places_of(space, constraint))
            for constraint in constraints
            if speaks_of(space, constraint, places)
        )
        if rows * sum(1 for _ in possible_cells(space, places)) > MOST_COEFFICIENTS:
            return False
    return True


def _listed(
    space: TableSpace, system: System, metric: Metric
) -> tuple[Parameter, Parameter] | None:
    system = system if has_places(metric) else split(system)
    listing = None
    with suppress(OutOfTimeError), deadline.part(LISTING_SHARE):
        listing = listed(system, metric)
    if listing is None:
        return None
    return (
        parameter(system, space, listing.covering, listing.method, COVERING, metric),
        parameter(system, space, listing.definition_13, listing.method, DEFINITION_13, metric),
    )


def _restricts(release: Release, space: TableSpace) -> bool:
    margins = (c for c in constraints_of(release.invariants) if isinstance(c, SameMargin))
    closures = (tuple(sorted(closure(space, places_of(space, c)))) for c in margins)
    return any(len(list(islice(possible_cells(space, places), 2))) > 1 for places in closures)


def _disclosed(d: Decomposed) -> Disclosed:
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


def _of_classes(release: Release, d: Decomposed, system: System, parts: list[Classes]) -> Disclosed:
    """Return what t discloses, from the range of every class.

    The ranges are the bounds that decomposable margins attain.

    Source: Dobra and Fienberg 2000: the least of the margins' counts, and their sum less the
    separators' counts, or 0.
    """
    nodes = d.tree.nodes
    sums = [projected(d.counts[k], node.separator) for k, node in enumerate(nodes)]
    ends = []
    for cells in system.cells:
        counts, shared = [], 0
        for k, node in enumerate(nodes):
            cell = tuple([cells[0][place] for place in node.places])
            counts.append(d.counts[k].get(cell, 0))
            if node.parent >= 0:
                shared += sums[k][tuple([cell[place] for place in node.separator])]
        ends.append((max(0, sum(counts) - shared), min(counts)))
    return disclosure.of_system(release, d.space, system, parts, None, Limits(0.0), ends)
