"""Households that are a function of their persons: no reported loss is below an enumerated one."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import mpmath
import pytest

import semiaudit
from tests.oracles.calculus import gaussian_epsilon
from tests.oracles.households import changes, distance, households, pairs, worlds_of
from tests.oracles.losses import exactly
from tests.samples import repeated

mp: Any = mpmath.mp

METRICS = ("hamming", "multiset_hamming", "symmetric_difference")
EXAMPLE: dict[str, Any] = {
    "semiaudit": 1,
    "dataspace": {"unit": "person", "attributes": {"sex": 2}},
    "adjacency": {"metric": "symmetric_difference"},
    "releases": [
        {"mechanism": {"gaussian": {"sigma": 1, "query": "table"}}},
        {
            "dataspace": {"unit": "household", "attributes": {"persons": ["one", "two", "three"]}},
            "touches": {"presence": 1},
            "mechanism": {"gaussian": {"sigma": 1, "query": "table"}},
        },
    ],
    "report": {"deltas": ["1e-6"]},
}


def row(spec: dict[str, Any], framework: str = "nominal_dp") -> dict[str, Any]:
    report = semiaudit.audit(spec).as_dict()
    found: dict[str, Any] = next(
        one for one in report["guarantees"] if one["framework"] == framework
    )
    return found


def test_a_person_who_leaves_changes_a_household_in_two_counts() -> None:
    # The persons move by (1), the households by (-1, +1): μ² = 3, and ε is that of 3^(1/2)-GDP.
    found = row(EXAMPLE)
    assert found["zcdp"]["rho"] == 1.5
    assert found["gdp"]["mu"] == pytest.approx(3**0.5, rel=1e-4)
    assert found["approx_dp"][0]["epsilon"] == pytest.approx(9.25427, abs=1e-5)


def test_a_declared_loss_counts_a_changed_household_twice() -> None:
    spec = {**EXAMPLE, "releases": [dict(one) for one in EXAMPLE["releases"]]}
    spec["releases"][0]["mechanism"] = {"zcdp": {"rho": 1}}
    spec["releases"][1]["mechanism"] = {"zcdp": {"rho": "0.07"}}
    assert row(spec)["zcdp"]["rho"] == pytest.approx(1.28, abs=1e-12)


def test_two_steps_can_be_one_person_who_changes() -> None:
    """Nobody who enters or leaves touches a household, but one who changes touches two."""
    spec = {**EXAMPLE, "adjacency": {"metric": "symmetric_difference", "distance": 2}}
    spec["releases"] = [{"mechanism": {"zcdp": {"rho": 1}}}, dict(EXAMPLE["releases"][1])]
    spec["releases"][1]["touches"] = {"geography": 2, "presence": 0}
    # Two households are replaced alike: the counts move by (-2, +2), and ρ is 8 / 2.
    assert row(spec, "semi_dp")["zcdp"]["rho"] == 4 + 4


def test_without_presence_a_metric_that_adds_and_removes_is_refused() -> None:
    spec = {**EXAMPLE, "releases": [dict(one) for one in EXAMPLE["releases"]]}
    spec["releases"][1]["touches"] = {"attribute": 1}
    with pytest.raises(semiaudit.SpecError, match="enters or leaves; add presence"):
        semiaudit.audit(spec)


@pytest.mark.parametrize("metric", METRICS[:2])
def test_a_metric_of_equal_sizes_needs_a_fixed_number_of_households(metric: str) -> None:
    spec = {**EXAMPLE, "adjacency": {"metric": metric}}
    spec["dataspace"] = {**EXAMPLE["dataspace"], "size": 3}
    with pytest.raises(semiaudit.SpecError, match="does not fix the number of household records"):
        semiaudit.audit(spec)
    spec["releases"] = [
        *EXAMPLE["releases"][:1],
        {**EXAMPLE["releases"][1], "invariants": ["total"]},
    ]
    semiaudit.audit(spec)


def _squared(one: Counter[Any], other: Counter[Any]) -> int:
    return sum((one[key] - other[key]) ** 2 for key in {*one, *other})


def _household_rho(kind: str, before: Counter[int], after: Counter[int], metric: str) -> Fraction:
    """ρ of the household release with parameter 1 for one pair of household tables.

    Of a declared ρ, the largest that a mechanism with this claim has.
    """
    leave, enter = changes(before, after)
    if kind in {"gaussian", "discrete_gaussian"}:
        return Fraction(_squared(before, after), 2)
    far = leave + enter if metric == "symmetric_difference" else max(leave, enter)
    return Fraction(far**2)


MECHANISMS: dict[str, dict[str, Any]] = {
    "gaussian": {"gaussian": {"sigma": 1, "query": "table"}},
    "discrete_gaussian": {"discrete_gaussian": {"sigma_squared": 1, "query": "table"}},
    "zcdp": {"zcdp": {"rho": 1}},
}


@repeated(fast=15, slow=2000)
def test_no_number_is_below_that_of_an_enumerated_pair(times: int) -> None:
    """Persons, households, and in every other world a third kind: the persons of one sex."""
    source = random.Random(52)
    for _ in range(times):
        metric = source.choice(METRICS)
        free = metric == "symmetric_difference"
        dwellings, sexes, size = source.randint(1, 3), source.randint(1, 2), source.randint(1, 3)
        sexes += not free and dwellings == sexes == 1  # a single table protects nothing
        vacant = not free or source.random() < 0.5
        sizes = range(size + 1) if free else (size,)
        tables = worlds_of(dwellings, sexes, sizes, ordered=metric == "hamming")
        kinds, far = source.choices(list(MECHANISMS), k=source.randint(1, 2)), source.randint(1, 2)
        spec: dict[str, Any] = {
            "semiaudit": 1,
            "dataspace": {"unit": "person", "attributes": {"home": dwellings, "sex": sexes}},
            "adjacency": {"metric": metric, "distance": far},
            "releases": [
                {"mechanism": {"gaussian": {"sigma": 2, "query": {"margins": [["sex"]]}}}}
            ],
            "report": {"deltas": ["1/1000"]},
        }
        if not free:
            spec["dataspace"]["size"] = size
        if far > size * (2 if free else 1):
            del spec["adjacency"]["distance"]
            far = 1
        close, near = list(pairs(tables, metric, far)), list(pairs(tables, metric, 1))
        rhos = [
            Fraction(_squared(Counter(p[1] for p in x), Counter(p[1] for p in y)), 8)
            for x, y, _ in close
        ]
        for place, (kind, groups) in enumerate(zip(kinds, (dwellings, sexes), strict=False)):
            of_tables = {
                table: households(
                    tuple((person[place], 0) for person in table), groups, vacant=vacant
                )
                for table in tables
            }
            touched = max((max(changes(of_tables[x], of_tables[y])) for x, y, _ in near), default=0)
            release: dict[str, Any] = {
                "dataspace": {
                    "unit": ("household", "group")[place],
                    "attributes": {"persons": size + 1},
                },
                "touches": dict.fromkeys(
                    ("attribute", "geography", "within", "across", "exchange", "presence"), touched
                ),
                "mechanism": MECHANISMS[kind],
            }
            if not free:
                release["dataspace"]["size"] = groups
            spec["releases"].append(release)
            rhos = [
                rho + _household_rho(kind, of_tables[x], of_tables[y], metric)
                for rho, (x, y, _) in zip(rhos, close, strict=True)
            ]
        truth = max(rhos, default=Fraction(0))
        found = row(spec, "semi_dp")
        assert found["zcdp"]["rho"] >= truth, (spec, found, truth)
        if truth and "discrete_gaussian" not in kinds:
            # Of the mechanisms with a declared rho, one is a Gaussian pair with mu² = 2 rho.
            epsilon = gaussian_epsilon(mp.sqrt(2 * exactly(truth)), Fraction(1, 1000))
            assert found["approx_dp"][0]["epsilon"] >= epsilon * (1 - mp.mpf("1e-12")), (
                spec,
                found,
            )


def test_the_oracle_sees_what_it_enumerates() -> None:
    one, other = ((0, 0), (0, 1)), ((0, 0),)
    assert distance(one, other, "symmetric_difference") == 1
    assert distance(one, other, "hamming") is None
    assert changes(households(one, 1, vacant=True), households(other, 1, vacant=True)) == (1, 1)
    assert households((), 2, vacant=True) == Counter({0: 2})
    assert not households((), 2, vacant=False)
