"""What a gate holds specs against, all of it from outside the audited files."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from semiaudit.model.adjacency import Metric, Reading
from semiaudit.model.audit import Budget, BudgetMeasure
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.guarantee import Line
from semiaudit.model.waiver import Waiver


@dataclass(frozen=True, slots=True)
class Policy:
    """Budgets that every spec must hold, and the least that it may be audited by.

    Attributes:
        metric, reading, distance: the least ones; None: any.
    """

    path: str
    title: str
    budgets: tuple[Budget, ...] = ()
    metric: Metric | None = None
    reading: Reading | None = None
    distance: int | None = None


@dataclass(frozen=True, slots=True)
class EarlierBudget:
    """A budget of an earlier report; ``at`` as its text says, ``limit`` as a double."""

    framework: FrameworkName
    measure: BudgetMeasure
    at: Fraction | None
    distance: int | None
    limit: float


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an earlier report said of one spec.

    Attributes:
        covering: the upper end of covering a(t); None where none was established.
        lines: of the frameworks that were not refused; their numbers are the doubles that it
            printed, and deltas and type I errors what their texts say, exactly.
    """

    path: str
    metric: str
    reading: str
    covering: int | None
    lines: tuple[Line, ...]
    budgets: tuple[EarlierBudget, ...]
    invariants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GateOptions:
    """How a gate judges. Holds no clock: ``today`` is told to it.

    Attributes:
        waivers: those of waiver files.
        baseline: earlier reports; None: nothing to compare with.
        margin: the share of a limit within which a number that holds is told.
        today: the day that waivers are judged on; None: every waiver counts as expired.
        debug: whether an internal error keeps its traceback.
    """

    policy: Policy | None = None
    waivers: tuple[Waiver, ...] = ()
    baseline: tuple[Earlier, ...] | None = None
    margin: Fraction = Fraction(1, 20)
    today: date | None = None
    debug: bool = False


NO_GATE = GateOptions()
