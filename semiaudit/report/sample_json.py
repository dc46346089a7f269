"""What is said of a sample as JSON, version 1, and its schema; the numbers stand in files."""

from __future__ import annotations

from typing import Any

from semiaudit.model.sample import Sample
from semiaudit.report.count_errors import COUNT_ERROR
from semiaudit.report.forms import (
    TEXT,
    TRUTH,
    WHOLE,
    always,
    document,
    list_of,
    object_of,
    one_of,
    or_null,
)
from semiaudit.report.shield import json_text
from semiaudit.report.to_json import TOOL

_PART = object_of(
    {
        "kind": TEXT.told("of the noise, as the spec names it"),
        "query": TEXT.told("what the noise is added to"),
        "runs": WHOLE.told("how often the part runs in one draw"),
        "coordinates": WHOLE.told("numbers of one run"),
        "whole": TRUTH.told("whether they are whole numbers"),
        "method": TEXT.told("the algorithm by which the noise was drawn"),
        "exactness": TEXT.told("what is exact about the draws, and what is not"),
        "measured": TEXT.told("how well an approximate sampler did; empty for the others"),
    }
)

_SAMPLE = object_of(
    {
        "schema_version": always(1),
        "tool": TOOL,
        "path": TEXT.told("of the spec"),
        "sha256": TEXT.told("of what the spec makes public"),
        "title": TEXT.told("of the spec"),
        "randomness": (TEXT.told("where it came from"), "source"),
        "seed": (
            or_null(TEXT).told("in digits; null where the operating system was asked"),
            lambda found: None if found.seed is None else str(found.seed),
        ),
        "draws": WHOLE.told("how often the whole mechanism was performed"),
        "rows": WHOLE.told("of the files"),
        "answers": TRUTH.told("whether the numbers are noisy answers; else noise alone"),
        "data": TEXT.told("where the table was; empty for noise alone"),
        "nonnegative_integers": (
            or_null(one_of("l1", "l2")).told("the norm by which nearest tables were taken"),
            "fit",
        ),
        "distance": or_null(WHOLE).told("of semi-adjacency, which the noise is made for"),
        "parts": list_of(_PART).told("the parts of the mechanism, as the files number them"),
        "errors": list_of(COUNT_ERROR).told(
            "of a hierarchical release with a seed, by level and query; they are computed from the "
            "confidential table, and are not for publication"
        ),
        "notes": list_of(TEXT).told("what a reader must know"),
    }
)


def to_sample_json(found: Sample) -> str:
    """Render what is said of a sample."""
    return json_text(_SAMPLE.of(found))


def sample_json_schema() -> dict[str, Any]:
    """The JSON Schema of what ``mechanism sample --format json`` prints."""
    schema: dict[str, Any] = document(
        "sample",
        "semiaudit mechanism sample",
        "what was drawn, as `semiaudit mechanism sample --format json` prints it",
        {},
        _SAMPLE,
    )
    return schema
