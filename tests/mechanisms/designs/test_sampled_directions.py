"""Moments of K-norm noise from random directions, against a density with known moments.

The hull of +-e_1, ..., +-e_d has the l1 norm: its noise is d independent Laplace variables, of
variance 2 each.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.mechanisms.designs import sampled_directions
from semiaudit.mechanisms.designs.sampled_directions import sampled_moments
from semiaudit.mechanisms.sampling.hulls.gauges import GaugeOfPoints
from semiaudit.mechanisms.sampling.lattice import null_lattice
from semiaudit.mechanisms.sampling.sampling_methods import Walked
from tests.clocks import Ticks


def walk(rank: int, epsilon: float) -> Walked:
    axes = np.eye(rank, dtype=np.int64)
    return Walked(
        null_lattice([], rank), GaugeOfPoints(np.vstack([axes, -axes])), epsilon, "directions"
    )


def test_noise_of_the_l1_ball_is_that_of_independent_laplace_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sampled_directions, "MOST", 150)
    epsilon = 0.25
    moments = sampled_moments(walk(2, epsilon))
    # |x| = r (|cos a| + |sin a|)^-1 along the angle a, with r of Gamma(2).
    length, _ = quad(lambda a: 2 * (np.cos(a) + np.sin(a)) ** -3, 0, np.pi / 2)
    expected = length / epsilon, 2**0.5 / epsilon, 4 / epsilon**2
    for cost, value in zip(
        (moments.length, moments.deviation, moments.total), expected, strict=True
    ):
        assert cost.side == "estimate"
        assert abs(cost.value - value) < 4 * cost.error
        assert cost.error < 0.1 * value


def test_directions_end_at_their_number_and_at_the_time_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Norms of a long thin ball spread widely, so that the mean is never close."""
    monkeypatch.setattr(sampled_directions, "MOST", 41)
    asked = []

    def thin(_: GaugeOfPoints, direction: np.ndarray) -> float:
        asked.append(direction)
        return float(1e-3 + abs(direction[0]))

    monkeypatch.setattr(GaugeOfPoints, "of", thin)
    sampled_moments(walk(2, 1.0))
    assert len(asked) == 40
    with deadline.running(20.5, Ticks(1.0)), pytest.raises(OutOfTimeError):
        sampled_moments(walk(2, 1.0))
    assert len(asked) == 60
