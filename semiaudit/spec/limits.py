"""From validated sections to budgets and waivers."""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from semiaudit.model.audit import BUDGET_MEASURES, Budget, BudgetMeasure
from semiaudit.model.source import Mark
from semiaudit.model.waiver import Waiver
from semiaudit.spec.schema import BudgetSection
from semiaudit.spec.waiver_schema import WaiverSection


def budget_of(section: BudgetSection, mark: Mark, *, policy: bool = False) -> Budget:
    """A budget of a spec or of a policy."""
    name = next(limit for limit in BUDGET_MEASURES if getattr(section, limit) is not None)
    at = _at(name, section.delta or Fraction(0), section.fpr)
    limit = Fraction(getattr(section, name))
    return Budget(section.framework, name, limit, at, section.distance, mark, policy)


def _at(measure: BudgetMeasure, delta: Fraction | None, type_i: Fraction | None) -> Fraction | None:
    """The delta of an epsilon, or the type I error of a tpr."""
    match measure:
        case "epsilon":
            return delta
        case "tpr":
            return type_i
        case "rho" | "mu" | "advantage" | "a_t":
            return None
        case _:
            assert_never(measure)


def waiver_of(section: WaiverSection, file: str, mark: Mark, *, inside: bool = False) -> Waiver:
    """A waiver of a spec (``inside``) or of a file of waivers."""
    return Waiver(
        rule=section.rule,
        reason=section.reason,
        approver=section.approver,
        expires=section.expires,
        accepted=section.accepted,
        framework=section.framework,
        measure=section.measure,
        at=None if section.measure is None else _at(section.measure, section.delta, section.fpr),
        distance=section.distance,
        spec=section.spec or "",
        sha256=section.sha256 or "",
        file=file,
        inside=inside,
        mark=mark,
    )
