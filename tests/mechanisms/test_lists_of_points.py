"""Lists of (epsilon, delta) pairs, and tradeoff functions of one order, against exact laws."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

from semiaudit import (
    FDP,
    ApproxDP,
    Gaussian,
    Laplace,
    Mechanism,
    PiecewiseTradeoff,
    PrivacyProfile,
    audit,
)
from semiaudit.errors import SpecError
from tests.oracles.calculus import product_pair, tradeoff_of_finite_pair, vertices_of_finite_pair
from tests.samples import slow_cases

ANY: Any = FDP
PHI = NormalDist().cdf
RANDOM = [*range(10), *slow_cases(range(10, 1010))]


def gaussian_delta(mu: float, epsilon: float) -> float:
    """The profile of G_mu (Balle and Wang 2018)."""
    return PHI(mu / 2 - epsilon / mu) - math.exp(epsilon) * PHI(-mu / 2 - epsilon / mu)


def gaussian_epsilon(mu: float, delta: float) -> float:
    low, high = 0.0, 200.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if gaussian_delta(mu, middle) <= delta else (middle, high)
    return high


def pairs_of(mu: float, chance: random.Random) -> list[tuple[str, str]]:
    places = sorted(chance.uniform(0, 6) for _ in range(chance.randint(1, 12)))
    return [(f"{x:.6f}", f"{gaussian_delta(mu, x) * 1.000001 + 1e-12:.9e}") for x in places]


def law(chance: random.Random, outcomes: int) -> list[Fraction]:
    parts = [chance.choice([0, 1, 1, 2, 5, 40]) for _ in range(outcomes - 1)]
    parts.append(1)
    return [Fraction(part, sum(parts)) for part in parts]


def test_eleven_points_of_a_gaussian_as_pairs_are_no_smaller_than_the_gaussian() -> None:
    pairs = [(str(x), f"{gaussian_delta(1, x) * 1.0000001:.10e}") for x in range(11)]
    found = PrivacyProfile(pairs).guarantee()
    assert float(found.epsilon("1e-5")) >= gaussian_epsilon(1, 1e-5) == pytest.approx(4.377178)
    # delta is convex in e^epsilon, so a chord between the pairs at 4 and 5 is certified there.
    above, below = (gaussian_delta(1, x) * 1.0000001 for x in (4, 5))
    share = (above - 1e-5) / (above - below)
    chord = math.log(math.exp(4) + share * (math.exp(5) - math.exp(4)))
    assert float(found.epsilon("1e-5")) == pytest.approx(chord, rel=1e-6)


@pytest.mark.parametrize("seed", RANDOM)
def test_numbers_of_pairs_are_above_those_of_the_gaussian_that_has_them(seed: int) -> None:
    chance = random.Random(seed)
    mu, k = chance.uniform(0.3, 2), chance.randint(1, 3)
    known = PrivacyProfile(pairs_of(mu, chance))
    for delta in (0.2, 1e-2, 1e-5):
        assert float(known.guarantee().epsilon(delta)) >= gaussian_epsilon(mu, delta) - 1e-5
        further = float(known.guarantee(k).epsilon(delta))
        assert further >= gaussian_epsilon(k * mu, delta) - 1e-5
        several = float((known * k + Gaussian(1)).guarantee().epsilon(delta))
        assert several >= gaussian_epsilon(math.sqrt(k * mu * mu + 1), delta) - 1e-5


def test_one_pair_is_what_it_declares() -> None:
    one, plain = PrivacyProfile([(1, "1e-6")]), ApproxDP(1, "1e-6")
    for delta in ("1e-6", "1e-3", "0.5"):
        for distance in (1, 4):
            ours, theirs = (m.guarantee(distance).epsilon(delta) for m in (one, plain))
            assert float(ours) == float(theirs)
    assert float(one.guarantee().epsilon("1e-6")) == 1
    assert math.isinf(float(one.guarantee().epsilon("1e-7")))


@pytest.mark.parametrize(
    ("points", "least", "most"),
    [
        ("[[1, 1e-6]]", None, None),
        ("[[1, 1e-6], [0.5, 0.01]]", None, None),
        ("[[2, 0]]", 2 * math.tanh(1), 2 * math.tanh(1)),
        # f_{1,0} has the rho tanh(1/2), and every mechanism with both pairs has at most f_{2,0}'s.
        ("[[1, 1e-6], [2, 0]]", math.tanh(0.5), 2 * math.tanh(1)),
    ],
)
def test_there_is_no_rho_unless_a_pair_is_pure(
    tmp_path: Path, points: str, least: float | None, most: float
) -> None:
    head = "semiaudit: 1\ndataspace: {size: 9}\n"
    (tmp_path / "s.yaml").write_text(f"{head}mechanism: {{profile: {{points: {points}}}}}\n")
    row = audit(tmp_path / "s.yaml").as_dict()["guarantees"][0]
    if least is None:
        assert row["zcdp"] is None
    else:
        assert least - 1e-9 <= row["zcdp"]["rho"] <= most + 1e-6


def test_the_declared_delta_is_printed_as_it_was_declared() -> None:
    for known in (ApproxDP(1, "1e-6"), PrivacyProfile([(1, "1e-6")])):
        assert known.guarantee().delta(1).value == Fraction(1, 10**6)


def test_an_epsilon_below_0_is_refused() -> None:
    with pytest.raises(ValueError, match=r"points\[0\]\[0\].*0"):
        PrivacyProfile([(-1, 0.5)])


def test_the_pairs_of_a_certified_profile_are_no_smaller_than_it() -> None:
    known = Laplace(1).guarantee()
    profile = known.profile(["0", "0.25", "0.5", "0.75", "0.9"])
    found = PrivacyProfile(profile).guarantee()
    for delta in ("1e-3", "0.1"):
        assert float(found.epsilon(delta)) >= float(known.epsilon(delta))
    assert float(found.epsilon("0.1")) < float(known.epsilon("0.1")) + 0.1


def test_orders_must_be_said(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="orders"):
        ANY([(0, 1), (1, 0)])
    spec = "semiaudit: 1\ndataspace: {size: 9}\nmechanism: {tradeoff: {points: [[0, 1], [1, 0]]}}\n"
    (tmp_path / "s.yaml").write_text(spec)
    with pytest.raises(SpecError, match="orders is missing"):
        audit(tmp_path / "s.yaml")


def test_the_curve_of_a_function_of_one_order_is_declared_for_one() -> None:
    curve = PiecewiseTradeoff([(0, 1), ("0.01", "0.5"), (1, 0)]).tradeoff(1001)
    assert float(FDP(curve, orders="one").guarantee().type_ii("0.01")) <= 0.5


def test_a_curve_of_one_order_has_the_smaller_error_of_both() -> None:
    points: list[Any] = [(0, 1), ("0.01", "0.5"), (1, 0)]
    assert float(FDP(points, orders="one").guarantee().type_ii("0.01")) == 0.5
    assert float(FDP(points, orders="both").guarantee().type_ii("0.01")) > 0.98


@pytest.mark.parametrize("seed", RANDOM)
def test_one_order_covers_both_orders_of_finite_pairs(seed: int) -> None:
    chance = random.Random(seed)
    outcomes, k = chance.randint(2, 4), chance.randint(1, 2)
    p, q = law(chance, outcomes), law(chance, outcomes)
    hull = vertices_of_finite_pair(p, q)
    points: list[Any] = [a for a, b in pairwise(hull) if a[0] < b[0]] + [hull[-1]]
    declared: Mechanism = FDP(points, orders="one") * k
    laws = (p, q) if k == 1 else product_pair((p, q), (p, q))
    found = declared.guarantee()
    for type_i in (Fraction(n, 20) for n in range(20)):
        truth = min(tradeoff_of_finite_pair(a, b, type_i) for a, b in (laws, laws[::-1]))
        assert float(found.type_ii(type_i)) <= truth + Fraction(1, 10**12)


def test_a_declared_function_says_that_its_lines_are_claimed(tmp_path: Path) -> None:
    head = "semiaudit: 1\ndataspace: {size: 9}\nmechanism: "
    for mechanism, said in (
        ("{tradeoff: {points: [[0, 1], [1, 0]], orders: one}}", True),
        ("{profile: {points: [[1, 1e-6]]}}", False),
    ):
        (tmp_path / "s.yaml").write_text(head + mechanism + "\n")
        rules = [finding["rule"] for finding in audit(tmp_path / "s.yaml").as_dict()["findings"]]
        assert ("SA036" in rules) is said
