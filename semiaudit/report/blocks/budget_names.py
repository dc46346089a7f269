"""How budgets and the verdicts on them are named in readable reports."""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from semiaudit.model.audit import BudgetResult
from semiaudit.model.verdict import FAILED, PASSED
from semiaudit.numeric.rationals import rational_text
from semiaudit.report.blocks.labels import label

WAIVED = "waived"


def budget_name(result: BudgetResult) -> str:
    """A budget in words: ``ε of Semi-DP (effective) at δ = 1e-10``."""
    symbol, at = _symbol_and_place(result)
    return f"{symbol} of {label(result.budget.framework)}{at}"


def budget_word(result: BudgetResult) -> str:
    """Return the verdict on a budget in one word."""
    if result.holds:
        return PASSED
    return FAILED if result.waived is None else WAIVED


def measure_name(result: BudgetResult) -> str:
    """What a budget limits, and at which δ, rate or distance: ``ε at δ = 1e-10``."""
    return "".join(_symbol_and_place(result))


def _symbol_and_place(result: BudgetResult) -> tuple[str, str]:
    budget = result.budget
    far = "" if budget.distance is None else f" at distance {budget.distance}"
    point = budget.at or Fraction(0)
    match budget.measure:
        case "epsilon":
            return "ε", f" at δ = {rational_text(point)}{far}"
        case "tpr":
            return "TPR", f" at FPR {rational_text(point, up=False)}{far}"
        case "a_t":
            return "a(t)", far
        case "rho":
            return "ρ", far
        case "mu":
            return "μ", far
        case "advantage":
            return "advantage", far
        case _:
            assert_never(budget.measure)
