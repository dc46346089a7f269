"""How budgets are named in readable reports."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.model.audit import BudgetResult
from semiaudit.report.numbers import rational_text


def budget_name(result: BudgetResult) -> str:
    """A budget in words: ``semi_dp epsilon, delta 1e-10``."""
    return f"{result.budget.framework} {measure_name(result)}"


def measure_name(result: BudgetResult) -> str:
    """What a budget limits, and at which delta, rate or distance."""
    budget = result.budget
    text = "a(t)" if budget.measure == "a_t" else str(budget.measure)
    if budget.measure == "epsilon":
        text += f", delta {rational_text(budget.at or Fraction(0))}"
    elif budget.measure == "tpr":
        text += f", FPR {rational_text(budget.at or Fraction(0), up=False)}"
    return text + (f", distance {budget.distance}" if budget.distance is not None else "")
