"""The least rho of bounded pairs: published numbers, and 50-digit divergences at many orders."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
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
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PiecewiseLinear, PureDP
from semiaudit.privacy.composition import compose
from semiaudit.privacy.conversion import tradeoff_from_approx, zcdp_from_loss, zcdp_from_pure
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.privacy.group import group
from semiaudit.privacy.loss.pairs.pair_kinds import kind_of
from semiaudit.privacy.measures.normalised_renyi import rho_bracket
from semiaudit.privacy.measures.zcdp import (
    rho_of_discrete_laplace,
    rho_of_laplace,
    rho_of_pure_dp,
    rho_of_randomized_response,
)
from tests.clocks import Ticks
from tests.oracles import rho as oracle
from tests.oracles.curves import mp, real
from tests.privacy.instances import zcdp_of
from tests.samples import sampled

ONE = Fraction(1)
NARROW = mp.mpf("1e-15")


def rho_of_pair(pair: Loss) -> Fraction | None:
    return kind_of(pair, "a test").rho()


def test_row_130_of_pure_dp() -> None:
    assert float(rho_of_pure_dp(ONE)) == pytest.approx(0.462117, abs=5e-7)
    assert float(rho_of_pure_dp(ONE, 2)) == pytest.approx(1.264241, abs=5e-7)
    assert float(rho_of_pure_dp(Fraction(1000))) == 1000


def test_row_131_of_laplace_noise_on_the_line_and_on_the_integers() -> None:
    assert float(rho_of_laplace(ONE)) == pytest.approx(0.367879, abs=5e-7)
    assert float(rho_of_discrete_laplace(1, ONE)) == pytest.approx(0.462117, abs=5e-7)


def test_pure_dp_at_a_distance_has_the_rho_of_its_function_composed() -> None:
    """Never below D_a / a of the composed pair at any order, and the supremum to 15 digits."""
    chance = random.Random(130)
    for _ in range(40):
        epsilon, steps = Fraction(chance.randint(1, 500), 100), chance.randint(1, 6)
        truth = oracle.largest_ratio(oracle.composed_response(real(epsilon), steps))
        found = real(rho_of_pure_dp(epsilon, steps))
        assert truth <= found * (1 + mp.mpf("1e-40")), (epsilon, steps)
        assert found <= truth * (1 + NARROW), (epsilon, steps)


def test_discrete_laplace_noise_has_the_rho_of_its_divergences() -> None:
    chance = random.Random(131)
    for _ in range(60):
        move, scale = chance.randint(1, 12), Fraction(chance.randint(1, 900), 60)
        truth = oracle.largest_ratio(oracle.discrete_laplace(move, real(scale)))
        found = real(rho_of_discrete_laplace(move, 1 / scale))
        assert truth <= found * (1 + mp.mpf("1e-40")), (move, scale)
        assert found <= truth * (1 + NARROW), (move, scale)


@pytest.mark.parametrize("shift", sampled(["1/3", "5/2", "1/100", "1", "7"], fast=(0,)))
def test_laplace_noise_has_the_rho_of_its_divergences(shift: str) -> None:
    found, moved = real(rho_of_laplace(Fraction(shift))), real(Fraction(shift))
    with mp.workdps(30):
        for order in ("1.01", "1.5", "2", "4", "16", "60"):
            divergence = oracle.laplace_divergence(moved, mp.mpf(order))
            assert divergence <= found * mp.mpf(order) * (1 + mp.mpf("1e-12")), order
        near_one = oracle.laplace_divergence(moved, 1 + mp.mpf("1e-9"))
        assert found <= near_one * (1 + mp.mpf("1e-7"))


def test_randomised_response_has_the_rho_of_its_divergences_at_every_number_of_levels() -> None:
    chance = random.Random(6)
    for _ in range(120):
        epsilon = Fraction(chance.randint(1, 600), 100)
        levels = chance.choice([2, 3, 4, 5, 6, 7, 9, 12, 40])
        pair = oracle.response(real(epsilon), levels)
        truth = oracle.largest_ratio(pair)
        found = real(rho_of_randomized_response(epsilon, levels))
        assert truth <= found * (1 + mp.mpf("1e-40")), (epsilon, levels)
        if levels <= 6:
            assert found <= truth * (1 + NARROW), (epsilon, levels)
        assert found <= real(rho_of_pure_dp(epsilon)), (epsilon, levels)


@pytest.mark.parametrize(("levels", "epsilon"), [(7, "1/10"), (100, "1/2"), (1000, "3")])
def test_beyond_six_levels_the_order_1_is_not_the_worst(levels: int, epsilon: str) -> None:
    """docs/theory/conversions.md: 1.5 per cent above at seven levels, 5.3 times at a hundred."""
    pair = oracle.response(real(Fraction(epsilon)), levels)
    found = real(rho_of_randomized_response(Fraction(epsilon), levels))
    assert oracle.kullback_leibler(*pair) < oracle.largest_ratio(pair) <= found


def test_a_move_shared_among_coordinates_never_loses_more_than_in_one() -> None:
    """Rho is convex in the move and 0 at 0, on the line and on the integers."""
    chance = random.Random(4)
    for _ in range(200):
        parts = [Fraction(chance.randint(0, 50), 10) for _ in range(3)]
        whole = rho_of_laplace(sum(parts, Fraction(0)))
        assert sum(rho_of_laplace(part) for part in parts) <= whole * (1 + Fraction(1, 10**40))
        moves, scale = [chance.randint(0, 9) for _ in range(3)], Fraction(chance.randint(1, 40), 4)
        shared = sum(rho_of_discrete_laplace(move, scale) for move in moves)
        assert shared <= rho_of_discrete_laplace(sum(moves), scale) * (1 + Fraction(1, 10**40))


@pytest.mark.parametrize(
    "epsilon", ["1e-300", "1e-30", "1e-18", "1e-9", "1e-3", "40", "1e5", "1e300"]
)
def test_at_the_ends_rho_stays_between_what_is_lost_and_the_older_bound(epsilon: str) -> None:
    # s + e^-s - 1, the smallest of them, is at least s^2/2 - s^3/6, and at least s - 1.
    e = Fraction(epsilon)
    least = e * e / 2 * (1 - e / 3) if e < 1 else e - 1
    for found in (rho_of_pure_dp(e), rho_of_laplace(e), rho_of_discrete_laplace(3, e / 3)):
        assert least <= found <= min(e * e / 2, e)
    assert rho_of_pure_dp(e, 10) <= min(100 * rho_of_pure_dp(e), rho_of_pure_dp(10 * e)) * (
        1 + Fraction(1, 10**15)
    )


def test_rho_rises_with_the_epsilon_and_the_distance() -> None:
    values = [Fraction(k, 7) ** 3 for k in range(60)]
    for rho in (rho_of_pure_dp, rho_of_laplace):
        found = [rho(value) for value in values]
        assert found == sorted(found)
    by_distance = [rho_of_pure_dp(Fraction(2, 3), k) for k in range(1, 40)]
    assert by_distance == sorted(by_distance)


def test_neither_inherits_the_others_formula() -> None:
    assert rho_of_laplace(Fraction(2)) < rho_of_discrete_laplace(2, ONE)
    assert rho_of_pair(LaplaceLoss(-ONE)) == rho_of_laplace(ONE)
    assert rho_of_pair(DiscreteLaplaceLoss(-2, Fraction(3))) == rho_of_discrete_laplace(
        2, Fraction(1, 3)
    )


def test_every_pair_has_its_rho_or_none() -> None:
    half = Fraction(1, 2)
    assert (
        rho_of_pair(GaussianLoss(ONE)) == rho_of_pair(DiscreteGaussianLoss(2, Fraction(4))) == half
    )
    assert rho_of_pair(RandomizedResponseLoss(ONE, 3)) == rho_of_randomized_response(ONE, 3)
    assert rho_of_pair(ApproxLoss(ONE, Fraction(0))) == rho_of_pure_dp(ONE)
    assert rho_of_pair(ApproxLoss(ONE, half)) is None
    assert rho_of_pair(FiniteLoss((half, half), (half, half))) is None
    assert rho_of_pair(SubsampledGaussianLoss(ONE, half)) == half
    parts = ((LaplaceLoss(ONE), 2), (GaussianLoss(ONE), 3))
    assert zcdp_from_loss(PrivacyLoss(parts)) == ZCDP(2 * rho_of_laplace(ONE) + Fraction(3, 2))
    assert zcdp_from_loss(PrivacyLoss(((ApproxLoss(ONE, half), 1),))) is None


def test_at_a_distance_the_smallest_rho_of_the_bundle_stays() -> None:
    declared = (PureDP(ONE), zcdp_from_pure(PureDP(ONE)))
    assert zcdp_of(group(declared, 2)).rho == rho_of_pure_dp(ONE, 2) < 4 * rho_of_pure_dp(ONE)
    own = (PrivacyLoss(((LaplaceLoss(ONE), 1),)), PureDP(ONE), ZCDP(rho_of_laplace(ONE)))
    assert zcdp_of(group(own, 2)).rho == rho_of_laplace(Fraction(2)) < rho_of_pure_dp(ONE, 2)
    small = (PureDP(ONE), ZCDP(Fraction(1, 1000)))
    assert zcdp_of(group(small, 2)).rho == Fraction(1, 250)


def test_exact_is_said_of_what_was_declared_and_never_of_what_was_rounded() -> None:
    pure = PureDP(ONE)
    found = numbers_of((pure, tradeoff_from_approx(pure), zcdp_from_pure(pure)), [], [])
    assert found.pure_dp is not None
    assert found.zcdp is not None
    assert (found.pure_dp.side, found.zcdp.side) == ("exact", "upper")
    for measure in (PureDP(ONE, exact=False), ZCDP(ONE, exact=False), GDP(ONE, exact=False)):
        numbers = numbers_of((measure,), [], [])
        known = [bound for bound in (numbers.pure_dp, numbers.zcdp, numbers.gdp) if bound]
        assert {bound.side for bound in known} == {"upper"}
        twice = numbers_of(compose([((measure,), 1), ((type(measure)(ONE),), 1)]), [], [])
        known = [bound for bound in (twice.pure_dp, twice.zcdp, twice.gdp) if bound]
        assert {bound.side for bound in known} == {"upper"}
    loose = numbers_of((ApproxDP(ONE, Fraction(1, 10), exact=False),), [Fraction(1, 5)], [])
    assert {point.epsilon.side for point in loose.approx_dp} == {"upper"}


def test_pure_dp_that_costs_nothing_has_rho_0_exactly() -> None:
    assert zcdp_from_pure(PureDP(Fraction(0))).exact
    assert zcdp_from_pure(PureDP(Fraction(0))).rho == 0
    assert isinstance(tradeoff_from_approx(PureDP(Fraction(0))), PiecewiseLinear)


RARE = Fraction(1, 10**95)
SMALL = Fraction(1, 10**30)


def largest(first: list[Fraction], second: list[Fraction]) -> float:
    """The supremum of D_a / a over orders, by a fine grid of them, in both directions."""
    best = mpmath.mpf(0)
    with mpmath.workdps(120):
        for ps, qs in ((first, second), (second, first)):
            p = [mpmath.mpf(v.numerator) / v.denominator for v in ps]
            q = [mpmath.mpf(v.numerator) / v.denominator for v in qs]
            for step in range(-60, 80):
                order = 1 + mpmath.mpf(10) ** (mpmath.mpf(step) / 16)
                logs = [
                    order * mpmath.log(a) + (1 - order) * mpmath.log(b)
                    for a, b in zip(p, q, strict=True)
                ]
                top = max(logs)
                total = top + mpmath.log(mpmath.fsum(mpmath.exp(v - top) for v in logs))
                best = max(best, total / (order * (order - 1)))
    return float(best)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([RARE, 1 - RARE], [2 * RARE, 1 - 2 * RARE]),
        ([RARE, 1 - RARE], [RARE * 10**90, 1 - RARE * 10**90]),
        ([SMALL, 7 * SMALL, 1 - 8 * SMALL], [SMALL**2, 7 * SMALL**3, 1 - SMALL**2 - 7 * SMALL**3]),
    ],
)
def test_ratios_that_hardly_ever_occur_show_at_large_orders(
    first: list[Fraction], second: list[Fraction]
) -> None:
    found = rho_bracket(((FiniteLoss(tuple(first), tuple(second)), 1),))
    assert found is not None
    about = largest(first, second)
    assert about <= float(found.upper) * (1 + 1e-12)
    assert float(found.lower) <= about * (1 + 2e-2)
    assert found.upper - found.lower <= found.upper * Fraction(1, 10**8)


def test_laws_that_sixty_digits_do_not_tell_apart_have_an_upper_end() -> None:
    near = Fraction(1, 2) + RARE
    pair = FiniteLoss((near, 1 - near), (Fraction(1, 2), Fraction(1, 2)))
    found = rho_bracket(((pair, 1),))
    assert found is not None
    # epsilon is about 2e-95, so that rho is about 2e-190.
    assert found.lower <= Fraction(2, 10**190) <= found.upper < Fraction(1, 10**100)


def test_the_search_over_orders_ends_at_the_time_limit() -> None:
    half, other = Fraction(1, 2), Fraction(29, 97)  # not a pair whose answer is known by now
    pair = FiniteLoss((half, half), (other, 1 - other))
    with deadline.running(2.5, Ticks(1.0)), pytest.raises(OutOfTimeError):
        rho_bracket(((pair, 1),))
