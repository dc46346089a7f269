"""The longest projected step under margins, against the projector."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin, constraints_of
from semiaudit.universe.sensitivity.projection import _largest, _of_margins


@pytest.mark.parametrize("sizes", [(2, 3), (2, 1), (1, 3, 2), (2, 2, 2), (3, 1, 1)])
@pytest.mark.parametrize("pairs", [False, True])
def test_margins_leave_the_longest_step_of_their_projector(
    sizes: tuple[int, ...], pairs: bool
) -> None:
    names = "abc"[: len(sizes)]
    space = TableSpace("record", None, tuple(map(Attribute, names, sizes)))
    cells = list(product(*map(range, sizes)))
    for number in (1, 2):
        for chosen in combinations(combinations(range(len(sizes)), 2), number):
            rows = [
                [float(all(cell[p] == k for p, k in zip(places, levels, strict=True)))
                 for cell in cells]
                for places in chosen
                for levels in product(*(range(sizes[p]) for p in places))
            ]  # fmt: skip
            matrix = np.array(rows)
            projector = np.eye(len(cells)) - np.linalg.pinv(matrix) @ matrix
            steps = np.eye(len(cells))
            if pairs:
                steps = np.array([a - b for a, b in combinations(steps, 2)])
            truth = max(float(step @ projector @ step) for step in steps)
            margins = constraints_of(
                tuple(Margin(tuple(names[p] for p in places)) for places in chosen)
            )
            found = _of_margins(space, margins, Fraction(9), pairs=pairs)
            assert float(found) == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize("pairs", [False, True])
def test_exact_elimination_finds_the_longest_step_of_the_projector(pairs: bool) -> None:
    chance = np.random.default_rng(7 + pairs)
    for number in (0, 0, *range(1, 6)) * 8:
        cells, steps = int(chance.integers(number + 1, 8)), int(chance.integers(2, 6))
        matrix = chance.integers(-3, 4, size=(number, cells))
        if number and np.linalg.matrix_rank(matrix) < number:
            continue
        columns = chance.integers(-2, 3, size=(cells, steps))
        moves = columns.T
        if pairs:
            moves = np.array([a - b for a, b in combinations(columns.T, 2)])
        projector = np.eye(cells) - np.linalg.pinv(matrix) @ matrix if number else np.eye(cells)
        found = _largest(sparse(matrix), sparse(columns.T), pairs=pairs)
        assert found is not None
        truth = max(float(move @ projector @ move) for move in moves)
        assert float(found) == pytest.approx(truth, abs=1e-9)


def sparse(rows: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> list[dict[int, int]]:
    return [{place: int(entry) for place, entry in enumerate(row) if entry} for row in rows]
