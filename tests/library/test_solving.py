"""Solving for a parameter: the value meets the target, and the next one does not."""

from __future__ import annotations

import json
from decimal import Decimal
from math import erfc, exp, isclose, sqrt

import pytest

import semiaudit as sa
from semiaudit.cli import main


def gaussian_delta(mu: float, epsilon: float) -> float:
    """The exact profile of a Gaussian pair (Balle and Wang 2018, Theorem 8)."""

    def upper(x: float) -> float:
        return erfc(x / sqrt(2)) / 2

    return upper(epsilon / mu - mu / 2) - exp(epsilon) * upper(epsilon / mu + mu / 2)


@pytest.mark.parametrize(
    ("mechanism", "parameter", "target", "value", "extreme"),
    [
        (sa.Gaussian("0.3"), "sigma", sa.GDP("1/2"), "2", "least"),
        (sa.Laplace(7) * 3, "scale", sa.PureDP("3/2"), "2", "least"),
        (sa.DiscreteGaussian(sigma_squared=1), "sigma_squared", sa.ZCDP("0.1"), "5", ""),
        (sa.ZCDP(9), "rho", sa.ZCDP("0.25"), "0.25", "largest"),
        (sa.PureDP(1) + sa.ZCDP(1), "epsilon", sa.PureDP(1), None, None),
    ],
)
def test_values_with_a_closed_form(
    mechanism: sa.Mechanism, parameter: str, target: sa.Mechanism, value: str, extreme: str
) -> None:
    if value is None:
        with pytest.raises(sa.RefusedError, match="no value of epsilon"):
            sa.solve(mechanism, parameter, target)
        return
    found = sa.solve(mechanism, parameter, target)
    assert abs(found.value / Decimal(value) - 1) <= Decimal("1e-5")
    assert found.extreme == extreme


def test_sigma_of_an_epsilon_is_that_of_the_exact_profile() -> None:
    found = sa.solve(sa.Gaussian(1), "sigma", sa.ApproxDP(2, "1e-5"))
    sigma = float(found.value)
    assert gaussian_delta(1 / sigma, 2) <= 1e-5 < gaussian_delta(1 / (sigma * (1 - 2e-5)), 2)
    assert found.mechanism.guarantee().epsilon("1e-5") <= 2


def test_the_noise_of_gradient_descent_meets_its_target() -> None:
    start = sa.SubsampledGaussian(2, "0.01", 10)
    relation = {"metric": "symmetric_difference"}
    target = sa.ApproxDP(1, "1e-5")
    found = sa.solve(start, "noise_multiplier", target, metric="symmetric_difference")
    assert found.mechanism.guarantee(**relation).epsilon("1e-5") <= 1  # type: ignore[arg-type]
    less = sa.SubsampledGaussian(found.value - Decimal("0.00001"), "0.01", 10)
    assert not less.guarantee(**relation).epsilon("1e-5") <= 1  # type: ignore[arg-type]
    assert found.extreme == "least"


@pytest.mark.parametrize("parameter", ["sigma", "shifts", "steps"])
def test_what_cannot_be_solved_for_is_refused(parameter: str) -> None:
    with pytest.raises(ValueError, match="parameter: "):
        sa.solve(sa.Laplace(1) + sa.SubsampledGaussian(1, 1, 1), parameter, sa.GDP(1))


def test_the_command_shows_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["convert", "compose: [laplace: {scale: 1}, zcdp: {rho: 0.1}]", "--solve", "rho"]
    assert main([*asked, "--target", "rho=2", "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["solved"].startswith("rho 1.")
    assert answer["zcdp"]["rho"] <= 2
    assert isclose(answer["zcdp"]["rho"], 2, rel_tol=1e-5)
    for words in (["--solve", "rho"], ["--solve", "rho", "--target", "eps=1"]):
        assert main(["convert", "zcdp: {rho: 1}", *words]) == 2
