"""A guarantee drawn: certified points of its tradeoff function and of epsilon over delta."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Protocol

from semiaudit.model.bound import Bound
from semiaudit.model.guarantee import GuaranteeRow


@dataclass(frozen=True, slots=True)
class GuaranteeCurve:
    """Points of one guarantee, for a format that draws them.

    Attributes:
        name: whose guarantee it is: a notion, a release of a comparison, or a part of the
            invariants.
        tradeoff: (type I error, lower bound of the type II error); errors ascend, and no bound is
            below that of a larger type I error.
        epsilons: (delta, upper bound of epsilon); deltas ascend, and no bound is above that of a
            smaller delta.
        complete: False where a time limit left points out.
    """

    name: str
    tradeoff: tuple[tuple[Fraction, Bound], ...]
    epsilons: tuple[tuple[Fraction, Bound], ...]
    complete: bool = True


class HasCurves(Protocol):
    """A record that has curves, once they are asked for."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def curves(self) -> tuple[GuaranteeCurve, ...]:
        """The curves of this result; empty unless they are to be drawn."""
        ...

    @property
    def drawn_rows(self) -> list[tuple[str, GuaranteeRow]]:
        """The rows that have a curve, with the names of their curves."""
        ...
