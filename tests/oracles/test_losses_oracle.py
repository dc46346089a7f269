"""Self-checks of the loss oracle: published and derived values, and other ways to the same."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import mpmath
import pytest

from semiaudit.model.loss import (
    ApproxLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
    SubsampledGaussianLoss,
)
from tests.oracles import calculus
from tests.oracles.losses import Enclosure, Truth, Unsupported, atoms_of_discrete_gaussian

mp: Any = mpmath.mp


def truth(*parts: Loss | tuple[Loss, int]) -> Truth:
    return Truth(PrivacyLoss(tuple(p if isinstance(p, tuple) else (p, 1) for p in parts)))


def assert_is(found: Enclosure, expected: str | float | mpmath.mpf, digits: str) -> None:
    """The enclosure is narrow and holds the expected value, printed to an absolute ``digits``."""
    assert found.low <= found.high
    assert found.error <= mp.mpf("1e-14")
    assert abs(found.value - mp.mpf(expected)) <= mp.mpf(digits)


G1 = GaussianLoss(Fraction(1))
RR1 = RandomizedResponseLoss(Fraction(1))


# --- the acceptance numbers of the theory ----------------------------------------------------


@pytest.mark.parametrize(
    ("mu", "epsilon", "delta"),
    [
        (1, 0, "0.3829249225"),
        (1, 1, "0.1269367375"),
        (2, 1, "0.5098616601"),
        (3, 3, "0.5667379991"),
    ],
)
def test_row_6_gaussian_deltas(mu: int, epsilon: int, delta: str) -> None:
    assert_is(truth(GaussianLoss(Fraction(mu * mu))).delta(epsilon), delta, "6e-11")


def test_row_6_gaussian_epsilons() -> None:
    assert_is(truth(G1).epsilon(Fraction(1, 10**5)), "4.377178", "6e-7")
    assert_is(truth(G1).epsilon(Fraction(1, 10**10)), "6.547924", "6e-7")


def test_row_5_gaussian_type_ii() -> None:
    assert_is(truth(G1).type_ii(Fraction(1, 20)), "0.740488977", "6e-10")


def test_row_7_group_of_three_is_the_discrete_laplace_moved_by_three() -> None:
    three = truth(DiscreteLaplaceLoss(3, Fraction(1)))
    for epsilon, delta in ((0, "0.802124"), (1, "0.632121"), (2, "0.462117"), (3, "0")):
        assert_is(three.delta(epsilon), delta, "6e-7")
    once = truth(RandomizedResponseLoss(Fraction(3)))
    for epsilon, delta in ((0, "0.905148"), (1, "0.823657"), (2, "0.602142"), (3, "0")):
        assert_is(once.delta(epsilon), delta, "6e-7")


def test_row_8_compositions() -> None:
    both = truth(G1, GaussianLoss(Fraction(4)))
    assert_is(both.delta(1), calculus.gaussian_delta(mp.sqrt(5), 1), "1e-45")
    assert_is(truth((RR1, 2)).type_ii(Fraction(1, 20)), "0.630547195", "6e-10")


def test_row_31_two_orders_of_composition() -> None:
    first = truth((DiscreteLaplaceLoss(2, Fraction(1)), 2))
    assert_is(first.type_ii(Fraction(1, 20)), "0.210417", "6e-7")
    assert_is(first.delta(1), "0.664961", "6e-7")


def test_row_65_vertices_of_a_finite_pair_and_of_its_inverse() -> None:
    pair = truth(FiniteLoss((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 4), Fraction(3, 4))))
    # T has the vertex (1/2, 1/4), its inverse (1/4, 1/2); the worse order counts.
    assert_is(pair.type_ii(Fraction(1, 2)), "0.25", "1e-40")
    assert_is(pair.type_ii(Fraction(1, 4)), "0.5", "1e-40")


def test_row_70_the_symmetrised_tradeoff_function_cuts_the_corner_between_both_orders() -> None:
    pair = truth(FiniteLoss((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 4), Fraction(3, 4))))
    # The convex function through (1/4, 1/2) and (1/2, 1/4), halfway 3/8 + 0; each order alone
    # has 1/4 + (1/4)/2 = 3/8 and 1/2 - 1/8 = 3/8 there, and at 1/8 they have 13/16 and 3/4.
    assert_is(pair.symmetrised_type_ii(Fraction(3, 8)), "0.375", "1e-14")
    assert_is(pair.symmetrised_type_ii(Fraction(1, 8)), "0.75", "1e-14")
    assert_is(pair.type_ii(Fraction(1, 8)), "0.75", "1e-14")


def test_rows_67_and_68_total_variation_and_duality() -> None:
    assert_is(truth(G1).advantage(), "0.38292492", "6e-9")
    assert_is(truth(RR1).advantage(), "0.46211716", "6e-9")
    assert_is(truth(RR1).epsilon(Fraction(1, 10**40)), 1, "1e-35")
    half = truth(GaussianLoss(Fraction(1, 4)))
    assert_is(half.delta(Fraction(3, 10)), "0.09635282", "6e-9")


def test_row_76_clt_examples_of_randomized_response() -> None:
    ten = truth((RR1, 10))
    assert_is(ten.type_ii(Fraction(1, 20)), "0.080403", "6e-7")
    hundred = truth((RandomizedResponseLoss(Fraction(1, 10)), 100))
    assert_is(hundred.type_ii(Fraction(1, 20)), "0.741216", "6e-7")


@pytest.mark.slow
def test_row_82_clones_of_a_shuffler() -> None:
    """n = 1000, local epsilon 1: delta(0) = 0.015897 and epsilon(1e-6) = 0.148671.

    The masses are rounded to multiples of 2^-160; what the cut tails hold goes to one outcome.
    """
    unit = 2**160
    with mp.workdps(60):
        e = mp.e
        clones = [
            (c, mp.binomial(999, c) * (2 / (e + 1)) ** c * (1 - 2 / (e + 1)) ** (999 - c))
            for c in range(430, 641)
        ]
        kept, switched = e / (e + 1), 1 / (e + 1)
        first, second = [], []
        for c, share in clones:
            for x in range(c // 2 - 78, c // 2 + 80):
                before = mp.mpf(comb(c, x - 1) if x else 0) / 2**c
                after = mp.mpf(comb(c, x)) / 2**c
                first.append(int(unit * share * (kept * before + switched * after)))
                second.append(int(unit * share * (switched * before + kept * after)))
    first.append(unit - sum(first))
    second.append(unit - sum(second))
    assert max(first[-1], second[-1]) < unit * Fraction(1, 10**10)
    as_masses = [tuple(Fraction(mass, unit) for mass in masses) for masses in (first, second)]
    clone = truth(FiniteLoss(*as_masses))
    assert_is(clone.delta(0), "0.015897", "6e-7")
    assert_is(clone.epsilon(Fraction(1, 10**6)), "0.148671", "6e-7")


def test_row_83_the_discrete_gaussian_is_normalised_and_has_its_variance() -> None:
    with mp.workdps(60):
        atoms = atoms_of_discrete_gaussian(DiscreteGaussianLoss(1, Fraction(1)))
        # the loss at k is (1 - 2k)/2
        masses = {Fraction(1, 2) - r: p for (r, _), (p, _) in atoms.common.items()}
        assert abs(sum(masses.values()) - 1) < mp.mpf("1e-50")
        variance = sum(p * int(k) ** 2 for k, p in masses.items())
    assert abs(variance - 1) < mp.mpf("5e-7")


@pytest.mark.parametrize(
    ("sigma_squared", "epsilon", "delta"),
    [(Fraction(1), Fraction(1), "0.14135134"), (Fraction(4), Fraction(1, 2), "0.05400722")],
)
def test_row_84_the_discrete_gaussian_loses_more_than_the_gaussian(
    sigma_squared: Fraction, epsilon: Fraction, delta: str
) -> None:
    found = truth(DiscreteGaussianLoss(1, sigma_squared)).delta(epsilon)
    assert_is(found, delta, "6e-9")
    assert truth(GaussianLoss(1 / sigma_squared)).delta(epsilon).high < found.low


def test_row_85_ten_discrete_gaussians() -> None:
    ten = truth((DiscreteGaussianLoss(1, Fraction(10)), 10))
    assert_is(ten.delta(1), "0.126643362", "6e-10")


@pytest.mark.slow
def test_row_85_the_epsilon_of_ten_discrete_gaussians() -> None:
    ten = truth((DiscreteGaussianLoss(1, Fraction(10)), 10))
    assert_is(ten.epsilon(Fraction(1, 10**10)), "6.55081", "6e-6")


# --- closed forms and brute force ------------------------------------------------------------


def test_f_epsilon_delta_has_its_own_profile() -> None:
    pair = truth(ApproxLoss(Fraction(1), Fraction(1, 100)))
    assert_is(pair.delta(1), "0.01", "1e-40")
    assert_is(pair.delta(7), "0.01", "1e-40")
    assert_is(pair.type_ii(Fraction(1, 20)), "0.854085909", "6e-10")
    with mp.workdps(60):
        assert_is(pair.delta(0), 1 - mp.mpf("0.99") * 2 / (1 + mp.e), "1e-40")


def test_small_finite_products_agree_with_every_region_of_outcomes() -> None:
    """All 2^9 rejection regions of a product of two pairs of three outcomes, exactly."""
    one = FiniteLoss(
        (Fraction(1, 2), Fraction(1, 2), Fraction(0)),
        (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)),
    )
    other = FiniteLoss(
        (Fraction(1, 10), Fraction(7, 10), Fraction(1, 5)),
        (Fraction(3, 5), Fraction(1, 5), Fraction(1, 5)),
    )
    outcomes = [
        (p * p2, q * q2)
        for (p, q), (p2, q2) in product(
            zip(one.first, one.second, strict=True), zip(other.first, other.second, strict=True)
        )
    ]
    regions = [(Fraction(0), Fraction(0))]
    for p, q in outcomes:
        regions += [(a + p, b + q) for a, b in regions]
    found = truth(one, other)
    for odds in (Fraction(1), Fraction(3, 2), Fraction(3), Fraction(10)):
        expected = max(max(a - odds * b, b - odds * a) for a, b in regions)
        with mp.workdps(60):
            epsilon = mp.log(mp.mpf(odds.numerator) / odds.denominator)
            value = mp.mpf(expected.numerator) / expected.denominator
        assert_is(found.delta(epsilon), value, "1e-45")
    first, second = ([pair[side] for pair in outcomes] for side in (0, 1))
    for type_i in (Fraction(0), Fraction(1, 50), Fraction(1, 3), Fraction(9, 10), Fraction(1)):
        expected = min(
            calculus.tradeoff_of_finite_pair(first, second, type_i),
            calculus.tradeoff_of_finite_pair(second, first, type_i),
        )
        with mp.workdps(60):
            value = mp.mpf(expected.numerator) / expected.denominator
        assert_is(found.type_ii(type_i), value, "1e-45")


def test_one_laplace_has_its_closed_form() -> None:
    for shift in (Fraction(1, 1000), Fraction(1), Fraction(30)):
        found = truth(LaplaceLoss(shift))
        with mp.workdps(60):
            s = mp.mpf(shift.numerator) / shift.denominator
            for fraction in ("0", "0.3", "0.99"):
                epsilon = s * mp.mpf(fraction)
                assert_is(found.delta(epsilon), -mp.expm1((epsilon - s) / 2), "1e-45")
            assert_is(found.delta(s), 0, "1e-45")
            # its tradeoff function is e^s a below e^-s / 2 of the type I error
            assert_is(found.type_ii(Fraction(1, 10**16)), 1 - mp.exp(s) / 10**16, "1e-16")


@pytest.mark.parametrize("epsilon", ["0", "0.4", "1.7"])
def test_two_laplaces_agree_with_an_integral_over_outcomes(epsilon: str) -> None:
    """delta is the mean over the first outcome of the single closed form at the loss that is left.

    The single closed form for any real threshold: 1 - e^t below -s, 0 above s.
    """
    found = truth(LaplaceLoss(Fraction(1)), LaplaceLoss(Fraction(3, 2)))
    with mp.workdps(30):
        s, s2, target = mp.mpf(1), mp.mpf("1.5"), mp.mpf(epsilon)

        def single(t: mpmath.mpf) -> mpmath.mpf:
            if t >= s2:
                return mp.mpf(0)
            return -mp.expm1(t) if t <= -s2 else -mp.expm1((t - s2) / 2)

        def integrand(x: mpmath.mpf) -> mpmath.mpf:
            return mp.exp(-abs(x)) / 2 * single(target - (abs(x - s) - abs(x)))

        corners = {(s - loss) / 2 for loss in (target - s2, target + s2)}
        inside = sorted({mp.mpf(0), s, *(c for c in corners if 0 < c < s)})
        expected = mp.quad(integrand, [-60, *inside, 60])
    assert_is(found.delta(mp.mpf(epsilon)), expected, "1e-20")


def test_three_laplaces_are_the_mean_of_two_over_the_outcomes_of_the_third() -> None:
    shifts = (Fraction(1, 2), Fraction(1), Fraction(3, 2))
    found = truth(*(LaplaceLoss(shift) for shift in shifts)).delta(Fraction(3, 4))
    two = truth(*(LaplaceLoss(shift) for shift in shifts[:2])).orders[0]
    with mp.workdps(25):
        s, target = mp.mpf("1.5"), mp.mpf("0.75")

        def integrand(x: mpmath.mpf) -> mpmath.mpf:
            return mp.exp(-x) / 2 * two.delta(target - s + 2 * x).value

        # the loss is s below 0 and -s above s; between, two.delta has corners at +-0.5, +-1.5
        corners = sorted({(c + s - target) / 2 for c in (-1.5, -0.5, 0.5, 1.5)} | {0, s})
        expected = mp.quad(integrand, [c for c in corners if 0 <= c <= s])
        expected += two.delta(target - s).value / 2 + mp.exp(-s) / 2 * two.delta(target + s).value
    assert_is(found, expected, "1e-15")


@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(9, 10)])
def test_subsampled_deltas_agree_with_an_integral_of_the_densities(rate: Fraction) -> None:
    """The greater of the integrals of (P - e^epsilon Q)_+ in both orders, sigma = 1."""
    found = truth(SubsampledGaussianLoss(Fraction(1), rate))
    with mp.workdps(25):
        q, odds = mp.mpf(rate.numerator) / rate.denominator, mp.exp(mp.mpf("0.05"))

        def noise(x: mpmath.mpf) -> mpmath.mpf:
            return mp.npdf(x)

        def mixture(x: mpmath.mpf) -> mpmath.mpf:
            return (1 - q) * mp.npdf(x) + q * mp.npdf(x - 1)

        # the ratio mixture / noise crosses odds once, and 1/odds once
        up, down = (mp.log((o - 1 + q) / q) + mp.mpf("0.5") for o in (odds, 1 / odds))
        adding = mp.quad(lambda x: mixture(x) - odds * noise(x), [up, up + 2, up + 6, 16])
        removing = mp.quad(lambda x: noise(x) - odds * mixture(x), [-15, down - 6, down - 2, down])
    assert_is(found.delta(mp.mpf("0.05")), max(adding, removing), "1e-16")


def test_many_fine_discrete_laplaces_approach_the_laplace() -> None:
    fine = truth((DiscreteLaplaceLoss(8, Fraction(8)), 2))
    found = truth((LaplaceLoss(Fraction(1)), 2))
    assert abs(fine.delta(0).value - found.delta(0).value) < mp.mpf("0.003")


def test_quadrature_agrees_where_a_closed_form_is_known() -> None:
    """At rate 1 - 1e-40 subsampling is a Gaussian to 1e-39, but is integrated."""
    almost = SubsampledGaussianLoss(Fraction(1), 1 - Fraction(1, 10**40))
    assert_is(truth(almost, G1).delta(1), calculus.gaussian_delta(mp.sqrt(2), 1), "1e-12")


def test_quadrature_of_a_gaussian_and_hardly_a_laplace_is_the_gaussian_alone() -> None:
    tiny = LaplaceLoss(Fraction(1, 10**30))
    assert_is(truth(G1, tiny).delta(1), calculus.gaussian_delta(1, 1), "1e-28")


@pytest.mark.slow
def test_quadrature_of_a_laplace_and_hardly_a_gaussian_is_the_laplace_alone() -> None:
    alone = truth(LaplaceLoss(Fraction(1))).delta(Fraction(1, 2))
    both = truth(LaplaceLoss(Fraction(1)), GaussianLoss(Fraction(1, 10**60)))
    assert_is(both.delta(Fraction(1, 2)), alone.value, "1e-28")


def test_a_subsampled_gaussian_obeys_amplification_in_the_adding_order() -> None:
    """delta'(ln(1 + q (e^epsilon - 1))) = q delta(epsilon) for the pair (mixture, noise)."""
    found = truth(SubsampledGaussianLoss(Fraction(1), Fraction(1, 10)))
    with mp.workdps(60):
        for epsilon in (mp.mpf(1), mp.mpf(4)):
            amplified = mp.log1p(mp.expm1(epsilon) / 10)
            expected = calculus.gaussian_delta(1, epsilon) / 10
            assert_is(found.delta(amplified), expected, "1e-40")


def test_the_type_ii_error_is_dual_to_delta_for_a_mixed_product() -> None:
    """f(a) >= 1 - delta - e^epsilon a for every epsilon, with equality at one (row 68)."""
    found = truth(LaplaceLoss(Fraction(1)), RandomizedResponseLoss(Fraction(1, 2), 3))
    type_i = Fraction(1, 20)
    with mp.workdps(60):
        lines = [
            1 - found.delta(epsilon).value - mp.exp(epsilon) / 20
            for epsilon in (mp.mpf(i) / 200 for i in range(320))
        ]
    value = found.type_ii(type_i)
    assert value.error < mp.mpf("1e-14")
    assert value.high - max(lines) >= 0
    assert value.low - max(lines) < mp.mpf("1e-4")


def test_nothing_lost_and_everything_lost() -> None:
    nothing = truth()
    assert_is(nothing.delta(0), 0, "1e-45")
    assert_is(nothing.type_ii(Fraction(1, 4)), "0.75", "1e-45")
    everything = truth(
        FiniteLoss((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))), G1, (RR1, 2)
    )
    assert_is(everything.delta(50), 1, "1e-45")
    assert everything.epsilon(Fraction(1, 2)).low == mp.inf
    assert_is(everything.type_ii(Fraction(1, 10**6)), 0, "1e-45")


def test_what_it_cannot_enumerate_is_refused() -> None:
    sub = SubsampledGaussianLoss(Fraction(1), Fraction(1, 2))
    with pytest.raises(Unsupported):
        truth((sub, 3))
