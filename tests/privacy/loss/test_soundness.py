"""No upper bound below the truth, no lower bound above it: random products against the oracle.

The quick share runs always; the campaign of 10,000 cases and more with
``python -m pytest -m slow tests/privacy/loss``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from math import inf
from typing import Any

import mpmath
import pytest

from semiaudit.errors import RefusedError
from semiaudit.model.loss import SubsampledGaussianLoss
from semiaudit.privacy.loss import Accuracy, Bracket
from semiaudit.privacy.loss.engine import (
    delta_bracket,
    epsilon_bracket,
    type_ii_bracket,
)
from semiaudit.privacy.loss.laws.folded import FewFrequencies
from tests.oracles.losses import DIGITS, Enclosure, Truth, exactly
from tests.privacy.loss.instances import HARD, Case, hard_cases, random_case
from tests.samples import sampled, slow_cases

mp: Any = mpmath.mp

NARROW = Fraction(1, 10**5)
NEGLIGIBLE = Fraction(1, 10**40)
"""Below this a delta or an error may be bracketed by 0: no relative width is asked for."""

HASTY = Accuracy(tolerance=0.1, time_limit=0.02)
"""Soundness owes nothing to patience: most of the campaign asks for little and waits for less."""

_truth = lru_cache(maxsize=2)(Truth)


def violations(case: Case, accuracy: Accuracy, *, integrated: bool = False) -> Iterator[str]:
    """What the brackets claim that is not true, in words that reproduce it.

    A refusal claims nothing. Any other error is reported like a wrong claim.
    """
    truth = _truth(case.loss)
    loss, epsilon, delta, type_i = case.loss, case.epsilon, case.delta, case.type_i
    asked: list[tuple[str, Callable[[], Bracket], Callable[[Bracket], Iterator[str]]]] = [
        (
            f"delta_bracket({loss}, {epsilon!r})",
            lambda: delta_bracket(loss, epsilon, accuracy),
            lambda found: outside(found, truth.delta(epsilon)),
        ),
        (
            f"delta_bracket({loss}, 0)",
            lambda: delta_bracket(loss, Fraction(0), accuracy),
            lambda found: outside(found, truth.advantage()),
        ),
        (
            f"epsilon_bracket({loss}, {delta!r})",
            lambda: epsilon_bracket(loss, delta, accuracy),
            lambda found: epsilon_outside(found, truth, delta),
        ),
    ]
    if not integrated:
        asked.append(
            (
                f"type_ii_bracket({loss}, {type_i!r})",
                lambda: type_ii_bracket(loss, type_i, accuracy),
                lambda found: outside(found, reported_type_ii(truth, type_i)),
            )
        )
    for question, answer, check in asked:
        try:
            found = answer()
        except RefusedError:
            continue
        except Exception as error:  # noqa: BLE001 - the campaign reports every one of them
            yield f"{question} raises {error!r}"
            continue
        with mp.workdps(DIGITS):
            told = f"{question} = [{found.lower!r}, {found.upper!r}] ({found.method})"
            yield from (f"{told}: {wrong}" for wrong in check(found))
            if found.complete and not _is_narrow(found, accuracy):
                yield f"{told}: complete, yet wide"


def _is_narrow(found: Bracket, accuracy: Accuracy) -> bool:
    if found.upper == inf or found.upper <= NEGLIGIBLE:
        return True
    upper, lower = exactly(found.upper), exactly(found.lower)
    asked = max(exactly(NARROW), 2 * exactly(accuracy.tolerance))
    return bool(upper - lower <= asked * upper)


def reported_type_ii(truth: Truth, type_i: Fraction) -> Enclosure:
    """That of the worse order; of the hull where the datasets decide which pair dominates.

    Noise on a sample of nobody (rate 0) loses nothing, so that nothing is to be decided.
    """
    pairs = [pair for pair, _ in truth.loss.parts]
    sampled = any(isinstance(pair, SubsampledGaussianLoss) and pair.rate for pair in pairs)
    return truth.symmetrised_type_ii(type_i) if sampled else truth.type_ii(type_i)


def outside(found: Bracket, truth: Enclosure) -> Iterator[str]:
    upper, lower = exactly(found.upper), exactly(found.lower)
    if not 0 <= lower <= upper <= 1:
        yield "no interval of probabilities"
    if upper < truth.low:
        yield f"the truth lies above, {_print(truth)}"
    if lower > truth.high:
        yield f"the truth lies below, {_print(truth)}"


def epsilon_outside(found: Bracket, truth: Truth, delta: Fraction) -> Iterator[str]:
    """An epsilon is held against delta at that epsilon, which needs no root.

    At the upper end delta may not exceed the asked one; just below the lower end it may not fall
    short of it.
    """
    upper, lower = exactly(found.upper), exactly(found.lower)
    if not 0 <= lower <= upper:
        yield "no interval"
    if upper < mp.inf and truth.delta(upper).low > exactly(delta):
        yield f"at the upper end delta is {_print(truth.delta(upper))}"
    if lower > 0:
        below = lower if lower == mp.inf else lower * (1 - mp.mpf("1e-25"))
        if truth.delta(below).high < exactly(delta):
            yield f"at the lower end delta is {_print(truth.delta(below))}"


def _print(truth: Enclosure) -> str:
    return f"{mpmath.nstr(truth.low, 20)} (width {mpmath.nstr(2 * truth.error, 3)})"


def campaign(seed: int, cases: int, family: str | None = None) -> list[str]:
    """All violations among that many random cases."""
    chance = random.Random(seed)
    found: list[str] = []
    for _ in range(cases):
        case = random_case(chance, family)
        found += violations(case, HASTY, integrated=family == "integrated")
    return found


@pytest.mark.parametrize("seed", sampled(range(10), fast=(0, 1)))
def test_brackets_enclose_the_truth(seed: int) -> None:
    found = campaign(seed, 10)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("seed", [3000, *slow_cases(range(3001, 3040))])
def test_brackets_by_few_frequencies_enclose_the_truth(
    seed: int, eager: list[FewFrequencies]
) -> None:
    found = campaign(seed, 5 if seed == 3000 else 50, "many")
    assert not found, "\n".join(found)
    assert eager


@pytest.mark.slow
@pytest.mark.parametrize("name", HARD)
def test_brackets_enclose_the_truth_at_the_edges(name: str) -> None:
    patient = Accuracy(time_limit=2.0)
    found = [told for case in hard_cases(name) for told in violations(case, patient)]
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
