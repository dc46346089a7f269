"""Certified bounds against a 50-digit oracle: never on the wrong side, and close to the truth."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PiecewiseLinear
from semiaudit.numeric import Interval
from semiaudit.privacy.measures import gaussian, zcdp
from semiaudit.privacy.special import normal
from semiaudit.privacy.tradeoff import polygon
from semiaudit.privacy.tradeoff.functional_power import composed_with_itself
from semiaudit.privacy.tradeoff.polygon import lower_hull, symmetrised, tradeoff_from_approx_dp
from semiaudit.privacy.tradeoff.product import MAX_ATOMS, tensor_product, thinned
from tests.oracles import calculus as oracle


def seeds(first: int, more: int) -> list[object]:
    """One seed of the normal suite; the others only with -m slow."""
    later = range(1_000 * first, 1_000 * first + more)
    return [first, *(pytest.param(seed, marks=pytest.mark.slow) for seed in later)]


def exactly(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def encloses(interval: Interval, truth: Any) -> bool:
    low, high = (mpmath.mpf(str(end)) for end in (interval.low, interval.high))
    slack = abs(truth) * mpmath.mpf("1e-45") + mpmath.mpf("1e-400")
    return bool(low - slack <= truth <= high + slack)


def random_rational(chance: random.Random, low: float, high: float) -> Fraction:
    return Fraction(10) ** 0 * Fraction(str(round(10 ** chance.uniform(low, high), 12)))


def random_delta(chance: random.Random, smallest: int = 30) -> Fraction:
    return Fraction(chance.randint(1, 999), 1000) * Fraction(1, 10 ** chance.randint(0, smallest))


def random_polygon(chance: random.Random, pieces: int = 3) -> PiecewiseLinear:
    """The lower hull of random points below 1 - a, sometimes with f(0) < 1."""
    top = Fraction(1) if chance.random() < 0.5 else Fraction(chance.randint(90, 100), 100)
    points = [(Fraction(0), top), (top, Fraction(0))]
    for _ in range(pieces):
        x = Fraction(chance.randint(1, 99), 100)
        y = (1 - x) * Fraction(chance.randint(1, 99), 100)
        points.append((x, y))
    return lower_hull(points)


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_upper_tail_encloses_the_normal_tail_from_minus_40_to_40(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(120):
        x = Fraction(chance.randint(-400_000, 400_000), 10_000)
        with mpmath.workdps(800):
            truth = mpmath.erfc(exactly(x) / mpmath.sqrt(2)) / 2
        found = normal.upper_tail(Interval.of(x))
        assert encloses(found, truth), x
        if x > -5:
            assert (found.high - found.low) / found.high < 1e-30


def test_upper_tail_of_an_interval_encloses_the_tails_of_both_ends() -> None:
    """As narrow as a rounding, where one end follows from the other, and wider."""
    chance = random.Random(3)
    for _ in range(200):
        x = Fraction(chance.randint(-400_000, 400_000), 30_000)
        width = Fraction(chance.randint(1, 999)) / 10 ** chance.randint(20, 60)
        ends = Interval.hull(Interval.of(x), Interval.of(x + width))
        found = normal.upper_tail(ends)
        with mpmath.workdps(200):
            at = [mpmath.erfc(exactly(end) / mpmath.sqrt(2)) / 2 for end in (x + width, x)]
            low, high = (mpmath.mpf(str(end)) for end in (found.low, found.high))
            assert low <= at[0] <= at[1] <= high
            assert high - low <= 2 * (at[1] - at[0] + high * (exactly(width) * 20 + 1e-30))


def test_upper_quantile_encloses_the_inverse() -> None:
    chance = random.Random(2)
    for _ in range(60):
        tail = random_delta(chance, 250)
        found = normal.upper_quantile(tail)
        with mpmath.workdps(350):
            at = [mpmath.erfc(mpmath.mpf(str(z)) / mpmath.sqrt(2)) / 2 for z in
                  (found.low, found.high)]  # fmt: skip
            assert at[1] <= exactly(tail) <= at[0]
        assert float(found.high - found.low) < 1e-30 * max(1.0, abs(float(found.high)))


@pytest.mark.parametrize("seed", seeds(3, 3))
def test_gaussian_epsilon_brackets_the_truth_within_a_few_doubles(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(25):
        mu = random_rational(chance, -2, 1.5)
        delta = random_delta(chance, chance.choice([6, 30, 200]))
        below, above = gaussian.epsilon_at(GDP(mu * mu), delta)
        truth = oracle.gaussian_epsilon(mu, delta)
        slack = mpmath.mpf("1e-40")
        assert below - slack <= truth <= above + slack, (mu, delta)
        assert above - below <= 1e-14 * max(above, 1e-12), (mu, delta)


def test_gaussian_tradeoff_and_delta_enclose_the_truth() -> None:
    chance = random.Random(4)
    for _ in range(60):
        mu = random_rational(chance, -2, 1)
        alpha = random_delta(chance, 12)
        measure = GDP(mu * mu)
        assert encloses(gaussian.type_ii_at(measure, alpha), oracle.g_mu(mu)(alpha))
        epsilon = random_rational(chance, -2, 1)
        truth = oracle.gaussian_delta(mu, epsilon)
        found = gaussian.delta_at(measure, Interval.of(epsilon))
        low, high = mpmath.mpf(str(found.low)), mpmath.mpf(str(found.high))
        assert low <= truth + mpmath.mpf("1e-49") * truth
        assert truth <= high + mpmath.mpf("1e-49") * truth


def test_zcdp_conversions_lie_above_the_truth_by_less_than_1e_12() -> None:
    chance = random.Random(5)
    for _ in range(150):
        rho, delta = random_rational(chance, -4, 3), random_delta(chance)
        for ours, theirs in ((zcdp.epsilon_cks20, oracle.cks20), (zcdp.epsilon_bs16, oracle.bs16)):
            found = mpmath.mpf(str(ours(ZCDP(rho), delta)))
            truth = theirs(exactly(rho), exactly(delta))
            assert truth <= found + mpmath.mpf("1e-45"), (rho, delta)
            assert found <= truth * (1 + mpmath.mpf("1e-12")) + mpmath.mpf("1e-9"), (rho, delta)


@pytest.mark.parametrize(
    ("rho", "fpr"),
    [
        pytest.param("0.1", "0.05", marks=pytest.mark.slow),
        ("2.56", "0.01"),
        ("0.001", "1e-6"),
        pytest.param("10.24", "0.05", marks=pytest.mark.slow),
    ],
)
def test_zcdp_operating_points_lie_above_the_envelope_and_near_it(rho: str, fpr: str) -> None:
    found = mpmath.mpf(str(zcdp.tpr_at(ZCDP(Fraction(rho)), Fraction(fpr))))
    truth = oracle.zcdp_tpr(rho, fpr)
    assert truth <= found + mpmath.mpf("1e-30")
    assert found - truth <= mpmath.mpf("1e-9")


@pytest.mark.parametrize("rho", ["0.01", "2.56"])
def test_zcdp_advantage_lies_above_the_envelope_and_near_it(rho: str) -> None:
    found = mpmath.mpf(str(zcdp.advantage(ZCDP(Fraction(rho)))))
    truth = oracle.zcdp_advantage(rho)
    assert truth <= found + mpmath.mpf("1e-30")
    assert found - truth <= mpmath.mpf("1e-9")


def test_group_privacy_of_polygons_is_the_pointwise_composition() -> None:
    chance = random.Random(6)
    for _ in range(150):
        f, k = random_polygon(chance, chance.randint(1, 4)), chance.randint(1, 6)
        grouped = composed_with_itself(f, k)
        for _ in range(20):
            alpha = Fraction(chance.randint(0, 1000), 1000)
            value = alpha
            for _ in range(k):
                # Cho and Awan's g(a) = f(1 - a), applied k times at a = 1 - alpha.
                value = 1 - polygon.type_ii_at(f, value)
            assert polygon.type_ii_at(grouped, alpha) <= 1 - value
            assert float(1 - value - polygon.type_ii_at(grouped, alpha)) < 1e-70


def test_group_privacy_agrees_with_the_oracle_for_f_epsilon_delta() -> None:
    chance = random.Random(7)
    for _ in range(40):
        epsilon = random_rational(chance, -2, 0.5)
        delta = random_delta(chance, 8) / 20
        k = chance.randint(1, 5)
        f = composed_with_itself(tradeoff_from_approx_dp(ApproxDP(epsilon, delta)), k)
        truth = oracle.group(oracle.f_epsilon_delta(exactly(epsilon), exactly(delta)), k)
        for _ in range(5):
            alpha = Fraction(chance.randint(0, 1000), 1000)
            found, exact = exactly(polygon.type_ii_at(f, alpha)), truth(exactly(alpha))
            assert exact - mpmath.mpf("1e-45") <= found <= exact + mpmath.mpf("1e-48")


def test_tensor_products_of_polygons_equal_the_best_test_of_the_product_pair() -> None:
    chance = random.Random(8)
    for _ in range(60):
        f, g = random_polygon(chance, 1), random_polygon(chance, 1)
        pairs = [oracle.finite_pair_from_points(h.vertices) for h in (f, g)]
        p, q = oracle.product_pair(*pairs)
        exact = oracle.vertices_of_finite_pair(p, q)
        found = tensor_product([(f, 1), (g, 1)])
        for alpha in [Fraction(i, 37) for i in range(38)]:
            truth = polygon.type_ii_at(lower_hull(exact), alpha)
            ours = polygon.type_ii_at(found, alpha)
            assert ours <= truth
            assert float(truth - ours) < 1e-70


@pytest.mark.parametrize("repeat", [2, 3, 5])
def test_repeats_equal_products_one_by_one(repeat: int) -> None:
    chance = random.Random(repeat)
    for _ in range(10):
        f = random_polygon(chance, 2)
        together = tensor_product([(f, repeat)])
        apart = tensor_product([(f, 1)] * repeat)
        for alpha in [Fraction(i, 23) for i in range(24)]:
            difference = polygon.type_ii_at(together, alpha) - polygon.type_ii_at(apart, alpha)
            assert abs(float(difference)) < 1e-70


def test_repeated_randomised_response_equals_the_binomial_in_closed_form() -> None:
    # Row 75: epsilon 0.1, 100 times: type II error 0.741216 at 0.05.
    f = tradeoff_from_approx_dp(ApproxDP(Fraction("0.1"), Fraction(0)))
    value = polygon.type_ii_at(tensor_product([(f, 100)]), Fraction(1, 20))
    assert float(value) == pytest.approx(0.741216, abs=5e-7)


def test_thinning_and_merging_only_lower_the_function() -> None:
    f = tradeoff_from_approx_dp(ApproxDP(Fraction("0.05"), Fraction("1e-9")))
    fine = tensor_product([(f, 200)])
    many = tensor_product([(f, 200), (random_polygon(random.Random(9), 4), 1)])
    assert len(thinned(many).vertices) <= MAX_ATOMS + 2
    for alpha in [Fraction(i, 41) for i in range(42)]:
        assert polygon.type_ii_at(many, alpha) <= polygon.type_ii_at(fine, alpha)


def test_a_thinned_product_stays_below_the_unthinned_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from semiaudit.privacy.tradeoff import product

    chance = random.Random(10)
    for _ in range(20):
        parts = [(random_polygon(chance, 3), 1) for _ in range(3)]
        exact = tensor_product(parts)
        monkeypatch.setattr(product, "MAX_ATOMS", 12)
        product._tensor_product.cache_clear()
        coarse = tensor_product(parts)
        monkeypatch.undo()
        product._tensor_product.cache_clear()
        assert len(coarse.vertices) <= 14
        for alpha in [Fraction(i, 41) for i in range(42)]:
            assert polygon.type_ii_at(coarse, alpha) <= polygon.type_ii_at(exact, alpha)


def test_thinning_never_raises_a_polygon_even_where_pieces_are_tiny() -> None:
    from semiaudit.privacy.tradeoff import product

    chance = random.Random(13)
    for _ in range(300):
        scale = Fraction(1, product.GRAIN)
        cuts = sorted(chance.sample(range(1, 60), 12))
        points = [(Fraction(0), Fraction(1))]
        points += [(cut * scale, 1 - chance.randint(1, 50) * cut * scale) for cut in cuts]
        points.append((Fraction(1, 2), Fraction(1, 4)))
        f = lower_hull(points)
        coarse = product._tradeoff(product._merge(product._atoms(f), 1))
        for alpha in [x for x, _ in f.vertices] + [x for x, _ in coarse.vertices]:
            assert polygon.type_ii_at(coarse, alpha) <= polygon.type_ii_at(f, alpha)


@pytest.mark.parametrize("seed", seeds(11, 3))
def test_duality_agrees_with_the_oracle_on_polygons(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(12):
        f = random_polygon(chance, 3)
        delta = Fraction(chance.randint(0, 400), 1000)
        theirs = oracle.epsilon_from_tradeoff(
            oracle.piecewise_linear(f.vertices), delta, [x for x, _ in f.vertices]
        )
        ours = polygon.epsilon_at(f, delta)
        if isinstance(ours, float):
            assert ours == theirs == mpmath.inf
        else:
            assert abs(mpmath.mpf(str(ours)) - theirs) < mpmath.mpf("1e-20")


def test_symmetrising_takes_the_larger_of_a_function_and_its_inverse() -> None:
    # Row 70: f has the vertex (1/2, 1/4), its inverse (1/4, 1/2).
    f = lower_hull([(Fraction(0), Fraction(1)), (Fraction(1, 2), Fraction(1, 4))])
    best = symmetrised(f)
    # They cross on the diagonal, where 1 - 3a/2 = a.
    corner = (Fraction(2, 5), Fraction(2, 5))
    ends = (Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))
    assert best.vertices == (ends[0], corner, ends[1])
    for alpha in [Fraction(i, 60) for i in range(61)]:
        inverse = min(x for x in [Fraction(i, 960) for i in range(961)]
                      if polygon.type_ii_at(f, x) <= alpha)  # fmt: skip
        larger = max(polygon.type_ii_at(f, alpha), inverse)
        assert abs(polygon.type_ii_at(best, alpha) - larger) <= Fraction(1, 960)


def test_a_post_processed_pair_is_never_easier_to_tell_apart() -> None:
    # Row 9, with random kernels on the pair behind f_{1,0}.
    chance = random.Random(12)
    f = random_polygon(chance, 3)
    p, q = oracle.finite_pair_from_points(f.vertices)
    for _ in range(30):
        rows = [[Fraction(chance.randint(1, 9)) for _ in range(3)] for _ in p]
        kernel = [[value / sum(row) for value in row] for row in rows]
        image: Callable[[Any], list[Fraction]] = lambda law, kernel=kernel: [  # noqa: E731
            sum((m * row[j] for m, row in zip(law, kernel, strict=True)), Fraction(0))
            for j in range(3)
        ]
        hull = lower_hull(oracle.vertices_of_finite_pair(image(p), image(q)))
        for alpha in [Fraction(i, 19) for i in range(20)]:
            assert polygon.type_ii_at(hull, alpha) >= polygon.type_ii_at(f, alpha)
