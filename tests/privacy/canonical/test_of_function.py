"""Canonical noise against the letter of Lemma 36 and Definition 35, and the published numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest

from semiaudit.errors import RefusedError
from semiaudit.model.loss import LaplaceLoss
from semiaudit.model.measure import GDP, ApproxDP, PiecewiseLinear, PureDP
from semiaudit.model.results.odds_ratio import NoiseName
from semiaudit.privacy.canonical.canonical_distribution import CanonicalDistribution
from semiaudit.privacy.canonical.of_function import Lemma36, Normal, Tulap, noise_of, usual_name
from semiaudit.privacy.tradeoff.algebra import functional_power
from semiaudit.privacy.tradeoff.function import TradeoffBracket, TradeoffFunction, type_ii_at
from semiaudit.privacy.tradeoff.polygon import IDENTITY
from tests.golden.published import golden
from tests.oracles import canonical

ONE = Fraction(1)
HUNDREDTH = Fraction(1, 100)
F_1_0, F_1_001 = ApproxDP(ONE, Fraction(0)), ApproxDP(ONE, HUNDREDTH)
F_HALF, F_0_001 = ApproxDP(ONE / 2, Fraction(0)), ApproxDP(Fraction(0), HUNDREDTH)
PLACES = [Fraction(i, 7) for i in range(-40, 41)]
CORNERS = ((0, 19), (1, 12), (5, 5), (12, 1), (19, 0), (20, 0))
POLYGON = PiecewiseLinear(tuple((Fraction(x, 20), Fraction(y, 20)) for x, y in CORNERS))


def middle(enclosed: object) -> float:
    low, high = (Fraction(getattr(enclosed, end)) for end in ("low", "high"))
    assert high - low <= Fraction(1, 10**30)
    return float((low + high) / 2)


@pytest.mark.parametrize("measure", [F_1_0, F_1_001, F_HALF, F_0_001])
def test_tulap_is_the_noise_of_lemma_36(measure: ApproxDP) -> None:
    ours, printed = Tulap(measure), Lemma36(measure)
    g = canonical.approx(
        mpmath.mpf(measure.epsilon.numerator) / measure.epsilon.denominator,
        mpmath.mpf(measure.delta.numerator) / measure.delta.denominator,
    )
    for x in PLACES[::16]:
        expected = float(canonical.lemma_36(g, mpmath.mpf(x.numerator) / x.denominator))
        assert middle(ours.cdf(x)) == pytest.approx(expected, abs=1e-15)
    for x in PLACES[::4]:
        found, same = ours.cdf(x), printed.cdf(x)
        assert max(found.low, same.low) <= min(found.high, same.high)


def test_lemma_36_for_a_gaussian_by_the_letter() -> None:
    noise = Lemma36(GDP(ONE))
    for x in (Fraction(-11, 7),):
        expected = canonical.lemma_36(
            canonical.gaussian(1), mpmath.mpf(x.numerator) / x.denominator
        )
        assert middle(noise.cdf(x)) == pytest.approx(float(expected), abs=1e-14)


def test_the_published_numbers() -> None:
    for measure, name in ((F_1_0, "corner_of_f_1_0"), (F_1_001, "corner_of_f_1_001")):
        assert middle(Lemma36(measure).upper_tail(ONE / 2)) == golden(name)
    gaussian = Lemma36(GDP(ONE))
    assert middle(gaussian.upper_tail(ONE / 2)) == golden("corner_of_g_1")
    assert middle(gaussian.cdf(ONE)) == golden("canonical_g_1_at_1")
    assert middle(gaussian.cdf(ONE / 4)) == golden("canonical_g_1_at_quarter")
    assert middle(Normal(GDP(ONE)).cdf(ONE / 4)) == golden("normal_at_quarter")


ALL: list[tuple[TradeoffFunction, NoiseName]] = [
    (F_1_0, "tulap"),
    (F_1_001, "tulap"),
    (F_0_001, "tulap"),
    (F_1_001, "lemma_36"),
    (PureDP(ONE), "lemma_36"),
    (GDP(ONE), "lemma_36"),
    (GDP(Fraction(1, 4)), "normal"),
    (LaplaceLoss(Fraction(3, 2)), "lemma_36"),
    (POLYGON, "lemma_36"),
]


@pytest.mark.parametrize(("function", "name"), ALL)
def test_one_unit_costs_exactly_the_function(function: TradeoffFunction, name: NoiseName) -> None:
    """Definition 35, 2 to 4: f(P(N > x)) is P(N <= x - 1), and N is symmetric about 0."""
    noise = noise_of(function, name)
    before = Fraction(0)
    for x in (Fraction(i, 5) for i in range(-18, 19, 4)):
        at = middle(noise.cdf(x))
        assert at >= before
        before = Fraction(at)
        assert at + middle(noise.cdf(-x)) == pytest.approx(1, abs=1e-15)
        type_i = Fraction(noise.upper_tail(x).low)
        if type_i:  # where delta is above 0 the noise ends, and f(0) says nothing of what is there
            expected = middle(type_ii_at(function, type_i))
            assert middle(noise.cdf(x - 1)) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(("function", "name"), ALL)
def test_a_quantile_leaves_the_mass_that_was_asked_for(
    function: TradeoffFunction, name: NoiseName
) -> None:
    noise = noise_of(function, name)
    for tail in (Fraction(1, 10**9), HUNDREDTH, Fraction(1, 3), ONE / 2, Fraction(9, 10)):
        point = noise.quantile_above(tail)
        around = [noise.upper_tail(Fraction(end)) for end in (point.high, point.low)]
        slack = Fraction(1, 10**30)
        assert Fraction(around[0].low) - slack <= tail <= Fraction(around[1].high) + slack
        estimate = noise.estimate(float(point.low))
        assert estimate == pytest.approx(float(tail), rel=1e-6)


def test_moves_of_less_than_a_unit_cost_no_more() -> None:
    """Definition 35, 1: the hockey-stick divergence of f_{1,0.01}'s noise is 0.01 at most.

    The density is constant between half-integers and the ends, so cells between all of them and
    their shifts give the divergence exactly.
    """
    noise = Tulap(F_1_001)
    end = Fraction(noise.quantile_above(Fraction(1, 10**40)).high)
    worst = 0.0
    for shift in (Fraction(i, 4) for i in range(5)):
        cuts = {Fraction(i, 2) for i in range(-13, 14)} | {end, -end}
        points = sorted(cuts | {cut + shift for cut in cuts})
        here = [middle(noise.cdf(x)) for x in points]
        there = [middle(noise.cdf(x - shift)) for x in points]
        gain = sum(
            max((here[i + 1] - here[i]) - math.e * (there[i + 1] - there[i]), 0.0)
            for i in range(len(points) - 1)
        )
        assert gain <= 0.01 + 1e-12
        worst = max(worst, gain)
    assert worst == pytest.approx(0.01, abs=1e-12)


def test_su_s_form_in_the_place_of_cho_and_awan_s_is_no_distribution() -> None:
    """E24: with f for g the tail beyond 1/2 would be 1 - f(1 - F), which is below F itself."""
    g = canonical.approx(1)
    values = [canonical.lemma_36(lambda a: g(1 - a), x) for x in (0.4, 0.9, 1.4)]
    assert values != sorted(values)


@pytest.mark.parametrize(
    "function",
    [
        ApproxDP(Fraction(0), Fraction(0)),
        ApproxDP(Fraction(1, 10**13), Fraction(0)),
        GDP(Fraction(0)),
        IDENTITY,
        PiecewiseLinear(((Fraction(0), ONE), (Fraction(1, 4), Fraction(1, 2)), (ONE, Fraction(0)))),
        PiecewiseLinear(
            (
                (Fraction(0), ONE),
                (Fraction(1, 5), Fraction(1, 5)),
                (Fraction(1, 4), Fraction(1, 5)),
                (ONE, Fraction(0)),
            )
        ),
        functional_power(F_1_001, 2),
        TradeoffBracket(POLYGON, IDENTITY),
    ],
)
def test_what_has_no_canonical_noise_is_refused(function: TradeoffFunction) -> None:
    with pytest.raises(RefusedError):
        noise_of(function, usual_name(function))


@pytest.mark.parametrize(
    ("function", "name"), [(GDP(ONE), "tulap"), (F_1_0, "normal"), (POLYGON, "tulap")]
)
def test_a_distribution_of_another_function_is_refused(
    function: TradeoffFunction, name: NoiseName
) -> None:
    with pytest.raises(RefusedError, match="not canonical for this function"):
        noise_of(function, name)


@pytest.mark.parametrize("tail", [Fraction(0), ONE])
def test_there_is_no_point_above_which_everything_or_nothing_lies(tail: Fraction) -> None:
    noise: CanonicalDistribution = Tulap(F_1_0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        noise.quantile_above(tail)
