"""Worked examples of docs/extending.md: patches that a copy of the tree takes, and its checks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.places import ROOT

HERE = Path(__file__).parent
CACHE = ROOT / ".mypy_cache" / "extending"
"""What mypy knows of the tree without a patch, for every copy."""

COPIED = ("semiaudit", "configs", "docs", "tests", "pyproject.toml", "README.md")


def applied(patch_name: str, tmp_path: Path) -> Path:
    """A copy of the tree with a patch of this folder."""
    tree = tmp_path / "tree"
    tree.mkdir()
    unwanted = shutil.ignore_patterns("__pycache__", ".*")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=unwanted)
        else:
            shutil.copy2(ROOT / name, tree / name)
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path)}
    command = ["git", "apply", "-C1", str(HERE / patch_name)]
    done = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return tree


def touched(patch_name: str) -> list[str]:
    """The files of the package that a patch adds, changes or removes, sorted."""
    lines = (HERE / patch_name).read_text().splitlines()
    names = {line.split()[-1][2:] for line in lines if line.startswith("diff --git ")}
    return sorted(name for name in names if name.startswith("semiaudit/"))


def type_errors(tree: Path, cache: Path, files: Sequence[str] = ()) -> str:
    """What mypy says against some files of a tree, or all of its package; empty if nothing."""
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(cache)]
    command += ["--follow-imports=silent", *files] if files else ["semiaudit"]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def run(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program of a tree with some arguments."""
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    command = [sys.executable, "-m", "semiaudit", *arguments]
    return subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, check=False, timeout=600
    )


def report(tree: Path, spec: str) -> dict[str, Any]:
    """The JSON report of a spec, given as text, by the program of a tree."""
    path = tree / "spec.yaml"
    path.write_text(spec)
    done = run(tree, "analyze", str(path), "--format", "json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found
