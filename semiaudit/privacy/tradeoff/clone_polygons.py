"""Polygons below the tradeoff function of the pair of clones."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.model.measure import ApproxDP, PiecewiseLinear
from semiaudit.numeric.intervals import ONE, Interval
from semiaudit.privacy.measures.clones import delta_above, gaussian_guess
from semiaudit.privacy.tradeoff.polygon import (
    LARGEST_EPSILON,
    Line,
    envelope,
    tradeoff_from_approx_dp,
)

_SHORT = 2**200
"""Lines are rounded to multiples of one over this, to keep the polygon's rationals short."""

_LEAST_DELTA = Fraction(1, 10**20)
"""Lines extend up to the epsilon of about this delta; beyond, the line of epsilon0 is used."""


@deadline.cached(16)
def tradeoff_of_clones(reports: int, epsilon0: Fraction, lines: int) -> PiecewiseLinear:
    """Return the envelope of f_{epsilon0,0} and of lines of the certified profile (duality).

    Args:
        reports: the number of users, at least 1.
        epsilon0: of the local randomizer, at least 0.
        lines: on either side of the diagonal.

    Rounding: intercepts down, slopes up: every line lies below the tradeoff function.
    """
    if not epsilon0 or epsilon0 > LARGEST_EPSILON:
        return tradeoff_from_approx_dp(ApproxDP(epsilon0, Fraction(0)))
    most = Fraction(min(gaussian_guess(reports, epsilon0, _LEAST_DELTA), float(epsilon0)))
    bounds = [*_lines(epsilon0, Fraction(0))]
    # Any of the lines is a guarantee: those for which there is time are enough.
    with suppress(OutOfTimeError):
        for place in range(lines):
            epsilon = most * place / lines
            if epsilon < epsilon0:
                bounds += _lines(epsilon, delta_above(reports, epsilon0, epsilon))
    return envelope(bounds)


def _lines(epsilon: Fraction, delta: Fraction) -> tuple[Line, Line]:
    """Return the lines 1 - delta - e^epsilon x and e^-epsilon (1 - delta - x)."""
    growth = Interval.of(epsilon).exp() if epsilon else ONE
    unrevealed = 1 - delta
    flat = ONE / growth
    return (
        (_down(unrevealed), _up(growth.upper_rational)),
        (_down((Interval.of(unrevealed) * flat).lower_rational), _up(flat.upper_rational)),
    )


def _up(value: Fraction) -> Fraction:
    return Fraction(-(-value.numerator * _SHORT // value.denominator), _SHORT)


def _down(value: Fraction) -> Fraction:
    return Fraction(value.numerator * _SHORT // value.denominator, _SHORT)
