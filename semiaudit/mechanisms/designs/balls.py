"""The unit balls of K-norm designs, and containment between them (Cho and Awan, Definition 8).

K-norm noise has a density proportional to exp(-|v|_B), with the unit ball B = (Delta / epsilon) K.
Independent Laplace variables are such noise, and so are Laplace variables along a basis. The
smaller of two nested balls is preferred: at every distance, more of its noise is close to 0.
"""

from __future__ import annotations

from math import sqrt
from typing import Literal, assert_never

import numpy as np
import numpy.typing as npt

from semiaudit.frozen import dataclass
from semiaudit.mechanisms.designs.design_draft import DesignDraft, Facts
from semiaudit.mechanisms.sampling.hulls.gauges import GaugeOfPoints

Floats = npt.NDArray[np.float64]

Norm = Literal["l1", "l2", "linf"]

_CLOSE = 1e-6
"""Scales are rounded, so a ball that is longer by this part still counts as contained."""

MOST_CORNERS = 1_024
"""The most corners of a cube that are checked."""

MOST_GAUGES = 2_000_000
"""The most corners of one ball times corners of the hull that measures them."""


@dataclass(frozen=True, slots=True)
class RoundBall:
    """The ball of an l_p norm on all coordinates."""

    norm: Norm
    radius: float
    width: int

    def norms(self, vectors: Floats) -> Floats:
        """Return the norms of some vectors; the ball contains those of norm at most 1."""
        order = {"l1": 1, "l2": 2, "linf": np.inf}[self.norm]
        return np.asarray(np.linalg.norm(vectors, ord=order, axis=1)) / self.radius

    def corners(self) -> Floats | None:
        """Return one corner of each pair of opposite ones; None if there are none, or too many."""
        match self.norm:
            case "l1":
                return self.radius * np.eye(self.width)
            case "l2":
                return None
            case "linf":
                if 2 ** (self.width - 1) > MOST_CORNERS:
                    return None
                signs = np.indices((2,) * self.width).reshape(self.width, -1).T * 2 - 1
                return self.radius * signs[: len(signs) // 2].astype(float)
            case _:
                assert_never(self.norm)


@dataclass(frozen=True, slots=True)
class HullBall:
    """The hull of some vectors and their opposites."""

    vectors: Floats

    def corners(self) -> Floats:
        """Return one of each pair of opposite vectors, including all corners."""
        return self.vectors


Ball = RoundBall | HullBall


def ball_of(draft: DesignDraft, facts: Facts) -> Ball | None:
    """Return the unit ball of a design's noise; None if it is not K-norm noise, or not listed."""
    more, width, size = dict(draft.more), facts.coordinates, float(draft.value)
    if draft.kind == "laplace" and draft.matrix is not None:
        rows = np.array([[float(k) for k in row] for row in draft.matrix.rows])
        return HullBall(rows[:, facts.active] * size)
    if "support" in more:
        return None
    if draft.kind == "laplace":
        return RoundBall("l1", size, width)
    if draft.kind != "k_norm":
        return None
    match more["norm"]:
        case "l2":
            return RoundBall("l2", sqrt(facts.unit.l2_squared.value) / size, width)
        case "linf":
            return RoundBall("linf", float(facts.unit.linf.value) / size, width)
        case _:
            vectors = facts.vectors
            return None if vectors is None else HullBall(vectors[:, facts.active] / size)


def contains(outer: Ball, inner: Ball) -> bool:
    """Return whether a ball is proven to contain another one; False if unknown."""
    corners = inner.corners()
    match outer:
        case RoundBall():
            if corners is not None:
                return bool(outer.norms(corners).max() <= 1 + _CLOSE)
            return isinstance(inner, RoundBall) and _holds_round(outer, inner)
        case HullBall():
            return corners is not None and _holds_corners(outer, corners)
        case _:
            assert_never(outer)


def _holds_round(outer: RoundBall, inner: RoundBall) -> bool:
    """Decide containment by norms: the farthest point of the inner ball lies on an axis or on the
    diagonal.
    """
    axis = np.zeros((1, inner.width))
    axis[0, 0] = 1
    directions = np.concatenate([axis, np.ones((1, inner.width))])
    points = directions / inner.norms(directions)[:, None]
    return bool(outer.norms(points).max() <= 1 + _CLOSE)


def _holds_corners(outer: HullBall, corners: Floats) -> bool:
    if len(corners) * len(outer.vectors) > MOST_GAUGES:
        return False
    _, sizes, right = np.linalg.svd(outer.vectors, full_matrices=False)
    basis = right[sizes > sizes[0] * 1e-9]
    inside = corners @ basis.T
    if np.abs(inside @ basis - corners).max() > 1e-9 * np.abs(corners).max():
        return False
    points = outer.vectors @ basis.T
    gauge = GaugeOfPoints(np.concatenate([points, -points]))
    return all(gauge.of(corner) <= 1 + _CLOSE for corner in inside)
