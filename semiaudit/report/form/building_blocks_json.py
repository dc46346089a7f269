"""The building blocks of a report as JSON."""

from __future__ import annotations

from typing import get_args

from semiaudit.model.building_blocks import Divergence
from semiaudit.report.blocks.numbers import number
from semiaudit.report.form.forms import (
    DELTA,
    FIRST,
    METRIC,
    NUMBER,
    SECOND,
    TEXT,
    TRUTH,
    WHOLE,
    JsonForm,
    list_of,
    object_of,
    one_of,
    or_null,
)

_TOLD = or_null(TRUTH)
_LEVELS = WHOLE.described("how many it has"), SECOND
_ATTRIBUTE = object_of({"name": (TEXT, FIRST), "levels": _LEVELS})
_DOMAIN = object_of(
    {
        "kind": one_of("product", "listed", "table").described(
            "all datasets over some values, a list, or a table over attributes"),
        "size": or_null(WHOLE).described("records of a dataset; null where it is free"),
        "datasets": or_null(WHOLE).described("how many there are; null for a table"),
        "attributes": list_of(_ATTRIBUTE).described("of a table, with the number of their levels"),
    }
)  # fmt: skip
_MULTIVERSE = object_of(
    {
        "invariants": list_of(
            object_of(
                {
                    "invariant": (TEXT.described("its key, as in invariants"), "key"),
                    "redundant": _TOLD.described("the others induce the same partition (E12)"),
                    "needed": _TOLD.described("without it no intensity is finite"),
                }
            )
        ).described("what is published exactly, and what each does to the universes"),
        "number": or_null(WHOLE).described("of universes; null where they are not listed"),
        "universes": or_null(
            list_of(
                object_of(
                    {
                        "size": WHOLE.described("how many datasets it holds"),
                        "selected": TRUTH.described("t is given, and is its value"),
                        "datasets": or_null(list_of(TEXT)).described("where they are few"),
                    }
                )
            )
        ).described("the partition of the domain by the invariants, where it is small"),
    }
)
_UNIT = object_of(
    {
        "unit": TEXT.described("whose privacy is at stake"),
        "metric": METRIC.described("the input metric"),
        "adjacency_metric": TRUTH.described(
            "every distance is a path of steps of 1 (Definition 1)"
        ),
        "distance": or_null(WHOLE).described("of semi-adjacency"),
    }
)
_ORDER = JsonForm({"anyOf": [{"type": "number"}, {"type": "null"}]}, lambda order: None
              if order is None else number(order))  # fmt: skip
_LIPSCHITZ = object_of(
    {
        "universe": or_null(WHOLE).described(
            "its place in multiverse.universes; null for all of D"
        ),
        "divergence": one_of(*get_args(Divergence)).described("the output divergence"),
        "delta": or_null(DELTA).described("of mult_delta"),
        "lower": NUMBER.described("the constant is no smaller"),
        "upper": NUMBER.described("the constant is no larger"),
        "pair": or_null(list_of(TEXT)).described("two datasets that attain the lower bound"),
        "distance": or_null(WHOLE).described("of the pair"),
        "order": _ORDER.described(
            "of d_nor: the Renyi order that attains the lower bound; 1: the limit"
        ),
        "reason": TEXT.described("why the constant is infinite; else empty"),
    }
)
_THEOREM = object_of(
    {
        "name": one_of("invariants_alone", "invariant_varies", "mechanism_varies").described(
            "results 1, 2 and 3 of the slides on restricting the universes"
        ),
        "applies": _TOLD.described("its premise holds; null where that is not known"),
        "says": TEXT.described("what follows"),
    }
)
BUILDING_BLOCKS = object_of(
    {
        "domain": _DOMAIN.described("the set of possible datasets"),
        "multiverse": _MULTIVERSE.described("the universes inside which datasets are compared"),
        "unit": _UNIT.described("the input metric and its unit"),
        "standard": list_of(TEXT).described("the kinds of the mechanism's parts"),
        "intensity": or_null(list_of(_LIPSCHITZ)).described(
            "the Lipschitz constants of a finite mechanism; null for others"
        ),
        "theorems": list_of(_THEOREM).described("sufficiency and necessity of the universes"),
    }
)
