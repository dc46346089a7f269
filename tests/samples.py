"""Cases of which the suite takes a sample; ``-m lengthy`` and ``-m slow`` take the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

import pytest

from tests.places import LENGTHY

MARKS = ("slow", "lengthy", "browser")
"""The marks of tests that the suite leaves out; pyproject.toml says what each is for."""

_left_out: set[str] = set()


def leave_out_cases(selection: str) -> None:
    """Build no case that is slow, or lengthy, if none is selected: conftest.py calls this first.

    pyproject.toml selects so by default. To build 25,000 cases and then deselect them takes as long
    as to run a fair part of the others.

    Args:
        selection: the expression of ``-m``.
    """
    terms = {term.strip() for term in selection.split(" and ")}
    _left_out.clear()
    if terms <= {*MARKS, *(f"not {mark}" for mark in MARKS)}:
        _left_out.update(mark for mark in MARKS if f"not {mark}" in terms)


def slow_cases(cases: Iterable[object]) -> list[object]:
    """Parameters of a test that only ``-m slow`` runs."""
    return _marked(cases, pytest.mark.slow)


def lengthy_cases(cases: Iterable[object]) -> list[object]:
    """Parameters of a test that only ``-m lengthy`` runs."""
    return _marked(cases, pytest.mark.lengthy)


def _marked(cases: Iterable[object], mark: pytest.MarkDecorator) -> list[object]:
    if mark.name in _left_out:
        return []
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=mark) for case in cases
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

    CI audits each of them too, in the lengthy tests of tests/test_configs.py.
    """
    known = list(configs)
    return sampled(known, [place for place, one in enumerate(known) if one.stem not in LENGTHY])


def repeated(fast: int, slow: int) -> pytest.MarkDecorator:
    """A test that draws its cases, ``times`` many: few in the fast suite, all with ``-m slow``."""
    return pytest.mark.parametrize("times", sampled([fast, slow], fast=(0,)))
