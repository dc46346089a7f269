"""One drift: what it is about, and the finding that shows it."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.errors import Mark
from semiaudit.frozen import dataclass
from semiaudit.model.audit import Finding, number_key
from semiaudit.model.frameworks import ADVERTISED, LEADING
from semiaudit.model.rules import WEAKER, finding_of


@dataclass(frozen=True, slots=True)
class Drift:
    """One number that got weaker.

    Attributes:
        now: the new value; None if it vanished or has no size, so that no waiver can accept it.
        brief: the message without its framework.
    """

    framework: str
    measure: str
    at: Fraction | None
    now: float | None
    finding: Finding
    brief: str = ""


CAUSES = ("invariants", "unit", "metric", "reading", "domain", "data")
"""The subjects of the guarantees; a change of a subject is listed before its consequences."""


def rank_of(finding: Finding) -> int:
    """Return the place of a drift among those of a spec, by its key.

    The subjects of the guarantees come first, then budgets, the mechanism (the advertised
    guarantee), a(t), the effective guarantee, and the others. Any other finding has the place 0.
    """
    if finding.rule != WEAKER or finding.key.startswith("invariant "):
        return 0
    first, measure = [*finding.key.split(" "), ""][:2]
    if first == "budget":
        return 2
    if measure in CAUSES:
        return 1
    if measure == "a_t":
        return 4
    ranks: dict[str, int] = {ADVERTISED: 3, LEADING: 5}
    return ranks.get(first, 6)


def drift_of(
    framework: str,
    measure: str,
    message: str,
    mark: Mark,
    *,
    at: Fraction | None = None,
    now: float | None = None,
    key: str = "",
    brief: str = "",
) -> Drift:
    """A drift; by default its key is that of the framework's number."""
    finding = finding_of(WEAKER, message, mark, key or number_key(framework, measure, at))
    return Drift(framework, measure, at, now, finding, brief)
