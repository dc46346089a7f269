"""The description of a sample as JSON, version 1, and its schema; the numbers are in files."""

from __future__ import annotations

from operator import attrgetter
from typing import get_args

from semiaudit.model.randomizers import SwapVariant
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.count_errors import COUNT_ERRORS
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
        "kind": TEXT.described("the kind of the part, as the spec names it"),
        "query": TEXT.described("the query that noise is added to, or the exchanged attributes"),
        "runs": WHOLE.described("the number of runs of the part in one run of the mechanism"),
        "coordinates": WHOLE.described("the number of values of one run"),
        "whole": TRUTH.described("whether the values are whole numbers"),
        "method": TEXT.described("the sampling algorithm"),
        "exactness": TEXT.described("how exactly the sampler follows the distribution"),
        "measured": TEXT.described("diagnostics of an approximate sampler; empty for an exact one"),
    }
)

_SWAP = object_of(
    {
        "rate": (
            or_null(TEXT).described("the swap rate, as a fraction"),
            lambda sample: None if sample.part.rate is None else str(sample.part.rate),
        ),
        "variant": (
            one_of(*get_args(SwapVariant)).described("the kind of permutation"),
            "part.variant",
        ),
        "reselection": (
            TRUTH.described(
                "whether records are selected again in strata with one selected record"
            ),
            "part.reselection",
        ),
        "stratify_by": (
            list_of(TEXT).described("the attributes that define the strata"),
            "part.stratify_by",
        ),
        "swap": (list_of(TEXT).described("the exchanged attributes"), "part.swap"),
        "records": WHOLE.described("the number of records of the data"),
        "strata": (WHOLE.described("the number of strata with a record"), "strata.number"),
        "single": (
            WHOLE.described("the number of strata with one record, which stays"),
            "strata.single",
        ),
        "largest": (
            WHOLE.described("the number of records of the largest stratum"),
            "strata.largest",
        ),
        "selected": (
            WHOLE.described("the number of selected records, after reselection"),
            "moves.selected",
        ),
        "reselected": (
            WHOLE.described("the number of strata with a reselection"),
            "moves.reselected",
        ),
        "selections": (
            WHOLE.described("the total number of reselections"),
            "moves.selections",
        ),
        "alone": (
            WHOLE.described("the number of strata whose only selected record stayed"),
            "moves.alone",
        ),
        "moved": (
            WHOLE.described("records with other values of the exchanged attributes"),
            "moves.moved",
        ),
        "kept": list_of(list_of(TEXT)).described("the margins that are equal to those of the data"),
        "left_out": list_of(TEXT).described("the columns of the data that were not written"),
    }
)

_PERCENT = JsonForm({"type": "number", "minimum": 0})

_ERROR: Keys = {
    "rate": (TEXT.described("the swap rate, as a fraction"), lambda one: str(one.rate)),
    "run": WHOLE.described("the number of the run, from 1"),
    "moved": WHOLE.described("records with other values of the exchanged attributes"),
    "epsilon_per_record": (
        LIMIT.described("ε for each record that differs, at this rate, rounded up"),
        "epsilon",
    ),
    "mape_percent": (_PERCENT.described("the mean absolute percentage error"), "error"),
}

_UTILITY = object_of(
    {
        "table": list_of(TEXT).described("the two attributes of the table"),
        "cells": WHOLE.described("the number of cells with a record, which the error covers"),
        "empty": WHOLE.described(
            "the number of cells without a record, which the error leaves out"
        ),
        "errors": list_of(object_of(_ERROR)).described("the errors by rate and run"),
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
        "path": TEXT.described("the path of the spec"),
        "sha256": TEXT.described("the SHA-256 of the public content of the spec"),
        "title": TEXT.described("the title of the spec"),
        "randomness": (TEXT.described("the source of the randomness"), "source"),
        "seed": (
            or_null(TEXT).described(
                "the seed in digits; null for randomness from the operating system"
            ),
            lambda sample: None if sample.seed is None else str(sample.seed),
        ),
        "draws": WHOLE.described("the number of independent runs of the mechanism"),
        "rows": WHOLE.described("the number of rows of the files"),
        "answers": TRUTH.described(
            "whether the rows are noisy answers computed from data; false: noise alone"
        ),
        "data": TEXT.described("the place of the data; empty for noise alone"),
        "nonnegative_integers": (
            or_null(one_of("l1", "l2")).described(
                "the norm in which nearest tables were computed; null: none were"
            ),
            "fit",
        ),
        "totals_first": TRUTH.described("whether margins were fitted before the cells"),
        "distance": or_null(WHOLE).described("the semi-adjacency distance that the noise is for"),
        "parts": list_of(_PART).described("the parts of the mechanism, as the files number them"),
        "swap": or_null(_SWAP).described("the result of a swap; null for noise"),
        "utility": or_null(_UTILITY).described(
            "the errors of a table by the swap rate; null: not requested"
        ),
        "errors": list_of(COUNT_ERRORS).described(
            "the errors of the cells, and of each margin that was named"
        ),
        "notes": list_of(TEXT).described("notes for the reader of the sample"),
    }
)

DOCUMENT = Document(
    "sample",
    "semiaudit mechanism sample",
    "The description of a sample that `semiaudit mechanism sample --format json` prints.",
    _SAMPLE,
)
