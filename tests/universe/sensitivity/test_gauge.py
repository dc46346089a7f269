"""The gauge norm of the hull of vectors and their opposites, against norms in closed form."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from semiaudit.universe.sensitivity.gauge import GaugeBounds, gauge

AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
CORNERS = [(1, 1, 1), (1, 1, -1), (1, -1, 1), (1, -1, -1)]


@pytest.mark.parametrize("target", list(product([-2, 0, 1], repeat=3)))
def test_axes_have_the_l1_norm_and_the_corners_of_a_cube_the_largest_coordinate(
    target: tuple[int, int, int],
) -> None:
    total, largest = Fraction(sum(map(abs, target))), Fraction(max(map(abs, target)))
    assert gauge(AXES, target) == GaugeBounds(total, total)
    assert gauge(CORNERS, target) == GaugeBounds(largest, largest)


def test_what_lies_outside_the_span_has_no_norm_but_0_has() -> None:
    assert gauge([(1, 0, 0)], (0, 1, 0)) is None
    assert gauge([], (1,)) is None
    assert gauge([], (0,)) == GaugeBounds(Fraction(0), Fraction(0))
    half = Fraction(1, 2)
    assert gauge([(2, 0)], (1, 0)) == GaugeBounds(half, half)
