"""A waiver: somebody answers for a budget that failed, up to a number and until a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.source import NOWHERE, Mark
from semiaudit.model.wording import Wording
from semiaudit.numeric.rationals import rational_text


@dataclass(frozen=True, slots=True)
class Waiver:
    """One accepted exception.

    Attributes:
        rule: the id of the rule that is waived.
        reason, approver: why, and who answers for it.
        expires: the last day on which it is valid.
        accepted: the largest number that is accepted; a value above it fails again. None only
            where the rule has no number.
        framework, measure, at, distance: of the budgets it speaks of; None: any.
        spec: in a file of waivers, a glob over resolved paths, or over their ends.
        sha256: in a file of waivers, that of the spec it speaks of.
        file: where it was written. inside: that file is the audited spec itself.
    """

    rule: str
    reason: str
    approver: str
    expires: date
    accepted: Fraction | None = None
    framework: FrameworkName | None = None
    measure: str | None = None
    at: Fraction | None = None
    distance: int | None = None
    spec: str = ""
    sha256: str = ""
    file: str = ""
    inside: bool = False
    mark: Mark = NOWHERE

    @property
    def key(self) -> str:
        """The name of the waiver in fingerprints, without its number, its day, and its words."""
        wanted = (self.framework, self.measure, self.at, self.distance, self.spec, self.sha256)
        return f"waiver {self.rule} {' '.join('*' if w in (None, '') else str(w) for w in wanted)}"

    @property
    def sentence(self) -> Wording:
        """Why it is accepted, by whom, until when, and up to which number."""
        most = ""
        if self.accepted is not None:
            number = rational_text(self.accepted, up=False)
            most = Wording(f", up to {number}", "up_to", number=number)
        return Wording(
            f"{self.reason} (approved by {self.approver}, until {self.expires}{most})",
            "waiver",
            reason=self.reason,
            approver=self.approver,
            expires=self.expires,
            most=most,
        )

    def __str__(self) -> str:
        return str(self.sentence)
