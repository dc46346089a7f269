"""The JSON Schema of what ``check --format json`` prints, version 1."""

from __future__ import annotations

from typing import Any

from semiaudit.model.rules import RULES
from semiaudit.report.json_schema import (
    BUDGET,
    CONVERSIONS,
    FRAMEWORKS,
    MEASURES_OF_ONE_NUMBER,
    METRICS,
    NUMBER,
    OPERATING_POINTS,
    READINGS,
    SHARE,
    TEXT,
    WHOLE,
    list_of,
    object_of,
    or_null,
)
from semiaudit.report.notices import WORDS

_OUTCOMES = list(WORDS)
_DISTANCE = or_null(WHOLE)


def check_json_schema() -> dict[str, Any]:
    """The JSON Schema of a report on many specs."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "semiaudit check report, version 1",
        "$defs": {"waiver": _waiver(), "finding": _finding()},
        **object_of(
            {
                "schema_version": {"const": 1},
                "tool": object_of({"name": {"const": "semiaudit"}, "version": TEXT}),
                "complete": {"type": "boolean"},
                "exit_code": {"enum": [0, 1, 2, 3, 4]},
                "summary": object_of(dict.fromkeys(_OUTCOMES, WHOLE)),
                "verdicts": list_of(_verdict()),
                "waivers": list_of(
                    object_of({"path": TEXT, "findings": list_of({"$ref": "#/$defs/finding"})})
                ),
            }
        ),
    }


def _verdict() -> dict[str, Any]:
    ends = object_of({"lower": WHOLE, "upper": or_null(WHOLE)})
    return object_of(
        {
            "spec": object_of({"path": TEXT, "sha256": or_null(TEXT), "title": or_null(TEXT)}),
            "outcome": {"enum": _OUTCOMES},
            "exit_code": {"enum": [0, 1, 2, 3, 4]},
            "complete": or_null({"type": "boolean"}),
            "semi_adjacency": or_null(
                object_of(
                    {
                        "metric": {"enum": METRICS},
                        "reading": {"enum": READINGS},
                        "value": _DISTANCE,
                        "distance": _DISTANCE | {"description": "that is in force in D_t"},
                        "covering": ends,
                        "definition_13": ends,
                    }
                )
            ),
            "invariants": list_of(TEXT),
            "guarantees": list_of(_guarantee()),
            "budgets": list_of(_budget()),
            "findings": list_of({"$ref": "#/$defs/finding"}),
        }
    )


def _guarantee() -> dict[str, Any]:
    point = {"delta": SHARE, "epsilon": NUMBER, "conversion": {"enum": CONVERSIONS}}
    return object_of(
        {
            "framework": {"enum": FRAMEWORKS},
            "refused": {"type": "boolean"},
            "note": TEXT,
            "distance": _DISTANCE,
            **MEASURES_OF_ONE_NUMBER,
            "gdp": or_null(object_of({"mu": NUMBER})),
            "approx_dp": list_of(object_of(point)) | {"description": "the tightest at each delta"},
            **OPERATING_POINTS,
        }
    )


def _budget() -> dict[str, Any]:
    return object_of(
        {
            **BUDGET,
            "rule": or_null({"enum": list(RULES)}),
            "policy": {"type": "boolean"},
            "waived": or_null({"$ref": "#/$defs/waiver"}),
        }
    )


def _finding() -> dict[str, Any]:
    return object_of(
        {
            "rule": {"enum": list(RULES)},
            "level": {"enum": ["error", "warning", "note"]},
            "message": TEXT,
            "file": TEXT,
            "line": {"type": "integer", "minimum": 1},
            "column": or_null({"type": "integer", "minimum": 1}),
            "waived": or_null({"$ref": "#/$defs/waiver"}),
        }
    )


def _waiver() -> dict[str, Any]:
    return object_of(
        {
            "reason": TEXT,
            "approver": TEXT,
            "expires": {"type": "string", "format": "date"},
            "accepted": or_null({"type": "number"}),
            "file": TEXT,
            "line": WHOLE,
        }
    )
