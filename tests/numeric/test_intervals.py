"""Enclosures of exact numbers and of transcendental functions."""

from __future__ import annotations

import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction

import mpmath
import pytest
from hypothesis import strategies as st

from semiaudit.numeric.intervals import Interval, nonnegative_ends
from tests.enclosing import encloses

RATIONALS = st.fractions(min_value=-(10**30), max_value=10**30, max_denominator=10**30)


def test_intervals_enclose_every_operation_on_extreme_operands() -> None:
    chance = random.Random(1)
    with mpmath.workdps(120):
        for _ in range(2000):
            x, y = (
                Fraction(chance.choice([-1, 1]) * chance.randint(1, 10**25))
                * Fraction(10) ** chance.randint(-60, 30)
                for _ in range(2)
            )
            a, b = Interval.of(x), Interval.of(y)
            for found, truth in ((a + b, x + y), (a - b, x - y), (a * b, x * y), (a / b, x / y)):
                assert Fraction(found.low) <= truth <= Fraction(found.high)
            root = Interval.of(abs(x)).sqrt()
            assert Fraction(root.low) ** 2 <= abs(x) <= Fraction(root.high) ** 2
            small = Interval.of(x / 10**40)
            for found, exact in (
                (small.exp(), mpmath.exp(mpmath.mpf(x.numerator) / x.denominator / 10**40)),
                (
                    Interval.of(abs(x)).ln(),
                    mpmath.log(mpmath.mpf(abs(x.numerator)) / x.denominator),
                ),
            ):
                low, high = mpmath.mpf(str(found.low)), mpmath.mpf(str(found.high))
                assert low <= exact <= high


def test_ends_beyond_the_doubles_become_short_rationals_on_their_side() -> None:
    """The exact rational of 1e-1000000000000059 would have as many digits."""
    tiny = Decimal("1e-1000000000000059")
    assert nonnegative_ends(Interval(-tiny, tiny)) == (Fraction(0), Fraction(math.nextafter(0, 1)))
    low, high = nonnegative_ends(Interval(tiny, Decimal("1e-310")))
    assert low == 0
    assert Fraction("1e-310") <= high <= Fraction("1e-310") * (1 + Fraction(1, 10**10))
    third = Interval.of(Fraction(1, 3))
    assert nonnegative_ends(third) == (Fraction(third.low), Fraction(third.high))


def test_the_sign_of_an_interval_survives_negation_without_rounding() -> None:
    long = Fraction(10**59 + 1, 10**59)
    interval = Interval.of(long)
    negated = -interval
    assert -negated == interval
    assert Fraction(negated.low) == -Fraction(interval.high)


def test_intervals_enclose_what_their_points_give() -> None:
    """Of every sign, wide and as narrow as a rounding, the ends included."""
    chance = random.Random(2)
    with mpmath.workdps(120):
        for _ in range(2000):
            (a, first), (b, second) = (random_interval(chance) for _ in range(2))
            for x in first:
                for y in second:
                    assert encloses(a + b, x + y)
                    encloses(a - b, x - y)
                    assert encloses(a * b, x * y)
                    if not b.low <= 0 <= b.high:
                        assert encloses(a / b, x / y)
            small = Interval(a.low.scaleb(-20), a.high.scaleb(-20))
            for x in map(Fraction, (small.low, small.high)):
                assert encloses(small.exp(), mpmath.exp(mpmath.mpf(x.numerator) / x.denominator))
            if a.low > 0:
                for x in first:
                    assert encloses(a.ln(), mpmath.log(mpmath.mpf(x.numerator) / x.denominator))


def test_a_narrow_interval_keeps_a_narrow_exponential_and_logarithm() -> None:
    """Where the upper end follows from the lower one it is as close as it was."""
    for low in ("1e-30", "0.7", "1", "20.8", "600"):
        width = Decimal(low) * Decimal("1e-55")
        interval = Interval(Decimal(low), Decimal(low) + width)
        for found in (interval.exp(), interval.ln()):
            assert found.high - found.low <= abs(found.high) * Decimal("1e-51")
    assert Interval(Decimal(0), Decimal(1)).ln().low == Decimal("-Infinity")


def test_the_logarithm_of_1_is_0_exactly() -> None:
    """The decimals next to 0 have more digits than any memory holds as a rational."""
    assert Interval.of(1).ln() == Interval.of(0)
    above = Interval(Decimal(1), Decimal("1.5")).ln()
    assert above.low == 0
    assert above.high > Decimal("0.405465")
    below = Interval(Decimal("0.5"), Decimal(1)).ln()
    assert below.low < Decimal("-0.693147")
    assert below.high == 0


@pytest.mark.parametrize("exponent", [-400, -(10**9), -(10**15)])
def test_bounds_next_to_0_become_short_rationals_on_their_own_side(exponent: int) -> None:
    """Exact rationals of these decimals have up to 10^15 digits: no conversion ends."""
    tiny = Decimal(f"1e{exponent}")
    for low, high in ((tiny, tiny), (-tiny, tiny), (-tiny, -tiny)):
        found = Interval(low, high)
        assert found.lower_rational <= found.upper_rational
        # Compared as decimals, which takes no time: doubles are exact decimals.
        assert Decimal(float(found.lower_rational)) <= low
        assert Decimal(float(found.upper_rational)) >= high
        assert found.upper_rational - found.lower_rational < Fraction(1, 10**299)


def test_an_exponential_that_underflows_lies_between_0_and_a_short_rational() -> None:
    found = Interval.of(-(10**17)).exp()
    assert found.low >= 0
    assert 0 <= found.lower_rational < found.upper_rational < Fraction(1, 10**300)


def test_bounds_of_ordinary_size_become_rationals_exactly() -> None:
    found = Interval.of(Fraction(1, 3))
    assert found.lower_rational == Fraction(int("3" * 60), 10**60)
    assert found.upper_rational == Fraction(int("3" * 59 + "4"), 10**60)


def random_interval(chance: random.Random) -> tuple[Interval, list[Fraction]]:
    """An interval and points of it."""
    low = Decimal(chance.choice([-1, 0, 1]) * chance.randint(1, 10**25)).scaleb(
        chance.randint(-30, 0)
    )
    width = Decimal(chance.randint(0, 10**6)).scaleb(chance.randint(-75, 3))
    with localcontext(prec=200):
        high = low + width
    ends = Fraction(low), Fraction(high)
    found = Interval(Interval.of(low).low, Interval.of(high).high)
    return found, [*ends, (ends[0] + ends[1]) / 2]
