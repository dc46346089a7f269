"""Budgets against certified numbers. A budget holds only if the upper bound is inside it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

from semiaudit.errors import Refusal, RefusedError
from semiaudit.model.adjacency import Adjacency
from semiaudit.model.audit import Budget, BudgetResult
from semiaudit.model.bound import Bound, Side, exact
from semiaudit.model.guarantee import GuaranteeRow, Numbers, name_at_distance
from semiaudit.model.labels import OPEN, measure_name
from semiaudit.model.number_text import certified_text, limit_text
from semiaudit.model.rules import (
    BUDGET_BELOW_A,
    CANNOT_CHANGE,
    EXCEEDED,
    NO_OTHER_TABLE,
    NO_SUCH_NUMBER,
    NOT_STATED,
    NOTHING_PROTECTED,
    UNDECIDED,
)
from semiaudit.model.semi_adjacency import OwnInvariants, Universe
from semiaudit.numeric.rationals import rational_text

ABOVE = "above its limit"
NO_LOSS = "nothing that the mechanism publishes can change"
NOTHING = "a(t) is 0: nothing is protected"


def judge(
    budget: Budget,
    rows: Sequence[GuaranteeRow],
    universe: Universe,
    adjacency: Adjacency,
    *,
    at_lower: Sequence[GuaranteeRow] = (),
    tables_differ: bool | None = None,
) -> BudgetResult:
    """Compare one budget with its framework's certified number.

    Args:
        at_lower: the rows as they would be if a(t) were the lower bound of its interval, where it
            is open; empty if they are not known. They only tell why a budget does not hold.
        tables_differ: whether D_t has two different tables within the distance in force, the
            budget's own if it has one; None if it is not known, which counts as no.

    Returns:
        A result that holds only if a number exists, is at most the limit, and is no empty
        statement: a budget inside D_t fails where a(t) is 0, no two different tables lie within
        the distance, or the distance in force is not known to reach covering a(t).
    """
    # Fails closed: every return before the comparison with the limit says that the budget does not
    # hold, except for a(t), which has no guarantee to look up.
    if budget.measure == "a_t":
        return _cap(budget, universe)
    row = row_of(budget, rows)
    if row.guarantee.refused:
        return _refused(budget, row, universe, at_lower)
    actual = _actual(budget, row)
    if actual is None:
        unknown = f"no {budget.measure} is known for this mechanism"
        return BudgetResult(budget, None, False, unknown, NO_SUCH_NUMBER)
    if row.guarantee.universe == "D_t":
        empty = _vacuous(universe, adjacency, budget, tables_differ=tables_differ)
        if empty is not None:
            rule, reason = empty
            return BudgetResult(budget, actual, False, reason, rule)
    if _numbers(budget, row).is_zero:
        return BudgetResult(budget, actual, False, NO_LOSS, CANNOT_CHANGE)
    if actual.within(budget.limit):
        return BudgetResult(budget, actual, True)
    undecided = _undecided(budget, row, universe, at_lower)
    if undecided:
        return BudgetResult(budget, actual, False, undecided, UNDECIDED)
    return BudgetResult(budget, actual, False, ABOVE, EXCEEDED)


def row_of(budget: Budget, rows: Sequence[GuaranteeRow]) -> GuaranteeRow:
    """The row of a budget's framework.

    Raises:
        RefusedError: there is none.
    """
    for row in rows:
        if row.guarantee.framework == budget.framework:
            return row
    what = f"there is no guarantee of the name {budget.framework}"
    names = ", ".join(row.guarantee.framework for row in rows)
    mark = budget.mark
    raise RefusedError(Refusal(what, f"name one of {names}", "budgets", mark.line, mark.column))


def _cap(budget: Budget, universe: Universe) -> BudgetResult:
    """Check a cap on covering a(t); the spec's definition and distance do not matter."""
    covering, parts = universe.semi_adjacency.covering, universe.semi_adjacency.own
    if parts is not None:
        return BudgetResult(budget, None, False, _not_joint(parts), UNDECIDED)
    if covering.upper == 0:
        actual = exact(0, covering.method, covering.source)
        return BudgetResult(budget, actual, False, NOTHING, NOTHING_PROTECTED)
    upper = covering.value
    if upper is None:
        lower = covering.lower
        reason = f"covering a(t) has no proven finite upper bound; it is at least {lower}"
        if covering.upper is not None:
            message = f"covering a(t) is not established; it is at least {lower}"
            reason = message
        rule = UNDECIDED if covering.lower <= budget.limit else EXCEEDED
        return BudgetResult(budget, None, False, reason, rule)
    side: Side = "exact" if covering.lower == upper else "upper"
    actual = Bound(Fraction(upper), side, covering.method, covering.source)
    if upper <= budget.limit:
        return BudgetResult(budget, actual, True)
    if covering.lower <= budget.limit:
        reason = (
            f"{OPEN}a(t) is between {covering.lower} and {upper}, and the limit is "
            f"{rational_text(budget.limit)}"
        )
        return BudgetResult(budget, actual, False, reason, UNDECIDED)
    return BudgetResult(budget, actual, False, ABOVE, EXCEEDED)


def _refused(
    budget: Budget, row: GuaranteeRow, universe: Universe, at_lower: Sequence[GuaranteeRow]
) -> BudgetResult:
    reason = row.guarantee.refused
    if row.guarantee.universe == "D_t" and universe.semi_adjacency.covering.upper == 0:
        return BudgetResult(budget, None, False, reason, NOTHING_PROTECTED)
    undecided = _undecided(budget, row, universe, at_lower)
    if undecided:
        return BudgetResult(budget, None, False, undecided, UNDECIDED)
    return BudgetResult(budget, None, False, reason, NOT_STATED)


def _vacuous(
    universe: Universe, adjacency: Adjacency, budget: Budget, *, tables_differ: bool | None
) -> tuple[str, str] | None:
    """The rule by which a statement inside D_t is empty, and why; None if it is not."""
    covering = universe.semi_adjacency.covering
    if covering.upper == 0:
        return NOTHING_PROTECTED, NOTHING
    if universe.disclosed.table_is_public:
        return NO_OTHER_TABLE, "the invariants disclose the whole table"
    if universe.semi_adjacency.own is not None:
        return UNDECIDED, _not_joint(universe.semi_adjacency.own)
    distance = budget.distance or adjacency.distance
    if distance is not None and (covering.upper is None or distance < covering.upper):
        note: str = ""
        if not covering.established:
            note = ", which is not established"
        return BUDGET_BELOW_A, f"distance {distance} is below covering a(t){note}"
    if tables_differ is False:
        return NO_OTHER_TABLE, "no two different tables of Dₜ are within the distance in force"
    if tables_differ is None:
        return NO_OTHER_TABLE, (
            "it is not known whether two different tables of Dₜ are within the distance in force; "
            "a longer --time-limit may show it"
        )
    return None


def _not_joint(parts: OwnInvariants) -> str:
    """Return why no distance is known to reach a(t)."""
    return f"a(t) is known of {parts.covered} alone; {parts.not_joint}"


def _undecided(
    budget: Budget, row: GuaranteeRow, universe: Universe, at_lower: Sequence[GuaranteeRow]
) -> str:
    """Return why the true number may lie inside a limit that the certified one exceeds, or ""."""
    semi = universe.semi_adjacency.joint.chosen
    numbers = [
        _actual(budget, nearer)
        for nearer in at_lower
        if nearer.guarantee.framework == budget.framework and not nearer.guarantee.refused
    ]
    within = [number for number in numbers if number is not None and number.within(budget.limit)]
    name = measure_name(budget.measure, budget.at, budget.distance)
    if within:
        actual = None if row.guarantee.refused else _actual(budget, row)
        a_t = f"at least {semi.lower}"
        if semi.value is not None:
            a_t = f"between {semi.lower} and {semi.value}"
        known = _range(name, within[0], actual, budget.limit)
        return f"{OPEN}the certified {known} (a(t) is {a_t})"
    if budget.measure == "epsilon" and not row.guarantee.refused:
        points = [p for p in _numbers(budget, row).approx_dp if p.delta == budget.at]
        ends = [p.epsilon_lower for p in points if p.epsilon_lower is not None]
        low = next((end for end in ends if end.within(budget.limit)), None)
        if low is not None:
            return f"{OPEN}{_range(name, low, _actual(budget, row), budget.limit)}"
    return ""


def _range(name: str, low: Bound, high: Bound | None, limit: Fraction) -> str:
    between = f"at least {certified_text(low, limit)}"
    if high is not None:
        between = f"between {certified_text(low, limit)} and {certified_text(high, limit)}"
    return f"{name} is {between}, and the limit is {limit_text(limit, high)}"


def _numbers(budget: Budget, row: GuaranteeRow) -> Numbers:
    if budget.distance is None:
        return row.numbers
    return dict(row.alternatives)[name_at_distance(budget.distance)]


def _actual(budget: Budget, row: GuaranteeRow) -> Bound | None:
    numbers = _numbers(budget, row)
    match budget.measure:
        case "rho":
            return numbers.zcdp
        case "mu":
            return numbers.gdp
        case "advantage":
            return numbers.advantage
        case "tpr":
            return dict(numbers.tpr_at_fpr).get(budget.at or Fraction(0))
        case "epsilon":
            if not budget.at:
                return numbers.pure_dp
            points = {point.delta: point.epsilon for point in numbers.tightest}
            return points.get(budget.at)
        case "a_t":
            return None  # which is no number of a row
        case _:
            assert_never(budget.measure)
