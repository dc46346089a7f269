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
    "second": TEXT.described("the other one"),
    "distance": or_null(WHOLE).described(
        "between the two; null where they are counts that stand for all tables with them"
    ),
}
_POINT = or_null(
    object_of(
        {**_TWO, "type_ii": (SHARE.described("exact: the least of any test of them"), "number")}
    )
).described("the test assumes the first; null if no output distributions differ")
_RATIO = or_null(
    object_of({**_TWO, "epsilon": (NUMBER.described("of these two, rounded up"), "number")})
).described("outputs are more likely for the first; null if no output distributions differ")

_RATE_PAIR = object_of({"type_i": (RATE, FIRST), "pair": (_POINT, SECOND)})
_DELTA_PAIR = object_of({"delta": (DELTA, FIRST), "pair": (_RATIO, SECOND)})
_FOUND = object_of(
    {
        "framework": FRAMEWORK,
        "by_type_i": (
            list_of(_RATE_PAIR.described("the two with the least type II error")).described(
                "in the order of the report's type I errors"
            ),
            "tradeoff",
        ),
        "by_delta": (
            list_of(_DELTA_PAIR.described("the two with the largest epsilon")).described(
                "in the order of the report's deltas"
            ),
            "approx_dp",
        ),
    }
)

WORST_PAIRS = list_of(_FOUND.described("behind one row of the report"))
