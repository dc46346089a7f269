"""A file's name is never an option, whatever it looks like."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import yaml

from tests.gate.specs import EXCEEDS, HOLDS
from tests.places import ROOT
from tests.security.attacks import run

HOOK = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))[0]
WEAK = "semiaudit_policy: 1\nbudgets: [{framework: semi_dp, rho: 9999}]\n"


def hook(folder: Path, files: list[str], args: list[str] | None = None) -> tuple[int, str]:
    """What pre-commit runs: the entry, the user's args or the hook's own, the names of files."""
    entry, *arguments = shlex.split(HOOK["entry"])
    assert entry == "semiaudit"
    args = HOOK.get("args", []) if args is None else args
    done = run(folder, *arguments, *args, *files)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    "name",
    [
        "--pattern=evil.semiaudit.yaml",
        "--policy=weak.semiaudit.yaml",
        "--help.semiaudit.yaml",
        "-hx.semiaudit.yaml",
        "-o=json=x.semiaudit.yaml",
    ],
)
def test_a_spec_that_is_named_like_an_option_does_not_pass(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(EXCEEDS)
    (tmp_path / "weak.semiaudit.yaml").write_text(WEAK)
    (tmp_path / "good.semiaudit.yaml").write_text(HOLDS)
    for files in ([name], [name, "good.semiaudit.yaml"]):
        code, told = hook(tmp_path, files)
        assert code == 2
        assert "begins with a dash" in told


def test_the_hook_insists_on_the_end_of_its_options(tmp_path: Path) -> None:
    (tmp_path / "good.semiaudit.yaml").write_text(HOLDS)
    (tmp_path / "policy.yaml").write_text(WEAK)
    options = ["--policy", "policy.yaml"]
    assert hook(tmp_path, ["good.semiaudit.yaml"], [*options, "--"])[0] == 0
    code, told = hook(tmp_path, ["good.semiaudit.yaml"], options)
    assert code == 2
    assert "end the options with --" in told


@pytest.mark.parametrize("command", ["check", "batch"])
def test_a_directory_that_holds_such_a_name_does_not_pass(tmp_path: Path, command: str) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "--policy=weak.semiaudit.yaml").write_text(HOLDS)
    done = run(tmp_path, command, ".")
    assert done.returncode == 2
    assert "begins with a dash" in " ".join(done.stdout.split())
