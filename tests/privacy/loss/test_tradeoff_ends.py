"""Where a curve with one peak has it."""

from __future__ import annotations

import pytest

from semiaudit.privacy.loss.tradeoff_ends import _around_the_largest


@pytest.mark.parametrize("peak", [0.5, 3.0, 5.0, 9.5, 40.0])
@pytest.mark.parametrize("centre", [0.0, 4.0, 5.0, 12.0])
def test_the_interval_around_a_peak_holds_it(peak: float, centre: float) -> None:
    low, high = _around_the_largest(lambda x: (-1.0, -((x - peak) ** 2)), centre, 1.0, 1)
    assert 0 <= low <= peak <= high
