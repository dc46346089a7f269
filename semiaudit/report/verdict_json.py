"""Many verdicts as JSON, version 1; its parts have the shapes of an audit's own report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from semiaudit.model.guarantee import Line
from semiaudit.model.verdict import Digest, Verdict, exit_code_of_run
from semiaudit.model.waiver import Waiver
from semiaudit.report.notices import WORDS, notices_of, specs_of
from semiaudit.report.numbers import bound_number, number
from semiaudit.report.to_json import SCHEMA_VERSION, budget_json, operating_points, wrapped
from semiaudit.version import __version__


def to_verdict_json(verdicts: Sequence[Verdict], *, incomplete: bool = False) -> str:
    """Render verdicts; the same verdicts give the same bytes."""
    told = verdicts_json(verdicts, incomplete=incomplete)
    return json.dumps(told, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def verdicts_json(verdicts: Sequence[Verdict], *, incomplete: bool) -> dict[str, Any]:
    """The verdicts as plain data, by the contract of docs/check.schema.json."""
    specs = specs_of(verdicts)
    complete = all(v.digest is None or v.digest.complete for v in specs)
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "semiaudit", "version": __version__},
        "complete": complete and not incomplete,
        "exit_code": exit_code_of_run(verdicts),
        "summary": {outcome: sum(v.outcome == outcome for v in specs) for outcome in WORDS},
        "verdicts": [_verdict(verdict) for verdict in specs],
        "waivers": [
            {"path": v.path, "findings": _findings(v)} for v in verdicts if v.kind == "waivers"
        ],
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    digest = verdict.digest
    return {
        "spec": {
            "path": verdict.path,
            "sha256": verdict.sha256 or None,
            "title": digest.title if digest else None,
        },
        "outcome": verdict.outcome,
        "exit_code": verdict.exit_code,
        "complete": digest.complete if digest else None,
        "semi_adjacency": _semi_adjacency(digest) if digest else None,
        "invariants": list(digest.invariants) if digest else [],
        "guarantees": [_line(line) for line in digest.lines] if digest else [],
        "budgets": [
            {
                **budget_json(result),
                "rule": result.rule or None,
                "policy": result.budget.policy,
                "waived": _waiver(result.waived),
            }
            for result in verdict.budgets
        ],
        "findings": _findings(verdict),
    }


def _semi_adjacency(digest: Digest) -> dict[str, Any]:
    ends = {"covering": digest.covering, "definition_13": digest.definition_13}
    chosen = ends[digest.reading]
    return {
        "metric": digest.metric,
        "reading": digest.reading,
        "value": chosen[1],
        "distance": digest.distance,
        **{name: {"lower": low, "upper": high} for name, (low, high) in ends.items()},
    }


def _line(line: Line) -> dict[str, Any]:
    numbers = line.numbers
    return {
        "framework": line.framework,
        "refused": bool(line.refused),
        "note": line.refused,
        "distance": line.distance,
        "pure_dp": wrapped("epsilon", numbers.pure_dp),
        "zcdp": wrapped("rho", numbers.zcdp),
        "gdp": wrapped("mu", numbers.gdp),
        "approx_dp": [
            {
                "delta": number(point.delta),
                "epsilon": bound_number(point.epsilon),
                "conversion": point.conversion,
            }
            for point in numbers.tightest
        ],
        **operating_points(numbers),
    }


def _findings(verdict: Verdict) -> list[dict[str, Any]]:
    return [
        {
            "rule": notice.rule,
            "level": notice.level,
            "message": notice.message,
            "file": notice.file,
            "line": notice.line,
            "column": notice.column or None,
            "waived": _waiver(notice.waived),
        }
        for notice in notices_of(verdict)
    ]


def _waiver(waiver: Waiver | None) -> dict[str, Any] | None:
    if waiver is None:
        return None
    return {
        "reason": waiver.reason,
        "approver": waiver.approver,
        "expires": waiver.expires.isoformat(),
        "accepted": None if waiver.accepted is None else number(waiver.accepted),
        "file": waiver.file,
        "line": waiver.mark.line,
    }
