"""What each invariant costs, as JSON, version 1, and its schema."""

from __future__ import annotations

from typing import Any

from semiaudit.commands.ablate.model import Ablated
from semiaudit.commands.ablate.words import change_text, name_of, variant_name
from semiaudit.report.completeness import BECAUSE
from semiaudit.report.forms import (
    TEXT,
    TRUTH,
    WHOLE,
    Form,
    always,
    document,
    itself,
    list_of,
    object_of,
    one_of,
    or_null,
    refer,
)
from semiaudit.report.shield import json_text
from semiaudit.report.to_json import DISCLOSED, GUARANTEE_BRIEF, SEMI_ADJACENCY_BRIEF, SPEC, TOOL

_NAME = TEXT.told("what stands for the invariant: I1 is the first of the spec")
_VARIANT_NAME = TEXT.told("what is published: all, all but I1, I1 only, or none")

_VARIANT = object_of(
    {
        "name": (_VARIANT_NAME, variant_name),
        "kind": one_of("all", "without", "only", "none").told("which part of the invariants it is"),
        "invariant": (
            or_null(_NAME).told("the one that is left out, or alone; null of all and of none"),
            lambda variant: None if variant.which is None else name_of(variant.which),
        ),
        "published": (
            list_of(_NAME).told("the invariants that the variant publishes"),
            lambda variant: [name_of(place) for place in variant.kept],
        ),
        "complete": TRUTH,
        "semi_adjacency": or_null(SEMI_ADJACENCY_BRIEF).told("null where it is not audited"),
        "disclosed": or_null(DISCLOSED).told(
            "what the invariants reveal by themselves; null where it is not audited"
        ),
        "semi_dp": (
            or_null(refer("guarantee", GUARANTEE_BRIEF)).told(
                "the effective guarantee; null where the variant is not audited"
            ),
            "row",
        ),
        "refused": (
            or_null(TEXT).told("why there is no effective guarantee; null where there is one"),
            lambda variant: variant.refused or None,
        ),
    },
    incomplete_because=BECAUSE,
)


_CHANGE = object_of(
    {
        "fewer": _VARIANT_NAME.told("the variant that publishes less"),
        "more": _VARIANT_NAME.told("the variant that publishes that and one invariant more"),
        "direction": one_of("rises", "falls").told("of a(t), from the first to the second"),
        "explanation": TEXT.told("the same in a sentence"),
    }
)


def _changes(found: Ablated) -> list[dict[str, str]]:
    return [
        {
            "fewer": variant_name(found.variants[change.fewer]),
            "more": variant_name(found.variants[change.more]),
            "direction": "rises" if change.rises else "falls",
            "explanation": change_text(found, change),
        }
        for change in found.changes
    ]


_INVARIANT = object_of({"name": _NAME, "invariant": TEXT.told("in words")})

_ABLATION = object_of(
    {
        "schema_version": always(1),
        "complete": TRUTH,
        "tool": TOOL,
        "spec": (SPEC, itself),
        "invariants": (
            list_of(Form(_INVARIANT.schema)).told("everything that is published exactly"),
            lambda found: [
                {"name": name_of(place), "invariant": text}
                for place, text in enumerate(found.invariants)
            ],
        ),
        "variants": list_of(_VARIANT).told("all, all but each, each alone, none, in this order"),
        "changes": (
            list_of(Form(_CHANGE.schema)).told(
                "where one invariant more is proven to change a(t): with all others, or by itself"
            ),
            _changes,
        ),
        "budgets_not_judged": (WHOLE.told("how many budgets the spec has"), "budgets"),
    },
    incomplete_because=BECAUSE,
)


def ablation_of(found: Ablated) -> dict[str, Any]:
    """An ablation as plain data, by the contract of docs/ablate.schema.json."""
    plain: dict[str, Any] = _ABLATION.of(found)
    return plain


def to_json(found: Ablated) -> str:
    """Render an ablation; the same one gives the same bytes."""
    return json_text(ablation_of(found))


def json_schema() -> dict[str, Any]:
    """The JSON Schema of what ``ablate --format json`` prints."""
    told = "What `semiaudit ablate --format json` prints: what each invariant of a release costs."
    defined = {"guarantee": GUARANTEE_BRIEF.told("what the notion states of the variant")}
    return document("ablate", "semiaudit ablate, version 1", told, defined, _ABLATION)
