"""Link functions: row 67, and divergences of densities by quadrature."""

from __future__ import annotations

import random
from fractions import Fraction
from math import inf
from typing import Any

import pytest

from semiaudit.model.loss import FiniteLoss, LaplaceLoss
from semiaudit.model.measure import GDP, ApproxDP, PureDP
from semiaudit.privacy.tradeoff.algebra import inverse
from semiaudit.privacy.tradeoff.function import TradeoffBracket
from semiaudit.privacy.tradeoff.links import (
    divergence_of_mixture,
    kullback_leibler,
    max_divergence,
    renyi_divergence,
)
from semiaudit.privacy.tradeoff.sources import bracket_of, tradeoff_from_likelihoods
from tests.enclosing import encloses
from tests.oracles import curves as densities
from tests.oracles.curves import mp, real
from tests.privacy.instances import random_pair

G_1 = GDP(Fraction(1))
PURE = ApproxDP(Fraction(1), Fraction(0))


def test_row_67_of_the_gaussian_and_of_pure_dp() -> None:
    assert renyi_divergence(G_1, Fraction(2)) == (1, 1)
    assert renyi_divergence(G_1, Fraction(4)) == (2, 2)
    assert max_divergence(G_1) == (inf, inf)
    assert max_divergence(PURE) == (1, 1)


def test_renyi_divergences_are_those_of_the_densities() -> None:
    def laplace(centre: int) -> Any:
        return lambda x: mp.exp(-abs(x - centre)) / 2

    def normal(centre: int) -> Any:
        return lambda x: mp.npdf(x, centre)

    for order in (Fraction(3, 2), Fraction(2), Fraction(5)):
        truth = densities.renyi(laplace(0), laplace(2), real(order), [-200, -40, 0, 2, 40, 200])
        assert encloses(renyi_divergence(LaplaceLoss(Fraction(2)), order), truth)
        truth = densities.renyi(normal(0), normal(1), real(order), [-30, -10, 0, 10, 30])
        found = renyi_divergence(G_1, order)[0]
        assert float(found) == pytest.approx(float(truth), rel=1e-15)


def test_the_divergence_of_order_1_is_that_of_the_densities() -> None:
    truth = densities.mp.quad(
        lambda x: mp.exp(-abs(x)) / 2 * (abs(x - 2) - abs(x)), [-200, -40, 0, 2, 40, 200]
    )
    assert encloses(kullback_leibler(LaplaceLoss(Fraction(-2))), truth)
    keep = mp.e / (1 + mp.e)
    assert encloses(kullback_leibler(PURE), (2 * keep - 1) * mp.log(keep / (1 - keep)))
    assert encloses(kullback_leibler(PureDP(Fraction(1))), mp.tanh(real(Fraction(1, 2))))
    assert kullback_leibler(GDP(Fraction(4))) == (2, 2)
    assert kullback_leibler(ApproxDP(Fraction(1), Fraction(1, 10))) == (inf, inf)
    flat = bracket_of(LaplaceLoss(Fraction(2))).below
    assert kullback_leibler(flat)[1] >= kullback_leibler(LaplaceLoss(Fraction(2)))[0]


def test_each_link_reads_its_divergence_off_the_curve_in_the_direction_it_names() -> None:
    chance = random.Random(67)
    for _ in range(40):
        pair = random_pair(chance, chance.randint(2, 6), least=1)
        p, q = [real(v) for v in pair.first], [real(v) for v in pair.second]
        curve = tradeoff_from_likelihoods(pair)
        backward = inverse(curve)
        order = Fraction(chance.randint(11, 80), 10)
        assert encloses(renyi_divergence(curve, order), densities.renyi_of_lists(p, q, real(order)))
        assert encloses(
            renyi_divergence(backward, order), densities.renyi_of_lists(q, p, real(order))
        )
        assert encloses(
            kullback_leibler(curve), mp.fsum(a * mp.log(a / b) for a, b in zip(p, q, strict=True))
        )
        assert encloses(
            max_divergence(curve), mp.log(max(b / a for a, b in zip(p, q, strict=True)))
        )


def test_a_bracket_encloses_the_divergence_of_the_curve_inside() -> None:
    bracket = bracket_of(LaplaceLoss(Fraction(1)))
    below, above = renyi_divergence(bracket, Fraction(3))
    exact = renyi_divergence(LaplaceLoss(Fraction(1)), Fraction(3))
    assert below <= exact[0] <= exact[1] <= above
    assert isinstance(above, Fraction)
    assert float(above - Fraction(below)) < 1e-3


def test_what_can_be_told_apart_with_certainty_is_infinitely_divergent() -> None:
    assert renyi_divergence(ApproxDP(Fraction(1), Fraction(1, 10)), Fraction(2)) == (inf, inf)
    sure = tradeoff_from_likelihoods(
        FiniteLoss((Fraction(1, 2), Fraction(1, 2)), (Fraction(1), Fraction(0)))
    )
    assert renyi_divergence(sure, Fraction(2)) == (inf, inf)
    assert kullback_leibler(sure) == (inf, inf)
    backward = inverse(sure)
    assert isinstance(backward, TradeoffBracket)
    assert encloses(renyi_divergence(backward, Fraction(2)), mp.log(2))


def test_orders_up_to_one_are_refused() -> None:
    with pytest.raises(ValueError, match="above 1"):
        renyi_divergence(G_1, Fraction(1))


@pytest.mark.parametrize("epsilon", ["1/100", "1", "9"])
@pytest.mark.parametrize("order", ["3/2", "2", "7"])
def test_renyi_of_pure_dp_is_that_of_two_responses(epsilon: str, order: str) -> None:
    a, e = real(Fraction(order)), real(Fraction(epsilon))
    keep, other = mp.exp(e) / (1 + mp.exp(e)), 1 / (1 + mp.exp(e))
    truth = mp.log(keep**a * other ** (1 - a) + other**a * keep ** (1 - a)) / (a - 1)
    low, high = renyi_divergence(PureDP(Fraction(epsilon)), Fraction(order))
    assert isinstance(low, Fraction)
    assert isinstance(high, Fraction)
    assert real(low) <= truth * (1 + mp.mpf("1e-25"))
    assert truth * (1 - mp.mpf("1e-25")) <= real(high)
    assert float(high) == pytest.approx(float(truth), rel=1e-9)


@pytest.mark.parametrize("order", [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(20)])
def test_a_mixture_with_a_revealed_index_has_the_divergence_of_its_integral(
    order: Fraction,
) -> None:
    """ln of the mean of e^((order - 1) D), over order - 1; its limit at order 1 is the mean."""
    parts = [
        (Fraction(1, 2), Fraction(1, 3)),
        (Fraction(1, 3), Fraction(0)),
        (Fraction(1, 6), Fraction(9)),
    ]
    found = divergence_of_mixture(parts, order)
    with mp.workdps(90):
        if order == 1:
            truth = sum(real(weight) * real(value) for weight, value in parts)
        else:
            excess = real(order) - 1
            mean = sum(real(weight) * mp.exp(excess * real(value)) for weight, value in parts)
            truth = mp.log(mean) / excess
        assert 0 <= real(Fraction(found)) - truth <= mp.mpf("1e-30")
    assert divergence_of_mixture([*parts[:2], (Fraction(1, 6), inf)], order) == inf
