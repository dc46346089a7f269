"""K-norm noise of a hull: from the sensitivity space to its sampler."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from semiaudit.deadline import OutOfTimeError
from semiaudit.mechanisms.kind import refused
from semiaudit.mechanisms.sampling.hulls.facets import MAX_DIMENSION, NotFoundError
from semiaudit.mechanisms.sampling.hulls.gauges import GaugeNorm, GaugeOfPoints, GaugeOfWalks
from semiaudit.mechanisms.sampling.hulls.hull_noise import RootPolytope, Triangulated
from semiaudit.mechanisms.sampling.lattice import Lattice, null_lattice, span_lattice
from semiaudit.mechanisms.sampling.linear_noise import RoundInSpan
from semiaudit.mechanisms.sampling.sampling_methods import Drawing, OnGrid, Still, Walked
from semiaudit.mechanisms.sampling.support_lattices import (
    InSpan,
    Projected,
    method_of,
    span_of_changes,
    support_of,
)
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameMargin, SameSize
from semiaudit.model.mechanism import KNorm
from semiaudit.model.query import Query, TableQuery, width
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import float_up
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]


MAX_POINTS = 400
"""The most points of a hull that is divided into simplices."""

MAX_GAUGED = 20_000
"""The most points of a hull whose gauge norm is computed by linear programs over all of them."""

SIMPLICES = "exponential weights on the corners of a simplex of K's surface"


def hull_noise_of(part: KNorm, query: Query, spaces: SensitivitySpaces) -> Drawing:
    """Return a sampler of noise for the norm whose unit ball is the hull of S."""
    number, epsilon = width(query, spaces.table), float(part.epsilon)
    inside = part.hull_of == "D_t"
    if not inside and isinstance(query, TableQuery) and _is_root_polytope(spaces):
        lattice = null_lattice([dict.fromkeys(range(number), 1)], number)
        method = "the faces of the hull of all e_i - e_j, in closed form"
        return _on_support(part, query, spaces, RootPolytope(number), lattice, method)
    vectors = _vectors(part, query, spaces)
    if vectors is None:
        walks = _walks(query, spaces, part.made_for) if inside else None
        if walks is None:
            return _round_hull(part, query, spaces)
        lattice, gauge = walks
        return Walked(lattice, gauge, epsilon, "a random walk in the span of the hull")
    if not vectors:
        return Still(number)
    one_sign = np.array(vectors, dtype=np.int64)
    points = np.concatenate([one_sign, -one_sign])
    points = np.unique(points, axis=0)
    lattice = span_lattice((dict(enumerate(vector)) for vector in vectors), number)
    weights = np.array([lattice.weights(point.tolist()) for point in points], dtype=np.int64)
    triangulation = _triangulated(points, weights, query, spaces)
    if triangulation is not None:
        return _on_support(part, query, spaces, triangulation, lattice, SIMPLICES)
    if part.support is not None or len(points) > MAX_GAUGED:
        return _round_hull(part, query, spaces)
    method = "a random walk in the span of the hull"
    return Walked(lattice, GaugeOfPoints(weights), epsilon, method)


def _round_hull(part: KNorm, query: Query, spaces: SensitivitySpaces) -> Drawing:
    """Return a sampler of noise for the least ball around S, in a space that contains its span.

    The ball contains the hull of S, so its norm is smaller: no pair loses more. This is for hulls
    whose corners are not listed, or are too many.
    """
    if part.hull_of == "D" or part.support is not None or part.made_for is None:
        what = "the corners of its hull are not listed, or there are too many of them"
        raise refused(part, what, "use a smaller query, or gaussian noise")
    square = spaces.within(query, part.made_for).l2_squared.value
    if not isinstance(square, Fraction):
        raise refused(part, "the sensitivity of its query has no finite bound", "use another query")
    lattice = span_of_changes(part, query, spaces)
    if not lattice.rank or not square:
        return Still(width(query, spaces.table))
    scale = float_up(Interval.of(square / part.epsilon**2).sqrt().upper_rational)
    method = "the l2 ball that contains the hull, whose corners are too many to list"
    return OnGrid(lattice, RoundInSpan(lattice), scale, method, factor=scale)


def _on_support(
    part: KNorm,
    query: Query,
    spaces: SensitivitySpaces,
    noise: RootPolytope | Triangulated,
    lattice: Lattice,
    method: str,
) -> Drawing:
    scale = float(1 / part.epsilon)
    if part.support is None:
        return OnGrid(lattice, InSpan(noise, lattice), scale, method, factor=scale)
    support = support_of(part, query, spaces)
    noise_there = Projected(noise, support)
    return OnGrid(support, noise_there, scale, method_of(method, part, query, spaces), factor=scale)


def _vectors(
    part: KNorm, query: Query, spaces: SensitivitySpaces
) -> tuple[tuple[int, ...], ...] | None:
    """Return S without 0, at least one of each pair of opposite signs; None if it is not listed.

    Inside D_t, they can be more than S: then K is larger, and no pair loses more.
    """
    if part.hull_of == "D":
        return spaces.subspaces.steps(query)
    if part.made_for is None:
        raise refused(
            part,
            "the distance that its norm is designed for is not known",
            "add adjacency.distance",
        )
    changes = spaces.subspaces.changes(query, part.made_for)
    return None if changes is None else changes.vectors


def _is_root_polytope(spaces: SensitivitySpaces) -> bool:
    space, metric = spaces.table, spaces.release.adjacency.metric
    enough = space.size is None or space.size > 0
    return space.product_cells and space.cells > 1 and not compares_sizes(metric) and enough


def _walks(
    query: Query, spaces: SensitivitySpaces, distance: int | None
) -> tuple[Lattice, GaugeNorm] | None:
    """Return the hull of the changes that keep both margins of a table; None for other hulls."""
    space, metric = spaces.table, spaces.release.adjacency.metric
    constraints = constraints_of(spaces.release.invariants)
    kept_margins = {c.attributes for c in constraints if isinstance(c, SameMargin)}
    every = all(isinstance(c, SameMargin | SameSize) for c in constraints)
    names = [attribute.name for attribute in space.attributes]
    fits = isinstance(query, TableQuery) and len(names) == 2 and space.product_cells and every
    if not fits or kept_margins != {(name,) for name in names} or compares_sizes(metric):
        return None
    if distance not in (2, 3):
        return None
    rows, columns = (attribute.size for attribute in space.attributes)
    return _margins_lattice(rows, columns), GaugeOfWalks(rows, columns, distance)


def _margins_lattice(rows: int, columns: int) -> Lattice:
    """Return the integer tables with margins 0."""
    sums = [{i * columns + j: 1 for j in range(columns)} for i in range(rows)]
    sums += [{i * columns + j: 1 for i in range(rows)} for j in range(columns)]
    return null_lattice(sums, rows * columns)


def _triangulated(
    points: Integers, weights: Integers, query: Query, spaces: SensitivitySpaces
) -> Triangulated | None:
    if weights.shape[1] > MAX_DIMENSION or len(points) > MAX_POINTS:
        return None
    shape = tuple(attribute.size for attribute in spaces.table.attributes)
    try:
        return Triangulated(points, weights, shape if isinstance(query, TableQuery) else ())
    except (NotFoundError, OutOfTimeError):
        return None
