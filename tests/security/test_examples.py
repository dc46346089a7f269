"""A spec that ships with the program never stands in for a file that is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from semiaudit import audit
from semiaudit.errors import SpecError
from tests.places import ROOT
from tests.security.attacks import run

SCHEMA = ROOT / "docs" / "report.schema.json"
STARTER = "configs/starter.yaml"


@pytest.mark.parametrize("command", ["check", "batch"])
def test_the_gate_audits_files_and_no_examples(tmp_path: Path, wheel: Path, command: str) -> None:
    done = run(tmp_path, command, STARTER, tree=wheel)
    assert done.returncode == 2
    assert "passed" not in done.stdout


def test_python_says_that_it_took_an_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = audit(STARTER)
    assert found.as_dict()["spec"]["example"] is True
    assert repr(found).startswith("<Report shipped example configs/starter.yaml: ")
    with pytest.raises(SpecError, match="there is no such file"):
        audit("releases/starter.yaml")
    (tmp_path / "configs").mkdir()
    (tmp_path / STARTER).symlink_to("nowhere.yaml")
    with pytest.raises(SpecError, match="there is no such file"):
        audit(STARTER)


def test_analyze_says_that_it_took_an_example(tmp_path: Path, wheel: Path) -> None:
    for form in ("text", "markdown"):
        done = run(tmp_path, "analyze", STARTER, "--format", form, tree=wheel)
        assert done.returncode == 0
        assert "shipped example" in "\n".join(done.stdout.splitlines()[:4])
    done = run(tmp_path, "analyze", STARTER, "--format", "json", tree=wheel)
    report = json.loads(done.stdout)
    assert report["spec"]["example"] is True
    Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(report)
    (tmp_path / "configs").mkdir()
    assert run(tmp_path, "init", STARTER, tree=wheel).returncode == 0
    done = run(tmp_path, "analyze", STARTER, tree=wheel)
    assert done.returncode == 0
    assert "shipped example" not in done.stdout
    done = run(tmp_path, "analyze", STARTER, "--format", "json", tree=wheel)
    assert '"example"' not in done.stdout


def test_a_link_to_nowhere_is_no_example(tmp_path: Path, wheel: Path) -> None:
    (tmp_path / "configs").mkdir()
    (tmp_path / STARTER).symlink_to("nowhere.yaml")
    done = run(tmp_path, "analyze", STARTER, tree=wheel)
    assert done.returncode == 2
    assert done.stdout == ""


def test_an_installed_wheel_has_the_texts_of_the_rules(tmp_path: Path, wheel: Path) -> None:
    done = run(tmp_path, "rule", "SA013", tree=wheel)
    assert done.returncode == 0, done.stderr
    text = (ROOT / "semiaudit/model/rules/SA013.md").read_text("utf-8")
    assert text.partition("See also")[0] in done.stdout
