"""Places in floats: minima that are known, and functions that have none inside."""

from __future__ import annotations

import math

import pytest

from semiaudit.privacy.special.roots import rising_root, valley, valley_near


@pytest.mark.parametrize("steps", [8, 16, 48])
@pytest.mark.parametrize("place", [-3.99, -1.0, 0.0, 0.37, 5.5])
def test_a_valley_is_found_wherever_it_lies_between_the_ends(place: float, steps: int) -> None:
    assert valley(lambda x: (x - place) ** 2, -4, 6, steps) == pytest.approx(place, abs=3e-6)
    assert valley(lambda x: math.cosh(x - place), -4, 6, steps) == pytest.approx(place, abs=3e-6)
    assert valley(lambda x: abs(x - place), -4, 6, steps) == pytest.approx(place, abs=3e-6)


@pytest.mark.parametrize("guess", [-3.9, 0.3, 5.0])
@pytest.mark.parametrize("place", [-3.99, -1.0, 0.37, 5.5])
def test_a_valley_is_found_from_any_guess(place: float, guess: float) -> None:
    square = valley_near(lambda x: (x - place) ** 2, guess, 0.5, -4, 6, 16)
    corner = valley_near(lambda x: abs(x - place), guess, 0.5, -4, 6, 16)
    assert (square, corner) == pytest.approx((place, place), abs=3e-6)
    level = valley_near(lambda x: math.cosh(x - place), guess, 0.5, -4, 6, 16)
    # Next to its minimum a cosh differs from 1 by no more than rounding.
    assert math.cosh(level - place) - 1 <= 1e-11


def test_a_valley_is_looked_for_between_the_ends_alone() -> None:
    assert valley_near(lambda x: x, 5, 1, 1, 9) == pytest.approx(1, abs=1e-5)
    assert valley_near(lambda x: -x, 5, 1, 1, 9) == pytest.approx(9, abs=1e-5)
    assert 1 <= valley_near(lambda x: 3.0, 5, 1, 1, 9) <= 9


def test_a_good_guess_takes_few_evaluations() -> None:
    seen: list[float] = []

    def noted(x: float) -> float:
        seen.append(x)
        return math.cosh(x - 1.1)

    assert valley_near(noted, 1.0, 0.5, -60, 60, 16) == pytest.approx(1.1, abs=1e-4)
    assert len(seen) <= 12


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


def test_two_points_of_one_value_do_not_end_a_search_midway_between_them() -> None:
    # e^y - y, with y from the minimum, is the same at y = ln(1 / (1 - 1/e)) and at y - 1: the
    # points that the search meets from here. Midway between them it is not least.
    place = 2.0
    guess = place + math.log(1 / (1 - math.exp(-1))) + 0.5
    found = valley_near(lambda x: math.exp(x - place) - (x - place), guess, 0.5, -8, 9, 16)
    assert found == pytest.approx(place, abs=1e-4)
