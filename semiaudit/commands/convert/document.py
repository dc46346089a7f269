"""The answer of the calculator as JSON, version 1, and its schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

from semiaudit.commands.convert.model import TARGETS, Conversion, Target
from semiaudit.model.adjacency import Neighbors
from semiaudit.model.bound import Bound
from semiaudit.report.blocks.numbers import number
from semiaudit.report.form.documents import Document
from semiaudit.report.form.forms import (
    BECAUSE,
    FIRST,
    METRIC,
    NUMBER,
    RATE,
    SECOND,
    SHARE,
    TEXT,
    TOOL,
    TRUTH,
    WHOLE,
    JsonForm,
    always,
    inside,
    list_of,
    object_of,
    one_of,
    or_null,
)
from semiaudit.report.form.to_csv import Record, rows_of_numbers, table_of, with_bound
from semiaudit.report.form.to_json import NUMBERS

_EPSILON = JsonForm(
    {"type": "number", "minimum": 0, "examples": [1]}, lambda epsilon: number(epsilon, up=False)
)

_CONVERSION = object_of(
    {
        "schema_version": always(1),
        "complete": TRUTH,
        "tool": TOOL,
        "mechanism": (TEXT.described("the mechanism as it was given"), "question.text"),
        "metric": (METRIC, "question.metric"),
        "distance": (WHOLE, "question.distance"),
        "neighbors": (
            or_null(one_of(*get_args(Neighbors))).described(
                "the neighboring datasets for which the numbers of the mechanism hold; null: as "
                "the mechanism says, or those at distance 1 of the metric"
            ),
            "question.neighbors",
        ),
        "universe": always("D"),
        "target": (
            or_null(one_of(*TARGETS)).described("the requested privacy measure; null: all"),
            "question.target",
        ),
        "solved": (
            TEXT.described("the parameter that was solved for, and its value; empty: none"),
            "question.solved",
        ),
        **inside("numbers", NUMBERS),
        "profile": list_of(
            object_of(
                {
                    "epsilon": (_EPSILON.described("the requested ε"), FIRST),
                    "delta": (
                        SHARE.described("the upper bound on δ at this ε, rounded up"),
                        SECOND,
                    ),
                    "conversion": (
                        TEXT.described("the conversion that gives δ"),
                        lambda p: p[1].method,
                    ),
                }
            )
        ).described("δ at each requested ε"),
        "guesses": list_of(
            object_of(
                {
                    "prior": (
                        RATE.described("the prior probability of the most likely value"),
                        FIRST,
                    ),
                    "success": (
                        NUMBER.described(
                            "the upper bound on the success probability of the best guess"
                        ),
                        SECOND,
                    ),
                }
            )
        ).described("guesses of an attribute of one record by an attacker who knows all others"),
    },
    incomplete_because=BECAUSE,
)


_TARGET_OF: dict[str, Target] = {
    "rho": "zcdp",
    "mu": "gdp",
    "mu_regret": "gdp",
    "advantage": "tradeoff",
    "type_ii": "tradeoff",
    "tpr": "tradeoff",
    "delta": "approx_dp",
    "guess": "guess",
}
"""The target of each measure, except epsilon, for which delta decides."""


def _csv(conversion: Conversion) -> str:
    target = conversion.question.target
    return table_of(r for r in _records(conversion) if target in (None, _target(r)))


def _target(record: Record) -> Target:
    if record.measure == "epsilon":
        return "pure_dp" if record.at == "0" else "approx_dp"
    return _TARGET_OF[record.measure]


def _records(conversion: Conversion) -> Iterator[Record]:
    question = conversion.question
    common = Record(universe="D", metric=question.metric, distance=str(question.distance))
    yield from rows_of_numbers(common, conversion.numbers)
    for epsilon, delta in conversion.profile:
        yield _at(common, "delta", str(number(epsilon, up=False)), delta)
    for prior, success in conversion.guesses:
        yield _at(common, "guess", str(number(prior, up=False)), success)


def _at(common: Record, measure: str, at: str, bound: Bound) -> Record:
    return with_bound(replace(common, measure=measure, at=at), bound)


DOCUMENT = Document(
    "convert",
    "semiaudit convert",
    "The guarantee of a mechanism that `semiaudit convert --format json` prints.",
    _CONVERSION,
    csv=_csv,
)
