"""The best of several tests at one type I error, and the ends that they give."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit.model.loss import LaplaceLoss, PrivacyLoss
from semiaudit.privacy.loss.curve.brackets import _achieved, operating_ends
from semiaudit.privacy.loss.direction import direction_of
from semiaudit.privacy.loss.normal_form import normal_form
from semiaudit.privacy.loss.tilted_product import on_grid


def test_the_least_error_and_the_largest_power_of_several_tests_are_achieved() -> None:
    tests: list[Any] = [
        SimpleNamespace(type_ii=lambda _, ends=ends: ends, first=())
        for ends in ((0.5, 0.0, 0.4), (0.25, 0.0, 0.1), (0.75, 0.0, 0.7))
    ]
    upper, power = _achieved(tests, 0.1, 0.0, chord=True)
    assert upper == 0.25
    assert 0.75 - 1e-15 <= power <= 0.75


@pytest.mark.parametrize("tilt", [0.0, 0.5])
@pytest.mark.parametrize("step", [1 / 2, 1 / 16])
def test_a_coarse_grid_keeps_the_test_that_rejects_above_the_least_loss(
    step: float, tilt: float
) -> None:
    """Laplace noise moved by 1 has the loss -1 with mass 1/2 under Q and e^-1 / 2 under P.

    The test that rejects Q at all larger losses has the type I error 1/2 and misses e^-1 / 2.
    """
    loss = normal_form(PrivacyLoss(((LaplaceLoss(Fraction(1)), 1),)))
    product = on_grid(direction_of(loss, 0), tilt, step, 1e-12)
    ((missed, power),) = operating_ends(own := [product], own, [Fraction(1, 2)], 1.0)
    truth = math.exp(-1) / 2
    assert missed[0] <= truth * (1 + 1e-12)
    assert power[1] >= (1 - truth) * (1 - 1e-12)
    assert truth * (1 - 1e-12) <= missed[1] <= truth * (1 + 1e-9)
    assert (1 - truth) * (1 - 1e-9) <= power[0] <= (1 - truth) * (1 + 1e-12)
