"""The answer of the calculator as CSV: a row a number, in the columns of an audit's CSV."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from semiaudit.commands.convert.model import Conversion, Target
from semiaudit.model.bound import Bound
from semiaudit.report.numbers import number
from semiaudit.report.to_csv import Record, rows_of_numbers, table_of, with_bound

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
"""The target that each measure answers, but of epsilon, where delta decides."""


def to_csv(found: Conversion) -> str:
    """Render an answer."""
    target = found.question.target
    return table_of(r for r in _records(found) if target in (None, _target(r)))


def _target(record: Record) -> Target:
    if record.measure == "epsilon":
        return "pure_dp" if record.at == "0" else "approx_dp"
    return _TARGET_OF[record.measure]


def _records(found: Conversion) -> Iterator[Record]:
    question = found.question
    common = Record(universe="D", metric=question.metric, distance=str(question.distance))
    yield from rows_of_numbers(common, found.numbers)
    for epsilon, delta in found.profile:
        yield _at(common, "delta", str(number(epsilon, up=False)), delta)
    for prior, success in found.guesses:
        yield _at(common, "guess", str(number(prior, up=False)), success)


def _at(common: Record, measure: str, at: str, bound: Bound) -> Record:
    return with_bound(replace(common, measure=measure, at=at), bound)
