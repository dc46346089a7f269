"""The mixture bound: row 81, and random mixtures of finite pairs by hand."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest

from semiaudit.model.loss import FiniteLoss, LaplaceLoss
from semiaudit.model.measure import GDP, PiecewiseLinear
from semiaudit.privacy.tradeoff.function import TradeoffBracket, delta_at, type_ii_at
from semiaudit.privacy.tradeoff.mixtures import (
    delta_of_mixture,
    mixture_of_functions,
    mixture_point,
)
from semiaudit.privacy.tradeoff.sources import tradeoff_from_likelihoods
from tests.oracles import calculus as oracle
from tests.privacy.instances import random_pair

HALF = Fraction(1, 2)
PARTS = [(HALF, GDP(Fraction(1))), (HALF, GDP(Fraction(4)))]


def with_index(weights: Sequence[Fraction], pairs: Sequence[FiniteLoss]) -> FiniteLoss:
    """The pair whose outcomes are an index and an outcome of the component of that index."""
    return FiniteLoss(
        tuple(w * p for w, pair in zip(weights, pairs, strict=True) for p in pair.first),
        tuple(w * q for w, pair in zip(weights, pairs, strict=True) for q in pair.second),
    )


def test_row_81_the_errors_of_a_half_and_half_mixture_of_gaussians() -> None:
    type_i, type_ii = mixture_point(PARTS, Fraction(1))
    assert f"{type_i.low:.6f}" == f"{type_ii.high:.6f}" == "0.233596"
    type_i, type_ii = mixture_point(PARTS, HALF)
    assert (f"{type_i.low:.6f}", f"{type_ii.high:.6f}") == ("0.416659", "0.102732")


@pytest.mark.parametrize(("ratio", "type_i"), [(HALF, 1), (1 + HALF, 0), (Fraction(3), 0)])
def test_a_part_that_loses_nothing_is_rejected_if_its_ratio_1_exceeds_the_threshold(
    ratio: Fraction, type_i: int
) -> None:
    errors = mixture_point([(Fraction(1), GDP(Fraction(0)))], ratio)
    assert [*map(float, (errors[0].low, errors[1].high))] == [type_i, 1 - type_i]


def test_the_profile_of_a_mixture_is_the_mean_profile() -> None:
    found = delta_of_mixture(PARTS, Fraction(1))
    truth = (oracle.gaussian_delta(1, 1) + oracle.gaussian_delta(2, 1)) / 2
    assert float(found.high) == pytest.approx(float(truth), rel=1e-15)


def test_mixtures_of_finite_pairs_lie_on_or_above_the_bound_and_reach_it_if_revealed() -> None:
    chance = random.Random(81)
    for _ in range(60):
        pairs = [random_pair(chance, 3, least=1) for _ in range(2)]
        weight = Fraction(chance.randint(1, 9), 10)
        weights = (weight, 1 - weight)
        curves = [tradeoff_from_likelihoods(pair) for pair in pairs]
        parts = list(zip(weights, curves, strict=True))
        mixed = FiniteLoss(
            tuple(
                sum((w * p.first[i] for w, p in zip(weights, pairs, strict=True)), Fraction(0))
                for i in range(3)
            ),
            tuple(
                sum((w * p.second[i] for w, p in zip(weights, pairs, strict=True)), Fraction(0))
                for i in range(3)
            ),
        )
        hidden = tradeoff_from_likelihoods(mixed)
        revealed = mixture_of_functions(parts)
        assert isinstance(revealed, TradeoffBracket)
        assert revealed.below == revealed.above
        listed = tradeoff_from_likelihoods(with_index(weights, pairs))
        assert revealed.below.vertices == listed.below.vertices
        ratio = Fraction(chance.randint(1, 30), 10)
        type_i, type_ii = mixture_point(parts, ratio, Fraction(chance.randint(0, 2), 2))
        level = Fraction(type_i.low)
        assert type_ii_at(hidden, level).high >= type_ii.low
        assert abs(float(type_ii_at(revealed, level).high - type_ii.low)) < 1e-50
        for epsilon in (Fraction(0), Fraction(1, 2)):
            joint = delta_of_mixture(parts, epsilon)
            assert delta_at(hidden, epsilon).low <= joint.high
            assert abs(float(delta_at(revealed, epsilon).high - joint.low)) < 1e-50


def test_a_tie_is_rejected_as_often_as_asked() -> None:
    """Both components have one outcome of ratio 2, of mass 1/4 under the null."""
    pair = FiniteLoss((Fraction(1, 4), Fraction(3, 4)), (HALF, HALF))
    parts = [(HALF, tradeoff_from_likelihoods(pair)), (HALF, tradeoff_from_likelihoods(pair))]
    for tie in (Fraction(0), HALF, Fraction(1)):
        type_i, type_ii = mixture_point(parts, Fraction(2), tie)
        assert Fraction(type_i.low) == tie / 4
        assert Fraction(type_ii.low) == 1 - tie / 2


def test_arguments_outside_of_their_range_are_refused() -> None:
    with pytest.raises(ValueError, match="weights"):
        delta_of_mixture([(HALF, GDP(Fraction(1)))], Fraction(1))
    with pytest.raises(ValueError, match="likelihood ratio"):
        mixture_point(PARTS, Fraction(0))
    with pytest.raises(ValueError, match="exact polygon"):
        mixture_point([(Fraction(1), LaplaceLoss(Fraction(1)))], Fraction(1))
    with pytest.raises(ValueError, match="weights"):
        mixture_of_functions([(HALF, GDP(Fraction(1)))])


def test_a_mixture_of_closed_forms_lies_between_its_two_polygons() -> None:
    """The test of one likelihood ratio in both components is a point of the function."""
    found = mixture_of_functions(PARTS)
    for tenths in (1, 5, 10, 20, 70):
        type_i, type_ii = mixture_point(PARTS, Fraction(tenths, 10))
        enclosed = type_ii_at(found, Fraction(type_i.low))
        assert enclosed.low <= type_ii.high
        assert type_ii.low <= enclosed.high
        assert float(enclosed.high - enclosed.low) < 1e-2


def test_a_mixture_with_a_lower_bound_among_its_components_is_one() -> None:
    curve = tradeoff_from_likelihoods(FiniteLoss((HALF, HALF), (Fraction(1, 4), Fraction(3, 4))))
    found = mixture_of_functions([(HALF, curve.below), (HALF, curve)], from_above=False)
    assert isinstance(found, PiecewiseLinear)
    assert not found.declared
    assert found.vertices == curve.below.vertices
