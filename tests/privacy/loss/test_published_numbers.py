"""Published and hand-derived numbers: tests/golden/published.csv and closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

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
from semiaudit.privacy.loss import Accuracy, Bracket
from semiaudit.privacy.loss.engine import (
    advantage_bracket,
    delta_bracket,
    epsilon_bracket,
    type_ii_bracket,
)
from tests.golden.published import PUBLISHED
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


@pytest.mark.parametrize(("variance", "epsilon"), [(1, Fraction(1)), (4, Fraction(1, 2))])
def test_one_discrete_gaussian_has_the_delta_of_row_84(variance: int, epsilon: Fraction) -> None:
    found = delta_bracket(once(DiscreteGaussianLoss(1, Fraction(variance))), epsilon)
    holds_golden(found, f"delta_of_discrete_gaussian_{variance}")


def test_ten_discrete_gaussians_have_the_delta_of_row_85() -> None:
    loss = repeated(DiscreteGaussianLoss(1, Fraction(10)), 10)
    holds_golden(delta_bracket(loss, Fraction(1)), "delta_of_ten_discrete_gaussians")


def test_ten_queries_that_share_a_rho_of_one_half_have_the_epsilon_of_row_85() -> None:
    loss = repeated(DiscreteGaussianLoss(1, Fraction(10)), 10)
    holds_golden(epsilon_bracket(loss, TINY), "epsilon_of_ten_discrete_gaussians")


@pytest.mark.parametrize(("mu", "epsilon"), [(1, 0), (1, 1), (2, 1), (3, 3)])
def test_a_gaussian_has_its_exact_profile(mu: int, epsilon: int) -> None:
    found = delta_bracket(once(GaussianLoss(Fraction(mu * mu))), epsilon)
    assert found.method == "exact"
    holds_golden(found, f"delta_of_g_{mu}_at_{epsilon}")


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


def test_the_gaussian_type_ii_error_is_that_of_row_5() -> None:
    holds_golden(type_ii_bracket(once(GaussianLoss(Fraction(1))), Fraction(1, 20)), "g_1")


def test_the_type_ii_error_of_f_epsilon_delta_is_that_of_row_4() -> None:
    loss = once(ApproxLoss(Fraction(1), Fraction(1, 100)))
    holds_golden(type_ii_bracket(loss, Fraction(1, 20)), "f_1_001")


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
    holds(advantage_bracket(once(RandomizedResponseLoss(Fraction(1)))), math.tanh(0.5), 12)


def test_the_advantage_of_randomized_response_over_levels() -> None:
    """(e - 1) / (e + k - 1) for k levels and epsilon = 1."""
    loss = once(RandomizedResponseLoss(Fraction(1), 5))
    holds(advantage_bracket(loss), (math.e - 1) / (math.e + 4), 12)


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
