"""Algorithm 3: K-norm noise by rejection from a box that is not much larger than K."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from semiaudit import deadline

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

_BATCH = 20_000


class Rejection:
    """Uniform points of a box; those in K are kept and stretched by Gamma(s + 1).

    The shape s + 1 goes with points that are uniform in K, and not on its surface (E23).

    Args:
        weights: weights of the points whose hull is K, each with its opposite, in a basis of K's
            span: points x rank. The box is the smallest in these coordinates.
        walls: functionals, one per row, that are at most 1 exactly on K.

    Attributes:
        tried, kept: points so far.

    Source: Cho and Awan, Algorithm 3.
    """

    def __init__(self, weights: Integers, walls: Floats) -> None:
        self._ends = np.abs(weights).max(axis=0).astype(float)
        self._walls = walls
        self.tried = self.kept = 0

    def draw(self, number: int, generator: np.random.Generator) -> Floats:
        """Sample weights of noise for epsilon 1: number x rank."""
        rank = len(self._ends)
        accepted: list[Floats] = []
        missing = number
        while missing > 0:
            deadline.check()
            box = generator.uniform(-1, 1, (_BATCH, rank)) * self._ends
            inside = box[(box @ self._walls.T <= 1).all(axis=1)]
            self.tried += _BATCH
            self.kept += len(inside)
            accepted.append(inside[:missing])
            missing -= len(inside)
        lengths = generator.standard_gamma(rank + 1, size=(number, 1))
        return np.concatenate(accepted) * lengths
