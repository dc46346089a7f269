"""docs/extending.md: each worked example works, and touches no more files than it may."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.extending.patches import applied, in_copy, run, touched, type_errors
from tests.places import ROOT

MOST = {"noise.patch": 9, "framework.patch": 2, "format.patch": 2}
UNIFORM = """\
semiaudit: 1
dataspace: {unit: person}
mechanism: {bounded_uniform: {reach: 5, shifts: [1, -2]}}
report: {deltas: [0.3, 0.2]}
"""
PAIRS = """\
semiaudit: 1
dataspace: {size: 10, attributes: {a: 2, b: 2}}
invariants: [margin: [a]]
mechanism: {zcdp: {rho: 1/2}}
budgets:
  - {framework: pair_dp, rho: 1.9}
"""
KNOWN = PAIRS.partition("budgets")[0]


def spec(folder: Path, text: str) -> str:
    path = folder / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def guarantees(text: str) -> dict[str, dict[str, Any]]:
    return {row["framework"]: row for row in json.loads(text)["guarantees"]}


@pytest.mark.parametrize("name", list(MOST))
def test_an_example_touches_few_files_and_is_well_typed(name: str, tmp_path: Path) -> None:
    files = touched(name)
    assert 0 < len(files) <= MOST[name], files
    assert type_errors(applied(name, tmp_path), name.removesuffix(".patch")) == ""
    page = (ROOT / "docs" / "extending.md").read_text("utf-8")
    assert f"tests/extending/{name}" in page
    for file in files:
        assert f"`{file}`" in page, f"{name}: the page does not name {file}"


def test_a_new_kind_of_noise_is_read_stated_and_certified(tmp_path: Path) -> None:
    copy = applied("noise.patch", tmp_path)
    done = run(copy, "analyze", spec(tmp_path, UNIFORM), "--format", "json")
    assert done.returncode == 0, done.stderr
    nominal = guarantees(done.stdout)["nominal_dp"]
    # Coordinates that move by 1 and by 2 leave 1/11 and 2/11 of their 11 values: 3/11 in all.
    assert nominal["advantage"] == pytest.approx(3 / 11, rel=1e-9)
    assert nominal["advantage"] >= 1 - (10 / 11) * (9 / 11)
    points = {(p["delta"], p["conversion"]): p["epsilon"] for p in nominal["approx_dp"]}
    assert points[0.3, "declared"] == 0
    assert points[0.2, "tradeoff_duality"] == "inf"
    assert "uniform on a range of whole numbers" in json.loads(done.stdout)["statement"]["standard"]


def test_a_new_kind_of_noise_is_refused_where_its_query_need_not_be_whole(tmp_path: Path) -> None:
    copy = applied("noise.patch", tmp_path)
    text = UNIFORM.replace("[1, -2]", "[1/2]")
    done = run(copy, "analyze", spec(tmp_path, text), "--format", "json")
    assert done.returncode == 2
    assert "spec.yaml:3:" in done.stderr
    assert "bounded_uniform" in run(copy, "schema").stdout


def test_a_new_framework_is_compared_budgeted_and_listed(tmp_path: Path) -> None:
    copy, folder = applied("framework.patch", tmp_path), tmp_path / "specs"
    folder.mkdir()
    done = run(copy, "analyze", spec(folder, PAIRS), "--format", "json")
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    # rho 1/2 at distance 2 is 2^2 / 2, above the budget's 1.9.
    assert guarantees(done.stdout)["pair_dp"]["zcdp"] == {"rho": 2}
    (budget,) = report["budgets"]
    assert (budget["actual"], budget["holds"]) == (2, False)
    # The same rho for fewer pairs, as a(t) is 2 and D_t lies inside D.
    assert {"stronger": "pair_dp", "weaker": "semi_dp", "strict": True} in report["ordering"]
    for arguments in ((), ("--output",), ("--check",)):
        assert '"pair_dp"' in run(copy, "schema", *arguments).stdout
    table = run(copy, "batch", str(folder), "--format", "csv", "-q")
    assert "pair_dp_rho" in table.stdout.splitlines()[0]


def test_a_new_format_is_offered_and_written(tmp_path: Path) -> None:
    copy = applied("format.patch", tmp_path)
    path, target = spec(tmp_path, KNOWN), tmp_path / "out.tsv"
    done = run(copy, "analyze", path, "--format", "tsv", "-o", f"tsv={target}")
    assert done.returncode == 0, done.stderr
    # One margin: a(t) is 2, and rho 1/2 at distance 2 is 2.
    assert "semi_dp\tD_t\t2\t2\t\t\n" in done.stdout
    assert target.read_text("utf-8") == done.stdout
    assert re.search(
        r"\[text\|json\|markdown\|html\|csv\|latex\|tsv\]", run(copy, "analyze", "--help").stdout
    )
    assert "tsv" not in run(copy, "check", "--help").stdout
