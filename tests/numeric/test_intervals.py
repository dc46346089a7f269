"""Enclosures of exact numbers and of transcendental functions."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction

import mpmath
import pytest
from hypothesis import strategies as st

from semiaudit.numeric import intervals
from semiaudit.numeric.intervals import Interval, exp_nearest, ln_nearest, nonnegative_ends
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


def narrow(low: str, width: str) -> Interval:
    """An interval with a width that is relative to its lower end."""
    with localcontext(prec=120):
        return Interval(Decimal(low), Decimal(low) * (1 + Decimal(width)))


def test_a_narrow_interval_keeps_a_narrow_exponential_and_logarithm() -> None:
    """Where the upper end follows from the lower one it is as close as it was."""
    for low in ("1e-30", "0.7", "1", "20.8", "600"):
        interval = narrow(low, "1e-55")
        assert interval.low < interval.high
        for found in (interval.exp(), interval.ln()):
            width = Fraction(found.high) - Fraction(found.low)
            assert width <= max(abs(Fraction(found.high)), Fraction(1)) / 10**51
    assert Interval(Decimal(0), Decimal(1)).ln().low == Decimal("-Infinity")


def test_the_logarithm_of_a_narrow_interval_contains_those_of_its_ends() -> None:
    with mpmath.workdps(120):
        for low in ("1e-30", "0.7", "1", "20.8", "600"):
            interval = narrow(low, "1e-46")
            for end in map(Fraction, (interval.low, interval.high)):
                truth = mpmath.log(mpmath.mpf(end.numerator) / end.denominator)
                assert encloses(interval.ln(), truth, slack="1e-100")


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


@pytest.mark.parametrize(
    ("function", "slow"), [(exp_nearest, Context.exp), (ln_nearest, Context.ln)]
)
def test_exponentials_and_logarithms_are_those_of_decimal_to_the_last_digit(
    function: Callable[[Decimal], Decimal], slow: Callable[[Context, Decimal], Decimal]
) -> None:
    rng = random.Random(35)
    context = Context(prec=60, rounding=ROUND_HALF_EVEN, Emax=10**15, Emin=-(10**15))
    values = [Decimal(text) for text in ("1", "1.000001", "0.999999", "700", "701", "1e290", "1e9")]
    values += [Decimal(10) ** rng.randint(-300, 3) for _ in range(50)]
    for _ in range(2000):
        digits = Decimal(rng.randrange(1, 10 ** rng.choice((1, 3, 17, 60))))
        values.append(digits.scaleb(rng.randint(-20, 3) - digits.adjusted()))
    for value in values:
        near = value if value < 10**4 else Decimal(1) / value
        for argument in (near, -near) if slow is Context.exp else (value, 1 + near / 10**5):
            rounded = context.plus(argument)
            assert str(function(rounded)) == str(slow(context, rounded))


def test_a_digit_that_an_error_leaves_open_is_not_decided() -> None:
    half_of_the_last_digit = Fraction(1) + Fraction(1, 2 * 10**59)
    for units, decided in ((-(2**30), True), (0, False), (2**30, True)):
        size = int(half_of_the_last_digit * 2**256) + units
        found = intervals._rounded(size, 256, 0)
        assert (found is not None) == decided
        if found is not None:
            assert found == (Decimal(1) if units < 0 else Decimal("1." + "0" * 58 + "1"))
