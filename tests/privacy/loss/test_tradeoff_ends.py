"""Where a curve with one peak has it, and the chord below two curves."""

from __future__ import annotations

import math

import numpy as np
import pytest

from semiaudit.privacy.loss.tradeoff_ends import _around_the_largest, chord_of_tests


@pytest.mark.parametrize("peak", [0.5, 3.0, 5.0, 9.5, 40.0])
@pytest.mark.parametrize("centre", [0.0, 4.0, 5.0, 12.0])
def test_the_interval_around_a_peak_holds_it(peak: float, centre: float) -> None:
    low, high = _around_the_largest(lambda x: (-1.0, -((x - peak) ** 2)), centre, 1.0, 1)
    assert 0 <= low <= peak <= high


@pytest.mark.parametrize("seed", range(20))
def test_the_chord_of_a_slope_is_the_lowest_of_all_pairs_of_tests(seed: int) -> None:
    """Each slope is that of the convex hull at the type I error, above 1 or below."""
    chance = np.random.default_rng(seed)
    errors = [(chance.random(6), chance.random(6)) for _ in range(2)]
    tests = [(0.0, 1.0), (1.0, 0.0)]
    for x, y in errors:
        tests += [*zip(x, y, strict=True), *zip(y, x, strict=True)]
    for type_i in (0.001, 0.02, 0.1, 0.3, 0.6, 0.95):
        lowest, slope = min(
            (y1 + (y2 - y1) * (type_i - x1) / (x2 - x1), (y1 - y2) / (x2 - x1))
            for x1, y1 in tests
            for x2, y2 in tests
            if x1 <= type_i < x2
        )
        found = chord_of_tests(errors, type_i, abs(math.log(slope)))
        assert lowest <= found <= lowest + 1e-12
