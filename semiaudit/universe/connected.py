"""Whether D_t is connected at a distance: short steps link any two of its tables (E9)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from semiaudit import deadline
from semiaudit.errors import RefusedError
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.audit import size_of
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.universe.explicit import explicit_connected
from semiaudit.universe.method import ALL_THREE, require_metric
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.system.classes_of_cells import Table, capped
from semiaudit.universe.system.decomposable import junction_tree
from semiaudit.universe.system.grouped_table import grouped_table
from semiaudit.universe.system.listing import tables_of
from semiaudit.universe.system.plain_system import PlainSystem, is_manageable

MAX_CLASSES = 64
"""Tables over more classes than this are not listed."""

MAX_PAIRS = 400_000
"""The most pairs of tables that are compared one by one in Python."""


def connected(spaces: SensitivitySpaces, distance: int) -> bool | None:
    """Return whether the graph on the tables of D_t, with edges up to a distance, is connected.

    Without t, the result is for every t. There is a closed form if the invariants are margins
    without a cycle, or fix the counts of features that do not overlap: exchanges between two
    records link any two tables (Dobra 2003, Theorem 4.2: decomposable margins have a Markov basis
    of such moves; Diaconis and Sturmfels 1998 for two features). A record moves freely between
    cells that no invariant distinguishes. Otherwise, D_t is listed. In an explicit dataspace, the
    graph is on the datasets, not on their tables.

    Args:
        spaces: of a release, with its system over classes of cells.
        distance: under the release's metric; under ``hamming``, steps of 2 or more also exchange
            the order.

    Returns:
        None if unknown.

    Raises:
        RefusedError: nothing is proven for the metric.
    """
    release, space = spaces.release, spaces.release.dataspace
    if not isinstance(space, TableSpace):
        return explicit_connected(release, space, distance)
    if not space.attributes:
        return None
    require_metric(release.adjacency, ALL_THREE)
    symmetric = compares_sizes(release.adjacency.metric)
    size, fixed = size_of(release, space)
    # Under ``symmetric_difference`` one record that becomes another one is a step of 2.
    records = distance // 2 if symmetric else distance
    if records >= 2 and junction_tree(release, space) is not None:
        # Exchanges between two records are moves of two records, and link all tables (Dobra).
        # Nested levels and structural zeros inside one margin are counts of 0 of that margin.
        return True
    if fixed and records >= 1 and is_manageable(space, constraints_of(release.invariants)):
        try:
            table = grouped_table(release, space, size, size_fixed=True)
        except RefusedError:
            return None
        if table is not None:
            features = sum(group.able > 1 for group in table.groups)
            if records >= 2 or features <= 1:
                # As above; and if at most one feature varies, tables with the same counts of its
                # classes differ by records that move inside their class, one at a time.
                return True
    # Without a theorem, only the list of all tables decides. A structure that no theorem covers is
    # not a "no".
    plain = spaces.plain_system(size)
    if plain is None or plain.system.classes > MAX_CLASSES:
        return None
    return _listed(plain, distance, symmetric=symmetric)


def _listed(plain: PlainSystem, distance: int, *, symmetric: bool) -> bool | None:
    """None if there are too many tables, or if no list decides it."""
    system = plain.system
    if symmetric and distance < 2 and any(number > 1 for number in system.multiplicity):
        return None

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
    """Return whether steps that change counts by at most ``most`` in total reach every table."""
    unseen, waiting = set(tables[1:]), list(tables[:1])
    while waiting and unseen:
        deadline.check()
        table = waiting.pop()
        neighbors = {
            other
            for other in unseen
            if sum(abs(a - b) for a, b in zip(table, other, strict=True)) <= most
        }
        unseen -= neighbors
        waiting.extend(neighbors)
    # Every table that a step reaches was added once: no sequence of steps reaches the others.
    return not unseen
