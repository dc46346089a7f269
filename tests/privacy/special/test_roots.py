"""Places in floats: minima that are known, and functions that have none inside."""

from __future__ import annotations

import math

import pytest

from semiaudit.privacy.special.roots import rising_root, valley


@pytest.mark.parametrize("steps", [8, 16, 48])
@pytest.mark.parametrize("place", [-3.99, -1.0, 0.0, 0.37, 5.5])
def test_a_valley_is_found_wherever_it_lies_between_the_ends(place: float, steps: int) -> None:
    assert valley(lambda x: (x - place) ** 2, -4, 6, steps) == pytest.approx(place, abs=3e-6)
    assert valley(lambda x: math.cosh(x - place), -4, 6, steps) == pytest.approx(place, abs=3e-6)
    assert valley(lambda x: abs(x - place), -4, 6, steps) == pytest.approx(place, abs=3e-6)


def test_a_valley_at_an_end_and_one_beside_infinity_are_found() -> None:
    assert valley(lambda x: x, 1, 9) == pytest.approx(1, abs=1e-5)
    assert valley(lambda x: -x, 1, 9) == pytest.approx(9, abs=1e-5)
    steep = valley(lambda x: math.inf if x < 2 else x, 1, 9)
    assert 2 <= steep < 2.2


def test_the_point_that_is_returned_was_looked_at() -> None:
    seen: list[float] = []

    def noted(x: float) -> float:
        seen.append(x)
        return (x - 1) ** 4

    assert valley(noted, -2, 3) in seen
    assert len(seen) < 49 + 60


@pytest.mark.parametrize("place", [1e-30, 1e-4, 0.3, 7.0])
def test_a_root_is_found_and_one_beyond_the_limit_is_not(place: float) -> None:
    assert rising_root(lambda x: x - place, 700) == pytest.approx(place, rel=1e-13)
    assert rising_root(lambda x: x**3 - place**3, 700) == pytest.approx(place, rel=1e-7)
    assert rising_root(lambda x: math.expm1(x) - math.expm1(place), 700) == pytest.approx(place)
    assert rising_root(lambda x: -1.0, 700) > 700
