"""Cases of which the fast suite takes a sample, and ``-m slow`` the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

import pytest

from tests.places import LENGTHY

_left_out = [False]


def leave_out_slow_cases(selection: str) -> None:
    """Build no slow case if no test marked slow is selected: conftest.py calls this first.

    pyproject.toml selects so by default. To build 25,000 cases and then deselect them takes as long
    as to run a fair part of the others.

    Args:
        selection: the expression of ``-m``.
    """
    terms = {term.strip() for term in selection.split(" and ")}
    _left_out[0] = "not slow" in terms and terms <= {"not slow", "not browser"}


def slow_cases(cases: Iterable[object]) -> list[object]:
    """Parameters of a test that ``-m slow`` alone runs; none of them in the fast suite."""
    if _left_out[0]:
        return []
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for case in cases
    ]


def sampled(cases: Iterable[object], fast: Collection[int]) -> list[object]:
    """Parameters of a test; those at other places than some are slow.

    Args:
        cases: a tuple is one value for each name.
        fast: the places, from 0, of the cases that the fast suite takes.
    """
    found: list[object] = []
    for place, case in enumerate(cases):
        if place not in fast:
            found += slow_cases([case])
        else:
            found.append(pytest.param(*(case if isinstance(case, tuple) else (case,))))
    return found


def quick(configs: Iterable[Path]) -> list[object]:
    """Paths of configs; those that take several seconds are slow.

    CI audits each of them too, in the slow tests of tests/test_configs.py.
    """
    known = list(configs)
    return sampled(known, [place for place, one in enumerate(known) if one.stem not in LENGTHY])


def repeated(fast: int, slow: int) -> pytest.MarkDecorator:
    """A test that draws its cases, ``times`` many: few in the fast suite, all with ``-m slow``."""
    return pytest.mark.parametrize("times", sampled([fast, slow], fast=(0,)))
