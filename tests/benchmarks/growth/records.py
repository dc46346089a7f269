"""What was measured, with the day, the commit, the command, and the machine."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.benchmarks.growth.measuring import Used
from tests.benchmarks.growth.series import Point
from tests.places import ROOT

FOLDER = Path(__file__).parent / "records"


@dataclass(frozen=True, slots=True)
class Run:
    """When, on what, and how figures were measured.

    Attributes:
        day: in ISO 8601.
        commit: of the tree.
        command: that measures the figures again.
        machine: cores, processor, and Python.
    """

    day: str
    commit: str
    command: str
    machine: str


def run_of(command: str) -> Run:
    commit = subprocess.run(
        ["git", "rev-parse", "--short=8", "HEAD"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    cores = len(os.sched_getaffinity(0))
    machine = f"{cores} cores, {platform.machine()}, Python {platform.python_version()}"
    return Run(datetime.now(UTC).date().isoformat(), commit, command, machine)


def keep(name: str, run: Run, figures: Any) -> None:
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps({"run": asdict(run), "figures": figures}, indent=1, sort_keys=True)
    (FOLDER / f"{name}.json").write_text(text + "\n", "utf-8")


def figures_of(name: str) -> tuple[Run, Any] | None:
    path = FOLDER / f"{name}.json"
    if not path.exists():
        return None
    record = json.loads(path.read_text("utf-8"))
    return Run(**record["run"]), record["figures"]


def keep_points(name: str, run: Run, points: list[Point]) -> None:
    keep(name, run, [asdict(point) for point in points])


def points_of(name: str) -> tuple[Run, list[Point]] | None:
    record = figures_of(name)
    if record is None:
        return None
    run, figures = record
    return run, [_point(**figure) for figure in figures]


def _point(size: int, ours: dict[str, Any], peer: dict[str, Any] | None, patience: int) -> Point:
    return Point(size, Used(**ours), Used(**peer) if peer else None, patience)
