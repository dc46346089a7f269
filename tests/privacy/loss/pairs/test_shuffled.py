"""The pair of clones as a privacy loss, against the pair listed term by term."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from semiaudit.model.loss import PrivacyLoss, ShuffledLoss
from semiaudit.privacy import loss as losses
from semiaudit.privacy.measures.clones import type_ii_ends
from semiaudit.privacy.tradeoff.clone_polygons import tradeoff_of_clones
from semiaudit.privacy.tradeoff.polygon import type_ii_at
from tests.oracles import shuffling as oracle
from tests.oracles.domination import hockey_stick, type_ii
from tests.samples import sampled

mp: Any = mpmath.mp


def listed(reports: int, epsilon0: Fraction) -> list[tuple[Any, Any]]:
    first, second = oracle.clones(reports, mp.mpf(epsilon0.numerator) / epsilon0.denominator)
    keys = {*first, *second}
    return [(first.get(key, mp.mpf(0)), second.get(key, mp.mpf(0))) for key in keys]


def times(pair: list[tuple[Any, Any]], repeat: int) -> list[tuple[Any, Any]]:
    return [
        (mp.fprod(p for p, _ in outcome), mp.fprod(q for _, q in outcome))
        for outcome in itertools.product(pair, repeat=repeat)
    ]


def exact_epsilon(pair: list[tuple[Any, Any]], delta: Any, most: Any) -> Any:
    low, high = mp.mpf(0), most
    if hockey_stick(pair, mp.mpf(1)) <= delta:
        return low
    for _ in range(60):
        middle = (low + high) / 2
        over = hockey_stick(pair, mp.exp(middle)) > delta
        low, high = (middle, high) if over else (low, middle)
    return high


def check(chance: random.Random) -> None:
    reports, epsilon0 = chance.randint(1, 12), Fraction(chance.randint(1, 400), 100)
    pair = listed(reports, epsilon0)
    loss = PrivacyLoss(((ShuffledLoss(epsilon0, reports), 1),))
    delta = Fraction(chance.randint(1, 10**6), 10**6 * 10 ** chance.randint(0, 12))
    found = losses.epsilon_at(loss, delta)
    assert found is not None
    truth = float(exact_epsilon(pair, mp.mpf(delta.numerator) / delta.denominator, mp.mpf(5)))
    assert truth * (1 - 1e-12) <= found.upper <= truth * (1 + 1e-9) + 1e-12
    type_i = Fraction(chance.randint(1, 999), 1000) / 10 ** chance.choice((0, 0, 1, 4))
    low, high = type_ii_ends(reports, epsilon0, type_i)
    exact = float(type_ii(pair, mp.mpf(type_i.numerator) / type_i.denominator))
    assert float(low) <= exact + 1e-15
    assert exact - 1e-15 <= float(high) <= float(low) + 1e-9 * exact + 1e-12


def test_epsilon_and_type_ii_errors_are_those_of_the_pair_at_any_delta() -> None:
    chance = random.Random(1)
    for _ in range(30):
        check(chance)


@pytest.mark.slow
def test_epsilon_and_type_ii_errors_of_thousands_of_pairs() -> None:
    chance = random.Random(2)
    for _ in range(2000):
        check(chance)


@pytest.mark.parametrize(("reports", "epsilon0"), sampled([(4, 2), (2, 1), (6, 3)], fast=(0,)))
def test_two_rounds_stay_above_the_product_listed_whole_and_close_to_it(
    reports: int, epsilon0: int
) -> None:
    pair = times(listed(reports, Fraction(epsilon0)), 2)
    loss = PrivacyLoss(((ShuffledLoss(Fraction(epsilon0), reports), 2),))
    for delta in (Fraction(1, 10), Fraction(3, 10**4), Fraction(7, 10**7)):
        found = losses.epsilon_at(loss, delta)
        assert found is not None
        most = mp.mpf(2 * epsilon0)
        truth = float(exact_epsilon(pair, mp.mpf(delta.numerator) / delta.denominator, most))
        assert truth * (1 - 1e-12) <= found.upper <= truth * (1 + 1e-5) + 1e-12


def test_the_polygon_lies_nowhere_above_the_pair() -> None:
    polygon, pair = tradeoff_of_clones(9, Fraction(2), 60), listed(9, Fraction(2))
    for place in range(1, 60):
        exact = float(type_ii(pair, mp.mpf(place) / 60))
        assert exact - 3e-3 <= float(type_ii_at(polygon, Fraction(place, 60))) <= exact + 1e-15


@pytest.mark.parametrize("repeat", sampled([1, 3], fast=(0,)))
def test_more_reports_and_a_larger_delta_and_fewer_rounds_lose_less(repeat: int) -> None:
    def epsilon(reports: int, exponent: int, more: int) -> float:
        loss = PrivacyLoss(((ShuffledLoss(Fraction(2), reports), repeat + more),))
        found = losses.epsilon_at(loss, Fraction(1, 10**exponent))
        assert found is not None
        return found.upper

    base = epsilon(400, 6, 0)
    assert epsilon(401, 6, 0) <= base * (1 + 1e-6)
    assert epsilon(400, 5, 0) <= base * (1 + 1e-6)
    assert epsilon(400, 6, 1) >= base * (1 - 1e-6)


def test_one_report_is_a_randomised_response() -> None:
    found = losses.epsilon_at(PrivacyLoss(((ShuffledLoss(Fraction(1), 1), 1),)), Fraction(1, 10))
    assert found is not None
    # ln(e - delta (1 + e)) of Kairouz, Oh and Viswanath.
    assert found.upper == pytest.approx(float(mp.log(mp.e - (1 + mp.e) / 10)), rel=1e-12)
