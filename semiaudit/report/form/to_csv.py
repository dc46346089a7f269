"""One audit as CSV in long form: a header, then a row for each number.

Every number is printed as in JSON: exact if a double's text is, else rounded outward.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from fractions import Fraction

from semiaudit.frozen import dataclass
from semiaudit.model.audit import Audit, BudgetResult
from semiaudit.model.bound import Bound, Side
from semiaudit.model.guarantee import GuaranteeRow, Numbers
from semiaudit.model.semi_adjacency import Parameter, SemiAdjacency
from semiaudit.report.blocks.numbers import bound_number, number
from semiaudit.report.form.documents import csv_text
from semiaudit.report.text.shield import cell

CUT_SHORT = "the time limit cut it short; the number holds, and can be loose"

LIMIT, HOLDS = "limit", "holds"
"""The value of ``side`` if the number is a budget's limit, or whether the budget holds (1, 0)."""


@dataclass(frozen=True, slots=True)
class Record:
    """A row; the attributes are the columns, in order. Missing values are empty.

    Attributes:
        framework: the privacy definition; empty for a(t), which belongs to the release.
        universe: D or D_t, the universe of its pairs.
        distance: the largest distance of its pairs, by the metric.
        covers_joint_release: whether it covers the noisy output and the invariants together.
        measure: the name of the number; with the prefix ``budget_`` for a budget.
        at: the delta of an epsilon, the type I error of a ``type_ii`` or a ``tpr``.
        conversion: the method of the number.
        side: the side of the bound: exact, upper or lower.
        value: the number; ``inf`` for infinity.
        refused: why there is no number, why it can be loose, or why a budget failed.
    """

    framework: str = ""
    universe: str = ""
    metric: str = ""
    distance: str = ""
    covers_joint_release: str = ""
    measure: str = ""
    at: str = ""
    conversion: str = ""
    side: str = ""
    value: str = ""
    refused: str = ""


COLUMNS = tuple(field.name for field in fields(Record))
_TRUTH = {True: "true", False: "false"}


def to_csv(audit: Audit) -> str:
    """Render an audit. A text that a spreadsheet would evaluate has an apostrophe before it."""
    return table_of(records_of(audit))


def table_of(records: Iterable[Record]) -> str:
    """Return the header and a line per record."""
    return table_with_texts((), (((), record) for record in records))


def table_with_texts(names: Sequence[str], records: Iterable[tuple[Sequence[str], Record]]) -> str:
    """Return the table with columns of further texts before those of the records."""
    rows = ([*map(cell, texts), *line_of(record)] for texts, record in records)
    return csv_text((*names, *COLUMNS), rows)


def line_of(record: Record) -> list[str]:
    """Return the cells of a row; of its texts, only a reason is free text."""
    *words, refused = (getattr(record, column) for column in COLUMNS)
    return [*words, cell(refused)]


def records_of(audit: Audit) -> Iterator[Record]:
    """Yield every number of an audit: a(t), then guarantee by guarantee, then the budgets."""
    yield from records_of_distance(audit.universe.semi_adjacency.joint)
    for row in audit.rows:
        yield from records_of_row(row)
    for result in audit.budgets:
        yield from _budget(audit, result)


def records_of_distance(semi_adjacency: SemiAdjacency) -> Iterator[Record]:
    """Yield a(t) by both definitions, and the one that guarantees use, if it is established."""
    release = Record(metric=semi_adjacency.metric, universe="D_t")
    if semi_adjacency.own is not None:
        yield replace(release, measure="a_t", refused=semi_adjacency.own.not_joint)
        return
    if semi_adjacency.value is not None:
        side: Side = (
            "exact" if semi_adjacency.chosen.lower == semi_adjacency.chosen.upper else "upper"
        )
        yield replace(
            release,
            measure="a_t",
            conversion=semi_adjacency.chosen.method,
            side=side,
            value=str(semi_adjacency.value),
        )
    for name, parameter in (
        ("a_t_covering", semi_adjacency.covering),
        ("a_t_definition_13", semi_adjacency.definition_13),
    ):
        row = replace(release, measure=name, conversion=parameter.method)
        for end, value in _ends(parameter):
            yield replace(row, side=end, value=value)


def _ends(parameter: Parameter) -> Iterator[tuple[Side, str]]:
    if parameter.lower == parameter.upper:
        yield "exact", str(parameter.lower)
        return
    yield "lower", str(parameter.lower)
    yield "upper", "inf" if parameter.upper is None else str(parameter.upper)


def _of(row: GuaranteeRow) -> Record:
    guarantee = row.guarantee
    return Record(
        framework=guarantee.framework,
        universe=guarantee.universe,
        metric=guarantee.metric,
        distance="" if guarantee.distance is None else str(guarantee.distance),
        covers_joint_release="" if guarantee.refused else _TRUTH[guarantee.covers_joint_release],
    )


def records_of_row(row: GuaranteeRow) -> Iterator[Record]:
    """Yield the numbers of a guarantee; one record with the reason if it is refused."""
    common = _of(row)
    if row.guarantee.refused:
        yield replace(common, refused=row.guarantee.refused)
        return
    yield from rows_of_numbers(common, row.numbers)


def rows_of_numbers(common: Record, numbers: Numbers) -> Iterator[Record]:
    """Yield a record for each known number."""
    late = _cut_short(numbers)
    for measure, at, bound, conversion in _numbers(numbers):
        if bound is not None:
            line = replace(common, measure=measure, at=at, conversion=conversion)
            line = replace(line, refused=CUT_SHORT) if (measure, at) in late else line
            yield with_bound(line, bound)


def with_bound(record: Record, bound: Bound) -> Record:
    """Return the record with a number and its side."""
    return replace(
        record,
        conversion=record.conversion or bound.method,
        side=bound.side,
        value=str(bound_number(bound)),
    )


def _numbers(numbers: Numbers) -> Iterator[tuple[str, str, Bound | None, str]]:
    """Yield (measure, at, bound, conversion) of every number of a report."""
    yield "rho", "", numbers.zcdp, ""
    yield "mu", "", numbers.gdp, ""
    yield "mu_regret", "", numbers.gdp_regret, ""
    yield "epsilon", "0", numbers.pure_dp, ""
    for point in numbers.approx_dp:
        delta = str(number(point.delta))
        yield "epsilon", delta, point.epsilon, point.conversion
        yield "epsilon", delta, point.epsilon_lower, point.conversion
    source = numbers.operating_points_from
    yield "advantage", "", numbers.advantage, source
    for type_i, type_ii in numbers.tradeoff:
        yield "type_ii", _rate(type_i), type_ii, source
    for type_i, power in numbers.tpr_at_fpr:
        yield "tpr", _rate(type_i), power, source


def _cut_short(numbers: Numbers) -> set[tuple[str, str]]:
    """Return (measure, at) of the numbers that the time limit cut short."""
    cut: set[tuple[str, str]] = set()
    for measure, at in numbers.cut_short:
        if measure == "type_ii":
            cut |= {("type_ii", _rate(at)), ("tpr", _rate(at))}
        else:
            cut.add((measure, str(number(at))))
    return cut


def _rate(type_i: Fraction) -> str:
    return str(number(type_i, up=False))


def _budget(audit: Audit, result: BudgetResult) -> Iterator[Record]:
    budget = result.budget
    row = next(row for row in audit.rows if row.guarantee.framework == budget.framework)
    record = replace(_of(row), measure=f"budget_{budget.measure}")
    if budget.distance is not None:
        record = replace(record, distance=str(budget.distance))
    if budget.at is not None:
        at = number(budget.at, up=budget.measure == "epsilon")
        record = replace(record, at=str(at))
    yield replace(record, side=LIMIT, value=str(number(budget.limit)))
    if result.actual is not None:
        yield with_bound(record, result.actual)
    yield replace(record, side=HOLDS, value=str(int(result.holds)), refused=result.reason)
