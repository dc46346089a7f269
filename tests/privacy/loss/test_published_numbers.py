"""Published and hand-derived numbers: tests/golden/published.csv and closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from semiaudit.model.loss import (
    ApproxLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    PrivacyLoss,
    RandomizedResponseLoss,
    SubsampledGaussianLoss,
)
from semiaudit.privacy.loss import Accuracy, Bracket, epsilon_at, tilted_product
from semiaudit.privacy.loss.engine import (
    delta_bracket,
    epsilon_bracket,
    power_bracket,
    type_ii_bracket,
)
from semiaudit.privacy.loss.laws.rounding import Tilted
from semiaudit.privacy.loss.pairs.laplace import LaplaceSource
from semiaudit.privacy.loss.profile_ends import largest_reached, smallest_kept
from tests.golden.published import PUBLISHED
from tests.oracles.losses import DIGITS, Truth, exactly, mp
from tests.privacy.loss.instances import once, repeated

TENTH = Fraction(1, 10)
TINY = Fraction(1, 10**10)


def holds_golden(found: Bracket, name: str) -> None:
    """The bracket is narrow and meets what is published, with its tolerance."""
    published = PUBLISHED[name]
    assert found.complete
    assert found.lower <= published.value + published.tolerance
    assert found.upper >= published.value - published.tolerance


def holds(found: Bracket, truth: float, digits: int) -> None:
    """The bracket is narrow and contains a number known to some decimals."""
    half = 0.5 * 10.0**-digits
    assert found.complete
    assert found.lower <= truth + half
    assert found.upper >= truth - half


def test_gaussians_compose_by_their_squares() -> None:
    two = once(GaussianLoss(Fraction(16, 25)), GaussianLoss(Fraction(9, 25)))
    holds(epsilon_bracket(two, TINY), PUBLISHED["epsilon_of_g_1_at_1e-10"].value, 6)


def test_a_gaussian_beside_a_part_that_loses_nothing_is_still_exact() -> None:
    loss = once(
        GaussianLoss(Fraction(1)), LaplaceLoss(Fraction(0)), ApproxLoss(Fraction(0), Fraction(0))
    )
    assert epsilon_bracket(loss, TINY).method == "exact"


@pytest.mark.parametrize(("repeat", "name"), [(2, "f_1_0_twice"), (10, "response_1_times_10")])
def test_randomized_response_composed_has_the_type_ii_error_of_row_8_and_e6(
    repeat: int, name: str
) -> None:
    loss = repeated(RandomizedResponseLoss(Fraction(1)), repeat)
    holds_golden(type_ii_bracket(loss, Fraction(1, 20)), name)


def test_a_hundred_small_randomized_responses_have_the_type_ii_error_of_e6() -> None:
    loss = repeated(RandomizedResponseLoss(TENTH), 100)
    holds_golden(type_ii_bracket(loss, Fraction(1, 20)), "response_01_times_100")


@pytest.mark.parametrize("epsilon", [Fraction(0), TENTH, Fraction(1, 2), Fraction(9, 10)])
def test_laplace_noise_has_its_closed_profile(epsilon: Fraction) -> None:
    """delta(epsilon) = 1 - exp((epsilon - shift) / 2) up to the shift."""
    found = delta_bracket(once(LaplaceLoss(Fraction(1))), epsilon)
    holds(found, -math.expm1(float(epsilon - 1) / 2), 12)
    assert found.upper - found.lower <= 1e-6 * found.upper


def test_beyond_the_largest_loss_delta_is_zero() -> None:
    assert delta_bracket(once(LaplaceLoss(Fraction(1))), 1) == Bracket(0.0, 0.0, "exact", True)
    loss = repeated(DiscreteLaplaceLoss(3, Fraction(2)), 4)
    assert delta_bracket(loss, 6).upper == 0.0


def test_discrete_laplace_noise_has_its_closed_profile() -> None:
    """Shift 1, scale 1: loss 1 with mass 1 / (1 + e^-1), else -1."""
    found = delta_bracket(once(DiscreteLaplaceLoss(1, Fraction(1))), Fraction(1, 2))
    holds(found, -math.expm1(-0.5) / (1 + math.exp(-1)), 12)


def test_the_advantage_of_randomized_response_is_tanh() -> None:
    loss = once(RandomizedResponseLoss(Fraction(1)))
    holds(delta_bracket(loss, Fraction(0)), math.tanh(0.5), 12)


def test_the_advantage_of_randomized_response_over_levels() -> None:
    """(e - 1) / (e + k - 1) for k levels and epsilon = 1."""
    loss = once(RandomizedResponseLoss(Fraction(1), 5))
    holds(delta_bracket(loss, Fraction(0)), (math.e - 1) / (math.e + 4), 12)


def test_an_infinite_loss_is_never_forgotten() -> None:
    """Of two parts, one is disclosed with probability 1 - 0.99^2."""
    loss = repeated(ApproxLoss(Fraction(1), Fraction(1, 100)), 2)
    found = delta_bracket(loss, 3)
    assert found.lower <= 0.0199 <= found.upper
    assert found.upper - found.lower < 1e-15
    assert epsilon_bracket(loss, Fraction(19, 1000)).lower == math.inf


def test_a_finite_pair_is_as_good_as_its_worse_order() -> None:
    """delta at epsilon 1/2 of (1/2, 1/2, 0) against (1/4, 1/2, 1/4) and back."""
    pair = FiniteLoss(
        (Fraction(1, 2), Fraction(1, 2), Fraction(0)),
        (Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)),
    )
    grown = math.exp(0.5)
    truth = max(0.5 - grown / 4, 0.25)
    holds(delta_bracket(once(pair), Fraction(1, 2)), truth, 12)


def test_sampling_everyone_is_the_gaussian() -> None:
    loss = once(SubsampledGaussianLoss(Fraction(1), Fraction(1)))
    holds_golden(delta_bracket(loss, 1), "delta_of_g_1_at_1")


def test_one_sampled_step_has_its_closed_profile_in_the_worse_order() -> None:
    """The mixture first: its loss exceeds epsilon from 1/2 + ln(1 + (e^epsilon - 1) / rate) on."""
    rate, epsilon = 0.1, 0.3
    cut = 0.5 + math.log1p(math.expm1(epsilon) / rate)

    def tail(x: float) -> float:
        return 0.5 * math.erfc(x / math.sqrt(2))

    truth = rate * tail(cut - 1) + (1 - rate) * tail(cut) - math.exp(epsilon) * tail(cut)
    loss = once(SubsampledGaussianLoss(Fraction(1), TENTH))
    holds(delta_bracket(loss, Fraction(3, 10)), truth, 9)


@pytest.mark.parametrize("delta", [Fraction(1, 10**5), TINY, Fraction(1, 10**30)])
def test_small_deltas_keep_their_relative_accuracy(delta: Fraction) -> None:
    loss = repeated(DiscreteGaussianLoss(1, Fraction(10)), 10)
    epsilon = epsilon_bracket(loss, delta, Accuracy(tolerance=1e-9))
    assert epsilon.complete
    back = delta_bracket(loss, Fraction(epsilon.upper), Accuracy(tolerance=1e-9))
    assert back.complete
    assert back.upper <= float(delta) * (1 + 1e-9)
    assert back.lower >= float(delta) * (1 - 1e-8)


def test_a_lattice_and_a_grid_agree() -> None:
    """A Gaussian of next to no weight takes a composition off its lattice."""
    part = (DiscreteGaussianLoss(1, Fraction(10)), 10)
    faint = PrivacyLoss((part, (GaussianLoss(Fraction(1, 10**18)), 1)))
    exact = epsilon_bracket(PrivacyLoss((part,)), TINY)
    found = epsilon_bracket(faint, TINY)
    assert (exact.method, found.method) == ("lattice", "grid")
    assert found.complete
    assert found.lower <= exact.upper * (1 + 1e-8)
    assert found.upper >= exact.lower


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        (GaussianLoss, (Fraction(-1),), "mu squared"),
        (DiscreteGaussianLoss, (1, Fraction(0)), "sigma squared"),
        (DiscreteLaplaceLoss, (1, Fraction(0)), "scale"),
        (RandomizedResponseLoss, (Fraction(-1),), "epsilon"),
        (RandomizedResponseLoss, (Fraction(1), 1), "levels"),
        (ApproxLoss, (Fraction(-1), Fraction(0)), "epsilon"),
        (ApproxLoss, (Fraction(1), Fraction(2)), "delta"),
        (SubsampledGaussianLoss, (Fraction(0), Fraction(1)), "sigma squared"),
        (SubsampledGaussianLoss, (Fraction(1), Fraction(2)), "rate"),
        (FiniteLoss, ((Fraction(1),), (Fraction(1, 2),)), "sum to 1"),
        (FiniteLoss, ((Fraction(1),), (Fraction(1), Fraction(0))), "same outcomes"),
        (FiniteLoss, ((Fraction(2), Fraction(-1)), (Fraction(1), Fraction(0))), "at least 0"),
        (PrivacyLoss, (((GaussianLoss(Fraction(1)), 0),),), "at least once"),
    ],
)
def test_parameters_out_of_range_are_refused(
    kind: Callable[..., object], parameters: tuple[object, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        kind(*parameters)


def test_questions_out_of_range_are_refused() -> None:
    loss = once(LaplaceLoss(Fraction(1)))
    with pytest.raises(ValueError, match="epsilon"):
        delta_bracket(loss, -1)
    with pytest.raises(ValueError, match="delta"):
        epsilon_bracket(loss, Fraction(2))
    with pytest.raises(ValueError, match="type I"):
        type_ii_bracket(loss, Fraction(2))
    with pytest.raises(ValueError, match="tolerance"):
        Accuracy(tolerance=0)


NINE = Fraction(9, 10)
HALVES = (Fraction(1, 2), Fraction(1, 2))


@pytest.mark.parametrize("repeat", [1, 2, 3])
def test_a_pair_with_a_single_common_outcome_is_answered(repeat: int) -> None:
    """P = (1/2, 1/2) against Q = (0, 1): P has 1 - 2^-k for itself, and the rest loses nothing."""
    found = delta_bracket(
        repeated(FiniteLoss(HALVES, (Fraction(0), Fraction(1))), repeat), Fraction(1)
    )
    truth = 1 - Fraction(1, 2) ** repeat
    assert Fraction(found.lower) <= truth <= Fraction(found.upper)
    assert found.upper - found.lower < 1e-6


def test_a_pair_whose_supports_overlap_in_one_outcome_is_answered() -> None:
    """Only (x, x) is common, with 1/9 against 4/9: P has 8/9 for itself, and e 4/9 > 1/9."""
    first = (Fraction(1, 3), Fraction(0), Fraction(2, 3))
    second = (Fraction(2, 3), Fraction(1, 3), Fraction(0))
    found = delta_bracket(repeated(FiniteLoss(first, second), 2), Fraction(1))
    assert Fraction(found.lower) <= Fraction(8, 9) <= Fraction(found.upper)
    assert found.upper - found.lower < 1e-6


@pytest.mark.parametrize("exponent", [8, 10, 12])
def test_an_outcome_that_is_rare_under_one_distribution_alone_is_answered(exponent: int) -> None:
    rare = Fraction(1, 10**exponent)
    loss = repeated(FiniteLoss((rare, 1 - rare), HALVES), 2)
    patience = Accuracy(tolerance=1e-4)
    truth = Truth(loss)
    of_delta = delta_bracket(loss, Fraction(3), patience)
    of_epsilon = epsilon_bracket(loss, Fraction(1, 2), patience)
    with mp.workdps(DIGITS):
        assert exactly(of_delta.lower) <= truth.delta(3).high
        assert truth.delta(3).low <= exactly(of_delta.upper)
        assert of_delta.upper - of_delta.lower < 1e-3
        assert exactly(of_epsilon.lower) <= truth.epsilon(Fraction(1, 2)).high
        assert truth.epsilon(Fraction(1, 2)).low <= exactly(of_epsilon.upper)


@pytest.mark.parametrize(("exponent", "repeat"), [(10, 1), (30, 1), (30, 2)])
def test_at_a_type_i_error_of_zero_the_type_ii_error_is_rounded_outward(
    exponent: int, repeat: int
) -> None:
    """Then only what is disclosed can be told: (1 - delta)^repeat stays, and is no double."""
    delta = Fraction(1, 10**exponent)
    loss = PrivacyLoss(((ApproxLoss(Fraction(1), delta), repeat),))
    found = type_ii_bracket(loss, Fraction(0))
    assert Fraction(found.lower) <= (1 - delta) ** repeat <= Fraction(found.upper)


@pytest.mark.parametrize("delta", [Fraction(1, 4), Fraction(1, 10**5), Fraction(1, 10**30)])
def test_a_discrete_gaussian_that_hardly_moves_is_answered(delta: Fraction) -> None:
    """sigma^2 = 1/1000: the loss is 500, but for a mass of e^-500."""
    loss = PrivacyLoss(((DiscreteGaussianLoss(1, Fraction(1, 1000)), 1),))
    found = epsilon_bracket(loss, delta)
    truth = Truth(loss).epsilon(delta)
    with mp.workdps(DIGITS):
        assert exactly(found.lower) <= truth.high
        assert truth.low <= exactly(found.upper)
    if delta > Fraction(1, 10**10):
        assert found.upper - found.lower < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [6, 7, 8, 10])
@pytest.mark.parametrize("repeat", [1, 2])
def test_a_rare_outcome_that_tells_much_is_inside_the_brackets(exponent: int, repeat: int) -> None:
    """(1/2 - 1e-13, 1/2, 1e-13) against (1/2 - s, 1/2, s): s has a loss of ln(s 1e13)."""
    rare, rarer = Fraction(1, 10**exponent), Fraction(1, 10**13)
    half = Fraction(1, 2)
    loss = repeated(FiniteLoss((half - rarer, half, rarer), (half - rare, half, rare)), repeat)
    hasty = Accuracy(tolerance=0.1, time_limit=0.02)
    truth = Truth(loss)
    for delta in (Fraction(1, 10**k) for k in (10, 27)):
        found = epsilon_bracket(loss, delta, hasty)
        with mp.workdps(DIGITS):
            assert exactly(found.lower) <= truth.epsilon(delta).high
            assert truth.epsilon(delta).low <= exactly(found.upper)
    for epsilon in (0, 5, 10, 20):
        at = delta_bracket(loss, Fraction(epsilon), hasty)
        with mp.workdps(DIGITS):
            assert exactly(at.lower) <= truth.delta(epsilon).high
            assert truth.delta(epsilon).low <= exactly(at.upper)


@pytest.mark.parametrize(
    ("pair", "repeat", "type_i"),
    [
        (
            FiniteLoss(
                (Fraction(78449, 678449), Fraction(600000, 678449), Fraction(0)),
                (Fraction(5101080, 23525341), Fraction(1, 23525341), Fraction(18424260, 23525341)),
            ),
            1,
            Fraction("3.736e-5"),
        ),
        (
            FiniteLoss(
                (Fraction(5, 224718), Fraction(224713, 224718)),
                (Fraction(1, 2000000001), Fraction(2000000000, 2000000001)),
            ),
            2,
            Fraction("0.914"),
        ),
    ],
)
def test_the_lower_end_of_a_type_ii_error_lies_below_the_worse_order(
    pair: FiniteLoss, repeat: int, type_i: Fraction
) -> None:
    loss = repeated(pair, repeat)
    truth = Truth(loss)
    for accuracy in (Accuracy(tolerance=0.1, time_limit=0.02), Accuracy(time_limit=1.0)):
        found = type_ii_bracket(loss, type_i, accuracy)
        with mp.workdps(DIGITS):
            assert exactly(found.lower) <= truth.type_ii(type_i).high
            assert truth.type_ii(type_i).low <= exactly(found.upper)


def test_a_type_ii_error_is_never_negative() -> None:
    """The loss is 142 or more: the truth is a positive number below 1e-50."""
    loss = PrivacyLoss(((DiscreteLaplaceLoss(4, Fraction(1403, 50000)), 1),))
    for accuracy in (Accuracy(tolerance=0.1, time_limit=0.02), Accuracy(time_limit=1.0)):
        found = type_ii_bracket(loss, Fraction(469, 500), accuracy)
        assert 0 <= found.lower <= 1e-50
        assert found.upper > 0


def test_a_loss_that_hardly_ever_moves_is_not_bounded_by_an_overflow() -> None:
    """Both responses are true but for 4e-13: delta is about 1 - exp(epsilon - 60)."""
    response = RandomizedResponseLoss(Fraction(30), 3)
    disclosed = ApproxLoss(Fraction(0), Fraction(1, 10**10))
    found = epsilon_bracket(PrivacyLoss(((disclosed, 1), (response, 2))), Fraction(1, 2))
    assert found.lower <= 60 - math.log(2) + 1e-9
    assert found.upper >= 60 - math.log(2) - 1e-9
    assert found.complete


@pytest.mark.parametrize("repeat", [1, 2, 3])
def test_no_epsilon_is_negative_where_every_finite_loss_is(repeat: int) -> None:
    """(1/2, 1/2) against (1, 0): the only finite loss is -ln 2. At delta = 9/10 epsilon is 0."""
    found = epsilon_bracket(repeated(FiniteLoss(HALVES, (Fraction(1), Fraction(0))), repeat), NINE)
    assert found.lower == found.upper == 0


@pytest.mark.parametrize("target", [1e-3, 1e-10, 1e-30, 1e-100])
def test_a_curve_one_double_above_the_target_never_comes_down_to_it(target: float) -> None:
    """ln does not tell the two apart: their logarithms are one double."""
    above, below = math.nextafter(target, 1.0), math.nextafter(target, 0.0)
    one, targets, unlimited = np.ones(1), np.array([target]), np.array([math.inf])
    assert smallest_kept(lambda at: 0 * at + above, targets, one, one, unlimited) == math.inf
    assert largest_reached(lambda at: 0 * at + below, targets, one, one, unlimited) == 0


def test_no_epsilon_is_enough_at_the_delta_that_is_disclosed_outright() -> None:
    """delta(epsilon) is 1e-30 and something more at every finite epsilon."""
    disclosed = Fraction(1, 10**30)
    loss = PrivacyLoss(((ApproxLoss(Fraction(1), disclosed), 1), (GaussianLoss(Fraction(1)), 1)))
    assert epsilon_bracket(loss, disclosed).upper == math.inf


def sampled_once(variance: Fraction, rate: Fraction, epsilon: Fraction) -> Any:
    """delta of one sampled step, the larger one of both orders, by normal tails."""
    sigma = mp.sqrt(mp.mpf(variance.numerator) / variance.denominator)
    q, e = mp.mpf(rate.numerator) / rate.denominator, mp.mpf(float(epsilon))
    found = []
    for odds, sign in ((1 + mp.expm1(e) / q, 1), (1 + mp.expm1(-e) / q, -1)):
        if odds <= 0:
            continue
        z = (mp.log(odds) + 1 / (2 * sigma**2)) * sigma
        null, moved = (mp.erfc(sign * at / mp.sqrt(2)) / 2 for at in (z, z - 1 / sigma))
        mixed = (1 - q) * null + q * moved
        found.append(mixed - mp.exp(e) * null if sign > 0 else null - mp.exp(e) * mixed)
    return max(found)


@pytest.mark.parametrize(
    ("variance", "rate", "epsilon"),
    [
        (Fraction(10**8), Fraction(1, 2), Fraction(1, 2**20)),
        (Fraction(10**8), 1 - Fraction(1, 10**9), Fraction(1, 2**20)),
        (Fraction(10**4), Fraction(1, 2), Fraction(1, 64)),
        (Fraction(10**4), Fraction(99, 100), Fraction(1, 32)),
    ],
)
def test_wide_noise_on_samples_is_followed_to_where_the_tilt_moves_it(
    variance: Fraction, rate: Fraction, epsilon: Fraction
) -> None:
    found = delta_bracket(PrivacyLoss(((SubsampledGaussianLoss(variance, rate), 1),)), epsilon)
    assert found.complete
    with mp.workdps(50):
        truth = sampled_once(variance, rate, epsilon)
        assert mp.mpf(found.lower) <= truth <= mp.mpf(found.upper)


def test_losses_beyond_the_largest_double_are_no_error() -> None:
    sharp = SubsampledGaussianLoss(Fraction(1, 100), Fraction(1, 10**12))
    found = delta_bracket(PrivacyLoss(((sharp, 1),)), 1000)
    with mp.workdps(50):
        truth = sampled_once(sharp.sigma_squared, sharp.rate, Fraction(1000))
        assert mp.mpf(found.lower) <= truth <= mp.mpf(found.upper)
    assert found.upper < 1e-300


def test_the_atom_at_the_lowest_loss_is_not_lost_to_rounding() -> None:
    """2 * 10^-4 is no multiple of this step in doubles: 17,762 halves of it end before 10^-4."""
    step = 1.1260627216935983e-08
    atoms = LaplaceSource(Fraction(1, 10**4)).atoms(step, 0.0)
    assert float(np.exp(atoms.log_mass).sum()) == pytest.approx(1, abs=1e-12)
    assert atoms.log_omitted == -math.inf


def test_what_is_left_out_is_not_forgotten_where_it_is_too_much_for_a_double() -> None:
    """Half of the mass of each of 10^9 parts: with the scale of the rest, anything is possible."""
    half = Tilted(np.zeros(1, int), np.ones(1), np.zeros(1), -math.log(2), 0.0, 0.0, 0.0, 0.0)
    assert tilted_product._omitted([(half, 10**9)]) == math.inf


def test_a_thousand_million_small_losses_are_bracketed_in_order() -> None:
    loss = PrivacyLoss(((LaplaceLoss(Fraction(1, 10**4)), 10**9),))
    found = type_ii_bracket(loss, Fraction(1, 100), Accuracy(1e-4))
    # About N(0, 1) against N(sqrt(10), 1): 1 - Phi(Phi^-1(0.99) - sqrt(10)) of power.
    assert found.lower <= 0.20163 <= found.upper
    assert found.upper - found.lower < 1e-3


def test_wide_noise_that_is_sampled_very_rarely_ends_in_a_bound_or_in_none() -> None:
    """Tilted cells overflow there. The advantage is at most rate * steps = 1e-9 (union bound)."""
    loss = PrivacyLoss(((SubsampledGaussianLoss(Fraction(10_000), Fraction(1, 10**12)), 1000),))
    found = epsilon_at(loss, Fraction(1, 10**10), Accuracy())
    assert found is None or found.lower <= found.upper


@pytest.mark.parametrize("type_i", [Fraction(1, 20), Fraction(1, 100)])
def test_the_best_test_and_the_best_dual_are_found_where_the_first_guess_is_far_off(
    type_i: Fraction,
) -> None:
    """With next to no noise beside it, the numbers are the same, and as narrow."""
    steps = (SubsampledGaussianLoss(Fraction(5), Fraction(1, 175), 1, True), 50)
    accuracy = Accuracy(1e-6)
    alone = power_bracket(PrivacyLoss((steps,)), type_i, accuracy)
    hardly_more = (GaussianLoss(Fraction(1, 10**12)), 1)
    beside = power_bracket(PrivacyLoss((steps, hardly_more)), type_i, accuracy)
    assert alone.complete
    assert beside.complete
    assert alone.upper - alone.lower < 1e-6 * alone.upper
    assert beside.upper == pytest.approx(alone.upper, rel=1e-6)
