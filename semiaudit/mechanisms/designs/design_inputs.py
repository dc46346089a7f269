"""The inputs of designs: how a query changes inside D_t, and in which subspace.

No guarantee depends on this module, because every design is audited afterwards. So ranks are
computed in floating point, and inputs that are too large are omitted.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np

from semiaudit.mechanisms.designs.design_draft import Facts, Floats, Subspace, Whole
from semiaudit.mechanisms.sampling.hulls.hull_samplers import hull_noise_of
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.frameworks import FRAMEWORKS, FrameworkName
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameSize
from semiaudit.model.mechanism import KNorm
from semiaudit.model.query import Query, width
from semiaudit.universe.sensitivity.answer_null_space import AnswerNullSpace
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

MAX_VECTORS = 20_000
"""The most changes of a query that are processed one by one."""

MAX_COORDINATES = 200
"""The most coordinates of an answer whose null space gets a basis, in fractions."""

MAX_ENTRY = 1 << 50
"""The largest entry of an integer basis."""


def facts_of(
    spaces: SensitivitySpaces, query: Query, framework: FrameworkName, distance: int
) -> Facts:
    """Return what is known of a query of a release.

    Args:
        distance: of semi-adjacency, 1 or more.

    Raises:
        RefusedError: the dataspace has no table over attributes, or t contradicts itself.
    """
    coordinates = width(query, spaces.table)
    vectors = _moves(spaces, query, distance)
    hull = KNorm(Fraction(1), query=query, norm="hull", hull_of="D_t", made_for=distance)
    small = coordinates <= MAX_COORDINATES
    null = _null_space(spaces, query) if small else None
    sized = _sized(spaces, query, null)
    return Facts(
        framework=framework,
        coordinates=coordinates,
        steps=distance if FRAMEWORKS[framework].up_to_a_t else 1,
        unit=spaces.everywhere(query, 1),
        moved=spaces.within(query, distance),
        span=None if vectors is None else Subspace(_independent(vectors)),
        enclosing=_enclosing(spaces, query) if vectors is None and small else None,
        null=null,
        sized=sized,
        sized_step=_longest_step(spaces, query, sized),
        vectors=vectors,
        hull_noise=lambda: hull_noise_of(hull, query, spaces),
    )


def _moves(spaces: SensitivitySpaces, query: Query, distance: int) -> Whole | None:
    """Return the elements of S_Semi up to sign, or vectors with the same hull.

    None if they are not listed.
    """
    changes = spaces.subspaces.changes(query, distance)
    vectors = None if changes is None else changes.vectors
    if vectors is None and _only_sizes(spaces):
        steps = spaces.subspaces.steps(query)
        if steps is not None:
            vectors = tuple(tuple(distance * k for k in step) for step in steps)
    if vectors is None or len(vectors) > MAX_VECTORS:
        return None
    moves = np.array(vectors, dtype=np.int64).reshape(len(vectors), width(query, spaces.table))
    return moves[moves.any(axis=1)]


def _only_sizes(spaces: SensitivitySpaces) -> bool:
    return all(isinstance(c, SameSize) for c in constraints_of(spaces.release.invariants))


def _null_space(spaces: SensitivitySpaces, query: Query) -> Subspace | None:
    """Return the null space of the invariants among the answers; None if T is not C phi.

    It is spanned by the projections of the coordinates on it, each scaled to integers.
    """
    return _subspace_of(spaces.subspaces.null_space(query))


def _enclosing(spaces: SensitivitySpaces, query: Query) -> Subspace | None:
    return _subspace_of(spaces.subspaces.enclosing(query))


def _sized(
    spaces: SensitivitySpaces, query: Query, null: Subspace | None
) -> AnswerNullSpace | None:
    """Return null([C; 1']), if the size is known and the rows of C do not determine it."""
    pairs = not compares_sizes(spaces.release.adjacency.metric)
    if null is None or spaces.table.size is None or not pairs:
        return None
    sized = spaces.subspaces.enclosing(query)
    if sized is None or not sized.projects or sized.dimension == null.rank:
        return None
    return sized


def _longest_step(
    spaces: SensitivitySpaces, query: Query, sized: AnswerNullSpace | None
) -> Fraction | None:
    steps = None if sized is None else spaces.subspaces.steps(query)
    if sized is None or steps is None:
        return None
    squares = (sum(k * k for k in sized.project(step)) for step in steps)
    return max(squares, default=None) or None


def _subspace_of(null: AnswerNullSpace | None) -> Subspace | None:
    if null is None or not null.projects:
        return None
    whole = []
    for at in null.active:
        unit = [0] * null.width
        unit[at] = 1
        projected = [Fraction(value) for value in null.project(unit)]
        common = lcm(*(value.denominator for value in projected))
        row = [int(value * common) for value in projected]
        if max(map(abs, row)) > MAX_ENTRY:
            return None
        whole.append(row)
    rows = np.array(whole, dtype=np.int64).reshape(len(whole), null.width)
    basis = _independent(rows)
    return Subspace(basis) if len(basis) == null.dimension else None


def _independent(vectors: Whole) -> tuple[tuple[int, ...], ...]:
    """Return a maximal set of independent rows, the longest remainders first (Gram and Schmidt)."""
    residuals: Floats = vectors.astype(float)
    size = np.sqrt((residuals**2).sum(axis=1))
    residuals, chosen = residuals[size > 0] / size[size > 0, None], []
    places = np.flatnonzero(size > 0)
    while len(residuals):
        lengths = (residuals**2).sum(axis=1)
        at = int(lengths.argmax())
        if lengths[at] < 1e-9:
            break
        chosen.append(int(places[at]))
        axis = residuals[at] / np.sqrt(lengths[at])
        residuals = residuals - np.outer(residuals @ axis, axis)
    return tuple(tuple(int(k) for k in vectors[at]) for at in sorted(chosen))
