"""The grammar of a waiver, in a spec or in a file of waivers."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from semiaudit.errors import Mark
from semiaudit.model.audit import BUDGET_MEASURES, BudgetMeasure, Waiver
from semiaudit.model.frameworks import NAMES, PER_DISTANCE, FrameworkName
from semiaudit.model.rules import FOUND, NUMBERED, RULES, WAIVABLE, no_rule
from semiaudit.spec.policy.budget_schema import measured_at
from semiaudit.spec.scalars import (
    Number,
    OpenShare,
    Section,
    ShareBelowOne,
    Size,
    Text,
    choice,
    kind_of,
    shown,
    within,
    word,
)
from semiaudit.spec.yaml12 import Scalar

_DIGEST = re.compile(r"[0-9a-fA-F]{64}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _day(value: object) -> date:
    if isinstance(value, Scalar) and _DATE.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise ValueError(f"{kind_of(value)} is not a date; write it as 2027-01-31")


def _digest(value: object) -> str:
    if isinstance(value, Scalar) and _DIGEST.fullmatch(value):
        return value.lower()
    raise ValueError(
        f"{kind_of(value)} is not a SHA-256; write the 64 digits that sha256sum prints"
    )


def _rule(value: object) -> str:
    rule = word(value)
    if rule not in RULES:
        raise ValueError(no_rule(shown(rule), f"name one of {', '.join(WAIVABLE)}"))
    if rule not in WAIVABLE:
        raise ValueError(f"{rule} cannot be waived; these can: {', '.join(WAIVABLE)}")
    return rule


Day = Annotated[
    date, BeforeValidator(_day), WithJsonSchema({"type": "string", "pattern": f"^{_DATE.pattern}$"})
]
Digest = Annotated[
    str,
    BeforeValidator(_digest),
    WithJsonSchema({"type": "string", "pattern": f"^{_DIGEST.pattern}$"}),
]
Accepted = Annotated[Number, AfterValidator(within(0, 10**15))]


class WaiverSection(Section):
    """One accepted exception: what, why, who is responsible, until when, up to which number."""

    rule: Annotated[str, BeforeValidator(_rule), WithJsonSchema({"enum": list(WAIVABLE)})]
    reason: Text
    approver: Text
    expires: Annotated[Day, Field(description="the last day on which it is valid")]
    accepted: Annotated[
        Accepted | None, Field(description="the largest number that is accepted")
    ] = None
    framework: Annotated[FrameworkName | None, choice(*NAMES)] = None
    measure: Annotated[BudgetMeasure | None, choice(*BUDGET_MEASURES)] = None
    delta: Annotated[ShareBelowOne | None, Field(description="of an epsilon")] = None
    fpr: Annotated[OpenShare | None, Field(description="of a tpr")] = None
    distance: Annotated[
        Size | None, Field(description=f"of an {' or '.join(PER_DISTANCE)} budget")
    ] = None
    spec: Annotated[
        Text | None, Field(description="a glob over the paths of specs; in a file of waivers only")
    ] = None
    sha256: Annotated[
        Digest | None, Field(description="of the spec; in a file of waivers only")
    ] = None

    @model_validator(mode="after")
    def _whole(self) -> WaiverSection:
        if self.rule in FOUND and (self.accepted is not None or self.framework or self.measure):
            raise ValueError(f"{self.rule} has no number; remove accepted, framework and measure")
        if self.rule in NUMBERED and self.accepted is None:
            raise ValueError("accepts no number; add accepted: the largest value that is accepted")
        if self.rule in NUMBERED and (self.framework is None or self.measure is None):
            raise ValueError("does not name its budget; add framework and measure")
        if self.delta is not None and self.measure != "epsilon":
            raise ValueError("delta is for measure: epsilon only; remove it")
        if self.measure == "epsilon" and self.delta is None:
            raise ValueError("has no delta; add delta (0 for pure DP)")
        if (self.fpr is not None) != (self.measure == "tpr"):
            raise ValueError("fpr is for measure: tpr only, which needs it; add or remove it")
        return self

    def waiver(self, file: str, mark: Mark, *, inside: bool = False) -> Waiver:
        """The waiver of a spec (``inside``) or of a file of waivers."""
        at = None if self.measure is None else measured_at(self.measure, self.delta, self.fpr)
        return Waiver(
            rule=self.rule,
            reason=self.reason,
            approver=self.approver,
            expires=self.expires,
            accepted=self.accepted,
            framework=self.framework,
            measure=self.measure,
            at=at,
            distance=self.distance,
            spec=self.spec or "",
            sha256=self.sha256 or "",
            file=file,
            inside=inside,
            mark=mark,
        )
