"""What designs are made from: how a query moves inside D_t, and in which subspace.

Nothing here is trusted with a guarantee: every design is audited afterwards. So ranks may be found
in floating point, and what is too large is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm

import numpy as np

from semiaudit.mechanisms.designs.draft import Facts, Floats, Subspace, Whole
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.frameworks import FRAMEWORKS, FrameworkName
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import Constraint, SameSize, is_linear, is_published
from semiaudit.model.query import Query, width
from semiaudit.universe.sensitivity.answers import Answers, Records
from semiaudit.universe.sensitivity.projection import rows_of
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.system.components import cell_of

MAX_CELLS = 1_500
"""Tables of up to so many cells are looked at cell by cell."""

MAX_VECTORS = 20_000
"""Moves of a query that are taken one by one, at most."""

MAX_COORDINATES = 1_500
"""Of an answer whose subspaces are found."""

MAX_ENTRY = 1 << 30
"""Of a whole basis: larger numbers are not kept."""


def facts_of(
    release: Release,
    spaces: SensitivitySpaces,
    query: Query,
    framework: FrameworkName,
    distance: int,
) -> Facts:
    """What is known of a query of a release.

    Args:
        distance: of semi-adjacency, 1 or more.

    Raises:
        RefusedError: the dataspace has no table over attributes, or t contradicts itself.
    """
    space = release.dataspace
    unit, moved = spaces.everywhere(query, 1), spaces.within(query, distance)
    if not isinstance(space, TableSpace):
        raise TypeError("a query is over a table")
    coordinates = width(query, space)
    small = space.cells <= MAX_CELLS and coordinates <= MAX_COORDINATES
    columns = _columns(space, query, coordinates) if small else None
    vectors = None
    if coordinates <= MAX_COORDINATES:
        vectors = _listed(spaces, query, distance, coordinates, space)
    if vectors is None and columns is not None and _only_sizes(release):
        vectors = _differences(columns, distance)
    return Facts(
        framework=framework,
        coordinates=coordinates,
        steps=distance if FRAMEWORKS[framework].up_to_a_t else 1,
        unit=unit,
        moved=moved,
        span=None if vectors is None else _independent(vectors),
        null=None if columns is None else _null_space(release, space, columns),
        vectors=vectors,
    )


def _columns(space: TableSpace, query: Query, coordinates: int) -> Whole:
    """What each possible cell adds to the answer: cells x coordinates."""
    answers, records = Answers(space, query), Records(space)
    start = _starts(answers)
    cells = list(records.some(records.components))
    found = np.zeros((len(cells), coordinates), dtype=np.int64)
    for row, levels in enumerate(cells):
        for (block, place), value in answers.column(levels):
            found[row, start[block] + place] = value
    return found


def _starts(answers: Answers) -> list[int]:
    """Where the coordinates of every margin, and of the matrix behind them, begin."""
    sizes = [int(np.prod([answers.sizes[p] for p in places])) for places in answers.margins]
    return [sum(sizes[:at]) for at in range(len(sizes) + 1)]


def _listed(
    spaces: SensitivitySpaces, query: Query, distance: int, coordinates: int, space: TableSpace
) -> Whole | None:
    """The elements of S_Semi, one of each pair of opposite signs, where they are listed."""
    number = spaces.within(query, distance).elements
    if number is None or number > 2 * MAX_VECTORS:
        return None
    elements = spaces.elements_of(query, distance, number)
    if elements is None:
        return None
    start = _starts(Answers(space, query))
    places = [start[block] + place for block, place in elements.coordinates]
    vectors = np.array(elements.vectors, dtype=np.int64).reshape(-1, len(places))
    kept = [row for row in vectors if row.any() and row[np.flatnonzero(row)[0]] > 0]
    found = np.zeros((len(kept), coordinates), dtype=np.int64)
    if kept:
        found[:, places] = np.array(kept)
    return found


def _only_sizes(release: Release) -> bool:
    """Whether D_t holds every dataset of its size."""
    return all(isinstance(c, SameSize) for c in constraints_of(release.invariants))


def _differences(columns: Whole, distance: int) -> Whole | None:
    """The corners of what the query moves by where every table is possible."""
    distinct = np.unique(columns, axis=0)
    if len(distinct) * (len(distinct) - 1) // 2 > MAX_VECTORS:
        return None
    first, second = np.triu_indices(len(distinct), 1)
    return np.asarray(distance * (distinct[first] - distinct[second]))


def _independent(vectors: Whole) -> Subspace:
    """As many of the rows as are independent, by a factorisation with pivots."""
    if not vectors.size or not vectors.any():
        return Subspace(())
    from scipy.linalg import qr

    wide: Floats = vectors.astype(float)
    triangle, order = qr(wide.T, mode="r", pivoting=True)
    sizes = np.abs(np.diag(triangle))
    rank = int((sizes > sizes[0] * max(wide.shape) * np.finfo(float).eps * 10).sum())
    chosen = sorted(int(at) for at in order[:rank])
    return Subspace(tuple(tuple(int(k) for k in vectors[at]) for at in chosen))


def _null_space(release: Release, space: TableSpace, columns: Whole) -> Subspace | None:
    """Where the answer can move while the invariants hold; None where T is not C phi."""
    constraints = constraints_of(release.invariants)
    if not all(is_published(c) and is_linear(c) for c in constraints):
        return None
    rows = _told(space, constraints)
    stacked = np.concatenate([columns, rows], axis=1).astype(float)
    rank = np.linalg.matrix_rank
    if len(constraints) and rank(stacked) > rank(columns.astype(float)):
        return None
    kernel = _kernel(rows)
    if kernel is None:
        return None
    moved = kernel @ columns
    return None if np.abs(moved).max(initial=0) > MAX_ENTRY else _independent(moved)


def _told(space: TableSpace, constraints: Sequence[Constraint]) -> Whole:
    """What each possible cell adds to the published values: cells x values."""
    records = Records(space)
    sizes = tuple(attribute.size for attribute in space.attributes)
    possible = records.some(records.components)
    place = {cell_of(levels, sizes): at for at, levels in enumerate(possible)}
    told = rows_of(space, constraints)
    found = np.zeros((len(place), len(told)), dtype=np.int64)
    for value, row in enumerate(told):
        for cell, k in row.items():
            if cell in place:
                found[place[cell], value] = k
    return found


def _kernel(rows: Whole) -> Whole | None:
    """Whole vectors over the cells that span those with which no published value changes."""
    pivots: dict[int, dict[int, Fraction]] = {}
    cells = len(rows)
    for value in rows.T:
        left = {int(c): Fraction(int(value[c])) for c in np.flatnonzero(value)}
        left = _reduced(left, pivots)
        if not left:
            continue
        pivot = min(left)
        scaled = {c: k / left[pivot] for c, k in left.items()}
        for other, row in pivots.items():
            pivots[other] = _less(row, row.get(pivot, Fraction(0)), scaled)
        pivots[pivot] = scaled
    found = []
    for free in range(cells):
        if free in pivots:
            continue
        vector = {free: Fraction(1)}
        vector |= {pivot: -row[free] for pivot, row in pivots.items() if free in row}
        common = lcm(*(k.denominator for k in vector.values()))
        whole = {c: int(k * common) for c, k in vector.items()}
        if max(map(abs, whole.values())) > MAX_ENTRY:
            return None
        found.append(whole)
    dense = np.zeros((len(found), cells), dtype=np.int64)
    for at, whole in enumerate(found):
        for c, k in whole.items():
            dense[at, c] = k
    return dense


def _reduced(
    row: dict[int, Fraction], pivots: dict[int, dict[int, Fraction]]
) -> dict[int, Fraction]:
    """A row without what the pivots' rows hold of it."""
    for pivot in _common(row, pivots):
        row = _less(row, row[pivot], pivots[pivot])
    return row


def _common(row: dict[int, Fraction], pivots: Iterable[int]) -> list[int]:
    return [pivot for pivot in pivots if pivot in row]


def _less(
    row: dict[int, Fraction], factor: Fraction, other: dict[int, Fraction]
) -> dict[int, Fraction]:
    if not factor:
        return row
    found = dict(row)
    for c, k in other.items():
        changed = found.get(c, Fraction(0)) - factor * k
        if changed:
            found[c] = changed
        else:
            found.pop(c, None)
    return found
