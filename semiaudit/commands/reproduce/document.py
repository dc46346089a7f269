"""The result of `reproduce` as JSON and CSV, and the JSON Schema."""

from __future__ import annotations

from operator import attrgetter

from semiaudit.commands.reproduce.model import (
    Estimate,
    Ours,
    Published,
    Reproduced,
    Reproduction,
    ReproductionEntry,
)
from semiaudit.commands.reproduce.view import method_text, ours_text, side_of
from semiaudit.model.bound import Bound
from semiaudit.report.blocks.numbers import bound_number
from semiaudit.report.form.derived import keys_of
from semiaudit.report.form.documents import Document, rows_of
from semiaudit.report.form.forms import (
    TEXT,
    TOOL,
    TRUTH,
    WHOLE,
    JsonForm,
    Keys,
    always,
    inside,
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
_PUBLISHED = {str: JsonForm({"type": "string", "examples": ["40.95057", "yes"]})}
_RESULT: Keys = {
    **inside("published", keys_of(Published, "name what")),
    **inside("published", keys_of(Published, "published=text", _PUBLISHED)),
    **inside("published", keys_of(Published, "unit basis source place")),
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
    **keys_of(Reproduced, "verdict"),
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
_ENTRY = keys_of(
    ReproductionEntry, "name title source results notes", {Reproduced: object_of(_RESULT)}
)
_REPRODUCTION = object_of(
    {
        "schema_version": always(1),
        "tool": TOOL,
        **keys_of(Reproduction, "complete"),
        "agrees": (
            TRUTH.described("whether no result differs without an erratum"),
            lambda reproduction: not reproduction.unexplained,
        ),
        "unexplained": (
            WHOLE.described("the number of results that differ without an erratum"),
            lambda reproduction: len(reproduction.unexplained),
        ),
        **keys_of(Reproduction, "entries", {ReproductionEntry: object_of(_ENTRY)}),
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
