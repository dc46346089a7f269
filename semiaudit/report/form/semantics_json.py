"""The form of the semantics of a hierarchical release in JSON."""

from __future__ import annotations

from semiaudit.report.blocks.numbers import number
from semiaudit.report.form.forms import (
    DELTA,
    FIRST,
    NUMBER,
    POINT,
    RATE,
    SECOND,
    SHARE,
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
