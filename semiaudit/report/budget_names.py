"""How budgets are named in readable reports."""

from __future__ import annotations

from semiaudit.model.audit import BudgetResult, measure_text


def budget_name(result: BudgetResult) -> str:
    """A budget in words: ``semi_dp epsilon, delta 1e-10``."""
    return f"{result.budget.framework} {measure_name(result)}"


def measure_name(result: BudgetResult) -> str:
    """What a budget limits, and at which delta, rate or distance."""
    budget = result.budget
    return measure_text(budget.measure, budget.at, budget.distance, ", ")
