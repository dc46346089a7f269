"""Tradeoff functions of shuffled reports that need no line of the profile."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.privacy.tradeoff.clone_polygons import tradeoff_of_clones
from semiaudit.privacy.tradeoff.polygon import type_ii_at


def test_reports_that_say_nothing_have_the_tradeoff_function_of_equal_distributions() -> None:
    polygon = tradeoff_of_clones(7, Fraction(0), 9)
    for type_i in (Fraction(0), Fraction(1, 3), Fraction(1)):
        assert type_ii_at(polygon, type_i) == 1 - type_i
