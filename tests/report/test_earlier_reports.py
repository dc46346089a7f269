"""JSON reports written at 3cfefce: compared, taken as baselines, and refused if they were edited.

tests/golden/README.md says how the files were written.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import semiaudit
from semiaudit.cli import main
from semiaudit.commands.compare.read_back import compared_from_report
from semiaudit.report.form.contradictions import contradiction_of
from semiaudit.report.form.from_json import load_baseline
from tests.places import CONFIGS, ROOT

EARLIER = ROOT / "tests" / "golden" / "earlier"
REPORTS = sorted((EARLIER / "reports").glob("*.json"))
UNITS = {
    "census2020_pl94": "person",
    "gao_campus_wifi": "person-hour",
    "swapping_1940_households": "household",
    "example2_three_bits": "record",
}
"""The unit of some configs, as their specs have it."""


def report_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((EARLIER / "reports" / f"{name}.json").read_text("utf-8"))
    return found


def test_there_is_a_report_on_every_config() -> None:
    assert {path.stem for path in REPORTS} <= {path.stem for path in CONFIGS.glob("*.yaml")}
    assert len(REPORTS) == 27


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.stem)
def test_a_report_of_3cfefce_is_compared_and_is_a_baseline(path: Path) -> None:
    data, written = path.read_bytes(), json.loads(path.read_text("utf-8"))
    assert "unit" not in written
    found = compared_from_report(str(path), data, "A")
    assert list(found.invariants) == written["invariants"]
    assert [row.guarantee.framework for row in found.rows] == [
        row["framework"] for row in written["guarantees"]
    ]
    assert found.statement.unit.startswith(f"one {found.unit}, ")
    (earlier,) = load_baseline(path)
    assert list(earlier.invariants) == written["invariants"]
    assert not earlier.names_records


@pytest.mark.parametrize(("name", "unit"), UNITS.items())
def test_the_unit_of_a_report_of_3cfefce_is_that_of_its_spec(name: str, unit: str) -> None:
    path = EARLIER / "reports" / f"{name}.json"
    assert compared_from_report(str(path), path.read_bytes(), "A").unit == unit


def test_a_report_of_3cfefce_and_its_spec_are_the_same_release(
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = "two_releases"
    report = EARLIER / "reports" / f"{name}.json"
    assert main(["compare", str(report), str(CONFIGS / f"{name}.yaml"), "--format", "json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["releases"]
    assert first["invariants"] == second["invariants"]
    assert first["invariants"] == ["margin [age]", "margin [zip]"]


def test_a_report_holds_nothing_but_plain_texts() -> None:
    """Sentences remember their first words inside the program, and in no report."""
    spec = EARLIER / "gate" / "specs" / "subspace.yaml"
    texts: list[str] = []

    def look(found: object) -> None:
        if isinstance(found, dict):
            look(list(found.values()))
        elif isinstance(found, list):
            for item in found:
                look(item)
        elif isinstance(found, str):
            texts.append(found)

    report = semiaudit.audit(spec)
    look(report.as_dict())
    texts.append(report.nominal_dp.refused)
    assert texts[-1]
    assert {type(text) for text in texts} == {str}


Edit = Callable[[dict[str, Any]], object]
EDITS: dict[str, Edit] = {
    "unit.unit is not that": lambda r: r["building_blocks"]["unit"].update(unit="person"),
    "unit.metric is not that": lambda r: r["building_blocks"]["unit"].update(metric="hamming"),
    "unit is missing": lambda r: r["statement"].update(unit="one record"),
    "multiverse.invariants are not": lambda r: r["invariants"].clear(),
    "value is not": lambda r: r["semi_adjacency"].update(value=0),
}


@pytest.mark.parametrize("told", EDITS)
def test_an_edited_report_of_3cfefce_is_refused(told: str) -> None:
    report = report_of("swapping_1940_households")
    assert contradiction_of(report) == ""
    EDITS[told](report)
    assert told in contradiction_of(report)


def test_a_sentence_of_a_report_may_say_anything_where_the_keys_say_it() -> None:
    report = report_of("two_releases")
    named = copy.deepcopy(report) | {"unit": report["building_blocks"]["unit"]["unit"]}
    named["statement"] = dict.fromkeys(named["statement"], "in other words")
    assert contradiction_of(named) == ""
    found = compared_from_report("x", json.dumps(named).encode(), "A")
    assert found.unit == report["building_blocks"]["unit"]["unit"]
    assert "unit.unit is not that" in contradiction_of(named | {"unit": "somebody"})


@pytest.mark.parametrize("name", ["two_releases", "census2020_pl94", "gao_county_populations"])
def test_a_config_has_not_drifted_from_its_report_of_3cfefce(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = report_of(name)
    report["tool"]["version"] = "0.0.9"  # 0.1.0 was not released then
    (tmp_path / "baseline.json").write_text(json.dumps(report), "utf-8")
    baseline = str(tmp_path / "baseline.json")
    main(["check", str(CONFIGS / f"{name}.yaml"), "--baseline", baseline, "--format", "json"])
    (found,) = json.loads(capsys.readouterr().out)["verdicts"]
    assert not {"SA027", "SA028"} & {finding["rule"] for finding in found["findings"]}


def drift_of(name: str, spec: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What is weaker than in the report of 3cfefce, up to the first comma of each sentence."""
    baseline = str(EARLIER / "reports" / f"{name}.json")
    main(["check", str(spec), "--baseline", baseline, "--format", "json"])
    (found,) = json.loads(capsys.readouterr().out)["verdicts"]
    messages = [one["message"] for one in found["findings"] if one["rule"] == "SA027"]
    return [message.partition(",")[0] for message in messages]


def test_a_report_of_3cfefce_shows_what_a_spec_no_longer_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An invariant, the unit, and the values: none of them makes a number of the table weaker."""
    name = "example5_table"
    text, spec = (CONFIGS / f"{name}.yaml").read_text("utf-8"), tmp_path / "spec.yaml"
    for old, new, expected in (
        ("  - margin: [a2]\n", "", ["margin [a2] was published exactly"]),
        ("unit: record", "unit: person", ["the unit is person"]),
        (
            "data:\n  counts: [[1, 1], [1, 0]]\n",
            "",
            [
                "the values of the invariants were given",
                "the dataspace changed: size not fixed → 3; the two audits are about other "
                "datasets",
            ],
        ),
        ("", "", []),
    ):
        assert old in text
        size = "unit: record\n  size: 3" if new == "" and "data" in old else "unit: record"
        spec.write_text(text.replace("unit: record", size).replace(old, new), "utf-8")
        assert drift_of(name, spec, capsys) == expected


def test_a_first_report_of_check_says_nothing_of_units_and_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has neither, but it lists the invariants."""
    gate = EARLIER / "gate"
    text = (gate / "before" / "same.yaml").read_text("utf-8")
    folder = tmp_path / "releases"
    folder.mkdir()
    spec = folder / "same.yaml"
    baseline = json.loads((gate / "baseline.json").read_text("utf-8"))
    kept = [v for v in baseline["verdicts"] if v["spec"]["path"] == "releases/same.yaml"]
    old = tmp_path / "old.json"
    old.write_text(json.dumps(baseline | {"verdicts": kept}), "utf-8")

    def messages(changed: str) -> list[str]:
        spec.write_text(changed, "utf-8")
        main(["check", str(spec), "--baseline", str(old), "--format", "json"])
        (found,) = json.loads(capsys.readouterr().out)["verdicts"]
        return [f["message"] for f in found["findings"] if f["rule"] == "SA027"]

    assert messages(text.replace("{size", "{unit: visit, size")) == []
    assert [m.partition(",")[0] for m in messages(text.replace("margin: [b], ", ""))] == [
        "margin [b] was published exactly"
    ]


def test_the_first_baselines_named_no_records_and_show_what_other_records_add(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`apart.yaml` publishes a margin of persons, and one of housing units."""
    text = (EARLIER / "apart.yaml").read_text("utf-8")
    spec, baseline = tmp_path / "apart.yaml", str(EARLIER / "apart.json")

    def added(old: str, new: str) -> list[str]:
        assert old in text
        spec.write_text(text.replace(old, new), "utf-8")
        main(["check", str(spec), "--baseline", baseline, "--format", "json"])
        (found,) = json.loads(capsys.readouterr().out)["verdicts"]
        told = [f["message"] for f in found["findings"] if f["rule"] == "SA027"]
        return sorted(one.partition(" is published")[0] for one in told if " is published" in one)

    persons, units = "invariants: [margin: [st]]", "invariants: [margin: [bl, t]]"
    assert added(persons, persons) == []
    assert added(units, "invariants: [margin: [bl, t], total: true]") == [
        "total of housing unit records"
    ]
    assert added(persons, "invariants: [margin: [st], margin: [age]]") == ["margin [age]"]
    assert added(units, "invariants: [margin: [bl, t], margin: [bl, t]]") == [
        "margin [bl, t] of housing unit records"
    ]
