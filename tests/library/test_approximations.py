"""Approximations as the library offers them: labeled, without a side, and with named arguments."""

from __future__ import annotations

from typing import Any

import pytest

from semiaudit import (
    DPSGD,
    Approximation,
    ApproxTradeoff,
    CentralLimit,
    Edgeworth,
    GaussianTradeoff,
    LastIterate,
)


def every_number() -> list[Approximation]:
    limit, edgeworth = CentralLimit(GaussianTradeoff(1)), Edgeworth(GaussianTradeoff(1))
    descent, table = DPSGD(1, "0.1", 10), LastIterate("2/3", 40, "0.9999")
    return [
        limit.mu,
        limit.gap,
        limit.loss_mean,
        limit.loss_variance,
        limit.type_ii("0.05"),
        limit.delta(1),
        edgeworth.type_ii("0.05"),
        edgeworth.delta(1),
        edgeworth.epsilon("1e-5"),
        descent.limit_mu(),
        descent.limit_epsilon("1e-5"),
        descent.edgeworth_epsilon("1e-5"),
        table.mu(2),
        table.rho(2),
        table.composition_mu(2),
        table.epsilon(2, "1e-5", "renyi"),
    ]


def test_every_approximation_says_that_it_is_not_a_guarantee() -> None:
    for found in every_number():
        assert isinstance(found, Approximation)
        assert "not a guarantee" in str(found)
        assert found.caveat
        anything: Any = found
        with pytest.raises(TypeError):
            float(anything)
        with pytest.raises(TypeError):
            _ = anything <= 1


def test_one_convention_mu_and_not_its_square() -> None:
    """Two Gaussians with mu 3 and 4 together have mu 5, in every class."""
    both = GaussianTradeoff(3) @ GaussianTradeoff(4)
    assert CentralLimit(both).mu.estimate == pytest.approx(5, abs=1e-12)
    assert both.renyi_divergence(1).value == CentralLimit(both).loss_mean.estimate == 12.5
    assert LastIterate("0.5", 1, "0.5").mu(1).estimate == 0.5
    # without sampling, four steps of noise 2 are one of noise 1: epsilon 4.377178 at 1e-5
    assert DPSGD(2, 1, 4).grid_epsilon("1e-5").estimate == pytest.approx(4.377178, rel=1e-4)


def test_arguments_out_of_range_are_errors_with_their_name() -> None:
    wrong: Any = "batch"
    with pytest.raises(ValueError, match="infinite with"):
        CentralLimit(ApproxTradeoff(1, "0.1"))
    with pytest.raises(ValueError, match="delta: 0 is out of range"):
        Edgeworth(GaussianTradeoff(1)).epsilon(0)
    with pytest.raises(ValueError, match="delta: 0 is out of range"):
        DPSGD(1, "0.1", 10).limit_epsilon(0)
    with pytest.raises(ValueError, match="noise_multiplier: 0"):
        DPSGD(0, "0.1", 10)
    with pytest.raises(ValueError, match="sampling_rate: 2"):
        DPSGD(1, 2, 10)
    with pytest.raises(ValueError, match=r"steps: 10.5 is not a whole number"):
        DPSGD(1, "0.1", "10.5").grid_epsilon("1e-5")
    with pytest.raises(ValueError, match="contraction: 1 is out of range"):
        LastIterate(1, 1, 1)
    with pytest.raises(ValueError, match="sampling: there is no batch"):
        DPSGD(1, "0.1", 10).limit_mu(wrong)
    with pytest.raises(ValueError, match="accounting: there is no batch"):
        LastIterate(1, 1, "0.5").epsilon(1, "1e-5", wrong)


def test_they_are_shown_as_python_writes_them() -> None:
    assert repr(CentralLimit(GaussianTradeoff(1))) == "CentralLimit(GaussianTradeoff(1))"
    assert repr(Edgeworth(GaussianTradeoff(1))) == "Edgeworth(GaussianTradeoff(1))"
    assert repr(DPSGD(1, "0.1", 10)) == "DPSGD(1.0, 0.1, 10.0)"
    assert repr(LastIterate(1, 40, "0.5")) == "LastIterate(1.0, 40, 0.5)"
