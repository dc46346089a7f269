"""Tests at a type I error: the best of several, the ends that they give, and the chord below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from mpmath import mp

from semiaudit.model.loss import FiniteLoss, LaplaceLoss, PrivacyLoss, RandomizedResponseLoss
from semiaudit.privacy import loss
from semiaudit.privacy.loss.bracket import Accuracy, Bracket
from semiaudit.privacy.loss.direction import direction_of
from semiaudit.privacy.loss.engine import power_bracket, type_ii_bracket
from semiaudit.privacy.loss.normal_form import normal_form
from semiaudit.privacy.loss.tilted_product import on_grid
from semiaudit.privacy.loss.tradeoff_ends import _achieved, chord_of_tests, operating_ends
from tests.oracles.losses import exactly


@pytest.mark.parametrize("seed", range(20))
def test_the_chord_of_a_slope_is_the_lowest_of_all_pairs_of_tests(seed: int) -> None:
    """Each slope is that of the convex hull at the type I error, above 1 or below."""
    chance = np.random.default_rng(seed)
    errors = [(chance.random(6), chance.random(6)) for _ in range(2)]
    tests = [(0.0, 1.0), (1.0, 0.0)]
    for x, y in errors:
        tests += [*zip(x, y, strict=True), *zip(y, x, strict=True)]
    for type_i in (0.001, 0.02, 0.1, 0.3, 0.6, 0.95):
        lowest, slope = min(
            (y1 + (y2 - y1) * (type_i - x1) / (x2 - x1), (y1 - y2) / (x2 - x1))
            for x1, y1 in tests
            for x2, y2 in tests
            if x1 <= type_i < x2
        )
        found = chord_of_tests(errors, type_i, abs(math.log(slope)))
        assert lowest <= found <= lowest + 1e-12


def test_the_least_error_and_the_largest_power_of_several_tests_are_achieved() -> None:
    tests: list[Any] = [
        SimpleNamespace(type_ii=lambda _, ends=ends: ends, first=())
        for ends in ((0.5, 0.0, 0.4), (0.25, 0.0, 0.1), (0.75, 0.0, 0.7))
    ]
    upper, _, power = _achieved(tests, 0.1, 0.0, chord=True)
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
    ((missed, power),) = operating_ends(
        own := [product], own, [Fraction(1, 2)], 1.0, [np.ones(1)], None
    )
    truth = math.exp(-1) / 2
    assert missed[0] <= truth * (1 + 1e-12)
    assert power[1] >= (1 - truth) * (1 - 1e-12)
    assert truth * (1 - 1e-12) <= missed[1] <= truth * (1 + 1e-9)
    assert (1 - truth) * (1 - 1e-9) <= power[0] <= (1 - truth) * (1 + 1e-12)


APART = FiniteLoss((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
LOSS = PrivacyLoss(((APART, 1), (LaplaceLoss(Fraction(1)), 2)))


@pytest.mark.parametrize("type_i", [Fraction(0), Fraction(1, 100), Fraction(1, 2)])
def test_errors_of_pairs_without_a_common_outcome_are_0_and_complete(type_i: Fraction) -> None:
    assert type_ii_bracket(LOSS, type_i, Accuracy()) == Bracket(0.0, 0.0, "exact", True)
    assert power_bracket(LOSS, type_i, Accuracy()) == Bracket(1.0, 1.0, "exact", True)


def test_a_test_far_from_its_epsilon_keeps_the_mass_behind_the_last_one() -> None:
    """Tests end 300 nats from their epsilon; what is behind them has mass under Q, too."""
    first = [Fraction(n, 965301) for n in (750000, 25, 25, 215251)]
    second = [Fraction(n, 1174471) for n in (250000, 500000, 49471, 375000)]
    product_of_pairs = PrivacyLoss(
        (
            (FiniteLoss(tuple(first), tuple(second)), 1),
            (RandomizedResponseLoss(Fraction(1), 2), 1),
            (RandomizedResponseLoss(Fraction(30), 2), 3),
        )
    )
    type_i = Fraction(5618562741184279, 9007199254740992)
    with mp.workdps(80):
        atoms = [(mp.mpf(1), mp.mpf(1))]
        pairs = [[(mp.mpf(p.numerator) / p.denominator, mp.mpf(q.numerator) / q.denominator)
                  for p, q in zip(first, second, strict=True)]]  # fmt: skip
        for epsilon in (1, 30, 30, 30):
            kept = mp.exp(epsilon) / (1 + mp.exp(epsilon))
            pairs.append([(kept, 1 - kept), (1 - kept, kept)])
        for pair in pairs:
            atoms = [(a * p, b * q) for a, b in atoms for p, q in pair]
        truth = min(
            best_type_ii(sorted(law, key=lambda atom: -atom[1] / atom[0]), type_i)
            for law in (atoms, [(b, a) for a, b in atoms])
        )
        found = loss.type_ii_at(product_of_pairs, type_i, Accuracy(1e-6, 5.0))
        assert found is not None
        assert exactly(found.lower) <= truth <= exactly(found.upper)


def best_type_ii(atoms: Sequence[tuple[Any, Any]], type_i: Fraction) -> Any:
    """Return the type II error of the best randomized test; the largest ratios come first."""
    spent, missed = mp.mpf(0), mp.mpf(1)
    allowed = mp.mpf(type_i.numerator) / type_i.denominator
    for p, q in atoms:
        if spent + p > allowed:
            return missed - q * (allowed - spent) / p
        spent, missed = spent + p, missed - q
    return missed
