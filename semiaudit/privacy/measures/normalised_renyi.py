"""Certified brackets of D_nor of finite pairs: the supremum over orders a > 1 of sqrt(D_a / a).

With phi(a) = ln sum of p^a q^(1 - a), which is convex and 0 at order 1, D_a / a is
phi(a) / (a (a - 1)); as the order falls to 1 it tends to the Kullback-Leibler divergence. The
supremum may be attained inside (erratum E32): for (1/2, 1/2) against (1/4, 3/4) at order 1.4905.

Source: Bailie, Gong and Meng (slides); Bun and Steinke 2016 for D_a; docs/theory/finite.md,
    *D_nor*.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.model.loss import FiniteLoss
from semiaudit.numeric.intervals import ONE, TWO, ZERO, Interval

Product = tuple[tuple[FiniteLoss, int], ...]
"""Independent pairs, each with its number of repetitions."""

TOLERANCE = Fraction(1, 10**9)
"""The relative width of a bracket of rho = D_nor^2."""

_MOST_CELLS = 4_000
"""The most cells of orders that are examined; then the bracket stays wider."""

_MOST_DOUBLINGS = 70
"""Powers of 2 that are tried as orders if the limit at order 1 is not seen to be above 0."""

_SHORT = 2**60
"""The largest denominator of an order."""


@dataclass(frozen=True, slots=True)
class RhoBracket:
    """A bracket of rho = D_nor^2.

    Attributes:
        order: the order at which the lower bound is attained; 1 is the limit.
    """

    lower: Fraction
    upper: Fraction
    order: Fraction

    @property
    def root(self) -> Interval:
        """Return D_nor, enclosed."""
        ends = Interval.of(self.lower).sqrt(), Interval.of(self.upper).sqrt()
        return Interval.hull(*ends)


def rho_bracket(product: Product, tolerance: Fraction = TOLERANCE) -> RhoBracket | None:
    """Return the least rho of zCDP for both directions of a product of finite pairs, enclosed.

    Args, Returns and Rounding as of :func:`worst_rho_bracket`.
    """
    return worst_rho_bracket((product,), tolerance)


@deadline.cached(512)
def worst_rho_bracket(
    products: tuple[Product, ...], tolerance: Fraction = TOLERANCE
) -> RhoBracket | None:
    """Return the least rho of zCDP for both directions of every product, enclosed.

    Args:
        products: one or more, each of independent pairs.
        tolerance: of the bracket, relative to its upper bound.

    Returns:
        None if rho is infinite: an outcome has mass under only one of the two.

    Rounding: both bounds are those of enclosures in 60-digit decimals.
    """
    pairs = {pair for product in products for pair, _ in product}
    if any((p == 0) != (q == 0) for pair in pairs for p, q in _masses(pair)):
        return None
    sides = [
        _Direction(product, swapped=turned) for product in products for turned in (False, True)
    ]
    best = max((side.at_one for side in sides), key=lambda interval: interval.low)
    if not best.high:
        return RhoBracket(Fraction(0), Fraction(0), Fraction(1))
    return _BranchAndBound(sides, tolerance).run()


def _masses(pair: FiniteLoss) -> list[tuple[Fraction, Fraction]]:
    """Merge outcomes of equal likelihood ratios: for a divergence, they are one."""
    masses: dict[tuple[bool, Fraction], tuple[Fraction, Fraction]] = {}
    for p, q in zip(pair.first, pair.second, strict=True):
        if p or q:
            key = (True, p / q) if q else (False, Fraction(0))
            before = masses.get(key, (Fraction(0), Fraction(0)))
            masses[key] = before[0] + p, before[1] + q
    return list(masses.values())


class _Direction:
    """One direction of a product: its phi at an order.

    Attributes:
        at_one: the Kullback-Leibler divergence, which D_a / a tends to as a falls to 1.
        largest: the largest log likelihood ratio, from above.
    """

    def __init__(self, product: Product, *, swapped: bool) -> None:
        self._terms: list[tuple[list[tuple[Interval, Interval]], Interval]] = []
        kl, largest = ZERO, ZERO
        for pair, times in product:
            terms = []
            losses = []
            for first, other in _masses(pair):
                p, q = (other, first) if swapped else (first, other)
                if p:
                    terms.append((Interval.of(p).ln(), Interval.of(q).ln()))
                    losses.append(Interval.of(p / q).ln())
                    kl = kl + Interval.of(times) * Interval.of(p) * losses[-1]
            top = Interval(max(x.low for x in losses), max(x.high for x in losses))
            largest = largest + Interval.of(times) * top
            self._terms.append((terms, Interval.of(times)))
        self.at_one = Interval(max(kl.low, Decimal(0)), max(kl.high, Decimal(0)))
        self.largest = max(largest.high, Decimal(0))

    def phi(self, order: Fraction) -> Interval:
        """Return ln sum p^a q^(1 - a), added over the pairs."""
        up, down = Interval.of(order), Interval.of(1 - order)
        total = ZERO
        for terms, times in self._terms:
            total = total + times * _log_sum([p * up + q * down for p, q in terms])
        return total


def _log_sum(logs: Sequence[Interval]) -> Interval:
    """Return ln of the sum of exponentials.

    At large orders, the sum itself is not a decimal. With its largest term set to 1, the sum is
    between 1 and the number of terms, except for the width of the logarithms.
    """
    least, most = max(log.low for log in logs), max(log.high for log in logs)
    largest, total = Interval(most, most), ZERO
    for log in logs:
        total = total + (log - largest).exp()
    if total.low > 0:
        return largest + total.ln()
    return Interval(least, (largest + Interval.of(len(logs)).ln()).high)


@dataclass(frozen=True, slots=True)
class _Cell:
    side: int
    start: Fraction
    end: Fraction
    at_start: Interval
    at_end: Interval


class _BranchAndBound:
    """Branch and bound: the cell with the largest upper bound is split in two."""

    def __init__(self, sides: Sequence[_Direction], tolerance: Fraction) -> None:
        self.sides, self.tolerance = sides, tolerance
        self.lower, self.order = Decimal(0), Fraction(1)
        self.waiting: list[tuple[Decimal, int, _Cell]] = []
        self.number = 0

    def run(self) -> RhoBracket:
        for side in self.sides:
            self._reached(side.at_one.low, Fraction(1))
        if not self.lower:
            self._first_reached()
        if not self.lower:
            # 60 digits do not distinguish these laws: epsilon^2 / 2 holds for every epsilon.
            loss = Interval.of(max(side.largest for side in self.sides))
            return RhoBracket(Fraction(0), (loss * loss / TWO).upper_rational, Fraction(1))
        for place, side in enumerate(self.sides):
            # From this order on, D_a / a is at most the largest loss over the order.
            last = max(Fraction(side.largest) / Fraction(self.lower), Fraction(2)) + 1
            last = Fraction(-(-last.numerator // last.denominator))
            self._add(_Cell(place, Fraction(1), last, ZERO, side.phi(last)))
        cells = 0
        while cells < _MOST_CELLS:
            cells += 1
            deadline.check()
            upper = -self.waiting[0][0]
            if Fraction(upper) - Fraction(self.lower) <= self.tolerance * Fraction(upper):
                break
            self._halve(heapq.heappop(self.waiting)[2])
        upper = max(-self.waiting[0][0], self.lower)
        return RhoBracket(Fraction(self.lower), Fraction(upper), self.order)

    def _first_reached(self) -> None:
        """Return the first power of 2 at which D_a / a is seen to be above 0, if the limit is not.

        A ratio that is very rare matters at large orders.
        """
        for exponent in range(1, _MOST_DOUBLINGS):
            order = Fraction(2**exponent)
            for side in self.sides:
                at = side.phi(order) / Interval.of(order * (order - 1))
                self._reached(at.low, order)
            if self.lower:
                return

    def _reached(self, value: Decimal, order: Fraction) -> None:
        if value > self.lower:
            self.lower, self.order = value, order

    def _add(self, cell: _Cell) -> None:
        self.number += 1
        heapq.heappush(self.waiting, (-_most(self.sides[cell.side], cell), self.number, cell))

    def _halve(self, cell: _Cell) -> None:
        low, other = cell.start - 1, cell.end - 1
        excess = (low + other) / 2
        if low and other > 4 * low:
            excess = 2 * low
        elif not low and other > 1:
            excess = Fraction(1, 2)
        middle = 1 + excess.limit_denominator(_SHORT)
        at = self.sides[cell.side].phi(middle)
        self._reached((at / Interval.of(middle * (middle - 1))).low, middle)
        self._add(_Cell(cell.side, cell.start, middle, cell.at_start, at))
        self._add(_Cell(cell.side, middle, cell.end, at, cell.at_end))


def _most(side: _Direction, cell: _Cell) -> Decimal:
    """Return an upper bound on phi(a) / (a (a - 1)) in a cell, by the chord of the convex phi.

    In the cell that begins at 1 the chord is (a - 1) D_end, and D_end / a is largest at 1.
    Elsewhere the chord is v a - m, and m >= v since phi(1) = 0: its quotient increases up to a* =
    (m + sqrt(m^2 - m v)) / v, where it is v / (2 a* - 1), and decreases after.
    """
    start, end = cell.start, cell.end
    if start == 1:
        return max((cell.at_end / Interval.of(end - 1)).high, side.at_one.high)
    slope = (cell.at_end - cell.at_start) / Interval.of(end - start)
    offset = slope * Interval.of(start) - cell.at_start
    if slope.low > 0:
        root = (offset * offset - offset * slope).sqrt()
        peak = (offset + root) / slope
        if peak.high > Interval.of(start).low and peak.low < Interval.of(end).high:
            below = TWO * Interval.of(max(peak.low, Interval.of(start).low)) - ONE
            return (slope / below).high
    ends = ((start, cell.at_start), (end, cell.at_end))
    return max((at / Interval.of(order * (order - 1))).high for order, at in ends)
