"""Row 125 from the library: what a needed and what a redundant invariant is worth."""

from __future__ import annotations

from typing import Any

import pytest

from semiaudit import Finite, Spec, audit, lipschitz

STATES, NATION = {"margin": ["state"]}, "total"


def report_of(invariants: list[Any]) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "semiaudit": 1,
        "dataspace": {"unit": "person", "size": 20, "attributes": {"state": 3, "sex": 2}},
        "mechanism": {
            "topdown": {
                "spine": [{"level": "nation"}, {"level": "state", "attribute": "state"}],
                "queries": {"sex": {"tells": "sex"}, "total": {"tells": []}},
                "allocation": [
                    ["level", "query", "rho"],
                    ["nation", "sex", 1],
                    ["state", "sex", "1/2"],
                    ["state", "total", "1/2"],
                ],
            }
        },
    }
    return audit(Spec.from_mapping(spec | {"invariants": invariants})).as_dict()


def rho(report: dict[str, Any], notion: str) -> Any:
    (row,) = (row for row in report["guarantees"] if row["framework"] == notion)
    return row["zcdp"]["rho"]


def test_row_125_the_state_totals_are_needed_and_the_nation_s_is_not() -> None:
    both = report_of([STATES, NATION])
    states, nation = both["building_blocks"]["multiverse"]["invariants"]
    assert (states["redundant"], states["needed"]) == (False, True)
    assert (nation["redundant"], nation["needed"]) == (True, False)
    # without the redundant one all stays as it is, and stays finite
    alone = report_of([STATES])
    for notion in ("nominal_dp", "group_privacy", "semi_dp", "invariant_dp"):
        assert rho(alone, notion) == rho(both, notion)
    assert rho(alone, "semi_dp") == pytest.approx(4 * 1.5)
    # of two records that trade states, each is replaced by one of its own state
    assert rho(alone, "invariant_dp") == pytest.approx(1.5)
    # the total of a state cannot move inside D_t, and moves in D
    assert rho(alone, "group_privacy") == pytest.approx(4 * 2)


def test_row_125_in_all_of_d_no_intensity_is_finite() -> None:
    for invariants in ([STATES, NATION], [STATES]):
        theorems = report_of(invariants)["building_blocks"]["theorems"]
        (varies,) = (t for t in theorems if t["name"] == "invariant_varies")
        assert varies["applies"] is True


@pytest.mark.parametrize(
    ("universes", "finite"),
    [
        # state totals: who is where is known, what they are is not
        ([[0, 1], [2, 3]], True),
        # a coarser partition: some universe holds datasets of unlike totals
        ([[0, 1, 2, 3]], False),
    ],
)
def test_row_125_by_enumeration(universes: list[list[int]], *, finite: bool) -> None:
    """Two records of one state or of both; the noisy sex is published beside the exact totals."""
    datasets = [["a-f", "a-f"], ["a-f", "a-m"], ["a-f", "b-f"], ["a-f", "b-m"]]
    laws = [
        ["3/4", "1/4", "0", "0"],
        ["1/4", "3/4", "0", "0"],
        ["0", "0", "3/4", "1/4"],
        ["0", "0", "1/4", "3/4"],
    ]
    named = [[datasets[at] for at in universe] for universe in universes]
    found = lipschitz(Finite(datasets, laws), universes=named)
    assert all((float(one.upper) < float("inf")) is finite for one in found)
