"""The audit as JSON, version 1: stable names, sorted keys, no clock and no machine."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from semiaudit.model.audit import Audit, BudgetResult
from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import Numbers, Row
from semiaudit.model.semi_adjacency import Parameter, Witness
from semiaudit.model.sensitivity import Sensitivity
from semiaudit.report.numbers import bound_number, number, root_of
from semiaudit.version import __version__

SCHEMA_VERSION = 1


def to_json(audit: Audit) -> str:
    """Render an audit; the same audit gives the same bytes."""
    return json.dumps(report_of(audit), sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def report_of(audit: Audit) -> dict[str, Any]:
    """The report as plain data, by the contract of docs/report.schema.json."""
    release = audit.release
    return {
        "schema_version": SCHEMA_VERSION,
        "complete": audit.complete,
        "tool": {"name": "semiaudit", "version": __version__},
        "spec": {
            "path": release.path,
            "sha256": release.sha256,
            "title": release.title,
            **({"example": True} if release.example else {}),
        },
        "statement": asdict(audit.statement),
        "invariants": [str(invariant) for invariant in release.invariants],
        "semi_adjacency": _semi_adjacency(audit),
        "disclosed": _disclosed(audit),
        "sensitivity": _sensitivity(audit.sensitivities[0][1])
        if len(audit.sensitivities) == 1
        else None,
        "sensitivities": [
            {"query": str(query), **_sensitivity(found)} for query, found in audit.sensitivities
        ],
        "guarantees": [_guarantee(row) for row in audit.rows],
        "ordering": [asdict(order) for order in audit.ordering],
        "budgets": [budget_json(result) for result in audit.budgets],
        "findings": [
            {
                "rule": f.rule,
                "level": f.level,
                "message": f.message,
                "line": f.mark.line or None,
                "column": f.mark.column or None,
            }
            for f in audit.findings
        ],
        "leaves_out": list(release.leaves_out),
        "reference": list(release.references),
    }


def _semi_adjacency(audit: Audit) -> dict[str, Any]:
    semi = audit.universe.semi_adjacency
    return {
        "metric": semi.metric,
        "reading": semi.reading,
        "value": semi.value,
        "covering": _parameter(semi.covering),
        "definition_13": _parameter(semi.definition_13),
        "theorem_16_bound": semi.theorem_16_bound,
        "a_min": semi.a_min,
        "a_maxmin": semi.a_maxmin,
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "lower": parameter.lower,
        "upper": parameter.upper,
        "method": parameter.method,
        "source": parameter.source,
        "witness": _witness(parameter.witness),
    }


def _witness(witness: Witness | None) -> dict[str, Any] | None:
    if witness is None:
        return None
    return {
        "record_from": None if witness.record_from is None else list(witness.record_from),
        "record_to": None if witness.record_to is None else list(witness.record_to),
        "distance": witness.distance,
        "start": [{"cell": list(cell), "count": count} for cell, count in witness.start],
        "end": [{"cell": list(cell), "count": count} for cell, count in witness.end],
    }


def _disclosed(audit: Audit) -> dict[str, Any]:
    disclosed = audit.universe.disclosed
    constant = disclosed.constant_attributes
    return {
        "table_is_public": disclosed.table_is_public,
        "forced_cells": disclosed.forced_cells,
        "cells": disclosed.cells,
        "constant_attributes": None
        if constant is None
        else [{"attribute": name, "level": level} for name, level in constant],
        "constant_groups": None
        if disclosed.constant_groups is None
        else [
            {"group": list(who), "attribute": name, "level": level}
            for who, name, level in disclosed.constant_groups
        ],
        "cell_ranges": None
        if disclosed.ranges is None
        else [
            {"cell": list(cell), "low": low, "high": high} for cell, low, high in disclosed.ranges
        ],
    }


def _sensitivity(found: Sensitivity) -> dict[str, Any]:
    sides = {found.l1.side, found.l2_squared.side, found.linf.side}
    return {
        "distance": found.distance,
        "l1": bound_number(found.l1),
        "l2": bound_number(root_of(found.l2_squared)),
        "linf": bound_number(found.linf),
        "rank": found.rank,
        "elements": found.elements,
        "exact": sides == {"exact"},
        "method": found.method,
    }


def _guarantee(row: Row) -> dict[str, Any]:
    guarantee = row.guarantee
    return {
        "framework": guarantee.framework,
        "universe": guarantee.universe,
        "adjacency": {"metric": guarantee.metric, "distance": guarantee.distance},
        "covers_joint_release": guarantee.covers_joint_release,
        "note": guarantee.refused or guarantee.note,
        "not_protected": guarantee.not_protected,
        "refused": bool(guarantee.refused),
        **_numbers(row.numbers),
        "alternatives": [{"name": name, **_numbers(found)} for name, found in row.alternatives],
    }


def _numbers(numbers: Numbers) -> dict[str, Any]:
    return {
        "pure_dp": wrapped("epsilon", numbers.pure_dp),
        "zcdp": wrapped("rho", numbers.zcdp),
        "gdp": None
        if numbers.gdp is None
        else {"mu": bound_number(numbers.gdp), "regret": _optional(numbers.gdp_regret)},
        "approx_dp": [
            {
                "delta": number(point.delta),
                "epsilon": bound_number(point.epsilon),
                "epsilon_lower": _optional(point.epsilon_lower),
                "conversion": point.conversion,
            }
            for point in numbers.approx_dp
        ],
        "tradeoff": [
            {"type_i": number(type_i, up=False), "type_ii": bound_number(type_ii)}
            for type_i, type_ii in numbers.tradeoff
        ],
        **operating_points(numbers),
        "operating_points_from": numbers.operating_points_from or None,
    }


def operating_points(numbers: Numbers) -> dict[str, Any]:
    """The best attack on one pair of datasets: its advantage, and its power at each FPR."""
    return {
        "advantage": _optional(numbers.advantage),
        "tpr_at_fpr": [
            {"fpr": number(type_i, up=False), "tpr": bound_number(power)}
            for type_i, power in numbers.tpr_at_fpr
        ],
    }


def budget_json(result: BudgetResult) -> dict[str, Any]:
    """One budget as the reports have it."""
    budget = result.budget
    return {
        "framework": budget.framework,
        "measure": budget.measure,
        "at": None if budget.at is None else number(budget.at, up=budget.measure == "epsilon"),
        "distance": budget.distance,
        "limit": number(budget.limit),
        "actual": _optional(result.actual),
        "holds": result.holds,
        "reason": result.reason,
    }


def wrapped(name: str, bound: Bound | None) -> dict[str, Any] | None:
    """A bound under its name, or None where it is not known."""
    return None if bound is None else {name: bound_number(bound)}


def _optional(bound: Bound | None) -> float | int | str | None:
    return None if bound is None else bound_number(bound)
