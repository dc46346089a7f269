"""A review of an entry of the registry as JSON, version 1, and its schema."""

from __future__ import annotations

from semiaudit.model.registry import SCHEMA_COMMIT
from semiaudit.model.registry_rules import DISTANCE_ONE, REGISTRY_RULES
from semiaudit.report.form.documents import Document
from semiaudit.report.form.forms import (
    LEVEL,
    POSITIVE,
    TEXT,
    TOOL,
    JsonForm,
    always,
    list_of,
    object_of,
)

_RULE = JsonForm(
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
        "message": TEXT.described("what is missing, and what to do"),
        "line": (POSITIVE.described("of the file"), "mark.line"),
        "column": (POSITIVE.described("of the line"), "mark.column"),
    }
)
_REVIEW = object_of(
    {
        "schema_version": always(1),
        "tool": TOOL,
        "path": TEXT.described("of the entry"),
        "name": TEXT.described("of the data product"),
        "registry_schema": (
            JsonForm({"const": SCHEMA_COMMIT}).described("the commit of the registry's schema"),
            lambda _: SCHEMA_COMMIT,
        ),
        "findings": list_of(_FINDING).described("in the order of the file"),
    }
)

DOCUMENT = Document(
    "review",
    "semiaudit registry review",
    "what an entry lacks, as `semiaudit registry review --format json` prints it",
    _REVIEW,
)
