"""The JSON Schema of the JSON report, version 1."""

from __future__ import annotations

from typing import Any

FRAMEWORKS = ["nominal_dp", "group_privacy", "semi_dp", "subspace_dp", "invariant_dp"]
CONVERSIONS = [
    "declared",
    "pure",
    "tradeoff_duality",
    "gaussian_exact",
    "cks20",
    "bs16",
    "loss_distribution",
]
METHODS = [
    "closed_form",
    "set_cover",
    "enumeration",
    "supremum_over_t",
    "integer_program",
    "none",
]
METRICS = ["hamming", "multiset_hamming", "symmetric_difference"]

_NUMBER: dict[str, Any] = {"anyOf": [{"type": "number"}, {"const": "inf"}]}
_SHARE: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}
_TEXT: dict[str, Any] = {"type": "string"}
_WHOLE: dict[str, Any] = {"type": "integer", "minimum": 0}


def report_json_schema() -> dict[str, Any]:
    """The JSON Schema of what ``analyze --format json`` prints."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "semiaudit report, version 1",
        "$defs": {
            "witness": _witness(),
            "parameter": _parameter(),
            "guarantee": _guarantee(),
        },
        **_object(
            {
                "schema_version": {"const": 1},
                "complete": {"type": "boolean"},
                "tool": _object({"name": {"const": "semiaudit"}, "version": _TEXT}),
                "spec": _object({"path": _TEXT, "sha256": _TEXT, "title": _TEXT}),
                "statement": _object(
                    dict.fromkeys(("domain", "scope", "unit", "standard", "intensity"), _TEXT)
                ),
                "semi_adjacency": _semi_adjacency(),
                "disclosed": _disclosed(),
                "sensitivity": _or_null(_object(_sensitivity()))
                | {"description": "of the query on (D_t, A_a); null unless there is one"},
                "sensitivities": _list(_object({"query": _TEXT, **_sensitivity()})),
                "guarantees": _list({"$ref": "#/$defs/guarantee"}),
                "ordering": _list(
                    _object(
                        {
                            "stronger": {"enum": FRAMEWORKS},
                            "weaker": {"enum": FRAMEWORKS},
                            "strict": {"type": "boolean"},
                        }
                    )
                ),
                "budgets": _list(_budget()),
                "findings": _list(_finding()),
                "leaves_out": _list(_TEXT),
                "reference": _list(_TEXT),
            }
        ),
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _witness() -> dict[str, Any]:
    cell = {"type": "array", "items": {"type": ["string", "integer"]}}
    counts = _list(_object({"cell": cell, "count": {"type": "integer", "minimum": 1}}))
    return _object(
        {
            "record_from": _or_null(cell),
            "record_to": _or_null(cell),
            "distance": {"type": "integer", "minimum": 1},
            "start": counts,
            "end": counts,
        }
    ) | {
        "description": "two datasets of one universe as sparse counts, and the record that "
        "changes; levels as the spec names them; in an explicit dataspace a cell is "
        "[place, value]"
    }


def _parameter() -> dict[str, Any]:
    return _object(
        {
            "lower": _WHOLE,
            "upper": _or_null(_WHOLE),
            "method": {
                "enum": [
                    "closed_form",
                    "set_cover",
                    "enumeration",
                    "supremum_over_t",
                    "integer_program",
                    "none",
                ]
            },
            "source": _TEXT,
            "witness": _or_null({"$ref": "#/$defs/witness"}),
        }
    )


def _semi_adjacency() -> dict[str, Any]:
    return _object(
        {
            "metric": {"enum": METRICS},
            "reading": {"enum": ["covering", "definition_13"]},
            "value": _or_null(_WHOLE),
            "covering": {"$ref": "#/$defs/parameter"},
            "definition_13": {"$ref": "#/$defs/parameter"},
            "theorem_16_bound": _or_null(_WHOLE),
            "a_min": _or_null(_WHOLE),
            "a_maxmin": _or_null(_WHOLE),
        }
    )


def _disclosed() -> dict[str, Any]:
    level = {"type": ["string", "integer"]}
    return _object(
        {
            "table_is_public": {"type": ["boolean", "null"]},
            "forced_cells": _or_null(_WHOLE),
            "cells": _or_null(_WHOLE),
            "constant_attributes": _or_null(_list(_object({"attribute": _TEXT, "level": level}))),
            "constant_groups": _or_null(
                _list(
                    _object(
                        {
                            "group": _list(_TEXT) | {"description": "attribute and level each"},
                            "attribute": _TEXT,
                            "level": level,
                        }
                    )
                )
            ),
            "cell_ranges": _or_null(
                _list(_object({"cell": _list(level), "low": _WHOLE, "high": _WHOLE}))
            ),
        }
    )


def _sensitivity() -> dict[str, Any]:
    return {
        "distance": _WHOLE,
        "l1": _NUMBER,
        "l2": _NUMBER,
        "linf": _NUMBER,
        "rank": _or_null(_WHOLE),
        "elements": _or_null(_WHOLE) | {"description": "0 included"},
        "exact": {"type": "boolean"} | {"description": "false: upper bounds"},
        "method": _TEXT,
    }


def _numbers() -> dict[str, Any]:
    point = {
        "delta": _SHARE,
        "epsilon": _NUMBER | {"description": "upper end, rounded up"},
        "epsilon_lower": _or_null(_NUMBER),
        "conversion": {"enum": CONVERSIONS},
    }
    return {
        "pure_dp": _or_null(_object({"epsilon": _NUMBER})),
        "zcdp": _or_null(_object({"rho": _NUMBER})),
        "gdp": _or_null(_object({"mu": _NUMBER})),
        "approx_dp": _list(_object(point)) | {"description": "by delta, the tightest first"},
        "tradeoff": _list(_object({"type_i": _SHARE, "type_ii": _SHARE}))
        | {"description": "type_ii is a lower bound, as a function of type_i (Su's form f)"},
        "advantage": _or_null(_SHARE),
        "tpr_at_fpr": _list(_object({"fpr": _SHARE, "tpr": _SHARE})),
        "operating_points_from": {
            "enum": [
                "gaussian_exact",
                "tradeoff_exact",
                "cks20_envelope",
                "loss_distribution",
                None,
            ]
        },
    }


def _guarantee() -> dict[str, Any]:
    distance = {"metric": {"enum": METRICS}, "distance": _or_null(_WHOLE)}
    return _object(
        {
            "framework": {"enum": FRAMEWORKS},
            "universe": {"enum": ["D", "D_t"]},
            "adjacency": _object(distance),
            "covers_joint_release": {"type": "boolean"},
            "note": _TEXT,
            "not_protected": _TEXT,
            "refused": {"type": "boolean"},
            **_numbers(),
            "alternatives": _list(_object({"name": _TEXT, **_numbers()})),
        }
    )


def _budget() -> dict[str, Any]:
    return _object(
        {
            "framework": {"enum": FRAMEWORKS},
            "measure": {"enum": ["epsilon", "rho", "mu", "advantage", "tpr"]},
            "at": _or_null(_SHARE) | {"description": "delta of an epsilon, FPR of a tpr"},
            "distance": _or_null(_WHOLE),
            "limit": {"type": "number"},
            "actual": _or_null(_NUMBER),
            "holds": {"type": "boolean"},
            "reason": _TEXT,
        }
    )


def _finding() -> dict[str, Any]:
    return _object(
        {
            "rule": {"type": "string", "pattern": "^SA[0-9]{3}$"},
            "level": {"enum": ["error", "warning", "note"]},
            "message": _TEXT,
            "line": _or_null(_WHOLE),
            "column": _or_null(_WHOLE),
        }
    )
