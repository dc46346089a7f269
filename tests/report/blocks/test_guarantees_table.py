"""One table has every privacy definition, with what it guarantees; equal rows are one row."""

from __future__ import annotations

from pathlib import Path

import pytest

from semiaudit import audit
from semiaudit.library.report import audit_of
from semiaudit.report.blocks.guarantees_table import MOST_PLACES, guarantees_block
from semiaudit.report.text.layout import Grid
from semiaudit.spec.schema import MOST_RATES
from tests.audits import audit_of as audit_of_text
from tests.audits import shipped_report
from tests.golden.published import PUBLISHED
from tests.places import CONFIGS

TABLE = {
    "semiaudit": 1,
    "dataspace": {"size": 10, "attributes": {"a": 2, "b": ["x", "y", "z"]}},
    "invariants": [{"margin": ["a"]}],
    "mechanism": {"zcdp": {"rho": 2.56}},
}


def table(*, verbose: bool = False, **changes: object) -> Grid:
    return guarantees_block(audit_of(audit({**TABLE, **changes})), verbose=verbose)


def column(grid: Grid, name: str) -> dict[str, str]:
    at = grid.columns.index(name)
    return {row[0]: row[at] for row in grid.rows}


def test_definitions_with_the_same_numbers_share_a_row() -> None:
    rho = column(table(), "ρ")
    assert rho == {
        "Advertised DP, Subspace DP": "2.56",
        "Group privacy": "10.24",
        "Semi-DP (effective)": "10.24",
        "DP subject to invariants": "2.56",
    }
    assert column(table(), "pairs")["Semi-DP (effective)"] == "Dₜ, 2"
    assert set(column(table(invariants=[]), "ρ").values()) == {"2.56"}


def test_a_row_has_the_published_epsilon_of_the_first_delta() -> None:
    report = shipped_report(CONFIGS / "census2020_pl94.yaml")
    epsilon = column(guarantees_block(audit_of(report), verbose=False), "ε at δ = 1e-10")
    for name, key in (
        ("Advertised DP, Subspace DP", "cks20_of_2.56"),
        ("Semi-DP (effective)", "cks20_of_10.24"),
    ):
        known = PUBLISHED[key]
        assert 0 <= float(epsilon[name]) - float(known.text) + known.tolerance <= 1e-2
    assert "at δ = 1e-10, by Canonne, Kamath, Steinke 2020" in " ".join(report.render().split())


def test_a_verbose_table_has_a_column_for_each_conversion_and_rate() -> None:
    few = {"deltas": ["1e-6", "1e-9"], "alphas": [0.01, 0.05]}
    short, long = table(report=few), table(report=few, verbose=True)
    assert [name for name in short.columns if "ε" in name] == ["ε at δ = 1e-6"]
    assert [name for name in short.columns if "TPR" in name] == ["TPR at FPR 5%"]
    assert {"TPR at FPR 1%", "TPR at FPR 5%", "covers invariants"} <= {*long.columns}
    conversions = [name for name in long.columns if name.startswith("ε at δ = 1e-9, ")]
    assert {"Canonne, Kamath, Steinke 2020", "Bun, Steinke 2016"} <= {
        name.partition(", ")[2] for name in conversions
    }
    assert len({*long.columns}) == len(long.columns)


def test_every_number_of_the_table_is_the_one_of_json() -> None:
    report = audit({**TABLE, "report": {"deltas": ["1e-6"], "alphas": [0.05]}})
    grid = guarantees_block(audit_of(report), verbose=True)
    (semi,) = [row for row in report.as_dict()["guarantees"] if row["framework"] == "semi_dp"]
    assert float(column(grid, "ρ")["Semi-DP (effective)"]) == semi["zcdp"]["rho"]
    advantage = float(column(grid, "advantage")["Semi-DP (effective)"])
    assert 0 <= advantage - semi["advantage"] < 1e-5


@pytest.mark.parametrize("width", [80, 120])
def test_many_deltas_and_rates_leave_the_table_as_it_is(width: int, tmp_path: Path) -> None:
    places = ", ".join(f"{place}/{MOST_RATES + 1}" for place in range(1, MOST_RATES + 1))
    text = (
        "semiaudit: 1\ndataspace: {size: 9, attributes: {a: 2, b: 2}}\ninvariants: [margin: [a]]\n"
        "mechanism: {approx_dp: {epsilon: 1, delta: 1e-6}}\n"
        f"report: {{deltas: [{places}], alphas: [{places}]}}\n"
    )
    found = audit_of_text(tmp_path, text)
    assert len({p["delta"] for p in found.as_dict()["guarantees"][2]["approx_dp"]}) == MOST_RATES
    lines = found.render("text", width=width, verbose=True).splitlines()
    assert "In JSON and CSV: ε at 200 values of δ and TPR at 200 FPRs." in " ".join(lines)
    start = lines.index("Guarantees")
    assert all(len(line) <= width for line in lines[start : start + 3 * MOST_PLACES])
