"""The JSON Schema of the JSON report, version 1."""

from __future__ import annotations

from typing import Any, get_args

from semiaudit.model.adjacency import Metric, Reading
from semiaudit.model.audit import BUDGET_MEASURES
from semiaudit.model.frameworks import NAMES
from semiaudit.report.universe_view import METHODS

FRAMEWORKS = list(NAMES)
CONVERSIONS = [
    "declared",
    "pure",
    "tradeoff_duality",
    "gaussian_exact",
    "cks20",
    "bs16",
    "loss_distribution",
]
MEASURES = list(BUDGET_MEASURES)
METRICS = list(get_args(Metric))
READINGS = list(get_args(Reading))

NUMBER: dict[str, Any] = {"anyOf": [{"type": "number"}, {"const": "inf"}]}
SHARE: dict[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}
REGRET = "0 where mu is a measure's own; else mu is the smallest certified to hold"
TEXT: dict[str, Any] = {"type": "string"}
WHOLE: dict[str, Any] = {"type": "integer", "minimum": 0}
EXAMPLE = {"const": True, "description": "a spec that ships with the program was audited"}


def object_of(properties: dict[str, Any], **optional: dict[str, Any]) -> dict[str, Any]:
    """An object that has all of these properties, maybe the optional ones, and no others."""
    return {
        "type": "object",
        "properties": {**properties, **optional},
        "required": [*properties],
        "additionalProperties": False,
    }


def list_of(items: dict[str, Any]) -> dict[str, Any]:
    """A list of items of one form."""
    return {"type": "array", "items": items}


def or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """What a schema allows, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


MEASURES_OF_ONE_NUMBER = {
    "pure_dp": or_null(object_of({"epsilon": NUMBER})),
    "zcdp": or_null(object_of({"rho": NUMBER})),
}
OPERATING_POINTS = {
    "advantage": or_null(SHARE),
    "tpr_at_fpr": list_of(object_of({"fpr": SHARE, "tpr": SHARE})),
}
BUDGET: dict[str, Any] = {
    "framework": {"enum": FRAMEWORKS},
    "measure": {"enum": MEASURES},
    "at": or_null(SHARE),
    "distance": or_null(WHOLE),
    "limit": {"type": "number"},
    "actual": or_null(NUMBER),
    "holds": {"type": "boolean"},
    "reason": TEXT,
}


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
        **object_of(
            {
                "schema_version": {"const": 1},
                "complete": {"type": "boolean"},
                "tool": object_of({"name": {"const": "semiaudit"}, "version": TEXT}),
                "spec": object_of({"path": TEXT, "sha256": TEXT, "title": TEXT}, example=EXAMPLE),
                "statement": object_of(
                    dict.fromkeys(("domain", "scope", "unit", "standard", "intensity"), TEXT)
                ),
                "invariants": list_of(TEXT) | {"description": "everything published exactly"},
                "semi_adjacency": _semi_adjacency(),
                "disclosed": _disclosed(),
                "sensitivity": or_null(object_of(_sensitivity()))
                | {"description": "of the query on (D_t, A_a); null unless there is one"},
                "sensitivities": list_of(object_of({"query": TEXT, **_sensitivity()})),
                "guarantees": list_of({"$ref": "#/$defs/guarantee"}),
                "ordering": list_of(
                    object_of(
                        {
                            "stronger": {"enum": FRAMEWORKS},
                            "weaker": {"enum": FRAMEWORKS},
                            "strict": {"type": "boolean"},
                        }
                    )
                ),
                "budgets": list_of(_budget()),
                "findings": list_of(_finding()),
                "leaves_out": list_of(TEXT),
                "reference": list_of(TEXT),
            }
        ),
    }


def _witness() -> dict[str, Any]:
    cell = {"type": "array", "items": {"type": ["string", "integer"]}}
    counts = list_of(object_of({"cell": cell, "count": {"type": "integer", "minimum": 1}}))
    return object_of(
        {
            "record_from": or_null(cell),
            "record_to": or_null(cell),
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
    return object_of(
        {
            "lower": WHOLE,
            "upper": or_null(WHOLE),
            "method": {"enum": list(METHODS)},
            "source": TEXT,
            "witness": or_null({"$ref": "#/$defs/witness"}),
        }
    )


def _semi_adjacency() -> dict[str, Any]:
    return object_of(
        {
            "metric": {"enum": METRICS},
            "reading": {"enum": READINGS},
            "value": or_null(WHOLE),
            "covering": {"$ref": "#/$defs/parameter"},
            "definition_13": {"$ref": "#/$defs/parameter"},
            "theorem_16_bound": or_null(WHOLE),
            "a_min": or_null(WHOLE),
            "a_maxmin": or_null(WHOLE),
        }
    )


def _disclosed() -> dict[str, Any]:
    level = {"type": ["string", "integer"]}
    return object_of(
        {
            "table_is_public": {"type": ["boolean", "null"]},
            "forced_cells": or_null(WHOLE),
            "cells": or_null(WHOLE),
            "constant_attributes": or_null(list_of(object_of({"attribute": TEXT, "level": level}))),
            "constant_groups": or_null(
                list_of(
                    object_of(
                        {
                            "group": list_of(TEXT) | {"description": "attribute and level each"},
                            "attribute": TEXT,
                            "level": level,
                        }
                    )
                )
            ),
            "cell_ranges": or_null(
                list_of(object_of({"cell": list_of(level), "low": WHOLE, "high": WHOLE}))
            ),
        }
    )


def _sensitivity() -> dict[str, Any]:
    return {
        "distance": WHOLE,
        "l1": NUMBER,
        "l2": NUMBER,
        "linf": NUMBER,
        "rank": or_null(WHOLE),
        "elements": or_null(WHOLE) | {"description": "0 included"},
        "exact": {"type": "boolean"} | {"description": "false: upper bounds"},
        "method": TEXT,
    }


def _numbers() -> dict[str, Any]:
    point = {
        "delta": SHARE,
        "epsilon": NUMBER | {"description": "upper end, rounded up"},
        "epsilon_lower": or_null(NUMBER),
        "conversion": {"enum": CONVERSIONS},
    }
    return {
        **MEASURES_OF_ONE_NUMBER,
        "gdp": or_null(
            object_of({"mu": NUMBER, "regret": or_null(SHARE | {"description": REGRET})})
        ),
        "approx_dp": list_of(object_of(point)) | {"description": "by delta, the tightest first"},
        "tradeoff": list_of(object_of({"type_i": SHARE, "type_ii": SHARE}))
        | {"description": "type_ii is a lower bound, as a function of type_i (Su's form f)"},
        **OPERATING_POINTS,
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
    distance = {"metric": {"enum": METRICS}, "distance": or_null(WHOLE)}
    return object_of(
        {
            "framework": {"enum": FRAMEWORKS},
            "universe": {"enum": ["D", "D_t"]},
            "adjacency": object_of(distance),
            "covers_joint_release": {"type": "boolean"},
            "note": TEXT,
            "not_protected": TEXT,
            "refused": {"type": "boolean"},
            **_numbers(),
            "alternatives": list_of(object_of({"name": TEXT, **_numbers()})),
        }
    )


def _budget() -> dict[str, Any]:
    at = BUDGET["at"] | {"description": "delta of an epsilon, FPR of a tpr"}
    return object_of({**BUDGET, "at": at})


def _finding() -> dict[str, Any]:
    return object_of(
        {
            "rule": {"type": "string", "pattern": "^SA[0-9]{3}$"},
            "level": {"enum": ["error", "warning", "note"]},
            "message": TEXT,
            "line": or_null(WHOLE),
            "column": or_null(WHOLE),
        }
    )
