"""Shuffled reports: the accuracy that is promised, against sums term by term."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb, ctx

from semiaudit import deadline
from semiaudit.privacy.measures.clones import (
    delta_above,
    epsilon_ends,
    gaussian_guess,
    type_ii_ends,
)
from tests.clocks import Ticks


def masses(trials: int, rate: arb, deviations: int = 13) -> dict[int, arb]:
    """Binomial probabilities within so many standard deviations of the mean."""
    mean, reach = trials * rate, deviations * (trials * rate * (1 - rate)).sqrt()
    places = range(max(math.floor(mean - reach), 0), min(math.floor(mean + reach), trials) + 1)
    first = math.comb(trials, places[0]) * rate ** places[0] * (1 - rate) ** (trials - places[0])
    found, odds = {places[0]: first}, rate / (1 - rate)
    for k in places[1:]:
        found[k] = found[k - 1] * (trials - k + 1) / k * odds
    return found


def test_delta_above_exceeds_the_sum_by_less_than_its_omitted_tails() -> None:
    """With 10,000 reports tails are omitted; the sum omits less than 2^-110 of them."""
    reports, epsilon0, epsilon = 10_000, Fraction(3), Fraction(3, 8)
    with ctx.workprec(200):
        local, growth = arb(3).exp(), (arb(3) / 8).exp()
        keep, truth, none = local / (local + 1), arb(0), arb(0)
        half = arb(1) / 2
        for c, of_c in masses(reports - 1, 2 / (local + 1)).items():
            of_a = masses(c, half)
            before, inner = none, arb(0)
            for mass in [*of_a.values(), none]:
                left = before * keep + mass * (1 - keep)
                left -= growth * (before * (1 - keep) + mass * keep)
                if left > 0:
                    inner += left
                before = mass
            truth += of_c * inner
        found = delta_above(reports, epsilon0, epsilon)
        excess = arb(found.numerator) / found.denominator - truth
        assert 0 <= excess <= arb(2) ** -80
        assert truth > arb(2) ** -40


@pytest.mark.parametrize("epsilon0", [Fraction(1), Fraction(1, 3), Fraction(1, 24)])
@pytest.mark.parametrize("tenths", [1, 2, 3, 6, 9])
def test_one_report_has_the_type_ii_errors_of_randomized_response(
    tenths: int, epsilon0: Fraction
) -> None:
    """Two lines, which are each other's mirror images: 1 - e^epsilon0 x, and (1 - x) / e^epsilon0.

    1 is a double; the doubles next to 1/3 and 1/24 are smaller than they are, so that the only
    jump of the type I error, at epsilon0, lies beyond the last double.
    """
    low, high = type_ii_ends(1, epsilon0, Fraction(tenths, 10))
    growth = math.exp(epsilon0)
    truth = max(1 - growth * tenths / 10, (1 - tenths / 10) / growth)
    assert float(low) == pytest.approx(truth, rel=1e-9)
    assert float(high) == pytest.approx(truth, rel=1e-9)


@pytest.mark.parametrize("tenths", [1, 3, 6, 9])
def test_the_tradeoff_function_of_shuffled_reports_is_its_own_inverse(tenths: int) -> None:
    type_i = Fraction(tenths, 10)
    low, high = type_ii_ends(40, Fraction(2), type_i)
    assert float(high - low) < 1e-9
    back, forth = type_ii_ends(40, Fraction(2), high)
    assert float(back) == pytest.approx(tenths / 10, abs=1e-6)
    assert float(forth) == pytest.approx(tenths / 10, abs=1e-6)


@pytest.mark.parametrize("epsilon0", [Fraction(1, 10), Fraction(1, 2)])
def test_many_reports_have_about_the_epsilon_of_a_gaussian_at_tiny_deltas(
    epsilon0: Fraction,
) -> None:
    """The guess has the exponent of the Gaussian's tail, whose factor matters little far out."""
    delta = Fraction(1, 10**60)
    low, high = epsilon_ends(10_000, epsilon0, delta)
    assert low <= high <= low * (1 + Fraction(1, 10**9))
    assert gaussian_guess(10_000, epsilon0, delta) == pytest.approx(float(low), rel=0.05)


def work_of(delta: Fraction) -> float:
    """How often the search for epsilon looks at the clock: once for a few thousand terms."""
    epsilon_ends.cache_clear()
    clock = Ticks(1.0)
    with deadline.running(math.inf, clock):
        epsilon_ends(30_000, Fraction(1), delta)
    return clock.time


def test_a_delta_of_many_digits_takes_no_longer_than_a_short_one_of_its_size() -> None:
    short, long = Fraction(1, 10**6), Fraction(10**1000 + 1, 10**1006)
    assert work_of(long) <= 1.5 * work_of(short)
