"""rho of pairs whose likelihood ratios or masses are extreme, against sixty digits."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.model.loss import FiniteLoss
from semiaudit.privacy.measures.normalised_renyi import rho_bracket
from tests.clocks import Ticks

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
