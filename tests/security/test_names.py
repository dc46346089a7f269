"""A file's name is never an option, and none keeps a spec from being audited."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.gate.specs import EXCEEDS, HOLDS
from tests.security.attacks import run

WEAK = "semiaudit_policy: 1\nbudgets: [{framework: semi_dp, rho: 9999}]\n"
NAMES = [
    "--pattern=evil.semiaudit.yaml",
    "--policy=weak.semiaudit.yaml",
    "--help.semiaudit.yaml",
    "-hx.semiaudit.yaml",
    "-o=json=x.semiaudit.yaml",
    "-x.yaml",
    "a\nb.yaml",
    ".yaml",
    "x.YAML",
]


def test_a_spec_that_is_named_like_an_option_does_not_pass(tmp_path: Path) -> None:
    (tmp_path / "weak.semiaudit.yaml").write_text(WEAK)
    (tmp_path / "good.semiaudit.yaml").write_text(HOLDS)
    for name in NAMES:
        (tmp_path / name).write_text(EXCEEDS)
        assert run(tmp_path, "check", "--", name).returncode == 1, name
        assert run(tmp_path, "check", "--", name, "good.semiaudit.yaml").returncode == 1, name


@pytest.mark.parametrize("command", ["check", "batch"])
def test_a_directory_with_such_names_does_not_pass(tmp_path: Path, command: str) -> None:
    (tmp_path / "inner").mkdir()
    for name in NAMES:
        (tmp_path / "inner" / name).write_text(EXCEEDS)
    for folder in (".", "inner"):
        done = run(tmp_path, command, folder, "--format", "json")
        assert done.returncode == 1
        assert json.loads(done.stdout)["summary"]["exceeds"] == len(NAMES)


@pytest.mark.parametrize("command", ["check", "batch"])
def test_a_link_to_a_spec_outside_the_directory_does_not_pass(tmp_path: Path, command: str) -> None:
    """Issue 30: it was skipped, with exit code 0."""
    (tmp_path / "rel").mkdir()
    (tmp_path / "rel" / "good.yaml").write_text(HOLDS)
    (tmp_path / "weak.yaml").write_text(EXCEEDS)
    (tmp_path / "rel" / "x.yaml").symlink_to("../weak.yaml")
    done = run(tmp_path, command, "rel")
    assert done.returncode == 2
    assert "rel/x.yaml" in done.stdout
    assert "leads out of the directory" in " ".join(done.stdout.split())
    assert run(tmp_path, command, "rel", "--root", ".").returncode == 1


@pytest.mark.parametrize("command", ["check", "batch"])
def test_skipped_files_are_listed_by_name_if_asked(tmp_path: Path, command: str) -> None:
    (tmp_path / "good.semiaudit.yaml").write_text(HOLDS)
    (tmp_path / "config.yaml").write_text("title: none\n")
    (tmp_path / "notes\n.txt").write_text("")
    counted = " ".join(run(tmp_path, command, ".").stdout.split())
    assert "YAML without the key semiaudit: 1" in counted
    assert "config.yaml" not in counted
    listed = " ".join(run(tmp_path, command, ".", "--verbose").stdout.split())
    assert "config.yaml: YAML without the key semiaudit" in listed
    assert "notes\\n.txt: not a YAML file, by its name" in listed
