"""Finite mechanisms with other parts, inside D_t, at larger distances, and on tables."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from typing import Any

import pytest

from semiaudit import Spec
from semiaudit.mechanisms.mechanism_loss import loss_at
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.measure import Measure
from semiaudit.privacy.evaluate import advantage_of, delta_at
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.oracles import finite as oracle
from tests.samples import sampled

Floats = tuple[float, ...]
HALF = Fraction(1, 2)


def measures_of(
    mapping: dict[str, Any], distance: int = 1, universe: UniverseName = "D"
) -> tuple[Measure, ...]:
    release = Spec.from_mapping({"semiaudit": 1, **mapping})._release
    return loss_at(
        release.mechanism, distance, universe, SensitivitySpaces(release), steps=True
    ).measures


def delta(first: Floats, second: Floats, epsilon: float) -> float:
    growth = math.exp(epsilon)
    return math.fsum(max(p - growth * q, 0) for p, q in zip(first, second, strict=True))


def beside(*laws: Sequence[Fraction | float]) -> Floats:
    """The law of independent outputs."""
    return tuple(math.prod(map(float, masses)) for masses in product(*laws))


@pytest.mark.parametrize("seed", sampled(range(40), {0, 1, 2}))
def test_responses_of_the_record_itself_add_up_in_either_order(seed: int) -> None:
    chance, levels = random.Random(4_100 + seed), 3
    laws = [oracle.random_law(chance, 3) for _ in range(levels)]
    keep = math.e / (math.e + levels - 1)
    other = (1 - keep) / (levels - 1)
    mapping = {
        "dataspace": {"datasets": [[place] for place in range(levels)]},
        "mechanism": {
            "compose": [
                {"finite": {"probabilities": [list(map(str, law)) for law in laws]}, "repeat": 2},
                {"randomized_response": {"epsilon": 1, "levels": levels}},
            ]
        },
    }
    responses = [tuple(keep if a == b else other for b in range(levels)) for a in range(levels)]
    outputs = [beside(law, law, own) for law, own in zip(laws, responses, strict=True)]
    found = measures_of(mapping)
    for epsilon in (0.5, 2.0):
        exact = max(delta(p, q, epsilon) for p, q in permutations(outputs, 2))
        number = float(delta_at(found, Fraction(epsilon)).sharpest)
        assert exact - 1e-9 <= number <= exact + 1e-5


@pytest.mark.parametrize("seed", sampled(range(60), {0, 1, 2, 3}))
def test_two_mechanisms_lose_what_their_joint_law_does_at_any_distance_inside_d_t(
    seed: int,
) -> None:
    chance = random.Random(4_200 + seed)
    one = oracle.random_instance(chance)
    laws = tuple(oracle.random_law(chance, 3) for _ in one.datasets)
    blocks: dict[int, list[list[int]]] = {}
    for dataset, place in zip(one.datasets, one.told, strict=True):
        blocks.setdefault(place, []).append(list(dataset))
    parts = [
        {"finite": {"probabilities": [list(map(str, law)) for law in rows]}, "repeat": times}
        for rows, times in ((one.laws, 1), (laws, 2))
    ]
    mapping = {
        "dataspace": {"datasets": [list(dataset) for dataset in one.datasets]},
        "invariants": [{"partition": list(blocks.values())}],
        "mechanism": {"compose": parts},
    }
    joint = tuple(
        tuple(math.prod(masses, start=Fraction(1)) for masses in product(p, q, q))
        for p, q in zip(one.laws, laws, strict=True)
    )
    together = oracle.Instance(one.datasets, joint, one.told)
    for distance, universe in product((1, 2), ("D", "D_t")):
        pairs = oracle.pairs_within(together, distance, inside=universe == "D_t")
        found = measures_of(mapping, distance, "D_t" if universe == "D_t" else "D")
        exact = max((delta(beside(p), beside(q), 0) for p, q in pairs), default=0.0)
        assert exact - 1e-9 <= float(advantage_of(found).sharpest) <= exact + 1e-5


@pytest.mark.parametrize("repeat", [1, 2])
def test_noise_on_two_queries_is_set_against_each_pair_of_tables(repeat: int) -> None:
    values, shares = (-1, 0, 1), (0.5, 0.3, 0.2)
    noise = {"values": list(values), "probabilities": ["1/2", "3/10", "1/5"]}
    mapping = {
        "dataspace": {"size": 2, "attributes": {"a": 2, "b": 2}},
        "mechanism": {
            "compose": [
                {"finite_noise": {**noise, "query": {"margins": [["a"]]}}, "repeat": repeat},
                {"finite_noise": {**noise, "query": "table"}},
            ]
        },
    }

    def law(count: int) -> dict[int, float]:
        return {count + value: share for value, share in zip(values, shares, strict=True)}

    def counts(table: Sequence[int]) -> list[int]:
        margin = [table[0] + table[1], table[2] + table[3]]
        return [*table, *margin * repeat]

    def pair_of(first: Sequence[int], second: Sequence[int]) -> tuple[Floats, Floats]:
        before: list[list[float]] = []
        after: list[list[float]] = []
        for a, b in zip(counts(first), counts(second), strict=True):
            if a != b:
                places = sorted({*law(a), *law(b)})
                before.append([law(a).get(at, 0.0) for at in places])
                after.append([law(b).get(at, 0.0) for at in places])
        return beside(*before), beside(*after)

    records = [[0, 0], [0, 1], [1, 0], [1, 1]]
    tables = {
        tuple(sum(place == at for place in chosen) for at in range(4))
        for chosen in combinations_with_replacement(range(len(records)), 2)
    }
    near = [
        (x, y)
        for x, y in permutations(sorted(tables), 2)
        if sum(abs(a - b) for a, b in zip(x, y, strict=True)) == 2
    ]
    found = measures_of(mapping)
    for epsilon in (Fraction(0), HALF):
        exact = max(delta(*pair_of(x, y), float(epsilon)) for x, y in near)
        number = float(delta_at(found, epsilon).sharpest)
        assert exact - 1e-9 <= number <= exact + 1e-5
