"""Releases side by side, as JSON, version 1, and its schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from semiaudit.commands.compare.model import ExperimentOrder, Obstacle, SideBySide, Standing
from semiaudit.report.form.documents import Document
from semiaudit.report.form.forms import (
    BECAUSE,
    FRAMEWORK,
    RATE,
    TEXT,
    TOOL,
    TRUTH,
    WHOLE,
    JsonForm,
    always,
    list_of,
    object_of,
    one_of,
    or_null,
    refer,
)
from semiaudit.report.form.to_csv import (
    Record,
    records_of_distance,
    records_of_row,
    table_with_texts,
)
from semiaudit.report.form.to_json import GUARANTEE_BRIEF, SEMI_ADJACENCY_BRIEF, SPEC, STATEMENT

_NAME = TEXT.described("A, B, ...: what the release is called in the comparison")
_LOWER_AT = "a type I error at which it promises less than the other; null where none is known"

_RELEASE = object_of(
    {
        "name": _NAME,
        "spec": (SPEC, lambda release: release),
        "from_report": TRUTH.described("true if a JSON report was read, and nothing was audited"),
        "complete": TRUTH,
        "unit": TEXT.described("the privacy unit"),
        "statement": STATEMENT,
        "invariants": list_of(TEXT),
        "semi_adjacency": SEMI_ADJACENCY_BRIEF,
        "guarantees": (list_of(refer("guarantee", GUARANTEE_BRIEF)), "rows"),
    },
    incomplete_because=BECAUSE,
)

_STANDINGS = object_of(
    {
        "framework": FRAMEWORK,
        "first": _NAME,
        "second": _NAME,
        "order": one_of(*get_args(Standing)).described(
            "how the first stands to the second, as both are stated; none: no order, or none is "
            "proven"
        ),
        "strict": or_null(TRUTH).described(
            "true where a number or a pair of datasets shows that they differ; null where nothing "
            "does, or they are not ordered"
        ),
        "obstacles": list_of(one_of(*get_args(Obstacle))).described(
            "why they are not ordered; empty where they are"
        ),
        "explanation": TEXT.described("the same in a sentence"),
        "first_lower_at": or_null(RATE).described(f"of the first: {_LOWER_AT}"),
        "second_lower_at": or_null(RATE).described(f"of the second: {_LOWER_AT}"),
        "weaker_is_a_bound": TRUTH.described(
            "true if the weaker one is known by upper bounds only: its release may protect more"
        ),
    }
)

_RATIONALS = or_null(list_of(list_of(JsonForm({"type": "string"}, str))))
_PROCESSING = object_of(
    {
        "source": _NAME,
        "target": _NAME,
        "universe": WHOLE.described("its number, from 0"),
        "datasets": list_of(TEXT).described(
            "those of the universe, in the order of the reward's rows"
        ),
        "kernel": _RATIONALS.described(
            "for each outcome of the source the probabilities of the target's, as exact rationals; "
            "null where there is none"
        ),
        "reward": _RATIONALS.described(
            "where there is no kernel: for each dataset what is paid for each answer; the target's "
            "outcomes, given as answers, earn more in all than any answers to the source's"
        ),
    }
)
_EXPERIMENTS = object_of(
    {
        "first": _NAME,
        "second": _NAME,
        "order": one_of(*get_args(ExperimentOrder)).described(
            "how the first mechanism stands to the second in Blackwell's order; other_datasets: "
            "they are not on the same datasets; undecided: too large, or the time limit was reached"
        ),
        "explanation": TEXT.described("the same in a sentence"),
        "processings": list_of(_PROCESSING).described(
            "of the first into the second and back, in every universe"
        ),
    }
)

_COMPARISON = object_of(
    {
        "schema_version": always(1),
        "complete": TRUTH,
        "tool": TOOL,
        "releases": list_of(_RELEASE).described("in the order in which they were named"),
        "standings": list_of(_STANDINGS).described("of every two releases in every notion of both"),
        "experiments": list_of(_EXPERIMENTS).described(
            "of every two releases whose mechanisms are finite, with a law for each listed dataset"
        ),
    },
    incomplete_because=BECAUSE,
)


def _records(comparison: SideBySide) -> Iterator[tuple[tuple[str, str, str], Record]]:
    """A row for each number, as an audit's CSV has them: JSON has them in objects of objects."""
    for release in comparison.releases:
        texts = release.name, release.path, release.title
        for record in records_of_distance(release.semi_adjacency):
            yield texts, record
        for row in release.rows:
            for record in records_of_row(row):
                yield texts, record


DOCUMENT = Document(
    "compare",
    "semiaudit compare, version 1",
    "What `semiaudit compare --format json` prints: releases side by side.",
    _COMPARISON,
    {"guarantee": GUARANTEE_BRIEF.described("what one notion states of a release")},
    csv=lambda comparison: table_with_texts(("release", "path", "title"), _records(comparison)),
)
