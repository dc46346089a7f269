"""K-norm designs: Algorithms 2 and 3, and the l2 and l-infinity mechanisms (Algorithms 5 and 6).

A K-norm mechanism of norm N loses epsilon between answers at a distance of one sensitivity; its
noise is a uniform point of the ball of N times a Gamma(d + 1) length (E23).

Points of the hull of a symmetric set of vectors: the cost of K-norm noise with that hull.

The hull is divided into cones over the simplices of its boundary. A point of a cone is r times a
point of its simplex, r having the density s r^(s - 1), so that means over the hull are weighted
means over the simplices of the boundary, which are away from 0: a norm is smooth there, but bends
sharply if the hull is flat.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.spatial import ConvexHull

from semiaudit.errors import RefusedError
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.designs import lengths
from semiaudit.mechanisms.designs.design_draft import DesignDraft, Facts, finite
from semiaudit.mechanisms.designs.intensity import down, laplace_shift_of
from semiaudit.mechanisms.designs.sampled_directions import NoiseMoments, sampled_moments, times
from semiaudit.mechanisms.sampling.sampling_methods import Walked
from semiaudit.model.results.design import Cost, Target
from semiaudit.numeric.intervals import Interval

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

MAX_POINTS = {1: 40_000, 2: 40_000, 3: 40_000, 4: 20_000, 5: 2_000, 6: 600}
"""The most points of a hull that is divided into simplices, by its dimension: more take too
long."""

_CLOSE = 1e-4
"""The largest difference of two cubatures of a simplex, over the mean length of all."""

_CUTS = 60
"""The most bisections of a simplex."""

_MOST_CUT = 50_000
"""The most simplices that are bisected."""

_DEGREE = 5
"""The degree of a cubature that is exact for polynomials of degree 2 * 5 + 1."""

_BATCH = 4_000_000
"""Numbers that are kept at a time."""


@dataclass(frozen=True, slots=True)
class Polytope:
    """A symmetric polytope in the span of its vertices.

    Attributes:
        basis: an orthonormal basis of the span: rank x coordinates.
        simplices: simplices of its boundary, by their vertices in that basis: number x rank x rank.
        weights: their shares of the volume.
    """

    basis: Floats
    simplices: Floats
    weights: Floats

    @property
    def rank(self) -> int:
        """Return the dimension of the span."""
        return int(self.basis.shape[0])

    def mean_length(self) -> float | None:
        """Return E |V|_2 of V uniform in the hull: s / (s + 1) times the mean over boundary cones.

        A simplex is cut in two at its longest edge until two cubatures differ by at most
        ``_CLOSE`` times the mean: the length has a sharp bend where a flat hull is near 0.
        None if there would be too many simplices.
        """
        s = self.rank
        simplices, weights = self.simplices, self.weights
        total, mean = 0.0, 0.0
        for _ in range(_CUTS):
            fine = _mean_lengths(simplices, _DEGREE)
            mean = mean or float(weights @ fine)
            bent = np.abs(fine - _mean_lengths(simplices, _DEGREE - 1)) > _CLOSE * mean
            total += float(weights[~bent] @ fine[~bent])
            if not bent.any():
                return s / (s + 1) * total
            if 2 * bent.sum() > _MOST_CUT:
                return None
            simplices, weights = _cut(simplices[bent]), np.tile(weights[bent] / 2, 2)
        return None

    def second_moments(self) -> Floats:
        """Return E V V^T of V uniform in the hull, over coordinates: exact up to floating point.

        For a simplex with vertices p_0 = 0, ..., p_s: (sum p p^T + (sum p)(sum p)^T) / ((s + 1) (s
        + 2)).
        """
        s = self.rank
        of_simplices = np.einsum("n,nvi,nvj->ij", self.weights, self.simplices, self.simplices)
        sums = self.simplices.sum(axis=1)
        of_sums = np.einsum("n,ni,nj->ij", self.weights, sums, sums)
        inner = (of_simplices + of_sums) / ((s + 1) * (s + 2))
        return np.asarray(self.basis.T @ inner @ self.basis)


def hull_of(vectors: Whole) -> Polytope | None:
    """Return the hull of some vectors and their opposites; None if it is too large to divide.

    Args:
        vectors: one of each pair of opposite signs, by rows, none of them 0.
    """
    if not len(vectors):
        return None
    wide = vectors.astype(float)
    _, sizes, right = np.linalg.svd(wide, full_matrices=False)
    rank = int((sizes > sizes[0] * max(wide.shape) * np.finfo(float).eps).sum())
    if 2 * len(vectors) > MAX_POINTS.get(rank, 0):
        return None
    basis = np.asarray(right[:rank])
    inside = wide @ basis.T
    points = np.concatenate([inside, -inside])
    if rank == 1:
        longest = float(np.abs(points).max())
        ends = np.array([[[longest]], [[-longest]]])
        return Polytope(basis, ends, np.array([0.5, 0.5]))

    # the facets of a hull with many symmetries have more corners than dimensions: Qt divides them
    hull = ConvexHull(points, qhull_options="Qt")
    simplices = points[hull.simplices]
    volumes = np.abs(np.linalg.det(simplices))
    return Polytope(basis, simplices, volumes / volumes.sum())


def _mean_lengths(simplices: Floats, power: int) -> Floats:
    """Return the mean of |x|_2 over each simplex."""
    points, shares = _cubature(simplices.shape[1] - 1, power)
    size = max(_BATCH // (len(points) * simplices.shape[2]), 1)
    means = []
    for start in range(0, len(simplices), size):
        placed = np.einsum("pv,nvs->nps", points, simplices[start : start + size])
        means.append(np.sqrt((placed**2).sum(axis=2)) @ shares)
    return np.concatenate(means)


def _cut(simplices: Floats) -> Floats:
    number, corners = simplices.shape[:2]
    edges = np.linalg.norm(simplices[:, :, None] - simplices[:, None], axis=3)
    first, second = np.divmod(edges.reshape(number, -1).argmax(axis=1), corners)
    every = np.arange(number)
    middle = (simplices[every, first] + simplices[every, second]) / 2
    halves = np.concatenate([simplices, simplices])
    halves[every, first] = middle
    halves[number + every, second] = middle
    return halves


@cache
def _cubature(dimension: int, power: int) -> tuple[Floats, Floats]:
    """Return barycentric points and weights over a simplex, exact for degree 2 * power + 1.

    Source: Grundmann and Moeller 1978, Theorem 4.
    """
    points, weights = [], []
    degree = 2 * power + 1
    for step in range(power + 1):
        spread = degree + dimension - 2 * step
        weight = (
            (-1.0) ** step
            * 2.0 ** (-2 * power)
            * float(spread) ** degree
            * math.factorial(dimension)
            / (math.factorial(step) * math.factorial(degree + dimension - step))
        )
        for parts in _compositions(power - step, dimension + 1):
            points.append([(2 * part + 1) / spread for part in parts])
            weights.append(weight)
    return np.array(points), np.array(weights)


def _compositions(total: int, places: int) -> list[tuple[int, ...]]:
    """Return all ways to write a number as an ordered sum of ``places`` numbers, including 0."""
    compositions = []
    for bars in combinations(range(total + places - 1), places - 1):
        ends = (-1, *bars, total + places - 1)
        compositions.append(tuple(ends[i + 1] - ends[i] - 1 for i in range(places)))
    return compositions


def algorithm_2(facts: Facts, target: Target) -> DesignDraft:
    """Use the norm of the hull of the changes inside D_t, the optimal one (Algorithms 2 and 3)."""
    finite(facts.moved.l2_squared.value, "l2 sensitivity inside Dₜ")
    shift = laplace_shift_of(target)
    moments = _moments_of_hull(facts)
    size = 1 / float(shift)
    space = facts.span or facts.enclosing
    return DesignDraft(
        kind="k_norm",
        parameter="epsilon",
        value=shift,
        strength="pure_dp",
        wanted=shift,
        rank=space.rank if space else facts.moved.rank,
        length=times(moments.length, size),
        deviation=times(moments.deviation, size),
        total=times(moments.total, size * size),
        sharp=True,
        more=(("norm", {"hull": "D_t"}),),
    )


def _moments_of_hull(facts: Facts) -> NoiseMoments:
    """Return moments at epsilon 1: exact if the hull is cut into simplices, else from samples."""
    hull = hull_of(facts.vectors) if facts.vectors is not None else None
    length = hull.mean_length() if hull is not None else None
    if hull is not None and length is not None:
        s = hull.rank
        moments = (s + 1) * (s + 2) * np.diag(hull.second_moments())
        deviation = float(moments.max()) ** 0.5
        return NoiseMoments(Cost((s + 1) * length), Cost(deviation), Cost(float(moments.sum())))
    try:
        drawing = facts.hull_noise()
    except RefusedError:
        return _moments_of_ball(facts)
    if isinstance(drawing, Walked):
        facts.leave_out("algorithm_2", "its hull has many facets: sampling solves linear programs")
    return sampled_moments(drawing)


def _moments_of_ball(facts: Facts) -> NoiseMoments:
    """Return moments of the l2 ball around the hull: upper bounds if the hull is not sampled."""
    space = facts.span or facts.enclosing
    rank = space.rank if space else facts.moved.rank or facts.coordinates
    share = space.largest_share if space else 1.0
    farthest = float(finite(facts.moved.l2_squared.value, "l2 sensitivity inside Dₜ")) ** 0.5
    return NoiseMoments(
        Cost(farthest * rank, "upper"),
        Cost(farthest * share * (rank + 1) ** 0.5, "upper"),
        Cost(farthest**2 * rank * (rank + 1), "upper"),
    )


def naive_l2(facts: Facts, target: Target) -> DesignDraft:
    """Use the l2 norm for the sensitivity in D, times the steps (Algorithm 5, section 5.2)."""
    return _of_l2(facts, target, Fraction(1, facts.steps), sharp=False)


def naive_linf(facts: Facts, target: Target) -> DesignDraft:
    """Use the largest coordinate for the sensitivity in D, times the steps (Algorithm 6)."""
    return _of_linf(facts, target, Fraction(1, facts.steps), sharp=False)


def algorithm_5(facts: Facts, target: Target) -> DesignDraft:
    """Use the l2 norm for the sensitivity inside D_t (Algorithm 5 on S_Semi)."""
    top = finite(facts.unit.l2_squared.value, "l2 sensitivity in D")
    bottom = finite(facts.moved.l2_squared.value, "l2 sensitivity inside Dₜ")
    ratio = Interval.of(top / bottom).sqrt().lower_rational
    return _of_l2(facts, target, ratio, sharp=True)


def algorithm_6(facts: Facts, target: Target) -> DesignDraft:
    """Use the largest coordinate for the sensitivity inside D_t (Algorithm 6 on S_Semi)."""
    top = finite(facts.unit.linf.value, "l-infinity sensitivity in D")
    bottom = finite(facts.moved.linf.value, "l-infinity sensitivity inside Dₜ")
    return _of_linf(facts, target, top / bottom, sharp=True)


def _of_l2(facts: Facts, target: Target, share: Fraction, *, sharp: bool) -> DesignDraft:
    epsilon = down(laplace_shift_of(target) * share)
    unit = float(finite(facts.unit.l2_squared.value, "l2 sensitivity in D")) ** 0.5
    scale, d = unit / float(epsilon), facts.coordinates
    length, deviation = lengths.of_l2_ball(scale, d), lengths.sd_of_l2_ball(scale, d)
    return _ball(facts, target, "l2", epsilon, length, deviation, sharp=sharp)


def _of_linf(facts: Facts, target: Target, share: Fraction, *, sharp: bool) -> DesignDraft:
    epsilon = down(laplace_shift_of(target) * share)
    unit = float(finite(facts.unit.linf.value, "l-infinity sensitivity in D"))
    scale, d = unit / float(epsilon), facts.coordinates
    length, deviation = lengths.of_cube(scale, d), lengths.sd_of_cube(scale, d)
    return _ball(facts, target, "linf", epsilon, length, deviation, sharp=sharp)


def _ball(
    facts: Facts,
    target: Target,
    norm: str,
    epsilon: Fraction,
    length: float,
    deviation: float,
    *,
    sharp: bool,
) -> DesignDraft:
    return DesignDraft(
        kind="k_norm",
        parameter="epsilon",
        value=epsilon,
        strength="pure_dp",
        wanted=laplace_shift_of(target),
        rank=facts.coordinates,
        length=Cost(length),
        deviation=Cost(deviation),
        total=Cost(facts.coordinates * deviation**2),
        sharp=sharp,
        more=(("norm", norm),),
    )
