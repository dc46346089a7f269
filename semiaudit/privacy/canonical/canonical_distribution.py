"""The interface of a canonical noise distribution, and the split of a point into cell and place.

N is canonical for a symmetric tradeoff function f (Cho and Awan, Definition 35; Awan and Vadhan
2023) if X + N satisfies f wherever X moves by at most 1, the tradeoff function of X + N and X + 1 +
N is exactly f, the best attack on them is a threshold, and N is symmetric about 0. Then P(N > x +
1) = f(P(N <= x)) at every x, in Su's form; in Cho and Awan's it is F(x) = g(F(x + 1)).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from decimal import Decimal
from fractions import Fraction

from semiaudit.errors import Refusal, RefusedError
from semiaudit.numeric.intervals import HALF, ONE, Interval

_MIDDLE = Fraction(1, 2)
_LEAST_SLOPE = Decimal("1e-12")
"""The least slope of F at 0. With a smaller one, the noise spreads over more than 1e12 units."""


class CanonicalDistribution(ABC):
    """A canonical noise distribution with enclosed probabilities.

    Attributes:
        name: ``lemma_36``, ``tulap`` or ``normal``; selects one of several distributions.
    """

    name: str

    def upper_tail(self, x: Fraction) -> Interval:
        """P(N > x), enclosed."""
        return ONE - self.tail_beyond(-x) if x < 0 else self.tail_beyond(x)

    def cdf(self, x: Fraction) -> Interval:
        """Return P(N <= x), enclosed; by symmetry it is the tail above -x."""
        return self.upper_tail(-x)

    def quantile_above(self, tail: Fraction) -> Interval:
        """An enclosure of the point above which the mass ``tail`` in (0, 1) lies."""
        if not 0 < tail < 1:
            raise ValueError("a tail must be between 0 and 1")
        if tail > _MIDDLE:
            return -self.point_beyond(1 - tail)
        return self.point_beyond(tail)

    def estimate(self, x: float) -> float:
        """Estimate P(N > x) in doubles, as the start of a search for a point. Not certified."""
        return 1 - self.estimate_beyond(-x) if x < 0 else self.estimate_beyond(x)

    def estimate_beyond(self, x: float) -> float:
        """Estimate P(N > x) for x of 0 or more."""
        return float(self.tail_beyond(Fraction(x)).low)

    @abstractmethod
    def tail_beyond(self, x: Fraction) -> Interval:
        """P(N > x) for x of 0 or more."""

    @abstractmethod
    def point_beyond(self, tail: Fraction) -> Interval:
        """The point above which the mass ``tail`` in (0, 1/2] lies."""


def require_spread(corner: Interval) -> None:
    """Refuse noise with so little privacy loss that it spreads without limit, or nearly so.

    Args:
        corner: c, with f(c) = c in Su's form.

    Raises:
        RefusedError: c is 1/2, or within 1e-12 of it.
    """
    if HALF.low - corner.high < _LEAST_SLOPE:
        what = "noise for so strict a guarantee hides the count completely"
        raise RefusedError(Refusal(what, "raise epsilon, delta or mu"))


def cell_and_place(x: Fraction) -> tuple[int, Fraction]:
    """Return (k, z) with x = k + z, k an integer and z in [-1/2, 1/2)."""
    cell = (x + _MIDDLE).__floor__()
    return cell, x - cell


def cells_up_to(value: Interval) -> range:
    """Return the nonnegative integers that the ceiling of an enclosed number can be."""
    low, high = (max(Fraction(end).__ceil__(), 0) for end in (value.low, value.high))
    return range(low, high + 1)


def central_tail(corner: Interval, place: Interval) -> Interval:
    """P(N > z) for z in [-1/2, 1/2], where Lemma 36 makes F linear: 1/2 - (1 - 2c) z.

    Args:
        corner: c, with f(c) = c in Su's form.
    """
    return (HALF - (ONE - corner - corner) * place).clip(0, 1)


def central_point(corner: Interval, tail: Interval) -> Interval:
    """The z in [-1/2, 1/2] above which a mass between c and 1 - c lies."""
    place = (HALF - tail) / (ONE - corner - corner)
    return Interval(max(place.low, -HALF.low), min(place.high, HALF.high))
