"""The numbers of an audit as columns: plain lists for any data-frame library."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from semiaudit.model.audit import Audit
from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import GuaranteeRow, Numbers

Value = str | float | None

NAMES = (
    "path",
    "title",
    "framework",
    "universe",
    "distance",
    "measure",
    "at",
    "value",
    "side",
    "method",
    "refused",
)
"""The columns in their order."""


def columns_of(audit: Audit) -> dict[str, list[Value]]:
    """Return every number of every privacy definition, one row each.

    A refused one has one row without a number.
    """
    columns: dict[str, list[Value]] = {name: [] for name in NAMES}
    release = audit.release
    for row in audit.rows:
        for values in _rows(row):
            known = (release.path, release.title, *values)
            for name, value in zip(NAMES, known, strict=True):
                columns[name].append(value)
    return columns


def _rows(row: GuaranteeRow) -> Iterator[tuple[Value, ...]]:
    guarantee = row.guarantee
    head = (guarantee.framework, guarantee.universe, guarantee.distance)
    if guarantee.refused:
        yield *head, None, None, None, None, None, guarantee.refused
    for measure, at, bound in _numbers(row.numbers):
        place = None if at is None else float(at)
        yield *head, measure, place, float(bound), bound.side, bound.method, ""


def _numbers(numbers: Numbers) -> Iterator[tuple[str, Fraction | None, Bound]]:
    """Yield (the measure, its delta or type I error, the number)."""
    single = {
        "pure_epsilon": numbers.pure_dp,
        "rho": numbers.zcdp,
        "mu": numbers.gdp,
        "mu_regret": numbers.gdp_regret,
        "advantage": numbers.advantage,
    }
    for name, bound in single.items():
        if bound is not None:
            yield name, None, bound
    yield from (("epsilon", point.delta, point.epsilon) for point in numbers.approx_dp)
    yield from (("type_ii", type_i, bound) for type_i, bound in numbers.tradeoff)
    yield from (("tpr", fpr, bound) for fpr, bound in numbers.tpr_at_fpr)
