"""The inputs of designs: how a query changes inside D_t, and in which subspace.

No guarantee depends on this module, because every design is audited afterwards. So ranks are
computed in floating point, and inputs that are too large are omitted.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from semiaudit.mechanisms.designs.design_draft import Facts, NullSpace, Subspace, Whole, independent
from semiaudit.mechanisms.sampling.hulls.hull_samplers import hull_noise_of
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.frameworks import FRAMEWORKS, FrameworkName
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameSize
from semiaudit.model.mechanism import KNorm
from semiaudit.model.query import Query, width
from semiaudit.universe.sensitivity.answer_null_space import AnswerNullSpace
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from semiaudit.universe.sensitivity.subspaces import SOLVED, TOO_LARGE

MAX_VECTORS = 20_000
"""The most changes of a query that are processed one by one."""

_LIMIT = f"size limit: a null space is computed for at most {SOLVED}"


def facts_of(
    spaces: SensitivitySpaces, query: Query, framework: FrameworkName, distance: int
) -> Facts:
    """Return what is known of a query of a release.

    Args:
        distance: of semi-adjacency, 1 or more.

    Raises:
        RefusedError: the dataspace has no table over attributes, or t contradicts itself.
    """
    vectors = _moves(spaces, query, distance)
    hull = KNorm(Fraction(1), query=query, norm="hull", hull_of="D_t", made_for=distance)
    null = spaces.subspaces.null_space(query)
    why = spaces.subspaces.nonlinearity(query) if null is None else ""
    enclosing = spaces.subspaces.enclosing(query) if vectors is None else None
    sized, no_sized = _sized(spaces, query, null)
    return Facts(
        framework=framework,
        active=spaces.subspaces.active(query),
        steps=distance if FRAMEWORKS[framework].up_to_a_t else 1,
        unit=spaces.everywhere(query, 1),
        moved=spaces.within(query, distance),
        span=None if vectors is None else Subspace(independent(vectors)),
        enclosing=None if enclosing is None else NullSpace(enclosing),
        null=None if null is None else NullSpace(null),
        no_null=_LIMIT if why in ("", TOO_LARGE) else f"{why}: there is no null space for noise",
        sized=sized,
        no_sized=no_sized,
        sized_step=lambda: _longest_step(spaces, query, sized),
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


def _sized(
    spaces: SensitivitySpaces, query: Query, null: AnswerNullSpace | None
) -> tuple[AnswerNullSpace | None, str]:
    """Return null([C; 1']), if the size is known and the rows of C do not determine it, or why."""
    if spaces.table.size is None or compares_sizes(spaces.release.adjacency.metric):
        return None, "the size of the datasets is not known"
    sized = None if null is None else spaces.subspaces.enclosing(query)
    if null is None or sized is None:
        return None, _LIMIT
    if sized.dimension == null.dimension:
        return None, "the invariants determine the size of the datasets: it is no new row of C"
    return sized, ""


def _longest_step(
    spaces: SensitivitySpaces, query: Query, sized: AnswerNullSpace | None
) -> Fraction | None:
    steps = None if sized is None else spaces.subspaces.steps(query)
    if sized is None or steps is None:
        return None
    squares = (sum(k * k for k in sized.project(step)) for step in steps)
    return max(squares, default=None) or None
