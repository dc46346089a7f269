"""Whether steps of up to a distance lead from every table of D_t to every other (erratum E9)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.errors import RefusedError
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.published_invariants import size_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.system.decomposable import junction_tree
from semiaudit.universe.system.grouped_table import grouped_table

if TYPE_CHECKING:
    from semiaudit.universe.system.classes_of_cells import Table
    from semiaudit.universe.system.plain_system import PlainSystem

MAX_CLASSES = 64
"""Tables over more classes than this are not listed."""

MAX_PAIRS = 400_000
"""Pairs of tables that are compared, one by one in Python."""


def connected(spaces: SensitivitySpaces, distance: int) -> bool | None:
    """Whether the graph on the tables of D_t, with edges up to a distance, is connected.

    Without t: whether it is for every t. In closed form where the invariants are margins without
    a cycle, or fix the counts of features that do not overlap: exchanges between two records lead
    from every table to every other (Dobra 2003, Theorem 4.2: decomposable margins have a Markov
    basis of such moves; Diaconis and Sturmfels 1998 for two features). A record moves freely
    between cells that no invariant tells apart. Otherwise by listing D_t. Of an explicit
    dataspace the datasets are joined, not their tables.

    Args:
        spaces: of a release, whose system over classes of cells they hold.
        distance: under the release's metric; under ``hamming`` orders are exchanged from 2 on.

    Returns:
        None if it is not known.
    """
    release, space = spaces.release, spaces.release.dataspace
    if not isinstance(space, TableSpace):
        from semiaudit.universe.explicit.steps import explicit_connected  # loads numpy

        return explicit_connected(release, space, distance)
    if not space.attributes:
        return None
    symmetric = compares_sizes(release.adjacency.metric)
    size, fixed = size_of(release, space)
    records = distance // 2 if symmetric else distance
    if records >= 2 and _decomposable(release, space):
        # Exchanges between two records are moves of two records, and lead everywhere (Dobra).
        return True
    from semiaudit.universe.system.plain_system import is_manageable

    if fixed and records >= 1 and is_manageable(space, constraints_of(release.invariants)):
        try:
            table = grouped_table(release, space, size, size_fixed=True)
        except RefusedError:
            return None
        if table is not None:
            features = sum(group.able > 1 for group in table.groups)
            if records >= 2 or features <= 1:
                # As above; and where one feature varies at most, tables with the same counts of
                # its classes differ by records that move inside their class, one at a time.
                return True
    plain = spaces.plain_system(size)
    if plain is None or plain.system.classes > MAX_CLASSES:
        return None
    return _listed(plain, distance, symmetric=symmetric)


def _decomposable(release: Release, space: TableSpace) -> bool:
    """True for margins that form no cycle, with what is a function of them.

    Nested levels and structural zeros inside one margin are counts of 0 of a margin.
    """
    return junction_tree(release, space) is not None


def _listed(plain: PlainSystem, distance: int, *, symmetric: bool) -> bool | None:
    """Decide connectedness by the list of all tables; None if there are too many, or if no list
    decides it.
    """
    system = plain.system
    if symmetric and distance < 2 and any(number > 1 for number in system.multiplicity):
        return None
    from semiaudit.universe.system.listing import tables_of
    from semiaudit.universe.system.open_counts import capped

    tables = tables_of(capped(system))
    if tables is None:
        return None
    universes: dict[Hashable, list[Table]] = defaultdict(list)
    for table in tables:
        universes[system.invariants(table)].append(table)
    if sum(len(group) ** 2 for group in universes.values()) > MAX_PAIRS:
        return None
    most = distance if symmetric else 2 * distance
    return all(_joined(group, most) for group in universes.values())


def _joined(tables: Sequence[Table], most: int) -> bool:
    """True if steps that change counts by ``most`` in all reach every table."""
    unseen, waiting = set(tables[1:]), list(tables[:1])
    while waiting and unseen:
        deadline.check()
        table = waiting.pop()
        near = {
            other
            for other in unseen
            if sum(abs(a - b) for a, b in zip(table, other, strict=True)) <= most
        }
        unseen -= near
        waiting.extend(near)
    # Every table that a step reaches was taken up once: no sequence of steps reaches the unseen.
    return not unseen
