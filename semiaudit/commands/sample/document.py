"""The description of a sample as JSON, version 1, and its schema; the numbers are in files."""

from __future__ import annotations

from fractions import Fraction
from operator import attrgetter

from semiaudit.model.randomizers import Swapping
from semiaudit.model.results.errors import CountErrors
from semiaudit.model.results.sample import Sample, SampledSwap, StrataSummary, SwapError, SwapMoves
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.count_errors import COUNT_ERRORS
from semiaudit.report.form.derived import keys_of
from semiaudit.report.form.documents import Document, rows_of
from semiaudit.report.form.forms import (
    AS_TEXT,
    LIMIT,
    TEXT,
    TOOL,
    JsonForm,
    Keys,
    always,
    inside,
    object_of,
    picked,
)

_EXACT = {Fraction: AS_TEXT}
_PERCENT = JsonForm({"type": "number", "minimum": 0})

_SWAP: Keys = {
    **inside("part", keys_of(Swapping, "rate variant reselection stratify_by swap", _EXACT)),
    **keys_of(SampledSwap, "records"),
    **inside("strata", keys_of(StrataSummary, "strata=number single largest")),
    **inside("moves", keys_of(SwapMoves, "selected reselected selections alone moved")),
    **keys_of(SampledSwap, "kept left_out"),
}
_ERROR: Keys = {
    **keys_of(SwapError, "rate run moved", _EXACT),
    **keys_of(SwapError, "epsilon_per_record=epsilon", {Fraction: LIMIT}),
    **keys_of(SwapError, "mape_percent=error", {float: _PERCENT}),
}

utility_csv = rows_of(
    attrgetter("errors"),
    {
        "rate": (TEXT, lambda one: rational_text(one.rate)),
        **picked(_ERROR, "epsilon_per_record", "run", "moved", "mape_percent"),
    },
)
"""The error of a table by the swap rate as CSV: a row for each run."""

_FORMS = {SampledSwap: object_of(_SWAP), SwapError: object_of(_ERROR), CountErrors: COUNT_ERRORS}
_SAMPLE = object_of(
    {
        "schema_version": always(1),
        "tool": TOOL,
        **keys_of(Sample, "path sha256 title randomness=source"),
        **keys_of(Sample, "seed", {int: AS_TEXT}),
        **keys_of(
            Sample,
            "draws rows answers data nonnegative_integers=fit totals_first distance parts swap "
            "utility errors notes",
            _FORMS,
        ),
    }
)

DOCUMENT = Document(
    "sample",
    "semiaudit mechanism sample",
    "The description of a sample that `semiaudit mechanism sample --format json` prints.",
    _SAMPLE,
)
