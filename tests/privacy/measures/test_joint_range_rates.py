"""A double next to the root of a divergence, at which it is certified to exceed its bound."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.measures.joint_range_rates import _certified


@pytest.mark.parametrize("guess", [1.5, 1.999, 2.0, 2.001, 2.4])
@pytest.mark.parametrize("slope", [1.0, 0.9, 1.3])
def test_the_gap_is_next_to_the_root_and_above_it(guess: float, slope: float) -> None:
    """beyond(x) = x - 2: Newton's steps go towards 2, also with a slope that is not quite right."""
    divergence: Any = SimpleNamespace(
        beyond=lambda gap: gap - Interval.of(Fraction(2)), slope=lambda gap: slope
    )
    found = _certified(guess, divergence)
    assert 2 <= found < 2 + 0.02 * abs(guess - 2) + 1e-12
