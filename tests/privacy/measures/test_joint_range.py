"""zCDP alone: never below a pair that has this rho, and attained by one."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.model.measure import GDP, ZCDP
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.measures import gdp, joint_range, zcdp
from semiaudit.privacy.measures.joint_range import _certified, _Divergence
from tests.clocks import Ticks
from tests.oracles import concentrated as oracle
from tests.oracles import joint_range as scan
from tests.samples import sampled

HAIR = 1e-9


def pairs(number: int, seed: int) -> list[tuple[float, float]]:
    """(p, q) with p above q, next to each other or far apart, next to 0 and 1 or not."""
    chance = random.Random(seed)
    found = []
    for _ in range(number):
        q = 1 / (1 + math.exp(chance.uniform(-6, 12)))
        gap = math.exp(chance.uniform(-6, 2))
        found.append((q * math.exp(gap) / (1 - q + q * math.exp(gap)), q))
    return found


def check_pair(p: float, q: float) -> None:
    rho = Fraction(oracle.rho(oracle.binary(p, q)) * (1 + HAIR))
    tpr = float(joint_range.tpr_at(rho, Fraction(q)))
    assert p <= tpr <= p + 1e-6 * (p - q), (p, q)
    assert float(joint_range.advantage(rho)) >= p - q
    for epsilon in (0.01, math.log(p / q) / 3, math.log(p / q) * 0.9):
        delta = p - math.exp(epsilon) * q
        if delta > 1e-12:
            found = float(joint_range.epsilon_at(rho, Fraction(delta)))
            assert found >= epsilon * (1 - HAIR), (p, q, epsilon)


def test_every_pair_stays_within_what_its_rho_allows_and_its_test_attains_it() -> None:
    for p, q in pairs(25, 1):
        check_pair(p, q)


@pytest.mark.slow
def test_many_pairs_stay_within_what_their_rho_allows() -> None:
    for p, q in pairs(600, 2):
        check_pair(p, q)


@pytest.mark.parametrize(
    ("rho", "delta"), [(1e-4, 1e-2), (0.1, 0.01), (0.5, 0.3), (0.5, 1e-5), (3.0, 0.3)]
)
def test_epsilon_is_that_of_the_worst_pair(rho: float, delta: float) -> None:
    """The pairs are (p, q) at rates q, each with the largest p that the rho allows."""

    def slope(place: float) -> float:
        p = float(joint_range.tpr_at(Fraction(rho), Fraction(math.exp(place))))
        return max(math.log((p - delta) / math.exp(place)), 0.0) if p > delta else 0.0

    best, width = -15.0, 1.0
    for _ in range(4):
        best = max((min(best + width * step, -0.01) for step in range(-15, 16)), key=slope)
        width /= 12
    q = math.exp(best)
    p = float(joint_range.tpr_at(Fraction(rho), Fraction(q)))
    worst = slope(best)
    if worst:
        assert oracle.rho(oracle.binary(p, q)) == pytest.approx(rho, rel=1e-6)
    found = float(joint_range.epsilon_at(Fraction(rho), Fraction(delta)))
    assert worst * (1 - 1e-9) <= found <= worst * (1 + 1e-5) + 1e-9


@pytest.mark.parametrize("exponent", range(-12, 4))
def test_the_advantage_is_below_those_of_pinsker_and_of_bretagnolle_and_huber(
    exponent: int,
) -> None:
    for factor in (1, 3):
        rho = Fraction(factor) * Fraction(10) ** exponent
        found = float(zcdp.advantage(ZCDP(rho)))
        assert found <= math.sqrt(rho / 2)
        assert found <= math.sqrt(-math.expm1(-rho)) or found == 1
        for type_i in (Fraction(1, 10**6), Fraction(1, 20), Fraction(1, 2), Fraction(9, 10)):
            tpr = zcdp.tpr_at(ZCDP(rho), type_i)
            assert Fraction(tpr) <= type_i + Fraction(found) * (1 + Fraction(1, 10**12)) or tpr == 1


def test_the_advantage_is_that_of_a_randomised_response() -> None:
    # epsilon 1: rho = tanh(1/2) = 0.46211715726..., and the advantage is the same number.
    rho = Fraction("0.46211715726000975850231848364367254873")
    assert float(zcdp.advantage(ZCDP(rho))) == pytest.approx(0.46211715726000976, rel=1e-12)


def test_no_conversion_is_better() -> None:
    chance = random.Random(7)
    for _ in range(60):
        measure = ZCDP(Fraction(math.exp(chance.uniform(-20, 5))))
        delta = Fraction(math.exp(-chance.uniform(0.01, 60)))
        found = zcdp.epsilon_joint_range(measure, delta)
        assert found <= zcdp.epsilon_cks20(measure, delta)
        assert found <= zcdp.epsilon_bs16(measure, delta)


def test_a_larger_rho_and_a_smaller_delta_have_a_larger_epsilon() -> None:
    for delta in (Fraction(1, 3), Fraction(1, 100), Fraction(1, 10**8)):
        last = last_tpr = 0.0
        for place in range(24):
            rho = Fraction(math.exp(-8 + place / 2.5))
            found = float(joint_range.epsilon_at(rho, delta))
            tpr = float(joint_range.tpr_at(rho, delta))
            assert found >= last * (1 - 1e-7)
            assert tpr >= last_tpr * (1 - 1e-7)
            last, last_tpr = found, tpr


@pytest.mark.parametrize("digits", [28, 40, 60, 100, 400])
def test_a_rho_of_hardly_anything_has_numbers(digits: int) -> None:
    """1e-40 once ended in the error of a logarithm, or of an exponential."""
    hidden = ZCDP(Fraction(1, 10**digits))
    for delta in (Fraction(1, 100), Fraction(1, 10**30), Fraction(1, 10**300)):
        # Bun and Steinke's bound is one of this size.
        assert zcdp.epsilon_joint_range(hidden, delta) <= zcdp.epsilon_cks20(hidden, delta) < 1e-12
    for rate in (Fraction(1, 10**12), Fraction(1, 100), Fraction(9, 10)):
        assert rate < Fraction(zcdp.tpr_at(hidden, rate)) <= rate * (1 + Fraction(1, 10**11))


@pytest.mark.parametrize(("log_rho", "log_delta"), [(-36.66211511, -135.3472231), (-59.03, -216.8)])
def test_a_delta_far_below_a_rho_of_hardly_anything_has_an_epsilon(
    log_rho: float, log_delta: float
) -> None:
    """Where rho is lost in rounding, the place that looked best once had no exponential."""
    hidden, delta = ZCDP(Fraction(10.0**log_rho)), Fraction(10.0**log_delta)
    least = gdp.epsilon_at(GDP(2 * hidden.rho), delta)[0]
    assert least <= zcdp.epsilon_joint_range(hidden, delta) <= zcdp.epsilon_cks20(hidden, delta)


@pytest.mark.parametrize(("log_rho", "digits"), [(-22.3, 14), (-43, 10), (-59.5, 13)])
def test_a_rate_next_to_1_under_a_rho_of_hardly_anything_has_a_number(
    log_rho: float, digits: int
) -> None:
    """The root of the gap is 0 in floats there, and was once raised by a part of 0 for ever."""
    rate = 1 - Fraction(1, 10**digits)
    assert rate < Fraction(zcdp.tpr_at(ZCDP(Fraction(10.0**log_rho)), rate)) <= 1


def test_a_rate_that_is_1_as_a_double_has_a_number() -> None:
    rate = 1 - Fraction(1, 10**20)
    assert rate < Fraction(zcdp.tpr_at(ZCDP(Fraction(1, 10)), rate)) <= 1


@pytest.mark.parametrize(("seed", "times"), sampled([(1, 60), (2, 4_000)], (0,)))
def test_a_search_next_to_the_estimated_order_misses_no_better_one(seed: int, times: int) -> None:
    chance = random.Random(seed)
    for _ in range(times):
        rho = math.exp(chance.uniform(-13, 5.5))
        place = chance.uniform(-9, 24)
        rate = 1 / (1 + math.exp(place)) if place > 0 else 1 - math.exp(place) / 2
        gap = scan.largest_gap(rho, rate)
        if gap > 100:  # farther than doubles resolve the rate
            continue
        found = Fraction(joint_range.tpr_at(Fraction(rho), Fraction(rate)))
        # Certified, so not below; and a millionth of the way from the rate at most above.
        exact = Fraction(rate) * Fraction(math.exp(gap))
        exact /= 1 - Fraction(rate) + exact
        noise = Fraction(1, 10**9) * (exact - Fraction(rate)) + Fraction(1, 10**15) * (1 - exact)
        assert exact - noise <= found, (rho, rate)
        assert 1 - found >= (1 - exact) * (1 - Fraction(1, 10**6)), (rho, rate)
        assert found - exact <= Fraction(1, 10**6) * (exact - Fraction(rate)), (rho, rate)


@pytest.mark.parametrize("seconds", [0, 1, 2, 5, 10])
def test_a_search_for_an_epsilon_ends_whenever_the_time_is_up(seconds: int) -> None:
    """It looks at the clock before the search, and at every order that it tries."""
    with deadline.running(seconds + 0.5, Ticks(1.0)) as running, pytest.raises(OutOfTimeError):
        joint_range.epsilon_at(Fraction(1, 2), Fraction(1, 10**5))
    assert running.was_reached


@pytest.mark.parametrize("guess", [1.5, 1.999, 2.0, 2.001, 2.4])
@pytest.mark.parametrize("slope", [1.0, 0.9, 1.3])
def test_the_gap_is_next_to_the_root_and_above_it(guess: float, slope: float) -> None:
    """beyond(x) = x - 2: Newton's steps go towards 2, also with a slope that is not quite right."""
    divergence: Any = SimpleNamespace(
        beyond=lambda gap: gap - Interval.of(Fraction(2)), slope=lambda gap: slope
    )
    found = _certified(guess, divergence)
    assert 2 <= found < 2 + 0.02 * abs(guess - 2) + 1e-12


@pytest.mark.parametrize("power", [None, Fraction(3, 2), Fraction(4)])
@pytest.mark.parametrize("forward", [False, True])
@pytest.mark.parametrize("gap", ["1/10", "1", "3"])
def test_the_slope_is_that_of_the_divergence(
    power: Fraction | None, forward: bool, gap: str
) -> None:
    divergence = _Divergence(Fraction(1, 20), power, forward, Interval.of(Fraction(1, 8)))
    at, width = Fraction(gap), Fraction(1, 10**6)
    ends = [divergence.beyond(Interval.of(at + side * width)) for side in (-1, 1)]
    assert ends[0] is not None
    assert ends[1] is not None
    numeric = float(ends[1].low - ends[0].low) / (2 * float(width))
    assert divergence.slope(float(at)) == pytest.approx(numeric, rel=1e-6)
