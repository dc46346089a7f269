"""delta of noise in a subspace from its density, summed point by point; nothing here knows a norm's
or a tradeoff function's theory.

Each function is of an epsilon and the changes of an answer; it returns the largest sum of
max(p - e^epsilon q, 0) over the changes, or None where the support has too many dimensions.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from tests.oracles.subspace_noise import Matrix, projector

MOST_WIDE = 4
REACH = 6
STEP = 0.002
PLANE = 601
"""Points of a plane's grid along each side: sums are right to less than 10^-3."""


def basis_of(span: Matrix) -> Matrix:
    """Orthonormal rows of the span of some vectors."""
    values, vectors = np.linalg.eigh(projector(span))
    return np.asarray(vectors[:, values > 1e-8].T)


def _over(p: Matrix, q: Matrix, epsilon: float) -> float:
    return float(np.maximum(p - np.exp(epsilon) * q, 0).sum())


def lattice_delta(span: Matrix, variance: float, changes: Matrix, epsilon: float) -> float | None:
    """Of discrete Gaussian noise on the whole vectors of a subspace."""
    width = span.shape[1]
    if width > MOST_WIDE:
        return None
    points = np.array(list(product(range(-REACH, REACH + 1), repeat=width)), dtype=float)
    beside = np.abs(points - points @ projector(span)).max(axis=1)
    points = points[beside < 1e-7]
    still = np.exp(-(points**2).sum(axis=1) / (2 * variance))
    # What lies beyond the points has next to no mass around 0, from where p is taken.
    moved = (np.exp(-((points - v) ** 2).sum(axis=1) / (2 * variance)) for v in changes)
    return max(_over(still / still.sum(), q / still.sum(), epsilon) for q in moved)


def laplace_delta(span: Matrix, scale: float, changes: Matrix, epsilon: float) -> float | None:
    """Of independent Laplace variables that are projected on a line.

    Their sum has the product of characteristic functions, turned around on a grid.
    """
    basis = basis_of(span)
    if len(basis) != 1:
        return None
    number = 2**17
    frequency = 2 * np.pi * np.fft.fftfreq(number, STEP)
    function = np.ones(number)
    for weight in basis[0]:
        function = function / (1 + (scale * weight * frequency) ** 2)
    density = np.maximum(np.fft.fftshift(np.real(np.fft.ifft(function))), 0)
    density /= density.sum()
    places = {round(abs(float(change @ basis[0])) / STEP) for change in changes}
    return max(_over(np.roll(density, place), density, epsilon) for place in places)


def hull_delta(
    corners: Matrix, own: float, changes: Matrix, epsilon: float, most: int = 12
) -> float | None:
    """Of the K-norm mechanism of a hull with an epsilon of its own, on a line or in a plane."""
    basis = basis_of(corners)
    if len(basis) > 2:
        return None
    ends = np.vstack([corners, -corners]) @ basis.T
    far = np.abs(ends).max()
    if len(basis) == 1:
        points, walls = np.linspace(-40 * far, 40 * far, 80_001)[:, None], np.array([[1 / far]])
        walls = np.vstack([walls, -walls])
    else:
        try:
            hull = ConvexHull(ends)
        except QhullError:
            return None
        walls = hull.equations[:, :2] / -hull.equations[:, 2:3]
        side = np.linspace(-14 * far, 14 * far, PLANE)
        points = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    still = np.exp(-own * (points @ walls.T).max(axis=1))
    best = 0.0
    for change in changes[:most]:
        moved = np.exp(-own * ((points - change @ basis.T) @ walls.T).max(axis=1))
        best = max(best, _over(still / still.sum(), moved / still.sum(), epsilon))
    return best
