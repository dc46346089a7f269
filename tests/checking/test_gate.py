"""The gate as a newcomer meets it: a run that compares nothing with nothing does not pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from semiaudit.cli import main
from tests.gate.specs import HOLDS


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``good/`` has two specs and a baseline of them; ``other/`` has another spec."""
    for name in ("good/a", "good/b", "other/c"):
        path = tmp_path / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(HOLDS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["check", "good", "-o", "json=base.json"]) == 0
    return tmp_path


@pytest.mark.parametrize("path", ["other", "other/c.yaml"])
def test_a_baseline_of_other_specs_alone_is_refused(
    path: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["check", path, "--baseline", "base.json"]) == 2
    assert capsys.readouterr().err == (
        "error: base.json: covers none of the audited specs (it covers good/a.yaml, good/b.yaml); "
        "name the report of these specs\n"
    )


def test_a_baseline_of_some_specs_only_warns_about_the_others(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "good/a.yaml", "other", "--baseline", "base.json"]) == 0
    assert "SA028)" in capsys.readouterr().out


def test_specs_of_a_baseline_that_are_gone_fail_by_themselves(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        (folder / "good" / f"{name}.yaml").rename(folder / "good" / f"new_{name}.yaml")
    assert main(["check", "good", "--baseline", "base.json"]) == 1
    assert "SA031)" in capsys.readouterr().out


def test_a_spec_that_lost_its_key_is_missing_and_not_said_to_be_removed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "good" / "b.yaml").write_text("title: no spec any more\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["check", "good", "--baseline", "base.json"]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "not among the audited specs (YAML without the key semiaudit)" in shown
    assert "no longer exists" not in shown
