"""Reports that were edited by hand: none makes a comparison, a traceback, or an internal error."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import semiaudit
from semiaudit.cli import main
from semiaudit.report.form.contradictions import contradiction_of
from tests.places import CONFIGS

SPEC = "semiaudit: 1\ndataspace: {size: 5, attributes: {a: 2}}\nmechanism: {gdp: {mu: 1}}\n"

Edit = Callable[[dict[str, Any]], object]


def semi_dp(report: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(g for g in report["guarantees"] if g["framework"] == "semi_dp")
    return found


EDITS: dict[str, Edit] = {
    "rho is below 0": lambda r: semi_dp(r)["zcdp"].update(rho=-0.5),
    "mu is below 0": lambda r: semi_dp(r)["gdp"].update(mu=-1),
    "epsilon is below 0": lambda r: semi_dp(r)["approx_dp"][0].update(epsilon=-3),
    "epsilon_lower is above": lambda r: semi_dp(r)["approx_dp"][0].update(epsilon_lower=99),
    "universe is not that": lambda r: semi_dp(r).update(universe="D"),
    "metric is not that": lambda r: semi_dp(r)["adjacency"].update(metric="multiset_hamming"),
    "distance is 0": lambda r: semi_dp(r)["adjacency"].update(distance=0),
    "a privacy definition twice": lambda r: r["guarantees"].append(semi_dp(r)),
    "value is not": lambda r: r["semi_adjacency"].update(value=0),
    "unit.metric is not that": lambda r: r["building_blocks"]["unit"].update(
        metric="multiset_hamming"
    ),
    "unit.unit is not that": lambda r: r["building_blocks"]["unit"].update(unit="household"),
    "unit is missing": lambda r: (r.pop("unit"), r["statement"].update(unit="one record")),
    "multiverse.invariants are not": lambda r: r["invariants"].append("margin [a]"),
    "is refused, but has numbers": lambda r: semi_dp(r).update(refused=True),
    "tpr is below fpr": lambda r: semi_dp(r)["tpr_at_fpr"][0].update(tpr=0.001),
    "more errors than a guess": lambda r: semi_dp(r).update(
        tradeoff=[{"type_i": 0.5, "type_ii": 0.6}]
    ),
    "upper bound is below": lambda r: r["semi_adjacency"]["covering"].update(lower=9),
}


@pytest.mark.parametrize("told", EDITS)
def test_an_edited_report_is_refused(
    told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec, path = tmp_path / "spec.yaml", tmp_path / "report.json"
    spec.write_text(SPEC, "utf-8")
    report = semiaudit.audit(spec).as_dict()
    assert contradiction_of(report) == ""
    EDITS[told](report)
    path.write_text(json.dumps(report), "utf-8")
    assert main(["compare", str(path), str(spec)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "contradicts itself" in err
    assert told in err


@pytest.mark.parametrize("name", ["census2020_pl94", "example3_all_zero", "gao_campus_wifi"])
def test_no_report_of_an_audit_contradicts_itself(name: str) -> None:
    assert contradiction_of(semiaudit.audit(CONFIGS / f"{name}.yaml").as_dict()) == ""
