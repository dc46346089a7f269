"""A review of an entry of the registry as JSON, version 1, and its schema."""

from __future__ import annotations

from typing import Any

from semiaudit.model.registry import SCHEMA_COMMIT, Review
from semiaudit.model.registry_rules import DISTANCE_ONE, REGISTRY_RULES
from semiaudit.report.forms import LEVEL, TEXT, Form, always, document, list_of, object_of
from semiaudit.report.shield import json_text
from semiaudit.report.to_json import TOOL

_PLACE = Form({"type": "integer", "minimum": 1})
_RULE = Form(
    {
        "enum": [*REGISTRY_RULES],
        "description": "its page is printed by `semiaudit rule`",
        "examples": [DISTANCE_ONE],
    }
)
_FINDING = object_of(
    {
        "rule": _RULE,
        "level": LEVEL,
        "message": TEXT.told("what is missing, and what to do"),
        "line": (_PLACE.told("of the file"), "mark.line"),
        "column": (_PLACE.told("of the line"), "mark.column"),
    }
)
_REVIEW = object_of(
    {
        "schema_version": always(1),
        "tool": TOOL,
        "path": TEXT.told("of the entry"),
        "name": TEXT.told("of the data product"),
        "registry_schema": (
            Form({"const": SCHEMA_COMMIT}).told("the commit of the registry's schema"),
            lambda _: SCHEMA_COMMIT,
        ),
        "findings": list_of(_FINDING).told("in the order of the file"),
    }
)


def to_json(found: Review) -> str:
    """Render a review."""
    return json_text(_REVIEW.of(found))


def json_schema() -> dict[str, Any]:
    """The JSON Schema of what ``registry review --format json`` prints."""
    told = "what an entry lacks, as `semiaudit registry review --format json` prints it"
    schema: dict[str, Any] = document("review", "semiaudit registry review", told, {}, _REVIEW)
    return schema
