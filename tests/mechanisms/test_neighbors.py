"""Declared numbers for replace-one, add/remove, and zero-out, against enumerated mechanisms."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

from semiaudit import ZCDP, FiniteNoise, Gaussian, PureDP, RefusedError, audit
from semiaudit.errors import SpecError
from tests.samples import slow_cases

NONE = 9
"""The empty record of zero-out."""

Table = tuple[int, ...]
RELATIONS = ("replace_one", "add_remove", "zero_out")
METRICS = ("hamming", "multiset_hamming", "symmetric_difference")
RANDOM = [*range(20), *slow_cases(range(20, 2040))]
PHI = NormalDist().cdf


def tables(levels: int, sizes: range, *, empty: bool = False) -> list[Table]:
    records = [*range(levels), *([NONE] if empty else [])]
    return [t for size in sizes for t in combinations_with_replacement(records, size)]


def replaced(one: Table, other: Table) -> int:
    return sum((Counter(one) - Counter(other)).values())


def related(relation: str, one: Table, other: Table) -> bool:
    left, entered = replaced(one, other), replaced(other, one)
    if relation == "add_remove":
        return left + entered == 1
    if relation == "replace_one":
        return left == entered == 1
    changed = list((Counter(one) - Counter(other)) + (Counter(other) - Counter(one)))
    return left == entered == 1 and NONE in changed


def neighbors(relation: str, levels: int, most: int) -> Iterator[tuple[Table, Table]]:
    listed = tables(levels, range(most + 1), empty=relation == "zero_out")
    yield from ((x, y) for x in listed for y in listed if related(relation, x, y))


def distance(metric: str, one: Table, other: Table) -> float:
    if metric == "symmetric_difference":
        return replaced(one, other) + replaced(other, one)
    return replaced(one, other) if len(one) == len(other) else math.inf


class Laws:
    """A mechanism whose laws are products of a factor for each record."""

    def __init__(self, chance: random.Random, levels: int, outcomes: int) -> None:
        records = [*range(levels), NONE]
        self.factors = {r: [chance.choice([1, 2, 3, 4]) for _ in range(outcomes)] for r in records}

    def law(self, table: Table) -> list[Fraction]:
        weights = [math.prod(column) for column in zip(*map(self.factors.get, table), strict=True)]
        weights = weights or [1] * len(self.factors[0])
        return [Fraction(weight, sum(weights)) for weight in weights]

    def delta(self, one: Table, other: Table, ratio: Fraction) -> Fraction:
        laws = zip(self.law(one), self.law(other), strict=True)
        return sum((max(p - ratio * q, Fraction(0)) for p, q in laws), Fraction(0))

    def largest_ratio(self, one: Table, other: Table) -> Fraction:
        return max(p / q for p, q in zip(self.law(one), self.law(other), strict=True))


def up(value: float) -> str:
    return f"{value * (1 + 1e-9) + 1e-15:.12e}"


def declared(laws: Laws, relation: str, levels: int, chance: random.Random) -> dict[str, Any]:
    """A true declaration of the mechanism for a relation, over all tables of up to 3 records."""
    pairs = list(neighbors(relation, levels, 3))
    most = max(laws.largest_ratio(x, y) for x, y in pairs)
    kind = chance.choice(["pure_dp", "approx_dp", "profile"])
    if kind == "pure_dp":
        return {kind: {"epsilon": up(math.log(most)), "neighbors": relation}}
    ratios = sorted(1 + (most - 1) * Fraction(chance.randint(0, 9), 10) for _ in range(3))
    points = [
        (up(math.log(r)), up(float(max(laws.delta(x, y, r) for x, y in pairs)))) for r in ratios
    ]
    if kind == "approx_dp":
        epsilon, delta = points[0]
        return {kind: {"epsilon": epsilon, "delta": delta, "neighbors": relation}}
    return {kind: {"points": points, "neighbors": relation}}


def spec_of(mechanism: dict[str, Any], metric: str, levels: int, chance: random.Random) -> Any:
    size = chance.choice([1, 2, 3])
    free = metric == "symmetric_difference"
    invariants = chance.choice([["total"], ["total", {"count": {"where": {"a": 0}}}], []])
    fixed = {} if free else {"size": size}
    return {
        "semiaudit": 1,
        "dataspace": {"unit": "person", "attributes": {"a": levels}, **fixed},
        "invariants": invariants,
        "adjacency": {"metric": metric},
        "mechanism": mechanism,
    }


def pairs_of(spec: Any, row: Any, levels: int) -> Iterator[tuple[Table, Table]]:
    """The pairs of tables that a row covers."""
    size = spec["dataspace"].get("size")
    listed = tables(levels, range(4) if size is None else range(size, size + 1))

    def published(table: Table) -> tuple[int, ...]:
        return tuple(
            len(table) if invariant == "total" else table.count(0)
            for invariant in spec["invariants"]
        )

    for x in listed:
        for y in listed:
            same = row.universe == "D" or published(x) == published(y)
            if same and 0 < distance(spec["adjacency"]["metric"], x, y) <= row.distance:
                yield x, y


def setting(seed: int) -> tuple[random.Random, int, Any, Any]:
    """Random numbers, and the levels, the neighboring relation, and the metric of a spec."""
    chance = random.Random(seed)
    return chance, chance.choice([2, 3]), chance.choice(RELATIONS), chance.choice(METRICS)


def audited_pairs(spec: dict[str, Any], levels: int) -> Iterator[tuple[Any, Table, Table]]:
    """Each row of a spec's report with its pairs of tables; none if the spec is refused."""
    try:
        report = audit(spec)
    except SpecError:
        return
    for name in ("nominal_dp", "group_privacy", "semi_dp", "invariant_dp"):
        row = report[name]
        if row.distance and not row.refused:
            for x, y in pairs_of(spec, row, levels):
                yield row, x, y


@pytest.mark.parametrize("seed", RANDOM)
def test_no_row_is_below_the_truth_of_a_finite_mechanism(seed: int) -> None:
    chance, levels, relation, metric = setting(seed)
    laws = Laws(chance, levels, 3)
    spec = spec_of(declared(laws, relation, levels, chance), metric, levels, chance)
    for row, x, y in audited_pairs(spec, levels):
        for ratio in (Fraction(1), Fraction(3, 2), Fraction(6)):
            assert laws.delta(x, y, ratio) <= Fraction(row.delta(math.log(ratio)).value) + 10**-9


@pytest.mark.parametrize("seed", RANDOM)
def test_no_row_is_below_the_truth_of_gaussian_noise(seed: int) -> None:
    chance, levels, relation, metric = setting(seed)
    weights = {record: chance.randint(-3, 3) for record in range(levels)} | {NONE: 0}

    def moved(x: Table, y: Table) -> int:
        return abs(sum(weights[r] for r in x) - sum(weights[r] for r in y))

    most = max(moved(x, y) for x, y in neighbors(relation, levels, 3))
    kind = chance.choice(["zcdp", "gdp", "gaussian"])
    parameters: Any = {
        "zcdp": {"rho": Fraction(most**2, 2)},
        "gdp": {"mu": most},
        "gaussian": {"sigma": 1, "shifts": [most]},
    }[kind]
    spec = spec_of({kind: {**parameters, "neighbors": relation}}, metric, levels, chance)
    for row, x, y in audited_pairs(spec, levels):
        mu = moved(x, y)
        assert row.rho.value >= Fraction(mu**2, 2)
        if mu:
            delta = PHI(mu / 2 - 1 / mu) - math.e * PHI(-mu / 2 - 1 / mu)
            assert row.delta(1).value >= delta - 1e-9


def rho_of(mechanism: dict[str, Any], **more: Any) -> list[float | None]:
    """rho of the advertised and of the effective guarantee, if two records must change."""
    spec = {
        "semiaudit": 1,
        "dataspace": {
            "unit": "person",
            "attributes": {"a": 2, "b": 2},
            **more.pop("dataspace", {}),
        },
        "invariants": [{"margin": ["a"]}],
        "adjacency": more,
        "mechanism": mechanism,
    }
    report = audit(spec)
    return [float(rho(row)) for row in (report.nominal_dp, report.semi_dp)]


def rho(guarantee: Any) -> Any:
    """rho as it is reported; the guarantee has one."""
    return Fraction(guarantee.rho.value)


def test_a_replaced_record_is_two_steps_of_add_remove() -> None:
    size = {"dataspace": {"size": 10}}
    assert rho_of({"zcdp": {"rho": 1, "neighbors": "add_remove"}}, **size) == [4, 16]
    assert rho_of({"zcdp": {"rho": 1, "neighbors": "zero_out"}}, **size) == [4, 16]
    assert rho_of({"zcdp": {"rho": 1, "neighbors": "replace_one"}}, **size) == [1, 4]
    assert rho_of({"zcdp": {"rho": 1}}, **size) == [1, 4]
    shifts = {"sigma": 1, "shifts": [1], "neighbors": "add_remove"}
    assert rho_of({"gaussian": shifts}, **size) == [2, 8]
    mixed = [{"zcdp": {"rho": 1, "neighbors": "add_remove"}}, {"zcdp": {"rho": 1}}]
    assert rho_of({"compose": mixed}, **size) == [5, 20]


def test_replace_one_says_nothing_about_other_sizes() -> None:
    free = {"metric": "symmetric_difference"}
    with pytest.raises(RefusedError, match="replace-one says nothing about datasets of different"):
        rho_of({"zcdp": {"rho": 1, "neighbors": "replace_one"}}, **free)
    with pytest.raises(RefusedError, match="zero-out says nothing about datasets of different"):
        rho_of({"zcdp": {"rho": 1, "neighbors": "zero_out"}}, **free)
    assert rho_of({"zcdp": {"rho": 1, "neighbors": "add_remove"}}, **free) == [1, 4]


def test_datasets_of_one_size_have_a_number_at_even_distances_only() -> None:
    spec: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"unit": "person", "attributes": {"a": 2, "b": 2}},
        "invariants": [{"margin": ["a"]}],
        "adjacency": {"metric": "symmetric_difference"},
        "mechanism": {"zcdp": {"rho": 1, "neighbors": "replace_one"}},
    }
    report = audit(spec)
    assert (report.semi_dp.distance, rho(report.semi_dp)) == (2, 1)
    for name in ("nominal_dp", "group_privacy", "subspace_dp", "invariant_dp"):
        assert report[name].refused
    spec["dataspace"]["size"] = 10
    report = audit(spec)
    for name in ("nominal_dp", "group_privacy", "semi_dp", "subspace_dp", "invariant_dp"):
        assert report[name].refused


def test_other_records_have_the_relation_of_their_own_numbers() -> None:
    spec: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"unit": "person", "size": 10, "attributes": {"a": 2}},
        "releases": [
            {"mechanism": {"zcdp": {"rho": 1, "neighbors": "replace_one"}}},
            {
                "dataspace": {"unit": "unit", "size": 5, "attributes": {"b": 2}},
                "touches": {
                    "attribute": 1, "geography": 1, "within": 1, "across": 1, "exchange": 1,
                },
                "mechanism": {"zcdp": {"rho": "0.07", "neighbors": "add_remove"}},
            },
        ],
    }  # fmt: skip
    assert rho(audit(spec).nominal_dp) == Fraction(128, 100)


def test_the_finding_has_both_numbers() -> None:
    spec: dict[str, Any] = {"semiaudit": 1, "dataspace": {"size": 10}, "adjacency": {}}

    def finding() -> list[str]:
        return [f["message"] for f in audit(spec).as_dict()["findings"] if f["rule"] == "SA037"]

    spec["mechanism"] = {"zcdp": {"rho": 1}}
    (message,) = finding()
    assert "replace-one is assumed: if they hold for add/remove, ρ = 4 at distance 1" in message
    spec["mechanism"] = {"compose": [{"gdp": {"mu": 1}}, {"laplace": {"scale": 1, "shifts": [1]}}]}
    (message,) = finding()
    assert "numbers of gdp and laplace hold" in message
    spec["mechanism"] = {"zcdp": {"rho": 1, "neighbors": "zero_out"}}
    assert finding() == []
    del spec["dataspace"]["size"]
    spec["adjacency"]["metric"] = "symmetric_difference"
    spec["mechanism"] = {"zcdp": {"rho": 1}}
    (message,) = finding()
    assert "add/remove is assumed: a guarantee for replace-one says nothing" in message


def test_in_python_the_metric_of_the_question_decides() -> None:
    both = ZCDP(1, neighbors="add_remove")
    assert rho(both.guarantee()) == 4
    assert rho(both.guarantee(metric="symmetric_difference")) == 1
    assert rho(Gaussian(1, neighbors="add_remove").guarantee(2)) == 8
    assert PureDP(1, neighbors="zero_out").guarantee().epsilon(0).value == 2
    noise = FiniteNoise([0, 1, 2], ["1/4", "1/2", "1/4"], shifts=[1], neighbors="add_remove")
    assert noise.guarantee().delta(0).value == Fraction(3, 4)
    with pytest.raises(RefusedError, match="different sizes"):
        ZCDP(1, neighbors="replace_one").guarantee(metric="symmetric_difference")


@pytest.mark.parametrize(
    "noise",
    [
        "gaussian: {sigma: 1, query: table, neighbors: add_remove}",
        "finite_noise: {values: [0], probabilities: [1], query: table, neighbors: zero_out}",
    ],
)
def test_a_query_needs_no_relation(tmp_path: Path, noise: str) -> None:
    path = tmp_path / "release.yaml"
    space = "dataspace: {size: 3, attributes: {a: 2}}"
    path.write_text(f"semiaudit: 1\n{space}\nmechanism: {{{noise}}}\n")
    with pytest.raises(SpecError, match="neighbors is for shifts only"):
        audit(path)
