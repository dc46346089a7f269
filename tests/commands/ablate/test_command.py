"""`semiaudit ablate`: standard input, files, refusals, and the line that says how far it is."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from semiaudit import progress
from semiaudit.cli import main
from semiaudit.cli.status_line import StatusLine

Capture = pytest.CaptureFixture[str]
SPEC = """semiaudit: 1
dataspace: {attributes: {a: 2, b: 2}}
invariants: [{margin: [a]}, {count: {where: {b: 1}}}]
data: {counts: [[1, 2], [3, 4]]}
mechanism: {gdp: {mu: 1}}
"""


def test_a_variant_without_an_audit_ends_with_2_and_all_reports_are_written(
    tmp_path: Path, capsys: Capture
) -> None:
    spec, out = tmp_path / "spec.yaml", tmp_path / "out.json"
    spec.write_text(SPEC, "utf-8")
    assert main(["ablate", str(spec), "-o", f"json={out}"]) == 2
    told = capsys.readouterr()
    assert "I2 only: hamming compares datasets of equal size" in told.err
    assert "all but I2" in told.out
    variants = {v["name"]: v for v in json.loads(out.read_text("utf-8"))["variants"]}
    assert variants["I2 only"]["semi_dp"] is None
    assert variants["all but I2"]["semi_dp"]["gdp"]["mu"] == 2


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    text = SPEC.replace("dataspace: {", "dataspace: {size: 10, ").encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert main(["ablate", "-", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("variant,published,framework,")


@pytest.mark.parametrize("words", [["missing.yaml"], [], ["x.yaml", "--time-limit", "0"]])
def test_what_cannot_be_read_prints_nothing(words: list[str], capsys: Capture) -> None:
    assert main(["ablate", *words]) == 2
    assert capsys.readouterr().out == ""


def test_who_watches_is_told_how_many_audits_are_done(tmp_path: Path) -> None:
    from semiaudit import ablate

    seen: list[str] = []

    class Watcher(StatusLine):
        def doing(self, what: str) -> None:
            super().doing(what)
            seen.append(self.text())

    with progress.watched(Watcher("starting")):
        ablate(SPEC)
    # All but one is the other one only: four parts differ.
    assert any(line.startswith("2 of 4 done") for line in seen)
    assert seen[-1].startswith("3 of 4 done")
