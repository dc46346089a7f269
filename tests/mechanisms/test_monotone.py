"""Printed numbers rise with what is released, and do not depend on how it is written.

No number is known from elsewhere here: the properties themselves are the truth. A number that is
not known counts as infinite.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction

import pytest

from semiaudit.mechanisms.loss import loss_at
from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import Numbers
from semiaudit.model.measure import GDP
from semiaudit.model.mechanism import Declared, Mechanism
from semiaudit.privacy.evaluate import numbers_of
from semiaudit.privacy.loss import Accuracy
from tests.mechanisms.fakes import NoSpaces
from tests.mechanisms.random_mechanisms import (
    LOSSES,
    random_mechanism,
    with_another,
    with_another_repeat,
    written_differently,
)

TOLERANCE = 1e-6
DELTAS = tuple(Fraction(1, 10**k) for k in (2, 6, 12))
RATES = (Fraction(1, 1000), Fraction(1, 20))
UNHURRIED = Accuracy(TOLERANCE, time_limit=600.0)
FAST = 5
CAMPAIGN = 1700
"""Seeds of three properties each: one mechanism a seed."""


def numbers(mechanism: Mechanism, distance: int = 1) -> Numbers:
    measures = loss_at(mechanism, distance, "D", NoSpaces())
    return numbers_of(measures, DELTAS, RATES, UNHURRIED)


def told(found: Numbers) -> Iterator[tuple[str, float]]:
    """Every upper number that does not fit a mu."""
    yield "pure epsilon", _float(found.pure_dp)
    yield "rho", _float(found.zcdp)
    yield "advantage", _float(found.advantage)
    yield from ((f"TPR at {float(fpr)}", _float(power)) for fpr, power in found.tpr_at_fpr)
    yield from ((f"epsilon at {float(p.delta)}", _float(p.epsilon)) for p in found.tightest)


def _float(bound: Bound | None) -> float:
    return math.inf if bound is None else float(bound.value)


def falls(before: Numbers, after: Numbers) -> list[str]:
    """What is smaller after than before, by more than the tolerance."""
    found = [
        f"{name}: {first!r} falls to {second!r}"
        for (name, first), (_, second) in zip(told(before), told(after), strict=True)
        if second < first * (1 - TOLERANCE)
    ]
    return found + _mu_falls(before, after)


def _mu_falls(before: Numbers, after: Numbers) -> list[str]:
    """A fitted mu hides a distance of at most its regret from the curve, on each axis."""
    if before.gdp is None or after.gdp is None or before.gdp_regret is None:
        return []
    first, second = (math.erf(_float(n.gdp) / math.sqrt(8)) for n in (before, after))
    if first - second <= 2 * _float(before.gdp_regret) + TOLERANCE * first:
        return []
    return [f"mu: {_float(before.gdp)!r} falls to {_float(after.gdp)!r}"]


def with_seeds(first: int) -> pytest.MarkDecorator:
    """Some seeds of the fast suite, and those of the campaign."""
    later = range(1000 * first, 1000 * first + CAMPAIGN)
    slow = (pytest.param(seed, marks=pytest.mark.slow) for seed in later)
    return pytest.mark.parametrize("seed", [*range(first, first + FAST), *slow])


@with_seeds(100)
def test_adding_a_mechanism_or_a_repeat_lowers_no_number(seed: int) -> None:
    chance = random.Random(seed)
    mechanism = random_mechanism(chance, LOSSES)
    part = LOSSES[chance.choice(sorted(LOSSES))](chance)
    before = numbers(mechanism)
    for more in (
        with_another_repeat(chance, mechanism),
        with_another(chance, mechanism, part),
        with_another(chance, mechanism, Declared(GDP(Fraction(1, 10**12)))),
    ):
        assert not falls(before, numbers(more)), (mechanism, more)
    epsilons = [_float(point.epsilon) for point in before.tightest]
    assert epsilons == sorted(epsilons)


@with_seeds(4000)
def test_a_longer_distance_lowers_no_number(seed: int) -> None:
    chance = random.Random(seed)
    mechanism = random_mechanism(chance, LOSSES, most=300)
    distance = chance.choice((1, 1, 2, 3, 7))
    before, after = numbers(mechanism, distance), numbers(mechanism, distance + 1)
    assert not falls(before, after), (mechanism, distance)


@with_seeds(7000)
def test_equal_mechanisms_have_equal_numbers(seed: int) -> None:
    chance = random.Random(seed)
    mechanism = random_mechanism(chance, LOSSES)
    other = written_differently(chance, mechanism)
    first, second = numbers(mechanism), numbers(other)
    assert not falls(first, second), (mechanism, other)
    assert not falls(second, first), (mechanism, other)
