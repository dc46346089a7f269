"""Compositions of declared guarantees against binomial laws in 50 digits."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from semiaudit.mechanisms import declared
from semiaudit.mechanisms.joint import number_of
from semiaudit.model.guarantee import Numbers
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PiecewiseLinear, PureDP
from semiaudit.privacy.composition import compose, summed
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.privacy.group import group
from semiaudit.privacy.tradeoff.polygon import delta_at
from tests.privacy.instances import exactly, random_polygon, seeds
from tests.samples import sampled

mp: Any = mpmath.mp
RATES = (Fraction(1, 1000), Fraction(1, 20))


def numbers(parts: list[tuple[tuple[Measure, ...], int]], delta: Fraction) -> Numbers:
    return numbers_of(compose(parts), [delta], RATES)


def masses(epsilon: Any, repeat: int) -> list[Any]:
    """P of j responses that tell the truth; under Q those of j that lie."""
    share = 1 / (1 + mp.exp(-epsilon))
    row, found = mp.mpf(1), []
    for j in range(repeat + 1):
        found.append(row * share**j * (1 - share) ** (repeat - j))
        row = row * (repeat - j) / (j + 1)
    return found


def binomial_delta(epsilon: Fraction, delta: Fraction, repeat: int, at: Any) -> Any:
    """delta(at) of (epsilon, delta)-DP composed (Kairouz, Oh and Viswanath 2015, Theorem 3.3)."""
    first, told = masses(exactly(epsilon), repeat), 1 - (1 - exactly(delta)) ** repeat
    gained = mp.fsum(max(mass - mp.exp(at) * first[repeat - j], 0) for j, mass in enumerate(first))
    return told + (1 - told) * gained


def binomial_power(epsilon: Fraction, delta: Fraction, repeat: int, type_i: Fraction) -> Any:
    """The best test rejects the likeliest outcomes under P, and the last of them by chance."""
    first, kept = masses(exactly(epsilon), repeat), (1 - exactly(delta)) ** repeat
    left, power = exactly(type_i), 1 - kept
    for j in range(repeat, -1, -1):
        mass = kept * first[repeat - j]
        share = min(left / mass, 1)
        power += share * kept * first[j]
        left -= share * mass
        if left <= 0:
            break
    return power


def holds_at(found: Numbers, epsilon: Fraction, delta: Fraction, repeat: int, at: Fraction) -> None:
    """epsilon, advantage and TPR are not below the exact ones, and within 1e-6 of them."""
    with mp.workdps(60):
        value = exactly(Fraction(found.tightest[0].epsilon.value))
        assert binomial_delta(epsilon, delta, repeat, value) <= exactly(at)
        if value:
            assert binomial_delta(epsilon, delta, repeat, value * (1 - mp.mpf("1e-6"))) > exactly(
                at
            )
        assert found.advantage is not None
        exact = [(found.advantage, binomial_delta(epsilon, delta, repeat, 0))]
        exact += [(p, binomial_power(epsilon, delta, repeat, a)) for a, p in found.tpr_at_fpr]
        for bound, truth in exact:
            assert truth <= exactly(Fraction(bound.value)) <= truth * (1 + mp.mpf("1.01e-6"))


@pytest.mark.parametrize(
    ("epsilon", "delta", "repeat", "at", "truth"),
    sampled(
        [
            ("1", "0", 200, "1e-10", 163.719),
            ("0.1", "0", 1000, "1e-6", 19.3447),
            ("0.1", "1e-9", 1000, "1e-5", 17.8687),
            ("0.1", "0", 200, "1e-3", 4.8082),
            ("0.1", "0", 201, "1e-3", 4.8357),
            ("0.05", "0", 1000, "1e-6", 8.2836),
        ],
        fast=(0, 2, 3, 4),
    ),
)
def test_published_compositions_have_their_exact_epsilon(
    epsilon: str, delta: str, repeat: int, at: str, truth: float
) -> None:
    part = declared.approx_dp(ApproxDP(Fraction(epsilon), Fraction(delta)))
    found = numbers([(part, repeat)], Fraction(at))
    assert float(found.tightest[0].epsilon.value) == pytest.approx(truth, abs=6e-4)
    holds_at(found, Fraction(epsilon), Fraction(delta), repeat, Fraction(at))


@pytest.mark.parametrize("seed", seeds(5, 300))
def test_random_repeats_have_the_numbers_of_the_binomial(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(3):
        repeat = round(1500 ** chance.random())
        epsilon = Fraction(chance.randint(1, 999), 1000) * 3 / Fraction(repeat).limit_denominator(1)
        epsilon = min(epsilon * chance.choice((1, 5, 20)), Fraction(4))
        delta = Fraction(chance.choice((0, 1, 7)), 10 ** chance.randint(6, 14))
        at = max(Fraction(1, 10 ** chance.randint(1, 12)), 2 * repeat * delta)
        if at >= 1:
            continue
        part = declared.approx_dp(ApproxDP(epsilon, delta))
        holds_at(numbers([(part, repeat)], at), epsilon, delta, repeat, at)


@pytest.mark.parametrize("steps", [2, 7, 150, 400])
def test_epsilon_dp_in_steps_is_the_discrete_laplace(steps: int) -> None:
    """Composed twice, and as one: f_{epsilon,0} composed k times against its polygon."""
    measures = group(declared.pure_dp(PureDP(Fraction(1, 100))), steps)
    (f,) = [m for m in measures if isinstance(m, PiecewiseLinear)]
    assert not f.merged
    losses = numbers_of(tuple(m for m in measures if m != f), [Fraction(1, 10**6)], RATES)
    assert losses.operating_points_from == "loss_distribution"
    exact = numbers_of((f,), [Fraction(1, 10**6)], RATES)
    assert losses.advantage is not None
    assert exact.advantage is not None
    assert float(losses.advantage.value) == pytest.approx(float(exact.advantage.value), rel=1e-6)
    first, second = (float(found.tightest[0].epsilon.value) for found in (losses, exact))
    assert first == pytest.approx(second, rel=1e-6)


def test_a_merged_polygon_is_called_one() -> None:
    chance = random.Random(3)
    f = random_polygon(chance, 3)
    measures = compose([((f,), 90)], polygon=True)
    (merged,) = [m for m in measures if isinstance(m, PiecewiseLinear)]
    assert merged.merged
    found = numbers_of((merged,), [Fraction(1, 2)], RATES)
    assert found.operating_points_from == "tradeoff_merged"
    assert [point.conversion for point in found.approx_dp] == ["tradeoff_merged"]
    assert not any(isinstance(m, PiecewiseLinear) for m in compose([((f,), 90)]))


def test_a_small_product_of_polygons_stays_exact() -> None:
    f = declared.approx_dp(ApproxDP(Fraction(1, 2), Fraction(1, 10**6)))
    (product,) = [m for m in compose([(f, 5)]) if isinstance(m, PiecewiseLinear)]
    assert not product.merged
    with mp.workdps(60):
        truth = binomial_delta(Fraction(1, 2), Fraction(1, 10**6), 5, 1)
        assert abs(mp.mpf(str(delta_at(product, Fraction(1)))) - truth) < mp.mpf("1e-45")


def test_epsilons_far_beyond_the_grain_of_vertices_are_composed_by_their_loss() -> None:
    at = Fraction(1, 2)
    for parts in ([(PureDP(Fraction(300)), 1)], [(PureDP(Fraction(100)), 3)]):
        found = numbers([(declared.pure_dp(m), k) for m, k in parts], at)
        with mp.workdps(60):
            value = exactly(Fraction(found.tightest[0].epsilon.value))
            assert abs(value - 300 - mp.log(mp.mpf(1) / 2)) < mp.mpf("1e-9")


def test_a_tiny_gaussian_beside_many_responses_changes_hardly_anything() -> None:
    pure, at = declared.pure_dp(PureDP(Fraction(1, 20))), Fraction(1, 10**6)
    alone = numbers([(pure, 1000)], at)
    both = numbers([(pure, 1000), (declared.gdp(GDP(Fraction(1, 10**12))), 1)], at)
    first, second = (float(found.tightest[0].epsilon.value) for found in (alone, both))
    assert first * (1 - 1e-6) <= second <= first * (1 + 1e-6)


def test_sums_are_those_of_the_kinds_that_every_part_has() -> None:
    one = PureDP(Fraction(1, 2)), ZCDP(Fraction(1, 8)), GDP(Fraction(1, 4))
    other = ZCDP(Fraction(1, 3)), PureDP(Fraction(1))
    found = summed([(one, 2), (other, 3)])
    assert [type(m) for m in found] == [PureDP, ZCDP]
    assert [number_of(m) for m in found] == [4, Fraction(5, 4)]
