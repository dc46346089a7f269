"""How budgets and the verdicts on them are named in readable reports."""

from __future__ import annotations

from semiaudit.model.audit import BudgetResult
from semiaudit.model.number_names import number_name
from semiaudit.model.verdict import FAILED, PASSED

WAIVED = "waived"


def budget_name(result: BudgetResult) -> str:
    """A budget in words: ``ε of Semi-DP (effective) at δ = 1e-10``."""
    budget = result.budget
    return number_name(budget.framework, budget.measure, budget.at, budget.distance)


def budget_word(result: BudgetResult) -> str:
    """Return the verdict on a budget in one word."""
    if result.holds:
        return PASSED
    return FAILED if result.waived is None else WAIVED
