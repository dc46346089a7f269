"""A guarantee drawn: certified points of its tradeoff function and of epsilon over delta."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from semiaudit.model.bound import Bound


@dataclass(frozen=True, slots=True)
class Curve:
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
