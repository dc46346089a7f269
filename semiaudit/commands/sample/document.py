"""What is said of a sample as JSON, version 1, and its schema; the numbers stand in files."""

from __future__ import annotations

from operator import attrgetter
from typing import get_args

from semiaudit.commands.sample.count_errors import COUNT_ERROR
from semiaudit.model.swapping import SwapVariant
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.form.documents import Document, rows_of
from semiaudit.report.form.forms import (
    LIMIT,
    TEXT,
    TOOL,
    TRUTH,
    WHOLE,
    JsonForm,
    Keys,
    always,
    list_of,
    object_of,
    one_of,
    or_null,
    picked,
)

_PART = object_of(
    {
        "kind": TEXT.described("of the part, as the spec names it"),
        "query": TEXT.described("what noise is added to, or what is exchanged"),
        "runs": WHOLE.described("how often the part runs in one draw"),
        "coordinates": WHOLE.described("numbers of one run"),
        "whole": TRUTH.described("whether they are whole numbers"),
        "method": TEXT.described("the algorithm by which it was drawn"),
        "exactness": TEXT.described("what is exact about the draws, and what is not"),
        "measured": TEXT.described("how well an approximate sampler did; empty for the others"),
    }
)

_SWAP = object_of(
    {
        "rate": (
            or_null(TEXT).described("the swap rate, as a fraction"),
            lambda sample: None if sample.part.rate is None else str(sample.part.rate),
        ),
        "variant": (one_of(*get_args(SwapVariant)).described("of permutations"), "part.variant"),
        "reselection": (
            TRUTH.described("whether strata with one selected record are selected again"),
            "part.reselection",
        ),
        "stratify_by": (
            list_of(TEXT).described("what records of one stratum agree on"),
            "part.stratify_by",
        ),
        "swap": (list_of(TEXT).described("the attributes that were exchanged"), "part.swap"),
        "records": WHOLE.described("of the data"),
        "strata": (WHOLE.described("that hold a record"), "strata.number"),
        "single": (WHOLE.described("strata of one record, which stays"), "strata.single"),
        "largest": (WHOLE.described("records of the largest stratum"), "strata.largest"),
        "selected": (WHOLE.described("records that were selected in the end"), "moves.selected"),
        "reselected": (WHOLE.described("strata that were selected again"), "moves.reselected"),
        "selections": (
            WHOLE.described("how often they were selected again, in all"),
            "moves.selections",
        ),
        "alone": (
            WHOLE.described("strata whose one selected record stayed, without reselection"),
            "moves.alone",
        ),
        "moved": (
            WHOLE.described("records with other values of the exchanged attributes"),
            "moves.moved",
        ),
        "kept": list_of(list_of(TEXT)).described("margins that are exactly those of the data"),
        "left_out": list_of(TEXT).described("columns of the data that were not written"),
    }
)

_PERCENT = JsonForm({"type": "number", "minimum": 0})

_ERROR: Keys = {
    "rate": (TEXT.described("the swap rate, as a fraction"), lambda one: str(one.rate)),
    "run": WHOLE.described("from 1"),
    "moved": WHOLE.described("records with other values of the exchanged attributes"),
    "epsilon_per_record": (
        LIMIT.described("what the rate loses per record that differs, rounded up"),
        "epsilon",
    ),
    "mape_percent": (_PERCENT.described("the mean absolute percentage error"), "error"),
}

_UTILITY = object_of(
    {
        "table": list_of(TEXT).described("the two attributes"),
        "cells": WHOLE.described("that hold a record, and count"),
        "empty": WHOLE.described("cells without a record, which are left out"),
        "errors": list_of(object_of(_ERROR)).described("rate by rate, and run by run"),
    }
)

utility_csv = rows_of(
    attrgetter("errors"),
    {
        "rate": (TEXT, lambda one: rational_text(one.rate)),
        **picked(_ERROR, "epsilon_per_record", "run", "moved", "mape_percent"),
    },
)
"""The error of a table by the swap rate as CSV: a row for each run."""

_SAMPLE = object_of(
    {
        "schema_version": always(1),
        "tool": TOOL,
        "path": TEXT.described("of the spec"),
        "sha256": TEXT.described("of what the spec makes public"),
        "title": TEXT.described("of the spec"),
        "randomness": (TEXT.described("where it came from"), "source"),
        "seed": (
            or_null(TEXT).described("in digits; null where the operating system was asked"),
            lambda sample: None if sample.seed is None else str(sample.seed),
        ),
        "draws": WHOLE.described("how often the whole mechanism was performed"),
        "rows": WHOLE.described("of the files"),
        "answers": TRUTH.described(
            "whether the rows are made from data; else they are noise alone"
        ),
        "data": TEXT.described("where the data were; empty for noise alone"),
        "nonnegative_integers": (
            or_null(one_of("l1", "l2")).described("the norm by which nearest tables were taken"),
            "fit",
        ),
        "distance": or_null(WHOLE).described("of semi-adjacency, which the noise is made for"),
        "parts": list_of(_PART).described("the parts of the mechanism, as the files number them"),
        "swap": or_null(_SWAP).described("what a swap did; null for noise"),
        "utility": or_null(_UTILITY).described(
            "errors of a table by the swap rate; null: not asked for"
        ),
        "errors": list_of(COUNT_ERROR).described(
            "of a hierarchical release with a seed, by level and query; they are computed from the "
            "confidential table, and are not for publication"
        ),
        "notes": list_of(TEXT).described("what a reader must know"),
    }
)

DOCUMENT = Document(
    "sample",
    "semiaudit mechanism sample",
    "what was drawn, as `semiaudit mechanism sample --format json` prints it",
    _SAMPLE,
)
