"""The result of an ablation as JSON, version 1, and its schema."""

from __future__ import annotations

from collections.abc import Iterator

from semiaudit.commands.ablate.model import Ablated, name_of
from semiaudit.commands.ablate.view import change_text
from semiaudit.model.frameworks import LEADING
from semiaudit.report.form.documents import Document
from semiaudit.report.form.forms import (
    BECAUSE,
    SECOND,
    TEXT,
    TOOL,
    TRUTH,
    WHOLE,
    always,
    itself,
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
from semiaudit.report.form.to_json import DISCLOSED, GUARANTEE_BRIEF, SEMI_ADJACENCY_BRIEF, SPEC

_NAME = TEXT.described("the short name of the invariant: I1 is the first one of the spec")
_VARIANT_NAME = TEXT.described("what is published: all, all but I1 or a group, I1 only, or none")

_VARIANT = object_of(
    {
        "name": _VARIANT_NAME,
        "kind": one_of("all", "without_group", "without", "only", "none").described(
            "the kind of variant"
        ),
        "invariant": (
            or_null(_NAME).described(
                "the invariant that is left out or alone; null for the other variants"
            ),
            lambda variant: None if variant.which is None else name_of(variant.which),
        ),
        "published": (
            list_of(_NAME).described("the invariants that the variant publishes"),
            lambda variant: [name_of(place) for place in variant.kept],
        ),
        "complete": TRUTH,
        "semi_adjacency": or_null(SEMI_ADJACENCY_BRIEF).described(
            "the semi-adjacent parameter; null if the variant is not audited"
        ),
        "disclosed": or_null(DISCLOSED).described(
            "what the invariants disclose by themselves; null if the variant is not audited"
        ),
        "semi_dp": (
            or_null(refer("guarantee", GUARANTEE_BRIEF)).described(
                "the effective guarantee; null if the variant is not audited"
            ),
            "row",
        ),
        "refused": (
            or_null(TEXT).described(
                "the reason for a missing effective guarantee; null if there is one"
            ),
            lambda variant: variant.refused or None,
        ),
    },
    incomplete_because=BECAUSE,
)


_CHANGE = object_of(
    {
        "fewer": (
            _VARIANT_NAME.described("the variant that publishes fewer invariants"),
            lambda change: change.fewer.name,
        ),
        "more": (
            _VARIANT_NAME.described("the variant that publishes the same and one more invariant"),
            lambda change: change.more.name,
        ),
        "direction": (
            one_of("rises", "falls").described("the change of a(t) with the additional invariant"),
            lambda change: "rises" if change.rises else "falls",
        ),
        "explanation": (TEXT.described("the change in a sentence"), change_text),
    }
)
_INVARIANT = object_of(
    {
        "name": (_NAME, lambda of: name_of(of[0])),
        "invariant": (TEXT.described("the invariant in words"), SECOND),
    }
)
"""The form of an invariant, made from its index in the spec and the invariant."""

_ABLATION = object_of(
    {
        "schema_version": always(1),
        "complete": TRUTH,
        "tool": TOOL,
        "spec": (SPEC, itself),
        "invariants": (
            list_of(_INVARIANT).described("all invariants: everything that is published exactly"),
            lambda ablation: enumerate(ablation.invariants),
        ),
        "variants": list_of(_VARIANT).described(
            "the variants: all, all but each one, each one alone, and none, in this order"
        ),
        "changes": list_of(_CHANGE).described(
            "the invariants that are proven to change a(t), together with all others or alone"
        ),
        "budgets_not_judged": (
            WHOLE.described("the number of budgets of the spec, which an ablation does not check"),
            "budgets",
        ),
    },
    incomplete_because=BECAUSE,
)


def _records(ablation: Ablated) -> Iterator[tuple[tuple[str, str], Record]]:
    for variant in ablation.variants:
        published = "; ".join(ablation.invariants[place] for place in variant.kept)
        texts = variant.name, published
        if variant.semi_adjacency is None or variant.row is None:
            yield texts, Record(framework=LEADING, universe="D_t", refused=variant.refused)
            continue
        for record in records_of_distance(variant.semi_adjacency):
            yield texts, record
        for record in records_of_row(variant.row):
            yield texts, record


DOCUMENT = Document(
    "ablate",
    "semiaudit ablate, version 1",
    "What `semiaudit ablate --format json` prints: the privacy loss due to each invariant.",
    _ABLATION,
    {
        "guarantee": GUARANTEE_BRIEF.described(
            "the guarantee of the variant under a privacy definition"
        )
    },
    csv=lambda ablation: table_with_texts(("variant", "published"), _records(ablation)),
)
