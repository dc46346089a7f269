"""One drift: what it is about, and the finding that shows it."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.errors import Mark
from semiaudit.frozen import dataclass
from semiaudit.model.audit import Finding, number_key
from semiaudit.model.rules import WEAKER, finding_of
from semiaudit.model.wording import Wording


@dataclass(frozen=True, slots=True)
class Drift:
    """One number that got weaker.

    Attributes:
        now: what it is; None if it vanished or has no size, so that no waiver can accept it.
        brief: the message without its framework and without the difference.
    """

    framework: str
    measure: str
    at: Fraction | None
    now: float | None
    finding: Finding
    brief: str = ""


def drift_of(
    framework: str,
    measure: str,
    message: Wording,
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
