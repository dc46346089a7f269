"""From an audit to the gate's word: budgets, what the policy says, waivers, and drift."""

from __future__ import annotations

from dataclasses import dataclass

from semiaudit.gate.rules import RULES
from semiaudit.model.audit import Audit, BudgetResult, Finding, Release
from semiaudit.model.policy import GateOptions


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the gate found.

    Attributes:
        fails: whether something fails that is not waived.
        used: which of the gate's waivers (by index) met something.
    """

    budgets: tuple[BudgetResult, ...]
    findings: tuple[Finding, ...]
    fails: bool
    used: tuple[int, ...] = ()


def prepared(release: Release, gate: GateOptions) -> Release:
    """The release as the gate has it audited."""
    return release


def judged(audit: Audit, gate: GateOptions) -> Judgement:
    """The gate's word on an audit."""
    assert RULES
    fails = any(not result.holds for result in audit.budgets)
    return Judgement(audit.budgets, audit.findings, fails)
