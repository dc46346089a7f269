"""Wheel and source archive depend on nothing but the source tree."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.places import ROOT
from tests.release import archives

SOURCE = (
    "semiaudit", "configs", "docs", "tests", "pyproject.toml", "README.md", "CHANGELOG.md",
    "LICENSE", ".gitignore",
)  # fmt: skip


def tree(*more: str) -> bytes:
    """The source tree as a tar file."""
    pack = ["tar", "--create", "--exclude=__pycache__", *more, *SOURCE]
    return subprocess.run(pack, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


@pytest.mark.lengthy
def test_two_builds_in_other_folders_with_other_permissions_are_equal(tmp_path: Path) -> None:
    made = archives(tree(), tmp_path)
    assert [name.rpartition("-")[2] for name in sorted(made)] == ["any.whl", "0.1.0.tar.gz"]


def test_builds_that_differ_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.release.built", lambda *arguments: {"wheel": str(arguments[-1])})
    with pytest.raises(SystemExit, match="two builds differ"):
        archives(b"", tmp_path)
