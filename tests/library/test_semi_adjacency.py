"""a(t) and sensitivities by themselves: the numbers of an audit, without its guarantees."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

from semiaudit import SensitivitySpace, SpecError, audit, semi_adjacency, sensitivity
from tests.places import ROOT

FAST = ("cyclic_band", "example2_three_bits", "example3_all_zero", "example5_table", "two_releases",
        "census2020_pl94", "census2020_every_product", "gao_campus_wifi")  # fmt: skip


def table(chance: random.Random) -> dict[str, Any]:
    return {
        "semiaudit": 1,
        "dataspace": {"attributes": {"a": 3, "b": 3}},
        "invariants": [{"margin": ["a"]}, {"margin": ["b"]}],
        "data": {"counts": [[chance.randint(0, 4) for _ in range(3)] for _ in range(3)]},
        "mechanism": {"zcdp": {"rho": 1}},
    }


@pytest.mark.parametrize("name", FAST)
def test_a_t_alone_is_that_of_the_report(name: str) -> None:
    path = ROOT / "configs" / f"{name}.yaml"
    alone, report = semi_adjacency(path), audit(path)
    assert alone == report.semi_adjacency
    assert alone.as_dict() == report.as_dict()["semi_adjacency"]
    assert alone.value == report.a_t


def test_a_t_alone_takes_a_small_part_of_the_time_of_audits() -> None:
    chance = random.Random(58)
    specs = [table(chance) for _ in range(20)]
    semi_adjacency(specs[0]), audit(specs[0])
    began = time.process_time()
    alone = [semi_adjacency(spec).value for spec in specs]
    half = time.process_time()
    assert [audit(spec).a_t for spec in specs] == alone
    assert 3 * (half - began) < time.process_time() - half


def test_the_sensitivity_of_the_query_of_a_mechanism() -> None:
    spec = table(random.Random(3)) | {
        "mechanism": {"compose": [{"laplace": {"scale": 1, "query": {"margins": [["a"]]}}},
                                  {"zcdp": {"rho": 1}}]}
    }  # fmt: skip
    found = sensitivity(spec)
    assert found.l1.value == 0  # the query is published
    assert found == SensitivitySpace(spec, {"margins": [["a"]]})
    free = sensitivity(spec, universe="D", distance=1)
    assert (free.l1.value, free.linf.value) == (2, 1)


def test_a_mechanism_without_one_query_has_no_sensitivity_of_its_own() -> None:
    with pytest.raises(ValueError, match="the mechanism has none; give `table`"):
        sensitivity(table(random.Random(1)))
    with pytest.raises(SpecError, match="mechanism"):
        sensitivity({"semiaudit": 1, "dataspace": {"attributes": {"a": 2}}})


def test_a_t_that_is_not_established_has_no_value() -> None:
    found = semi_adjacency(ROOT / "configs" / "census2020_every_product.yaml")
    assert (found.value, repr(found)) == (None, "<a(t): 0 to unknown>")
