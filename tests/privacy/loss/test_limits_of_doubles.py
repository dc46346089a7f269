"""Extreme parameters: where doubles overflow, underflow, or round, bounds stay bounds."""

from __future__ import annotations

import math
import resource
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from semiaudit.errors import RefusedError
from semiaudit.model.loss import (
    ApproxLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
    SubsampledGaussianLoss,
)
from semiaudit.model.measure import ZCDP
from semiaudit.privacy.loss import Accuracy
from semiaudit.privacy.loss.engine import (
    delta_bracket,
    epsilon_bracket,
    power_bracket,
    type_ii_bracket,
)
from semiaudit.privacy.loss.laws.folded import convolve
from semiaudit.privacy.loss.laws.rounding import Tilted
from semiaudit.privacy.loss.laws.spectrum import SpectrumProduct
from semiaudit.privacy.loss.merged_law import MergedLaw
from semiaudit.privacy.loss.pairs.subsampled_gaussian import SubsampledGaussianSource
from semiaudit.privacy.loss.profile import GridScale
from semiaudit.privacy.loss.sources.normal_cells import cell_error
from semiaudit.privacy.loss.tilted_product import _omitted
from semiaudit.privacy.measures.zcdp import epsilon_cks20
from tests.samples import sampled

mp: Any = mpmath.mp


def responses(root: int) -> PrivacyLoss:
    """root^2 answers with an epsilon of 1 / root: next to a Gaussian pair with mu = 1."""
    return PrivacyLoss(((RandomizedResponseLoss(Fraction(1, root)), root**2),))


def test_a_power_that_overflows_leaves_delta_unbounded_but_not_zero() -> None:
    """Phi(-1/2) - e Phi(-3/2) = 0.1269..."""
    found = delta_bracket(responses(3_162_277_660), Fraction(1), Accuracy(1e-3))
    gaussian = math.erfc(0.5 / math.sqrt(2)) / 2 - math.e * math.erfc(1.5 / math.sqrt(2)) / 2
    assert found.lower <= gaussian <= found.upper


def test_a_power_that_overflows_leaves_epsilon_above_that_of_a_gaussian() -> None:
    found = epsilon_bracket(responses(3_162_277_660), Fraction(1, 10**5), Accuracy(1e-3))
    assert found.lower <= 4.377 <= found.upper


@pytest.mark.parametrize("root", [10**12, 10**60, 10**150])
def test_so_many_parts_that_no_grid_holds_them_are_refused(root: int) -> None:
    with pytest.raises(RefusedError, match="no grid holds"):
        delta_bracket(responses(root), Fraction(1), Accuracy(1e-3))


@pytest.mark.parametrize("digits", [20, 100, 300])
def test_parts_that_lose_all_in_all_have_a_delta_of_1(digits: int) -> None:
    found = delta_bracket(PrivacyLoss(((LaplaceLoss(Fraction(1, 10)), 10**digits),)), Fraction(1))
    assert found.upper == 1


@pytest.mark.parametrize("repeat", [10**3, 10**15, 10**19, 10**30])
def test_a_power_of_a_value_a_hair_above_1_is_finite_within_a_bound(repeat: int) -> None:
    """The true factor is anything within the error: 1, whose powers are 1, is one."""
    product = SpectrumProduct(np.arange(2))
    product.multiply(np.array([1 + 2.0**-52, 0.5 + 0j]), 1e-15, repeat)
    error = product.bound()
    assert np.isfinite(product.values).all()
    assert abs(product.values[0] - 1) <= error[0]
    assert abs(product.values[1] - 0.5**repeat) <= error[1]


@pytest.mark.parametrize(
    ("alpha", "truth"),
    [
        (Fraction(1, 10**300), 1.84874363295956e-5),
        (Fraction(1, 10**306), 0.0210986280959362),
        (Fraction(1, 10**310), 0.380529691867066),
        (Fraction(1, 10**312), 0.763154549656787),
    ],
)
def test_type_ii_errors_where_likelihood_ratios_are_no_doubles(
    alpha: Fraction, truth: float
) -> None:
    """Eight Laplace pairs that lose 720 - 2 S, S a sum of binomially many exponentials.

    The truth is 1 - P(S <= c) with Q(S <= c) = alpha, by gamma functions in 60 digits; what S
    leaves out, beyond 90 in one summand, is below 1e-38.
    """
    loss = PrivacyLoss(((LaplaceLoss(Fraction(90)), 8),))
    found = type_ii_bracket(loss, alpha, Accuracy(1e-3))
    assert found.complete
    assert found.lower <= truth <= found.upper


@pytest.mark.parametrize("alpha", [Fraction(1, 10**350), 1 - Fraction(1, 10**20)])
def test_a_type_i_error_next_to_0_or_1_is_answered(alpha: Fraction) -> None:
    """The type II error is at most 1 - alpha, and positive where nothing is told for sure."""
    found = type_ii_bracket(responses(2), alpha, Accuracy(1e-3, time_limit=0.0))
    assert found.lower <= 1 - alpha
    assert found.upper > 0


def test_a_test_of_a_mass_that_underflows_under_both_laws_is_not_one_that_never_errs() -> None:
    """All mass is at the loss -140: P has exp(140 - 740) there, Q times e^reference e^(280 - 760).

    Q's factor exp(-760) is no double, P's is one still.
    """
    at = Tilted(np.array([-140]), np.ones(1), np.zeros(1), 0.0, -np.inf, 0.0, -140.0, 0.0)
    law = convolve([(at, 1)], -256, 512)
    scale = GridScale(1.0, Fraction(1), Fraction(0), 1.0, 0.0, (0.0, 0.0))
    tests = MergedLaw(scale, law, law, -740.0, -760.0, 0.0, 0.0).tests(0.0)
    assert tests.second[0] >= math.exp(-480)
    assert tests.delta(0.0) == 0.0


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    "rate", [1 - Fraction(1, 10**6), 1 - Fraction(1, 10**12), 1 - Fraction(1, 10**20)]
)
def test_cells_of_noise_that_is_hardly_ever_left_out_are_what_they_say(
    rate: Fraction, swapped: bool
) -> None:
    """Masses of cells far to the left, where the mixture is next to 1 - rate of the noise."""
    own, side = (1, 1) if swapped else (0, -1)
    source = SubsampledGaussianSource(Fraction(1, 10), rate, own, 1 - own)
    atoms = source.atoms(0.01, 0.0)
    edges = np.sort(side * np.linspace(-10.0, -6.0, 301))
    log_mass, losses = source.cells(edges)
    size = np.maximum(np.abs(edges[1:]), np.abs(edges[:-1]))
    errors = cell_error(size + math.sqrt(10)) + source._error(size)
    assert errors.max() <= np.max(atoms.mass_error)
    with mp.workdps(50):
        mu, share = mp.sqrt(10), mp.mpf(rate.numerator) / rate.denominator
        for place in range(0, 300, 7):
            low, high = sorted(side * mp.mpf(edge) for edge in edges[place : place + 2])
            null = mp.ncdf(high) - mp.ncdf(low)
            mixed = (1 - share) * null + share * (mp.ncdf(high - mu) - mp.ncdf(low - mu))
            p, q = (mixed, null) if swapped else (null, mixed)
            assert abs(mp.log(p) - mp.mpf(log_mass[place])) <= errors[place]
            assert abs(mp.log(p / q) - mp.mpf(losses[place])) <= atoms.loss_error


@pytest.mark.parametrize("rate", [1 - Fraction(k, 10**14 + 3) for k in (1, 2, 3, 5, 7, 11)])
def test_the_largest_loss_of_sampled_noise_is_rounded_up(rate: Fraction) -> None:
    largest = SubsampledGaussianSource(Fraction(1, 10), rate, own=0, other=1).largest
    assert largest is not None
    with mp.workdps(50):
        truth = -mp.log(mp.mpf((1 - rate).numerator) / (1 - rate).denominator)
        assert mp.mpf(largest.numerator) / largest.denominator >= truth


def test_noise_whose_ratios_are_no_doubles_is_answered() -> None:
    """sigma^2 = 1/1000: the pair is told apart where the sample is in, which is one in a thousand.

    delta is 1/1000 but for Phi(-15).
    """
    loss = PrivacyLoss(((SubsampledGaussianLoss(Fraction(1, 1000), Fraction(1, 1000)), 1),))
    found = delta_bracket(loss, Fraction(1), Accuracy(1e-3))
    assert found.lower <= 1e-3 <= found.upper < 1.001e-3


@pytest.mark.parametrize("exponent", [200, 320, 330, 390])
def test_a_mass_that_is_no_double_counts_with_its_repeats(exponent: int) -> None:
    """Beyond the largest finite loss nothing else is left; 10^30 times 10^-330 is 1e-300."""
    rare = ApproxLoss(Fraction(1), Fraction(1, 10**exponent))
    loss = PrivacyLoss(((rare, 10 ** max(exponent - 300, 2)),))
    truth = Fraction(10 ** max(exponent - 300, 2), 10**exponent)
    found = delta_bracket(loss, Fraction(10**100))
    assert Fraction(found.lower) <= truth * (1 - truth)
    assert Fraction(found.upper) >= truth
    assert epsilon_bracket(loss, truth / 2).lower == math.inf


def test_a_mass_below_every_double_is_not_0() -> None:
    loss = PrivacyLoss(((ApproxLoss(Fraction(1), Fraction(1, 10**350)), 2),))
    found = delta_bracket(loss, Fraction(3))
    assert found.lower == 0
    assert found.upper > 0


def test_omitted_outcomes_of_very_many_parts_leave_nothing_certain() -> None:
    """(1 + 1)^10000 - 1 is beyond the doubles."""
    half = Tilted(np.zeros(1, dtype=np.int64), np.ones(1), np.zeros(1), 0.0, 0.0, 0.0, 0.0, 0.0)
    assert _omitted([(half, 10_000)]) == math.inf
    assert 1023 <= _omitted([(half, 10)]) <= 1040


@pytest.mark.parametrize("exponent", sampled([20, 300], fast=(0,)))
def test_where_no_test_is_left_a_type_ii_error_is_bounded_all_the_same(exponent: int) -> None:
    """A record in 10^12 is sampled, 10^5 times: at most 10^-7 is told apart."""
    loss = PrivacyLoss(((SubsampledGaussianLoss(Fraction(1), Fraction(1, 10**12)), 10**5),))
    type_i = Fraction(1, 10**exponent)
    found = type_ii_bracket(loss, type_i, Accuracy(0.1, time_limit=0.0))
    # So the type II error is from 1 - type_i - 10^-7 to 1 - type_i.
    assert found.lower <= 1 - type_i
    assert 1 - type_i - Fraction(1, 10**7) <= found.upper <= 1


@pytest.mark.parametrize("repeat", [2, 7])
def test_losses_far_beyond_every_threshold_have_all_the_power(repeat: int) -> None:
    """Two answers of epsilon 1,000 lie some 10^214 standard deviations from a threshold; one of
    them alone errs with 1 / (1 + e^1000)."""
    loss = PrivacyLoss(((RandomizedResponseLoss(Fraction(1000)), repeat),))
    found = power_bracket(loss, Fraction(1, 20))
    assert 1 - 1e-12 < found.lower <= found.upper == 1


@pytest.mark.parametrize("exponent", sampled([10, 12, 16], fast=(1,)))
def test_a_loss_too_far_for_the_steps_of_a_fine_grid_gets_a_coarser_one(exponent: int) -> None:
    """One outcome has nearly all weight and no spread, so that a very fine grid is tried first."""
    loss = PrivacyLoss(
        ((RandomizedResponseLoss(Fraction(1000)), 7), (GaussianLoss(Fraction(1, 10**exponent)), 1))
    )
    found = delta_bracket(loss, Fraction(0))
    # The truth is below 1 by less than e^-1000.
    assert found.lower < 1
    assert found.upper == 1
    # Without the Gaussian noise: the largest loss is 7,000, and delta is 1 - e^(epsilon - 7000).
    least = 7000 + math.log1p(-1e-6) - 1e-9
    epsilon = epsilon_bracket(loss, Fraction(1, 10**6))
    assert epsilon.lower <= 7000
    assert epsilon.upper >= least


def test_a_step_of_a_thousand_nats_overflows_no_test() -> None:
    # Nobody misses 42 million nats at a type I error of 9/10, so the grid is very coarse.
    parts: tuple[tuple[Loss, int], ...] = (
        (SubsampledGaussianLoss(Fraction(1, 1000), Fraction(1)), 2),
        (RandomizedResponseLoss(Fraction(1, 2500000000), 3), 1),
        (GaussianLoss(Fraction(6_000_000)), 7),
    )
    power = power_bracket(PrivacyLoss(parts), Fraction(9, 10), Accuracy(1e-6, 60.0))
    assert power.lower >= 1 - 1e-15
    assert power.upper == 1


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
