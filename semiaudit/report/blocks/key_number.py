"""The one number that the card of a report leads with."""

from __future__ import annotations

from semiaudit.frozen import dataclass
from semiaudit.model.audit import Audit
from semiaudit.model.labels import budget_name
from semiaudit.model.number_text import limit_text, limited_text
from semiaudit.report.blocks.claims import claim_of
from semiaudit.report.blocks.conclusion import failing_budgets, leading_numbers
from semiaudit.report.blocks.growth import factor_text


@dataclass(frozen=True, slots=True)
class KeyNumber:
    """The one number that a card leads with.

    Attributes:
        symbol: of the privacy measure, or what the number is.
        text: the number. compared: what it is compared with.
    """

    symbol: str
    text: str
    compared: str


def key_number(audit: Audit) -> KeyNumber | None:
    """The number of the budget that failed, or the leading one; None if it is not known."""
    for result in failing_budgets(audit)[:1]:
        limit, actual = result.budget.limit, result.actual
        if actual is None:
            return None
        compared = f"limit {limit_text(limit, actual)}"
        return KeyNumber(budget_name(result), limited_text(actual, limit), compared)
    leading = next(iter(leading_numbers(audit)), None)
    if leading is None or leading.after is None:
        return None
    before, after = leading.texts
    claim = claim_of(audit.release.mechanism)
    if leading.is_the_same:
        compared = f"effective, {claim.the_same}"
    elif before:
        compared = f"effective, {before} {claim.of_it}{factor_text(leading.growth)}"
    else:
        compared = f"effective; {claim.none}"
    return KeyNumber(f"{leading.symbol}{leading.at}", after, compared)
