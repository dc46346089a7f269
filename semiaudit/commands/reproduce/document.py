"""Published numbers beside ours, as JSON, and the JSON Schema."""

from __future__ import annotations

from typing import get_args

from semiaudit.commands.reproduce.model import (
    Basis,
    Estimate,
    Ours,
    Verdict,
)
from semiaudit.commands.reproduce.rows import to_csv
from semiaudit.commands.reproduce.words import method_text, side_of
from semiaudit.model.bound import Bound
from semiaudit.report.documents import Document
from semiaudit.report.forms import (
    TEXT,
    TOOL,
    TRUTH,
    WHOLE,
    Form,
    always,
    list_of,
    object_of,
    one_of,
    or_null,
)
from semiaudit.report.numbers import bound_number

Value = float | int | str


def _value(ours: Ours) -> Value:
    """As JSON has it: a bound rounded to its side, or a word."""
    if isinstance(ours, Bound):
        return bound_number(ours)
    return ours.value if isinstance(ours, Estimate) else ours


_SIDE = one_of("exact", "upper", "lower", "approximation", "simulated", "floating", "word")
_RESULT = object_of(
    {
        "name": (TEXT.told("which result it is, in its entry"), "published.name"),
        "what": (TEXT.told("what it is, in words"), "published.what"),
        "published": (
            Form({"type": "string", "examples": ["40.95057", "yes"]}).told(
                "the number with the digits that are published, or a word"
            ),
            "published.text",
        ),
        "unit": (TEXT.told("of what it is a number; empty for none"), "published.unit"),
        "basis": (
            one_of(*get_args(Basis)).told(
                "printed: the source prints it; formula: its formula or procedure gives it; "
                "fitted: with parameters that were inferred from it; checked: the source has none"
            ),
            "published.basis",
        ),
        "source": (TEXT.told("the document"), "published.source"),
        "place": (TEXT.told("the section or theorem of the document"), "published.place"),
        "ours": (
            Form({"type": ["number", "string"]}, _value).told(
                "the number of this program, a bound rounded to its side; or a word"
            ),
            "ours",
        ),
        "side": (
            Form(_SIDE.schema, side_of).told(
                "of the truth on which ours stands; or what else it is, which is no guarantee"
            ),
            "ours",
        ),
        "method": (TEXT.told("how ours was obtained"), lambda result: method_text(result.ours)),
        "verdict": one_of(*get_args(Verdict)).told(
            "equal: within the digits that are published; as an erratum says: wrong: the published "
            "value is; looser: it is a valid bound; incomparable: it is of another thing; differs: "
            "otherwise"
        ),
        "erratum": (
            or_null(TEXT).told("the erratum that the result is about; null for none"),
            lambda result: result.published.erratum or None,
        ),
        "corrected": (
            or_null(TEXT).told("what the erratum says that is right; null where it says no number"),
            lambda result: result.published.corrected or None,
        ),
    }
)
_ENTRY = object_of(
    {
        "name": TEXT.told("of the entry"),
        "title": TEXT.told("of the entry"),
        "source": TEXT.told("the document"),
        "results": list_of(_RESULT).told("every published result, with the recomputed one"),
        "notes": list_of(TEXT).told("what belongs to all results of the entry"),
    }
)
_REPRODUCTION = object_of(
    {
        "schema_version": always(1),
        "tool": TOOL,
        "complete": TRUTH.told("whether the time limit left no entry out"),
        "agrees": (
            TRUTH.told("whether no result differs without an erratum"),
            lambda found: not found.unexplained,
        ),
        "unexplained": (
            WHOLE.told("how many results differ without an erratum"),
            lambda found: len(found.unexplained),
        ),
        "entries": list_of(_ENTRY).told("the tables, figures and sections that were asked for"),
    }
)

DOCUMENT = Document(
    "reproduce",
    "semiaudit reproduce, version 1",
    "What `semiaudit reproduce --format json` prints: published and recomputed numbers.",
    _REPRODUCTION,
    csv=to_csv,
)
