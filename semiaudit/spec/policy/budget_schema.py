"""The grammar of a budget, in a spec or in a policy."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, assert_never

from pydantic import Field, WithJsonSchema, model_validator

from semiaudit.errors import Mark
from semiaudit.model.audit import BUDGET_MEASURES, Budget, BudgetMeasure, RequiredVerification
from semiaudit.model.frameworks import BUDGETABLE, LEADING, PER_DISTANCE, FrameworkName
from semiaudit.spec.scalars import (
    Loss,
    Mu,
    OpenShare,
    Section,
    Share,
    ShareBelowOne,
    Size,
    Text,
    choice,
)

_PER_DISTANCE = " or ".join(PER_DISTANCE)


class VerificationSection(Section):
    """A verification of the code, by `semiaudit verify`."""

    confidence: OpenShare
    record: Text | None = None


class BudgetSection(Section):
    """A limit on one number of one privacy definition, or a required verification."""

    framework: Annotated[
        FrameworkName | None,
        choice(*BUDGETABLE),
        WithJsonSchema({"type": "string", "enum": list(BUDGETABLE)}),
    ] = None
    verification: VerificationSection | None = None
    epsilon: Loss | None = None
    delta: ShareBelowOne | None = None
    rho: Loss | None = None
    mu: Mu | None = None
    advantage: Share | None = None
    tpr: Share | None = None
    fpr: OpenShare | None = None
    distance: Annotated[Size | None, Field(description=f"for {_PER_DISTANCE}")] = None
    a_t: Annotated[Size | None, Field(description=f"a cap on covering a(t); for {LEADING}")] = None

    @model_validator(mode="after")
    def _one_measure(self) -> BudgetSection:
        if self.verification is not None:
            if self.model_fields_set != {"verification"}:
                raise ValueError("verification stands alone; make two items of the list")
            return self
        if self.framework is None:
            raise ValueError("framework is missing; add it")
        measures = [limit for limit in BUDGET_MEASURES if getattr(self, limit) is not None]
        if len(measures) != 1:
            known = f"{', '.join(BUDGET_MEASURES[:-1])} or {BUDGET_MEASURES[-1]}"
            raise ValueError(f"needs exactly one limit; give {known}")
        if measures == ["a_t"] and self.framework != LEADING:
            raise ValueError(f"a_t is for {LEADING} only; name that framework")
        if self.delta is not None and measures != ["epsilon"]:
            raise ValueError("delta is for a limit on epsilon only; remove it")
        if (self.fpr is not None) != (measures == ["tpr"]):
            raise ValueError("tpr and fpr need each other; give both")
        if (self.distance is not None) != (self.framework in PER_DISTANCE):
            raise ValueError(
                f"distance is for {_PER_DISTANCE} only, which needs it; add or remove it"
            )
        return self

    def requirement(self, mark: Mark) -> RequiredVerification | None:
        """Return the verification that is required; None for a budget."""
        asked = self.verification
        if asked is None:
            return None
        return RequiredVerification(Fraction(asked.confidence), asked.record or "", mark)

    def budget(self, mark: Mark, *, policy: bool = False) -> Budget | None:
        """Return the budget of a spec or of a policy; None for a required verification."""
        if self.framework is None:
            return None
        name = next(limit for limit in BUDGET_MEASURES if getattr(self, limit) is not None)
        at = measured_at(name, self.delta or Fraction(0), self.fpr)
        limit = Fraction(getattr(self, name))
        return Budget(self.framework, name, limit, at, self.distance, mark, policy)


def measured_at(
    measure: BudgetMeasure, delta: Fraction | None, type_i: Fraction | None
) -> Fraction | None:
    """The delta of an epsilon, or the type I error of a tpr."""
    match measure:
        case "epsilon":
            return delta
        case "tpr":
            return type_i
        case "rho" | "mu" | "advantage" | "a_t":
            return None
        case _:
            assert_never(measure)
