"""Gauge norms of symmetric hulls in floating point, by one linear program each.

A program maximizes the value of a functional that is at most 1 on the hull. The hull is that of
listed points, or of the moves that keep both margins of a table, which need not be listed.
"""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]


class GaugeNorm(Protocol):
    """The gauge norm of a hull, for points given by their weights in a lattice's basis."""

    def of(self, weights: Floats) -> float:
        """Return the least factor by which the hull must grow to contain a point."""


class GaugeOfPoints:
    """The hull of listed points.

    Args:
        points: the weights of the points, one per row; each point with its opposite.
    """

    def __init__(self, points: Integers | Floats) -> None:
        import numpy as np
        from scipy.sparse import csc_array

        self._rows = csc_array(points.astype(float))
        self._most = np.ones(len(points))

    def of(self, weights: Floats) -> float:
        """Return the gauge norm of a point."""
        return _highest(weights, self._rows, self._most)


class GaugeOfWalks:
    """The hull of the moves of at most ``length`` records that keep both margins of a table.

    A move is a closed walk through rows: +1 in the column through which it leaves a row, -1 if
    it arrives. Walks of 2 are the squares of Proposition 32, walks of 3 the hexagons too (E2). Each
    step's column can be chosen by itself: a functional is at most 1 on all walks if and only if
    there are heights of steps, above the functional's in every column, that add up to at most 1
    along every walk through rows.

    Args:
        rows, columns: of the table. A point's weights are its entries outside the first row and
            the first column, row-major.
        length: 2 or 3.

    Raises:
        ValueError: another length.
    """

    def __init__(self, rows: int, columns: int, length: int) -> None:
        import numpy as np
        from scipy.sparse import coo_array

        if length not in (2, 3):
            raise ValueError("moves of 2 or 3 records")
        self._rank = (rows - 1) * (columns - 1)
        height = {step: self._rank + at for at, step in enumerate(permutations(range(rows), 2))}
        entries: list[tuple[int, int, float]] = []
        most: list[float] = []
        for (start, end), place in height.items():
            for column in range(columns):
                at = len(most)
                entries.append((at, place, -1.0))
                for row, sign in ((start, 1.0), (end, -1.0)):
                    if row and column:
                        entries.append((at, (row - 1) * (columns - 1) + column - 1, sign))
                most.append(0.0)
        walks: list[tuple[int, ...]] = list(combinations(range(rows), 2))
        if length == 3:
            for a, b, c in combinations(range(rows), 3):
                walks += [(a, b, c), (a, c, b)]
        for walk in walks:
            at = len(most)
            turned = (*walk[1:], walk[0])
            entries += [(at, height[step], 1.0) for step in zip(walk, turned, strict=True)]
            most.append(1.0)
        places, others, values = zip(*entries, strict=True)
        shape = len(most), self._rank + len(height)
        self._rows = coo_array((values, (places, others)), shape=shape).tocsc()
        self._most = np.array(most)
        self._heights = np.zeros(len(height))

    def of(self, weights: Floats) -> float:
        """Return the gauge norm of a point."""
        import numpy as np

        return _highest(np.concatenate([weights, self._heights]), self._rows, self._most)


def _highest(goal: Floats, rows: object, most: Floats) -> float:
    """Return max goal . y subject to rows y <= most."""
    from scipy.optimize import linprog

    answer = linprog(-goal, A_ub=rows, b_ub=most, bounds=(None, None), method="highs-ds")
    if answer.status != 0:
        raise ArithmeticError(f"a linear program of a gauge norm failed: {answer.message}")
    return float(-answer.fun)
