"""The worked examples of docs/extending.md: patches, applied to a copy of the tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent


def applied(patch_name: str, tmp_path: Path) -> Path:
    """A copy of the tree with ``tests/extending/NAME.patch`` applied to it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    copy = tmp_path / patch_name
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)
    done = subprocess.run(
        ["git", "apply", "-C1", str(HERE / f"{patch_name}.patch")],
        cwd=copy, capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | {"GIT_CEILING_DIRECTORIES": str(copy.parent)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return copy


def touched(patch_name: str) -> list[str]:
    """The files under semiaudit/ that a patch changes, adds or removes."""
    text = (HERE / f"{patch_name}.patch").read_text(encoding="utf-8")
    return sorted(set(re.findall(r"^diff --git a/(semiaudit/\S+) b/", text, re.MULTILINE)))


def type_errors(copy: Path, files: list[str]) -> str:
    """What mypy says of some files of a copy; empty where all is well."""
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", "--cache-dir",
         str(ROOT / ".mypy_cache" / "extending"), *files],
        cwd=copy, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    return done.stdout + done.stderr if done.returncode else ""


def semiaudit(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of a copy's command line."""
    return subprocess.run(
        [sys.executable, "-m", "semiaudit", *arguments],
        cwd=copy, capture_output=True, text=True, check=False, timeout=120,
        env=os.environ | {"PYTHONPATH": str(copy)},
    )  # fmt: skip
