"""Cases of which the fast suite takes a sample, and ``-m slow`` the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

import pytest

from tests.places import LENGTHY


def sampled(cases: Iterable[object], fast: Collection[int]) -> list[object]:
    """Parameters of a test; those at other places than some are slow.

    Args:
        cases: a tuple is one value for each name.
        fast: the places, from 0, of the cases that the fast suite takes.
    """
    found: list[object] = []
    for place, case in enumerate(cases):
        values = case if isinstance(case, tuple) else (case,)
        marks = [] if place in fast else [pytest.mark.slow]
        found.append(pytest.param(*values, marks=marks))
    return found


def quick(configs: Iterable[Path]) -> list[object]:
    """Paths of configs; those that take several seconds are slow.

    tests/test_configs.py audits each of these for its published numbers, in the fast suite too.
    """
    known = list(configs)
    return sampled(known, [place for place, one in enumerate(known) if one.stem not in LENGTHY])


def repeated(fast: int, slow: int) -> pytest.MarkDecorator:
    """A test that draws its cases, ``times`` many: few in the fast suite, all with ``-m slow``."""
    return pytest.mark.parametrize("times", sampled([fast, slow], fast=(0,)))
