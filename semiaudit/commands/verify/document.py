"""The result of a verification as JSON, version 1, and its schema."""

from __future__ import annotations

from typing import get_args

from semiaudit.commands.verify.model import RunKind, TestKind, VerdictWord
from semiaudit.report.form.documents import Document
from semiaudit.report.form.forms import (
    BECAUSE,
    TEXT,
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
from semiaudit.report.form.to_json import SPEC

_REAL = JsonForm({"type": "number"})
_COUNT = or_null(WHOLE)
_TWO = list_of(WHOLE)

_CELLS = list_of(
    object_of(
        {
            "cell": (
                list_of(TEXT).described("the levels of the cell"),
                lambda of: [str(level) for level in of[0]],
            ),
            "count": (WHOLE.described("the number of records"), lambda of: of[1]),
        }
    )
)

_TEST = object_of(
    {
        "kind": one_of(*get_args(TestKind)).described(
            "the tested number: epsilon, mu, or rho; a whole curve by an e-process; epsilon by an "
            "exact number of the output; or the p-value of one run"
        ),
        "order": TEXT.described("X, Y; Y, X; or both"),
        "claim": or_null(_REAL).described("the claimed number; null for a curve"),
        "delta": or_null(_REAL).described("the delta of an epsilon; null for other numbers"),
        "bound": _REAL.described(
            "lower confidence bound; for a curve the largest ln M; for one run the p-value"
        ),
        "rejects": TRUTH.described("whether the test refutes the claim"),
        "at_run": _COUNT.described("the judged run after which an e-process refuted the claim"),
        "hits": or_null(_TWO).described(
            "the judged runs in which the event happened, under the first and the second dataset "
            "of the order; of one run, the right guesses"
        ),
        "runs": or_null(_TWO).described("the judged runs, likewise; of one run, moves and guesses"),
        "detectable_factor": (
            or_null(_REAL).described(
                "the smallest factor by which the claim may be wrong that so many runs detect with "
                "a probability of 90 %; null if it is above 16"
            ),
            "detectable",
        ),
        "needed_runs": (
            list_of(_COUNT).described("the judged runs that detect a factor of 1.5, 2, and 3"),
            "needed",
        ),
        "controls": list_of(TRUTH).described(
            "whether the test refutes the claim with noise that is 1.5 and 2 times smaller"
        ),
    }
)

_VERIFIED = object_of(
    {
        "schema_version": always(1),
        "complete": TRUTH,
        "tool": TOOL,
        "spec": (SPEC, itself),
        "code": (
            object_of(
                {
                    "what": TEXT.described("the command, the function, or the files of samples"),
                    "sha256": (
                        or_null(TEXT).described("the hash of its files; null if none is known"),
                        lambda of: of.code_sha256 or None,
                    ),
                }
            ).described("the code that ran"),
            itself,
        ),
        "verdict": one_of(*get_args(VerdictWord)).described(
            "violated: a test or a finding refutes the spec; consistent: none does, and a claim "
            "that is wrong by a factor of 3 would have been detected; this is not a proof"
        ),
        "confidence": _REAL.described("the confidence of all tests together"),
        "pair": object_of(
            {
                "distance": WHOLE.described("the distance of the two datasets"),
                "source": TEXT.described("how the pair was chosen"),
                "inside": TRUTH.described("whether both have the published invariants"),
                "start": _CELLS.described("the counts of X"),
                "end": _CELLS.described("the counts of Y"),
            }
        ).described("the datasets X and Y"),
        "claim": object_of(
            {
                "epsilon": or_null(_REAL).described("at delta 0"),
                "mu": or_null(_REAL).described("of GDP"),
                "rho": or_null(_REAL).described("of zCDP"),
                "points": list_of(list_of(_REAL)).described("(epsilon, delta) pairs"),
            }
        ).described("the certified numbers for the distance of the pair"),
        "score": TEXT.described("how outputs are turned into a number"),
        "runs": _TWO.described("the runs on X and on Y"),
        "first_part": (WHOLE.described("how many runs chose the events"), "first"),
        "coins": TRUTH.described("whether a fair coin chose the dataset of each run"),
        "tests": list_of(_TEST).described("every test of the claim"),
        "findings": list_of(
            object_of(
                {
                    "cell": TEXT.described("the number of the output"),
                    "message": TEXT.described("what is wrong with it"),
                    "proven": TRUTH.described("whether it refutes the spec"),
                }
            )
        ).described("exact numbers of the output that are not T of the spec"),
        "failures": list_of(
            object_of(
                {
                    "kind": (one_of(*get_args(RunKind)), lambda of: of[0]),
                    "on_x": (WHOLE.described("runs on X"), lambda of: of[1]),
                    "on_y": (WHOLE.described("runs on Y"), lambda of: of[2]),
                    "message": (TEXT.described("the first message"), lambda of: of[3]),
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
