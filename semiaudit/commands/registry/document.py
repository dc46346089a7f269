"""A review of an entry of the registry as JSON, version 1, and its schema."""

from __future__ import annotations

from semiaudit.model.results.registry import SCHEMA_COMMIT
from semiaudit.model.rules.registry_rules import DISTANCE_ONE, REGISTRY_RULES
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
        "description": "the id of the rule; `semiaudit rule` prints its page",
        "examples": [DISTANCE_ONE],
    }
)
_FINDING = object_of(
    {
        "rule": _RULE,
        "level": LEVEL,
        "message": TEXT.described("the problem, and how to fix it"),
        "line": (POSITIVE.described("the line in the file, from 1"), "mark.line"),
        "column": (POSITIVE.described("the column in the line, from 1"), "mark.column"),
    }
)
_REVIEW = object_of(
    {
        "schema_version": always(1),
        "tool": TOOL,
        "path": TEXT.described("the path of the entry"),
        "name": TEXT.described("the name of the data product"),
        "registry_schema": (
            JsonForm({"const": SCHEMA_COMMIT}).described("the commit of the registry's schema"),
            lambda _: SCHEMA_COMMIT,
        ),
        "findings": list_of(_FINDING).described("the findings, in the order of the file"),
    }
)

DOCUMENT = Document(
    "review",
    "semiaudit registry review",
    "The findings that `semiaudit registry review --format json` prints.",
    _REVIEW,
)
