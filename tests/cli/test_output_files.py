"""Files that commands write: none of an earlier run is taken for one that could not be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from semiaudit.cli import main
from tests.gate.specs import HOLDS, UNREADABLE, spec

NOTE = "out: was not written; it is from an earlier run"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    spec(tmp_path, HOLDS, "holds.yaml")
    spec(tmp_path, UNREADABLE, "damaged.yaml")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "check holds.yaml --policy missing.yaml -o json=out",
        "check holds.yaml --waivers missing.yaml --output json=out",
        "check holds.yaml --baseline missing.json --output=json=out",
        "check -ojson=out holds.yaml --margin high",
        "check -o json=out",
        "analyze damaged.yaml -o json=out",
        "analyze holds.yaml -o json=out -o xml=y",
        "batch . --sort nothing -o csv=out",
        "compare holds.yaml missing.yaml -o json=out",
    ],
)
def test_a_file_that_an_error_leaves_is_named(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.split()) == 2
    assert NOTE not in capsys.readouterr().err
    (folder / "out").write_text("all is well")
    assert main(line.split()) == 2
    assert capsys.readouterr().err.splitlines()[-1] == NOTE
    assert (folder / "out").read_text() == "all is well"


@pytest.mark.parametrize("name", ["holds.yaml", "damaged.yaml"])
def test_a_report_that_is_written_anew_is_not_from_an_earlier_run(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    args = ["check", name, "-o", "json=out", "-o", f"text={os.devnull}"]
    assert main(args) == main(args)
    assert "earlier run" not in capsys.readouterr().err
