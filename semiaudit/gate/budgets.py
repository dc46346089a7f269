"""Budgets against certified numbers. A budget holds only if the upper bound is inside it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from semiaudit.model.adjacency import Adjacency
from semiaudit.model.audit import Budget, BudgetResult
from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import Numbers, Row
from semiaudit.model.semi_adjacency import Universe


def judge(
    budget: Budget, rows: Sequence[Row], universe: Universe, adjacency: Adjacency
) -> BudgetResult:
    """Compare one budget with its framework's certified number.

    Returns:
        A result that holds only if a number exists, is at most the limit, and is no empty
        statement: a budget inside D_t fails where a(t) is 0, the whole table is public, or the
        distance in force lies below covering a(t).
    """
    row = next(row for row in rows if row.guarantee.framework == budget.framework)
    if row.guarantee.refused:
        return BudgetResult(budget, None, False, row.guarantee.refused)
    numbers = row.numbers
    if budget.distance is not None:
        name = f"distance_{budget.distance}"
        numbers = next(found for known, found in row.alternatives if known == name)
    actual = _actual(budget, numbers)
    if actual is None:
        return BudgetResult(budget, None, False, f"no {budget.measure} is known for this mechanism")
    vacuous = _vacuous(universe, adjacency, budget) if row.guarantee.universe == "D_t" else ""
    if vacuous:
        return BudgetResult(budget, actual, False, vacuous)
    holds = actual.value <= budget.limit
    return BudgetResult(budget, actual, holds, "" if holds else "above its limit")


def _vacuous(universe: Universe, adjacency: Adjacency, budget: Budget) -> str:
    covering = universe.semi_adjacency.covering
    if covering.upper == 0:
        return "a(t) is 0: nothing is protected"
    if universe.disclosed.table_is_public:
        return "the invariants disclose the whole table"
    distance = budget.distance or adjacency.distance
    if distance is not None and (covering.upper is None or distance < covering.upper):
        return f"distance {distance} lies below covering a(t)"
    return ""


def _actual(budget: Budget, numbers: Numbers) -> Bound | None:
    if budget.measure == "rho":
        return numbers.zcdp
    if budget.measure == "mu":
        return numbers.gdp
    if budget.measure == "advantage":
        return numbers.advantage
    if budget.measure == "tpr":
        return dict(numbers.tpr_at_fpr).get(budget.at or Fraction(0))
    if not budget.at:
        return numbers.pure_dp
    found = [point.epsilon for point in numbers.approx_dp if point.delta == budget.at]
    return min(found, key=lambda bound: bound.value) if found else None
