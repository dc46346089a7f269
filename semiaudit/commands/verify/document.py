"""The result of a verification as JSON, version 1, and its schema."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, get_args

from semiaudit.commands.verify.model import ClaimTestKind, RunKind, VerdictWord
from semiaudit.report.form.documents import Document
from semiaudit.report.form.forms import (
    BECAUSE,
    FIRST,
    SECOND,
    TEXT,
    THIRD,
    TOOL,
    TRUTH,
    WHOLE,
    JsonForm,
    always,
    itself,
    list_of,
    object_of,
    one_of,
    or_null,
)
from semiaudit.report.form.to_json import COUNTS, SPEC


def _real(description: str, **more: Any) -> JsonForm:
    return JsonForm({"type": "number", **more}).described(description)


def _real_or_null(description: str) -> JsonForm:
    return or_null(_real(description)).described(description)


_TWO = list_of(WHOLE)
_TEST = object_of(
    {
        "kind": one_of(*get_args(ClaimTestKind)).described(
            "the tested number: epsilon, mu, or rho; a curve by an e-process; epsilon by an exact "
            "number of the output; or the p-value of one run"
        ),
        "order": TEXT.described("X, Y; Y, X; or both"),
        "claim": _real_or_null("the claimed number; null for a curve"),
        "delta": _real_or_null("the delta of an epsilon; null for other numbers"),
        "bound": _real("lower confidence bound; of a curve the largest ln M; the p-value"),
        "rejects": TRUTH.described("whether the test refutes the claim"),
        "at_run": or_null(WHOLE).described("the judged run after which an e-process refuted it"),
        "hits": _TWO.described("judged runs with the event, by the order; or right guesses, and 0"),
        "runs": _TWO.described("judged runs, by the order; or moves and guesses"),
        "detectable": _real_or_null(
            "the smallest factor by which the claim may be wrong that so many runs detect with a "
            "probability of 90%; null if it is above 16"
        ),
        "needed": list_of(or_null(WHOLE)).described("judged runs that detect 1.5, 2, and 3 times"),
        "controls": list_of(TRUTH).described("whether noise / 1.5, / 2, and / 3 are refuted"),
    }
)

_VERIFIED = object_of(
    {
        "schema_version": always(1),
        "complete": TRUTH,
        "tool": TOOL,
        "spec": (SPEC, itself),
        "what": TEXT.described("the command, the function, or the files of samples"),
        "code": list_of(
            object_of(
                {
                    "path": (TEXT.described("the file, from the folder of the spec"), FIRST),
                    "sha256": (TEXT.described("the hash of its bytes"), SECOND),
                }
            )
        ).described("the known files of the code"),
        "verdict": JsonForm(
            {"enum": [*get_args(VerdictWord)], "examples": ["consistent"]}
        ).described(
            "violated: a test or a finding refutes the spec; consistent: none does, and a claim "
            "that is wrong by a factor of 3, and these runs with a third of the noise, would have "
            "been detected; this is not a proof"
        ),
        "confidence": _real("the confidence of all tests together", examples=[0.95]),
        "pair": object_of(
            {
                "distance": WHOLE.described("the distance of the two datasets"),
                "source": TEXT.described("how the pair was chosen"),
                "inside": TRUTH.described("whether both have the published invariants"),
                "attains": or_null(TRUTH).described(
                    "whether the pair has the audited loss; null if this is not known"
                ),
                "start": COUNTS.described("the counts of X"),
                "end": COUNTS.described("the counts of Y"),
            }
        ).described("the datasets X and Y"),
        "claim": object_of(
            {
                "mu": _real_or_null("of GDP"),
                "rho": _real_or_null("of zCDP"),
                "points": list_of(list_of(_real("a number"))).described("(epsilon, delta) pairs"),
            }
        ).described("the certified numbers for the distance of the pair"),
        "score": TEXT.described("how outputs are turned into a number"),
        "runs": _TWO.described("the runs on X and on Y"),
        "first": WHOLE.described("how many runs chose the events, and are not judged"),
        "coins": TRUTH.described("whether a fair coin chose the dataset of each run"),
        "moves": or_null(WHOLE).described("the moves of one run; null for many runs"),
        "tests": list_of(_TEST).described("every test of the claim"),
        "findings": list_of(
            object_of(
                {
                    "number": (TEXT.described("the number of the output"), "cell"),
                    "message": TEXT.described("what is wrong with it"),
                    "proven": TRUTH.described("whether it refutes the spec"),
                }
            )
        ).described("exact numbers of the output that are not T of the spec"),
        "failures": list_of(
            object_of(
                {
                    "kind": (one_of(*get_args(RunKind)).described("what happened"), FIRST),
                    "on_x": (WHOLE.described("runs on X"), SECOND),
                    "on_y": (WHOLE.described("runs on Y"), THIRD),
                    "message": (TEXT.described("the first message"), itemgetter(3)),
                }
            )
        ).described("runs without an output, which are outcomes too"),
        "notes": list_of(TEXT).described("further remarks"),
    },
    incomplete_because=BECAUSE,
)

DOCUMENT = Document(
    "verify",
    "semiaudit verify, version 1",
    "What `semiaudit verify --format json` prints: whether code does what its spec says.",
    _VERIFIED,
)
