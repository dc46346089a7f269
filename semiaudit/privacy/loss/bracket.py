"""The request to the engine and its result: an accuracy, and a certified bracket."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from semiaudit.frozen import dataclass
from semiaudit.model.bound import Cause
from semiaudit.model.loss import PrivacyLoss

Method = Literal["lattice", "grid", "exact"]

Number = Literal["delta", "epsilon", "type_ii", "power"]
"""The quantity that is computed at a place."""

FEWEST_TOGETHER = 8
"""From this many places on, joint compositions cost less than one composition for each place."""


class CurvePlaces:
    """Places at which one number is computed in one call, so that compositions serve all of them.

    The bracket of a place depends on all places of its curve, and that of a type II error also on
    the powers that the same call found.

    Attributes:
        places: epsilons, deltas, or type I errors; each once.
        found: brackets of the call so far, by quantity and product.
    """

    __slots__ = ("_hash", "found", "places")

    def __init__(self, places: Iterable[Fraction]) -> None:
        self.places = dict.fromkeys(places)
        self.found: dict[tuple[Number, PrivacyLoss, float], Mapping[Fraction, Bracket]] = {}
        self._hash = hash(frozenset(self.places))

    def __contains__(self, place: Fraction) -> bool:
        return place in self.places

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CurvePlaces) and (self is other or self.places == other.places)

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The requested width of a bracket.

    Attributes:
        tolerance: the requested width, relative to the upper bound.
        time_limit: seconds after which no finer grid is started; None for no limit.
        curve: the places that are computed together; None for a single number.
    """

    tolerance: float = 1e-6
    time_limit: float | None = None
    curve: CurvePlaces | None = None

    def __post_init__(self) -> None:
        if not 0 < self.tolerance < 1:
            raise ValueError("a tolerance lies between 0 and 1")
        if self.time_limit is not None and not self.time_limit >= 0:
            raise ValueError("a time limit is 0 seconds or more")

    def at(self, places: Iterable[Fraction]) -> Accuracy:
        """Return the accuracy for all numbers of a curve; a few places are computed one by one."""
        curve = CurvePlaces(places)
        return replace(self, curve=curve if len(curve.places) >= FEWEST_TOGETHER else None)


DEFAULT_ACCURACY = Accuracy()

_NEXT_TO_ZERO = 1e-300
"""Smaller brackets count as narrow: near the smallest doubles, there is no relative width."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """Two doubles that enclose the true number.

    Attributes:
        lower: not above the truth.
        upper: not below the truth; ``math.inf`` where nothing finite holds.
        method: ``exact`` for a closed form, ``lattice`` where every loss lies on one lattice,
            ``grid`` where losses were moved to a grid.
        complete: the bracket is as narrow as requested.
    """

    lower: float
    upper: float
    method: Method
    complete: bool

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise ValueError("the lower bound of a bracket is above its upper bound")

    @property
    def short_of(self) -> Cause:
        """Return what keeps an incomplete bracket from being narrower, if it is not the time limit.

        A grid is refined up to a limit; a closed form and a lattice are as precise as doubles.
        """
        return "work limit" if self.method == "grid" else "precision"

    @property
    def relative_width(self) -> float:
        """The width over the upper bound; 1 if there is no finite one."""
        return (self.upper - self.lower) / self.upper if math.isfinite(self.upper) else 1.0

    def within(self, tolerance: float) -> bool:
        """Return whether the width is at most ``tolerance`` times the upper bound, or about 0."""
        if math.isinf(self.upper):
            return math.isinf(self.lower)
        if self.upper < _NEXT_TO_ZERO:
            return True
        return self.upper - self.lower <= tolerance * self.upper


def hull_of_maxima(first: Bracket, second: Bracket, tolerance: float) -> Bracket:
    """Return a bracket of the larger of two bracketed numbers."""
    method: Method = "grid" if "grid" in (first.method, second.method) else first.method
    lower, upper = max(first.lower, second.lower), max(first.upper, second.upper)
    complete = Bracket(lower, upper, method, True).within(tolerance)
    return Bracket(lower, upper, method, complete)
