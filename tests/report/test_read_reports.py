"""JSON reports of the program: taken as baselines and compared, and refused if they were edited."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import semiaudit
from semiaudit.cli import main
from semiaudit.commands.compare.comparison import compared_from_report
from tests.places import CONFIGS


@cache
def _text(name: str) -> str:
    return semiaudit.audit(CONFIGS / f"{name}.yaml").render("json")


def report_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_text(name))
    return found


def test_a_report_and_its_spec_are_the_same_release(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "two_releases"
    (tmp_path / "report.json").write_text(_text(name), "utf-8")
    spec = str(CONFIGS / f"{name}.yaml")
    assert main(["compare", str(tmp_path / "report.json"), spec, "--format", "json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["releases"]
    assert first["invariants"] == second["invariants"]
    assert first["invariants"] == ["margin [age]", "margin [zip]"]


def test_a_sentence_of_a_report_may_say_anything_where_the_keys_say_it() -> None:
    report = report_of("two_releases")
    named = report | {"statement": dict.fromkeys(report["statement"], "in other words")}
    found = compared_from_report("x", json.dumps(named).encode(), "A")
    assert found.unit == report["building_blocks"]["unit"]["unit"]


@pytest.mark.parametrize("name", ["two_releases", "census2020_pl94", "gao_county_populations"])
def test_a_config_has_not_drifted_from_its_report_of_another_version(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = report_of(name)
    report["tool"]["version"] = "0.0.9"
    (tmp_path / "baseline.json").write_text(json.dumps(report), "utf-8")
    assert not drift_of(tmp_path / "baseline.json", CONFIGS / f"{name}.yaml", capsys)


def drift_of(baseline: Path, spec: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What is weaker than in the report, up to the first comma of each sentence."""
    main(["check", str(spec), "--baseline", str(baseline), "--format", "json"])
    (found,) = json.loads(capsys.readouterr().out)["verdicts"]
    messages = [one["message"] for one in found["findings"] if one["rule"] in {"SA027", "SA028"}]
    return [message.partition(",")[0] for message in messages]


def test_a_report_shows_what_a_spec_no_longer_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An invariant, the unit, and the values: none of them makes a number of the table weaker."""
    name = "example5_table"
    text, spec = (CONFIGS / f"{name}.yaml").read_text("utf-8"), tmp_path / f"{name}.yaml"
    baseline = tmp_path / "baseline.json"
    spec.write_text(text, "utf-8")
    main(["analyze", str(spec), "-o", f"json={baseline}"])
    capsys.readouterr()
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
        assert drift_of(baseline, spec, capsys) == expected
