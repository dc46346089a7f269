"""The mean length of projected Laplace noise, which is sampled."""

from __future__ import annotations

import numpy as np

from semiaudit.mechanisms.designs.design_draft import Subspace
from semiaudit.mechanisms.designs.laplace_designs import _mean_of_projection


def test_a_sampled_mean_says_how_far_it_may_be_off() -> None:
    rows = np.array([[1, -1, 0], [0, 1, -1]])
    cost = _mean_of_projection(Subspace(tuple(map(tuple, rows.tolist()))), 2.0)
    noise = np.random.default_rng(99).laplace(scale=2.0, size=(400_000, 3))
    projected = noise - noise.mean(axis=1, keepdims=True)
    lengths = np.sqrt((projected**2).sum(axis=1))
    assert cost.side == "estimate"
    assert 1e-4 * cost.value < cost.error < 1e-2 * cost.value
    off = (cost.error**2 + lengths.var() / len(lengths)) ** 0.5
    assert abs(cost.value - lengths.mean()) < 5 * off
