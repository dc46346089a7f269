"""Finite mechanisms beside each other, and finite noise where a record enters or leaves."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from semiaudit import audit
from tests.oracles import finite as oracle

SPEC: dict[str, Any] = {"semiaudit": 1, "report": {"deltas": ["0.01"], "alphas": ["0.05"]}}


def finite(laws: list[oracle.Law]) -> dict[str, Any]:
    return {"finite": {"probabilities": [list(map(str, law)) for law in laws]}}


def beside(one: oracle.Law, other: oracle.Law) -> oracle.Law:
    return tuple(p * q for p in one for q in other)


def laws_of(*rows: str) -> list[oracle.Law]:
    return [tuple(map(Fraction, row.split())) for row in rows]


def test_which_dataset_is_first_differs_from_part_to_part() -> None:
    # Of two datasets the rarer law belongs to the first in one part, to the second in the other.
    one = laws_of("1 0 0", "1/2 1/2 0")
    other = laws_of("1/3 1/3 1/3", "0 1/2 1/2")
    mechanism = {"compose": [finite(one), finite(other)]}
    report = audit({**SPEC, "dataspace": {"datasets": [[0], [1]]}, "mechanism": mechanism})
    laws = beside(one[0], other[0]), beside(one[1], other[1])
    assert report.nominal_dp.advantage.sharpest >= oracle.largest_delta(*laws, Fraction(1))


@pytest.mark.parametrize("seed", range(4))
def test_random_mechanisms_beside_each_other_lose_no_more_than_is_told(seed: int) -> None:
    chance = random.Random(7100 + seed)
    parts = [[oracle.random_law(chance, 3) for _ in range(3)] for _ in range(2)]
    datasets = [[0, 0], [0, 1], [1, 1]]
    mechanism = {"compose": [finite(part) for part in parts]}
    report = audit({**SPEC, "dataspace": {"datasets": datasets}, "mechanism": mechanism})
    together = [beside(*laws) for laws in zip(*parts, strict=True)]
    pairs = [(together[0], together[1]), (together[1], together[2])]
    largest = max(oracle.largest_delta(*pair, Fraction(1)) for pair in pairs)
    assert report.nominal_dp.advantage.sharpest >= largest


@pytest.mark.parametrize("data", [{}, {"data": {"counts": [1, 1]}}])
def test_in_d_a_record_may_enter_beyond_the_published_size(data: dict[str, Any]) -> None:
    # Counts 3 and 4 are told apart for sure; the published total is 2, but D has all sizes.
    third = ["1/3", "1/3", "1/3"]
    rows = [["count", -1, 0, 1], *([count, *third] for count in range(4)), [4, 0, 0, 1]]
    spec = {
        **SPEC,
        "dataspace": {"attributes": {"a": 2}},
        "invariants": ["total"],
        "adjacency": {"metric": "symmetric_difference"},
        "mechanism": {"finite_noise": {"table": rows, "query": "table"}},
        **data,
    }
    assert audit(spec).nominal_dp.advantage.value == 1


def test_in_d_neighbours_differ_in_the_published_size() -> None:
    # A matrix is audited by its tables where these are few: in D they have every size.
    spec = {
        **SPEC,
        "dataspace": {"attributes": {"a": 2}},
        "invariants": [{"margin": ["a"]}],
        "data": {"counts": [1, 1]},
        "adjacency": {"metric": "symmetric_difference"},
        "mechanism": {
            "finite_noise": {
                "values": [0, 1], "probabilities": ["1/2", "1/2"], "query": {"matrix": [[2, 2]]},
            }
        },
    }  # fmt: skip
    report = audit(spec)
    assert report.nominal_dp.advantage.value == 1
    assert report.nominal_dp.pure_epsilon is None
