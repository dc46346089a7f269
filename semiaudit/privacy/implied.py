"""Implications among the certified numbers of one guarantee: more pairs, and a tradeoff function.

Every number of a guarantee is a statement about the tradeoff function T of every ordered pair of
datasets that it covers. T is convex, falls, is at most 1 at 0, and 0 at 1.
docs/theory/conversions.md, *One row, all facts*, has the proof of each implication.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from semiaudit.model.measure import PiecewiseLinear
from semiaudit.numeric.intervals import ONE, Interval
from semiaudit.privacy.tradeoff import function, polygon
from semiaudit.privacy.tradeoff.polygon import Line, envelope

_STEEPEST = Fraction(800)
"""A pair with a larger epsilon says nothing about type II errors that are doubles."""

_LARGEST_EPSILON = Fraction(1000)
"""No line is this steep: for a larger epsilon, the delta of all lines equals the one here."""


class Implied:
    """Certified (epsilon, delta) pairs of one guarantee, and their implications."""

    def __init__(self) -> None:
        self._pairs: dict[Fraction, Fraction] = {}
        self._function: PiecewiseLinear | None = None

    def add_pair(self, epsilon: Fraction | float, delta: Fraction) -> None:
        """Add a certified (epsilon, delta) pair.

        An infinite epsilon or a delta of 1 adds nothing.
        """
        if isinstance(epsilon, Fraction) and delta < self._pairs.get(epsilon, Fraction(1)):
            self._pairs[epsilon] = delta
            self._function = None

    def add_point(self, type_i: Fraction, type_ii: Fraction) -> None:
        """Add a lower bound ``type_ii`` on T at a type I error in (0, 1).

        For g = e^epsilon >= 1, delta is at most max{c, 1 - g type_i / (1 - type_ii)} with
        c = 1 - type_ii / (1 - type_i). Two pairs say the same: that at epsilon 0, and the first
        epsilon with c.

        Rounding: that epsilon is raised.
        """
        if type_ii >= 1 - type_i:
            self.add_pair(Fraction(0), Fraction(0))
            return
        rest = 1 - type_ii / (1 - type_i)
        self.add_pair(Fraction(0), max(rest, 1 - type_i / (1 - type_ii)))
        growth = (1 - rest) * (1 - type_ii) / type_i
        if growth > 1:
            self.add_pair(Interval.of(growth).ln().upper_rational, rest)

    @property
    def function(self) -> PiecewiseLinear:
        """Return the largest convex, symmetric function that is below every T with these pairs."""
        if self._function is None:
            self._function = _function_of(self._pairs.items())
        return self._function

    def epsilon_at(self, delta: Fraction) -> Fraction | float:
        """Return the least implied epsilon at a delta in [0, 1); infinite if none is implied."""
        known = [e for e, d in self._pairs.items() if d <= delta]
        return min([*known, function.epsilon_at(self.function, delta)[1]], default=math.inf)

    def delta_at(self, epsilon: Fraction) -> Fraction:
        """Return the least implied delta at an epsilon of 0 or more; 1 if none is implied."""
        known = [d for e, d in self._pairs.items() if e <= epsilon]
        # At a smaller epsilon delta is no smaller.
        at = min(epsilon, _LARGEST_EPSILON)
        delta = function.delta_at(self.function, at).upper_rational
        return min([*known, max(delta, Fraction(0))])

    def type_ii_at(self, type_i: Fraction) -> Fraction:
        """Return the largest implied lower bound on the type II error at a type I error."""
        return polygon.type_ii_at(self.function, type_i)

    @property
    def advantage(self) -> Fraction:
        """Return the least implied upper bound on the total variation distance."""
        return min(self._pairs.get(Fraction(0), Fraction(1)), polygon.advantage(self.function))


def _function_of(pairs: Iterable[tuple[Fraction, Fraction]]) -> PiecewiseLinear:
    """The largest convex and symmetric function below which no T with these pairs lies."""
    lines: list[Line] = []
    for epsilon, delta in pairs:
        if epsilon <= _STEEPEST:
            growth = Interval.of(epsilon).exp() if epsilon else ONE
            flat = ONE / growth
            lines.append((1 - delta, growth.upper_rational))
            low = (Interval.of(1 - delta) * flat).lower_rational if epsilon else 1 - delta
            lines.append((low, flat.upper_rational))
    return envelope(lines) if lines else polygon.NOTHING
