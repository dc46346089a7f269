"""A spec with placeholders of `init` describes no release: every answer says so first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from semiaudit.cli import main
from semiaudit.report.blocks.conclusion import draft_sentence
from tests.fuzz.workers import one_process

Capture = pytest.CaptureFixture[str]
STARTER = "Not your release yet: replace the mechanism at spec.yaml:33"


@pytest.fixture(autouse=True)
def starter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "spec.yaml"]) == 0
    return tmp_path / "spec.yaml"


def test_no_placeholder_is_not_spoken_of() -> None:
    assert draft_sentence("") == ""
    assert draft_sentence("spec.yaml:33") == STARTER


def test_the_report_of_a_placeholder_says_nothing_else(capsys: Capture) -> None:
    assert main(["analyze", "spec.yaml"]) == 0
    title, _, _, *rest = capsys.readouterr().out.splitlines()
    assert title == "A survey table with published margins"
    assert [line.split(maxsplit=1) for line in rest] == [["verdict", STARTER]]
    assert main(["analyze", "spec.yaml", "--format", "html"]) == 0
    page = capsys.readouterr().out
    assert STARTER in page
    assert "Guarantees" not in page


def test_a_budget_that_a_placeholder_fails_is_a_failure(starter: Path, capsys: Capture) -> None:
    starter.write_text(starter.read_text().replace("rho: 4.5}", "rho: 4}"))
    assert main(["analyze", "spec.yaml"]) == 1
    assert STARTER in " ".join(capsys.readouterr().out.split())


def test_json_has_the_finding_and_compare_reads_it_back(capsys: Capture) -> None:
    assert main(["analyze", "spec.yaml", "-o", "json=report.json"]) == 0
    findings = json.loads(Path("report.json").read_text())["findings"]
    assert ("SA032", "error", 33) in [(f["rule"], f["level"], f["line"]) for f in findings]
    capsys.readouterr()
    assert main(["compare", "report.json", "spec.yaml"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"report {STARTER} spec {STARTER}" in shown


def test_the_answer_of_an_ablation_begins_with_it(capsys: Capture) -> None:
    assert main(["ablate", "spec.yaml"]) == 0
    assert f"Answer {STARTER}" in " ".join(capsys.readouterr().out.split())


def test_a_batch_lists_the_finding_and_keeps_its_exit_code(capsys: Capture) -> None:
    with one_process():
        assert main(["batch", ".", "-q"]) == 0
    assert "error leaves_out says" in " ".join(capsys.readouterr().out.split())


def test_a_gate_finds_it_once(capsys: Capture) -> None:
    assert main(["check", "spec.yaml", "--fail-on", "never", "--format", "json"]) == 1
    (spec,) = json.loads(capsys.readouterr().out)["verdicts"]
    assert [f["rule"] for f in spec["findings"]].count("SA032") == 1


def test_a_spec_that_is_filled_in_is_not_a_placeholder(starter: Path, capsys: Capture) -> None:
    lines = starter.read_text().splitlines(keepends=True)
    starter.write_text("".join(lines[:5] + lines[7:]))
    assert main(["analyze", "spec.yaml"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "verdict Passed: ρ is 4.5, within the limit 4.5. The release protects" in shown
    assert "placeholder" not in shown
