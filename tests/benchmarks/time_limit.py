"""How long audits take that their time limit cuts: at most the limit and two seconds.

    python tests/benchmarks/time_limit.py

Each audit runs in a process of its own, from its start to its end, imports included. Beside the
time by the clock, which the limit is about, stands that of the processor: on a busy machine the
first one is of the neighbours as well.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from tests.places import ROOT

ALLOWED = 2.0
"""Seconds beyond the limit."""

HEAD = "semiaudit: 1\n"
ZCDP = "mechanism: {zcdp: {rho: 0.1}}\n"
CUBE = "dataspace: {attributes: {a: 2, b: 2, c: 2}}\n"
ALL_TWO_WAY = "invariants: [margin: [a, b], margin: [b, c], margin: [a, c]]\n"
MARGINS = "invariants: [margin: [a], margin: [b]]\n"
DELTAS = ", ".join(f"{10 ** -(1 + k / 2):.3e}" for k in range(20))


def _laplace() -> str:
    parts = "".join(f"  - laplace: {{scale: {3 + 0.37 * k:.2f}, shifts: [1]}}\n" for k in range(40))
    space = "dataspace: {size: 1000, attributes: {a: 2, b: 3}}\n"
    return f"{space}{MARGINS}mechanism:\n  compose:\n{parts}report: {{deltas: [{DELTAS}]}}\n"


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


def _many_kinds() -> str:
    parts = "".join(
        f"  - laplace: {{scale: {5 + 0.37 * k:.2f}, shifts: [1]}}\n"
        f"  - discrete_gaussian: {{sigma_squared: {(6 + k) ** 2}, shifts: [1]}}\n"
        f"  - discrete_laplace: {{scale: {4 + k}, shifts: [1]}}\n"
        f"  - pure_dp: {{epsilon: {0.05 + 0.01 * k:.2f}}}\n"
        f"  - approx_dp: {{epsilon: {0.02 + 0.003 * k:.3f}, delta: 1e-12}}\n"
        f"  - gdp: {{mu: {0.1 + 0.01 * k:.2f}}}\n"
        f"  - zcdp: {{rho: {0.001 * (k + 1):.3f}}}\n"
        for k in range(12)
    )
    space = "dataspace: {size: 1000, attributes: {a: 2, b: 3}}\n"
    return f"{space}{MARGINS}mechanism:\n  compose:\n{parts}report: {{deltas: [{DELTAS}]}}\n"


def _many_queries() -> str:
    asked = [names for size in range(1, 5) for names in combinations("abcde", size)]
    parts = "".join(
        f"  - {kind}: {{{scale}: {36 + 5 * (k % 7)}, query: {{margins: [[{', '.join(names)}]]}}}}\n"
        for kind, scale in (("discrete_gaussian", "sigma_squared"), ("laplace", "scale"))
        for k, names in enumerate(asked)
    )
    space = "dataspace: {size: 1000, attributes: {a: 2, b: 3, c: 4, d: 2, e: 3}}\n"
    margins = "invariants: [margin: [a, b], margin: [b, c], margin: [d, e]]\n"
    return f"{space}{margins}mechanism:\n  compose:\n{parts}report: {{deltas: [{DELTAS}]}}\n"


def _zcdp() -> str:
    rates = ", ".join(f"{0.002 * (k + 1):.3f}" for k in range(20))
    space = "dataspace: {size: 1000, attributes: {a: 2, b: 3}}\n"
    report = f"report: {{deltas: [{DELTAS}], alphas: [{rates}]}}\n"
    return f"{space}{MARGINS}mechanism: {{zcdp: {{rho: 0.3}}}}\n{report}"


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
    yield "84 parts of seven kinds, 20 deltas", 3, _many_kinds()
    yield "60 noisy queries, 20 deltas", 3, _many_queries()
    yield "orders of zCDP, 20 deltas and rates", 1, _zcdp()
    bits = "dataspace: {product: {size: 12, values: [0, 1]}}\n"
    yield "4,096 explicit datasets", 3, bits + "invariants: [total]\n" + ZCDP


def seconds_of(text: str, limit: float) -> tuple[float, float, int]:
    """Seconds of `analyze` on a text by the clock and of the processor, and its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spec.yaml"
        path.write_text(HEAD + text, encoding="utf-8")
        call = [sys.executable, "-m", "semiaudit", "analyze", str(path), "--format", "json"]
        begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [*call, "--time-limit", str(limit)], cwd=ROOT, capture_output=True, check=False
        )
        elapsed, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return elapsed, spent, done.returncode


def main() -> int:
    late = 0
    for name, limit, text in cases():
        seconds, spent, code = seconds_of(text, limit)
        late += seconds > limit + ALLOWED
        verdict = "in time" if seconds <= limit + ALLOWED else "LATE"
        print(
            f"{name:36} limit {limit:2.0f} s: {seconds:5.1f} s ({spent:5.1f} of the processor), "
            f"exit {code}: {verdict}"
        )
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main())
