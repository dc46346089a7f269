"""Extreme parameters end in a certified bracket or a clear error, soon and in little memory."""

from __future__ import annotations

import math
import resource
from fractions import Fraction

import pytest

from semiaudit.model.loss import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
)
from semiaudit.model.measure import ZCDP
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.loss.engine import delta_bracket, epsilon_bracket
from semiaudit.privacy.measures.zcdp import epsilon_cks20

TINY = Fraction(1, 10**10)
IMPATIENT = Accuracy(time_limit=1.0)


@pytest.mark.parametrize(
    ("shift", "variance", "repeat"),
    [
        (1, Fraction(1, 10**6), 10),
        (1, Fraction(10**12), 10),
        (10**6, Fraction(10**12), 10),
        (10**6, Fraction(1), 10),
        (1, Fraction(10), 10**9),
        (1, Fraction(10**9), 10**9),
        (7, Fraction(10**15, 3), 1),
    ],
)
def test_discrete_gaussians_of_every_size_stay_below_their_zcdp_bound(
    shift: int, variance: Fraction, repeat: int
) -> None:
    """Canonne, Kamath and Steinke's conversion of rho = k shift^2 / (2 sigma^2) is never beaten."""
    loss = PrivacyLoss(((DiscreteGaussianLoss(shift, variance), repeat),))
    found = epsilon_bracket(loss, TINY, IMPATIENT)
    bound = epsilon_cks20(ZCDP(repeat * Fraction(shift**2) / (2 * variance)), TINY)
    assert found.lower <= float(bound)
    assert math.isfinite(found.upper)


@pytest.mark.parametrize(
    ("part", "repeat", "pure"),
    [
        (LaplaceLoss(Fraction(10**6)), 10, 10**7),
        (DiscreteLaplaceLoss(10**6, Fraction(1)), 10, 10**7),
        (DiscreteLaplaceLoss(10**6, Fraction(10**6)), 10, 10),
        (DiscreteLaplaceLoss(10**9, Fraction(10**9)), 2, 2),
        (RandomizedResponseLoss(Fraction(10**5)), 3, 3 * 10**5),
    ],
)
def test_pure_mechanisms_of_every_size_stay_below_their_pure_bound(
    part: Loss, repeat: int, pure: int
) -> None:
    found = epsilon_bracket(PrivacyLoss(((part, repeat),)), TINY, IMPATIENT)
    assert 0.99 * pure < found.upper <= pure
    assert found.lower <= found.upper


def test_far_beyond_every_loss_delta_is_next_to_nothing_but_not_zero() -> None:
    loss = PrivacyLoss(((DiscreteGaussianLoss(1, Fraction(1)), 10),))
    found = delta_bracket(loss, 10**6)
    assert 0 < found.upper < 1e-300
    assert found.lower == 0


def test_a_time_limit_ends_with_a_wider_bracket_that_says_so() -> None:
    loss = PrivacyLoss(((LaplaceLoss(Fraction(1, 10)), 1000), (GaussianLoss(Fraction(1)), 1)))
    hurried = epsilon_bracket(loss, TINY, Accuracy(tolerance=1e-13, time_limit=0.0))
    patient = epsilon_bracket(loss, TINY)
    assert not hurried.complete
    assert hurried.lower <= patient.upper
    assert hurried.upper >= patient.lower


@pytest.mark.slow
def test_the_engine_stays_within_half_a_gigabyte() -> None:
    loss = PrivacyLoss(((LaplaceLoss(Fraction(1, 100)), 100_000),))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    epsilon_bracket(loss, TINY, Accuracy(tolerance=1e-9, time_limit=5.0))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 512 * 1024
