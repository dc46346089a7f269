"""The ellipsoid of least mean squared error that holds a sensitivity space.

Gaussian noise of covariance C is mu-GDP if v^T C^-1 v is at most mu^2 for every v of the space,
that is, if the ellipsoid {v : v^T C^-1 v <= mu^2} holds it. Theorem 3.11 of Gao, Gong and Yu takes
ellipsoids of least volume, again and again; of all that hold the space, the one of least trace has
the least mean squared error, so that it is never worse than these, nor than a ball (Corollary 3.6).

The dual is to share weights w among the vectors: with M = sum w v v^T, any C is at least as long as
tr(M^(1/2))^2 in trace, and C = tr(M^(1/2)) M^(1/2) attains it at the best weights. They are found
by multiplying each weight by a power of v^T M^(-1/2) v / tr(M^(1/2)), whose weighted mean is 1.
Whatever the weights are, the largest v^T M^(-1/2) v tells by how much the ellipsoid must grow, and
the audit of the rounded covariance tells it exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

MAX_STEPS = 500
"""Steps at most; the best ellipsoid of all steps is kept."""

_CLOSE = 1e-3
"""The trace is that close to the least one when the steps end early."""

_POWER = 3
"""By which a step is longer than one that is proven to lower the trace."""

_RIDGE = 1e-12
"""Of the largest eigenvalue: directions that lose all weight keep so much of it."""


@dataclass(frozen=True, slots=True)
class Ellipsoid:
    """A covariance whose ellipsoid of radius 1 holds a set of vectors.

    Attributes:
        covariance: in the coordinates of the vectors.
        gap: its trace over the least one, less 1, at most.
    """

    covariance: Floats
    gap: float


def least_trace_ellipsoid(vectors: Floats) -> Ellipsoid:
    """The ellipsoid of about least trace that holds some vectors, which span their space.

    Args:
        vectors: by rows, one of each pair of opposite signs, of full column rank.
    """
    weights = np.full(len(vectors), 1 / len(vectors))
    best: Floats | None = None
    lowest, bound = np.inf, 0.0
    for _ in range(MAX_STEPS):
        moment = (vectors * weights[:, None]).T @ vectors
        sizes, axes = np.linalg.eigh(moment)
        roots = np.sqrt(np.maximum(sizes, sizes[-1] * _RIDGE))
        total = float(roots.sum())
        placed = vectors @ axes
        reach = (placed**2 / roots).sum(axis=1)
        farthest = float(reach.max())
        bound = max(bound, total * total)
        trace = farthest * total
        if trace < lowest:
            lowest, best = trace, (axes * roots) @ axes.T * farthest
        if lowest <= bound * (1 + _CLOSE):
            break
        weights = weights * (reach / total) ** _POWER
        weights /= weights.sum()
    if best is None:
        raise ValueError("there are no vectors")
    return Ellipsoid(np.asarray(best), lowest / bound - 1)
