"""Tradeoff functions as values: published rows, and certified ends against 50-digit oracles."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from math import isinf

import pytest

from semiaudit.model.loss import FiniteLoss, LaplaceLoss, PrivacyLoss
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, ApproxZCDP, PiecewiseLinear, PureDP
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.special.normal import upper_tail
from semiaudit.privacy.tradeoff.algebra import functional_power, inverse, symmetrised, tensor
from semiaudit.privacy.tradeoff.function import (
    TradeoffBracket,
    TradeoffFunction,
    advantage_from_above,
    delta_at,
    epsilon_at,
    function_from_measure,
    type_ii_at,
    type_ii_from_below,
)
from semiaudit.privacy.tradeoff.polygon import envelope
from semiaudit.privacy.tradeoff.sources import (
    bracket_of,
    tradeoff_from_densities,
    tradeoff_from_likelihoods,
)
from tests.enclosing import encloses
from tests.oracles import calculus as oracle
from tests.oracles import curves as densities
from tests.oracles.curves import mp, real
from tests.privacy.instances import gdp, random_pair

ALPHA = Fraction(1, 20)
PURE = ApproxDP(Fraction(1), Fraction(0))
HALF = Fraction(1, 2)
LEFT, RIGHT = (Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))


def rounded(found: Interval, digits: int) -> str:
    low, high = f"{found.low:.{digits}f}", f"{found.high:.{digits}f}"
    assert low == high
    return low


def test_row_4_at_the_type_i_error_that_is_95_percent_in_the_other_convention() -> None:
    assert rounded(type_ii_at(PURE, ALPHA), 9) == "0.864085909"
    weaker = ApproxDP(Fraction(1), Fraction(1, 100))
    assert rounded(type_ii_at(weaker, ALPHA), 9) == "0.854085909"


def test_rows_5_and_6_of_the_gaussian() -> None:
    assert rounded(type_ii_at(gdp("1"), ALPHA), 9) == "0.740488977"
    assert rounded(delta_at(gdp("1"), Fraction(0)), 10) == "0.3829249225"
    assert rounded(delta_at(gdp("2"), Fraction(1)), 10) == "0.5098616601"
    for delta, printed in ((5, "4.377178"), (10, "6.547924")):
        below, above = epsilon_at(gdp("1"), Fraction(1, 10**delta))
        assert f"{float(below):.6f}" == f"{float(above):.6f}" == printed


def test_row_7_functional_composition_is_more_than_three_epsilon() -> None:
    third = functional_power(PURE, 3)
    found = [delta_at(third, Fraction(e)) for e in range(4)]
    assert [rounded(f, 6) for f in found[:3]] == ["0.802124", "0.632121", "0.462117"]
    assert found[3].high < Fraction(1, 10**50)
    assert functional_power(gdp("1"), 3) == gdp("3")


def test_row_7_in_both_forms_of_the_composition() -> None:
    """CA: g composed; SU: 1 - (1 - f) composed. One function."""
    f = oracle.f_epsilon_delta(1, 0)
    third = functional_power(PURE, 3)
    for type_i in (Fraction(1, 100), ALPHA, Fraction(2, 5), Fraction(9, 10)):
        ca = densities.composed([lambda a: f(1 - a)] * 3, real(1 - type_i))
        su = 1 - densities.composed([lambda a: 1 - f(a)] * 3, real(type_i))
        found = type_ii_at(third, type_i)
        assert encloses(found, ca)
        assert encloses(found, su)


def test_a_product_of_one_release_is_its_own_function() -> None:
    assert tensor([(PURE, 1)]) == PURE


def test_rows_8_and_31_products_and_the_two_orders() -> None:
    assert rounded(type_ii_at(tensor([(PURE, 2)]), ALPHA), 9) == "0.630547195"
    assert tensor([(gdp("1"), 1), (gdp("2"), 1)]) == GDP(Fraction(5))
    semi_first = tensor([(functional_power(PURE, 2), 2)])
    composition_first = functional_power(tensor([(PURE, 2)]), 2)
    assert rounded(type_ii_at(semi_first, ALPHA), 6) == "0.210417"
    assert rounded(type_ii_at(composition_first, ALPHA), 6) == "0.168430"
    assert rounded(delta_at(semi_first, Fraction(1)), 6) == "0.664961"
    assert rounded(delta_at(composition_first, Fraction(1)), 6) == "0.756403"


def test_row_65_the_vertices_of_a_finite_pair() -> None:
    pair = FiniteLoss((HALF, HALF), (Fraction(1, 4), Fraction(3, 4)))
    curve = tradeoff_from_likelihoods(pair)
    assert curve.below.vertices == (LEFT, (HALF, Fraction(1, 4)), RIGHT)
    assert curve.above == curve.below


def test_row_68_duality_and_infinity_below_one_minus_f_of_zero() -> None:
    assert rounded(delta_at(gdp("1"), Fraction(1)), 8) == "0.12693674"
    assert rounded(delta_at(gdp("0.5"), Fraction(3, 10)), 8) == "0.09635282"
    weaker = ApproxDP(Fraction(1), Fraction(1, 100))
    assert all(isinf(end) for end in epsilon_at(weaker, Fraction(1, 200)))
    assert all(isinf(end) for end in epsilon_at(bracket_of(weaker), Fraction(1, 200)))
    assert epsilon_at(weaker, Fraction(1, 100)) == (1, 1)
    assert all(isinf(end) for end in epsilon_at(gdp("1"), Fraction(0)))
    assert epsilon_at(gdp("1"), Fraction(2, 5)) == (0, 0)


def test_row_70_inverse_and_symmetrisation() -> None:
    curve = tradeoff_from_likelihoods(FiniteLoss((HALF, HALF), (Fraction(1, 4), Fraction(3, 4))))
    backward = inverse(curve)
    assert isinstance(backward, TradeoffBracket)
    assert backward.below.vertices[1] == (Fraction(1, 4), HALF)
    larger = symmetrised(curve)
    assert isinstance(larger, TradeoffBracket)
    assert larger.below.vertices == (LEFT, (Fraction(2, 5), Fraction(2, 5)), RIGHT)
    assert symmetrised(PURE) is PURE


def test_row_71_the_weakest_function_touches_and_the_rounded_delta_does_not_hold() -> None:
    """G_1 >= f_{1,delta} for its own delta(1); at 0.1269367, rounded down, it misses by 3.7e-8."""
    tight = Fraction(delta_at(gdp("1"), Fraction(1)).high)
    corner = Fraction(str(mp.nstr(1 - oracle.mp.ncdf(mp.mpf(3) / 2), 40)))
    held = type_ii_at(ApproxDP(Fraction(1), tight), corner)
    missed = type_ii_at(ApproxDP(Fraction(1), Fraction("0.1269367")), corner)
    own = type_ii_at(gdp("1"), corner)
    assert abs(float(own.low - held.high)) < 1e-30
    assert float(missed.low - own.high) == pytest.approx(3.75e-8, rel=0.01)


def test_laplace_curve_is_that_of_its_densities() -> None:
    chance = random.Random(7)
    for _ in range(150):
        shift, type_i = (
            Fraction(chance.randint(0, 500), 100),
            Fraction(chance.randint(0, 1000), 1000),
        )
        truth = densities.laplace_tradeoff(real(shift), real(type_i))
        assert encloses(type_ii_at(LaplaceLoss(shift), type_i), truth), (shift, type_i)


def test_laplace_profile_is_what_the_best_test_of_its_densities_gains() -> None:
    for shift, epsilon in ((1, HALF), (1, Fraction(0)), (3, Fraction(2)), (1, Fraction(-1, 2))):
        found = delta_at(LaplaceLoss(Fraction(shift)), epsilon)
        growth = mp.exp(real(epsilon))
        cut = (real(epsilon) + shift) / 2  # where the loss 2x - s is epsilon
        truth = densities.laplace_tail(cut - shift) - growth * densities.laplace_tail(cut)
        assert encloses(found, truth)
    assert delta_at(LaplaceLoss(Fraction(1)), Fraction(2)).high == 0
    below, above = epsilon_at(LaplaceLoss(Fraction(2)), Fraction(1, 10))
    assert delta_at(LaplaceLoss(Fraction(2)), Fraction(above)).high <= Fraction(1, 10) + Fraction(
        1, 10**55
    )
    assert float(above - below) < 1e-50


def test_laplace_composed_is_laplace_moved_further() -> None:
    shift = mp.mpf(3) / 4
    for type_i in (Fraction(1, 50), Fraction(1, 4), Fraction(3, 5)):
        truth = densities.composed(
            [lambda a: densities.laplace_tradeoff(shift, 1 - a)] * 3, real(1 - type_i)
        )
        found = type_ii_at(functional_power(LaplaceLoss(Fraction(3, 4)), 3), type_i)
        assert encloses(found, truth, "1e-40")


def test_profiles_at_negative_epsilons_are_those_of_the_swapped_pair() -> None:
    """delta(-e) = 1 - e^-e (1 - delta(e)) wherever f is its own inverse."""
    curves: list[TradeoffFunction] = [gdp("1"), LaplaceLoss(Fraction(1)), PURE]
    curves.append(ApproxDP(Fraction(1), Fraction(1, 10)))
    for curve in curves:
        for epsilon in (Fraction(1, 3), Fraction(2)):
            forward = mp.mpf(str(delta_at(curve, epsilon).high))
            backward = 1 - mp.exp(-real(epsilon)) * (1 - forward)
            assert encloses(delta_at(curve, -epsilon), backward)


def test_finite_pairs_are_the_oracles_tradeoff_function_and_profile() -> None:
    chance = random.Random(65)
    for _ in range(60):
        pair = random_pair(chance, chance.randint(2, 6))
        curve = tradeoff_from_likelihoods(pair)
        for type_i in (Fraction(0), Fraction(1, 7), HALF, Fraction(1)):
            truth = oracle.tradeoff_of_finite_pair(pair.first, pair.second, type_i)
            assert encloses(type_ii_at(curve, type_i), real(truth))
        for epsilon in (Fraction(-1), Fraction(0), Fraction(1, 3)):
            delta = oracle.hockey_stick(pair.first, pair.second, epsilon)
            assert encloses(delta_at(curve, epsilon), delta)


def test_random_products_and_compositions_enclose_the_oracle() -> None:
    chance = random.Random(31)
    for _ in range(25):
        first, second = random_pair(chance, 3), random_pair(chance, 2)
        curves = [tradeoff_from_likelihoods(first), tradeoff_from_likelihoods(second)]
        joint = oracle.product_pair((first.first, first.second), (second.first, second.second))
        product = tensor([(curves[0], 1), (curves[1], 1)])
        composition = functional_power(curves[0], 3)
        f = oracle.piecewise_linear(curves[0].below.vertices)
        for type_i in (Fraction(1, 9), HALF, Fraction(4, 5)):
            truth = oracle.tradeoff_of_finite_pair(*joint, type_i)
            assert encloses(type_ii_at(product, type_i), real(truth))
            assert encloses(type_ii_at(composition, type_i), oracle.group(f, 3)(real(type_i)))


def test_a_tradeoff_from_densities_brackets_the_curve() -> None:
    """Gaussian densities, whose curve is known, and logistic ones, whose quantiles are."""
    cuts = [Fraction(i, 8) for i in range(-40, 49)]

    def ratio(x: Fraction) -> Interval:
        return Interval.of(x - HALF).exp()

    bracket = tradeoff_from_densities(
        cuts, lambda x: upper_tail(Interval.of(x)), lambda x: upper_tail(Interval.of(x - 1)), ratio
    )
    exact = oracle.g_mu(1)
    one = Interval.of(1)

    def logistic(x: Fraction) -> Interval:
        return one / (one + Interval.of(x).exp())

    def logistic_ratio(x: Fraction) -> Interval:
        top, bottom = one + (-Interval.of(x)).exp(), one + (-Interval.of(x - 1)).exp()
        return Interval.of(1).exp() * top * top / (bottom * bottom)

    other = tradeoff_from_densities(cuts, logistic, lambda x: logistic(x - 1), logistic_ratio)
    for type_i in (Fraction(1, 100), ALPHA, Fraction(3, 10), Fraction(9, 10)):
        a = real(type_i)
        moved = 1 / (1 + mp.exp(1 - mp.log((1 - a) / a)))
        for found, truth in ((bracket, exact(a)), (other, moved)):
            value = type_ii_at(found, type_i)
            assert encloses(value, truth)
            assert float(value.high - value.low) < 1e-3


def test_brackets_of_closed_forms_enclose_them() -> None:
    flat = ApproxDP(Fraction(0), Fraction(1, 5))
    for curve in (gdp("1"), gdp("3"), LaplaceLoss(Fraction(2)), PURE, flat):
        bracket = bracket_of(curve)
        for type_i in (Fraction(0), Fraction(1, 10**5), ALPHA, HALF, Fraction(19, 20), Fraction(1)):
            exact, found = type_ii_at(curve, type_i), type_ii_at(bracket, type_i)
            assert found.low <= exact.high
            assert found.high >= exact.low
            assert float(found.high - found.low) < 2e-3


def test_products_across_families_enclose_the_truth() -> None:
    """Gaussian mu = 1 with randomised response: a mixture over the response's two answers."""
    found = delta_at(tensor([(gdp("1"), 1), (PURE, 1)]), Fraction(1))
    keep = mp.e / (1 + mp.e)
    truth = keep * oracle.gaussian_delta(1, 0) + (1 - keep) * oracle.gaussian_delta(1, 2)
    assert encloses(found, truth)
    assert float(found.high - found.low) < 0.02


def test_envelopes_keep_only_what_lies_highest() -> None:
    f = envelope([(Fraction(1), Fraction(4)), (HALF, Fraction(1)), (Fraction(1, 10), Fraction(1))])
    assert f.vertices == (LEFT, (Fraction(1, 6), Fraction(1, 3)), (HALF, Fraction(0)), RIGHT)


def test_every_bracket_is_convex_and_ordered() -> None:
    for curve in (functional_power(PURE, 5), tensor([(PURE, 3)]), bracket_of(gdp("2"))):
        assert isinstance(curve, TradeoffBracket)
        for f in (curve.below, curve.above):
            slopes = [(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in pairwise(f.vertices)]
            assert slopes == sorted(slopes)
        for x, y in curve.below.vertices:
            assert Fraction(type_ii_at(curve, x).high) >= y


def test_measures_stand_for_their_functions_and_zcdp_does_not() -> None:
    polygon = PiecewiseLinear(((Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))))
    for measure in (GDP(Fraction(4)), PureDP(Fraction(1)), ApproxDP(Fraction(1), HALF), polygon):
        assert function_from_measure(measure) is measure
    for other in (ZCDP(Fraction(1)), ApproxZCDP(Fraction(1), HALF)):
        with pytest.raises(ValueError, match="zCDP"):
            function_from_measure(other)
    with pytest.raises(ValueError, match="product of pairs"):
        function_from_measure(PrivacyLoss(((LaplaceLoss(Fraction(1)), 2),)))


def test_more_delta_than_declared_leaves_the_epsilon_of_the_function() -> None:
    delta = Fraction(1, 3)
    declared = ApproxDP(Fraction(3), Fraction(1, 10))
    low, high = (Fraction(end) for end in epsilon_at(declared, delta))
    truth = oracle.epsilon_from_tradeoff(
        oracle.f_epsilon_delta(declared.epsilon, declared.delta), delta
    )
    assert low <= high <= low + Fraction(1, 10**12)
    assert real(low) - mp.mpf("1e-40") <= truth <= real(high) + mp.mpf("1e-40")


def test_pure_dp_is_f_epsilon_delta_without_a_delta() -> None:
    pure = PureDP(Fraction(1))
    assert type_ii_at(pure, ALPHA) == type_ii_at(PURE, ALPHA)
    assert delta_at(pure, HALF) == delta_at(PURE, HALF)
    assert epsilon_at(pure, ALPHA) == epsilon_at(PURE, ALPHA)
    assert bracket_of(pure) == bracket_of(PURE)
    assert inverse(pure) is symmetrised(pure) is pure
    assert functional_power(pure, 3) == functional_power(PURE, 3)
    assert tensor([(pure, 2)]) == tensor([(PURE, 2)])


def test_what_a_report_reads_is_the_safe_end() -> None:
    polygon = PiecewiseLinear(
        ((Fraction(0), Fraction(1)), (HALF, ALPHA), (Fraction(1), Fraction(0)))
    )
    assert type_ii_from_below(polygon, Fraction(1, 4)) == Fraction(21, 40)
    assert advantage_from_above(polygon) == Fraction(9, 20)
    curves: list[TradeoffFunction] = [gdp("1"), LaplaceLoss(Fraction(1)), PureDP(Fraction(1))]
    curves += [PURE, functional_power(PURE, 2)]
    for curve in curves:
        assert type_ii_from_below(curve, ALPHA) == Fraction(type_ii_at(curve, ALPHA).low)
        assert advantage_from_above(curve) >= Fraction(delta_at(curve, Fraction(0)).low)


def test_a_polygon_is_known_from_below_and_what_becomes_of_it_is_too() -> None:
    """It is the lower end of the bracket of the same polygon, whatever is done with it."""
    f = tradeoff_from_likelihoods(FiniteLoss((HALF, HALF), (Fraction(1, 4), Fraction(3, 4)))).below
    both = TradeoffBracket(f, f)
    for change in (inverse, symmetrised):
        changed = change(both)
        assert isinstance(changed, TradeoffBracket)
        assert change(f) == changed.below
    thrice, twice = functional_power(both, 3), tensor([(both, 2)])
    assert isinstance(thrice, TradeoffBracket)
    assert isinstance(twice, TradeoffBracket)
    assert functional_power(f, 3) == thrice.below
    assert tensor([(f, 2)]) == twice.below
    assert isinstance(tensor([(f, 1), (PURE, 1)]), PiecewiseLinear)


def test_arguments_outside_of_their_range_are_refused() -> None:
    for type_i in (Fraction(-1), Fraction(2)):
        with pytest.raises(ValueError, match="type I error"):
            type_ii_at(PURE, type_i)
    with pytest.raises(ValueError, match="delta"):
        epsilon_at(PURE, Fraction(1))
    with pytest.raises(ValueError, match="sum to 1"):
        tradeoff_from_likelihoods(FiniteLoss((HALF,), (HALF,)))
    with pytest.raises(ValueError, match="0 times"):
        functional_power(PURE, -1)
    with pytest.raises(ValueError, match="one part"):
        tensor([])


@pytest.mark.slow
def test_over_ten_thousand_random_cases_both_ends_are_on_their_side() -> None:
    """Finite pairs, their products, compositions and Laplace curves, at random places."""
    chance = random.Random(10_000)
    for _ in range(1_300):
        pair = random_pair(chance, chance.randint(2, 3))
        curve = tradeoff_from_likelihoods(pair)
        type_i = Fraction(chance.randint(0, 60), 60)
        epsilon = Fraction(chance.randint(-300, 300), 100)
        truth = oracle.tradeoff_of_finite_pair(pair.first, pair.second, type_i)
        assert encloses(type_ii_at(curve, type_i), real(truth))
        assert encloses(
            delta_at(curve, epsilon), oracle.hockey_stick(pair.first, pair.second, epsilon)
        )
        null, other = ([a * b for a in law for b in law] for law in (pair.first, pair.second))
        twice = tensor([(curve, 2)])
        assert encloses(
            type_ii_at(twice, type_i), real(oracle.tradeoff_of_finite_pair(null, other, type_i))
        )
        assert encloses(delta_at(twice, epsilon), oracle.hockey_stick(null, other, epsilon))
        f = oracle.piecewise_linear(curve.below.vertices)
        composed = functional_power(curve, 2)
        assert encloses(type_ii_at(composed, type_i), oracle.group(f, 2)(real(type_i)))
        backward = oracle.tradeoff_of_finite_pair(pair.second, pair.first, type_i)
        assert encloses(type_ii_at(symmetrised(curve), type_i), real(max(truth, backward)))
        shift = Fraction(chance.randint(0, 800), 100)
        moved = densities.laplace_tradeoff(real(shift), real(type_i))
        assert encloses(type_ii_at(LaplaceLoss(shift), type_i), moved)
        assert_epsilon_encloses(pair, curve, Fraction(chance.randint(1, 900), 1000))


def assert_epsilon_encloses(pair: FiniteLoss, curve: TradeoffBracket, delta: Fraction) -> None:
    below, above = epsilon_at(curve, delta)
    slack = mp.mpf("1e-45")
    if isinstance(above, Fraction):
        assert oracle.hockey_stick(pair.first, pair.second, above) <= real(delta) + slack
    if isinstance(below, Fraction) and below:
        assert oracle.hockey_stick(pair.first, pair.second, below) >= real(delta) - slack
