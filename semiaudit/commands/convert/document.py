"""The answer of the calculator as JSON, version 1, and its schema."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from semiaudit.commands.convert.model import TARGETS, Conversion
from semiaudit.report.completeness import BECAUSE
from semiaudit.report.forms import (
    METRIC,
    NUMBER,
    RATE,
    SHARE,
    TEXT,
    TRUTH,
    WHOLE,
    Form,
    always,
    document,
    inside,
    list_of,
    object_of,
    one_of,
    or_null,
)
from semiaudit.report.numbers import number
from semiaudit.report.shield import json_text
from semiaudit.report.to_json import NUMBERS, TOOL

_FIRST, _SECOND = itemgetter(0), itemgetter(1)
_EPSILON = Form(
    {"type": "number", "minimum": 0, "examples": [1]}, lambda epsilon: number(epsilon, up=False)
)

_CONVERSION = object_of(
    {
        "schema_version": always(1),
        "complete": TRUTH,
        "tool": TOOL,
        "mechanism": (TEXT.told("as it was written"), "question.text"),
        "metric": (METRIC, "question.metric"),
        "distance": (WHOLE, "question.distance"),
        "universe": always("D"),
        "target": (
            or_null(one_of(*TARGETS)).told("the measure that was asked for; null: all"),
            "question.target",
        ),
        **inside("numbers", NUMBERS),
        "profile": list_of(
            object_of(
                {
                    "epsilon": (_EPSILON.told("at which delta was asked"), _FIRST),
                    "delta": (SHARE.told("upper bound, rounded up"), _SECOND),
                    "conversion": (TEXT.told("what it rests on"), lambda p: p[1].method),
                }
            )
        ).told("delta at the epsilons that were asked for"),
        "guesses": list_of(
            object_of(
                {
                    "prior": (RATE.told("of the likeliest value"), _FIRST),
                    "success": (
                        NUMBER.told("how often the best guess is right, at most"),
                        _SECOND,
                    ),
                }
            )
        ).told("guesses of one record's attribute by whoever knows all other records"),
    },
    incomplete_because=BECAUSE,
)


def to_json(found: Conversion) -> str:
    """Render an answer; the same answer gives the same bytes."""
    return json_text(_CONVERSION.of(found))


def json_schema() -> dict[str, Any]:
    """The JSON Schema of what ``convert --format json`` prints."""
    schema: dict[str, Any] = document(
        "convert",
        "semiaudit convert",
        "what a mechanism guarantees by itself, as `semiaudit convert --format json` prints it",
        {},
        _CONVERSION,
    )
    return schema
