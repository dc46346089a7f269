"""Directories of specs, and the command run on them as its users run it."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

from tests.fuzz.workers import one_process
from tests.in_process import completed
from tests.places import ROOT

FAULTS = Path(__file__).parent / "faults"

SPEC = """\
semiaudit: 1
title: {title}
dataspace: {{unit: person, size: 10, attributes: {{sex: [f, m], degree: [no, yes]}}}}
invariants: [{{margin: [sex]}}]
data: {{margins: {{sex: [4, 6]}}}}
mechanism: {{zcdp: {{rho: {rho}}}}}
budgets: [{{framework: semi_dp, rho: {budget}}}]
"""
"""a(t) is 2 under hamming (Example 5's reading of one margin), so semi_dp has 4 times the rho."""


def spec_file(folder: Path, name: str, rho: str = "0.5", budget: str = "2") -> Path:
    path = folder / f"{name}.semiaudit.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SPEC.format(title=f"The {name} table", rho=rho, budget=budget))
    return path


def environment(*, faults: bool = False) -> dict[str, str]:
    clean = {
        key: value
        for key, value in os.environ.items()
        if key not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM")
    }
    path = f"{FAULTS}{os.pathsep}{ROOT}" if faults else str(ROOT)
    return {**clean, "PYTHONPATH": path}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "semiaudit", "batch", *arguments]


def batch(cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A batch that came to its end, begun in this process.

    It has one worker unless it is told, as each takes half a second.
    """
    if "--jobs" not in arguments:
        arguments = (*arguments, "--jobs", "1")
    return completed(cwd, "batch", *arguments)


def batch_here(cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A batch whose specs are audited in this process too, where none of its workers is tested."""
    with one_process():
        return batch(cwd, *arguments)


def batch_alone(
    cwd: Path, *arguments: str, faults: bool = False
) -> subprocess.CompletedProcess[str]:
    """A batch that came to its end, begun in a process of its own."""
    return subprocess.run(
        command(*arguments),
        cwd=cwd,
        env=environment(faults=faults),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def outcomes_of(path: Path) -> dict[str, str]:
    return {Path(row["path"]).name.split(".")[0]: row["outcome"] for row in rows_of(path)}
