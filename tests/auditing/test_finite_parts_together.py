"""Finite mechanisms beside each other, and finite noise where a record enters or leaves."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import pytest

from semiaudit import Report, audit, compare
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


THREE = laws_of("11/100 1/10 79/100", "1/10 11/100 79/100", "97889/900000 1101/10000 703021/900000")
A, B, C = laws_of("2/5 1/2 1/10", "2/5 1/10 1/2", "1/8 3/8 1/2")


def report_of(laws: list[oracle.Law], times: int, delta: str) -> Report:
    spec = {
        "semiaudit": 1,
        "dataspace": {"datasets": [[place] for place in range(len(laws))]},
        "mechanism": {"compose": [{**finite(laws), "repeat": times}]},
        "report": {"deltas": [delta], "alphas": ["0.05"]},
    }
    return audit(spec, time_limit=600)


@pytest.mark.parametrize("rows", [(0, 1), (0, 1, 2), (2, 1, 0)])
def test_ten_thousand_runs_are_told_apart_by_the_pair_that_one_run_hardly_tells_apart(
    rows: tuple[int, ...],
) -> None:
    # delta at epsilon 21.169541, that of the first dataset and the third, is 2.25e-3.
    found = report_of([THREE[row] for row in rows], 10_000, "1e-6")
    epsilon = found.nominal_dp.epsilon("1e-6")
    assert epsilon.method == "loss_distribution"
    assert float(epsilon.sharpest) == pytest.approx(29.621898, abs=2e-6)
    assert found.complete


def test_the_largest_rho_is_that_of_a_pair_whose_symmetrized_function_is_not_the_lowest() -> None:
    for laws in ([A, B, C], [C, B, A], [B, A, C]):
        rho = report_of(laws, 1, "1e-6").nominal_dp.rho
        assert rho is not None
        assert float(rho.sharpest) == pytest.approx(0.4 * math.log(5), abs=1e-6)


def test_a_dataset_of_one_record_more_lowers_nothing_and_is_told_by_compare() -> None:
    fewer, more = ({**SPEC, **spec_of(laws)} for laws in ([A, C, C], [A, B, C]))
    found = compare(more, fewer)
    assert found.order("A", "B") == "weaker"
    assert found.order("B", "A") == "stronger"


def spec_of(laws: list[oracle.Law]) -> dict[str, Any]:
    datasets = [[place] for place in range(len(laws))]
    return {"dataspace": {"datasets": datasets}, "mechanism": finite(laws)}


def test_an_epsilon_of_exactly_0_is_printed_at_once() -> None:
    laws = laws_of("1/2 1/2", "1 0")
    found = audit({**SPEC, **spec_of(laws), "report": {"deltas": ["1/2"], "alphas": ["0.05"]}})
    assert found.nominal_dp.epsilon("1/2").value == 0
    assert found.as_dict()["worst_pairs"][0]["by_delta"][0]["pair"]["epsilon"] == 0


def test_noise_on_a_query_that_cannot_change_names_no_pair() -> None:
    noise = {"values": [-1, 0, 1], "probabilities": ["1/4", "1/2", "1/4"]}
    spec = {
        **SPEC,
        "dataspace": {"attributes": {"a": 3}},
        "invariants": [{"margin": ["a"]}],
        "mechanism": {"finite_noise": {**noise, "query": {"margins": [["a"]]}}},
    }
    found = audit(spec).as_dict()
    rows = {row["framework"]: row for row in found["worst_pairs"]}
    assert [point["pair"] for point in rows["semi_dp"]["by_type_i"]] == [None]
    assert rows["nominal_dp"]["by_type_i"][0]["pair"] is not None


def test_a_part_that_has_no_epsilon_by_itself_is_not_blamed_on_outcomes() -> None:
    laws = laws_of("1/4 3/4", "3/4 1/4")
    mechanism = {"compose": [finite(laws), {"zcdp": {"rho": "0.1"}}]}
    spec = {**SPEC, "dataspace": {"datasets": [[0], [1]]}, "mechanism": mechanism}
    assert "some outcomes are possible for one dataset only" not in audit(spec).nominal_dp.note
