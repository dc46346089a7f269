"""The answer of the calculator as JSON, version 1, and its schema."""

from __future__ import annotations

from semiaudit.commands.convert.model import TARGETS
from semiaudit.report.documents import Document
from semiaudit.report.forms import (
    BECAUSE,
    FIRST,
    METRIC,
    NUMBER,
    RATE,
    SECOND,
    SHARE,
    TEXT,
    TOOL,
    TRUTH,
    WHOLE,
    Form,
    always,
    inside,
    list_of,
    object_of,
    one_of,
    or_null,
)
from semiaudit.report.numbers import number
from semiaudit.report.to_json import NUMBERS

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
                    "epsilon": (_EPSILON.told("at which delta was asked"), FIRST),
                    "delta": (SHARE.told("upper bound, rounded up"), SECOND),
                    "conversion": (TEXT.told("what it rests on"), lambda p: p[1].method),
                }
            )
        ).told("delta at the epsilons that were asked for"),
        "guesses": list_of(
            object_of(
                {
                    "prior": (RATE.told("of the likeliest value"), FIRST),
                    "success": (
                        NUMBER.told("how often the best guess is right, at most"),
                        SECOND,
                    ),
                }
            )
        ).told("guesses of one record's attribute by whoever knows all other records"),
    },
    incomplete_because=BECAUSE,
)

DOCUMENT = Document(
    "convert",
    "semiaudit convert",
    "what a mechanism guarantees by itself, as `semiaudit convert --format json` prints it",
    _CONVERSION,
)
