"""What noise with a known density really loses, found without the program.

Everything is looped over as it is defined: all tables with the invariants' values, all pairs of
them up to a distance, and for each pair the likelihood ratio of the noise. Nothing is taken from
the sections of theory that the designs are made from, but for:

- two Gaussians with one covariance C that are v apart are mu apart with mu^2 = v' C^+ v;
- noise whose density is exp(-N(x)) for a norm N loses N(v) at most, and as much in the direction
  of v; the image of such noise under a linear map A has the norm min {N(x) : A x = v}.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import exp, log, sqrt

import mpmath
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.signal import fftconvolve
from scipy.spatial import ConvexHull

Table = tuple[int, ...]
Floats = NDArray[np.float64]


def tables(margins: tuple[Sequence[int], Sequence[int]]) -> Iterator[Table]:
    """All tables of two features with these margins, row-major."""
    rows, columns = margins

    def below(left: tuple[int, ...], chosen: tuple[Table, ...]) -> Iterator[Table]:
        if len(chosen) == len(rows):
            if not any(left):
                yield tuple(count for row in chosen for count in row)
            return
        total = rows[len(chosen)]
        for row in product(*(range(min(total, most) + 1) for most in left)):
            if sum(row) == total:
                yield from below(
                    tuple(a - b for a, b in zip(left, row, strict=True)), (*chosen, row)
                )

    return below(tuple(columns), ())


def margins_of(table: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """The one-way margins of a table."""
    return [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]


def moves(table: Sequence[Sequence[int]], distance: int) -> Floats:
    """All nonzero differences of two tables with the margins of one, up to a distance.

    Tables whose counts differ by u are (1/2) |u|_1 records apart in their closest orders.
    """
    every = list(tables(margins_of(table)))
    found = set()
    for first in every:
        for second in every:
            move = tuple(a - b for a, b in zip(first, second, strict=True))
            if any(move) and sum(map(abs, move)) <= 2 * distance:
                found.add(move)
    return np.array(sorted(found), dtype=float)


def steps(cells: int) -> Floats:
    """All changes of a table by one record that is replaced."""
    found = []
    for first, second in product(range(cells), repeat=2):
        if first != second:
            move = np.zeros(cells)
            move[first], move[second] = 1, -1
            found.append(move)
    return np.array(found)


def gaussian_mu(covariance: Floats, differences: Floats) -> float:
    """The largest mu of Gaussian noise; infinite where a difference leaves its support."""
    inverse = np.linalg.pinv(covariance, rcond=1e-11, hermitian=True)
    kept = covariance @ inverse
    for difference in differences:
        if not np.allclose(kept @ difference, difference, atol=1e-7):
            return float("inf")
    return float(max(sqrt(v @ inverse @ v) for v in differences))


def l1_loss(scale: float, linear: Floats, differences: Floats) -> float:
    """The largest epsilon of A x, x independent Laplace variables of a scale: min |x|_1 / scale."""
    return max(_least_l1(linear, difference) for difference in differences) / scale


def _least_l1(linear: Floats, target: Floats) -> float:
    both = np.concatenate([linear, -linear], axis=1)
    found = linprog(np.ones(both.shape[1]), A_eq=both, b_eq=target, bounds=(0, None))
    return float(found.fun) if found.status == 0 else float("inf")


def gauge_loss(epsilon: float, vertices: Floats, differences: Floats) -> float:
    """The largest epsilon of a K-norm mechanism, K the hull of some vectors."""
    return epsilon * max(_least_weight(vertices, difference) for difference in differences)


def _least_weight(vertices: Floats, target: Floats) -> float:
    found = linprog(np.ones(len(vertices)), A_eq=vertices.T, b_eq=target, bounds=(0, None))
    return float(found.fun) if found.status == 0 else float("inf")


def ball_loss(epsilon: float, norm: float, unit: Floats, differences: Floats) -> float:
    """The largest epsilon of a mechanism of an l_p norm that loses epsilon over ``unit``."""
    size = max(float(np.linalg.norm(v, norm)) for v in unit)
    return epsilon * max(float(np.linalg.norm(v, norm)) for v in differences) / size


def projector(differences: Floats) -> Floats:
    """The orthogonal projector on the span of some vectors."""
    return np.asarray(np.linalg.pinv(differences) @ differences)


def gaussian_delta(mu: float, epsilon: float) -> float:
    """The privacy profile of two normal distributions, by adding up their densities."""
    x = np.linspace(-40, 40 + mu, 200_001)
    own = np.exp(-((x - mu) ** 2) / 2)
    other = np.exp(-(x**2) / 2)
    width = x[1] - x[0]
    return float(np.maximum(own - exp(epsilon) * other, 0).sum() * width / sqrt(2 * np.pi))


def laplace_delta(shift: float, epsilon: float) -> float:
    """The privacy profile of two Laplace distributions of scale 1, by adding up their densities."""
    x = np.linspace(-60, 60 + shift, 200_001)
    own, other = np.exp(-np.abs(x - shift)) / 2, np.exp(-np.abs(x)) / 2
    return float(np.maximum(own - exp(epsilon) * other, 0).sum() * (x[1] - x[0]))


def laplace_rho(shift: float) -> float:
    """The largest Renyi divergence over its order of two Laplace distributions of scale 1."""
    x = np.linspace(-60, 60 + shift, 100_001)
    own, other = -np.abs(x - shift) - log(2), -np.abs(x) - log(2)
    width = x[1] - x[0]
    best = float((np.exp(own) * (own - other)).sum() * width)  # the order falls to 1
    for order in (1.01, 1.1, 1.5, 2.0, 4.0, 16.0):
        total = float(np.exp(order * own + (1 - order) * other).sum() * width)
        best = max(best, log(total) / (order - 1) / order)
    return best


def matrix_of(rows: Sequence[Sequence[str | int]]) -> Floats:
    """A matrix as a section has it, in floating point."""
    return np.array([[float(Fraction(entry)) for entry in row] for row in rows])


def profile(constant: float, epsilon: float) -> float:
    """The delta of Gaussian noise of that many sensitivities, by 60 digits of mpmath."""
    with mpmath.workdps(60):
        mu, e = 1 / mpmath.mpf(constant), mpmath.mpf(epsilon)
        left = mpmath.ncdf(mu / 2 - e / mu)
        return float(left - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu))


def least_constant(epsilon: float, delta: float) -> float:
    """By bisection, how many sensitivities Gaussian noise needs for (epsilon, delta)."""
    low, high = 1e-6, 1e6
    for _ in range(45):
        middle = sqrt(low * high)
        if profile(middle, epsilon) > delta:
            low = middle
        else:
            high = middle
    return high


def laplace_shifts(scale: float, linear: Floats, moves: Floats) -> set[tuple[float, ...]]:
    """Of each move, by how many scales each independent Laplace variable moves; without signs.

    Args:
        linear: the columns that the variables are multiplied by, independent.
    """
    weights = moves @ np.linalg.pinv(linear).T / scale
    return {tuple(sorted(round(abs(float(w)), 12) for w in row)) for row in weights}


def product_rho(shifts: Iterable[tuple[float, ...]]) -> float:
    """rho of independent Laplace variables: the sum of s + e^-s - 1, for the worst move."""
    return max(sum(laplace_rho(s) for s in row if s) for row in shifts)


def product_delta(shifts: Iterable[tuple[float, ...]], epsilon: float) -> float:
    """delta of independent Laplace variables at epsilon, for the worst move: a sum over a grid.

    The loss of a variable that moves by s is s with probability 1/2, -s with e^-s / 2, and between
    them it has the density e^((loss - s) / 2) / 4.
    """
    return max(_product_delta([s for s in row if s], epsilon) for row in shifts)


def _product_delta(shifts: Sequence[float], epsilon: float, cells: int = 4000) -> float:
    if not shifts:
        return 0.0
    width = max(shifts) / cells
    law, start = np.ones(1), 0
    for s in shifts:
        half = round(s / width)
        edges = np.clip((np.arange(-half, half + 2) - 0.5) * width, -s, s)
        masses = np.diff(np.exp((edges - s) / 2) / 2)
        masses[0] += exp(-s) / 2
        masses[-1] += 0.5
        law, start = fftconvolve(law, masses), start - half
    losses = (start + np.arange(len(law))) * width
    return float((law * -np.expm1(np.minimum(epsilon - losses, 0))).sum())


def hull_noise(corners: Floats, number: int, generator: np.random.Generator) -> Floats:
    """Samples of K-norm noise at epsilon 1, K the hull of some vectors and their opposites.

    A uniform point of K, by qhull's facets, with a length of the distribution Gamma(s + 1).
    """
    _, sizes, right = np.linalg.svd(corners, full_matrices=False)
    basis = right[sizes > 1e-9 * sizes[0]]
    rank = len(basis)
    inside = corners @ basis.T
    both = np.unique(np.round(np.concatenate([inside, -inside]), 12), axis=0)
    lengths = generator.standard_gamma(rank + 1, size=(number, 1))
    if rank == 1:
        farthest = float(np.abs(both).max())
        return np.asarray(lengths * generator.uniform(-farthest, farthest, (number, 1)) @ basis)
    simplices = both[ConvexHull(both, qhull_options="Qt").simplices]
    volumes = np.abs(np.linalg.det(simplices))
    chosen = simplices[generator.choice(len(simplices), size=number, p=volumes / volumes.sum())]
    shares = generator.dirichlet(np.ones(rank + 1), size=number)[:, :rank]
    return np.asarray(lengths * np.einsum("ns,nsw->nw", shares, chosen) @ basis)


def ball_noise(norm: str, unit: Floats, number: int, generator: np.random.Generator) -> Floats:
    """Samples of the noise of density exp(-|v| / Delta), Delta the largest norm of ``unit``."""
    width = unit.shape[1]
    if norm == "l2":
        size = max(float(np.linalg.norm(v)) for v in unit)
        directions = generator.standard_normal((number, width))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        return np.asarray(size * directions * generator.standard_gamma(width, size=(number, 1)))
    if norm == "linf":
        size = max(float(np.abs(v).max()) for v in unit)
        box = generator.uniform(-1, 1, (number, width))
        return np.asarray(size * box * generator.standard_gamma(width + 1, size=(number, 1)))
    raise ValueError(norm)
