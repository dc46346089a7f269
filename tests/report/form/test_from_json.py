"""Reports that are no longer as written: each is refused, as a release and as a baseline."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import semiaudit
from semiaudit.checking.gate import load_baseline
from semiaudit.cli import main
from semiaudit.commands.compare.comparison import compared_from_report
from semiaudit.errors import SpecError
from semiaudit.report.form.from_json import fault_of, json_of, read_report
from tests.audits import shipped_report
from tests.places import CONFIGS, ROOT

SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text("utf-8"))
VALUES: list[Any] = [None, True, 0, -1, 1.5, 2.0, "inf", "x", [], {}, [1], {"a": 1}]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(inner, (*path, key))
    return found


def changed(report: Any, at: random.Random) -> Any:
    """A report in which one place holds something else, lacks a key or has another one."""
    found = copy.deepcopy(report)
    path = at.choice(places(found)[1:])
    holder = found
    for key in path[:-1]:
        holder = holder[key]
    what = at.randrange(3)
    if what == 0:
        del holder[path[-1]]
    elif what == 1 and isinstance(holder, dict):
        holder["no_such_key"] = 1
    else:
        holder[path[-1]] = at.choice(VALUES)
    return found


@pytest.mark.parametrize("config", ["example5_table", "census2020_pl94"])
def test_it_agrees_with_the_reference_on_changed_reports(config: str) -> None:
    report = json.loads(json.dumps(shipped_report(CONFIGS / f"{config}.yaml").as_dict()))
    assert fault_of(report, SCHEMA) == ""
    reference = Draft202012Validator(SCHEMA)
    at = random.Random(2)
    refused = 0
    for _ in range(25):
        other = changed(report, at)
        fault = fault_of(other, SCHEMA)
        assert (fault == "") == reference.is_valid(other), fault
        refused += fault != ""
    assert refused > 8


def test_a_fault_names_its_place() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "integer", "minimum": 0}}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert fault_of({"a": [0, -1]}, schema) == "a[1] lies outside of what it may be"
    assert fault_of({}, schema) == "the whole lacks a"
    assert fault_of({"a": [], "b": 1}, schema) == "the whole has a key that is not known"
    assert fault_of({"a": [True]}, schema) == "a[0] is no integer"


@pytest.mark.parametrize("schema", [{"maxLength": 3}, {"additionalProperties": {"type": "string"}}])
def test_a_rule_that_is_not_known_is_never_passed_over(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"known|false"):
        fault_of({}, schema)


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
    "unit is missing": lambda r: r.pop("unit"),
    "restrictions, are missing": lambda r: r["building_blocks"]["domain"].pop("restrictions"),
    "multiverse.invariants are not": lambda r: r["invariants"].append("margin [a]"),
    "is refused, but has numbers": lambda r: semi_dp(r).update(refused=True),
    "tpr is below fpr": lambda r: semi_dp(r)["tpr_at_fpr"][0].update(tpr=0.001),
    "more errors than a guess": lambda r: semi_dp(r).update(
        tradeoff=[{"type_i": 0.5, "type_ii": 0.6}]
    ),
    "upper bound is below": lambda r: r["semi_adjacency"]["covering"].update(lower=9),
}


def written(folder: Path, report: object, name: str = "report.json") -> str:
    path = folder / name
    path.write_text(json.dumps(report), "utf-8")
    return str(path)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "spec.yaml"
    path.write_text(SPEC, "utf-8")
    return path


@pytest.mark.parametrize("told", EDITS)
def test_an_edited_report_is_refused(
    told: str, spec: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = semiaudit.audit(spec).as_dict()
    assert len(load_baseline(written(spec.parent, report))) == 1
    EDITS[told](report)
    path = written(spec.parent, report)
    assert main(["compare", path, str(spec)]) == 2
    assert main(["check", str(spec), "--baseline", path]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("contradicts itself") == 2
    assert err.count(told) == 2


def guarantee(run: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = run["verdicts"][0]["guarantees"][2]
    return found


EDITS_OF_CHECK: dict[str, Edit] = {
    "schema_version is not 1": lambda r: r.update(schema_version=2),
    "tool.name is not 'semiaudit'": lambda r: r["tool"].update(name="other"),
    "has a key that is not known": lambda r: guarantee(r).update(extra=1),
    "[2] lacks zcdp": lambda r: guarantee(r).pop("zcdp"),
    "[2].framework is none of": lambda r: guarantee(r).update(framework="of_tomorrow"),
    "[0].unit is missing": lambda r: r["verdicts"][0].pop("unit"),
    "the domain, or its restrictions, are missing": lambda r: r["verdicts"][0].pop("domain"),
    "or its restrictions, are": lambda r: r["verdicts"][0]["domain"].pop("restrictions"),
    "value is not the upper": lambda r: r["verdicts"][0]["semi_adjacency"].update(value=0),
    "the upper bound is below": lambda r: r["verdicts"][0]["semi_adjacency"]["covering"].update(
        lower=9
    ),
    "a privacy definition twice": lambda r: r["verdicts"][0]["guarantees"].append(guarantee(r)),
    "distance is 0": lambda r: guarantee(r).update(distance=0),
    "is refused, but has numbers": lambda r: guarantee(r).update(refused=True),
    "[2].zcdp.rho is below 0": lambda r: guarantee(r)["zcdp"].update(rho=-0.5),
    "[0].epsilon is below 0": lambda r: guarantee(r)["approx_dp"][0].update(epsilon=-3),
    "tpr is below fpr": lambda r: guarantee(r)["tpr_at_fpr"][0].update(tpr=0.001),
    "limit is below 0": lambda r: r["verdicts"][0]["budgets"][0].update(limit=-1),
}


@pytest.mark.parametrize("told", EDITS_OF_CHECK)
def test_an_edited_report_of_check_is_no_baseline(
    told: str, spec: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec.write_text(SPEC + "budgets: [{framework: semi_dp, rho: 5}]\n", "utf-8")
    path = spec.parent / "base.json"
    assert main(["check", str(spec), "-o", f"json={path}"]) == 0
    assert main(["check", str(spec), "--baseline", str(path)]) == 0
    run = json.loads(path.read_text("utf-8"))
    assert guarantee(run)["framework"] == "semi_dp"
    EDITS_OF_CHECK[told](run)
    capsys.readouterr()
    assert main(["check", str(spec), "--baseline", written(spec.parent, run)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err


def test_a_report_without_building_blocks_is_no_baseline(spec: Path) -> None:
    """They are missing only if the time limit came first, and drift needs their domain."""
    report = semiaudit.audit(spec).as_dict() | {"building_blocks": None}
    read_report("x", json.dumps(report).encode())
    with pytest.raises(SpecError, match="reached the time limit"):
        load_baseline(written(spec.parent, report))


@pytest.mark.parametrize("text", ["-1e-350", "1.000000000000000000001"])
def test_a_number_is_checked_as_its_text_says(text: str, spec: Path) -> None:
    """Their doubles are -0 and 1, which would pass."""
    report = semiaudit.audit(spec).render("json")
    delta = next(line for line in report.splitlines() if '"delta": ' in line).split()[1]
    other = report.replace(f'"delta": {delta}', f'"delta": {text},')
    assert other != report
    with pytest.raises(SpecError, match="lies outside"):
        read_report("x", other.encode())


@pytest.mark.parametrize(("text", "whole"), [("2.0", True), ("1e-350", False), ("1e399", False)])
def test_a_whole_number_is_whole_as_its_text_says(text: str, *, whole: bool) -> None:
    fault = fault_of(json_of(text.encode()), {"type": "integer"})
    assert fault == ("" if whole else "the whole is no integer")


def test_a_whole_number_too_long_to_be_a_double_is_refused(spec: Path) -> None:
    report = semiaudit.audit(spec).render("json")
    other = report.replace('"rho": ', f'"rho": {"9" * 400}')
    with pytest.raises(SpecError, match="which is a number of more than 200 characters"):
        read_report("x", other.encode())


def test_a_sentence_of_a_report_may_say_anything_where_the_keys_say_it(spec: Path) -> None:
    report = semiaudit.audit(spec).as_dict()
    report["statement"] = dict.fromkeys(report["statement"], "in other words")
    assert read_report("x", json.dumps(report).encode())["unit"] == "record"


@pytest.mark.parametrize("name", ["census2020_pl94", "example3_all_zero", "gao_campus_wifi"])
def test_no_report_of_an_audit_contradicts_itself(name: str) -> None:
    read_report("x", shipped_report(CONFIGS / f"{name}.yaml").render("json").encode())


@cache
def _text(name: str) -> str:
    return shipped_report(CONFIGS / f"{name}.yaml").render("json")


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


def test_a_statement_may_say_anything_where_the_keys_say_it() -> None:
    report = report_of("two_releases")
    named = report | {"statement": dict.fromkeys(report["statement"], "in other words")}
    found = compared_from_report("x", json.dumps(named).encode())
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
