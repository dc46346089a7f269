"""Start-up beside a peer: whole processes, in pairs, in one run.

    python tests/benchmarks/start_up.py [--peer-python PATH] [--runs N]

Compares `semiaudit analyze configs/census2020_pl94.yaml` with `python -c "import dp_accounting"`.
The peer runs in the interpreter named by --peer-python (default: this one), which needs
`pip install dp_accounting`. Prints the median of the pairwise ratios; below 0.5 is required, 0.25
is the goal.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    audit = [sys.executable, "-m", "semiaudit", "analyze", "configs/census2020_pl94.yaml"]
    peer = [options.peer_python, "-c", "import dp_accounting"]
    for command in (audit, peer):
        seconds(command)
    pairs = [(seconds(audit), seconds(peer)) for _ in range(options.runs)]
    ours, theirs = ([pair[i] for pair in pairs] for i in range(2))
    ratios = sorted(a / b for a, b in pairs)
    print(f"analyze the census:    median {statistics.median(ours):.3f} s")
    print(f"import dp_accounting:  median {statistics.median(theirs):.3f} s")
    median = statistics.median(ratios)
    print(
        f"ratio over {len(pairs)} pairs: median {median:.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})"
    )
    sys.exit(0 if median < 0.5 else 1)


if __name__ == "__main__":
    main()
