"""Random whole specs, audited, against guarantees that an enumeration found.

    python -m tests.auditing.whole_audits --cases 20000 --journal FILE [--jobs 1]
    python -m tests.auditing.whole_audits --show 17

A case is a spec as text. An audit is not below the truth if every number of its rows `semi_dp`,
`nominal_dp`, `group_privacy`, `invariant_dp` (epsilon, rho, and mu), and `subspace_dp` (Gaussian
noise on all cells) is at least that of the worst pair, no lower bound of epsilon in the rows
`semi_dp` and `nominal_dp` is above it, and both definitions of a(t) lie within their bounds. A row
that is refused, and a number that is not given, claim nothing. The gap of a number is its ratio to
the truth, in the row `semi_dp`. A run goes on where its journal ends, and exits with 1 if a case is
below the truth or ended in an error.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from semiaudit.errors import SemiauditError
from semiaudit.library.report import audit
from tests.auditing.random_specs import TYPE_I, Drawn, drawn
from tests.oracles.releases import Numbers, Release, Truth, explicit_truth, truth
from tests.places import commit_of_the_tree

CLOSE, NONE = 1e-9, 1e-12
"""How far sums of floats may be off, relative to a number, and what counts as 0."""

TIGHT = 1e-6

LISTED = ("semi_dp", "nominal_dp")
"""Of their rows, every pair is enumerated; of group privacy, only the longest if there are many."""


def truth_of(case: Drawn) -> Truth:
    """What the enumeration finds."""
    deltas, type_i = (float(case.delta),), (float(TYPE_I),)
    if isinstance(case.release, Release):
        return truth(case.release, deltas, type_i)
    return explicit_truth(case.release, deltas, type_i)


def numbers_of(row: Mapping[str, Any]) -> dict[str, float]:
    if row["refused"]:
        return {}
    found = {
        "epsilon": row["pure_dp"] and row["pure_dp"]["epsilon"],
        "rho": row["zcdp"] and row["zcdp"]["rho"],
        "mu": row["gdp"] and row["gdp"]["mu"],
        "epsilon at delta": min((float(one["epsilon"]) for one in row["approx_dp"]), default=None),
        "advantage": row["advantage"],
        "true positive rate": next((one["tpr"] for one in row["tpr_at_fpr"] or ()), None),
    }
    return {name: float(number) for name, number in found.items() if number is not None}


def true_numbers(found: Numbers) -> dict[str, float]:
    """What the worst pairs show, as far as it is known."""
    known = {
        "epsilon": found.pure,
        "rho": found.rho,
        "mu": found.mu,
        "epsilon at delta": max(found.epsilons, default=-math.inf),
        "advantage": found.advantage,
        "true positive rate": max(found.rates, default=-math.inf),
    }
    return {name: number for name, number in known.items() if number > -math.inf}


def below(report: Mapping[str, Any], found: Truth) -> Iterator[str]:
    """Every claim of a report that the enumeration contradicts."""
    semi = report["semi_adjacency"]
    for name, value in (("covering", found.covering), ("definition_13", found.definition_13)):
        upper = semi[name]["upper"]
        if semi[name]["lower"] > value or (upper is not None and upper < value):
            yield f"{name}: {semi[name]['lower']} to {upper}, but {value}"
    for row in report["guarantees"]:
        claimed = numbers_of(row)
        if row["framework"] not in found.rows:
            continue
        for name, true in true_numbers(found.rows[row["framework"]]).items():
            least = true if math.isinf(true) else true * (1 - CLOSE) - NONE
            if name in claimed and claimed[name] < least:
                yield f"{row['framework']}: {name} {claimed[name]!r}, but {true!r}"
        if row["framework"] in LISTED and not row["refused"] and not found.binned:
            yield from _lower_bounds(row, found.rows[row["framework"]])


def _lower_bounds(row: Mapping[str, Any], found: Numbers) -> Iterator[str]:
    """Every lower bound of epsilon that the worst pairs contradict."""
    for true, point in product(found.epsilons, row["approx_dp"]):
        lower = point["epsilon_lower"]
        if lower is not None and float(lower) > true * (1 + TIGHT) + CLOSE:
            yield f"{row['framework']}: epsilon is at least {lower!r}, but {true!r}"


def ratios(report: Mapping[str, Any], found: Truth) -> dict[str, float]:
    """The claims of `semi_dp` over the truth; 1 if both are none, or both infinite."""
    (row,) = (row for row in report["guarantees"] if row["framework"] == "semi_dp")
    claimed, shown = numbers_of(row), {}
    for name, true in true_numbers(found.rows["semi_dp"]).items():
        if name in claimed:
            same = max(claimed[name], true) <= NONE or claimed[name] == true
            shown[name] = 1.0 if same else claimed[name] / true if true > NONE else math.inf
    return shown


def result_of(number: int) -> dict[str, Any]:
    started = time.process_time()
    case = drawn(number)
    found = truth_of(case)
    line: dict[str, Any] = {"case": number, "family": case.family, "about": case.about}
    try:
        report = audit(case.text).as_dict()
    except SemiauditError as error:
        return {**line, "outcome": "no audit", "why": str(error)}
    except Exception as error:  # noqa: BLE001 - the figures count every one of them
        return {**line, "outcome": "error", "why": repr(error)}
    wrong = list(below(report, found))
    semi = report["semi_adjacency"]
    (row,) = (row for row in report["guarantees"] if row["framework"] == "semi_dp")
    return {
        **line,
        "outcome": "below the truth" if wrong else "refused" if row["refused"] else "sound",
        "why": wrong or (row["note"] if row["refused"] else ""),
        "exact": all(semi[n]["lower"] == semi[n]["upper"] for n in ("covering", "definition_13")),
        "ratios": ratios(report, found),
        "seconds": round(time.process_time() - started, 3),
    }


def run(cases: int, journal: Path, jobs: int) -> list[dict[str, Any]]:
    lines = journal.read_text("utf-8").splitlines() if journal.exists() else []
    results = [json.loads(line) for line in lines]
    known = {result["case"] for result in results}
    commit = commit_of_the_tree()
    waiting = [number for number in range(cases) if number not in known]
    with ExitStack() as stack:
        file = stack.enter_context(journal.open("a", encoding="utf-8"))
        found: Iterable[dict[str, Any]] = map(result_of, waiting)
        if jobs > 1:
            pool = stack.enter_context(ProcessPoolExecutor(jobs))
            found = pool.map(result_of, waiting, chunksize=10)
        for result in found:
            line = {**result, "commit": commit}
            file.write(json.dumps(line) + "\n")
            file.flush()
            results.append(line)
    return results


def figures(results: Iterable[Mapping[str, Any]]) -> list[str]:
    results = list(results)
    ends = Counter(result["outcome"] for result in results)
    commits = Counter(result["commit"] for result in results)
    audited = [result for result in results if "exact" in result]
    shown = [
        f"cases: {len(results):,} whole specs",
        *(f"cases at commit {name}: {number:,}" for name, number in sorted(commits.items())),
        f"cases below the truth: {ends['below the truth']}",
        f"cases with every compared number at or above the truth: {ends['sound']:,}",
        f"cases whose row Semi-DP is refused: {ends['refused']:,}",
        f"cases whose spec is refused: {ends['no audit']}; with an internal error: {ends['error']}",
        f"cases with exact a(t) by both definitions: "
        f"{sum(result['exact'] for result in audited):,} of {len(audited):,}",
    ]
    gaps: dict[str, list[float]] = {}
    for result in audited:
        for name, ratio in result["ratios"].items():
            gaps.setdefault(name, []).append(ratio)
    heads = ("ratio of", "cases", f"at most {1 + TIGHT}", "median", "99% at most")
    shown.append(f"| {' | '.join(heads)} | largest finite | not finite |")
    for name, found in gaps.items():
        finite = [ratio for ratio in found if math.isfinite(ratio)]
        middle, most = np.quantile(found, (0.5, 0.99), method="higher")
        tight = sum(ratio <= 1 + TIGHT for ratio in found) / len(found)
        shown.append(
            f"| {name} | {len(found):,} | {tight:.1%} | {middle:.6g} | {most:.4g} "
            f"| {max(finite):.4g} | {len(found) - len(finite)} |"
        )
    return shown


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--journal", type=Path, metavar="FILE")
    parser.add_argument("--show", type=int, metavar="NUMBER")
    asked = parser.parse_args()
    if asked.show is not None:
        case = drawn(asked.show)
        shown = (case.text, str(truth_of(case)), json.dumps(result_of(asked.show), indent=1))
        sys.stdout.write("\n".join(shown) + "\n")
        return 0
    if asked.journal is None:
        parser.error("name a journal with --journal FILE")
    results = run(asked.cases, asked.journal, asked.jobs)
    sys.stdout.write("\n".join(figures(results)) + "\n")
    return int(any(result["outcome"] in ("below the truth", "error") for result in results))


if __name__ == "__main__":
    sys.exit(main())
