"""How the secrets of a hierarchical release are shown: rows that say the same stand together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import semiaudit
from semiaudit.library.report import audit_of
from semiaudit.report.blocks.semantics_view import semantics_blocks

SPEC = """semiaudit: 1
title: A made-up country
dataspace: {size: 50, attributes: {state: [x, y], age: 3, sex: 2}}
invariants: [margin: [state]]
mechanism:
  topdown:
    spine: [{level: US}, {level: State, attribute: state, split: [x]}, {level: Town}]
    queries: {age: age, total: []}
    allocation: [[level, query, rho], [US, age, 1/4], [State, total, 1/2], [Town, age, 1/8]]
report: {deltas: [1e-6], priors: [1/4]}
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> semiaudit.Report:
    path = tmp_path_factory.mktemp("specs") / "spec.yaml"
    path.write_text(SPEC)
    return semiaudit.audit(path)


def test_rows_of_d_and_d_t_that_say_the_same_are_one_and_places_have_letters(
    report: semiaudit.Report,
) -> None:
    one, whole, guesses = semantics_blocks(audit_of(report), caveats=True)
    rows = {row[0]: row[1:] for row in one.rows}
    assert rows["attribute age"][:3] == ("D, Dₜ", "0.375", "0.429")
    assert rows["attribute sex"][:3] == ("D, Dₜ", "0", "0")
    assert rows["Town within US"][:2] == ("D", "0.625")
    assert rows["Town within US A"][:2] == ("Dₜ", "0.625")
    assert rows["Town within US B"][:2] == ("Dₜ", "0.125")
    assert "A: one state that State splits; B: one state that State does not split." in one.notes
    changed = {row[:3]: row[3:5] for row in whole.rows}
    assert changed["within state A", "Dₜ", "2"] == ("3.5", "4")
    assert changed["within state B", "Dₜ", "2"] == ("1.5", "1.715")
    assert changed["across states", "Dₜ", "1"] == ("no pair", "-")
    assert changed["across states", "D", "1"] == ("0.875", "1")
    assert guesses.columns[3] == "prior 0.25"
    assert all(float(row[3]) >= 0.75 for row in guesses.rows)


def test_the_short_table_has_the_worst_place_of_each_secret(report: semiaudit.Report) -> None:
    (short,) = semantics_blocks(audit_of(report), caveats=False)
    losses = {row[:2]: row[2] for row in short.rows}
    assert losses["Town within US", "1"] == "0.625"
    assert losses["within state", "2"] == "3.5"
    assert ("within state", "1") not in losses


def test_the_json_report_has_every_secret_with_its_place(report: semiaudit.Report) -> None:
    found: list[dict[str, Any]] = report.as_dict()["semantics"]
    keys = [(s["name"], s["universe"], s["distance"], s["where"]) for s in found]
    assert len(set(keys)) == len(keys)
    nobody = next(s for s in found if s["name"] == "across_states" and s["universe"] == "D_t")
    assert (nobody["zcdp"], nobody["approx_dp"], nobody["factor"]) == (None, [], None)
    within = next(s for s in found if s["name"] == "within_state" and s["distance"] == 2)
    assert within["where"] == "one state that State splits"
    assert within["zcdp"] == {"rho": 3.5}
    (point,) = within["approx_dp"]
    assert point["epsilon_lower"] < point["epsilon"]
    assert within["best_guess"][0]["prior"] == 0.25


def test_what_is_no_hierarchy_has_no_such_tables(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text("semiaudit: 1\ndataspace: {unit: person}\nmechanism: {zcdp: {rho: 1}}\n")
    plain = semiaudit.audit(path)
    assert plain.as_dict()["semantics"] == []
    assert semantics_blocks(audit_of(plain), caveats=True) == []


def test_a_pair_whose_rho_is_not_known_is_none_the_less_a_pair(tmp_path: Path) -> None:
    """Beside a guarantee at one delta alone no rho of the whole is known, and epsilon is."""
    path = tmp_path / "spec.yaml"
    tables, spec = "mechanism:\n  topdown:", SPEC.replace("\n    ", "\n        ")
    beside = "mechanism:\n  compose:\n    - approx_dp: {epsilon: 1, delta: 1e-8}\n    - topdown:"
    path.write_text(spec.replace(tables, beside))
    report = semiaudit.audit(path)
    found = {(s["name"], s["universe"]): s for s in report.as_dict()["semantics"]}
    age = found["attribute:age", "D"]
    assert (age["has_pair"], age["zcdp"], len(age["approx_dp"])) == (True, None, 1)
    one = semantics_blocks(audit_of(report), caveats=True)[0]
    assert {row[0]: row[2] for row in one.rows}["attribute age"] == "-"
    nobody = [s for s in report.as_dict()["semantics"] if not s["has_pair"]]
    assert {(s["name"], s["distance"]) for s in nobody} == {("across_states", 1)}


def test_nothing_is_lost_by_a_pair_that_may_not_exist_and_no_lower_end_is_told(
    tmp_path: Path,
) -> None:
    """Two counties in named parts of a state: each part may be one. Counties are not asked."""
    path = tmp_path / "spec.yaml"
    path.write_text(
        """semiaudit: 1
dataspace: {size: 9, attributes: {state: [x], county: {within: state, levels: {x: [a, b]}}, age: 2}}
mechanism:
  topdown:
    spine: [{level: State, attribute: state}, {level: Part}, {level: County, attribute: county}]
    queries: {age: age}
    allocation: [[level, query, rho], [State, age, 1]]
report: {deltas: [1e-6]}
"""
    )
    found = {(s["name"], s["universe"]): s for s in semiaudit.audit(path).as_dict()["semantics"]}
    for name, lower in (
        ("geography:County within Part", None),
        ("geography:County within State", 0),
    ):
        row = found[name, "D"]
        assert row["zcdp"] == {"rho": 0}
        assert [point["epsilon_lower"] for point in row["approx_dp"]] == [lower]
