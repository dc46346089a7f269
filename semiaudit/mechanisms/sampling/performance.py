"""From a part of a mechanism to draws of its noise.

The supports, the hulls and the norms are those that the audit takes: they come from the same
sensitivity spaces. What is no noise on a query is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Literal, assert_never

from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import Refusal, RefusedError
from semiaudit.mechanisms.sampling.drawing import (
    Drawing,
    OfWeights,
    OnGrid,
    Still,
    Walked,
    WholeGaussian,
    WholeLaplace,
)
from semiaudit.mechanisms.sampling.facets import MAX_DIMENSION, NotFoundError
from semiaudit.mechanisms.sampling.gauges import Gauge, GaugeOfPoints, GaugeOfWalks
from semiaudit.mechanisms.sampling.lattice import (
    Lattice,
    everything,
    null_lattice,
    span_lattice,
)
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameMargin, SameSize
from semiaudit.model.mechanism import (
    BasisLaplace,
    CorrelatedGaussian,
    Declared,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    KNorm,
    Laplace,
    NoisePart,
    Part,
    RandomizedResponse,
    Shuffled,
    SubsampledGaussian,
)
from semiaudit.model.query import Query, TableQuery, width
from semiaudit.numeric import float_up
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

    from semiaudit.mechanisms.sampling.hull_noise import RootPolytope, Triangulated
    from semiaudit.mechanisms.sampling.norm_balls import NormBall

MAX_POINTS = 400
"""Points of a hull that is taken apart into simplices."""

MAX_GAUGED = 20_000
"""Points of a hull whose gauge norm is asked for by linear programs over all of them."""

SIMPLICES = "exponential weights on the corners of a simplex of K's surface"


def noise_on_a_query(part: Part) -> NoisePart:
    """The part, which is noise on the answer to a query.

    Raises:
        RefusedError: it is none.
    """
    match part:
        case Declared() | RandomizedResponse() | SubsampledGaussian() | Shuffled():
            what = f"{part.kind} is no noise on the answer to a query, so that it cannot be drawn"
            raise _refused(part, what, "sample gaussian, laplace, their discrete kinds or k_norm")
        case (
            Gaussian()
            | CorrelatedGaussian()
            | DiscreteGaussian()
            | Laplace()
            | BasisLaplace()
            | DiscreteLaplace()
            | KNorm()
        ):
            if part.query is None:
                what = "has shifts and no query, so that it is not known what it is added to"
                raise _refused(part, what, "give its query: table, margins or matrix")
            return part
        case _:
            assert_never(part)


def drawing_of(part: NoisePart, spaces: SensitivitySpaces) -> Drawing:
    """How the noise of a part is drawn.

    Args:
        part: with ``made_for`` filled in, as the audit has it.

    Raises:
        RefusedError: it has no query, its support or its norm is not known, or it is too large.
    """
    query = noise_on_a_query(part).query
    if query is None:
        raise ValueError("noise without a query")
    return _noise(part, query, spaces)


def _noise(part: NoisePart, query: Query, spaces: SensitivitySpaces) -> Drawing:
    from semiaudit.mechanisms.sampling.linear_noise import Image, SphericalGaussian, root_of

    number = width(query, spaces.table)
    match part:
        case Gaussian():
            lattice = _support(part, query, spaces)
            if not lattice.rank:
                return Still(number)
            sigma = sqrt(part.sigma_squared)
            gaussian = SphericalGaussian(lattice, sigma)
            return OnGrid(lattice, gaussian, sigma, _told("Gaussian variables", part))
        case CorrelatedGaussian():
            lattice = span_lattice(map(_sparse, part.covariance), number)
            if not lattice.rank:
                return Still(number)
            root = root_of(part.covariance)
            scale = sqrt(min(row[at] for at, row in enumerate(part.covariance) if row[at]))
            image = Image(lattice, root, laplace=False)
            return OnGrid(
                lattice, image, scale, "a root of the covariance times Gaussian variables"
            )
        case DiscreteGaussian():
            lattice = _support(part, query, spaces)
            plain = part.support is None
            if not lattice.rank:
                return Still(number)
            return WholeGaussian(number, part.sigma_squared, None if plain else lattice)
        case Laplace():
            lattice, scale = _support(part, query, spaces), float(part.scale)
            if not lattice.rank:
                return Still(number)
            laplace = _projected(_norm_ball("l1", number), lattice)
            method = _told("Laplace variables", part)
            return OnGrid(lattice, laplace, scale, method, factor=scale)
        case BasisLaplace():
            import numpy as np

            lattice, scale = span_lattice(map(_sparse, part.basis), number), float(part.scale)
            if not lattice.rank:
                return Still(number)
            image = Image(lattice, np.array(part.basis, dtype=float), laplace=True)
            method = "Laplace variables times the basis"
            least = min(abs(float(k)) for row in part.basis for k in row if k)
            return OnGrid(lattice, image, scale * min(least, 1.0), method, factor=scale)
        case DiscreteLaplace():
            return WholeLaplace(number, part.scale)
        case KNorm():
            return _k_norm(part, query, spaces)
        case _:
            assert_never(part)


def _sparse(row: Sequence[Fraction]) -> dict[int, Fraction]:
    return {place: k for place, k in enumerate(row) if k}


def _support(part: NoisePart, query: Query, spaces: SensitivitySpaces) -> Lattice:
    """The whole vectors of the subspace that the noise lies in."""
    number = width(query, spaces.table)
    match part.support:
        case None:
            return everything(number)
        case "null_space":
            null = spaces.subspaces.null_space(query)
            if null is None:
                what = "the null space of the invariants is not known, or too large to be solved"
                raise _refused(part, what, "sample a smaller query")
            idle = sorted(set(range(number)) - set(null.active))
            return null_lattice([*null.rows, *({place: 1} for place in idle)], number)
        case "sensitivity_space":
            if part.made_for is not None and spaces.subspaces.fills(query, part.made_for):
                null = spaces.subspaces.null_space(query)
                if null is not None:
                    idle = sorted(set(range(number)) - set(null.active))
                    return null_lattice([*null.rows, *({place: 1} for place in idle)], number)
            span = None
            if part.made_for is not None:
                span = spaces.subspaces.span(query, part.made_for)
            if span is None:
                what = "the sensitivity space is not listed, so that its span is not known"
                raise _refused(part, what, "take support: null_space, or sample a smaller query")
            return span_lattice((dict(enumerate(vector)) for vector in span), number)
        case _:
            assert_never(part.support)


class _Projected:
    """Noise on all coordinates, as the weights of its projection on a lattice's span."""

    def __init__(self, noise: NormBall | RootPolytope | Triangulated, lattice: Lattice) -> None:
        self._noise, self._lattice = noise, lattice

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Weights: number x rank."""
        found = self._noise.draw(number, generator)
        if self._lattice.rank == self._lattice.width:
            return found
        return found @ self._lattice.inverse.T


class _InSpan:
    """Noise inside the span of a lattice, as its weights."""

    def __init__(self, noise: RootPolytope | Triangulated, lattice: Lattice) -> None:
        self._noise, self._lattice = noise, lattice

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Weights: number x rank."""
        found = self._noise.draw(number, generator)
        if self._lattice.free:
            return found[:, list(self._lattice.free)]
        return found @ self._lattice.inverse.T


def _projected(noise: NormBall | RootPolytope | Triangulated, lattice: Lattice) -> OfWeights:
    return _Projected(noise, lattice)


def _norm_ball(norm: Literal["l1", "l2", "linf"], number: int) -> NormBall:
    from semiaudit.mechanisms.sampling.norm_balls import NormBall

    return NormBall(norm, number)


def _k_norm(part: KNorm, query: Query, spaces: SensitivitySpaces) -> Drawing:
    number = width(query, spaces.table)
    if part.norm == "hull":
        return _hull(part, query, spaces)
    moved = spaces.everywhere(query, 1)
    match part.norm:
        case "l1":
            bound = moved.l1.value
        case "l2":
            square = moved.l2_squared.value
            bound = sqrt(square) if isinstance(square, Fraction) else square
        case "linf":
            bound = moved.linf.value
        case _:
            assert_never(part.norm)
    if isinstance(bound, float) and bound == float("inf"):
        raise _refused(part, "the sensitivity of its query has no finite bound", "bound it")
    if not bound:
        return Still(number)
    scale = float_up(Fraction(bound) / part.epsilon)
    lattice = _support(part, query, spaces)
    if not lattice.rank:
        return Still(number)
    algorithm = {"l1": 4, "l2": 5, "linf": 6}[part.norm]
    weights = _projected(_norm_ball(part.norm, number), lattice)
    method = _told(f"Cho and Awan, Algorithm {algorithm}", part)
    return OnGrid(lattice, weights, scale, method, factor=scale)


def _hull(part: KNorm, query: Query, spaces: SensitivitySpaces) -> Drawing:
    """Noise of the norm whose unit ball is the hull of S."""
    import numpy as np

    number, epsilon = width(query, spaces.table), float(part.epsilon)
    inside = part.hull_of == "D_t"
    if not inside and isinstance(query, TableQuery) and _is_root_polytope(spaces):
        from semiaudit.mechanisms.sampling.hull_noise import RootPolytope

        lattice = null_lattice([dict.fromkeys(range(number), 1)], number)
        method = "the faces of the hull of all e_i - e_j, in closed form"
        return _on_support(part, query, spaces, RootPolytope(number), lattice, method)
    vectors = _vectors(part, query, spaces)
    if vectors is None:
        walks = _walks(part, query, spaces) if inside else None
        if walks is None:
            what = "the sensitivity space is not listed, so that its hull is not known"
            raise _refused(part, what, "sample a smaller query")
        lattice, gauge = walks
        return Walked(lattice, gauge, epsilon, "a walk through directions of the hull's span")
    if not vectors:
        return Still(number)
    one_sign = np.array(vectors, dtype=np.int64)
    points = np.concatenate([one_sign, -one_sign])
    points = np.unique(points, axis=0)
    lattice = span_lattice((dict(enumerate(vector)) for vector in vectors), number)
    weights = np.array([lattice.weights(point.tolist()) for point in points], dtype=np.int64)
    found = _triangulated(points, weights, query, spaces)
    if found is not None:
        return _on_support(part, query, spaces, found, lattice, SIMPLICES)
    if part.support is not None or len(points) > MAX_GAUGED:
        what = f"its hull has {len(points)} points in {lattice.rank} dimensions, too many"
        raise _refused(part, what, "sample a smaller query, or take gaussian noise")
    method = "a walk through directions of the hull's span"
    return Walked(lattice, GaugeOfPoints(weights), epsilon, method)


def _on_support(
    part: KNorm,
    query: Query,
    spaces: SensitivitySpaces,
    noise: RootPolytope | Triangulated,
    lattice: Lattice,
    method: str,
) -> Drawing:
    """Noise of a hull, projected on the part's support if it has one."""
    scale = float(1 / part.epsilon)
    if part.support is None:
        return OnGrid(lattice, _InSpan(noise, lattice), scale, method, factor=scale)
    support = _support(part, query, spaces)
    noise_there = _projected(noise, support)
    return OnGrid(support, noise_there, scale, _told(method, part), factor=scale)


def _vectors(
    part: KNorm, query: Query, spaces: SensitivitySpaces
) -> tuple[tuple[int, ...], ...] | None:
    """S without 0, one of each pair of opposite signs at least; None where it is not listed."""
    if part.hull_of == "D":
        return spaces.subspaces.steps(query)
    if part.made_for is None:
        raise _refused(part, "no distance is known that its norm is made for", "give a distance")
    changes = spaces.subspaces.changes(query, part.made_for)
    return None if changes is None or not changes.whole else changes.vectors


def _is_root_polytope(spaces: SensitivitySpaces) -> bool:
    """Whether one record's moves in D are all e_i - e_j of the cells."""
    space, metric = spaces.table, spaces.release.adjacency.metric
    enough = space.size is None or space.size > 0
    return space.product_cells and space.cells > 1 and not compares_sizes(metric) and enough


def _walks(part: KNorm, query: Query, spaces: SensitivitySpaces) -> tuple[Lattice, Gauge] | None:
    """The hull of the moves that keep both margins of a table; None where it is another one."""
    space, metric = spaces.table, spaces.release.adjacency.metric
    constraints = constraints_of(spaces.release.invariants)
    told = {c.attributes for c in constraints if isinstance(c, SameMargin)}
    every = all(isinstance(c, SameMargin | SameSize) for c in constraints)
    names = [attribute.name for attribute in space.attributes]
    fits = isinstance(query, TableQuery) and len(names) == 2 and space.product_cells and every
    if not fits or told != {(name,) for name in names} or compares_sizes(metric):
        return None
    if part.made_for not in (2, 3):
        return None
    rows, columns = (attribute.size for attribute in space.attributes)
    return _margins_lattice(rows, columns), GaugeOfWalks(rows, columns, part.made_for)


def _margins_lattice(rows: int, columns: int) -> Lattice:
    """The whole tables of margins 0."""
    told = [{i * columns + j: 1 for j in range(columns)} for i in range(rows)]
    told += [{i * columns + j: 1 for i in range(rows)} for j in range(columns)]
    return null_lattice(told, rows * columns)


def _triangulated(
    points: Integers, weights: Integers, query: Query, spaces: SensitivitySpaces
) -> Triangulated | None:
    """K taken apart, where it is small enough."""
    from semiaudit.mechanisms.sampling.hull_noise import Triangulated

    if weights.shape[1] > MAX_DIMENSION or len(points) > MAX_POINTS:
        return None
    shape = tuple(attribute.size for attribute in spaces.table.attributes)
    try:
        return Triangulated(points, weights, shape if isinstance(query, TableQuery) else ())
    except (NotFoundError, OutOfTimeError):
        return None


def _told(method: str, part: NoisePart) -> str:
    """A method, and whether its noise is projected."""
    return method if part.support is None else f"{method}, projected on the support"


def _refused(part: Part, what: str, remedy: str) -> RefusedError:
    mark = part.mark
    return RefusedError(Refusal(what, remedy, "mechanism", mark.line, mark.column))
