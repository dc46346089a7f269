"""The verdict of a gate on one spec: small, frozen, and safe to send between processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from semiaudit.errors import Mark, Problem, Quote
from semiaudit.frozen import dataclass
from semiaudit.model.audit import BudgetResult, Finding
from semiaudit.model.bound import CanBeIncomplete, Causes
from semiaudit.model.building_blocks import Domain
from semiaudit.model.guarantee import GuaranteeLine

Outcome = Literal["holds", "exceeds", "unaudited", "audited", "internal"]
"""The result of auditing a spec, as machines read it: every budget holds; a budget or a rule does
not; there is no audit; there is one, without budgets; the program is at fault."""

PASSED, FAILED, ERROR, NO_BUDGET = "passed", "failed", "error", "no budget"
"""The words for verdicts that readers see, in every command and on every page."""

WORST_FIRST = (FAILED, ERROR, PASSED, NO_BUDGET)
"""The words in the order in which a summary counts them."""

WORDS: dict[Outcome, str] = {
    "holds": PASSED,
    "exceeds": FAILED,
    "unaudited": ERROR,
    "internal": ERROR,
    "audited": NO_BUDGET,
}
"""An outcome as people read it."""

EXIT_CODES: dict[Outcome, int] = {
    "holds": 0,
    "exceeds": 1,
    "unaudited": 2,
    "audited": 0,
    "internal": 4,
}
NOTHING_TO_HOLD = 3
"""The exit code without any spec, and without any budget where budgets are required."""

PRECEDENCE = (4, 2, 1, 3, 0)
"""The order of exit codes: the first of these that occurs is the whole run's."""


@dataclass(frozen=True, slots=True)
class Digest(CanBeIncomplete):
    """The results of an audit, without the audit.

    Attributes:
        value: the a(t) that guarantees use; None if it is not established.
        distance: that is in force in D_t; None if there is none.
        established: whether covering a(t) is; its upper bound may be no more than the size.
        invariants: the keys of everything that is published exactly.
        unit: whose privacy is protected.
        values_given: whether the values of the invariants are known, as data give them.
        domain: the set of possible datasets.
    """

    title: str
    metric: str
    reading: str
    covering: tuple[int, int | None]
    definition_13: tuple[int, int | None]
    value: int | None
    distance: int | None
    lines: tuple[GuaranteeLine, ...]
    incomplete_because: Causes
    established: bool = True
    invariants: tuple[str, ...] = ()
    unit: str = ""
    values_given: bool = False
    domain: Domain | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's word on one spec.

    Attributes:
        path: as it was named or found, with ``/``.
        sha256: of the spec; empty if it could not be read.
        problems: why no audit could be made; empty if one was.
        findings: those of the audit and those of the gate.
        seconds: wall-clock time of the audit.
        used: which of the gate's waivers (by index) met something to waive.
        budgets_required: whether a spec without a budget was held against too little.
        kind: ``waivers`` for what is said of a waiver file, which is no audited spec.
        trace: the traceback of an internal error, if it was asked for.
        tolerated: whether it fails by nothing that decides about the exit code of a survey.
        quotes: lines of the spec, with carets, for the marks of problems and findings.
    """

    path: str
    outcome: Outcome
    sha256: str = ""
    digest: Digest | None = None
    budgets: tuple[BudgetResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    seconds: float = 0.0
    used: tuple[int, ...] = ()
    budgets_required: bool = False
    kind: Literal["spec", "waivers"] = "spec"
    trace: str = ""
    tolerated: bool = False
    quotes: tuple[tuple[Mark, Quote], ...] = ()

    @property
    def incomplete_because(self) -> Causes:
        """Return why the audit is incomplete; empty if it is complete, or none was made."""
        return self.digest.incomplete_because if self.digest else ()

    @property
    def exit_code(self) -> int:
        """The exit code of `check` for this spec alone."""
        return exit_code_of_outcome(self.outcome, budgets_required=self.budgets_required)


def exit_code_of_outcome(outcome: Outcome, *, budgets_required: bool) -> int:
    """Return the exit code of a run over one spec with this outcome."""
    if outcome == "audited" and budgets_required:
        return NOTHING_TO_HOLD
    return EXIT_CODES[outcome]


def exit_code_of(codes: set[int]) -> int:
    """The exit code of a run over several specs; 3 for none at all."""
    return next((code for code in PRECEDENCE if code in codes), NOTHING_TO_HOLD)


def exit_code_of_run(verdicts: Sequence[Verdict]) -> int:
    """The exit code of a run; what is said of waiver files can only make it worse."""
    codes = {0 if v.tolerated else v.exit_code for v in verdicts if v.kind == "spec"}
    waiver_codes = {verdict.exit_code for verdict in verdicts if verdict.kind == "waivers"} - {0}
    return exit_code_of(codes | waiver_codes) if codes else NOTHING_TO_HOLD
