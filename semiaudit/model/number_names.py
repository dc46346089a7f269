"""How people name a number: ``ε of Semi-DP (effective) at δ = 1e-10``."""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from semiaudit.model.audit import BudgetMeasure
from semiaudit.model.labels import label
from semiaudit.numeric.rationals import rational_text


def measure_name(measure: BudgetMeasure, at: Fraction | None, distance: int | None = None) -> str:
    """What is measured, and at which δ, rate, or distance: ``ε at δ = 1e-10``."""
    return "".join(_symbol_and_place(measure, at, distance))


def number_name(
    framework: str, measure: BudgetMeasure, at: Fraction | None, distance: int | None = None
) -> str:
    """The number of a privacy definition, with its label."""
    symbol, place = _symbol_and_place(measure, at, distance)
    return f"{symbol} of {label(framework)}{place}"


def _symbol_and_place(
    measure: BudgetMeasure, at: Fraction | None, distance: int | None
) -> tuple[str, str]:
    far = "" if distance is None else f" at distance {distance}"
    point = at or Fraction(0)
    match measure:
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
            assert_never(measure)
