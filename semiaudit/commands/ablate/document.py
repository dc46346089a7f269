"""What each invariant costs, as JSON, version 1, and its schema."""

from __future__ import annotations

from collections.abc import Iterator

from semiaudit.commands.ablate.model import Ablated
from semiaudit.commands.ablate.words import change_text, name_of, variant_name
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

_NAME = TEXT.described("what stands for the invariant: I1 is the first of the spec")
_VARIANT_NAME = TEXT.described("what is published: all, all but I1, I1 only, or none")

_VARIANT = object_of(
    {
        "name": (_VARIANT_NAME, variant_name),
        "kind": one_of("all", "without", "only", "none").described(
            "which part of the invariants it is"
        ),
        "invariant": (
            or_null(_NAME).described("the one that is left out, or alone; null of all and of none"),
            lambda variant: None if variant.which is None else name_of(variant.which),
        ),
        "published": (
            list_of(_NAME).described("the invariants that the variant publishes"),
            lambda variant: [name_of(place) for place in variant.kept],
        ),
        "complete": TRUTH,
        "semi_adjacency": or_null(SEMI_ADJACENCY_BRIEF).described("null where it is not audited"),
        "disclosed": or_null(DISCLOSED).described(
            "what the invariants reveal by themselves; null where it is not audited"
        ),
        "semi_dp": (
            or_null(refer("guarantee", GUARANTEE_BRIEF)).described(
                "the effective guarantee; null where the variant is not audited"
            ),
            "row",
        ),
        "refused": (
            or_null(TEXT).described("why there is no effective guarantee; null where there is one"),
            lambda variant: variant.refused or None,
        ),
    },
    incomplete_because=BECAUSE,
)


_CHANGE = object_of(
    {
        "fewer": (
            _VARIANT_NAME.described("the variant that publishes less"),
            lambda of: variant_name(of[0].variants[of[1].fewer]),
        ),
        "more": (
            _VARIANT_NAME.described("the variant that publishes that and one invariant more"),
            lambda of: variant_name(of[0].variants[of[1].more]),
        ),
        "direction": (
            one_of("rises", "falls").described("of a(t), from the first to the second"),
            lambda of: "rises" if of[1].rises else "falls",
        ),
        "explanation": (TEXT.described("the same in a sentence"), lambda of: change_text(*of)),
    }
)
"""Of an ablation, and a change in it."""

_INVARIANT = object_of(
    {"name": (_NAME, lambda of: name_of(of[0])), "invariant": (TEXT.described("in words"), SECOND)}
)
"""Of a place in the spec, and the invariant at it."""

_ABLATION = object_of(
    {
        "schema_version": always(1),
        "complete": TRUTH,
        "tool": TOOL,
        "spec": (SPEC, itself),
        "invariants": (
            list_of(_INVARIANT).described("everything that is published exactly"),
            lambda ablation: enumerate(ablation.invariants),
        ),
        "variants": list_of(_VARIANT).described(
            "all, all but each, each alone, none, in this order"
        ),
        "changes": (
            list_of(_CHANGE).described(
                "where one invariant more is proven to change a(t): with all others, or by itself"
            ),
            lambda ablation: [(ablation, change) for change in ablation.changes],
        ),
        "budgets_not_judged": (WHOLE.described("how many budgets the spec has"), "budgets"),
    },
    incomplete_because=BECAUSE,
)


def _records(ablation: Ablated) -> Iterator[tuple[tuple[str, str], Record]]:
    """A row for each number, as an audit's CSV has them: JSON has them in objects of objects."""
    for variant in ablation.variants:
        published = "; ".join(ablation.invariants[place] for place in variant.kept)
        texts = variant_name(variant), published
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
    "What `semiaudit ablate --format json` prints: what each invariant of a release costs.",
    _ABLATION,
    {"guarantee": GUARANTEE_BRIEF.described("what the notion states of the variant")},
    csv=lambda ablation: table_with_texts(("variant", "published"), _records(ablation)),
)
