"""The test of an odds ratio and Fisher's distribution, against exact sums and linear programs."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from semiaudit import (
    ApproxTradeoff,
    CanonicalNoise,
    NoncentralHypergeometric,
    PrivateOddsRatioTest,
    RefusedError,
)
from tests.oracles import odds_ratio as oracle

TULAP = CanonicalNoise(ApproxTradeoff(1))
ONE = Fraction(1)
TABLES = [((12, 10), 11), ((12, 10), 4), ((3, 9), 8)]


@pytest.mark.parametrize("odds", ["1", "7/2", "0.2"])
@pytest.mark.parametrize(("rows", "column"), TABLES)
def test_row_54_the_probabilities_enclose_the_exact_ones(
    rows: tuple[int, int], column: int, odds: str
) -> None:
    exact = oracle.law(rows, column, Fraction(odds))
    found = NoncentralHypergeometric(*rows, column, odds)
    assert [*found.support] == sorted(exact)
    for count, chance in exact.items():
        low, high = found.pmf(count)
        assert low.sharpest <= chance <= high.sharpest
        assert (low.side, high.side) == ("lower", "upper")
        assert high.sharpest - low.sharpest < Fraction(1, 10**50)
        # x11 has the distribution with the inverse odds ratio (E3)
        other = NoncentralHypergeometric(rows[1], rows[0], column, 1 / Fraction(odds))
        assert float(other.pmf(column - count).upper) == pytest.approx(float(chance), rel=1e-14)
    beyond = found.pmf(found.support.stop)
    assert (beyond.lower.value, beyond.upper.value) == (0, 0)


def test_counts_far_out_in_a_tail_are_bounded() -> None:
    found = NoncentralHypergeometric(2000, 2000, 2000)
    low, high = found.pmf(0)
    assert low.value == 0
    assert 0 < high.value < Fraction(1, 10**28)
    exact = Fraction(math.comb(2000, 1000) ** 2, math.comb(4000, 2000))
    middle = found.pmf(1000)
    assert middle.lower.sharpest <= exact <= middle.upper.sharpest
    assert float(middle.lower) == pytest.approx(float(exact), rel=1e-14)


def test_row_50_neighboring_counts_reject_about_equally_often() -> None:
    test = PrivateOddsRatioTest(TULAP, 12, 10, 11)
    assert test.at_least is not None
    assert test.at_most is None
    threshold = Fraction(test.at_least.value)
    chances = [float(TULAP.upper_tail(threshold - count)) for count in range(11)]
    ratios = [b / a for a, b in pairwise(chances)]
    assert max(ratios) == pytest.approx(2.718281828, abs=1e-8)


@pytest.mark.parametrize(("rows", "column"), TABLES)
def test_row_55_no_private_test_has_more_power(rows: tuple[int, int], column: int) -> None:
    null = oracle.law(rows, column, ONE)
    for alternative, odds in (("greater", ONE * 3), ("less", ONE / 3)):
        kind: Any = alternative
        test = PrivateOddsRatioTest(TULAP, *rows, column, alternative=kind)
        best = oracle.best_power(null, oracle.law(rows, column, odds), [(1.0, 0.0)], 0.05)
        assert float(test.power(odds)) == pytest.approx(best, abs=1e-8)
        assert test.power(odds).side == "lower"
        assert repr(test.power(1)) == "0.05 (exact, canonical_noise)"


def test_a_noisy_count_rejects_if_and_only_if_its_p_value_is_at_most_the_level() -> None:
    for kind in ("greater", "less", "two-sided"):
        alternative: Any = kind
        test = PrivateOddsRatioTest(TULAP, 12, 10, 11, alternative=alternative)
        if test.at_least is not None:
            edge = Fraction(test.at_least.value)
            assert test.p_value(edge) <= Fraction("0.05")
            assert not test.p_value(edge - Fraction(1, 1000)) <= Fraction("0.05")
        if test.at_most is not None:
            edge = Fraction(test.at_most.value)
            assert test.p_value(edge) <= Fraction("0.05")
            assert not test.p_value(edge + Fraction(1, 1000)) <= Fraction("0.05")
        assert (test.at_least is None) == (kind == "less")
        assert (test.at_most is None) == (kind == "greater")


def test_arguments_out_of_range_are_errors_with_their_name() -> None:
    no_number: Any = 1.5
    no_kind: Any = "larger"
    with pytest.raises(RefusedError, match="determine the whole table"):
        PrivateOddsRatioTest(TULAP, 5, 5, 0)
    with pytest.raises(ValueError, match="level: 0"):
        PrivateOddsRatioTest(TULAP, 5, 5, 5, level=0)
    with pytest.raises(ValueError, match="alternative: there is no larger"):
        PrivateOddsRatioTest(TULAP, 5, 5, 5, alternative=no_kind)
    with pytest.raises(ValueError, match="first column has more records"):
        NoncentralHypergeometric(2, 2, 5)
    with pytest.raises(ValueError, match="at most 100000"):
        NoncentralHypergeometric(10**5, 1, 5)
    with pytest.raises(ValueError, match="odds_ratio: 0"):
        NoncentralHypergeometric(2, 2, 2, 0)
    with pytest.raises(ValueError, match="odds_ratio: 0"):
        PrivateOddsRatioTest(TULAP, 5, 5, 5).power(0)
    with pytest.raises(ValueError, match=r"count: 1.5 is not a whole number"):
        NoncentralHypergeometric(2, 2, 2).pmf(no_number)


def test_noise_of_another_type_is_an_error_when_the_test_is_made() -> None:
    noise: Any = 1
    message = r"noise: int is not a CanonicalNoise; write CanonicalNoise\(ApproxTradeoff\(1\)\)"
    with pytest.raises(TypeError, match=rf"\A{message}\Z"):
        PrivateOddsRatioTest(noise, 12, 10, 11)


def test_they_are_shown_as_python_writes_them() -> None:
    found = NoncentralHypergeometric(12, 10, 11, "7/2")
    assert repr(found) == "NoncentralHypergeometric(12, 10, 11, '7/2')"
    test = PrivateOddsRatioTest(TULAP, 12, 10, 11, level="0.01")
    assert repr(test) == (
        "PrivateOddsRatioTest(CanonicalNoise(ApproxTradeoff(1, 0), 'tulap'), 12, 10, 11, "
        "level='1/100', alternative='greater')"
    )
