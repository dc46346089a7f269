"""Where the ends of a composition are asked for: each on its safe side of a rational."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from semiaudit.model.loss import FiniteLoss, GaussianLoss, PrivacyLoss, RandomizedResponseLoss
from semiaudit.privacy.loss import DEFAULT, Accuracy, Bracket, profile_ends
from semiaudit.privacy.loss.brackets import brackets
from semiaudit.privacy.loss.engine import delta_bracket, epsilon_bracket, type_ii_bracket
from semiaudit.privacy.loss.normal_form import normal_form
from semiaudit.privacy.loss.profile import LossProfile
from semiaudit.privacy.loss.sources.loss_source import Floats

THIRD, ZERO = Fraction(1, 3), Fraction(0)
RESPONSE = RandomizedResponseLoss(Fraction(1, 3))
TWICE = PrivacyLoss(((RESPONSE, 2),))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[float]]:
    """The arguments of both curves, and the targets of both searches."""
    seen: dict[str, list[float]] = {"upper": [], "lower": [], "kept": [], "reached": []}

    def spied(name: str, real: Callable[..., Floats]) -> Callable[..., Floats]:
        def call(first: object, places: Floats, *rest: Floats) -> Floats:
            seen[name].extend(places.tolist())
            return real(first, places, *rest)

        return call

    for name in ("upper", "lower"):
        function = f"{name}_at"
        monkeypatch.setattr(LossProfile, function, spied(name, getattr(LossProfile, function)))
    for name, function in (("kept", "smallest_kept"), ("reached", "largest_reached")):
        monkeypatch.setattr(profile_ends, function, spied(name, getattr(profile_ends, function)))
    return seen


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 7), Fraction(3, 10)])
def test_delta_is_asked_for_at_an_epsilon_on_the_safe_side(
    epsilon: Fraction, asked: dict[str, list[float]]
) -> None:
    # No double is 1/10, 1/7 or 3/10; delta falls as epsilon rises.
    delta_bracket(TWICE, epsilon)
    assert asked["upper"]
    assert asked["lower"]
    assert all(Fraction(at) < epsilon for at in asked["upper"])
    assert all(Fraction(at) > epsilon for at in asked["lower"])


@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 7), Fraction(3, 100)])
def test_epsilon_is_looked_for_at_a_delta_on_the_safe_side(
    delta: Fraction, asked: dict[str, list[float]]
) -> None:
    epsilon_bracket(TWICE, delta)
    assert asked["kept"]
    assert asked["reached"]
    assert all(Fraction(target) < delta for target in asked["kept"])
    assert all(Fraction(target) > delta for target in asked["reached"])


def test_from_the_largest_loss_on_delta_is_the_infinite_mass() -> None:
    # Two responses of epsilon 1/3 lose 2/3 at most.
    found = delta_bracket(TWICE, Fraction(2, 3))
    assert (found.lower, found.upper, found.method) == (0.0, 0.0, "exact")
    assert delta_bracket(TWICE, Fraction(2, 3) - Fraction(1, 10**6)).lower > 0
    pure = epsilon_bracket(TWICE, Fraction(0))
    assert Fraction(pure.lower) <= Fraction(2, 3) <= Fraction(pure.upper)
    assert pure.upper == pytest.approx(2 / 3, rel=1e-9)


DISCLOSING = FiniteLoss((THIRD, THIRD, THIRD), (ZERO, Fraction(1, 2), Fraction(1, 2)))
"""A third of P is not in Q; each other outcome is half as likely again under Q."""

BOTH = PrivacyLoss(((DISCLOSING, 1), (RESPONSE, 1)))
"""The largest finite loss is ln(2/3) + 1/3, which is negative: from P, all else loses less than 0.
From Q, which P covers, it is ln(3/2) + 1/3."""


def test_an_epsilon_exists_from_the_infinite_mass_on_and_no_sooner() -> None:
    # delta at every epsilon is 1/3 at least.
    below = epsilon_bracket(BOTH, THIRD - Fraction(1, 2**51))
    assert below.upper == math.inf
    at = epsilon_bracket(BOTH, THIRD)
    assert at.lower <= math.log(3 / 2) + 1 / 3
    above = epsilon_bracket(BOTH, THIRD + Fraction(1, 10**6))
    assert above.upper <= math.log(3 / 2) + 1 / 3 + 1e-12


def normal_delta(epsilon: float, mu: float) -> float:
    """delta of N(0, 1) against N(mu, 1): Phi(mu / 2 - epsilon / mu), less e^epsilon times
    Phi(-mu / 2 - epsilon / mu)."""
    near, far = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    return (math.erfc(near / 2**0.5) - math.exp(epsilon) * math.erfc(far / 2**0.5)) / 2


@pytest.mark.parametrize("mass", [Fraction(1, 4), THIRD, Fraction(1, 10)])
def test_at_the_infinite_mass_itself_epsilon_is_no_less_than_a_little_above_it(
    mass: Fraction,
) -> None:
    """A mass that P alone has, and normal noise: no epsilon has delta equal to the mass.

    The infinite mass of the composition is known up to rounding, and the requested delta is inside
    of that.
    """
    alone = FiniteLoss((mass, 1 - mass), (ZERO, Fraction(1)))
    loss = PrivacyLoss(((alone, 1), (GaussianLoss(Fraction(1, 2)), 1)))
    found = epsilon_bracket(loss, mass, Accuracy(1e-3, time_limit=0.0))
    assert found.upper == math.inf
    # Of the outcomes in common, P / Q is 1 - mass times that of the noise, so delta(epsilon) is
    # mass + (1 - mass) normal_delta(epsilon - ln(1 - mass)).
    epsilon = 4.0
    above = (1 - mass) * normal_delta(epsilon - math.log(1 - mass), 0.5**0.5)
    assert above > 1e-11
    assert found.lower > epsilon


@pytest.mark.parametrize("type_i", [Fraction(1, 10**30), Fraction(1, 10**12)])
def test_the_type_ii_error_is_no_more_than_what_is_not_disclosed(type_i: Fraction) -> None:
    # A test of P against Q that rejects what Q alone lacks errs for two thirds of P, and by chance
    # a little less.
    found = type_ii_bracket(BOTH, type_i)
    assert Fraction(found.lower) <= Fraction(2, 3) * (1 - type_i)
    assert found.upper >= 2 / 3 - 1e-9


def test_a_pair_without_a_common_outcome_has_a_known_delta() -> None:
    one = Fraction(1)
    form = normal_form(PrivacyLoss(((FiniteLoss((one, ZERO), (ZERO, one)), 1),)))
    found = brackets("delta", form, [one], DEFAULT)
    assert found == {one: Bracket(1.0, 1.0, "exact", True)}
