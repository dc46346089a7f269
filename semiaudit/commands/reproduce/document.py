"""The result of `reproduce` as JSON and CSV, and the JSON Schema."""

from __future__ import annotations

from operator import attrgetter
from typing import get_args

from semiaudit.commands.reproduce.model import (
    Basis,
    Estimate,
    Ours,
    Verdict,
)
from semiaudit.commands.reproduce.view import method_text, ours_text, side_of
from semiaudit.model.bound import Bound
from semiaudit.report.blocks.numbers import bound_number
from semiaudit.report.form.documents import Document, rows_of
from semiaudit.report.form.forms import (
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

Value = float | int | str


def _value(ours: Ours) -> Value:
    """Return the value for JSON: a bound rounded to its side, or a word."""
    if isinstance(ours, Bound):
        return bound_number(ours)
    return ours.value if isinstance(ours, Estimate) else ours


_SIDE = one_of("exact", "upper", "lower", "approximation", "simulated", "floating", "word")
_RESULT: Keys = {
    "name": (TEXT.described("the name of the result, unique in its entry"), "published.name"),
    "what": (TEXT.described("a description of the result"), "published.what"),
    "published": (
        JsonForm({"type": "string", "examples": ["40.95057", "yes"]}).described(
            "the number with the digits that are published, or a word"
        ),
        "published.text",
    ),
    "unit": (TEXT.described("the unit of the number; empty for none"), "published.unit"),
    "basis": (
        one_of(*get_args(Basis)).described(
            "printed: the source prints it; formula: its formula or procedure gives it; "
            "fitted: with parameters that were inferred from it; checked: the source has none"
        ),
        "published.basis",
    ),
    "source": (TEXT.described("the document"), "published.source"),
    "place": (TEXT.described("the section or theorem of the document"), "published.place"),
    "ours": (
        JsonForm({"type": ["number", "string"]}, _value).described(
            "the number of this program, a bound rounded to its side; or a word"
        ),
        "ours",
    ),
    "side": (
        JsonForm(_SIDE.schema, side_of).described(
            "the side of a bound, or the kind of an uncertified number"
        ),
        "ours",
    ),
    "method": (
        TEXT.described("the method and source of the recomputed number"),
        lambda result: method_text(result.ours),
    ),
    "verdict": one_of(*get_args(Verdict)).described(
        "equal: equal to the published digits; wrong: an erratum shows that the published "
        "value is wrong; looser: the published value is valid, but looser; incomparable: the "
        "two are of different things; differs: different, and no erratum explains it"
    ),
    "erratum": (
        or_null(TEXT).described("the erratum that covers the result; null for none"),
        lambda result: result.published.erratum or None,
    ),
    "corrected": (
        or_null(TEXT).described(
            "the value according to the erratum; null if the erratum gives none"
        ),
        lambda result: result.published.corrected or None,
    ),
}
_ENTRY = object_of(
    {
        "name": TEXT.described("the name of the entry"),
        "title": TEXT.described("the title of the entry"),
        "source": TEXT.described("the document"),
        "results": list_of(object_of(_RESULT)).described(
            "every published result, with the recomputed one"
        ),
        "notes": list_of(TEXT).described("notes on all results of the entry"),
    }
)
_REPRODUCTION = object_of(
    {
        "schema_version": always(1),
        "tool": TOOL,
        "complete": TRUTH.described("whether all requested entries were computed"),
        "agrees": (
            TRUTH.described("whether no result differs without an erratum"),
            lambda reproduction: not reproduction.unexplained,
        ),
        "unexplained": (
            WHOLE.described("the number of results that differ without an erratum"),
            lambda reproduction: len(reproduction.unexplained),
        ),
        "entries": list_of(_ENTRY).described("the requested tables, figures, and sections"),
    }
)

to_csv = rows_of(
    attrgetter("results"),
    {
        "entry": (TEXT, "published.entry"),
        **picked(_RESULT, "name", "what", "published", "unit", "basis", "source", "place"),
        "ours": (TEXT, ours_text),
        **picked(_RESULT, "side", "verdict", "erratum", "corrected"),
    },
)
"""A reproduction, or one of its entries, as CSV: a header, and a row for each result."""

DOCUMENT = Document(
    "reproduce",
    "semiaudit reproduce, version 1",
    "What `semiaudit reproduce --format json` prints: published and recomputed numbers.",
    _REPRODUCTION,
    csv=to_csv,
)
