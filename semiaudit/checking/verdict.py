"""One spec before the gate: an audit, or why there is none, and what follows from it."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from semiaudit.auditing.run import audit_file
from semiaudit.data.query_interrupts import raise_interrupt
from semiaudit.errors import (
    Mark,
    Problem,
    SemiauditError,
    SpecError,
    one_line,
    quote_of,
    raise_full_memory,
    system_fault,
)
from semiaudit.gate.baseline import earlier_of, why_not_comparable
from semiaudit.gate.judgement import Judgement, judged, prepared
from semiaudit.gate.waivers import SpecFile
from semiaudit.library.report import refusal_of
from semiaudit.model.audit import Audit, Release
from semiaudit.model.building_blocks import domain_of
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.policy import NO_GATE, GateOptions
from semiaudit.model.verdict import Digest, Outcome, Verdict


def verdict_of(
    path: str | Path,
    *,
    time_limit: float,
    gate: GateOptions = NO_GATE,
    report: Callable[[Audit], None] | None = None,
    access: Access = CONFINED,
    text: bytes | None = None,
) -> Verdict:
    """Audit one spec file and judge it; whatever a spec can cause becomes part of the verdict.

    Args:
        time_limit: seconds that all computations may take together.
        gate: what the spec is checked against in addition to its own budgets.
        report: is called with the audit, where there is one, such as to write it to a file.
        access: what the caller allows the spec to reach and messages to quote.
        text: the spec itself, where it is no file.

    Returns:
        ``unaudited`` for a spec that cannot be read or answered, or whose ``semi_dp`` had to be
        refused; ``internal`` for a fault of this program; ``exceeds`` where anything fails; else
        ``holds``, or ``audited`` without any budget.

    Raises:
        OutputError: from ``report``.
        MemoryError: the memory that the process may use is full.
        KeyboardInterrupt: a signal came; nothing else.
    """
    started = time.perf_counter()
    # Drift is measured by the regret too: a mu that does not say all is not compared.
    in_full = report is not None or gate.baseline is not None
    result = _audit_or_verdict(str(path), time_limit, gate, access, text, in_full=in_full)
    if isinstance(result, Audit):
        if report is not None:
            report(result)
        verdict = _verdict(str(path), result, gate)
    else:
        verdict = result
    return replace(verdict, seconds=time.perf_counter() - started)


def _audit_or_verdict(
    path: str,
    time_limit: float,
    gate: GateOptions,
    access: Access,
    text: bytes | None,
    *,
    in_full: bool,
) -> Audit | Verdict:
    try:
        return audit_file(
            path,
            time_limit,
            prepare=lambda release: prepared(release, gate),
            access=access,
            text=text,
            in_full=in_full,
        )
    except SpecError as error:
        quoted = ((Mark(p.line, p.column), error.quote(p)) for p in error.problems)
        quotes = tuple((mark, quote) for mark, quote in quoted if quote)
        return Verdict(_shown(path), "unaudited", problems=error.problems, quotes=quotes)
    except SemiauditError as error:
        return _unaudited(path, str(error))
    except Exception as error:  # noqa: BLE001 - a fault of one audit must not hide the others
        raise_interrupt(error)
        raise_full_memory(error)
        return _internal(path, error, gate)


def _verdict(path: str, audit: Audit, gate: GateOptions) -> Verdict:
    try:
        file = _file(path, audit.release)
        judgement = judged(audit, gate, file)
        lenient = replace(gate, fail_on="never", defaults=gate.policy is not None)
        tolerated = gate.survey and not judged(audit, lenient, file).fails
        digest = digest_of(audit)
    except Exception as error:  # noqa: BLE001 - as above
        raise_full_memory(error)
        return _internal(path, error, gate)
    problems: tuple[Problem, ...] = ()
    refusal = refusal_of(audit)
    missing = why_not_comparable(audit, earlier_of(audit.release.path, gate.baseline))
    if refusal:
        remedy = "see the findings of `semiaudit analyze`"
        problems = (Problem(path, 0, 0, "", refusal, remedy),)
    elif missing:
        problems = (Problem(path, 0, 0, "", missing, "write a new baseline"),)
    marks = dict.fromkeys(finding.mark for finding in judgement.findings)
    quoted = ((mark, quote_of(audit.release.lines, mark)) for mark in marks)
    return Verdict(
        _shown(path),
        "unaudited" if problems else _outcome(judgement),
        audit.release.sha256,
        digest,
        judgement.budgets,
        judgement.findings,
        problems,
        used=judgement.used,
        budgets_required=gate.budgets_required,
        tolerated=tolerated and judgement.fails and not problems,
        quotes=tuple((mark, quote) for mark, quote in quoted if quote),
    )


def not_reached(path: str) -> Verdict:
    """The verdict on a spec that an interrupted run did not come to."""
    message = "was not audited: the run was interrupted"
    problem = Problem(path, 0, 0, "", message, "run it again")
    return Verdict(_shown(path), "unaudited", problems=(problem,))


def _file(path: str, release: Release) -> SpecFile:
    digests = frozenset({release.sha256, release.file_sha256})
    real = Path(os.path.realpath(path)).as_posix()
    return SpecFile(real, os.path.islink(path), release.sha256, digests)


def _outcome(judgement: Judgement) -> Outcome:
    if judgement.fails:
        return "exceeds"
    return "holds" if judgement.budgets else "audited"


def _unaudited(path: str, message: str) -> Verdict:
    return Verdict(_shown(path), "unaudited", problems=(Problem(path, 0, 0, "", message),))


def _internal(path: str, error: Exception, gate: GateOptions) -> Verdict:
    if fault := system_fault(error):
        problem = Problem(path, 0, 0, "", *fault)
        return Verdict(_shown(path), "unaudited", problems=(problem,))
    message = " ".join(f"internal error: {type(error).__name__}: {error}".split())
    problem = Problem(
        path, 0, 0, "", message, "see it with `semiaudit --debug check`, and report it"
    )
    trace = traceback.format_exc() if gate.debug else ""
    return Verdict(_shown(path), "internal", problems=(problem,), trace=trace)


def _shown(path: str) -> str:
    """The path as reports have it: with ``/``, on one line, and writable as UTF-8."""
    return one_line(Path(path).as_posix())


def digest_of(audit: Audit) -> Digest:
    """Return the parts of an audit that tables over many specs and later comparisons need."""
    semi = audit.universe.semi_adjacency.joint
    return Digest(
        title=audit.release.title,
        metric=semi.metric,
        reading=semi.reading,
        covering=(semi.covering.lower, semi.covering.upper),
        definition_13=(semi.definition_13.lower, semi.definition_13.upper),
        value=semi.value,
        distance=audit.release.adjacency.distance or audit.universe.semi_adjacency.value,
        lines=tuple(row.line for row in audit.rows),
        incomplete_because=audit.incomplete_because,
        established=semi.covering.established,
        invariants=tuple(publication.key for publication in audit.release.published_invariants),
        unit=audit.release.dataspace.unit,
        values_given=audit.release.published is not None,
        domain=domain_of(audit.release.dataspace),
    )
