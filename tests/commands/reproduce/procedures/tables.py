"""Tables with all one-way margins published: hulls of sensitivity spaces, and projections."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from semiaudit.commands.reproduce.model import Estimate, Ours
from semiaudit.commands.reproduce.procedures.additive_noise import DISTANCES, walls_of
from semiaudit.commands.reproduce.procedures.tables import SPACES, block_of, moves_of, table_changes
from semiaudit.commands.reproduce.results import counted, floating, simulated
from semiaudit.frozen import dataclass
from semiaudit.library.null_space import NullSpace
from semiaudit.mechanisms.sampling.hulls.hull_noise import Triangulated
from semiaudit.model.bound import exact

if TYPE_CHECKING:
    pass

DRAWS, SEED = 200_000, 2026


def is_figure_1_an_element() -> bool:
    gained, lost = ((2, 2), (5, 5)), ((2, 5), (5, 2))
    cells = [(row, column) for row in range(1, 8) for column in range(1, 7)]
    drawn = tuple(int(cell in gained) - int(cell in lost) for cell in cells)
    negative = tuple(-value for value in drawn)
    return bool({drawn, negative} & {*table_changes(7, 6, 2)})


@dataclass(frozen=True, slots=True)
class SampledHull:
    """The hull of a sensitivity space for Algorithm 3.

    Attributes:
        accepted: the share of a box that it fills.
    """

    facets: Ours
    accepted: Estimate


def hull(k: int, distance: int) -> SampledHull:
    """Return the hull of a k x k table's sensitivity space, exactly."""
    moves = moves_of(k, distance)
    triangulated = Triangulated(moves, block_of(moves, k), (k, k))
    share = triangulated.volume / 2 ** ((k - 1) ** 2)
    return SampledHull(
        counted(triangulated.facets, "facets", SPACES),
        floating(share, "the volume of the hull over a box's"),
    )


def projector(k: int) -> dict[str, Ours]:
    rows = NullSpace(_margin_rows(k)).projector()
    trace = sum((rows[place][place] for place in range(k * k)), Fraction(0))
    return {
        "corner": exact(rows[0][0], "null_space", SPACES),
        "signs": ", ".join(str(4 * value) for value in rows[0]),
        "trace": exact(trace, "null_space", SPACES),
    }


def norms_that_grow() -> dict[str, Estimate]:
    """Return how often projection makes a norm of Laplace noise on a 3x3 table larger.

    See erratum E8.
    """
    rows = NullSpace(_margin_rows(3)).projector()
    matrix = np.array([[float(value) for value in row] for row in rows])
    before = np.random.default_rng(SEED).laplace(size=(DRAWS, 9))
    after = before @ matrix
    shares: dict[str, Estimate] = {}
    for name, order in (("l1", 1), ("l2", 2), ("linf", np.inf)):
        old, new = (np.linalg.norm(drawn, order, axis=1) for drawn in (before, after))
        share = float((new > old * (1 + 1e-12)).mean())
        shares[name] = simulated(share, f"of {DRAWS} samples of Laplace noise")
    return shares


def _margin_rows(k: int) -> list[list[int]]:
    cells = [(i, j) for i in range(k) for j in range(k)]
    of_rows = [[int(i == row) for i, _ in cells] for row in range(k)]
    return of_rows + [[int(j == column) for _, j in cells] for column in range(k)]


def epsilon_of_the_printed_hull() -> Estimate:
    """Return the largest loss between 3x3 tables at a(t) = 3 with noise for the printed hull."""
    walls = walls_of(block_of(moves_of(3, DISTANCES["printed"]), 3))
    most = float((walls @ block_of(moves_of(3, DISTANCES["corrected"]), 3).T).max())
    return floating(most, "the largest gauge of a move")
