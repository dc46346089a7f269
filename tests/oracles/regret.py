"""The regret of mu by its definition: how far a curve must move, down and to the left.

A curve is a list of operating points that tests of a pair reach. Nothing here uses a profile, and
no duality: every point is moved by itself until it lies on or below G_mu.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import binom

Floats = NDArray[np.float64]

CUTS = np.linspace(-12, 12, 2401)
"""Thresholds of the tests, in standard deviations of the noise."""


def sampled_points(removed: int, added: int, rate: float, sigma: float) -> list[tuple[float, Any]]:
    """(type I error, type II error) of tests "X > cut" of one step, both ways round.

    With all vectors on one line, the first dataset has the centres -j, the second the centres j.
    """
    first, second = (
        sum(binom.pmf(j, records, rate) * ndtr(sign * j / sigma - CUTS) for j in range(records + 1))
        for records, sign in ((removed, -1), (added, 1))
    )
    forward = zip(first, 1 - second, strict=True)
    backward = zip(1 - second, first, strict=True)
    return [*forward, *backward]


def hull(points: list[tuple[float, Any]]) -> list[tuple[float, float]]:
    """The lower convex hull, from (0, 1) to (1, 0)."""
    found: list[tuple[float, float]] = []
    for x, y in sorted([(0.0, 1.0), (1.0, 0.0), *points]):
        while len(found) > 1:
            (x0, y0), (x1, y1) = found[-2:]
            if (x1 - x0) * (y - y0) > (y1 - y0) * (x - x0):
                break
            found.pop()
        found.append((x, y))
    return found


def regret(points: list[tuple[float, Any]], mu: float) -> float:
    """The least kappa with f(a) - kappa <= G_mu(a - kappa) for the hull f of some points."""
    corners = hull(points)
    xs, ys = np.array(corners).T
    a = np.unique(np.concatenate([np.linspace(0, 1, 4001), xs]))
    b = np.interp(a, xs, ys)
    low, high = np.zeros_like(a), np.ones_like(a)
    for _ in range(60):
        kappa = (low + high) / 2
        left = np.clip(a - kappa, 0, 1)
        below = np.where(a <= kappa, 1.0, ndtr(-ndtri(left) - mu))
        fits = b - kappa <= below
        low, high = np.where(fits, low, kappa), np.where(fits, kappa, high)
    return float(high.max())
