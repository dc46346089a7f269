"""How long audits take that their time limit cuts: at most the limit and two seconds.

    python tests/benchmarks/time_limit.py

Each audit runs in a process of its own, from its start to its end, imports included.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.places import ROOT

ALLOWED = 2.0
"""Seconds beyond the limit."""

HEAD = "semiaudit: 1\n"
ZCDP = "mechanism: {zcdp: {rho: 0.1}}\n"
CUBE = "dataspace: {attributes: {a: 2, b: 2, c: 2}}\n"
ALL_TWO_WAY = "invariants: [margin: [a, b], margin: [b, c], margin: [a, c]]\n"
MARGINS = "invariants: [margin: [a], margin: [b]]\n"


def _laplace() -> str:
    parts = "".join(f"  - laplace: {{scale: {3 + 0.37 * k:.2f}, shifts: [1]}}\n" for k in range(40))
    deltas = ", ".join(f"{10 ** -(1 + k / 2):.3e}" for k in range(20))
    space = "dataspace: {size: 1000, attributes: {a: 2, b: 3}}\n"
    return f"{space}{MARGINS}mechanism:\n  compose:\n{parts}report: {{deltas: [{deltas}]}}\n"


def _large_cube() -> str:
    rows = [[[(7 * a + 5 * b + 3 * c) % 11 for c in range(5)] for b in range(5)] for a in range(5)]
    space = "dataspace: {attributes: {a: 5, b: 5, c: 5}}\n"
    return f"{space}{ALL_TWO_WAY}data: {{counts: {json.dumps(rows)}}}\n{ZCDP}"


def _noisy_queries() -> str:
    parts = "".join(
        f"  - {kind}: {{{scale}, query: {query}}}\n"
        for kind, scale in (("gaussian", "sigma: 5"), ("laplace", "scale: 4"))
        for query in ("table", "{margins: [[a, b]]}", "{margins: [[b, c]]}", "{margins: [[c]]}")
    )
    counts = "data: {counts: [[[30, 41], [52, 23]], [[17, 39], [25, 61]]]}\n"
    return f"{CUBE}{ALL_TWO_WAY}{counts}mechanism:\n  compose:\n{parts}"


def cases() -> Iterator[tuple[str, float, str]]:
    """Names, limits and texts."""
    thousands = "data: {counts: [[[3000, 4100], [5200, 2300]], [[1700, 3900], [2500, 6100]]]}\n"
    yield "2x2x2, counts of thousands", 5, CUBE + ALL_TWO_WAY + thousands + ZCDP
    yield "40 Laplace scales, 20 deltas", 3, _laplace()
    yield "5x5x5, all two-way margins", 5, _large_cube()
    yield "eight noisy queries", 3, _noisy_queries()
    reports = 10**8
    space = f"dataspace: {{size: {reports}, attributes: {{a: 2, b: 2}}}}\n"
    shuffled = f"mechanism: {{shuffled: {{epsilon0: 2, reports: {reports}}}}}\n"
    yield "a shuffle of 10^8 reports", 3, space + MARGINS + shuffled
    bits = "dataspace: {product: {size: 12, values: [0, 1]}}\n"
    yield "4,096 explicit datasets", 3, bits + "invariants: [total]\n" + ZCDP


def seconds_of(text: str, limit: float) -> tuple[float, int]:
    """Wall-clock seconds of `analyze` on a text, and its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spec.yaml"
        path.write_text(HEAD + text, encoding="utf-8")
        call = [sys.executable, "-m", "semiaudit", "analyze", str(path), "--format", "json"]
        begun = time.perf_counter()
        done = subprocess.run(
            [*call, "--time-limit", str(limit)], cwd=ROOT, capture_output=True, check=False
        )
        return time.perf_counter() - begun, done.returncode


def main() -> int:
    late = 0
    for name, limit, text in cases():
        seconds, code = seconds_of(text, limit)
        late += seconds > limit + ALLOWED
        verdict = "in time" if seconds <= limit + ALLOWED else "LATE"
        print(f"{name:32} limit {limit:4.0f} s: {seconds:6.1f} s, exit {code}: {verdict}")
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main())
