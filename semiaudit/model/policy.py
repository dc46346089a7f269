"""The rules against which a gate checks specs; none of them is in the audited files."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric, Reading
from semiaudit.model.audit import Budget, BudgetMeasure, RequiredVerification, Waiver
from semiaudit.model.building_blocks import Domain
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.guarantee import GuaranteeLine

FailOn = Literal["error", "warning", "never"]


@dataclass(frozen=True, slots=True)
class Policy:
    """Budgets that every spec must hold, and the least that it may be audited by.

    Attributes:
        metric, reading, distance: the least that is allowed; None: the default, hamming where
            it can be audited, covering, and covering a(t).
        fail_on: the rules whose findings are errors, at any level, and at any level of the gate.
        require_budgets: whether a spec must have a budget, its own or the policy's.
        verifications: those that the code of every spec must have.
    """

    path: str
    title: str
    budgets: tuple[Budget, ...] = ()
    metric: Metric | None = None
    reading: Reading | None = None
    distance: int | None = None
    require_budgets: bool = False
    fail_on: tuple[str, ...] = ()
    verifications: tuple[RequiredVerification, ...] = ()


@dataclass(frozen=True, slots=True)
class EarlierBudget:
    """A budget of an earlier report; ``at`` as its text says, ``limit`` as a double.

    Attributes:
        policy: whether it was a policy's.
    """

    framework: FrameworkName
    measure: BudgetMeasure
    at: Fraction | None
    distance: int | None
    limit: float
    policy: bool = False


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier report's results for one spec.

    Attributes:
        covering: the upper bound of covering a(t); None if none was established.
        lines: of the frameworks that were not refused; their numbers are the doubles that it
            printed, and deltas and type I errors what their texts say, exactly.
        invariants: the keys of everything that was published exactly.
        refused: whether `semi_dp` was.
        unit: whose privacy was protected; empty: it is not compared.
        values_given: whether the values of the invariants were known.
        domain: the set of possible datasets; None: it is not compared.
        version: of the program that wrote it; empty if it is not known.
    """

    path: str
    metric: str
    reading: str
    covering: int | None
    lines: tuple[GuaranteeLine, ...]
    budgets: tuple[EarlierBudget, ...]
    invariants: tuple[str, ...] = ()
    refused: bool = False
    unit: str = ""
    values_given: bool = False
    domain: Domain | None = None
    version: str = ""


@dataclass(frozen=True, slots=True)
class GateOptions:
    """The options of a gate. It has no clock: ``today`` is an attribute.

    Attributes:
        waivers: those of waiver files.
        baseline: earlier reports; None: nothing to compare with.
        margin: the share of a limit within which a number that holds is reported.
        today: the day that waivers are judged on; None: every waiver counts as expired.
        debug: whether an internal error keeps its traceback.
        fail_on: the level from which findings fail that are no rules of the gate.
        budgets: whether a spec without any budget is held against too little.
        defaults: whether what promises less than the default needs the policy's word.
        survey: whether only budgets and a policy's rules decide about the exit code.
    """

    policy: Policy | None = None
    waivers: tuple[Waiver, ...] = ()
    baseline: tuple[Earlier, ...] | None = None
    margin: Fraction = Fraction(1, 20)
    today: date | None = None
    debug: bool = False
    fail_on: FailOn = "error"
    budgets: bool = True
    defaults: bool = True
    survey: bool = False

    @property
    def budgets_required(self) -> bool:
        """Return whether the command or the policy asks for a budget."""
        return self.budgets or (self.policy is not None and self.policy.require_budgets)


NO_GATE = GateOptions(fail_on="never", budgets=False, defaults=False)
"""The options that check an audit against its own budgets, and against nothing else."""
