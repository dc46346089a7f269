"""Tradeoff functions of shuffled reports that need no line of the profile."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from semiaudit.privacy.tradeoff.clone_polygons import tradeoff_of_clones
from semiaudit.privacy.tradeoff.polygon import type_ii_at


def test_reports_that_say_nothing_have_the_tradeoff_function_of_equal_distributions() -> None:
    polygon = tradeoff_of_clones(7, Fraction(0), 9)
    for type_i in (Fraction(0), Fraction(1, 3), Fraction(1)):
        assert type_ii_at(polygon, type_i) == 1 - type_i


@pytest.mark.parametrize("epsilon0", [Fraction(171), Fraction(10**400)])
def test_one_report_that_says_nearly_everything_leaves_hardly_any_type_ii_error(
    epsilon0: Fraction,
) -> None:
    """It is e^-epsilon0 (1 - type I) past the corner, also if epsilon0 itself is no double."""
    polygon = tradeoff_of_clones(1, epsilon0, 9)
    for type_i in (Fraction(1, 1000), Fraction(1, 3), Fraction(1)):
        assert 0 <= type_ii_at(polygon, type_i) <= math.exp(-171) * (1 - type_i)
