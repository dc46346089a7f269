"""Noise in a subspace against its own divergences, integrated numerically."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from semiaudit.mechanisms.laws import HullLaw, LaplaceLaw
from semiaudit.model.measure import ZCDP, PureDP

ORDERS = (1.0, 1.5, 2.0, 4.0, 16.0)


@cache
def divergence_over_order(move: float, order: float) -> float:
    """The Renyi divergence of Laplace(0, 1) from Laplace(move, 1), over its order, by a sum over a
    grid; at order 1 the Kullback-Leibler divergence."""
    x = np.linspace(-50.0, 50.0 + move, 200_001)
    p, q = -np.abs(x), -np.abs(x - move)
    step = (x[1] - x[0]) / 2
    if order == 1:
        return float((np.exp(p) * (p - q)).sum() * step)
    divergence = math.log(float(np.exp(order * p + (1 - order) * q).sum() * step)) / (order - 1)
    return divergence / order


def product_rho(weights: Sequence[Sequence[int]], scale: float) -> float:
    """The largest divergence over its order of the worst row, over a grid of orders from 1."""
    return max(
        sum(divergence_over_order(abs(weight) / scale, order) for weight in row)
        for row in weights
        for order in ORDERS
    )


def numbers_of(law: LaplaceLaw, changes: list[tuple[int, ...]]) -> tuple[float, float]:
    measures = law.loss(changes, exact=True)
    rho = min(m.rho for m in measures if isinstance(m, ZCDP))
    epsilon = min(m.epsilon for m in measures if isinstance(m, PureDP))
    return float(rho), float(epsilon)


@pytest.mark.parametrize("seed", range(40))
def test_rho_of_laplace_noise_with_independent_rows_is_that_of_the_worst_change(seed: int) -> None:
    rng = random.Random(seed)
    rank, width = rng.choice([(1, 3), (3, 3), (5, 5), (6, 7)])
    while True:
        rows = [[rng.randint(-2, 2) for _ in range(width)] for _ in range(rank)]
        if np.linalg.matrix_rank(np.array(rows)) == rank:
            break
    scale = Fraction(rng.randint(2, 12), rng.randint(1, 3))
    weights = [
        [rng.choice((0, 0, -3, -2, -1, 1, 2, 3)) for _ in range(rank)]
        for _ in range(rng.randint(1, 9))
    ]
    changes = [tuple(int(v) for v in np.array(w) @ np.array(rows)) for w in weights]
    rho, epsilon = numbers_of(LaplaceLaw(tuple(map(tuple, rows)), scale), changes)
    worst = product_rho(weights, float(scale))
    assert rho == pytest.approx(worst, rel=1e-5, abs=1e-6)  # the width of the grid
    norm = max(sum(map(abs, row)) for row in weights)
    assert epsilon == pytest.approx(norm / float(scale), rel=1e-12)


def test_a_sum_over_two_variables_is_below_one_variable_that_moves_as_far() -> None:
    """By hand: two variables moved by 1/2 each lose 2 (1/2 + e^-1/2 - 1); one moved by 1, e^-1."""
    law = LaplaceLaw(((1, 0), (0, 1)), Fraction(2))
    rho, _ = numbers_of(law, [(1, 1)])
    assert rho == pytest.approx(2 * (0.5 + math.exp(-0.5) - 1), rel=1e-12)
    both, _ = numbers_of(law, [(1, 1), (2, 0)])
    assert both == pytest.approx(math.exp(-1), rel=1e-12)
    mixed, _ = numbers_of(law, [(1, 1), (1, 0)])
    assert mixed == rho


def test_noise_of_a_hull_on_a_line_loses_epsilon_times_the_norm() -> None:
    law = HullLaw(((1, -1),), [(2, -2), (-2, 2)], Fraction(3))
    pure = [one for one in law.loss([(1, -1), (3, -3)], exact=True) if isinstance(one, PureDP)]
    assert [one.epsilon for one in pure] == [Fraction(9, 2)]
    assert [one.exact for one in pure] == [True]
