"""The normal distribution function and its inverse against mpmath, at every size of a tail."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from itertools import count

import mpmath
import pytest

from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.special import normal
from semiaudit.privacy.special.normal import quantile_above
from tests.enclosing import encloses
from tests.oracles.curves import mp, quantile, real, upper_tail
from tests.privacy.instances import exactly, random_delta
from tests.samples import repeated, sampled


@pytest.mark.parametrize(
    ("seed", "times"), sampled([(1, 40), (1, 120), *((1_000 + k, 120) for k in range(3))], (0,))
)
def test_upper_tail_encloses_the_normal_tail_from_minus_40_to_40(seed: int, times: int) -> None:
    chance = random.Random(seed)
    for _ in range(times):
        x = Fraction(chance.randint(-400_000, 400_000), 10_000)
        with mpmath.workdps(800):
            truth = mpmath.erfc(exactly(x) / mpmath.sqrt(2)) / 2
        found = normal.upper_tail(Interval.of(x))
        assert encloses(found, truth), x
        if x > -5:
            assert (found.high - found.low) / found.high < 1e-30


def test_upper_tail_of_an_interval_encloses_the_tails_of_both_ends() -> None:
    """As narrow as a rounding, where one end follows from the other, and wider."""
    chance = random.Random(3)
    for _ in range(200):
        x = Fraction(chance.randint(-400_000, 400_000), 30_000)
        width = Fraction(chance.randint(1, 999)) / 10 ** chance.randint(20, 60)
        ends = Interval.hull(Interval.of(x), Interval.of(x + width))
        found = normal.upper_tail(ends)
        with mpmath.workdps(200):
            at = [mpmath.erfc(exactly(end) / mpmath.sqrt(2)) / 2 for end in (x + width, x)]
            low, high = (mpmath.mpf(str(end)) for end in (found.low, found.high))
            assert low <= at[0] <= at[1] <= high
            assert high - low <= 2 * (at[1] - at[0] + high * (exactly(width) * 20 + 1e-30))


@repeated(20, 60)
def test_upper_quantile_encloses_the_inverse(times: int) -> None:
    chance = random.Random(2)
    for _ in range(times):
        tail = random_delta(chance, 250)
        found = normal.upper_quantile(tail)
        with mpmath.workdps(350):
            at = [mpmath.erfc(mpmath.mpf(str(z)) / mpmath.sqrt(2)) / 2 for z in
                  (found.low, found.high)]  # fmt: skip
            assert at[1] <= exactly(tail) <= at[0]
        assert float(found.high - found.low) < 1e-30 * max(1.0, abs(float(found.high)))


@pytest.mark.parametrize("tail", ["1e-320", "1e-290", "1e-15", "0.3", "0.49999", "0.499999999999"])
def test_a_quantile_in_doubles_is_above_the_true_one_and_close(tail: str) -> None:
    mass = Fraction(tail)
    above, mirrored = real(quantile_above(mass)), -real(quantile_above(1 - mass))
    assert upper_tail(above) <= real(mass) <= upper_tail(mirrored)
    if mass > Fraction(1, 10**300):
        wide = mp.mpf("1e-9")
        assert upper_tail(above * (1 - wide)) > real(mass) > upper_tail(mirrored * (1 + wide))


def test_the_quantile_of_one_half_is_next_to_0() -> None:
    assert 0 <= quantile_above(Fraction(1, 2)) <= Fraction(1, 10**290)


@pytest.mark.parametrize("tail", ["1/1000", "2/5", "3/5"])
@pytest.mark.parametrize("wrong", ["1", "0.999", "1.001"])
def test_a_poor_estimate_of_a_quantile_makes_the_enclosure_wider_and_not_wrong(
    tail: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tails of Newton's two steps are wrong, so that it ends on either side of the point."""
    plain, calls = normal.upper_tail, count()

    def poor(x: Interval) -> Interval:
        return plain(x) * Interval.of(Fraction(wrong)) if next(calls) < 2 else plain(x)

    monkeypatch.setattr(normal, "upper_tail", poor)
    found = normal.upper_quantile(Fraction(tail))
    assert encloses(found, quantile(1 - real(Fraction(tail))))
    assert found.high - found.low < Decimal("1e-25" if wrong == "1" else "0.02")
