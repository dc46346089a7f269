"""epsilon by Renyi divergences: moments by their sums, and never below pairs listed whole."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from semiaudit.model.guarantee import ApproxPoint
from semiaudit.model.loss import (
    ApproxLoss,
    ConcentratedLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
    ShuffledLoss,
)
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy import loss as losses
from semiaudit.privacy.epsilons import epsilons_at
from semiaudit.privacy.loss import renyi_curve
from semiaudit.privacy.loss.renyi_curve import log_moment
from semiaudit.privacy.measures.joint_range import best_epsilon
from tests.oracles import concentrated as oracle
from tests.oracles.shuffling import clones

THIRD = Fraction(1, 3)
LISTED = FiniteLoss((THIRD, THIRD, THIRD), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)))


def real(value: Fraction | int) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def moment_by_sum(pair: Loss, order: Any) -> Any:
    """The sum, or the integral, of p^a q^(1 - a)."""
    match pair:
        case LaplaceLoss():
            shift = real(pair.shift)
            # Before both centers and behind them the densities are exponentials of one rate.
            outer = (mpmath.exp((order - 1) * shift) + mpmath.exp(-order * shift)) / 2

            def density(x: Any) -> Any:
                return mpmath.exp(-order * x - (1 - order) * (shift - x)) / 2

            return outer + mpmath.quad(density, [0, shift])
        case DiscreteLaplaceLoss():
            scale, shift = real(pair.scale), pair.shift
            return mpmath.tanh(1 / (2 * scale)) * mpmath.fsum(
                mpmath.exp((-order * abs(k) - (1 - order) * abs(k - shift)) / scale)
                for k in range(-700, 700)
            )
        case RandomizedResponseLoss():
            odds, levels = mpmath.exp(real(pair.epsilon)), pair.levels
            laws = [[odds if i == j else mpmath.mpf(1) for i in range(levels)] for j in (0, 1)]
            whole = odds + levels - 1
            return mpmath.fsum(
                p**order * q ** (1 - order) / whole for p, q in zip(*laws, strict=True)
            )
        case FiniteLoss():
            return mpmath.fsum(
                real(p) ** order * real(q) ** (1 - order)
                for p, q in zip(pair.first, pair.second, strict=True)
            )
        case _:
            raise TypeError


@pytest.mark.parametrize(
    "pair",
    [
        LaplaceLoss(Fraction(3, 2)),
        DiscreteLaplaceLoss(1, Fraction(2)),
        DiscreteLaplaceLoss(4, Fraction(3)),
        RandomizedResponseLoss(Fraction(1)),
        RandomizedResponseLoss(Fraction(2), 7),
        LISTED,
    ],
    ids=repr,
)
def test_moments_are_their_sums(pair: Loss) -> None:
    for excess in (Fraction(1, 10), Fraction(1), Fraction(13, 2)):
        found = log_moment(pair, excess, False)
        assert found is not None
        with mpmath.workdps(90):
            truth = mpmath.log(moment_by_sum(pair, 1 + real(excess)))
            low, high = mpmath.mpf(str(found.low)), mpmath.mpf(str(found.high))
            assert low <= truth <= high
            assert high - low <= mpmath.mpf("1e-40") * truth


@pytest.mark.parametrize("reports", [1, 2, 5])
def test_shuffled_reports_have_no_larger_moments_than_one_randomized_response(reports: int) -> None:
    """One report alone is a randomized response, of which the moment is then exact."""
    pair = ShuffledLoss(Fraction(3, 2), reports)
    first, second = clones(reports, mpmath.mpf(3) / 2)
    for excess in (Fraction(1, 10), Fraction(1), Fraction(13, 2)):
        found, order = log_moment(pair, excess, False), 1 + real(excess)
        assert found is not None
        with mpmath.workdps(60):
            truth = mpmath.log(
                mpmath.fsum(p**order * second[at] ** (1 - order) for at, p in first.items())
            )
            assert mpmath.mpf(str(found.high)) >= truth - mpmath.mpf("1e-40")
            if reports == 1:
                assert mpmath.mpf(str(found.high)) <= truth + mpmath.mpf("1e-40")


def test_zcdp_beside_four_responses_has_the_epsilon_of_the_best_order() -> None:
    """8.959445 at the order 5.654."""
    parts = ((ConcentratedLoss(Fraction(1, 2)), 1), (RandomizedResponseLoss(Fraction(1)), 4))
    found = losses.epsilon_of_renyi(PrivacyLoss(parts), Fraction(1, 10**6))
    assert 8.959423 < found <= 8.959445


def test_what_is_told_outright_is_taken_from_delta_and_rounded_against_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left: list[tuple[Fraction, Interval]] = []

    def spied(
        moment: Callable[[Fraction], Interval], size: float, delta: Fraction, kept: Interval
    ) -> Decimal:
        left.append((delta, kept))
        return best_epsilon(moment, size, delta, kept)

    monkeypatch.setattr(renyi_curve, "best_epsilon", spied)
    for repeat in (1, 3, 17):
        parts = ((ApproxLoss(Fraction(1), Fraction(1, 1000)), repeat), (ConcentratedLoss(THIRD), 1))
        losses.epsilon_of_renyi(PrivacyLoss(parts), Fraction(1, 10))
        truth = (1 - Fraction(1, 1000)) ** repeat
        for delta, kept in left:
            assert delta < Fraction(1, 10) - (1 - truth)
            assert float(delta) == pytest.approx(0.1 - (1 - float(truth)), rel=1e-12)
            assert Fraction(kept.low) <= truth <= Fraction(kept.high)
        assert len(left) == 2
        left.clear()


def check(chance: random.Random) -> None:
    strength, repeat = Fraction(chance.randint(5, 200), 100), chance.randint(1, 4)
    told = Fraction(chance.randint(0, 1), 10**4)
    q = chance.uniform(0.05, 0.9)
    beside = oracle.binary(q + (1 - q) * chance.uniform(0.05, 0.6), q)
    rho = Fraction(oracle.rho(beside) * (1 + 1e-9))
    odds = math.exp(float(strength))
    response = oracle.binary(odds / (1 + odds), 1 / (1 + odds))
    pair = oracle.product(*[response] * repeat, beside)
    parts: tuple[tuple[Loss, int], ...] = (
        (ApproxLoss(strength, told), repeat),
        (ConcentratedLoss(rho), 1),
    )
    loss = PrivacyLoss(parts)
    kept = (1 - float(told)) ** repeat
    for delta in (0.1, 0.003):
        found = float(losses.epsilon_of_renyi(loss, Fraction(delta)))
        truth = oracle.epsilon(pair, (delta - (1 - kept)) / kept)
        assert found >= truth * (1 - 1e-9)
        composed = losses.epsilon_at(loss, Fraction(delta))
        assert composed is not None
        assert composed.upper <= found * (1 + 1e-6)


def test_it_is_above_pairs_listed_whole_and_above_the_composed_loss() -> None:
    chance = random.Random(11)
    for _ in range(2):
        check(chance)


@pytest.mark.slow
def test_it_is_above_many_pairs_listed_whole() -> None:
    chance = random.Random(12)
    for _ in range(200):
        check(chance)


def test_what_is_told_outright_is_set_aside() -> None:
    loss = PrivacyLoss(((ApproxLoss(Fraction(1), Fraction(1, 1000)), 3),))
    assert math.isinf(losses.epsilon_of_renyi(loss, Fraction(2, 1000)))
    assert losses.epsilon_of_renyi(loss, Fraction(4, 1000)) < 4


def test_zcdp_beside_a_delta_has_no_epsilon_at_that_delta() -> None:
    told = ApproxLoss(Fraction(1), Fraction(1, 10**6))
    loss = PrivacyLoss(((told, 1), (ConcentratedLoss(Fraction(1)), 1)))
    found = losses.epsilon_at(loss, Fraction(1, 10**6))
    assert found is not None
    assert found.complete
    assert math.isinf(found.lower)


def test_both_directions_count() -> None:
    one_way = FiniteLoss((Fraction(1), Fraction(0)), (Fraction(9, 10), Fraction(1, 10)))
    loss = PrivacyLoss(((one_way, 1),))
    assert math.isinf(losses.epsilon_of_renyi(loss, Fraction(1, 20)))


def test_it_stands_where_the_engine_does_not_take_the_loss() -> None:
    """A part that loses less than the engine's grids can hold."""
    small = ConcentratedLoss(Fraction(1, 10**70))
    loss = PrivacyLoss(((RandomizedResponseLoss(Fraction(1)), 4), (small, 1)))
    points, causes = epsilons_at((loss,), Fraction(1, 10**6))
    assert not causes
    (point,) = points
    assert isinstance(point, ApproxPoint)
    assert point.conversion == "renyi_curve"
    # Four responses of epsilon 1, and no more than the sum of their epsilons.
    assert 3.9 < point.epsilon.value < 4.001
