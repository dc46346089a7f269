"""Theorem 37: its numbers, its level, its privacy, and that no test has more power."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq

from semiaudit.model.measure import GDP, ApproxDP
from semiaudit.model.results.odds_ratio import Alternative, Margins, NoiseName
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.canonical.of_function import noise_of, usual_name
from semiaudit.privacy.odds_ratio.hypergeometric import law_of
from semiaudit.privacy.odds_ratio.umpu import Region, p_value, power, reaches, region
from semiaudit.privacy.tradeoff.function import TradeoffFunction, type_ii_at
from tests.golden.published import golden
from tests.oracles import odds_ratio as oracle
from tests.oracles.canonical import tulap_cdf

ONE, LEVEL = Fraction(1), Fraction(1, 20)
PUBLISHED = Margins(12, 10, 11)
AS_X11 = Margins(10, 12, 11)
"""The rows exchanged: x11 of the published table is x21 of this one, with odds ratio 1/w."""
TULAP = noise_of(ApproxDP(ONE, Fraction(0)), "tulap")
U = Fraction("8.25")
FAR = 200.0
"""A threshold that no noisy count of a small table reaches."""

TABLES = [
    Margins(12, 10, 11),
    Margins(12, 10, 7),
    Margins(12, 10, 15),
    Margins(5, 9, 6),
    Margins(8, 8, 8),
    Margins(20, 6, 9),
    Margins(3, 15, 4),
]
"""Of two the first column is half of all records, of the others not."""


def middle(enclosed: Interval) -> float:
    assert enclosed.high - enclosed.low < 1e-25
    return float((enclosed.low + enclosed.high) / 2)


def rows(margins: Margins) -> tuple[int, int]:
    return margins.first_row, margins.second_row


def phi(noise_function: TradeoffFunction, margins: Margins, level: Fraction) -> list[float]:
    """phi*(x21) for every count, from the threshold that was found."""
    noise = noise_of(noise_function, usual_name(noise_function))
    least = region(noise, law_of(margins, ONE), level, "greater").at_least
    assert least is not None
    return [middle(noise.upper_tail(least - x)) for x in range(margins.least, margins.most + 1)]


def test_the_published_test() -> None:
    at_one = law_of(PUBLISHED, ONE)
    found = region(TULAP, at_one, LEVEL, "greater")
    assert found.at_most is None
    assert float(found.at_least or 0) == golden("odds_ratio_threshold")
    for name, odds in (("1_5", Fraction(3, 2)), ("2", ONE * 2), ("4", ONE * 4), ("8", ONE * 8)):
        reached = middle(power(TULAP, law_of(PUBLISHED, odds), found))
        assert reached == golden(f"odds_ratio_power_at_{name}")
    assert middle(p_value(TULAP, at_one, U, "greater")) == golden("odds_ratio_p_value")


def test_as_it_is_printed_the_test_points_the_other_way() -> None:
    """E3: with x11, whose law has 1/w, its power lies below its level; with w < 1 it is ours."""
    at_one = law_of(AS_X11, ONE)
    printed = region(TULAP, at_one, LEVEL, "greater")
    for name, odds in (("1_5", Fraction(3, 2)), ("2", ONE * 2), ("4", ONE * 4), ("8", ONE * 8)):
        reached = middle(power(TULAP, law_of(AS_X11, 1 / odds), printed))
        assert reached == golden(f"odds_ratio_printed_power_at_{name}")
        assert reached < float(LEVEL)
    assert float(printed.at_least or 0) == golden("odds_ratio_threshold_of_x11")
    turned = region(TULAP, at_one, LEVEL, "less")
    assert middle(power(TULAP, law_of(AS_X11, ONE / 2), turned)) == golden("odds_ratio_power_at_2")
    assert middle(p_value(TULAP, at_one, U, "greater")) == golden("odds_ratio_printed_p_value")


@pytest.mark.parametrize("margins", TABLES, ids=str)
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (0.5, 0.01)])
def test_no_semi_private_test_has_more_power(
    margins: Margins, epsilon: float, delta: float
) -> None:
    measure = ApproxDP(Fraction(str(epsilon)), Fraction(str(delta)))
    noise = noise_of(measure, "tulap")
    null = oracle.law(rows(margins), margins.first_column, ONE)
    for kind, odds in (("greater", ONE * 3), ("less", ONE / 3)):
        alternative: Alternative = "greater" if kind == "greater" else "less"
        found = region(noise, law_of(margins, ONE), LEVEL, alternative)
        best = oracle.best_power(
            null,
            oracle.law(rows(margins), margins.first_column, odds),
            [(epsilon, delta)],
            float(LEVEL),
        )
        assert middle(power(noise, law_of(margins, odds), found)) == pytest.approx(best, abs=1e-8)
        assert best > float(LEVEL)


@pytest.mark.parametrize("margins", TABLES[1:5], ids=str)
@pytest.mark.parametrize("name", ["lemma_36", "normal"])
def test_both_noises_of_gaussian_privacy_have_the_most_power(
    margins: Margins, name: NoiseName
) -> None:
    """Tests that satisfy G_mu at some epsilons only have a little more, and none has less."""
    null = oracle.law(rows(margins), margins.first_column, ONE)
    for mu, odds in ((Fraction(1, 2), ONE * 3), (ONE * 2, ONE / 3)):
        kind: Alternative = "greater" if odds > 1 else "less"
        noise = noise_of(GDP(mu**2), name)
        found = region(noise, law_of(margins, ONE), LEVEL, kind)
        best = oracle.best_power(
            null,
            oracle.law(rows(margins), margins.first_column, odds),
            oracle.gaussian_guarantees(float(mu)),
            float(LEVEL),
        )
        reached = middle(power(noise, law_of(margins, odds), found))
        assert best - 1e-4 < reached < best + 1e-9


def test_three_tables_or_more_do_not_hide_the_orientation() -> None:
    assert sum(2 * margins.first_column != margins.size for margins in TABLES) >= 3
    assert len(TABLES) >= 6


@pytest.mark.parametrize("margins", TABLES, ids=str)
@pytest.mark.parametrize("kind", ["greater", "less", "two-sided"])
def test_the_level_holds_exactly_under_independence(margins: Margins, kind: Alternative) -> None:
    null = oracle.law(rows(margins), margins.first_column, ONE)
    for level in (LEVEL,) if margins.size > 14 else (LEVEL, Fraction(1, 5)):
        found = region(TULAP, law_of(margins, ONE), level, kind)
        size = 0.0
        for x, chance in null.items():
            above = 0.0 if found.at_least is None else middle(TULAP.upper_tail(found.at_least - x))
            below = 0.0 if found.at_most is None else middle(TULAP.cdf(found.at_most - x))
            size += float(chance) * (above + below)
        assert size == pytest.approx(float(level), abs=1e-11)
        assert size <= float(level) + 1e-15


@pytest.mark.parametrize("margins", TABLES, ids=str)
def test_neighbouring_tables_reject_about_equally_often(margins: Margins) -> None:
    """Lemma 34; with delta 0 the ratio e^epsilon is reached."""
    pure = phi(ApproxDP(ONE, Fraction(0)), margins, LEVEL)
    ratios = [b / a for a, b in pairwise(pure)]
    assert max(ratios) == pytest.approx(math.e, rel=1e-12)
    gaussian = [GDP(ONE)] if margins is TABLES[1] else []
    approx = [ApproxDP(ONE, delta) for delta in (Fraction(0), Fraction(1, 100))]
    functions: list[TradeoffFunction] = [*approx, *gaussian]
    for measure in functions:
        chances = phi(measure, margins, LEVEL)
        gaps = []
        for a, b in pairwise(chances):
            for one, other in ((a, b), (b, a)):
                # 1 - f(phi(X')) in Su's form is 1 - g(1 - phi(X')) in Cho and Awan's
                most = 1 - float(type_ii_at(measure, Fraction(other)).low)
                gaps.append(most - one)
        assert min(gaps) >= -1e-12
        assert min(map(abs, gaps)) < 1e-12


@pytest.mark.parametrize("kind", ["greater", "less", "two-sided"])
def test_a_p_value_of_at_most_the_level_is_a_statistic_in_the_region(kind: Alternative) -> None:
    """So P(p <= level given x21) is phi*(x21)."""
    at_one = law_of(AS_X11, ONE)
    found = region(TULAP, at_one, LEVEL, kind)
    for end in (found.at_least, found.at_most):
        if end is not None:
            assert middle(p_value(TULAP, at_one, end, kind)) == pytest.approx(0.05, abs=1e-11)
    before = middle(p_value(TULAP, at_one, Fraction(-30), "greater"))
    for statistic in (Fraction(2 * i + 1, 3) for i in range(-20, 32, 2)):
        p = middle(p_value(TULAP, at_one, statistic, kind))
        inside = (found.at_least is not None and statistic >= found.at_least) or (
            found.at_most is not None and statistic <= found.at_most
        )
        assert (p <= 0.05) == inside
        large = middle(p_value(TULAP, at_one, statistic, "greater"))
        assert large <= before
        before = large


def test_the_two_sided_p_value_is_uniform_under_independence() -> None:
    """Why its level holds: the two one-sided ones add up to 1."""
    at_one = law_of(PUBLISHED, ONE)
    for statistic in (Fraction(7 * i, 3) for i in range(-2, 7)):
        large = middle(p_value(TULAP, at_one, statistic, "greater"))
        small = middle(p_value(TULAP, at_one, statistic, "less"))
        assert large + small == pytest.approx(1, abs=1e-14)
        both = middle(p_value(TULAP, at_one, statistic, "two-sided"))
        assert both == pytest.approx(2 * min(large, small), abs=1e-14)


def test_the_two_sided_test_is_biased() -> None:
    """Margins 30, 6 and 5, epsilon 4: near w = 0.61, it rejects less often than at w = 1.

    By the law of x21 and the distribution function of Tulap noise, with both thresholds found by
    bisection.
    """

    def rejects(law: Mapping[int, Fraction], most: float, least: float) -> float:
        counts, chances = np.array(list(law)), np.array([float(p) for p in law.values()])
        above = 1 - tulap_cdf(least - counts, 4.0)
        return float(chances @ (above + tulap_cdf(most - counts, 4.0)))

    null = oracle.law((30, 6), 5, ONE)
    most = brentq(lambda x: rejects(null, x, FAR) - 0.025, -30.0, 30.0, xtol=1e-12)
    least = brentq(lambda x: rejects(null, -FAR, x) - 0.025, -30.0, 30.0, xtol=1e-12)
    assert rejects(null, most, least) == pytest.approx(0.05, abs=1e-9)
    expected = rejects(oracle.law((30, 6), 5, Fraction(61, 100)), most, least)
    assert expected == pytest.approx(0.043413, abs=1e-6)
    noise = noise_of(ApproxDP(Fraction(4), Fraction(0)), "tulap")
    margins = Margins(30, 6, 5)
    found = region(noise, law_of(margins, ONE), LEVEL, "two-sided")
    reached = power(noise, law_of(margins, Fraction(61, 100)), found)
    assert middle(reached) == pytest.approx(expected, abs=1e-9)


def test_the_noises_of_a_gaussian_give_one_power_and_two_p_values() -> None:
    """E25: the threshold and the p-value of a count depend on the noise, the test does not."""
    at_one, answers = law_of(PUBLISHED, ONE), []
    names: tuple[NoiseName, ...] = ("lemma_36", "normal")
    for name in names:
        noise = noise_of(GDP(ONE), name)
        found = region(noise, at_one, LEVEL, "greater")
        powers = [middle(power(noise, law_of(PUBLISHED, ONE * w), found)) for w in (2, 4, 8)]
        answers.append((found.at_least, middle(p_value(noise, at_one, U, "greater")), powers))
    (first, p_first, powers), (second, p_second, others) = answers
    assert abs(float((first or 0) - (second or 0))) > 1e-3
    assert abs(p_first - p_second) > 1e-4
    assert powers == pytest.approx(others, abs=1e-11)


def test_a_region_of_nothing_never_rejects() -> None:
    assert power(TULAP, law_of(PUBLISHED, ONE), Region()) == Interval.of(0)


def test_what_is_far_away_is_enclosed() -> None:
    law = law_of(PUBLISHED, ONE)
    seldom = reaches(TULAP, law, Fraction(10**6))
    assert 0 <= seldom.low <= seldom.high <= Fraction(1, 10**29)
    mostly = reaches(TULAP, law, Fraction(-(10**6)))
    assert 1 - Fraction(1, 10**29) <= mostly.low <= mostly.high <= 1


@pytest.mark.parametrize("level", ["1e-9", "0.5", "0.999999"])
@pytest.mark.parametrize("kind", ["greater", "less", "two-sided"])
def test_levels_far_from_the_usual_ones(level: str, kind: Alternative) -> None:
    wanted = Fraction(level)
    at_one = law_of(AS_X11, ONE)
    size = middle(power(TULAP, at_one, region(TULAP, at_one, wanted, kind)))
    assert size == pytest.approx(float(wanted), rel=1e-9)
    assert size <= float(wanted) * (1 + 1e-15)


@pytest.mark.parametrize(
    ("margins", "delta", "kind"),
    [
        (Margins(30, 30, 2), "0.01", "greater"),
        (Margins(30, 30, 2), "0.01", "less"),
        (Margins(5, 3, 5), "0.9", "less"),
    ],
)
def test_the_region_begins_where_bounded_noise_still_comes(
    margins: Margins, delta: str, kind: Alternative
) -> None:
    """Near the end of the noise's support the chance falls to 0 within a millionth of a unit."""
    noise, at_one = noise_of(ApproxDP(ONE, Fraction(delta)), "tulap"), law_of(margins, ONE)
    size = power(noise, at_one, region(noise, at_one, Fraction(1, 10**9), kind))
    assert (1 - 1e-6) * 1e-9 <= float(size.low) <= float(size.high) <= 1e-9
