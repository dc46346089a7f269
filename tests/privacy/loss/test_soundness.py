"""No upper bound below the truth, no lower bound above it: random products against the oracle.

The quick share runs always; the campaign of 10,000 cases and more with
``python -m pytest -m slow tests/privacy/loss``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath
import pytest

from semiaudit.privacy.loss import (
    Accuracy,
    advantage_bracket,
    delta_bracket,
    epsilon_bracket,
    type_ii_bracket,
)
from tests.oracles.losses import DIGITS, Enclosure, Truth, exactly
from tests.privacy.loss.instances import HARD, Case, hard_cases, random_case

mp: Any = mpmath.mp

NARROW = Fraction(1, 10**5)
NEGLIGIBLE = Fraction(1, 10**40)
"""Below this a delta or an error may be bracketed by 0: no relative width is asked for."""


_truth = lru_cache(maxsize=2)(Truth)


def number(end: Fraction | float) -> Any:
    """An end of a bracket, exactly."""
    return exactly(end)


def violations(case: Case, accuracy: Accuracy, *, integrated: bool = False) -> Iterator[str]:
    """What the brackets claim that is not true, in words that reproduce it.

    An epsilon is held against delta at that epsilon, which needs no root: delta(upper) may not
    exceed the asked delta, and just below the lower end delta may not fall short of it.
    """
    truth = _truth(case.loss)
    with mp.workdps(DIGITS):
        found = delta_bracket(case.loss, case.epsilon, accuracy)
        yield from _outside(
            f"delta_bracket({case.loss}, {case.epsilon!r})", found, truth.delta(case.epsilon)
        )
        found = advantage_bracket(case.loss, accuracy)
        yield from _outside(f"advantage_bracket({case.loss})", found, truth.advantage())
        if not integrated:
            found = type_ii_bracket(case.loss, case.type_i, accuracy)
            yield from _outside(
                f"type_ii_bracket({case.loss}, {case.type_i!r})", found, truth.type_ii(case.type_i)
            )
        found = epsilon_bracket(case.loss, case.delta, accuracy)
        upper, lower = number(found.upper), number(found.lower)
        told = f"epsilon_bracket({case.loss}, {case.delta!r}) = [{found.lower}, {found.upper}]"
        if upper < lower or lower < 0:
            yield f"{told} is no interval"
        if upper < mp.inf and truth.delta(upper).low > exactly(case.delta):
            yield f"{told}: at the upper end delta is {_print(truth.delta(upper))}"
        if lower > 0:
            below = lower if lower == mp.inf else lower * (1 - mp.mpf("1e-25"))
            if truth.delta(below).high < exactly(case.delta):
                yield f"{told}: at the lower end delta is {_print(truth.delta(below))}"
        if found.complete and upper < mp.inf and upper - lower > number(NARROW) * max(upper, 1):
            yield f"{told} is complete and wide ({found.method})"


def _outside(asked: str, found: Any, truth: Enclosure) -> Iterator[str]:
    told = f"{asked} = [{found.lower}, {found.upper}] ({found.method})"
    upper, lower = number(found.upper), number(found.lower)
    if not 0 <= lower <= upper <= 1:
        yield f"{told} is no interval of probabilities"
    if upper < truth.low:
        yield f"{told}: the truth is {_print(truth)}, above"
    if lower > truth.high:
        yield f"{told}: the truth is {_print(truth)}, below"
    if found.complete and upper - lower > number(NARROW) * upper and upper > number(NEGLIGIBLE):
        yield f"{told} is complete and wide"


def _print(truth: Enclosure) -> str:
    return f"{mpmath.nstr(truth.low, 20)} (width {mpmath.nstr(2 * truth.error, 3)})"


def campaign(seed: int, cases: int, family: str | None = None) -> list[str]:
    """All violations among that many random cases."""
    chance = random.Random(seed)
    accuracy = Accuracy(time_limit=5.0)
    found = []
    for _ in range(cases):
        case = random_case(chance, family)
        found += violations(case, accuracy, integrated=family == "integrated")
    return found


@pytest.mark.parametrize("name", HARD)
def test_brackets_enclose_the_truth_at_the_edges(name: str) -> None:
    found = [told for case in hard_cases(name) for told in violations(case, Accuracy())]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("seed", range(10))
def test_brackets_enclose_the_truth(seed: int) -> None:
    found = campaign(seed, 30)
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1100))
def test_brackets_enclose_the_truth_over_a_campaign(seed: int) -> None:
    found = campaign(seed, 100)
    assert not found, "\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2000, 2020))
def test_brackets_of_two_continuous_kinds_enclose_what_quadrature_gives(seed: int) -> None:
    found = campaign(seed, 5, "integrated")
    assert not found, "\n".join(found)
