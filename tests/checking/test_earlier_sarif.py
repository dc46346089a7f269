"""SARIF logs and baselines written at 3cfefce: the same fingerprints and the same drift, whatever
the sentences are today.

tests/golden/README.md says how the files were written.
"""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from semiaudit.checking.verdict import verdict_of
from semiaudit.cli import main
from semiaudit.errors import Mark, Problem
from semiaudit.model import wording
from semiaudit.model.audit import Finding
from semiaudit.model.invariants import KINDS
from semiaudit.model.policy import GateOptions
from semiaudit.model.verdict import Verdict
from semiaudit.model.wording import Wording
from semiaudit.report import VERDICT_RENDERERS, Layout
from semiaudit.report.reworded import reworded_errors
from tests.gate.specs import SLOW, TODAY
from tests.places import ROOT

EARLIER = ROOT / "tests" / "golden" / "earlier"
GATE = EARLIER / "gate"
V1, V2 = "semiaudit/v1", "semiaudit/v2"
RUNS: dict[str, list[str]] = {
    "specs": ["specs", "--waivers", "waivers.yaml"],
    "policy": ["specs", "--policy", "policy.yaml"],
    "drift": ["releases", "--baseline", "baseline.json"],
}

Result = tuple[str, str, str]
"""The rule, the file, and the fingerprint of a result."""


def results(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)["runs"][0]["results"]
    return found


def prints(found: list[dict[str, Any]], version: str) -> list[Result]:
    return sorted(
        (
            result["ruleId"],
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            result["partialFingerprints"][version],
        )
        for result in found
    )


def earlier(name: str) -> list[dict[str, Any]]:
    return results((EARLIER / f"{name}.sarif").read_text("utf-8"))


def checked(folder: Path, args: list[str], file: Path) -> list[dict[str, Any]]:
    with chdir(folder):
        assert main(["check", *args, "-o", f"sarif={file}"]) == 2
    return results(file.read_text("utf-8"))


@pytest.fixture(scope="module")
def today(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The results of every run in the words of today."""
    folder = tmp_path_factory.mktemp("today")
    return {name: checked(GATE, args, folder / name) for name, args in RUNS.items()}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_finds_the_fingerprints_and_the_drift_of_3cfefce(
    name: str, today: dict[str, list[dict[str, Any]]]
) -> None:
    found = today[name]
    assert prints(found, V1) == prints(earlier(f"gate/{name}"), V1)
    assert len(set(prints(found, V2))) == len(found)


def test_what_could_not_be_audited_keeps_its_fingerprints(tmp_path: Path) -> None:
    """Specs are added to tests/specs, and errors to them; none that was there gets another."""
    found = checked(ROOT, ["tests/specs"], tmp_path / "sarif")
    files = {file for _, file, _ in prints(earlier("tests_specs"), V1)}
    again = [one for one in prints(found, V1) if one[1] in files]
    assert again == prints(earlier("tests_specs"), V1)
    assert len(set(prints(found, V2))) == len(found)


def reworded(text: str) -> str:
    """Other words with other numbers of words, and no number."""
    return f"<{' '.join(reversed(text.split()))}> in words that nobody had read before"


@pytest.fixture
def other_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every sentence of a finding, every error, and every invariant is worded anew."""
    made = Wording.__new__

    def worded(cls: type[Wording], today: str, first: str = "", **values: object) -> Wording:
        return made(cls, reworded(today), first, **values)

    monkeypatch.setattr(wording.Wording, "__new__", worded)
    for kind in KINDS:
        monkeypatch.setattr(kind, "__str__", lambda invariant: reworded(invariant.key))
    monkeypatch.setattr(
        "semiaudit.report.blocks.notices._joined", lambda path, message, remedy: reworded(message)
    )


@pytest.mark.usefixtures("today", "other_words")
@pytest.mark.parametrize("name", RUNS)
def test_other_words_change_no_fingerprint_and_no_drift(
    name: str, tmp_path: Path, today: dict[str, list[dict[str, Any]]]
) -> None:
    """The second version covers errors too, of which the first knows only the words."""
    then = {result["partialFingerprints"][V1]: result for result in earlier(f"gate/{name}")}
    found = checked(GATE, RUNS[name], tmp_path / "sarif")
    findings = [result for result in found if result["ruleId"] != "SA022"]
    assert {result["partialFingerprints"][V1] for result in findings} == {
        print_ for print_, result in then.items() if result["ruleId"] != "SA022"
    }
    for result in found:
        assert "nobody had read before" in result["message"]["text"]
        old = then.get(result["partialFingerprints"][V1])
        assert old is None or old["message"]["text"] != result["message"]["text"]
    assert prints(found, V2) == prints(today[name], V2)


def sarif(verdict: Verdict) -> list[dict[str, Any]]:
    return results(VERDICT_RENDERERS["sarif"]([verdict], Layout()))


def test_a_reworded_error_keeps_the_fingerprint_that_is_written_down_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def v1(message: str) -> str:
        problem = Problem("x.yaml", 1, 1, "data.columns", message, "correct it")
        (result,) = sarif(Verdict("x.yaml", "unaudited", problems=(problem,)))
        found: str = result["partialFingerprints"][V1]
        return found

    before = v1("the column count is missing")
    today = "no column of the file has the name count"
    assert v1(today) != before
    pattern = r"data\.columns: no column of the file has the name (\w+); correct it"
    first = r"data.columns: the column \1 is missing; correct it"
    monkeypatch.setattr(reworded_errors, "REWORDED_ERRORS", ((pattern, first),))
    assert v1(today) == before
    assert v1("the column count is missing") == before


def test_findings_that_are_alike_are_numbered_in_the_order_of_their_lines() -> None:
    findings = [
        Finding("SA013", "error", message, Mark(line, 1), "budget semi_dp rho")
        for line, message in ((3, "one"), (4, "other"))
    ]
    found = sarif(Verdict("x", "exceeds", findings=tuple(findings)))
    moved = sarif(Verdict("x", "exceeds", findings=tuple(findings[:1])))
    assert len({result["partialFingerprints"][V2] for result in found}) == 2
    assert moved[0]["partialFingerprints"] == found[0]["partialFingerprints"]


def test_an_incomplete_audit_has_the_fingerprint_of_3cfefce(tmp_path: Path) -> None:
    """SA023 is not among the files, as it needs a clock; this is its sentence of that time."""
    path = tmp_path / "slow.yaml"
    path.write_text(SLOW, "utf-8")
    found = verdict_of(path, time_limit=1e-6, gate=GateOptions(today=TODAY))
    (first,) = (one.first for one in found.findings if one.rule == "SA023")
    assert first == "the time limit ended a search: a longer --time-limit may give tighter numbers"
