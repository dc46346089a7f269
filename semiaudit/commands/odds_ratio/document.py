"""The semi-private test of an odds ratio as JSON, version 1, and its schema."""

from __future__ import annotations

from typing import Any

from semiaudit.commands.odds_ratio import words
from semiaudit.model.canonical import NOISE_NAMES
from semiaudit.model.measure import GDP
from semiaudit.model.odds_ratio import ALTERNATIVES, OddsRatioTest
from semiaudit.report.documents import Document
from semiaudit.report.forms import (
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
    Form,
    always,
    list_of,
    object_of,
    one_of,
    or_null,
)
from semiaudit.report.numbers import number

_EPSILON = Form({"type": ["number", "null"], "minimum": 0, "examples": [1]}, or_null(LIMIT).of)
_NUMBER_AS_IT_IS = Form({"type": "number"}, number)


def _one_sided(found: OddsRatioTest) -> Any:
    return None if found.at_least and found.at_most else found.at_least or found.at_most


def _approx(name: str) -> Any:
    def of(found: OddsRatioTest) -> Any:
        return getattr(found.question.measure, name, None)

    return of


def _mu(found: OddsRatioTest) -> Any:
    measure = found.question.measure
    return words.mu_of(measure) if isinstance(measure, GDP) else None


def _noise_note(found: OddsRatioTest) -> str:
    return f"{words.noise(found)}. {words.caution(found)}"


_MEASURE = {
    "epsilon": (_EPSILON.told("of f_{epsilon,delta}; null with mu"), _approx("epsilon")),
    "delta": (or_null(DELTA).told("of f_{epsilon,delta}; null with mu"), _approx("delta")),
    "mu": (or_null(LIMIT).told("of G_mu; null with epsilon"), _mu),
}

_ODDS_RATIO_TEST = object_of(
    {
        "schema_version": always(1),
        "tool": TOOL,
        "p_value": SHARE.told("of the statistic, rounded up"),
        "statistic": _NUMBER_AS_IT_IS.told("x21 with noise"),
        "threshold": (
            or_null(NUMBER).told(
                "from where on a one-sided test rejects: at_least or at_most; null: two-sided"
            ),
            _one_sided,
        ),
        "rejection": (
            object_of(
                {
                    "at_least": or_null(NUMBER).told("statistics of so much or more, rounded up"),
                    "at_most": or_null(NUMBER).told("statistics of so much or less, rounded down"),
                }
            ).told("which statistics reject at the level"),
            lambda found: found,
        ),
        "rejects": TRUTH.told("whether the null hypothesis is rejected at the level"),
        "level": (
            DELTA.told("which no chance to reject a true hypothesis exceeds"),
            "question.level",
        ),
        "alternative": (
            one_of(*ALTERNATIVES).told("what w is where the null hypothesis does not hold"),
            "question.alternative",
        ),
        "odds_ratio": (
            TEXT.told("which odds ratio w is meant"),
            lambda _: f"{words.ODDS_RATIO}; {words.WHERE}",
        ),
        "umpu": (
            TRUTH.told("whether no unbiased test with the guarantee has more power"),
            "optimal",
        ),
        "power": list_of(
            object_of(
                {
                    "odds_ratio": (_NUMBER_AS_IT_IS.told("w"), FIRST),
                    "power": (SHARE.told("the chance to reject, rounded down"), SECOND),
                }
            )
        ).told("the power curve"),
        "margins": (
            object_of(
                {
                    "rows": (
                        list_of(WHOLE).told("the records of both rows"),
                        lambda m: [m.first_row, m.second_row],
                    ),
                    "columns": (
                        list_of(WHOLE).told("the records of both columns"),
                        lambda m: [m.first_column, m.size - m.first_column],
                    ),
                }
            ).told("what is public of the table"),
            "table.margins",
        ),
        "labels": (
            or_null(
                object_of(
                    {
                        "path": TEXT.told("the spec"),
                        "rows": list_of(TEXT).told("their attribute, and its two levels"),
                        "columns": list_of(TEXT).told("their attribute, and its two levels"),
                    }
                )
            ).told("what a spec calls the table; null without one"),
            "table.labels",
        ),
        "noise": (
            object_of(
                {
                    "distribution": (
                        one_of(*NOISE_NAMES).told("which canonical noise of the function"),
                        "question.noise",
                    ),
                    **_MEASURE,
                    "drawn": TRUTH.told("drawn for this report: another run is another release"),
                    "seed": (
                        or_null(WHOLE).told("null: the operating system's randomness"),
                        "question.seed",
                    ),
                    "note": (TEXT.told("what it is, and what to mind"), _noise_note),
                }
            ).told("what was added to x21"),
            lambda found: found,
        ),
        "guarantee": (
            object_of(
                {
                    "universe": always("D_t"),
                    "metric": (METRIC, "table.metric"),
                    "distance": (
                        WHOLE.told("a(t), or the distance of the spec: x21 moves by at most 1"),
                        "table.distance",
                    ),
                    **_MEASURE,
                    "note": (TEXT.told("the guarantee in a sentence"), words.guarantee),
                }
            ).told("of the noisy count and all that follows from it"),
            lambda found: found,
        ),
    }
)

DOCUMENT = Document(
    "odds_ratio",
    "semiaudit mechanism test odds-ratio",
    "a semi-private test, as `semiaudit mechanism test odds-ratio --format json` prints it",
    _ODDS_RATIO_TEST,
)
