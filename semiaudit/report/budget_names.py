"""How budgets and the verdicts on them are named in readable reports."""

from __future__ import annotations

from semiaudit.model.audit import BudgetResult, measure_text
from semiaudit.model.verdict import FAILED, PASSED

WAIVED = "waived"


def budget_name(result: BudgetResult) -> str:
    """A budget in words: ``semi_dp epsilon, delta 1e-10``."""
    return f"{result.budget.framework} {measure_name(result)}"


def budget_word(result: BudgetResult) -> str:
    """Return the verdict on a budget in one word."""
    if result.holds:
        return PASSED
    return FAILED if result.waived is None else WAIVED


def measure_name(result: BudgetResult) -> str:
    """What a budget limits, and at which delta, rate or distance."""
    budget = result.budget
    return measure_text(budget.measure, budget.at, budget.distance, ", ")
