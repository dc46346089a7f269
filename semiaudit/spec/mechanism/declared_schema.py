"""The grammar of declared guarantees, and the measures that they declare."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field

from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    DeclaredOrder,
    DeclaredPairs,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.model.mechanism import Declared, DeclaredMeasure
from semiaudit.spec.mechanism.mechanism_reader import OptionalNeighbors, PartSection, SpecPlace
from semiaudit.spec.scalars import Loss, Mu, Share, ShareBelowOne

MOST_POINTS = 500

Point = tuple[Fraction, Fraction]


class DeclaredSection(PartSection):
    """A guarantee that is declared."""

    neighbors: OptionalNeighbors = None

    def part(self, place: SpecPlace) -> Declared | None:
        """The mechanism that is known by its guarantee only."""
        measure = self.measure(place)
        return None if measure is None else Declared(measure, place.mark, self.neighbors)

    @abstractmethod
    def measure(self, place: SpecPlace) -> DeclaredMeasure | None:
        """Return the declared measure, or None with its problems in the document."""


class PureDPSection(DeclaredSection):
    """epsilon-DP."""

    epsilon: Loss

    def measure(self, place: SpecPlace) -> PureDP:
        """epsilon-DP."""
        return PureDP(self.epsilon)


class ApproxDPSection(DeclaredSection):
    """(epsilon, delta)-DP."""

    epsilon: Loss
    delta: ShareBelowOne

    def measure(self, place: SpecPlace) -> ApproxDP:
        """(epsilon, delta)-DP."""
        return ApproxDP(self.epsilon, self.delta)


class ZCDPSection(DeclaredSection):
    """rho-zCDP."""

    rho: Loss

    def measure(self, place: SpecPlace) -> ZCDP:
        """rho-zCDP."""
        return ZCDP(self.rho)


class GDPSection(DeclaredSection):
    """mu-GDP."""

    mu: Mu

    def measure(self, place: SpecPlace) -> GDP:
        """mu-GDP."""
        return GDP(self.mu * self.mu)


class TradeoffSection(DeclaredSection):
    """A tradeoff function as a polygon, from type I error 0 to type II error 0."""

    points: Annotated[
        list[Annotated[list[Share], Field(min_length=2, max_length=2)]],
        Field(min_length=2, max_length=MOST_POINTS, description="[type_i, type_ii] pairs"),
    ]
    orders: Annotated[
        Literal["both", "one"],
        Field(
            description="both: the function holds for (P, Q) and for (Q, P), for example when a "
            "record is added and when it is removed; one: only for one of them"
        ),
    ]

    def measure(self, place: SpecPlace) -> PiecewiseLinear | DeclaredOrder | None:
        """The polygon, if it is falling, convex, and nowhere above perfect privacy."""
        points = [(point[0], point[1]) for point in self.points]
        faults = [*_faults(points)]
        for index, message, remedy in faults:
            place.report(("points", index), message, remedy)
        if faults:
            return None
        if points[-1][0] < 1:
            points.append((Fraction(1), Fraction(0)))
        f = PiecewiseLinear(tuple(points), declared=True)
        return f if self.orders == "both" else DeclaredOrder(f)


class ProfileSection(DeclaredSection):
    """A list of (epsilon, delta) pairs, all of which hold in both orders of the two datasets."""

    points: Annotated[
        list[tuple[Loss, ShareBelowOne]],
        Field(min_length=1, max_length=MOST_POINTS, description="[epsilon, delta] pairs"),
    ]

    def measure(self, place: SpecPlace) -> DeclaredPairs:
        """The pairs, without those that another one implies."""
        points: list[Point] = []
        for epsilon, delta in sorted(self.points):
            if not points or delta < points[-1][1]:
                points.append((epsilon, delta))
        return DeclaredPairs(tuple(points))


def _faults(points: list[Point]) -> Iterator[tuple[int, str, str]]:
    """Why points are no tradeoff function: the place of each, what is wrong, and what to do."""
    if points[0][0] != 0:
        yield 0, "the first type I error is not 0", "begin with [0, ...]"
    if points[-1][1] != 0:
        yield len(points) - 1, "the last type II error is not 0", "end with [..., 0]"
    for index, (x, y) in enumerate(points):
        if x + y > 1:
            yield index, "the errors sum to more than 1", "no tradeoff function is above 1 - a"
        if index and x <= points[index - 1][0]:
            yield index, "the type I errors do not increase", "order the points by type I error"
        elif index and y > points[index - 1][1]:
            yield index, "the type II errors do not decrease", "correct the point"
        elif index > 1 and _bends_up(points[index - 2], points[index - 1], (x, y)):
            yield (
                index - 1,
                "is above the line between its neighboring points, so the function is not convex",
                "leave it out",
            )


def _bends_up(a: Point, b: Point, c: Point) -> bool:
    return (b[1] - a[1]) * (c[0] - a[0]) > (c[1] - a[1]) * (b[0] - a[0])
