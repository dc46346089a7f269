"""A spec that ships with the program never stands in for a file that is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from semiaudit import Spec, audit
from semiaudit.errors import SpecError
from tests.places import ROOT
from tests.security.attacks import run

STARTER = "configs/starter.yaml"


COMMANDS = ("analyze", "check", "batch", "ablate", "registry export")


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_takes_an_example_for_a_missing_file(
    tmp_path: Path, wheel: Path, command: str
) -> None:
    done = run(tmp_path, *command.split(), STARTER, tree=wheel)
    assert done.returncode == 2
    assert "passed" not in done.stdout
    if command not in ("check", "batch"):
        assert "no such file; write the example with `semiaudit init --example" in done.stderr
        path = str(tmp_path / "starter.yaml")
        assert run(tmp_path, "init", "--example", "starter", path, tree=wheel).returncode == 0
        assert run(tmp_path, *command.split(), path, tree=wheel).returncode == 0


def test_python_takes_no_example_for_a_missing_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for read in (audit, Spec.from_file):
        with pytest.raises(SpecError, match=r"no such file; write .*--example starter"):
            read(STARTER)
        with pytest.raises(SpecError, match="there is no such file"):
            read("releases/starter.yaml")


def test_an_installed_wheel_has_the_texts_of_the_rules(tmp_path: Path, wheel: Path) -> None:
    done = run(tmp_path, "rule", "SA013", tree=wheel)
    assert done.returncode == 0, done.stderr
    text = (ROOT / "semiaudit/model/rules/SA013.md").read_text("utf-8")
    assert text.partition("See also")[0] in done.stdout
