"""Releases side by side, as JSON, version 1, and its schema."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from semiaudit.commands.compare.model import ComparedRelease, SideBySide, Standings
from semiaudit.model.audit import Statement
from semiaudit.model.guarantee import GuaranteeRow
from semiaudit.model.results.errors import CountErrors
from semiaudit.model.semi_adjacency import SemiAdjacency
from semiaudit.report.blocks.count_errors import COUNT_ERRORS
from semiaudit.report.form.derived import keys_of
from semiaudit.report.form.documents import Document
from semiaudit.report.form.forms import (
    AS_TEXT,
    BECAUSE,
    RATE,
    TOOL,
    TRUTH,
    always,
    itself,
    object_of,
    refer,
)
from semiaudit.report.form.to_csv import (
    Record,
    records_of_distance,
    records_of_row,
    table_with_texts,
)
from semiaudit.report.form.to_json import GUARANTEE_BRIEF, SEMI_ADJACENCY_BRIEF, SPEC, STATEMENT

_RELEASE = object_of(
    {
        **keys_of(ComparedRelease, "name"),
        "spec": (SPEC, itself),
        **keys_of(ComparedRelease, "from_report"),
        "complete": TRUTH,
        **keys_of(
            ComparedRelease,
            "unit statement invariants semi_adjacency errors error_notes guarantees=rows",
            {
                Statement: STATEMENT,
                SemiAdjacency: SEMI_ADJACENCY_BRIEF,
                CountErrors: COUNT_ERRORS,
                GuaranteeRow: refer("guarantee", GUARANTEE_BRIEF),
            },
        ),
    },
    incomplete_because=BECAUSE,
)
_STANDINGS = object_of(
    keys_of(
        Standings,
        "framework first second order strict obstacles explanation first_lower_at second_lower_at "
        "weaker_is_a_bound",
        {Fraction: RATE},
    )
)
_FORMS = {ComparedRelease: _RELEASE, Standings: _STANDINGS, Fraction: AS_TEXT}

_COMPARISON = object_of(
    {
        "schema_version": always(1),
        "complete": TRUTH,
        "tool": TOOL,
        **keys_of(SideBySide, "releases standings experiments", _FORMS),
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
