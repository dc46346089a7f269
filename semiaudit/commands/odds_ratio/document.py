"""The semi-private test of an odds ratio as JSON, version 1, and its schema."""

from __future__ import annotations

from typing import Any

from semiaudit.commands.odds_ratio import words
from semiaudit.model.canonical import NOISE_NAMES
from semiaudit.model.measure import GDP
from semiaudit.model.odds_ratio import ALTERNATIVES, OddsRatioTest
from semiaudit.report.blocks.numbers import number
from semiaudit.report.form.documents import Document
from semiaudit.report.form.forms import (
    DELTA,
    FIRST,
    LIMIT,
    METRIC,
    NUMBER,
    SECOND,
    SHARE,
    TEXT,
    TOOL,
    TRUTH,
    WHOLE,
    JsonForm,
    always,
    list_of,
    object_of,
    one_of,
    or_null,
)

_EPSILON = JsonForm({"type": ["number", "null"], "minimum": 0, "examples": [1]}, or_null(LIMIT).of)
_NUMBER_AS_IT_IS = JsonForm({"type": "number"}, number)


def _one_sided(test: OddsRatioTest) -> Any:
    return None if test.at_least and test.at_most else test.at_least or test.at_most


def _approx(name: str) -> Any:
    def of(test: OddsRatioTest) -> Any:
        return getattr(test.question.measure, name, None)

    return of


def _mu(test: OddsRatioTest) -> Any:
    measure = test.question.measure
    return words.mu_of(measure) if isinstance(measure, GDP) else None


def _noise_note(test: OddsRatioTest) -> str:
    return f"{words.noise(test)}. {words.caution(test)}"


_MEASURE = {
    "epsilon": (_EPSILON.described("of f_{epsilon,delta}; null with mu"), _approx("epsilon")),
    "delta": (or_null(DELTA).described("of f_{epsilon,delta}; null with mu"), _approx("delta")),
    "mu": (or_null(LIMIT).described("of G_mu; null with epsilon"), _mu),
}

_ODDS_RATIO_TEST = object_of(
    {
        "schema_version": always(1),
        "tool": TOOL,
        "p_value": SHARE.described("of the statistic, rounded up"),
        "statistic": _NUMBER_AS_IT_IS.described("x21 with noise"),
        "threshold": (
            or_null(NUMBER).described(
                "from where on a one-sided test rejects: at_least or at_most; null: two-sided"
            ),
            _one_sided,
        ),
        "rejection": (
            object_of(
                {
                    "at_least": or_null(NUMBER).described(
                        "statistics of so much or more, rounded up"
                    ),
                    "at_most": or_null(NUMBER).described(
                        "statistics of so much or less, rounded down"
                    ),
                }
            ).described("which statistics reject at the level"),
            lambda test: test,
        ),
        "rejects": TRUTH.described("whether the null hypothesis is rejected at the level"),
        "level": (
            DELTA.described("which no chance to reject a true hypothesis exceeds"),
            "question.level",
        ),
        "alternative": (
            one_of(*ALTERNATIVES).described("what w is where the null hypothesis does not hold"),
            "question.alternative",
        ),
        "odds_ratio": (
            TEXT.described("which odds ratio w is meant"),
            lambda _: f"{words.ODDS_RATIO}; {words.WHERE}",
        ),
        "umpu": (
            TRUTH.described("whether no unbiased test with the guarantee has more power"),
            "optimal",
        ),
        "power": list_of(
            object_of(
                {
                    "odds_ratio": (_NUMBER_AS_IT_IS.described("w"), FIRST),
                    "power": (SHARE.described("the chance to reject, rounded down"), SECOND),
                }
            )
        ).described("the power curve"),
        "margins": (
            object_of(
                {
                    "rows": (
                        list_of(WHOLE).described("the records of both rows"),
                        lambda m: [m.first_row, m.second_row],
                    ),
                    "columns": (
                        list_of(WHOLE).described("the records of both columns"),
                        lambda m: [m.first_column, m.size - m.first_column],
                    ),
                }
            ).described("what is public of the table"),
            "table.margins",
        ),
        "labels": (
            or_null(
                object_of(
                    {
                        "path": TEXT.described("the spec"),
                        "rows": list_of(TEXT).described("their attribute, and its two levels"),
                        "columns": list_of(TEXT).described("their attribute, and its two levels"),
                    }
                )
            ).described("what a spec calls the table; null without one"),
            "table.labels",
        ),
        "noise": (
            object_of(
                {
                    "distribution": (
                        one_of(*NOISE_NAMES).described("which canonical noise of the function"),
                        "question.noise",
                    ),
                    **_MEASURE,
                    "drawn": TRUTH.described(
                        "drawn for this report: another run is another release"
                    ),
                    "seed": (
                        or_null(WHOLE).described("null: the operating system's randomness"),
                        "question.seed",
                    ),
                    "note": (TEXT.described("what it is, and what to mind"), _noise_note),
                }
            ).described("what was added to x21"),
            lambda test: test,
        ),
        "guarantee": (
            object_of(
                {
                    "universe": always("D_t"),
                    "metric": (METRIC, "table.metric"),
                    "distance": (
                        WHOLE.described(
                            "a(t), or the distance of the spec: x21 moves by at most 1"
                        ),
                        "table.distance",
                    ),
                    **_MEASURE,
                    "note": (TEXT.described("the guarantee in a sentence"), words.guarantee),
                }
            ).described("of the noisy count and all that follows from it"),
            lambda test: test,
        ),
    }
)

DOCUMENT = Document(
    "odds_ratio",
    "semiaudit mechanism test odds-ratio",
    "a semi-private test, as `semiaudit mechanism test odds-ratio --format json` prints it",
    _ODDS_RATIO_TEST,
)
