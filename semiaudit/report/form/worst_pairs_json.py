"""The worst pairs of a finite mechanism as JSON."""

from __future__ import annotations

from semiaudit.report.form.forms import (
    DELTA,
    FIRST,
    FRAMEWORK,
    NUMBER,
    RATE,
    SECOND,
    SHARE,
    TEXT,
    WHOLE,
    Keys,
    list_of,
    object_of,
    or_null,
)

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
