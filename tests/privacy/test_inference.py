"""Guesses of an attribute, beside the best guess among finite laws, outcome by outcome."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from semiaudit.model.measure import GDP, PureDP
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.inference import success_of_a_guess
from semiaudit.privacy.tradeoff import function
from tests.oracles import inference as oracle
from tests.oracles.calculus import mp
from tests.privacy.instances import random_law
from tests.samples import sampled

HALF = Fraction(1, 2)
NEAR = 1e-7


def guess(prior: Fraction, measure: GDP | PureDP) -> float:
    """From a tradeoff function in closed form."""
    return float(
        success_of_a_guess(
            prior,
            lambda a: function.type_ii_from_below(measure, a),
            lambda e: Fraction(function.delta_at(measure, e).high),
        )
    )


def _delta_of(laws: list[tuple[Fraction, ...]]) -> Callable[[Fraction], Fraction]:
    """With exp(epsilon) rounded down, which makes delta larger."""
    return lambda e: oracle.delta(laws, max(Fraction(Interval.of(e).exp().low), Fraction(1)))


@pytest.mark.parametrize("seed", sampled(range(400), fast=range(100)))
def test_no_guess_among_finite_laws_is_right_more_often(seed: int) -> None:
    chance = random.Random(seed)
    values, outcomes = chance.randint(2, 5), chance.randint(2, 6)
    laws = [random_law(chance, outcomes, least=chance.randint(0, 1)) for _ in range(values)]
    prior = random_law(chance, values, least=1)
    found = success_of_a_guess(max(prior), lambda a: oracle.type_ii(laws, a), _delta_of(laws))
    assert max(prior) <= oracle.success(prior, laws) <= found <= 1


@pytest.mark.parametrize("levels", [2, 3, 5, 40])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 4.0])
def test_randomized_response_reaches_it_where_all_values_are_as_likely(
    levels: int, epsilon: float
) -> None:
    # By hand: the true value is reported with exp(epsilon) / (exp(epsilon) + levels - 1).
    truth = math.exp(epsilon) / (math.exp(epsilon) + levels - 1)
    found = guess(Fraction(1, levels), PureDP(Fraction(str(epsilon))))
    assert truth * (1 - NEAR) <= found <= truth * (1 + NEAR)


GUESSES = [*product(("1/2", "0.6", "0.9", "0.999"), ("0.001", "0.5", "1", "4"))]


@pytest.mark.parametrize(
    ("prior", "mu"),
    sampled(GUESSES, fast={*range(len(GUESSES))} - {GUESSES.index(("0.999", "0.001"))}),
)
def test_two_values_under_a_gaussian_are_guessed_as_by_bayes(mu: str, prior: str) -> None:
    # Bayes: say the likelier value below the threshold m/2 + ln(odds) / m.
    m, p = mp.mpf(mu), mp.mpf(Fraction(prior).numerator) / Fraction(prior).denominator
    threshold = m / 2 + mp.log(p / (1 - p)) / m
    truth = float(p * mp.ncdf(threshold) + (1 - p) * mp.ncdf(m - threshold))
    found = guess(Fraction(prior), GDP(Fraction(mu) ** 2))
    assert truth * (1 - NEAR) <= found <= truth * (1 + NEAR)


def test_nothing_is_learned_where_nothing_is_told_and_all_where_all_is() -> None:
    assert guess(Fraction(1, 7), GDP(Fraction(0))) == pytest.approx(1 / 7, rel=NEAR)
    always = success_of_a_guess(Fraction(1, 7), lambda a: Fraction(0), lambda e: Fraction(1))
    assert always == 1


def test_an_epsilon_is_not_looked_for_where_nothing_is_missed() -> None:
    """A type II error of 0 everywhere was asked for at a thousand ever smaller type I errors."""
    asked: list[Fraction] = []

    def type_ii(type_i: Fraction) -> Fraction:
        asked.append(type_i)
        return Fraction(0)

    assert success_of_a_guess(Fraction(1, 7), type_ii, lambda e: Fraction(1)) == 1
    assert len(asked) <= 3


def test_a_prior_below_all_doubles_is_a_prior() -> None:
    """With delta 1/10 at every epsilon 1 in 10 is told outright, and the rest is 0."""
    prior = Fraction(1, 10**400)
    found = success_of_a_guess(prior, lambda a: 1 - a, lambda e: Fraction(1, 10))
    assert Fraction(1, 10) <= found <= Fraction(1, 10) + 2 * prior


def test_a_smaller_prior_makes_a_guess_no_better() -> None:
    found = [guess(Fraction(k, 50), GDP(Fraction(1))) for k in range(1, 50)]
    assert found == sorted(found)
    assert all(value >= k / 50 for k, value in enumerate(found, start=1))


def test_no_epsilon_is_chosen_for_a_value_with_half_of_the_prior_or_more() -> None:
    def type_ii(type_i: Fraction) -> Fraction:
        raise AssertionError(type_i)

    for prior, right in ((HALF, Fraction(3, 4)), (Fraction(3, 5), Fraction(4, 5))):
        assert success_of_a_guess(prior, type_ii, lambda e: HALF) == right


def test_half_is_where_both_ways_meet() -> None:
    # 1/2 + TV/2, and TV of G_1 is 2 Phi(1/2) - 1.
    assert guess(HALF, GDP(Fraction(1))) == pytest.approx(float(mp.ncdf(0.5)), rel=NEAR)
