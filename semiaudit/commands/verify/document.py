"""The result of a verification as JSON, version 1, and its schema."""

from __future__ import annotations

from typing import get_args

from semiaudit.commands.verify.model import (
    ClaimTest,
    PremiseFinding,
    VerdictWord,
    Verified,
    VerifiedPair,
)
from semiaudit.report.form.derived import keys_of
from semiaudit.report.form.documents import Document
from semiaudit.report.form.forms import (
    BECAUSE,
    TOOL,
    TRUTH,
    JsonForm,
    Keys,
    always,
    itself,
    object_of,
)
from semiaudit.report.form.to_json import COUNTS, SPEC

_PAIR: Keys = {
    **keys_of(VerifiedPair, "distance source inside attains"),
    "start": COUNTS.described("the counts of X"),
    "end": COUNTS.described("the counts of Y"),
}
_FORMS = {
    VerifiedPair: object_of(_PAIR),
    PremiseFinding: object_of(keys_of(PremiseFinding, "number=cell message proven")),
    VerdictWord: JsonForm({"enum": [*get_args(VerdictWord)], "examples": ["consistent"]}),
    ClaimTest: object_of(
        keys_of(
            ClaimTest,
            "kind order claim delta bound rejects at_run hits runs detectable needed controls",
        )
    ),
}

_VERIFIED = object_of(
    {
        "schema_version": always(1),
        "complete": TRUTH,
        "tool": TOOL,
        "spec": (SPEC, itself),
        **keys_of(
            Verified,
            "what code verdict confidence pair claim score runs first coins moves tests findings "
            "failures notes",
            _FORMS,
        ),
    },
    incomplete_because=BECAUSE,
)

DOCUMENT = Document(
    "verify",
    "semiaudit verify, version 1",
    "What `semiaudit verify --format json` prints: whether code does what its spec says.",
    _VERIFIED,
)
