"""The audit as JSON, version 1: stable names, sorted keys, independent of clock and machine.

Every object of the report is described once, by its keys: the schema that ``semiaudit schema
--output`` prints and the report itself follow from the same description.

The form of the semantics of a hierarchical release in JSON.

The worst pairs of a finite mechanism as JSON.
"""

from __future__ import annotations

from operator import attrgetter, itemgetter
from typing import Any

from semiaudit.model.audit import Audit, BudgetResult
from semiaudit.model.bound import root_of
from semiaudit.model.guarantee import ApproxPoint
from semiaudit.model.query import Sensitivity
from semiaudit.report.blocks.numbers import from_below, number
from semiaudit.report.form.building_blocks_json import BUILDING_BLOCKS
from semiaudit.report.form.documents import Document
from semiaudit.report.form.forms import (
    AT,
    BECAUSE,
    DELTA,
    FIRST,
    FRAMEWORK,
    LEVEL,
    LIMIT,
    MEASURE,
    METRIC,
    NUMBER,
    POINT,
    POSITIVE,
    RATE,
    READING,
    SECOND,
    SHARE,
    TEXT,
    THIRD,
    TOOL,
    TRUTH,
    WHOLE,
    JsonForm,
    Keys,
    always,
    inside,
    itself,
    list_of,
    object_of,
    one_of,
    or_null,
    refer,
)
from semiaudit.report.form.to_csv import to_csv

_TWO: Keys = {
    "first": TEXT.described("a dataset, or the answer of its query"),
    "second": TEXT.described("the other dataset, or the answer of its query"),
    "distance": or_null(WHOLE).described(
        "the distance between the two; null if they are counts, which represent many tables"
    ),
}
_POINT = or_null(
    object_of(
        {
            **_TWO,
            "type_ii": (
                SHARE.described("the exact smallest type II error of any test of the two"),
                "number",
            ),
        }
    )
).described("the pair, the first being the null hypothesis; null if no output distributions differ")
_RATIO = or_null(
    object_of({**_TWO, "epsilon": (NUMBER.described("ε of these two, rounded up"), "number")})
).described(
    "the pair, outputs being more likely for the first; null if no output distributions differ"
)

_RATE_PAIR = object_of({"type_i": (RATE, FIRST), "pair": (_POINT, SECOND)})
_DELTA_PAIR = object_of({"delta": (DELTA, FIRST), "pair": (_RATIO, SECOND)})
_FOUND = object_of(
    {
        "framework": FRAMEWORK,
        "by_type_i": (
            list_of(_RATE_PAIR.described("the two with the least type II error")).described(
                "the worst pair at each type I error of the report, in its order"
            ),
            "tradeoff",
        ),
        "by_delta": (
            list_of(_DELTA_PAIR.described("the two with the largest epsilon")).described(
                "the worst pair at each delta of the report, in its order"
            ),
            "approx_dp",
        ),
    }
)

WORST_PAIRS = list_of(_FOUND.described("the worst pairs of one row of the report"))


_GROWTH = (
    "by how much the log odds of the truth against another value grow at most, but with "
    "probability delta"
)
SEMANTICS = list_of(
    object_of(
        {
            "name": TEXT.described("the kind of secret, such as attribute:NAME or within_state"),
            "universe": one_of("D", "D_t"),
            "pair": TEXT.described("the difference between the two datasets"),
            "distance": WHOLE.described("the number of records that differ"),
            "has_pair": TRUTH.described("false if the universe is known to have no such pair"),
            "where": (or_null(TEXT), lambda semantic: semantic.where or None),
            "zcdp": or_null(object_of({"rho": (NUMBER, itself)})).described(
                "ρ of the secret; null if the universe has no such pair, or ρ is not known"
            ),
            "factor": or_null(JsonForm({"type": "number"}, number)).described(
                "ρ divided by that of the whole mechanism at distance 1 in D, rounded up"
            ),
            "posterior_odds": list_of(
                object_of(
                    {
                        "delta": (DELTA, FIRST),
                        "log_growth": (NUMBER.described(_GROWTH), SECOND),
                    }
                )
            ).described(_GROWTH),
            "best_guess": list_of(
                object_of(
                    {
                        "prior": (
                            RATE.described(
                                "the prior probability of the less likely of two values"
                            ),
                            FIRST,
                        ),
                        "success": (
                            SHARE.described(
                                "the upper bound on the success probability, rounded up"
                            ),
                            SECOND,
                        ),
                    }
                )
            ).described(
                "the success probability of the best guess between two values of the secret"
            ),
            "approx_dp": list_of(object_of(POINT)).described(
                "the tightest conversion at each delta"
            ),
        }
    )
).described("the privacy loss for each kind of secret of a hierarchical release; empty otherwise")


_LEVEL = JsonForm({"type": ["string", "integer"]})
_CELL = JsonForm({"type": "array", "items": _LEVEL.schema}, list)
COUNTS = list_of(object_of({"cell": (_CELL, FIRST), "count": (POSITIVE, SECOND)}))
_WITNESS = object_of(
    {
        "record_from": or_null(_CELL),
        "record_to": or_null(_CELL),
        "distance": POSITIVE.described("the distance of the two datasets"),
        "start": COUNTS,
        "end": COUNTS,
    }
).described(
    "two datasets of one universe as sparse counts, constructed from the invariants, and the "
    "record that changes; levels as the spec names them; in an explicit dataspace a cell is "
    "[place, value]"
)
_METHOD = one_of(
    "closed_form", "set_cover", "enumeration", "supremum_over_t", "integer_program", "none"
)
_ALTERNATIVE = TEXT.described("the kind of bound, or distance_K: the guarantee at distance K")
_PARAMETER = object_of(
    {
        "lower": WHOLE,
        "upper": or_null(WHOLE),
        "method": _METHOD,
        "source": TEXT,
        "witness": or_null(refer("witness", _WITNESS)),
    }
)
_INTERVAL = object_of({"lower": WHOLE, "upper": or_null(WHOLE), "method": _METHOD, "source": TEXT})
SEMI_ADJACENCY_BRIEF = object_of(
    {
        "metric": METRIC,
        "reading": READING,
        "value": or_null(WHOLE),
        "covering": _INTERVAL,
        "definition_13": _INTERVAL,
    }
)
"""a(t) by both definitions, without a witness."""
_A_T: Keys = {
    "value": or_null(WHOLE),
    "covering": refer("parameter", _PARAMETER),
    "definition_13": refer("parameter", _PARAMETER),
    "theorem_16_bound": or_null(WHOLE),
    "a_min": or_null(WHOLE),
    "a_maxmin": or_null(WHOLE),
}
_OWN = object_of(
    {
        "records": (TEXT.described("the unit of those records"), "own.records"),
        "others": (list_of(TEXT).described("the units of the others"), "own.others"),
        **_A_T,
    }
).described(
    "only if no a(t) of everything that is published exactly is claimed: a(t) of the invariants of "
    "the protected unit's records alone"
)
SEMI_ADJACENCY = object_of(
    {
        "metric": METRIC,
        "reading": READING,
        **inside("joint", _A_T),
    },
    own=(_OWN, lambda semi: None if semi.own is None else semi),
)
_EVERYONE_S = "the level that all of them have"
_GROUP: Keys = {
    "group": (list_of(TEXT).described("attribute and level each"), FIRST),
    "attribute": (TEXT, SECOND),
    "level": (_LEVEL.described(_EVERYONE_S), THIRD),
}
_RANGE: Keys = {"cell": (_CELL, FIRST), "low": (WHOLE, SECOND), "high": (or_null(WHOLE), THIRD)}
DISCLOSED = object_of(
    {
        "table_is_public": JsonForm({"type": ["boolean", "null"]}),
        "forced_cells": or_null(WHOLE),
        "cells": or_null(WHOLE),
        "constant_attributes": or_null(
            list_of(
                object_of(
                    {"attribute": (TEXT, FIRST), "level": (_LEVEL.described(_EVERYONE_S), SECOND)}
                )
            )
        ),
        "constant_groups": or_null(list_of(object_of(_GROUP))),
        "cell_ranges": (or_null(list_of(object_of(_RANGE))), "ranges"),
    }
)


_SENSITIVITY: Keys = {
    "distance": WHOLE.described("the change of the data up to which the answers were compared"),
    "l1": NUMBER,
    "l2": (NUMBER, lambda moved: root_of(moved.l2_squared)),
    "linf": NUMBER,
    "rank": or_null(WHOLE),
    "elements": or_null(WHOLE).described("the number of elements, including 0"),
    "exact": TRUTH.described("true if the sensitivities are exact; false for upper bounds"),
    "method": TEXT,
}
_NOISE = (
    "the variances of noise with a support, a covariance or a basis, where known, exact; and of "
    "discrete noise without a support, rounded up"
)
_SPREAD: Keys = {
    "query": (JsonForm(TEXT.schema, str), "query"),
    "kind": TEXT.described("the mechanism's key in the spec"),
    "rank": WHOLE.described("the rank of the covariance"),
    "variance": NUMBER.described("the largest variance of a coordinate"),
    "standard_deviation": (
        NUMBER.described(
            "the largest standard deviation of a coordinate, rounded up if irrational"
        ),
        lambda sensitivity: root_of(sensitivity.variance),
    ),
    "expected_l2_squared": NUMBER.described("the sum of the variances of all coordinates"),
}


def _pair(point: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(point.values())


PURE_AND_ZCDP: Keys = {
    "pure_dp": or_null(object_of({"epsilon": (NUMBER, itself)}).read_as(itemgetter("epsilon"))),
    "zcdp": or_null(object_of({"rho": (NUMBER, itself)}).read_as(itemgetter("rho"))),
}
OPERATING_POINTS: Keys = {
    "advantage": or_null(SHARE),
    "tpr_at_fpr": list_of(object_of({"fpr": (RATE, FIRST), "tpr": (SHARE, SECOND)}).read_as(_pair)),
}
_REGRET = "0 where the tradeoff function of mu is all that is certified"
_MU: Keys = {"mu": (NUMBER, "gdp"), "regret": (or_null(SHARE.described(_REGRET)), "gdp_regret")}
_OPERATING_POINTS_FROM = one_of(
    "gaussian_exact",
    "tradeoff_exact",
    "tradeoff_merged",
    "cks20_envelope",
    "loss_distribution",
    None,
)
NUMBERS: Keys = {
    **PURE_AND_ZCDP,
    "gdp": (or_null(object_of(_MU)), lambda spread: None if spread.gdp is None else spread),
    "approx_dp": list_of(object_of(POINT).read_as(lambda point: ApproxPoint(**point))).described(
        "ε by delta, the tightest conversion first"
    ),
    "tradeoff": list_of(
        object_of(
            {"type_i": (RATE, FIRST), "type_ii": (SHARE.read_as(from_below), SECOND)}
        ).read_as(_pair)
    ).described("type_ii is a lower bound, as a function of type_i (Su's form f)"),
    **OPERATING_POINTS,
    "operating_points_from": (
        _OPERATING_POINTS_FROM,
        lambda numbers: numbers.operating_points_from or None,
    ),
    "cut_short": list_of(
        object_of(
            {
                "number": (one_of("epsilon", "delta", "type_ii"), FIRST),
                "at": (
                    AT.described("the delta, the epsilon, or the type I error"),
                    SECOND,
                ),
            }
        ).read_as(lambda one: (one["number"], one["at"]))
    ).described("the numbers that the time limit cut short: they hold, and can be loose"),
}
_STATED: Keys = {
    "framework": (FRAMEWORK, "guarantee.framework"),
    "universe": (one_of("D", "D_t"), "guarantee.universe"),
    "adjacency": (object_of({"metric": METRIC, "distance": or_null(WHOLE)}), "guarantee"),
    "covers_joint_release": (TRUTH, "guarantee.covers_joint_release"),
    "note": (TEXT, lambda row: row.guarantee.refused or row.guarantee.note),
    "not_protected": (TEXT, "guarantee.not_protected"),
    "refused": (TRUTH, lambda row: bool(row.guarantee.refused)),
    **inside("numbers", NUMBERS),
}
GUARANTEE_BRIEF = object_of(_STATED)
"""A guarantee with its leading numbers, without alternatives."""
_GUARANTEE = object_of(
    {
        **_STATED,
        "alternatives": list_of(
            object_of({"name": (_ALTERNATIVE, FIRST), **inside(SECOND, NUMBERS)})
        ),
    }
)


def _at(result: BudgetResult) -> float | None:
    """Return the delta of an epsilon, rounded up, or the FPR of a TPR, rounded down."""
    at = result.budget.at
    return None if at is None else number(at, up=result.budget.measure == "epsilon")


_RATE_OF_BUDGET = or_null(JsonForm(SHARE.schema))
BUDGET: Keys = {
    "framework": (FRAMEWORK, "budget.framework"),
    "measure": (MEASURE, "budget.measure"),
    "at": (_RATE_OF_BUDGET, _at),
    "distance": (or_null(WHOLE), "budget.distance"),
    "limit": (LIMIT, "budget.limit"),
    "actual": or_null(NUMBER),
    "holds": TRUTH,
    "reason": TEXT,
}
_RATE_DESCRIBED = _RATE_OF_BUDGET.described("delta of an epsilon, FPR of a tpr"), _at
_FINDING = object_of(
    {
        "rule": JsonForm({"type": "string", "pattern": "^SA[0-9]{3}$"}),
        "level": LEVEL,
        "message": TEXT,
        "line": (or_null(WHOLE), lambda finding: finding.mark.line or None),
        "column": (or_null(WHOLE), lambda finding: finding.mark.column or None),
    }
)
SPEC = object_of({"path": TEXT, "sha256": TEXT, "title": TEXT})
_BLOCKS = ("domain", "scope", "unit", "standard", "intensity")
STATEMENT = object_of(dict.fromkeys(_BLOCKS, TEXT))
_NAME = JsonForm(TEXT.schema, str)
INVARIANTS = (
    "everything published exactly, by its key, which is the same in every version, and with the "
    "other records it is about"
)
UNIT = TEXT.described("whose privacy is protected")
_KEY = JsonForm(TEXT.schema, attrgetter("key"))


def _only_sensitivity(audit: Audit) -> Sensitivity | None:
    sensitivities = audit.sensitivities
    return sensitivities[0][1] if len(sensitivities) == 1 else None


_REPORT = object_of(
    {
        "schema_version": always(1),
        "complete": TRUTH,
        "tool": TOOL,
        "spec": (SPEC, "release"),
        "statement": STATEMENT,
        "building_blocks": or_null(BUILDING_BLOCKS).described(
            "the privacy specification as structure; null if the time limit was reached first"
        ),
        "invariants": (
            list_of(_KEY).described(INVARIANTS),
            "release.published_invariants",
        ),
        "semi_adjacency": (SEMI_ADJACENCY, "universe.semi_adjacency"),
        "disclosed": (DISCLOSED, "universe.disclosed"),
        "sensitivity": (
            or_null(object_of(_SENSITIVITY)).described(
                "the sensitivity of the query on (D_t, A_a); null unless there is one query"
            ),
            _only_sensitivity,
        ),
        "joint_sensitivity": or_null(object_of(_SENSITIVITY)).described(
            "the sensitivity of the stacked, unscaled answers of all queries on (D_t, A_a); null "
            "without queries"
        ),
        "sensitivities": list_of(
            object_of({"query": (_NAME, FIRST), **inside(SECOND, _SENSITIVITY)})
        ),
        "noise": (list_of(object_of(_SPREAD)).described(_NOISE), "spreads"),
        "semantics": SEMANTICS,
        "guarantees": (list_of(refer("guarantee", _GUARANTEE)), "rows"),
        "worst_pairs": or_null(WORST_PAIRS).described(
            "the datasets that a finite mechanism distinguishes best, for its guarantees; null for "
            "other mechanisms, and if there are too many pairs"
        ),
        "ordering": list_of(
            object_of({"stronger": FRAMEWORK, "weaker": FRAMEWORK, "strict": TRUTH})
        ),
        "budgets": list_of(object_of({**BUDGET, "at": _RATE_DESCRIBED})),
        "findings": list_of(_FINDING),
        "leaves_out": (list_of(TEXT), "release.leaves_out"),
        "reference": (list_of(TEXT), "release.references"),
    },
    incomplete_because=BECAUSE,
    unit=(UNIT, "release.dataspace.unit"),
)

DOCUMENT = Document(
    "report",
    "semiaudit report, version 1",
    "What `semiaudit analyze --format json` prints: one audit.",
    _REPORT,
    {
        "witness": _WITNESS,
        "parameter": _PARAMETER.described(
            "a(t) by one definition, as an interval with its example pair"
        ),
        "guarantee": _GUARANTEE.described(
            "the guarantee of the release under a privacy definition"
        ),
    },
    csv=to_csv,
)
