"""Rows 3, 9, 19, 69, 110 to 115 and 127 of the theory, by the documented library."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

from semiaudit import Finite, FiniteTradeoff, Report, Spec, audit, compare, lipschitz, satisfies
from semiaudit.model.adjacency import Metric
from tests.oracles import finite as oracle

BITS = list(product((0, 1), repeat=3))

ONE = Fraction(1)

BELOW_E = Fraction(271828182845904523536, 10**20)
"""e, cut off: its logarithm is below 1 by less than 1e-20."""


def responses(odds: Fraction = BELOW_E) -> list[list[Fraction]]:
    """Three records that answer for themselves with the truth at these odds."""
    keep = odds / (1 + odds)
    return [
        [
            math.prod([keep if a == b else 1 - keep for a, b in zip(x, y, strict=True)], start=ONE)
            for y in BITS
        ]
        for x in BITS
    ]


def report_of(probabilities: list[list[Any]], invariants: list[Any]) -> Report:
    mapping = {
        "semiaudit": 1,
        "dataspace": {"product": {"size": 3, "values": [0, 1]}},
        "invariants": invariants,
        "mechanism": {"finite": {"rows": "datasets", "probabilities": probabilities}},
        "report": {"deltas": ["1e-2"]},
    }
    return audit(Spec.from_mapping(mapping))


@cache
def three_bits() -> Report:
    """Randomised response on three bits of which the number of ones is published."""
    return report_of(responses(), ONES)


ONES: list[Any] = [{"count": {"where": {"value": 1}}}]


def blocks_of(report: Report) -> dict[str, Any]:
    found: dict[str, Any] = report.as_dict()["building_blocks"]
    return found


def pure(report: Report, name: str) -> float:
    """epsilon at delta 0 of a row that has one."""
    found = report[name].pure_epsilon
    assert found is not None
    return float(found)


def constants(report: Report, divergence: str) -> dict[int | None, dict[str, Any]]:
    found = blocks_of(report)["intensity"]
    return {c["universe"]: c for c in found if c["divergence"] == divergence}


def test_row_3_three_records_of_randomised_response() -> None:
    mechanism = Finite(BITS, responses())
    assert satisfies(mechanism, 1).holds
    refuted = satisfies(mechanism, "0.99")
    assert not refuted.holds
    # (1 - e^-0.01) e / (1 + e), by hand.
    assert float(refuted.delta) == pytest.approx((1 - math.exp(-0.01)) * math.e / (1 + math.e))
    assert refuted.pair is not None


def test_row_9_post_processing_never_lowers_the_tradeoff_function() -> None:
    chance = random.Random(9)
    for _ in range(60):
        law, other = oracle.random_law(chance, 5), oracle.random_law(chance, 5)
        kernel = [oracle.random_law(chance, 5) for _ in range(5)]
        after = FiniteTradeoff(oracle.processed(law, kernel), oracle.processed(other, kernel))
        assert after.order(FiniteTradeoff(law, other)) in ("stronger", "equal")


def test_row_19_the_invariants_alone_and_example_3() -> None:
    released = [[int(sum(x) == k) for k in range(4)] for x in BITS]
    report = report_of(released, ONES)
    assert pure(report, "semi_dp") == 0
    assert float(report["semi_dp"].type_ii("0.05")) == pytest.approx(0.95)
    assert report["nominal_dp"].refused
    response = three_bits()
    # Two of three records differ between datasets with as many ones: epsilon 2.
    assert pure(response, "semi_dp") == pytest.approx(2)
    assert pure(response, "nominal_dp") == pytest.approx(1)


def test_row_110_the_constant_of_randomised_response_is_1() -> None:
    (found,) = lipschitz(Finite(BITS, responses()))
    assert float(found.lower) == pytest.approx(1, abs=1e-15)
    assert float(found.upper) == 1
    assert 0.999999999999999 < found.lower.value <= 1 <= found.upper.value < 1.000000000000001
    spec = {
        "semiaudit": 1,
        "dataspace": {"product": {"size": 3, "values": [0, 1]}},
        "mechanism": {"randomized_response": {"epsilon": 1, "levels": 2}},
    }
    told = constants(audit(Spec.from_mapping(spec)), "mult")
    assert (told[0]["lower"], told[0]["upper"]) == (1, 1)


def test_row_111_the_universes_of_the_number_of_ones() -> None:
    multiverse = blocks_of(three_bits())["multiverse"]
    assert sorted(u["size"] for u in multiverse["universes"]) == [1, 1, 3, 3]
    assert multiverse["number"] == 4
    assert multiverse["invariants"][0] | {"invariant": ""} == {
        "invariant": "",
        "redundant": False,
        "needed": True,
    }


def test_row_112_the_three_divergences_of_one_pair() -> None:
    pair = Finite([[0], [1]], [["1/2", "1/2"], ["1/4", "3/4"]])
    (mult,) = lipschitz(pair)
    (nor,) = lipschitz(pair, divergence="d_nor")
    (beyond,) = lipschitz(pair, divergence="mult_delta", delta="0.1")
    assert float(mult.upper) == pytest.approx(0.693147, abs=1e-6)
    assert float(nor.lower) == pytest.approx(0.381529, abs=1e-6)
    assert float(nor.upper) == pytest.approx(0.381529, abs=1e-6)
    assert nor.order is not None
    assert float(nor.order) == pytest.approx(1.4905, abs=1e-3)
    # Events: ln (1/2 - 1/10) / (1/4).
    assert float(beyond.upper) == pytest.approx(math.log(1.6))


def test_row_113_d_nor_is_the_root_of_rho() -> None:
    pair = Finite([[0], [1]], [["1/2", "1/2"], ["1/4", "3/4"]])
    (nor,) = lipschitz(pair, divergence="d_nor")
    rho = pair.guarantee().rho
    assert rho is not None
    assert float(rho) == pytest.approx(float(nor.upper) ** 2, rel=1e-6)


def test_row_114_the_metric_is_named_and_its_paths_are_checked() -> None:
    unit = blocks_of(three_bits())["unit"]
    assert unit == {
        "unit": "record",
        "metric": "hamming",
        "adjacency_metric": True,
        "distance": 2,
    }
    # X = (1, 1, 2) and X' = (1, 2, 3): Hamming 2, tables at 1, symmetric difference 2.
    pair = Finite([[1, 1, 2], [1, 2, 3]], [["1/3", "2/3"], ["2/3", "1/3"]])
    distances: dict[Metric, int] = {
        "hamming": 2,
        "multiset_hamming": 1,
        "symmetric_difference": 2,
    }
    for metric, distance in distances.items():
        (found,) = lipschitz(pair, metric=metric)
        assert found.distance == distance
        assert float(found.upper) == pytest.approx(math.log(2) / distance)


def test_row_115_where_an_invariant_does_not_hold_the_constant_is_infinite() -> None:
    found = constants(three_bits(), "mult")
    assert found[None]["upper"] == "inf"
    assert "invariant" in found[None]["reason"]
    assert found[None]["distance"] == 1
    assert [found[at]["upper"] for at in range(4)] == pytest.approx([0, 1, 1, 0])
    assert constants(three_bits(), "d_nor")[None]["lower"] == "inf"


def test_row_127_sufficiency_and_necessity() -> None:
    released = [[int(sum(x) == k) for k in range(4)] for x in BITS]
    alone = {t["name"]: t for t in blocks_of(report_of(released, ONES))["theorems"]}
    assert [alone[name]["applies"] for name in sorted(alone)] == [True, True, False]
    varies = {t["name"]: t for t in blocks_of(three_bits())["theorems"]}
    assert [varies[name]["applies"] for name in sorted(varies)] == [True, False, True]


def test_e12_a_redundant_invariant_is_not_needed() -> None:
    parity = [{"statistic": {"name": "sum", "of": "value"}}]
    found = blocks_of(report_of(responses(), [*ONES, *parity]))["multiverse"]["invariants"]
    assert [role["redundant"] for role in found] == [True, True]
    assert [role["needed"] for role in found] == [False, False]


def test_e12_state_totals_with_and_without_the_nation() -> None:
    """Row 125: without the states no intensity is finite, without the nation it stays."""
    mapping = {
        "semiaudit": 1,
        "dataspace": {"size": 20, "attributes": {"state": 3, "sex": 2}},
        "invariants": [{"margin": ["state"]}, "total"],
        "mechanism": {"zcdp": {"rho": 1}},
    }
    blocks = blocks_of(audit(Spec.from_mapping(mapping)))
    states, nation = blocks["multiverse"]["invariants"]
    assert (states["redundant"], states["needed"]) == (False, True)
    assert (nation["redundant"], nation["needed"]) == (True, False)
    assert blocks["intensity"] is None
    assert blocks["multiverse"]["universes"] is None


def test_e32_the_partition_and_all_of_its_subsets_have_one_constant() -> None:
    chance = random.Random(32)
    for _ in range(5):
        instance = oracle.random_instance(chance)
        mechanism = Finite(instance.datasets, instance.laws)
        (whole,) = lipschitz(mechanism)
        parts = [[x, y] for x in instance.datasets for y in instance.datasets if x < y]
        pairs = lipschitz(mechanism, universes=parts)
        assert max(c.upper.value for c in pairs) == whole.upper.value


def test_definition_1_fails_and_all_distances_are_enumerated_all_the_same() -> None:
    """E37's dataspace {000, 001, 111}: randomised between the first two, 111 revealed."""
    mapping = {
        "semiaudit": 1,
        "dataspace": {"datasets": [[0, 0, 0], [0, 0, 1], [1, 1, 1]]},
        "adjacency": {"distance": 2},
        "mechanism": {
            "finite": {"probabilities": [["2/3", "1/3", 0], ["1/3", "2/3", 0], [0, 0, 1]]}
        },
    }
    report = audit(Spec.from_mapping(mapping))
    assert pure(report, "nominal_dp") == pytest.approx(math.log(2))
    assert report["group_privacy"].advantage.value == 1
    assert report["invariant_dp"].refused


def test_answers_have_a_place_for_cells_that_cannot_occur() -> None:
    mapping = {
        "semiaudit": 1,
        "dataspace": {
            "size": 1,
            "attributes": {"a": 2, "b": 2},
            "impossible": [{"a": 0, "b": 0}],
        },
        "mechanism": {
            "finite": {
                "query": "table",
                "rows": [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
                "probabilities": [["1/2", "1/2"], ["1/4", "3/4"], ["1/3", "2/3"]],
            }
        },
        "report": {"deltas": ["1e-2"]},
    }
    epsilon = audit(Spec.from_mapping(mapping)).nominal_dp.epsilon(0)
    assert float(epsilon) == pytest.approx(math.log(2))


def test_the_report_names_the_worst_pair_at_each_rate_and_delta() -> None:
    # The fair coin against 2/3 is the worst pair in the middle, 0 against 1/100 at small rates.
    laws = [["1", "0"], ["99/100", "1/100"], ["1/2", "1/2"], ["1/3", "2/3"]]
    mapping = {
        "semiaudit": 1,
        "dataspace": {"datasets": [["a"], ["b"], ["c"], ["d"]]},
        "invariants": [{"partition": [[["a"], ["b"]], [["c"], ["d"]]]}],
        "mechanism": {"finite": {"probabilities": laws}},
        "report": {"deltas": ["1/1000", "1/20"], "alphas": ["1/1000", "1/3"]},
    }
    found = audit(Spec.from_mapping(mapping)).as_dict()["worst_pairs"]
    (semi,) = (row for row in found if row["framework"] == "semi_dp")
    small, middle = (point["pair"] for point in semi["by_type_i"])
    # Without the invariants a would be told from d; both are told apart within their universe.
    assert (small["first"], small["second"], small["distance"]) == ("(a)", "(b)", 1)
    assert small["type_ii"] == pytest.approx(1 - (0.01 + 0.001 * 0.99))
    assert (middle["first"], middle["second"]) == ("(d)", "(c)")
    assert middle["type_ii"] == pytest.approx(1 / 2)
    larger, tiny = (point["pair"] for point in semi["by_delta"])
    assert (tiny["first"], tiny["second"], tiny["epsilon"]) == ("(b)", "(a)", "inf")
    assert (larger["first"], larger["second"]) == ("(c)", "(d)")
    assert larger["epsilon"] == pytest.approx(math.log((1 / 2 - 1 / 20) / (1 / 3)))


def test_no_worst_pair_is_named_of_several_parts_or_of_other_mechanisms() -> None:
    whole: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"datasets": [["a"], ["b"]]},
        "mechanism": {"pure_dp": {"epsilon": 1}},
    }
    part = {"finite": {"probabilities": [[1, 0], ["1/2", "1/2"]]}, "repeat": 2}
    for mechanism in (whole["mechanism"], {"compose": [part]}):
        spec = Spec.from_mapping({**whole, "mechanism": mechanism})
        assert audit(spec).as_dict()["worst_pairs"] is None
    alike = {"finite": {"probabilities": [[1, 0], [1, 0]]}}
    found = audit(Spec.from_mapping({**whole, "mechanism": alike})).as_dict()["worst_pairs"]
    assert found[0]["by_type_i"][0]["pair"] is None


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


def parts_report(laws: list[oracle.Law], times: int, delta: str) -> Report:
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
    found = parts_report([THREE[row] for row in rows], 10_000, "1e-6")
    epsilon = found.nominal_dp.epsilon("1e-6")
    assert epsilon.method == "loss_distribution"
    assert float(epsilon.sharpest) == pytest.approx(29.621898, abs=2e-6)
    assert found.complete


def test_the_largest_rho_is_that_of_a_pair_whose_symmetrized_function_is_not_the_lowest() -> None:
    for laws in ([A, B, C], [C, B, A], [B, A, C]):
        rho = parts_report(laws, 1, "1e-6").nominal_dp.rho
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
