"""Shuffled reports: row 82 of the published numbers, the pair by brute force, and the theorem."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from semiaudit.model.bound import Bound
from semiaudit.privacy.shuffling import tradeoff_of_shuffling
from semiaudit.privacy.tradeoff.polygon import delta_at
from tests.oracles import shuffling as oracle
from tests.privacy.clone_numbers import delta_of_shuffling, epsilon_of_shuffling

mp: Any = mpmath.mp
MILLIONTH = Fraction(1, 10**6)


def value(bound: Bound) -> float:
    return float(bound.value)


def test_a_thousand_reports_with_epsilon0_1_have_the_epsilon_and_advantage_of_row_82() -> None:
    below, above = epsilon_of_shuffling(1000, Fraction(1), MILLIONTH)
    assert below.side == "lower"
    assert above.side == "upper"
    assert f"{value(above):.6f}" == f"{value(below):.6f}" == "0.148671"
    advantage = delta_of_shuffling(1000, Fraction(1), Fraction(0))
    assert f"{advantage.high:.6f}" == f"{advantage.low:.6f}" == "0.015897"


def test_the_profile_encloses_the_pair_that_is_summed_term_by_term() -> None:
    chance = random.Random(82)
    for _ in range(40):
        reports = chance.randint(1, 25)
        epsilon0 = Fraction(chance.randint(1, 500), 100)
        pair = oracle.clones(reports, mp.mpf(epsilon0.numerator) / epsilon0.denominator)
        for share in (Fraction(0), Fraction(1, 3), Fraction(97, 100)):
            epsilon = epsilon0 * share
            truth = oracle.hockey_stick(*pair, mp.mpf(epsilon.numerator) / epsilon.denominator)
            found = delta_of_shuffling(reports, epsilon0, epsilon)
            slack = truth * mp.mpf("1e-40") + mp.mpf("1e-48")
            assert mp.mpf(str(found.low)) <= truth + slack
            assert mp.mpf(str(found.high)) >= truth - slack
            assert float(found.high - found.low) <= 1e-40


def test_shuffled_randomized_response_of_equal_others_stays_below_the_clones() -> None:
    """Row 82: everybody else holds 0; its own epsilon is 0.126614."""
    reports, p = 1000, 1 / (1 + mp.e)

    others = [
        mp.binomial(reports - 1, k) * p**k * (1 - p) ** (reports - 1 - k) for k in range(reports)
    ]

    def total(bit: int) -> dict[tuple[int, ...], Any]:
        own = [p, 1 - p] if bit else [1 - p, p]
        return {
            (k,): (others[k] * own[0] if k < reports else 0) + (others[k - 1] * own[1] if k else 0)
            for k in range(reports + 1)
        }

    zero, one = total(0), total(1)
    known = mp.mpf("0.126614")
    worse = max(oracle.hockey_stick(zero, one, known), oracle.hockey_stick(one, zero, known))
    assert float(worse) == pytest.approx(1e-6, rel=1e-4)
    assert delta_of_shuffling(1000, Fraction(1), Fraction(126614, 10**6)).low > Fraction(1, 10**6)


def random_randomizer(chance: random.Random, inputs: int, local: Any) -> list[list[Any]]:
    """Rows of output probabilities, each column within a factor e^epsilon0: an LDP randomizer.

    Mixtures of randomized responses on random subsets of the inputs; every column takes the two
    extreme values only, in the proportion that makes all rows sum to one.
    """
    columns: list[list[Any]] = []
    weights = [chance.random() for _ in range(3)]
    for weight in weights:
        high = [chance.random() < 0.5 for _ in range(inputs)]
        scale = mp.mpf(weight) / sum(weights) / (local + 1)
        columns.append([scale * (local if up else 1) for up in high])
        columns.append([scale * (1 if up else local) for up in high])
    return [[column[row] for column in columns] for row in range(inputs)]


def test_no_local_randomizer_loses_more_than_the_clones_whatever_the_others_hold() -> None:
    chance = random.Random(2023)
    for _ in range(25):
        epsilon0 = chance.choice([Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4)])
        local = mp.exp(mp.mpf(epsilon0.numerator) / epsilon0.denominator)
        rows = random_randomizer(chance, 4, local)
        reports = chance.randint(1, 4)
        others = [rows[chance.randrange(4)] for _ in range(reports - 1)]
        first = oracle.shuffled([rows[0], *others])
        second = oracle.shuffled([rows[1], *others])
        for share in (Fraction(0), Fraction(1, 4), Fraction(3, 4)):
            epsilon = epsilon0 * share
            at = mp.mpf(epsilon.numerator) / epsilon.denominator
            truth = max(
                oracle.hockey_stick(first, second, at), oracle.hockey_stick(second, first, at)
            )
            bound = mp.mpf(str(delta_of_shuffling(reports, epsilon0, epsilon).high))
            assert truth <= bound + mp.mpf("1e-45")


def test_three_level_randomized_response_stays_below_the_clones() -> None:
    levels, local = 3, mp.e
    rows = [
        [
            local / (local + levels - 1) if i == j else 1 / (local + levels - 1)
            for j in range(levels)
        ]
        for i in range(levels)
    ]
    for reports in (1, 2, 5):
        first = oracle.shuffled([rows[0]] + [rows[2]] * (reports - 1))
        second = oracle.shuffled([rows[1]] + [rows[2]] * (reports - 1))
        truth = oracle.hockey_stick(first, second, mp.mpf(1) / 2)
        bound = mp.mpf(str(delta_of_shuffling(reports, Fraction(1), Fraction(1, 2)).high))
        assert truth <= bound


def test_epsilon_at_delta_is_reached_from_below_and_kept_from_above() -> None:
    cases = itertools.product(
        (1, 3, 40, 5000), (Fraction(1, 10), Fraction(2)), (Fraction(1, 100), Fraction(1, 10**12))
    )
    for reports, epsilon0, delta in cases:
        below, above = epsilon_of_shuffling(reports, epsilon0, delta)
        assert isinstance(above.value, Fraction)
        assert isinstance(below.value, Fraction)
        assert below.value <= above.value <= epsilon0
        assert delta_of_shuffling(reports, epsilon0, above.value).high <= delta
        if below.value:
            assert delta_of_shuffling(reports, epsilon0, below.value).low >= delta * Fraction(
                999_999, 10**6
            )
            assert above.value - below.value <= above.value * Fraction(1, 10**9)


def test_a_million_reports_are_answered() -> None:
    """The Gaussian limit mu = (e^epsilon0 - 1) sqrt(2 / ((e^epsilon0 + 1) n)) is near."""
    _, above = epsilon_of_shuffling(10**6, Fraction(1), MILLIONTH)
    mu = (math.e - 1) * math.sqrt(2 / (math.e + 1) / 10**6)
    delta = mpmath.ncdf(-value(above) / mu + mu / 2) - mpmath.exp(value(above)) * mpmath.ncdf(
        -value(above) / mu - mu / 2
    )
    assert float(delta) == pytest.approx(1e-6, rel=0.02)


def test_ends_of_the_range_are_answered_without_a_search() -> None:
    assert value(epsilon_of_shuffling(10, Fraction(3), Fraction(0))[1]) == 3
    assert value(epsilon_of_shuffling(10, Fraction(0), MILLIONTH)[1]) == 0
    assert value(epsilon_of_shuffling(10, Fraction(500), MILLIONTH)[1]) == 500
    assert value(epsilon_of_shuffling(10**6, Fraction(1, 100), Fraction(1, 10))[1]) == 0


def test_more_reports_lose_less_and_a_larger_epsilon0_loses_more() -> None:
    epsilons = [value(epsilon_of_shuffling(n, Fraction(1), MILLIONTH)[1]) for n in (10, 100, 1000)]
    assert epsilons == sorted(epsilons, reverse=True)
    deltas = [delta_of_shuffling(50, Fraction(e), Fraction(1, 2)).high for e in (1, 2, 3)]
    assert deltas == sorted(deltas)


def test_the_polygon_lies_below_the_pair_and_close_to_it() -> None:
    polygon = tradeoff_of_shuffling(200, Fraction(1))
    for epsilon in (Fraction(0), Fraction(1, 10), Fraction(3, 10)):
        from_polygon = delta_at(polygon, epsilon)
        exact = delta_of_shuffling(200, Fraction(1), epsilon)
        assert from_polygon >= exact.low
        assert float(from_polygon) <= float(exact.high) * 1.2


def test_arguments_outside_of_their_range_are_refused() -> None:
    for reports, epsilon0, delta in ((0, 1, 0), (10**9, 1, 0), (5, -1, 0), (5, 1, 1), (5, 1, -1)):
        with pytest.raises(ValueError, match=r"reports|epsilon0|delta"):
            epsilon_of_shuffling(reports, Fraction(epsilon0), Fraction(delta))


def random_columns(chance: random.Random, inputs: int, local: float) -> list[list[float]]:
    """A randomizer in floats: weighted columns of 1s and e^epsilon0s, balanced to equal rows."""
    rows: list[list[float]] = [[] for _ in range(inputs)]
    for _ in range(chance.randint(1, 3)):
        weight = chance.random() ** 3
        high = [chance.random() < 0.5 for _ in range(inputs)]
        for row, up in zip(rows, high, strict=True):
            row += [weight * (local if up else 1), weight * (1 if up else local)]
    total = sum(rows[0])
    return [[value / total for value in row] for row in rows]


def excess(first: oracle.Law, second: oracle.Law, epsilon: float) -> float:
    growth = math.exp(epsilon)
    return sum(max(float(p) - growth * float(second.get(k, 0)), 0.0) for k, p in first.items())


@pytest.mark.slow
def test_ten_thousand_random_randomizers_stay_below_the_clones() -> None:
    """Up to six reports; in floats, whose rounding is far below the allowance of 1e-12."""
    chance = random.Random(2026)
    bounds: dict[tuple[int, Fraction, Fraction], float] = {}
    for _ in range(10_000):
        epsilon0 = chance.choice([Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4)])
        rows = random_columns(chance, 3, math.exp(epsilon0))
        reports = chance.choice([2, 3, 3, 4, 6] if len(rows[0]) < 5 else [2, 3])
        others = [chance.choice(rows) for _ in range(reports - 1)]
        one, two = (oracle.shuffled([row, *others]) for row in rows[:2])
        for share in (Fraction(0), Fraction(1, 4), Fraction(3, 4)):
            key = (reports, epsilon0, epsilon0 * share)
            if key not in bounds:
                bounds[key] = float(delta_of_shuffling(*key).high)
            truth = max(excess(one, two, float(key[2])), excess(two, one, float(key[2])))
            assert truth <= bounds[key] + 1e-12, (key, rows)
