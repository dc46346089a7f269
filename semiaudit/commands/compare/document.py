"""Releases side by side, as JSON, version 1, and its schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from semiaudit.commands.compare.model import ExperimentOrder, Obstacle, SideBySide, Standing
from semiaudit.report.blocks.count_errors import COUNT_ERRORS
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

_NAME = TEXT.described("its file or title; A, B, ... if neither are short and distinct")
_LOWER_AT = "a type I error at which the {} guarantee is weaker; null if none is known"

_RELEASE = object_of(
    {
        "name": _NAME,
        "spec": (SPEC, lambda release: release),
        "from_report": TRUTH.described(
            "true if the numbers come from a JSON report; nothing was audited"
        ),
        "complete": TRUTH,
        "unit": TEXT.described("the privacy unit"),
        "statement": STATEMENT,
        "invariants": list_of(TEXT),
        "semi_adjacency": SEMI_ADJACENCY_BRIEF,
        "errors": list_of(COUNT_ERRORS).described(
            "the errors of the cells, and of each margin that was named; empty if none are known"
        ),
        "error_notes": list_of(TEXT).described("what not to publish of them, and what is hidden"),
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
            "the order of the first guarantee and the second; none: not comparable, or not proven "
            "to be comparable"
        ),
        "strict": or_null(TRUTH).described(
            "true if the guarantees are proven to differ; null if they are not, or are not ordered"
        ),
        "obstacles": list_of(one_of(*get_args(Obstacle))).described(
            "the reasons for a missing order; empty if the guarantees are ordered"
        ),
        "explanation": TEXT.described("the order in a sentence"),
        "first_lower_at": or_null(RATE).described(_LOWER_AT.format("first")),
        "second_lower_at": or_null(RATE).described(_LOWER_AT.format("second")),
        "weaker_is_a_bound": TRUTH.described(
            "true if only upper bounds are known for the weaker guarantee, which may protect more"
        ),
    }
)

_RATIONALS = or_null(list_of(list_of(JsonForm({"type": "string"}, str))))
_PROCESSING = object_of(
    {
        "source": _NAME,
        "target": _NAME,
        "universe": WHOLE.described("the number of the universe, from 0"),
        "datasets": list_of(TEXT).described(
            "the datasets of the universe, in the order of the rows of the reward"
        ),
        "kernel": _RATIONALS.described(
            "the kernel: for each outcome of the source, the probabilities of the outcomes of the "
            "target, as exact rationals; null if there is no kernel"
        ),
        "reward": _RATIONALS.described(
            "the proof that there is no kernel: a payment for each dataset and answer, with which "
            "the outcomes of the target earn more than any answers to the outcomes of the source"
        ),
    }
)
_EXPERIMENTS = object_of(
    {
        "first": _NAME,
        "second": _NAME,
        "order": one_of(*get_args(ExperimentOrder)).described(
            "the Blackwell order of the two mechanisms; other_datasets: they are not on the same "
            "datasets; undecided: too large, or the time limit was reached"
        ),
        "explanation": TEXT.described("the order of the mechanisms in a sentence"),
        "processings": list_of(_PROCESSING).described(
            "the processings of the first into the second and back, in every universe"
        ),
    }
)

_COMPARISON = object_of(
    {
        "schema_version": always(1),
        "complete": TRUTH,
        "tool": TOOL,
        "releases": list_of(_RELEASE).described(
            "the releases, in the order in which they were named"
        ),
        "standings": list_of(_STANDINGS).described(
            "the order of every two releases in every privacy definition of both"
        ),
        "experiments": list_of(_EXPERIMENTS).described(
            "the comparisons of every two finite mechanisms with a law for each listed dataset"
        ),
    },
    incomplete_because=BECAUSE,
)


def _records(comparison: SideBySide) -> Iterator[tuple[tuple[str, str, str], Record]]:
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
    {
        "guarantee": GUARANTEE_BRIEF.described(
            "the guarantee of a release under a privacy definition"
        )
    },
    csv=lambda comparison: table_with_texts(("release", "path", "title"), _records(comparison)),
)
