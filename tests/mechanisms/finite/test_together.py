"""Compositions of finite mechanisms against exact convolution, over all ordered pairs."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from semiaudit import Spec
from semiaudit.mechanisms.mechanism_loss import loss_at
from semiaudit.model.measure import Measure
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.epsilons import pure_epsilon, rho_of
from semiaudit.privacy.evaluate import (
    advantage_of,
    delta_at,
    epsilon_at,
    type_ii_at,
)
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.oracles import finite_compositions as oracle
from tests.samples import sampled

CHUNKS, SIZE = 500, 10
DELTAS = [Fraction(1, 10**6), Fraction(1, 10)]
EPSILONS = [Fraction(1, 2), Fraction(2)]
RATES = [Fraction(1, 20), Fraction(2, 5)]
NEAR = 1e-9
TOLERANCE = 3e-6
"""A little more than the relative width of a composed number."""

Numbers = dict[str, float]


def spec_of(found: oracle.Composition, *others: dict[str, Any]) -> Spec:
    parts = [
        {"finite": {"probabilities": [list(law) for law in laws]}, "repeat": times}
        for laws, times in found.parts
    ]
    mapping: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"datasets": [[place] for place in range(found.datasets)]},
        "mechanism": {"compose": [*parts, *others]},
    }
    return Spec.from_mapping(mapping)


def measures_of(found: oracle.Composition, *others: dict[str, Any]) -> tuple[Measure, ...]:
    release = spec_of(found, *others)._release
    return loss_at(release.mechanism, 1, "D", SensitivitySpaces(release), steps=True).measures


def numbers_of(measures: tuple[Measure, ...]) -> Numbers:
    """All that is compared, each in the direction in which more is worse."""
    rho, pure = rho_of(measures), pure_epsilon(measures)
    return {
        "rho": math.inf if rho is None else float(rho.sharpest),
        "pure": math.inf if pure is None else float(pure.sharpest),
        "advantage": float(advantage_of(measures).sharpest),
        **{f"epsilon {d}": float(epsilon_at(measures, d).sharpest) for d in DELTAS},
        **{f"delta {e}": float(delta_at(measures, e).sharpest) for e in EPSILONS},
        **{f"power {a}": 1 - float(type_ii_at(measures, a).sharpest) for a in RATES},
    }


def check(found: oracle.Composition, told: Numbers) -> None:
    """No number below that of the worst ordered pair, nor far above it."""
    pairs = oracle.ordered_pairs(found)
    for epsilon in EPSILONS:
        growth = Interval.of(epsilon).exp()
        most = float(max(pair.delta(Fraction(growth.low)) for pair in pairs))
        assert most - NEAR <= told[f"delta {epsilon}"] <= most + TOLERANCE
    distance = float(max(pair.delta(Fraction(1)) for pair in pairs))
    assert distance - NEAR <= told["advantage"] <= distance + TOLERANCE
    for delta in DELTAS:
        check_epsilon(pairs, delta, told[f"epsilon {delta}"])
    check_rho(pairs, told["rho"])
    points = {point for pair in pairs for point in pair.points()}
    for rate in RATES:
        least = float(1 - min(pair.type_ii(rate) for pair in pairs))
        hull = 1 - oracle.least_on_chords(points, float(rate))
        assert least - NEAR <= told[f"power {rate}"] <= hull + TOLERANCE


def check_epsilon(pairs: Sequence[oracle.Ordered], delta: Fraction, told: float) -> None:
    if math.isinf(told):
        # P(S) - e^epsilon Q(S) exceeds delta however large epsilon is.
        assert max(pair.delta(Fraction(10**30)) for pair in pairs) > delta
        return
    above = Interval.of(Fraction(told) + Fraction(1, 10**12)).exp()
    assert max(pair.delta(Fraction(above.low)) for pair in pairs) <= delta
    less = Fraction(told) - Fraction(max(told, 1.0)) * Fraction(TOLERANCE)
    if less > 0:
        below = Interval.of(less).exp()
        assert max(pair.delta(Fraction(below.high)) for pair in pairs) > delta


def check_rho(pairs: Sequence[oracle.Ordered], told: float) -> None:
    best = max(pair.rho() for pair in pairs)
    if math.isinf(best) or math.isinf(told):
        assert best == told
    else:
        # Orders are a fine grid, so that the largest of them may miss a little.
        assert best * (1 - NEAR) <= told <= best * (1 + 2e-4) + NEAR


@pytest.mark.parametrize("chunk", sampled(range(CHUNKS), {0}))
def test_compositions_lose_what_their_worst_pair_of_datasets_does(chunk: int) -> None:
    chance = random.Random(29_000 + chunk)
    for _ in range(SIZE):
        found = oracle.random_composition(chance)
        measures = measures_of(found)
        check(found, numbers_of(measures))


@pytest.mark.parametrize("chunk", sampled(range(CHUNKS // 5), {0}))
def test_the_order_of_the_datasets_changes_nothing(chunk: int) -> None:
    """Neither the measures nor their order, so that no number can differ."""
    chance = random.Random(30_000 + chunk)
    for _ in range(SIZE):
        found = oracle.random_composition(chance)
        places = list(range(found.datasets))
        chance.shuffle(places)
        assert measures_of(found.rearranged(places)) == measures_of(found)


@pytest.mark.parametrize("chunk", sampled(range(CHUNKS // 5), {0}))
def test_another_dataset_of_one_record_lowers_no_number(chunk: int) -> None:
    chance = random.Random(31_000 + chunk)
    for _ in range(SIZE):
        more = oracle.random_composition(chance)
        fewer = more.rearranged(range(more.datasets - 1))
        before, after = (numbers_of(measures_of(found)) for found in (fewer, more))
        for name, number in before.items():
            assert number <= after[name] * (1 + TOLERANCE) + NEAR, name
