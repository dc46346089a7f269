"""Tradeoff functions as values, against closed forms."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from mpmath import exp, ncdf, npdf, quad

import semiaudit
from semiaudit import (
    GDP,
    ApproxTradeoff,
    CanonicalNoise,
    CentralLimit,
    FiniteTradeoff,
    Gaussian,
    GaussianTradeoff,
    LaplaceTradeoff,
    MixtureTradeoff,
    Number,
    PiecewiseTradeoff,
    TradeoffFunction,
    compose,
)
from tests.oracles.calculus import product_pair, tradeoff_of_finite_pair

NORMAL = NormalDist()
NO_FUNCTION: Any = 2
ANY: Any = semiaudit
"""The library with arguments of any type."""
POINTS: list[tuple[Number, Number]] = [(0, 1), (Fraction(1, 4), 0.25), ("1", 0)]


def gaussian(mu: float, type_i: float) -> float:
    return math.erfc((mu - NORMAL.inv_cdf(1 - type_i)) / math.sqrt(2)) / 2


def enclosed(f: TradeoffFunction, type_i: Number, value: float | Fraction) -> bool:
    """Whether the ends of f enclose a value that is known to some 14 digits."""
    low, high = f(type_i), f.from_above(type_i)
    assert (low.side, high.side) == ("lower", "upper")
    return float(low) <= value * (1 + 1e-12) and value * (1 - 1e-12) <= float(high)


@pytest.mark.parametrize("type_i", [0.001, 0.05, 0.3, 0.5, 0.9])
def test_closed_forms(type_i: float) -> None:
    assert enclosed(GaussianTradeoff(1.5), type_i, gaussian(1.5, type_i))
    assert enclosed(GaussianTradeoff(3) @ GaussianTradeoff(4), type_i, gaussian(5, type_i))
    assert enclosed(GaussianTradeoff(1).repeat(9), type_i, gaussian(3, type_i))
    assert enclosed(GaussianTradeoff(1).group(3), type_i, gaussian(3, type_i))
    steep = max(0.0, 0.9 - math.e * type_i, (0.9 - type_i) / math.e)
    assert enclosed(ApproxTradeoff(1, "0.1"), type_i, steep)
    symmetric = max(1 - math.e * type_i, (1 - type_i) / math.e)
    curved = 1 / (4 * math.e * type_i)
    laplace = curved if math.exp(-1) / 2 < type_i < 0.5 else symmetric
    assert enclosed(LaplaceTradeoff(1), type_i, laplace)
    line = 1 - 3 * type_i if type_i <= 0.25 else (1 - type_i) / 3
    assert PiecewiseTradeoff(POINTS)(type_i).value == pytest.approx(line, rel=1e-14)


def test_products_and_powers_of_two_responses() -> None:
    """Two binary responses with odds 3: masses (9, 6, 1)/16 against (1, 6, 9)/16."""
    exact = {Fraction(1, 16): Fraction(7, 16), Fraction(7, 16): Fraction(1, 16)}
    both = PiecewiseTradeoff(POINTS) @ PiecewiseTradeoff(POINTS)
    for type_i, type_ii in exact.items():
        assert float(both(type_i)) <= type_ii <= float(both(type_i)) * (1 + 1e-12)
        # known from below only
        assert both.from_above(type_i).value >= 1 - type_i
    # f(1 - f(a)) with f of slope 3, twice: slope 9 up to 1/12
    further = PiecewiseTradeoff(POINTS).group(2)
    assert float(further("1/12")) == pytest.approx(0.25, rel=1e-12)
    assert float(further.delta(0)) == pytest.approx(2 / 3, rel=1e-12)
    assert float(further.epsilon(0)) == pytest.approx(math.log(9), rel=1e-12)


def test_the_other_numbers_of_a_function() -> None:
    f = GaussianTradeoff(1)
    assert float(f.delta(1)) == pytest.approx(0.12693673750664, rel=1e-12)
    assert float(f.epsilon(f.delta(1).value)) == pytest.approx(1, rel=1e-12)
    assert float(f.advantage) == pytest.approx(2 * NORMAL.cdf(0.5) - 1, rel=1e-12)
    assert f.epsilon(0).value == math.inf
    skewed = PiecewiseTradeoff([(0, "1/2"), (1, 0)])
    assert skewed.inverse()(0).value == 1
    assert skewed.symmetrised()(0.5) == skewed.symmetrised().inverse()(0.5)
    curve = f.tradeoff([0.5, 0.1])
    assert list(curve.type_i) == [0.1, 0.5]
    assert (curve.type_ii <= [gaussian(1, 0.1), gaussian(1, 0.5)]).all()
    assert (np.diff(f.profile([0, 1, 2]).delta) < 0).all()


def test_how_functions_are_written() -> None:
    both = compose(GaussianTradeoff(1), LaplaceTradeoff("1/2"))
    assert repr(both) == "GaussianTradeoff(1) @ LaplaceTradeoff('1/2')"
    assert repr(both.group(2)) == f"({both!r}).group(2)"
    assert repr(ApproxTradeoff(1).repeat(3)) == "ApproxTradeoff(1, 0).repeat(3)"
    assert "GaussianTradeoff(1)" in GaussianTradeoff(1)._repr_html_()


@pytest.mark.parametrize(
    ("points", "told"),
    [
        ([(0, 1), (1, 1)], "the last type II error is not 0"),
        ([(0, 1), (0.5, 0.6), (1, 0)], "sum to more than 1"),
        ([(0, 0.5), (0.25, 0.45), (1, 0)], "not convex"),
        ([(0, "one"), (1, 0)], "one is not a number"),
    ],
)
def test_points_that_are_no_tradeoff_function(points: list[tuple[float, float]], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        PiecewiseTradeoff(points)


def test_arguments_have_ranges() -> None:
    with pytest.raises(ValueError, match=r"\Amu: 101 is out of range"):
        GaussianTradeoff(101)
    with pytest.raises(ValueError, match="shift: 10001 is out of range"):
        LaplaceTradeoff(10001)
    with pytest.raises(ValueError, match="give one or more"):
        compose()
    with pytest.raises(TypeError):
        GaussianTradeoff(1) @ NO_FUNCTION


def test_divergences_of_finite_pairs_are_those_of_their_probabilities() -> None:
    chance = random.Random(67)
    for _ in range(30):
        size = chance.randint(2, 5)
        p, q = ([Fraction(chance.randint(1, 9)) for _ in range(size)] for _ in range(2))
        p, q = [v / sum(p) for v in p], [v / sum(q) for v in q]
        f = FiniteTradeoff(p, q)
        for order in (Fraction(3, 2), 2, 7):
            power = sum(float(a) ** float(order) * float(b) ** (1 - float(order))
                        for a, b in zip(p, q, strict=True))  # fmt: skip
            truth = math.log(power) / (float(order) - 1)
            assert float(f.renyi_divergence(order)) == pytest.approx(truth, abs=1e-12)
        mean = sum(float(a) * math.log(a / b) for a, b in zip(p, q, strict=True))
        assert float(f.renyi_divergence(1)) == pytest.approx(mean, abs=1e-12)
        assert float(f.epsilon(0)) == pytest.approx(
            max(math.log(b / a) for a, b in zip(p, q, strict=True)), abs=1e-12
        )
        assert f.vertices is not None
        assert all(enclosed(f, x, y) for x, y in f.vertices[1:-1])


def gaussian_integral(mu: float, order: float) -> float:
    """The integral of p^a q^(1 - a) for N(0, 1) and N(mu, 1)."""
    return float(quad(lambda x: npdf(x) ** order * npdf(x - mu) ** (1 - order), [-60, 0, 60]))


def laplace_integral(shift: float, order: float) -> float:
    """The same for Laplace noise of scale 1 and a shift."""

    def density(x: float) -> float:
        return float(exp(-abs(x)) / 2)

    def both(x: float) -> float:
        return float(density(x) ** order * density(x - shift) ** (1 - order))

    return float(quad(both, [-80, 0, shift, 80 + shift]))


@pytest.mark.parametrize("order", [Fraction(3, 2), Fraction(2), Fraction(5)])
def test_divergences_of_products_and_mixtures_are_those_of_their_densities(order: Fraction) -> None:
    a = float(order)
    g_1, g_2 = GaussianTradeoff(1), GaussianTradeoff(2)
    normal_1, normal_2 = gaussian_integral(1, a), gaussian_integral(2, a)
    laplace = laplace_integral(1, a)
    keep, change = 3 / 4, 1 / 4
    lost = keep**a * change ** (1 - a) + change**a * keep ** (1 - a)
    p, q = ["1/2", "1/2"], ["1/4", "3/4"]
    forward = 0.5**a * (0.25 ** (1 - a) + 0.75 ** (1 - a))
    backward = (0.25**a + 0.75**a) * 0.5 ** (1 - a)
    response, coins = FiniteTradeoff(["3/4", "1/4"], ["1/4", "3/4"]), FiniteTradeoff(p, q)
    mixed = MixtureTradeoff([("1/4", g_1), ("3/4", coins @ g_2)])
    for f, power in (
        (LaplaceTradeoff(1).repeat(2), laplace**2),
        (g_1 @ response, normal_1 * lost),
        (MixtureTradeoff([("1/2", g_1), ("1/2", g_2)]), (normal_1 + normal_2) / 2),
        ((g_1 @ LaplaceTradeoff(1)).inverse().repeat(2), (normal_1 * laplace) ** 2),
        ((g_1 @ LaplaceTradeoff(1)).symmetrised(), normal_1 * laplace),
        (mixed @ response, (normal_1 / 4 + forward * normal_2 * 3 / 4) * lost),
        (mixed.inverse(), normal_1 / 4 + backward * normal_2 * 3 / 4),
    ):
        found = f.renyi_divergence(order)
        assert found.side == "upper"
        assert float(found) == pytest.approx(math.log(power) / (a - 1), rel=1e-9), f


def test_divergences_of_order_1_add_up_and_are_means_over_a_revealed_index() -> None:
    laplace = math.exp(-1)  # s + e^-s - 1 at s = 1
    f = MixtureTradeoff([("1/3", GaussianTradeoff(2)), ("2/3", LaplaceTradeoff(1))])
    assert float(f.repeat(3).renyi_divergence(1)) == pytest.approx(2 + 2 * laplace, rel=1e-12)


def test_a_divergence_of_a_huge_order_is_at_most_the_largest_loss() -> None:
    assert float((LaplaceTradeoff(3) @ ApproxTradeoff(1)).renyi_divergence(10**30)) == 4
    with pytest.raises(ValueError, match=r"order: inf is no order here; use `inverse\(\)\.epsilon"):
        LaplaceTradeoff(3).renyi_divergence("inf")
    with pytest.raises(ValueError, match=r"order: inf is no order here"):
        LaplaceTradeoff(3).renyi_divergence(math.inf)


def test_the_order_of_two_functions_is_what_is_proven_of_them() -> None:
    gaussian, pure, laplace = GaussianTradeoff(1), ApproxTradeoff(1), LaplaceTradeoff(1)
    assert gaussian.order(GaussianTradeoff(2)) == "stronger"
    assert ApproxTradeoff(2).order(pure) == "weaker"
    assert laplace.order(laplace) == "equal"
    assert GaussianTradeoff(3).order(laplace) == "weaker"
    assert laplace.order(LaplaceTradeoff(2)) == laplace.order(pure) == "stronger"
    assert gaussian.order(pure) == pure.order(gaussian) == "incomparable"
    line = PiecewiseTradeoff(POINTS)
    assert line.order(FiniteTradeoff(["1/4", "3/4"], ["3/4", "1/4"])) == "equal"
    # A product of polygons is known from below only, but it is never above its factor.
    assert (line @ line).order(line) == "weaker"
    assert (line @ line).order(pure) == "undecided"
    assert (line @ line).vertices is None


def test_a_mixture_is_the_pair_with_its_index_revealed() -> None:
    first, second = ["1/10", "3/10", "6/10"], ["5/10", "4/10", "1/10"]
    third, fourth = ["1/2", "1/2"], ["1/8", "7/8"]
    mixed = MixtureTradeoff(
        [("1/3", FiniteTradeoff(first, second)), ("2/3", FiniteTradeoff(third, fourth))]
    )
    revealed = FiniteTradeoff(
        [Fraction(p) / 3 for p in first] + [2 * Fraction(p) / 3 for p in third],
        [Fraction(q) / 3 for q in second] + [2 * Fraction(q) / 3 for q in fourth],
    )
    assert mixed.vertices == revealed.vertices
    assert mixed.order(revealed) == "equal"
    for epsilon in (0, 1, 2):
        assert float(mixed.delta(epsilon)) == pytest.approx(
            float(revealed.delta(epsilon)), abs=1e-15
        )
    low, high = mixed.errors_at(2, "1/2")
    assert mixed(low.value).value == high.value
    assert repr(mixed).startswith("MixtureTradeoff([('1/3', FiniteTradeoff(['1/10', '3/10', '3/5'")
    assert mixed.repeat(2).advantage.value >= mixed.advantage.value


def test_the_epsilon_of_a_mixture_is_where_the_mean_of_the_deltas_is_the_delta() -> None:
    f = MixtureTradeoff([("1/2", GaussianTradeoff(1)), ("1/2", GaussianTradeoff(2))])

    def mean(epsilon: float) -> float:
        growth = exp(epsilon)
        deltas = [ncdf(m / 2 - epsilon / m) - growth * ncdf(-m / 2 - epsilon / m) for m in (1, 2)]
        return float(sum(deltas) / 2)

    found = f.epsilon("1e-6")
    assert found.side == "upper"
    assert mean(float(found) * (1 - 1e-9)) > 1e-6 >= mean(float(found) * (1 + 1e-9))
    assert f.epsilon_enclosure("1e-6").upper == found
    assert math.isinf(float(f.epsilon(0)))
    pure = MixtureTradeoff([("1/4", ApproxTradeoff(1)), ("3/4", ApproxTradeoff("1/2", "1/10"))])
    assert float(pure.epsilon("3/40")) == pytest.approx(1, rel=1e-9)
    assert math.isinf(float(pure.epsilon("1/20")))
    assert pure.epsilon("9/10").value == 0


def test_a_mixture_of_products_is_known_from_below_only() -> None:
    line = PiecewiseTradeoff(POINTS)
    mixed = MixtureTradeoff([("1/2", line @ line), ("1/2", line)])
    assert mixed.from_above("1/4").value == Fraction(3, 4)
    assert float(mixed("1/4")) <= float(line("1/4"))


def test_pairs_and_mixtures_that_are_none_are_errors() -> None:
    with pytest.raises(ValueError, match="sum to 1"):
        FiniteTradeoff(["1/2", "1/3"], [1, 0])
    with pytest.raises(ValueError, match="same outcomes"):
        FiniteTradeoff([1], [1, 0])
    with pytest.raises(ValueError, match="null: "):
        FiniteTradeoff(["x"], [1])
    with pytest.raises(ValueError, match="weights"):
        MixtureTradeoff([("1/2", GaussianTradeoff(1))])
    with pytest.raises(ValueError, match="weights"):
        MixtureTradeoff([])
    with pytest.raises(ValueError, match="order: 1/2"):
        GaussianTradeoff(1).renyi_divergence("1/2")
    with pytest.raises(ValueError, match="tie: 2"):
        MixtureTradeoff([(1, GaussianTradeoff(1))]).errors_at(1, 2)


def test_a_bound_as_an_argument_is_an_error_that_names_its_value() -> None:
    bound: Any = GaussianTradeoff(1).advantage
    message = r"is a Bound, which no spec can contain; use its `\.value`"
    with pytest.raises(ValueError, match=rf"\Amu: {message}.*\Z"):
        GaussianTradeoff(bound)
    with pytest.raises(ValueError, match=rf"\Amu: {message}.*\Z"):
        GDP(bound)
    with pytest.raises(ValueError, match=r"shift: Bound is not a number; use its `\.value`"):
        LaplaceTradeoff(bound)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: ANY.PiecewiseTradeoff([0, 1]),
            r"points\[0\]: int is not a list; give such as \[\(0, 1",
        ),
        (lambda: ANY.PiecewiseTradeoff(2), "points: int is not a list; give such as"),
        (
            lambda: ANY.MixtureTradeoff([GaussianTradeoff(1)]),
            r"components\[0\]: Gaussian",
        ),
        (
            lambda: ANY.MixtureTradeoff(GaussianTradeoff(1)),
            "components: GaussianTradeoff",
        ),
        (lambda: ANY.MixtureTradeoff([(1, 2)]), "int is not a TradeoffFunction"),
    ],
)
def test_another_type_than_a_list_of_pairs_is_named(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(TypeError, match=rf"\A{message}"):
        make()
    with pytest.raises(ValueError, match=r"\Acomponents\[0\]: has 1 entries; give a weight and"):
        ANY.MixtureTradeoff([(1,)])


@pytest.mark.parametrize(
    "f",
    [
        GaussianTradeoff(1),
        GaussianTradeoff(1) @ LaplaceTradeoff(1),
        MixtureTradeoff([("1/4", GaussianTradeoff(1)), ("3/4", ApproxTradeoff(1))]),
        FiniteTradeoff(["1/4", "3/4"], ["3/4", "1/4"]),
        PiecewiseTradeoff(POINTS),
    ],
)
def test_an_array_has_the_numbers_of_its_entries(f: TradeoffFunction) -> None:
    places = np.array([0.5, 0.05, 0.9])
    for ask in (f, f.from_above, f.delta, f.epsilon):
        numbers = ask(places)
        assert numbers.dtype == np.float64
        assert numbers == pytest.approx([float(ask(place)) for place in places], rel=1e-9)
    both = f.epsilon_enclosure(list(places))
    for row, place in zip(both, places, strict=True):
        alone = f.epsilon_enclosure(place)
        assert row == pytest.approx((float(alone.lower), float(alone.upper)), rel=1e-9)
        assert row[0] <= row[1]
    with pytest.raises(ValueError, match=r"delta: 1\.5 is out of range"):
        f.epsilon([0.1, 1.5])


def test_an_argument_out_of_range_is_named_as_in_the_call() -> None:
    with pytest.raises(ValueError, match=r"\Amu: -1 is out of range; give at least 0"):
        GaussianTradeoff(-1)
    with pytest.raises(ValueError, match=r"\Aepsilon: -1 is out of .*\ndelta: 3 is out of range"):
        ApproxTradeoff(-1, 3)
    with pytest.raises(ValueError, match=r"\Apoints\[1\]\[1\]: 2 is out of range"):
        PiecewiseTradeoff([(0, 1), (1, 2)])


@pytest.mark.parametrize(
    "make",
    [
        lambda g: compose(g, g),
        lambda g: GaussianTradeoff(1).order(g),
        lambda g: CentralLimit(g),
        lambda g: CanonicalNoise(g),
        lambda g: MixtureTradeoff([(1, g)]),
    ],
)
def test_what_takes_tradeoff_functions_names_the_type_it_takes(make: Any) -> None:
    with pytest.raises(TypeError, match=r"\AGaussian is not a TradeoffFunction; give one such as"):
        make(Gaussian(1))
    with pytest.raises(TypeError, match="int is not a TradeoffFunction"):
        make(1)


def test_a_kernel_leads_to_another_finite_pair_only() -> None:
    other: Any = GaussianTradeoff(1)
    with pytest.raises(TypeError, match="GaussianTradeoff is not a FiniteTradeoff; give"):
        FiniteTradeoff([1], [1]).kernel_to(other)


def test_probabilities_that_do_not_sum_to_1_are_asked_for_as_fractions() -> None:
    asked = r'must sum to 1 exactly; give fractions as text, such as "1/3"'
    floats, rounded = [1 / 3, 2 / 3], ["0.333", "0.666"]
    with pytest.raises(ValueError, match=f"probabilities {asked}"):
        FiniteTradeoff(rounded, rounded)
    with pytest.raises(ValueError, match=r'weights must be above 0 and sum to 1 .* such as "1/3"'):
        MixtureTradeoff([(weight, GaussianTradeoff(1)) for weight in floats])


def test_points_of_a_curve_are_sorted_and_each_is_there_once() -> None:
    f = ApproxTradeoff(1)
    assert f.tradeoff([0.5, 0, 0.5, 1]).type_i.tolist() == [0, 0.5, 1]
    assert f.profile([2, 0, 2]).epsilon.tolist() == [0, 2]


def test_the_epsilon_of_a_function_lies_between_two_bounds() -> None:
    """epsilon of Laplace noise of scale 1 moved by 1 is 1 + 2 ln(1 - delta)."""
    low, high = LaplaceTradeoff(1).epsilon_enclosure("0.01")
    assert float(low) <= 1 + 2 * math.log(0.99) <= float(high) <= float(low) + 1e-12
    assert (low.side, high.side) == ("lower", "upper")
    assert high == LaplaceTradeoff(1).epsilon("0.01")
    both = (GaussianTradeoff(3) @ GaussianTradeoff(4)).epsilon_enclosure("1e-3")
    assert float(both.lower) <= float(GaussianTradeoff(5).epsilon("1e-3")) <= float(both.upper)
    assert GaussianTradeoff(1).epsilon_enclosure(0).lower.value == math.inf
    line = PiecewiseTradeoff(POINTS)
    assert line.epsilon_enclosure(0).lower.value == pytest.approx(math.log(3), rel=1e-12)
    # A product of polygons is known from below only.
    below_only = (line @ line).epsilon_enclosure(0)
    assert below_only.lower.value == 0
    assert float(below_only.upper) == pytest.approx(math.log(9), rel=1e-12)


def test_products_of_functions_with_a_loss_compose_the_losses() -> None:
    f = GaussianTradeoff("0.3").repeat(20) @ LaplaceTradeoff("0.5").repeat(20)
    # Two independent certified accountants give .2037.
    assert 0.2036 < f("0.05").value < 0.2038
    odds = math.log(3)
    many = ApproxTradeoff(odds).repeat(2) @ ApproxTradeoff(odds, "0.01")
    response = [Fraction(3, 4), Fraction(1, 4)]
    delta = Fraction(1, 100)
    shares = [(1 - delta) * share for share in response]
    pair = ([delta, *shares, Fraction(0)], [Fraction(0), *shares[::-1], delta])
    for _ in range(2):
        pair = product_pair(pair, (response, response[::-1]))
    for type_i in ("0.01", "0.1", "0.4"):
        true = tradeoff_of_finite_pair(*pair, type_i)
        assert float(true) * (1 - 1e-5) <= many(type_i).value <= float(true) * (1 + 1e-12)
    assert list(many.tradeoff(["0.01", "0.1"]).type_ii) == pytest.approx(
        [float(many("0.01")), float(many("0.1"))], rel=1e-9
    )


@pytest.mark.parametrize(
    ("factor", "further"),
    [
        (GaussianTradeoff(1), ApproxTradeoff(1, "1e-3")),
        (LaplaceTradeoff(1), GaussianTradeoff("1/100")),
        (ApproxTradeoff(1, "1e-3"), ApproxTradeoff(1, "1e-3")),
        (PiecewiseTradeoff(POINTS) @ GaussianTradeoff(1), PiecewiseTradeoff(POINTS)),
        (LaplaceTradeoff(1) @ ApproxTradeoff(1), LaplaceTradeoff(1)),
    ],
)
def test_a_product_is_below_its_factors(
    factor: TradeoffFunction, further: TradeoffFunction
) -> None:
    assert factor.order(factor @ further) == "stronger"
    assert (further @ factor).order(factor) == "weaker"
    assert factor.order(factor.repeat(2)) == "stronger"


def test_a_product_with_what_reveals_nothing_more_is_not_called_weaker() -> None:
    nothing, everything = ApproxTradeoff(0), PiecewiseTradeoff([(0, 0), (1, 0)])
    f = LaplaceTradeoff(1)
    assert f.order(f @ nothing) != "stronger"
    assert everything.order(everything @ f) != "stronger"
    # equal bounds of two functions that may differ
    known = PiecewiseTradeoff(GaussianTradeoff(1).tradeoff(5))
    assert known.order(known @ f) == "undecided"


def test_pure_dp_at_a_distance_is_above_the_pure_dp_of_all_steps() -> None:
    group = ApproxTradeoff(1).group(3)
    for weak in (ApproxTradeoff(3), ApproxTradeoff("3.1")):
        assert group.order(weak) == "stronger"
        assert weak.order(group) == "weaker"
    kink = 1 / (1 + math.exp(3))
    assert float(group(kink)) > 1 - math.exp(3) * kink + 1e-3
    for strong in (ApproxTradeoff("2.9"), ApproxTradeoff(1), GaussianTradeoff(1)):
        assert group.order(strong) != "stronger"
