"""One audit as CSV: every number of the JSON report, on its side, a row each."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from semiaudit.library.report import Report, audit
from semiaudit.report import VERDICT_RENDERERS, Layout
from semiaudit.report.blocks.summary import COLUMNS as OF_A_BATCH
from semiaudit.report.form.to_csv import COLUMNS
from tests.audits import audit_of, shipped_report
from tests.places import CONFIGS, SPECS
from tests.report.text.test_shield import named

LOSS = """\
semiaudit: 1
dataspace: {size: 40, attributes: {a: 2, b: 3}}
invariants: [margin: [a]]
mechanism:
  compose:
    - {laplace: {scale: 2, query: table}}
    - {discrete_laplace: {scale: 3, query: table}}
report: {deltas: [1e-6, 1/3], alphas: [1/3, 0.05]}
budgets:
  - {framework: semi_dp, epsilon: 1, delta: 1e-6}
  - {framework: invariant_dp, rho: 100, distance: 2}
  - {framework: semi_dp, tpr: 0.9, fpr: 1/7}
  - {framework: semi_dp, a_t: 2}
"""
REPORTS = [CONFIGS / "census2020_pl94.yaml", CONFIGS / "example3_all_zero.yaml",
           CONFIGS / "gao_county_populations.yaml", SPECS / "exceeds/infinite_epsilon.yaml",
           SPECS / "exceeds/no_such_number.yaml"]  # fmt: skip


def rows_of(report: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(report.render("csv"))))


def expected(report: dict[str, Any]) -> set[tuple[str, ...]]:
    """(framework, measure, at, side, value) of all numbers of a JSON report's guarantees."""
    found: set[tuple[str, ...]] = set()
    for row in report["guarantees"]:
        numbers = [
            ("rho", "", "", row["zcdp"] and row["zcdp"]["rho"]),
            ("mu", "", "", row["gdp"] and row["gdp"]["mu"]),
            ("mu_regret", "", "", row["gdp"] and row["gdp"]["regret"]),
            ("epsilon", "0", "", row["pure_dp"] and row["pure_dp"]["epsilon"]),
            ("advantage", "", "upper", row["advantage"]),
        ]
        for point in row["approx_dp"]:
            numbers.append(("epsilon", str(point["delta"]), "", point["epsilon"]))
            numbers.append(("epsilon", str(point["delta"]), "lower", point["epsilon_lower"]))
        for point in row["tradeoff"]:
            numbers.append(("type_ii", str(point["type_i"]), "lower", point["type_ii"]))
        for point in row["tpr_at_fpr"]:
            numbers.append(("tpr", str(point["fpr"]), "upper", point["tpr"]))
        found |= {
            (row["framework"], measure, at, side, str(value))
            for measure, at, side, value in numbers
            if value is not None
        }
    return found


def check_against_json(report: Report) -> None:
    data, rows = report.as_dict(), rows_of(report)
    stated = [row for row in rows if row["framework"] and not row["measure"].startswith("budget")]
    told = {
        (row["framework"], row["measure"], row["at"], row["side"], row["value"])
        for row in stated
        if not row["refused"]
    }
    wanted = expected(data)
    assert {(*key, value) for *key, side, value in wanted} == {
        (*key, value) for *key, side, value in told
    }
    assert {row for row in wanted if row[3]} <= told
    sides = {"lower": {"lower"}, "type_ii": {"lower"}}
    for framework, measure, _, side, _ in told:
        allowed = sides.get(measure, {"exact", "upper", "lower"})
        assert side in allowed, (framework, measure)
    for guarantee in data["guarantees"]:
        own = [row for row in stated if row["framework"] == guarantee["framework"]]
        assert {row["universe"] for row in own} == {guarantee["universe"]}
        assert {row["metric"] for row in own} == {guarantee["adjacency"]["metric"]}
        distance = guarantee["adjacency"]["distance"]
        assert {row["distance"] for row in own} == {"" if distance is None else str(distance)}
        if guarantee["refused"]:
            assert [row["refused"] for row in own] == [guarantee["note"]]
            assert own[0]["value"] == ""
        else:
            covers = str(guarantee["covers_joint_release"]).lower()
            assert {row["covers_joint_release"] for row in own} == {covers}
        conversions = {p["conversion"] for p in guarantee["approx_dp"]}
        assert conversions <= {row["conversion"] for row in own}
    semi = data["semi_adjacency"]
    ends = {(r["measure"], r["side"]): r["value"] for r in rows if not r["framework"]}
    assert ends.get(("a_t", "exact"), ends.get(("a_t", "upper"))) == (
        None if semi["value"] is None else str(semi["value"])
    )
    for name in ("covering", "definition_13"):
        lower, upper = semi[name]["lower"], semi[name]["upper"]
        if lower == upper:
            assert ends[f"a_t_{name}", "exact"] == str(lower)
        else:
            assert ends[f"a_t_{name}", "lower"] == str(lower)
            assert ends[f"a_t_{name}", "upper"] == ("inf" if upper is None else str(upper))
    limits = [row for row in rows if row["side"] == "limit"]
    holds = [row for row in rows if row["side"] == "holds"]
    assert len(limits) == len(holds) == len(data["budgets"])
    for budget, limit, held in zip(data["budgets"], limits, holds, strict=True):
        assert limit["measure"] == held["measure"] == f"budget_{budget['measure']}"
        assert limit["value"] == str(budget["limit"])
        assert limit["at"] == ("" if budget["at"] is None else str(budget["at"]))
        assert (held["value"], held["refused"]) == (str(int(budget["holds"])), budget["reason"])
        if budget["distance"] is not None:
            assert limit["distance"] == str(budget["distance"])
    actual = [row for row in rows if row["measure"].startswith("budget_")]
    actual = [row for row in actual if row["side"] not in ("limit", "holds")]
    assert [row["value"] for row in actual] == [
        str(budget["actual"]) for budget in data["budgets"] if budget["actual"] is not None
    ]


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_every_number_of_the_json_report_is_a_row_and_no_other_is(path: Path) -> None:
    check_against_json(audit(path))


def test_a_composed_loss_has_both_ends_of_its_epsilons_and_all_its_budgets(tmp_path: Path) -> None:
    report = audit_of(tmp_path, LOSS)
    check_against_json(report)
    rows = rows_of(report)
    ends = {
        row["side"]: float(row["value"])
        for row in rows
        if (row["framework"], row["at"], row["conversion"])
        == ("nominal_dp", "1e-06", "loss_distribution")
        and row["measure"] == "epsilon"
    }
    assert 0 < ends["lower"] <= ends["upper"] < ends["lower"] * (1 + 2e-6)
    # 1/3 is no double: as a delta it is rounded up, as a type I error down.
    deltas = {row["at"] for row in rows if row["measure"] == "epsilon"}
    rates = {row["at"] for row in rows if row["measure"] == "tpr"}
    assert "0.33333333333333337" in deltas
    assert "0.3333333333333333" in rates


def test_the_census_stands_with_its_published_numbers() -> None:
    rows = rows_of(shipped_report(CONFIGS / "census2020_pl94.yaml"))
    found = {(r["framework"], r["measure"], r["conversion"]): r["value"] for r in rows}
    # Cho and Awan, section 6.1: rho 10.24 where 2.56 was advertised.
    assert found["semi_dp", "rho", "zcdp"] == "10.24"
    assert found["nominal_dp", "rho", "zcdp"] == "2.56"
    assert found["semi_dp", "epsilon", "bs16"].startswith("40.95056")
    assert found["", "a_t", "supremum_over_t"] == "2"


def test_the_header_is_the_contract() -> None:
    assert ",".join(COLUMNS) == (
        "framework,universe,metric,distance,covers_joint_release,measure,at,conversion,side,value,"
        "refused"
    )


def test_no_spreadsheet_calculates_a_reason() -> None:
    from semiaudit.report.form.to_csv import Record, line_of

    assert line_of(Record(refused="=1+1"))[-1] == "'=1+1"


def test_the_csv_of_verdicts_is_the_summary_of_a_batch() -> None:
    verdicts = [named("=a.yaml"), named("b.yaml")]
    names = [column.name for column in OF_A_BATCH]
    timed = VERDICT_RENDERERS["csv"](verdicts, Layout(times=True))
    assert next(csv.reader(StringIO(timed))) == names
    text = VERDICT_RENDERERS["csv"](verdicts, Layout())
    rows = list(csv.DictReader(StringIO(text)))
    assert list(rows[0]) == [name for name in names if name != "seconds"]
    assert [row["path"] for row in rows] == ["'=a.yaml", "b.yaml"]
