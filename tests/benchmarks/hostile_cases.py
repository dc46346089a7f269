"""Hostile cases over all commands and formats: each ends within its limit and two seconds.

    python -m tests.benchmarks.hostile_cases [--busy] [--write]

Each command runs in a process of its own with ``--time-limit 3``, from its start to its end,
imports included. Seconds are by the clock, which the limit is about. A busy machine adds the time
of its other work to them: with ``--busy``, the clock of every process is that of its processor, and
so are the seconds. Queries of engines and workers keep the clock on the wall then, of which the
processor has at most as much. ``--write`` puts the table into docs/theory/measurements.md.
"""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import duckdb

from tests.benchmarks.tables import write_table
from tests.places import ROOT

LIMIT = 3
BUSY = "--busy" in sys.argv
START = "from semiaudit.__main__ import main; main()"
BUSY_START = f"import time; time.monotonic = time.process_time; {START}"

ALLOWED = 2.0
"""Seconds beyond the limit."""

HEAD = "semiaudit: 1\n"
ZCDP = "mechanism: {zcdp: {rho: 0.1}}\n"
ALL_TWO_WAY = "invariants: [margin: [a, b], margin: [b, c], margin: [a, c]]\n"
SPACE = "dataspace: {size: 1000, attributes: {a: 2, b: 3}}\n"
MARGINS = "invariants: [margin: [a], margin: [b]]\n"
DELTAS = ", ".join(f"{10 ** -(1 + k / 2):.3e}" for k in range(20))
RARE = "subsampled_gaussian: {noise_multiplier: 1, sampling_rate: 1e-300, steps: 1}, repeat: 3"
"""A composition whose curves took 20 seconds whatever the limit was."""

TABLE = "dataspace: {attributes: {a: 2}}\ninvariants: [margin: [a]]\n"
DESIGN = (
    "dataspace: {attributes: {a: 6, b: 6}}\ninvariants: [margin: [a], margin: [b]]\n"
    f"data: {{counts: {[[(5 * i + 3 * j) % 7 + 1 for j in range(6)] for i in range(6)]}}}\n"
    "design: {query: table}\n"
)
NOISE = DESIGN.replace(
    "design: {query: table}", "mechanism: {k_norm: {epsilon: 1, query: table, norm: {hull: D_t}}}"
)
ENDLESS = (
    "CREATE VIEW endless AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT (x + 1) % 1000 "
    "FROM n) SELECT x % 2 AS a FROM n"
)
PRODUCT = (
    "CREATE VIEW product AS SELECT (p.a + q.a + r.a + s.a + t.a) % 2 AS a "
    "FROM base p, base q, base r, base s, base t"
)
VIEWS = {"endless": ENDLESS, "product": PRODUCT}


@dataclass(frozen=True, slots=True)
class Took:
    """What a case took.

    Attributes:
        seconds: by the clock. processor: of the processor. code: the exit code.
    """

    line: str
    seconds: float
    processor: float
    code: int

    @property
    def in_time(self) -> bool:
        """Whether it ended within the limit and two seconds, without an internal error."""
        seconds = self.processor if BUSY else self.seconds
        return seconds <= LIMIT + ALLOWED and self.code in (0, 1, 2, 3)


def _laplace() -> str:
    parts = "".join(f"  - laplace: {{scale: {3 + 0.37 * k:.2f}, shifts: [1]}}\n" for k in range(40))
    return f"{SPACE}{MARGINS}mechanism:\n  compose:\n{parts}report: {{deltas: [{DELTAS}]}}\n"


def _many_parts() -> str:
    parts = "".join(f"  - laplace: {{scale: {k}, shifts: [1]}}\n" for k in range(1, 10_001))
    return f"{SPACE}{MARGINS}mechanism:\n  compose:\n{parts}"


def _large_cube() -> str:
    rows = [[[(7 * a + 5 * b + 3 * c) % 11 for c in range(5)] for b in range(5)] for a in range(5)]
    space = "dataspace: {attributes: {a: 5, b: 5, c: 5}}\n"
    return f"{space}{ALL_TWO_WAY}data: {{counts: {json.dumps(rows)}}}\n{ZCDP}"


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
    return f"{SPACE}{MARGINS}mechanism:\n  compose:\n{parts}report: {{deltas: [{DELTAS}]}}\n"


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
    report = f"report: {{deltas: [{DELTAS}], alphas: [{rates}]}}\n"
    return f"{SPACE}{MARGINS}mechanism: {{zcdp: {{rho: 0.3}}}}\n{report}"


def write_specs(folder: Path) -> None:
    texts = {
        "rare": f"dataspace: {{unit: person}}\nmechanism: {{{RARE}}}\n",
        "laplace": _laplace(),
        "parts": _many_parts(),
        "cube": _large_cube(),
        "kinds": _many_kinds(),
        "queries": _many_queries(),
        "orders": _zcdp(),
        "design": DESIGN,
        "noise": NOISE,
    }
    for engine in ("sqlite", "duckdb"):
        for view in VIEWS:
            data = f'data: {{engine: "{engine}://p.{engine}", records: {view}}}\n'
            texts[f"{engine}_{view}"] = f"{TABLE}{data}mechanism: {{zcdp: {{rho: 1}}}}\n"
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(HEAD + text, encoding="utf-8")
    one = folder / "one"
    one.mkdir()
    (one / "rare.yaml").write_text(HEAD + texts["rare"], encoding="utf-8")
    statements = (
        "CREATE TABLE base AS WITH RECURSIVE n(a) AS (SELECT 0 UNION ALL SELECT a + 1 FROM n "
        "WHERE a < 999) SELECT a FROM n",
        *VIEWS.values(),
    )
    with (
        sqlite3.connect(folder / "p.sqlite") as store,
        duckdb.connect(str(folder / "p.duckdb")) as other,
    ):
        for statement in statements:
            store.execute(statement)
            other.execute(statement)


def lines() -> Iterator[str]:
    """The command lines, without the limit."""
    for form in ("text", "json", "markdown", "html", "csv", "latex"):
        yield f"analyze rare.yaml --format {form}"
    for form in ("svg", "png", "pdf"):
        yield f"analyze rare.yaml -o {form}=figure.{form}"
    yield "analyze rare.yaml -o html=a.html -o markdown=a.md -o svg=a.svg -o png=a.png"
    yield "analyze laplace.yaml --format html"
    yield "analyze parts.yaml --format html"
    yield "analyze kinds.yaml -o html=b.html -o svg=b.svg"
    yield "analyze cube.yaml --format html"
    yield "check rare.yaml --format sarif"
    yield "check kinds.yaml -o html=c.html -o junit=c.xml -o github=c.txt"
    yield "check queries.yaml --format csv"
    yield "check orders.yaml --format latex"
    yield "batch one --jobs 1 --reports pages"
    yield "compare rare.yaml laplace.yaml --format html"
    yield "compare kinds.yaml orders.yaml -o svg=d.svg"
    yield "ablate cube.yaml --format html"
    yield "ablate laplace.yaml -o html=e.html -o png=e.png"
    yield f"convert|{RARE}"
    yield "mechanism calibrate design.yaml --target mu=1"
    yield "mechanism sample noise.yaml -o csv=noise.csv"
    yield "registry export rare.yaml"
    yield "reproduce"
    yield "analyze sqlite_endless.yaml --allow-engine sqlite --format html"
    yield "analyze duckdb_endless.yaml --allow-engine duckdb"
    yield "check duckdb_product.yaml sqlite_product.yaml --jobs 2 --allow-engine duckdb " + (
        "--allow-engine sqlite"
    )


def took(line: str, folder: Path) -> Took:
    words = line.split("|") if "|" in line else line.split()
    start = BUSY_START if BUSY else START
    call = [sys.executable, "-c", start, *words, "--time-limit", str(LIMIT)]
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        call,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(line.replace("|", " "), seconds, spent, done.returncode)


def main() -> int:
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_specs(folder)
        for line in lines():
            found.append(took(line, folder))
            one = found[-1]
            print(
                f"{one.seconds:5.1f} s ({one.processor:4.1f} of the processor), exit {one.code}"
                f"{'' if one.in_time else ', LATE'}: {one.line}",
                flush=True,
            )
    if "--write" in sys.argv:
        write(found)
    return int(not all(one.in_time for one in found))


def write(found: list[Took]) -> None:
    rows = ["| command | seconds | of the processor | exit code |", "| --- | ---: | ---: | ---: |"]
    rows += [
        f"| `{one.line}` | {one.seconds:.1f} | {one.processor:.1f} | {one.code} |" for one in found
    ]
    write_table(ROOT / "docs" / "theory" / "measurements.md", "hostile", rows)


if __name__ == "__main__":
    sys.exit(main())
