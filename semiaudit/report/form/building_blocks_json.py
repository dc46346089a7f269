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
    itself,
    list_of,
    object_of,
    one_of,
    or_null,
)

_TRUTH_OR_NULL = or_null(TRUTH)
_LEVELS = WHOLE.described("the number of levels"), SECOND
_ATTRIBUTE = object_of({"name": (TEXT, FIRST), "levels": _LEVELS})
_RESTRICTIONS = JsonForm(list_of(TEXT).schema, lambda domain: [*domain.restrictions]).described(
    "the structural zeros of a table, and its attributes within others"
)
DOMAIN = object_of(
    {
        "kind": one_of("product", "listed", "table").described(
            "the kind of domain: all datasets over some values, a list, or a table"
        ),
        "size": or_null(WHOLE).described("the number of records of a dataset; null if not fixed"),
        "datasets": or_null(WHOLE).described("the number of datasets; null for a table"),
        "attributes": list_of(_ATTRIBUTE).described("the attributes of a table, with their sizes"),
    },
    restrictions=(_RESTRICTIONS, itself),
).described("the set of possible datasets")
"""Every report has ``restrictions``; ``from_json`` refuses one that lacks them."""
_MULTIVERSE = object_of(
    {
        "invariants": list_of(
            object_of(
                {
                    "invariant": (
                        TEXT.described("the key of the invariant, as in invariants"),
                        "key",
                    ),
                    "redundant": _TRUTH_OR_NULL.described(
                        "whether the others induce the same partition (E12)"
                    ),
                    "needed": _TRUTH_OR_NULL.described(
                        "whether no intensity is finite without the invariant"
                    ),
                }
            )
        ).described("the invariants, and the effect of each on the universes"),
        "number": or_null(WHOLE).described("the number of universes; null if they are not listed"),
        "universes": or_null(
            list_of(
                object_of(
                    {
                        "size": WHOLE.described("the number of datasets in the universe"),
                        "selected": TRUTH.described("whether the given t selects the universe"),
                        "datasets": or_null(list_of(TEXT)).described(
                            "the datasets; null if there are many"
                        ),
                    }
                )
            )
        ).described("the partition of the domain by the invariants; null if it is large"),
    }
)
_UNIT = object_of(
    {
        "unit": TEXT.described("the unit of privacy"),
        "metric": METRIC.described("the input metric"),
        "adjacency_metric": TRUTH.described(
            "whether every distance is a path of steps of 1 (Definition 1)"
        ),
        "distance": or_null(WHOLE).described("the semi-adjacency distance"),
    }
)
_ORDER = JsonForm({"anyOf": [{"type": "number"}, {"type": "null"}]}, lambda order: None
              if order is None else number(order))  # fmt: skip
_LIPSCHITZ = object_of(
    {
        "universe": or_null(WHOLE).described(
            "the place of the universe in multiverse.universes; null for all of D"
        ),
        "divergence": one_of(*get_args(Divergence)).described("the output divergence"),
        "delta": or_null(DELTA).described("the delta of mult_delta"),
        "lower": NUMBER.described("the lower bound on the constant"),
        "upper": NUMBER.described("the upper bound on the constant"),
        "pair": or_null(list_of(TEXT)).described("two datasets that attain the lower bound"),
        "distance": or_null(WHOLE).described("the distance of the pair"),
        "order": _ORDER.described(
            "the Rényi order of d_nor that attains the lower bound; 1: the limit"
        ),
        "reason": TEXT.described("the reason for an infinite constant; else empty"),
    }
)
_THEOREM = object_of(
    {
        "name": one_of("invariants_alone", "invariant_varies", "mechanism_varies").described(
            "the name of result 1, 2, or 3 of the slides on restricting the universes"
        ),
        "applies": _TRUTH_OR_NULL.described(
            "whether the premise of the result holds; null if that is not known"
        ),
        "says": TEXT.described("the conclusion of the result"),
    }
)
BUILDING_BLOCKS = object_of(
    {
        "domain": DOMAIN,
        "multiverse": _MULTIVERSE.described("the universes inside which datasets are compared"),
        "unit": _UNIT.described("the input metric and its unit"),
        "standard": list_of(TEXT).described("the kinds of the mechanism's parts"),
        "intensity": or_null(list_of(_LIPSCHITZ)).described(
            "the Lipschitz constants of a finite mechanism; null for others"
        ),
        "theorems": list_of(_THEOREM).described("sufficiency and necessity of the universes"),
    }
)
