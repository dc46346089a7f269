"""The best of several tests at one type I error."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from semiaudit.privacy.loss.curve.ends import _achieved


def test_the_least_error_and_the_largest_power_of_several_tests_are_achieved() -> None:
    tests: list[Any] = [
        SimpleNamespace(type_ii=lambda _, ends=ends: ends, first=())
        for ends in ((0.5, 0.0, 0.4), (0.25, 0.0, 0.1), (0.75, 0.0, 0.7))
    ]
    upper, power = _achieved(tests, 0.1, 0.0)
    assert upper == 0.25
    assert 0.75 - 1e-15 <= power <= 0.75
