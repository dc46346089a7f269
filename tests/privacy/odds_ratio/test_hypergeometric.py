"""Fisher's noncentral hypergeometric law against its definition, and against scipy."""

from __future__ import annotations

from fractions import Fraction

import pytest

from semiaudit.model.results.odds_ratio import Margins
from semiaudit.privacy.odds_ratio.hypergeometric import law_of
from tests.oracles import odds_ratio as oracle

THETAS = [
    (Fraction(3, 10), Fraction(3, 5)),
    (Fraction(1, 2), Fraction(1, 9)),
    (Fraction(1, 2),) * 2,
]


@pytest.mark.parametrize(("theta1", "theta2"), THETAS)
@pytest.mark.parametrize(("rows", "column"), [((12, 10), 11), ((12, 10), 4), ((3, 9), 8)])
def test_it_is_the_law_of_x21_given_the_first_column(
    rows: tuple[int, int], column: int, theta1: Fraction, theta2: Fraction
) -> None:
    exact = oracle.conditional_law(rows, column, theta1, theta2)
    found = law_of(Margins(*rows, column), oracle.odds(theta1, theta2))
    assert found.first == min(exact)
    assert found.below == found.above == 0
    for x, chance in found.counts():
        assert Fraction(chance.low) <= exact[x] <= Fraction(chance.high)
        assert Fraction(chance.high - chance.low) < Fraction(1, 10**50)
    assert len(found.chances) == len(exact)


def test_x11_has_the_law_with_the_inverse_odds_ratio() -> None:
    rows, column, w = (12, 10), 4, Fraction(7, 2)
    x21 = {x: float(chance.low) for x, chance in law_of(Margins(*rows, column), w).counts()}
    x11 = {x: float(chance.low) for x, chance in law_of(Margins(10, 12, column), 1 / w).counts()}
    wrong = {x: float(chance.low) for x, chance in law_of(Margins(10, 12, column), w).counts()}
    assert [x11[column - x] for x in x21] == pytest.approx([*x21.values()], abs=1e-15)
    assert max(abs(wrong[column - x] - x21[x]) for x in x21) > 0.3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("margins", "odds"),
    [
        (Margins(400, 700, 300), 2.0),
        (Margins(400, 700, 900), 0.25),
        (Margins(2000, 2000, 1500), 1.0),
        (Margins(50, 60, 55), 1000.0),
    ],
)
def test_large_tables_and_odds_as_scipy_has_them(margins: Margins, odds: float) -> None:
    from scipy.stats import nchypergeom_fisher  # here, as it takes longer than all other tests

    found = law_of(margins, Fraction(odds))
    total = sum((Fraction(chance.high) for chance in found.chances), Fraction(0))
    assert abs(total - 1) < Fraction(1, 10**28)
    theirs = nchypergeom_fisher(margins.size, margins.second_row, margins.first_column, odds)
    listed = list(found.counts())
    for x, chance in listed[:: max(len(listed) // 40, 1)]:
        expected = float(theirs.pmf(x))
        assert float(chance.low) == pytest.approx(expected, rel=1e-8, abs=1e-18)


def test_what_is_not_listed_is_bounded() -> None:
    found = law_of(Margins(400, 400, 300), Fraction(1))
    last = found.first + len(found.chances)
    exact = oracle.law((400, 400), 300, Fraction(1))
    above = sum((mass for x, mass in exact.items() if x >= last), Fraction(0))
    below = sum((mass for x, mass in exact.items() if x < found.first), Fraction(0))
    assert 0 < above <= Fraction(found.above) < 10 * above
    assert 0 < below <= Fraction(found.below) < 10 * below
