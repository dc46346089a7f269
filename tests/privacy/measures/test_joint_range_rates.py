"""A double next to the root of a divergence, at which it is certified to exceed its bound."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.measures.joint_range_rates import _certified, _Divergence


@pytest.mark.parametrize("guess", [1.5, 1.999, 2.0, 2.001, 2.4])
@pytest.mark.parametrize("slope", [1.0, 0.9, 1.3])
def test_the_gap_is_next_to_the_root_and_above_it(guess: float, slope: float) -> None:
    """beyond(x) = x - 2: Newton's steps go towards 2, also with a slope that is not quite right."""
    divergence: Any = SimpleNamespace(
        beyond=lambda gap: gap - Interval.of(Fraction(2)), slope=lambda gap: slope
    )
    found = _certified(guess, divergence)
    assert 2 <= found < 2 + 0.02 * abs(guess - 2) + 1e-12


@pytest.mark.parametrize("power", [None, Fraction(3, 2), Fraction(4)])
@pytest.mark.parametrize("forward", [False, True])
@pytest.mark.parametrize("gap", ["1/10", "1", "3"])
def test_the_slope_is_that_of_the_divergence(
    power: Fraction | None, forward: bool, gap: str
) -> None:
    divergence = _Divergence(Fraction(1, 20), power, forward, Interval.of(Fraction(1, 8)))
    at, width = Fraction(gap), Fraction(1, 10**6)
    ends = [divergence.beyond(Interval.of(at + side * width)) for side in (-1, 1)]
    assert ends[0] is not None
    assert ends[1] is not None
    numeric = float(ends[1].low - ends[0].low) / (2 * float(width))
    assert divergence.slope(float(at)) == pytest.approx(numeric, rel=1e-6)
