"""The longest projected step under margins, and the gauge norm of a hull."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from semiaudit import audit
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Margin, constraints_of
from semiaudit.universe.sensitivity.gauge import GaugeBounds, gauge
from semiaudit.universe.sensitivity.projection import _largest, _of_margins
from tests.samples import slow_cases


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


def null(rows: Any, width: int) -> Any:
    """An orthonormal basis of the null space of a matrix, as columns."""
    _, scale, right = np.linalg.svd(np.array(rows, dtype=float).reshape(-1, width))
    return right[int(np.sum(scale > 1e-9)) :].T


def margin_rows(cells: list[tuple[int, ...]], places: tuple[int, ...]) -> list[list[int]]:
    levels = sorted({tuple(cell[p] for p in places) for cell in cells})
    return [[int(tuple(cell[p] for p in places) == one) for cell in cells] for one in levels]


@pytest.mark.parametrize("seed", [*range(40), *slow_cases(range(40, 2040))])
def test_subspace_dp_projects_on_the_changes_that_keep_the_invariants(seed: int) -> None:
    """N is the query of the null space of T over the cells that are possible."""
    chance = random.Random(seed)
    sizes = [chance.randint(2, 3) for _ in range(chance.randint(1, 3))]
    names = "abc"[: len(sizes)]
    cells = list(product(*map(range, sizes)))
    zeros = [chance.choice(cells)] if len(sizes) > 1 and chance.random() < 0.3 else []
    able = [cell for cell in cells if cell not in zeros]
    places = [p for n in range(1, len(sizes) + 1) for p in combinations(range(len(sizes)), n)]
    published, asked = (
        chance.sample(places, min(len(places), chance.randint(1, 2))) for _ in range(2)
    )
    told = [row for margin in published for row in margin_rows(able, margin)]
    query = [row for margin in asked for row in margin_rows(able, margin)]
    sizes_free = chance.random() < 0.3
    spec: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {
            "attributes": dict(zip(names, sizes, strict=True)),
            "impossible": [dict(zip(names, zero, strict=True)) for zero in zeros],
        },
        "invariants": [{"margin": [names[p] for p in margin]} for margin in published],
        "mechanism": {
            "gaussian": {
                "sigma": 1,
                "query": {"margins": [[names[p] for p in margin] for margin in asked]},
            }
        },
    }
    if not zeros:
        del spec["dataspace"]["impossible"]
    if sizes_free:
        spec["adjacency"] = {"metric": "symmetric_difference"}
    row = audit(spec).subspace_dp
    width, columns = len(able), np.array(query, dtype=float)
    linear = np.linalg.matrix_rank([*query, *told]) == np.linalg.matrix_rank(query)
    if not linear:
        assert row.refused
        return
    left, scale, _ = np.linalg.svd(columns @ null(told, width), full_matrices=False)
    basis = left[:, scale > 1e-9]
    steps = list(columns.T) if sizes_free else [a - b for a, b in combinations(columns.T, 2)]
    true = max(float(np.sum((basis.T @ step) ** 2)) for step in steps)
    if row.refused:
        assert not true
        return
    assert row.rho is not None
    assert float(row.rho) == pytest.approx(true / 2, abs=1e-9)


def test_a_margin_that_follows_from_another_one_is_projected_too() -> None:
    spec: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"attributes": {"a": 4, "b": 3}},
        "invariants": [{"margin": ["a"]}, {"margin": ["b"]}],
        "mechanism": {"gaussian": {"sigma": 1, "query": {"margins": [["a", "b"], ["a"]]}}},
    }
    row = audit(spec).subspace_dp
    assert row.rho is not None
    assert row.rho.value == Fraction(3, 4)


AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
CORNERS = [(1, 1, 1), (1, 1, -1), (1, -1, 1), (1, -1, -1)]


@pytest.mark.parametrize("target", list(product([-2, 0, 1], repeat=3)))
def test_axes_have_the_l1_norm_and_the_corners_of_a_cube_the_largest_coordinate(
    target: tuple[int, int, int],
) -> None:
    total, largest = Fraction(sum(map(abs, target))), Fraction(max(map(abs, target)))
    assert gauge(AXES, target) == GaugeBounds(total, total)
    assert gauge(CORNERS, target) == GaugeBounds(largest, largest)


def test_what_lies_outside_the_span_has_no_norm_but_0_has() -> None:
    assert gauge([(1, 0, 0)], (0, 1, 0)) is None
    assert gauge([], (1,)) is None
    assert gauge([], (0,)) == GaugeBounds(Fraction(0), Fraction(0))
    half = Fraction(1, 2)
    assert gauge([(2, 0)], (1, 0)) == GaugeBounds(half, half)
