"""The gate over many specs: find them, judge each, and say what the waiver files are worth.

Baselines: the guarantees of an earlier JSON report of `analyze` or `check`.

A number is an upper bound, as the double that the report prints; a delta or an FPR is what its text
says, exactly.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TypeVar

from semiaudit.checking.discovery import Discovered
from semiaudit.checking.interruption import Stop
from semiaudit.checking.verdict import not_reached, verdict_of
from semiaudit.errors import Problem, SpecError, listed, one_line
from semiaudit.gate.baseline import earlier_of, gone
from semiaudit.gate.judgement import fatal_as_errors
from semiaudit.gate.policy import as_errors
from semiaudit.gate.waivers import of_files
from semiaudit.model.bound import Bound
from semiaudit.model.building_blocks import Domain
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.frameworks import LEADING
from semiaudit.model.guarantee import ApproxPoint, GuaranteeLine, Numbers
from semiaudit.model.policy import NO_GATE, Earlier, EarlierBudget, FailOn, GateOptions
from semiaudit.model.verdict import Verdict
from semiaudit.paths import is_inside
from semiaudit.report.form.from_json import (
    Report,
    bytes_of_report,
    entries_of,
    exact,
    read_report,
    refused,
)
from semiaudit.spec.policy.policy_reader import load_policy, load_waivers


def load_baseline(path: str | Path) -> tuple[Earlier, ...]:
    """Read the guarantees of an earlier JSON report: from a run that passed and was complete.

    Raises:
        SpecError: the file cannot be read, is not a report, or contains no audited spec; or the run
            failed or was not complete, so that a later run would accept wrong results.
    """
    name = str(path)
    report = read_report(name, bytes_of_report(name), of_check=True)
    audited = [entry for _, entry in entries_of(report) if entry["semi_adjacency"] is not None]
    if not audited:
        raise refused(name, "contains no audited spec")
    failed = [*_failed(report)]
    if failed:
        message = f"cannot be a baseline, because its run did not pass: {listed(failed)}"
        raise refused(name, message, "use the report of a run that passed")
    return tuple(_earlier(entry, report["tool"]["version"]) for entry in audited)


def _failed(report: Report) -> Iterator[str]:
    """Yield what did not pass, or is not complete; a refused guarantee concerns only its spec."""
    for _, entry in entries_of(report):
        path = one_line(entry["spec"]["path"])
        if entry.get("outcome") == "exceeds":
            yield f"{path} failed"
        elif entry["semi_adjacency"] is None:
            yield f"{path} was not audited"
        elif "outcome" not in entry and not all(b["holds"] for b in entry["budgets"]):
            yield f"{path} failed"
        elif entry.get("building_blocks", ...) is None or (
            not entry["complete"] and "time" in entry.get("incomplete_because", ["time"])
        ):
            yield f"{path} reached the time limit"
    for waivers in report.get("waivers", ()):
        if any(finding["level"] == "error" for finding in waivers["findings"]):
            yield f"{one_line(waivers['path'])} failed"


def _earlier(entry: Report, version: str) -> Earlier:
    semi, guarantees = entry["semi_adjacency"], entry["guarantees"]
    established = semi["value"] is not None or semi["reading"] != "covering"
    domain = entry.get("building_blocks", entry)["domain"]
    attributes = tuple((one["name"], int(one["levels"])) for one in domain["attributes"])
    disclosed = entry.get("disclosed", {"values": entry.get("values_given")})
    return Earlier(
        path=entry["spec"]["path"],
        metric=semi["metric"],
        reading=semi["reading"],
        covering=_whole(semi["covering"]["upper"]) if established else None,
        lines=tuple(_line(row) for row in guarantees if not row["refused"]),
        budgets=tuple(map(_budget, entry["budgets"])),
        refused=any(row["framework"] == LEADING and row["refused"] for row in guarantees),
        invariants=tuple(entry["invariants"]),
        unit=entry["unit"],
        values_given=any(value is not None for value in disclosed.values()),
        domain=Domain(
            domain["kind"],
            _whole(domain["size"]),
            _whole(domain["datasets"]),
            attributes,
            tuple(domain["restrictions"]),
        ),
        version=version,
    )


def _line(row: Report) -> GuaranteeLine:
    tightest: dict[Fraction, tuple[float, str]] = {}
    for point in row["approx_dp"]:
        delta, candidate = exact(point["delta"]), (float(point["epsilon"]), point["conversion"])
        tightest[delta] = min(tightest.get(delta, candidate), candidate)
    numbers = Numbers(
        pure_dp=_printed(row["pure_dp"] and row["pure_dp"]["epsilon"]),
        zcdp=_printed(row["zcdp"] and row["zcdp"]["rho"]),
        gdp=_printed(row["gdp"] and row["gdp"]["mu"]),
        approx_dp=tuple(
            ApproxPoint(delta, _upper(epsilon), conversion)
            for delta, (epsilon, conversion) in tightest.items()
        ),
        tradeoff=(),
        advantage=_printed(row["advantage"]),
        tpr_at_fpr=tuple(
            (exact(point["fpr"]), _upper(point["tpr"])) for point in row["tpr_at_fpr"]
        ),
    )
    distance = _whole(row.get("adjacency", row)["distance"])
    return GuaranteeLine(row["framework"], "", distance, numbers)


def _budget(budget: Report) -> EarlierBudget:
    return EarlierBudget(
        framework=budget["framework"],
        measure=budget["measure"],
        at=None if budget["at"] is None else exact(budget["at"]),
        distance=_whole(budget["distance"]),
        limit=float(budget["limit"]),
        policy=budget.get("policy") is True,
    )


def _printed(value: float | str | None) -> Bound | None:
    return None if value is None else _upper(value)


def _upper(value: float | str) -> Bound:
    """Return an upper bound that is known only as the printed double of a report."""
    double = float(value)
    return Bound(double if math.isinf(double) else Fraction(double), "upper", "printed", "a report")


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


T = TypeVar("T")

Audits = Callable[[Sequence[str], GateOptions], Generator[tuple[int, Verdict]]]
"""Audits specs; yields the verdicts with their places as they come, fewer if it is stopped."""


def check(
    discovery: Discovered,
    *,
    time_limit: float,
    gate: GateOptions,
    each: Callable[[Verdict], None] | None = None,
    access: Access = CONFINED,
    audits: Audits | None = None,
) -> tuple[Verdict, ...]:
    """Judge every spec that was found, in the order of the paths.

    Specs that an interrupted run did not come to are unaudited.

    Args:
        discovery: the specs, and what is wrong with the paths that were to name some.
        time_limit: seconds that all computations for one spec may take.
        each: is called with every verdict as soon as there is one.
        access: what the caller allows specs to reach and messages to quote.
        audits: how specs are audited; None: one after another, in this process.
    """
    gate = replace(gate, baseline=baseline_for(discovery, gate.baseline))
    if audits is None:
        audits = partial(in_turn, time_limit=time_limit, access=access, stop=Stop())
    reached: dict[int, Verdict] = {}
    with closing(audits(discovery.specs, gate)) as audited:
        for index, verdict in audited:
            reached[index] = verdict
            if each is not None:
                each(verdict)
    judged = [reached.get(i) or not_reached(path) for i, path in enumerate(discovery.specs)]
    complete = len(reached) == len(discovery.specs)
    verdicts = [*unreadable(discovery), *vanished(discovery, gate.baseline), *judged]
    return with_waivers(verdicts, gate, complete=complete)


def in_turn(
    paths: Sequence[str],
    gate: GateOptions,
    *,
    time_limit: float,
    access: Access,
    stop: Stop,
    text: bytes | None = None,
) -> Generator[tuple[int, Verdict]]:
    """Audit specs one after another in this process; yields each verdict with its place.

    Args:
        time_limit: seconds that all computations for one spec may take.
        access: what the caller allows specs to reach and messages to quote.
        stop: a request to end interrupts the audit that is under way.
        text: the one spec itself, where its path is no file's.
    """
    for index, path in enumerate(paths):
        try:
            with stop.interrupting():
                verdict = verdict_of(
                    path, time_limit=time_limit, gate=gate, access=access, text=text
                )
        except KeyboardInterrupt:
            if stop.asked:
                return
            raise
        if stop.asked and verdict.outcome == "internal":
            return  # a library made something else of the request
        yield index, verdict


def unreadable(discovery: Discovered) -> list[Verdict]:
    """A verdict for every path that names nothing."""
    return [
        Verdict(one_line(problem.file), "unaudited", problems=(problem,))
        for problem in discovery.problems
    ]


def with_waivers(
    verdicts: Sequence[Verdict], gate: GateOptions, *, complete: bool = True
) -> tuple[Verdict, ...]:
    """The verdicts in the order of their paths, and behind them what waiver files are worth.

    An expired waiver fails; one that waived nothing in the whole run is reported, and fails if
    warnings fail.

    Args:
        complete: every spec was reached; else it is not known which waivers waive nothing.
    """
    ordered = sorted(verdicts, key=lambda verdict: verdict.path.split("/"))
    if not ordered:
        return ()
    used = {place for verdict in ordered for place in verdict.used}
    used |= set() if complete else set(range(len(gate.waivers)))
    specs = {Path(os.path.realpath(verdict.path)).as_posix() for verdict in ordered}
    all_findings = [finding for verdict in ordered for finding in verdict.findings]
    findings_by_file = {
        file: tuple(fatal_as_errors(as_errors(findings, gate.policy), gate))
        for file, findings in of_files(gate.waivers, used, gate.today, specs, all_findings).items()
    }
    files = [
        Verdict(
            file,
            "exceeds" if any(f.level == "error" for f in findings) else "holds",
            findings=findings,
            kind="waivers",
        )
        for file, findings in findings_by_file.items()
        if findings
    ]
    return (*ordered, *files)


def baseline_for(
    discovery: Discovered, baseline: tuple[Earlier, ...] | None
) -> tuple[Earlier, ...] | None:
    """The baseline with the names that its specs have in this run.

    One report of one spec is compared with the one spec that is named, whatever its path was.
    """
    if baseline is None:
        return None
    if len(discovery.specs) == len(baseline) == 1 and not discovery.folders:
        return (replace(baseline[0], path=discovery.specs[0]),)
    names = {os.path.realpath(path): path for path in discovery.specs}
    return tuple(
        replace(earlier, path=names.get(os.path.realpath(earlier.path), earlier.path))
        for earlier in baseline
    )


def vanished(discovery: Discovered, baseline: tuple[Earlier, ...] | None) -> list[Verdict]:
    """A verdict for every spec of the baseline that is gone.

    It is gone if its file does not exist, or lies in a directory that was searched, and was not
    found. Files that are named singly say nothing of others.
    """
    present_paths = {os.path.realpath(path) for path in discovery.specs}
    missing = {
        earlier.path: earlier
        for earlier in baseline or ()
        if os.path.realpath(earlier.path) not in present_paths
        and (
            not os.path.exists(earlier.path)
            or any(is_inside(earlier.path, folder) for folder in discovery.folders)
        )
    }
    reasons = {os.path.realpath(name): why for why, names in discovery.skipped for name in names}

    def why_not(path: str) -> str:
        real = os.path.realpath(path)
        return reasons.get(real, "it was not found there") if os.path.exists(path) else ""

    return [
        Verdict(one_line(path), "exceeds", findings=(gone(earlier, why_not(path)),))
        for path, earlier in missing.items()
        if path not in {problem.file for problem in discovery.problems}
    ]


def refuse_other_baseline(discovery: Discovered, gate: GateOptions, name: str) -> None:
    """Refuse a baseline that no audited spec is in, so that nothing would be compared.

    Specs of it that are gone fail the run by themselves.

    Raises:
        SpecError: the report at ``name`` is about other specs.
    """
    earlier = baseline_for(discovery, gate.baseline)
    if earlier is None or not discovery.specs or vanished(discovery, earlier):
        return
    if all(earlier_of(spec, earlier) is None for spec in discovery.specs):
        covered = listed([one_line(one.path) for one in earlier])
        raise refused(
            name,
            f"covers none of the audited specs (it covers {covered})",
            "name the report of these specs",
        )


def gate_options(
    *,
    policy: str | None,
    today: date,
    waivers: Sequence[str] = (),
    baseline: str | None = None,
    margin: Fraction = NO_GATE.margin,
    debug: bool = False,
    fail_on: FailOn = "error",
    budgets: bool = True,
    survey: bool = False,
) -> GateOptions:
    """Read what a gate holds specs against.

    Raises:
        SpecError: a file of these cannot be read, with every problem of every file.
    """
    problems: list[Problem] = []

    def read(load: Callable[[str], T], file: str | None) -> T | None:
        try:
            return load(file) if file is not None else None
        except SpecError as error:
            problems.extend(error.problems)
            return None

    rules = read(load_policy, policy)
    all_waivers = tuple(waiver for file in waivers for waiver in read(load_waivers, file) or ())
    earlier = read(load_baseline, baseline)
    if problems:
        raise SpecError(problems)
    return GateOptions(
        rules, all_waivers, earlier, margin, today, debug, fail_on, budgets, survey=survey
    )
