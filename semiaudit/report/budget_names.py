"""How budgets are named in readable reports."""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from semiaudit.model.audit import BudgetResult
from semiaudit.report.numbers import rational_text


def budget_name(result: BudgetResult) -> str:
    """A budget in words: ``semi_dp epsilon, delta 1e-10``."""
    return f"{result.budget.framework} {measure_name(result)}"


def measure_name(result: BudgetResult) -> str:
    """What a budget limits, and at which delta, rate or distance."""
    budget = result.budget
    match budget.measure:
        case "epsilon":
            text = f"epsilon, delta {rational_text(budget.at or Fraction(0))}"
        case "tpr":
            text = f"tpr, FPR {rational_text(budget.at or Fraction(0), up=False)}"
        case "a_t":
            text = "a(t)"
        case "rho" | "mu" | "advantage":
            text = budget.measure
        case _:
            assert_never(budget.measure)
    return text + (f", distance {budget.distance}" if budget.distance is not None else "")
