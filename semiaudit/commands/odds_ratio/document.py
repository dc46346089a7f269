"""The semi-private test of an odds ratio as JSON, version 1, and its schema."""

from __future__ import annotations

from typing import Any

from semiaudit.commands.odds_ratio.view import ODDS_RATIO, WHERE, caution, guarantee, mu_of, noise
from semiaudit.model.measure import GDP
from semiaudit.model.results.odds_ratio import ALTERNATIVES, NOISE_NAMES, OddsRatioTest
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
from semiaudit.report.text.symbols import in_ascii

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
    return mu_of(measure) if isinstance(measure, GDP) else None


def _noise_note(test: OddsRatioTest) -> str:
    return in_ascii(f"{noise(test)}. {caution(test)}")


_MEASURE = {
    "epsilon": (
        _EPSILON.described("ε of the (ε, δ)-DP guarantee; null with mu"),
        _approx("epsilon"),
    ),
    "delta": (
        or_null(DELTA).described("δ of the (ε, δ)-DP guarantee; null with mu"),
        _approx("delta"),
    ),
    "mu": (or_null(LIMIT).described("μ of the μ-GDP guarantee; null with epsilon"), _mu),
}

_ODDS_RATIO_TEST = object_of(
    {
        "schema_version": always(1),
        "tool": TOOL,
        "p_value": SHARE.described("the p-value of the statistic, rounded up"),
        "statistic": _NUMBER_AS_IT_IS.described("the test statistic: x21 with noise"),
        "threshold": (
            or_null(NUMBER).described(
                "the threshold of a one-sided test: at_least or at_most; null: two-sided"
            ),
            _one_sided,
        ),
        "rejection": (
            object_of(
                {
                    "at_least": or_null(NUMBER).described(
                        "the test rejects for this statistic or a larger one, rounded up"
                    ),
                    "at_most": or_null(NUMBER).described(
                        "the test rejects for this statistic or a smaller one, rounded down"
                    ),
                }
            ).described("the rejection region at the level"),
            lambda test: test,
        ),
        "rejects": TRUTH.described("whether the null hypothesis is rejected at the level"),
        "level": (
            DELTA.described("the significance level: the largest type I error"),
            "question.level",
        ),
        "alternative": (
            one_of(*ALTERNATIVES).described("the alternative hypothesis on w"),
            "question.alternative",
        ),
        "odds_ratio": (
            TEXT.described("the definition of the odds ratio w"),
            lambda _: in_ascii(f"{ODDS_RATIO}; {WHERE}"),
        ),
        "umpu": (
            TRUTH.described(
                "whether the test is the most powerful unbiased one with the guarantee"
            ),
            "optimal",
        ),
        "power": list_of(
            object_of(
                {
                    "odds_ratio": (_NUMBER_AS_IT_IS.described("the odds ratio w"), FIRST),
                    "power": (
                        SHARE.described("the probability of rejection, rounded down"),
                        SECOND,
                    ),
                }
            )
        ).described("the power curve"),
        "margins": (
            object_of(
                {
                    "rows": (
                        list_of(WHOLE).described("the numbers of records of both rows"),
                        lambda m: [m.first_row, m.second_row],
                    ),
                    "columns": (
                        list_of(WHOLE).described("the numbers of records of both columns"),
                        lambda m: [m.first_column, m.size - m.first_column],
                    ),
                }
            ).described("the public margins of the table"),
            "table.margins",
        ),
        "labels": (
            or_null(
                object_of(
                    {
                        "path": TEXT.described("the path of the spec"),
                        "rows": list_of(TEXT).described(
                            "the attribute of the rows, and its two levels"
                        ),
                        "columns": list_of(TEXT).described(
                            "the attribute of the columns, and its two levels"
                        ),
                    }
                )
            ).described("the names of rows and columns in the spec; null without a spec"),
            "table.labels",
        ),
        "noise": (
            object_of(
                {
                    "distribution": (
                        one_of(*NOISE_NAMES).described("the distribution of the canonical noise"),
                        "question.noise",
                    ),
                    **_MEASURE,
                    "drawn": TRUTH.described(
                        "whether the noise was sampled for this report: each run is a new release"
                    ),
                    "seed": (
                        or_null(WHOLE).described(
                            "the seed; null: randomness from the operating system"
                        ),
                        "question.seed",
                    ),
                    "note": (TEXT.described("the noise in words, with a caution"), _noise_note),
                }
            ).described("the noise that was added to x21"),
            lambda test: test,
        ),
        "guarantee": (
            object_of(
                {
                    "universe": always("D_t"),
                    "metric": (METRIC, "table.metric"),
                    "distance": (
                        WHOLE.described(
                            "a(t), or the distance of the spec; x21 changes by at most 1"
                        ),
                        "table.distance",
                    ),
                    **_MEASURE,
                    "note": (
                        TEXT.described("the guarantee in a sentence"),
                        lambda test: in_ascii(guarantee(test)),
                    ),
                }
            ).described("the guarantee of the noisy count and of everything computed from it"),
            lambda test: test,
        ),
    }
)

DOCUMENT = Document(
    "odds_ratio",
    "semiaudit mechanism test odds-ratio",
    "The semi-private test that `semiaudit mechanism test odds-ratio --format json` prints.",
    _ODDS_RATIO_TEST,
)
