"""What the attacks have in common: a folder that a stranger wrote, and the command run on it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.fuzz.workers import one_process
from tests.in_process import completed
from tests.places import ROOT

SECRET = "S3CRET"
"""Stands in files that a stranger must not learn, and in nothing that a test expects."""

HEAD = "semiaudit: 1\ntitle: A stranger's release\n"
BODY = "mechanism: {zcdp: {rho: 1/8}}\nbudgets: [{framework: semi_dp, rho: 100}]\n"
TABLE = "dataspace: {size: 4, attributes: {a: 2, b: 2}}\n"
MARGIN = "invariants: [margin: [a]]\n"


def spec(folder: Path, middle: str, name: str = "evil.semiaudit.yaml") -> Path:
    """A spec with a mechanism and a budget that holds, whatever its universe is."""
    path = folder / name
    path.write_text(f"{HEAD}{middle}{BODY}", encoding="utf-8")
    return path


def run(
    cwd: Path, *arguments: str, tree: Path = ROOT, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """``semiaudit`` with some arguments, from a source tree or an installed wheel.

    What needs no process of its own is run in this one, which is ten times as fast.
    """
    if tree == ROOT and environment is None:
        with one_process():
            return completed(cwd, *arguments)
    return subprocess.run(
        command(*arguments, tree=tree),
        cwd=cwd,
        env=environ(tree, environment),
        capture_output=True,
        text=True,
        errors="backslashreplace",
        check=False,
        timeout=600,
    )


def command(*arguments: str, tree: Path = ROOT) -> list[str]:
    script = tree / "bin" / "semiaudit"
    start = [str(script)] if script.exists() else [sys.executable, "-P", "-m", "semiaudit"]
    return [*start, *arguments]


def environ(tree: Path = ROOT, more: Mapping[str, str] | None = None) -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    return {**clean, "PYTHONPATH": str(tree), **(more or {})}


def every_command(folder: Path, *options: str) -> dict[str, str]:
    """All that the commands print and write about the specs of a folder, by command."""
    told = {}
    for name, arguments in {
        "analyze": ["analyze", "evil.semiaudit.yaml", "-o", "markdown=out.txt"],
        "check": ["check", ".", "-o", "sarif=out.txt", "-o", "json=out2.txt"],
        "batch": ["batch", ".", "-o", "csv=out.txt", "-o", "junit=out2.txt", "--resume", "j"],
    }.items():
        done = run(folder, *arguments, *options)
        written = [folder / "out.txt", folder / "out2.txt", folder / "j"]
        texts = [path.read_text("utf-8") for path in written if path.exists()]
        told[name] = "\n".join([f"exit {done.returncode}", done.stdout, done.stderr, *texts])
        for path in written:
            path.unlink(missing_ok=True)
    return told


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this source tree, installed into a folder of its own."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=600)
    (built,) = folder.glob("*.whl")
    install = ["install", "--quiet", "--no-deps", "--no-index", "--target", str(folder / "tree")]
    subprocess.run(
        [sys.executable, "-m", "pip", *install, str(built)],
        check=True,
        capture_output=True,
        timeout=600,
    )
    return folder / "tree"
