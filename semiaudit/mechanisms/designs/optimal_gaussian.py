"""Gaussian noise with the least total or maximum variance, and lower bounds on this variance.

Noise of covariance C is mu-GDP if v' C^+ v is at most mu^2 for every change v of the query. For mu
= 1, let n_j be the columns of an orthonormal basis of the span of these v, in whose coordinates v
and C are x and Z. The total variance is tr Z; the largest one is the maximum of n_j' Z n_j, which
is the maximum of tr(Z M) over M = sum p_j n_j n_j' with shares p.

For shares w of the vectors, with L = sum w x x' and V = M^(1/2) (M^(1/2) L M^(1/2))^(-1/2) M^(1/2),
no Z that meets the target has tr(Z M) below F^2, F = tr(V L). The covariance V^-1 times the largest
x' V x meets it. At the best shares both are equal: x' V x = F wherever w > 0, and n_j' V^-1 n_j = F
wherever p_j > 0. Each share is multiplied by a power of that number over F, whose weighted mean is
1. So the steps need no solver of semidefinite programs. Gao, Gong and Yu (Theorem 3.11) use
repeated ellipsoids of least volume, and are never better.

The lower bound is proven in integers (``certified_least``). Let W be symmetric, w shares that sum
to 1, L = sum w v v', and D diagonal. If D - W L W is positive semidefinite, then for every C that
meets the target

    tr(D C) >= tr(W L W C) = sum w (W v)' C (W v) >= sum w (v' W v)^2 >= (sum w v' W v)^2,

since C - v v' is positive semidefinite for each v, and by the inequality of Cauchy and Schwarz.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.numeric.semidefinite import eliminated

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.object_]

Goal = Literal["total", "largest"]
"""The sum of the variances of all coordinates, or the largest of them."""

MAX_STEPS = 2_000
"""The most steps; the best covariance and the best bound of all steps are kept."""

CLOSE = 1e-4
"""The steps end early if the variance is this close to the least one."""

MAX_CERTIFIED = 64
"""The most coordinates of an answer whose lower bound is proven in integers."""

_POWER = 3
"""The power of the ratio by which a step changes w."""

_RIDGE = 1e-13
"""The part of the largest eigenvalue that a direction without weight keeps."""

_UNIT = 2**40
"""Shares and matrices are rounded to multiples of 1 / _UNIT of their largest entry."""

_LEAST_SHARE = 1e-5
"""The least share relative to the largest: no coordinate is missing in the diagonal D."""

_NOTHING = 1e-10
"""The part of the largest eigenvalue below which an eigenvalue counts as 0."""

_ROOM = 1 - 2.0**-20
"""W is shortened by this factor, so that rounding keeps D - W L W semidefinite."""


@dataclass(frozen=True, slots=True)
class OptimalGaussian:
    """A covariance for mu = 1.

    Attributes:
        covariance: in the coordinates of an orthonormal basis.
        variance: the minimized variance; at most about ``1 + CLOSE`` times the least one.
        least: a lower bound on it for all Gaussian noise that is 1-GDP; None if it is not proven.
    """

    covariance: Floats
    variance: float
    least: Fraction | None


@dataclass(frozen=True, slots=True)
class _Point:
    matrix: Floats
    shares: Floats
    spreads: Floats
    reach: Floats
    root: float
    goal: Goal

    @property
    def variance(self) -> float:
        weighted = self.spreads.sum() if self.goal == "total" else self.spreads.max()
        return float(weighted * self.reach.max())


def optimal_gaussian(
    vectors: tuple[tuple[int, ...], ...], basis: Floats, goal: Goal
) -> OptimalGaussian:
    """Return a covariance with nearly the least variance, for mu = 1.

    Args:
        vectors: changes of the query, one of each pair of opposite signs.
        basis: an orthonormal basis of their span: rank x coordinates.
    """
    return _optimal(vectors, basis.tobytes(), basis.shape, goal)


@lru_cache(maxsize=4)
def _optimal(
    vectors: tuple[tuple[int, ...], ...], basis_bytes: bytes, shape: tuple[int, int], goal: Goal
) -> OptimalGaussian:
    basis: Floats = np.frombuffer(basis_bytes).reshape(shape)
    moves = np.array(vectors, dtype=float)
    placed = moves @ basis.T
    weights = np.full(len(placed), 1 / len(placed))
    shares = np.full(shape[1], 1 / shape[1])
    lowest, bound = np.inf, 0.0
    best = dual = None
    for _ in range(MAX_STEPS):
        deadline.check()
        point = _at(placed, basis, weights, shares, goal)
        if point.variance < lowest:
            lowest, best = point.variance, point
        if point.root**2 > bound:
            bound, dual = point.root**2, (point, weights)
        if lowest <= bound * (1 + CLOSE):
            break
        weights = weights * (point.reach / point.root) ** _POWER
        weights /= weights.sum()
        if goal == "largest":
            shares = shares * point.spreads / point.root
            shares /= shares.sum()
    if best is None or dual is None:
        raise ValueError("there are no vectors")
    covariance = np.linalg.inv(best.matrix) * best.reach.max()
    least = None
    if shape[1] <= MAX_CERTIFIED:
        at, weights = dual
        least = certified_least(vectors, weights, None if goal == "total" else at.shares)
    return OptimalGaussian(np.asarray(covariance), lowest, least)


def _at(placed: Floats, basis: Floats, weights: Floats, shares: Floats, goal: Goal) -> _Point:
    moment = (placed * weights[:, None]).T @ placed
    half = np.eye(len(basis)) if goal == "total" else _power((basis * shares) @ basis.T, 0.5)
    sizes, axes = np.linalg.eigh(half @ moment @ half)
    roots = np.sqrt(np.maximum(sizes, sizes[-1] * _RIDGE))
    matrix = half @ (axes / roots) @ axes.T @ half
    reach = np.einsum("ij,jk,ik->i", placed, matrix, placed)
    spreads = np.einsum("ji,jk,ki->i", basis, np.linalg.inv(matrix), basis)
    return _Point(matrix, shares, spreads, reach, float(roots.sum()), goal)


def _power(matrix: Floats, power: float) -> Floats:
    sizes, axes = np.linalg.eigh(matrix)
    return np.asarray((axes * np.maximum(sizes, sizes[-1] * _RIDGE) ** power) @ axes.T)


def certified_least(
    vectors: tuple[tuple[int, ...], ...], weights: Floats, shares: Floats | None
) -> Fraction | None:
    """Return a lower bound on the variance of every covariance C with v' C^+ v <= 1 for all v.

    The variance is the total or the largest one. None if the proof fails.

    W is D^(1/2) (D^(1/2) L D^(1/2))^(-1/2) D^(1/2), for which W L W is at most D, slightly
    shortened so that rounding does not break this.

    Args:
        weights: w, approximately.
        shares: D, approximately, for the largest variance, which is at least their weighted mean.
            None is D = I, for the total variance.

    Rounding: down; after the arguments and W are rounded, everything is in integers.
    """
    # The proof (module docstring) holds for any symmetric W, shares w that sum to 1, and diagonal D
    # with D - W L W semidefinite. So floating point may choose them, and only the last test, in
    # rationals, must be exact.
    width = len(vectors[0])
    mixed = np.ones(width)
    diagonal = [_UNIT] * width
    if shares is not None:
        mixed = np.maximum(shares, shares.max() * _LEAST_SHARE)
        mixed /= mixed.sum() * (1 + 1e-9)
        diagonal = [int(share * _UNIT) for share in mixed]
        # The shares must sum to at most 1: then the largest variance is at least their weighted
        # mean tr(D C).
        if sum(diagonal) > _UNIT:
            return None
    counts = [round(float(w / weights.max()) * _UNIT) for w in weights]
    moves: Whole = np.array(vectors, dtype=object)
    moment = (moves * np.array(counts, dtype=object)[:, None]).T @ moves
    matrix = _dual(moment.astype(float) / sum(counts), mixed)
    size = float(np.abs(matrix).max())
    rounded: Whole = np.array(
        [[round(float(k) / size * _ROOM * _UNIT) for k in row] for row in matrix], dtype=object
    )
    # W = rounded * scale, L = moment / sum(counts)
    scale = Fraction(size) / _UNIT
    factor = scale * scale / sum(counts)
    uncertified = [
        [Fraction(diagonal[at], _UNIT) * (at == other) - factor * k for other, k in enumerate(row)]
        for at, row in enumerate((rounded @ moment @ rounded).tolist())
    ]
    if eliminated(uncertified).bad is not None:
        return None
    # sum w v' W v = tr(W L), in rationals; its square is the bound.
    objective = scale * int(np.trace(rounded @ moment)) / sum(counts)
    return objective * objective


def _dual(moment: Floats, diagonal: Floats) -> Floats:
    half = np.sqrt(diagonal)
    sizes, axes = np.linalg.eigh(half[:, None] * moment * half)
    nonzero = sizes > sizes[-1] * _NOTHING
    root = (axes[:, nonzero] / np.sqrt(sizes[nonzero])) @ axes[:, nonzero].T
    matrix = half[:, None] * root * half
    return np.asarray((matrix + matrix.T) / 2)
