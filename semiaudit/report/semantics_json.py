"""The form of the semantics of a hierarchical release in JSON."""

from __future__ import annotations

from semiaudit.report.forms import (
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
    Form,
    itself,
    list_of,
    object_of,
    one_of,
    or_null,
)
from semiaudit.report.numbers import number

_GROWTH = (
    "by how much the log odds of the truth against another value grow at most, but with "
    "probability delta"
)
SEMANTICS = list_of(
    object_of(
        {
            "name": TEXT.told("the kind of secret, such as attribute:NAME or within_state"),
            "universe": one_of("D", "D_t"),
            "pair": TEXT.told("what the two datasets differ by"),
            "distance": WHOLE.told("how many records differ"),
            "has_pair": TRUTH.told("false where the universe is known to have no such pair"),
            "where": (or_null(TEXT), lambda found: found.where or None),
            "zcdp": or_null(object_of({"rho": (NUMBER, itself)})).told(
                "null where the universe has no such pair, or no rho of the whole is known"
            ),
            "factor": or_null(Form({"type": "number"}, number)).told(
                "rho over that of the whole mechanism at distance 1 in D, rounded up"
            ),
            "posterior_odds": list_of(
                object_of(
                    {
                        "delta": (DELTA, FIRST),
                        "log_growth": (NUMBER.told(_GROWTH), SECOND),
                    }
                )
            ).told(_GROWTH),
            "best_guess": list_of(
                object_of(
                    {
                        "prior": (RATE.told("of the less likely of two values"), FIRST),
                        "success": (SHARE.told("upper bound, rounded up"), SECOND),
                    }
                )
            ).told("how often the best guess between two values of the secret is right"),
            "approx_dp": list_of(object_of(POINT)).told("the tightest conversion at each delta"),
        }
    )
).told("of a hierarchical release, the privacy loss for each kind of secret; empty otherwise")
