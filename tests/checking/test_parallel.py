"""The gate in several processes: the same report, whatever their number."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import pytest

from semiaudit.cli import main
from tests.cli.test_interrupts import FORMS
from tests.gate.specs import EXCEEDS, HOLDS, NO_BUDGET, UNREADABLE, sha256_of
from tests.samples import sampled

TEXTS = {"exceeds": EXCEEDS, "holds": HOLDS, "nothing": NO_BUDGET, "unreadable": UNREADABLE}
WAIVER = (
    "semiaudit_waivers: 1\nwaivers:\n  - {rule: SA013, framework: semi_dp, measure: rho, "
    "accepted: 4.5, reason: r, approver: a, expires: 2030-01-01, spec: exceeds.semiaudit.yaml, "
    f"sha256: {sha256_of(EXCEEDS)}}}\n"
    "  - {rule: SA002, reason: r, approver: a, expires: 2030-01-01, spec: none.yaml, "
    f"sha256: {'0' * 64}}}\n"
)
LINES = {
    "specs": 2,
    "specs/exceeds.semiaudit.yaml specs/holds.semiaudit.yaml": 1,
    "specs/exceeds.semiaudit.yaml specs/holds.semiaudit.yaml --waivers waivers.yaml": 0,
    "specs/nothing.semiaudit.yaml specs/holds.semiaudit.yaml --policy policy.yaml": 1,
    "specs/holds.semiaudit.yaml specs/nothing.semiaudit.yaml --baseline strong.json": 1,
    "specs missing --fail-on warning": 2,
    "empty": 3,
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEMIAUDIT_TODAY", "2026-07-01")
    for folder in ("specs", "empty"):
        Path(folder).mkdir()
    for name, text in TEXTS.items():
        Path(f"specs/{name}.semiaudit.yaml").write_text(text)
    Path("policy.yaml").write_text(
        "semiaudit_policy: 1\nbudgets: [{framework: semi_dp, rho: 4.5}]\n"
    )
    Path("waivers.yaml").write_text(WAIVER)
    strong = HOLDS.replace("rho: 0.5", "rho: 0.4")
    Path("specs/holds.semiaudit.yaml").write_text(strong)
    main(["check", "specs/holds.semiaudit.yaml", "-o", "json=strong.json"])
    Path("specs/holds.semiaudit.yaml").write_text(HOLDS)


@pytest.mark.parametrize("line", sampled(LINES, fast=(0, 2, 6)))
def test_the_report_does_not_depend_on_the_number_of_processes(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    texts = set()
    for jobs in ("1", "2", "3"):
        forms = (*FORMS, "csv")
        files = chain.from_iterable(("-o", f"{form}=out.{form}") for form in forms)
        assert main(["check", *line.split(), "--jobs", jobs, *files]) == LINES[line]
        texts.add((capsys.readouterr(), *(Path(f"out.{form}").read_text() for form in forms)))
    assert len(texts) == 1


def test_a_relaxed_baseline_is_compared_in_every_process() -> None:
    line = "specs/holds.semiaudit.yaml specs/nothing.semiaudit.yaml --baseline strong.json"
    assert main(["check", *line.split(), "--jobs", "2", "-o", "json=out.json"]) == 1
    findings = [v["findings"] for v in json.loads(Path("out.json").read_text())["verdicts"]]
    assert any(f["rule"] == "SA027" for f in chain.from_iterable(findings))
