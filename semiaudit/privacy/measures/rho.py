"""The least rho of pairs of distributions whose log likelihood ratio is bounded.

For these pairs D_a / a is largest in the limit of order 1, for every order a > 1: rho is the
Kullback-Leibler divergence. docs/theory/conversions.md, *The rho of a symmetric pair*, has the
proofs.

Rounding: every rho is rounded up, to 60 digits; none exceeds the epsilon^2/2 of Bun and Steinke.
"""

from __future__ import annotations

from fractions import Fraction

from semiaudit.numeric.intervals import HALF, ONE, TWO, Interval

_LARGEST = Fraction(10**6)
"""Beyond it epsilon stands for rho, or exp(-epsilon) is raised to that of this exponent."""
_LEAST = Fraction(1, 10**20)
"""Below it epsilon^2/2 is rho to 20 digits, and stands for it."""
_FIRST_CELL = Fraction(1, 8)
"""Up to here sinh(v) / v is within 0.3 % of 1, and one cell is enough."""
_CELL = 1 + Fraction(1, 64)
"""Each further cell ends at this multiple of its start: rho is that much too large at most."""
_SHORT = 10**6
"""The largest denominator of a cell's end, which keeps its rationals short."""


def rho_of_pure_dp(epsilon: Fraction, distance: int = 1) -> Fraction:
    """The rho of f_{epsilon,0} composed so often: epsilon (k - 2 r (1 - r^k) / (1 - r^2)).

    With r = e^-epsilon and k steps; for one step it is epsilon tanh(epsilon / 2). The function is
    that of the discrete Laplace with scale 1/epsilon moved by k.

    Args:
        epsilon: at distance 1, at least 0.
        distance: the number of steps k, 1 or more.

    Source: docs/theory/conversions.md; Dong, Roth and Su 2022, Theorem 2.14, for f composed k
        times.
    """
    return rho_of_discrete_laplace(distance, epsilon)


def rho_of_discrete_laplace(move: int, inverse_scale: Fraction) -> Fraction:
    """(k - 2 r (1 - r^k) / (1 - r^2)) / b for mass proportional to e^(-|x| / b), moved by k.

    Args:
        move: k, a whole number, at least 0.
        inverse_scale: 1 / b, at least 0; r = e^(-1 / b).

    Source: docs/theory/conversions.md.
    """
    epsilon = move * inverse_scale
    most = min(epsilon * epsilon / 2, epsilon)
    if not move or not _LEAST <= inverse_scale <= _LARGEST:
        return most
    share, power = (_exp_of_minus(value) for value in (inverse_scale, epsilon))
    lost = TWO * share * (ONE - power) / (ONE - share * share)
    return _at_most(most, (Interval.of(move) - lost) * Interval.of(inverse_scale))


def rho_of_laplace(shift: Fraction) -> Fraction:
    """s + e^-s - 1 for Laplace noise moved by s times its scale, s at least 0.

    Source: arXiv 2510.25746; proven anew in docs/theory/conversions.md.
    """
    most = min(shift * shift / 2, shift)
    if shift < _LEAST:
        return most
    return _at_most(most, Interval.of(shift) - (ONE - _exp_of_minus(shift)))


def rho_of_randomized_response(epsilon: Fraction, levels: int) -> Fraction:
    """epsilon (e^epsilon - 1) / (e^epsilon + k - 1) where k <= 2 + 4 e^(epsilon/2), else more.

    For more levels the order 1 is not the worst one; rho is then bounded by epsilon^2/2 times the
    largest sinh(v) / (v (cosh(v) + c)) over v >= epsilon/2, c = (k - 2) / (2 e^(epsilon/2)), and
    by that of two levels.

    Args:
        epsilon: the log odds of the true value to each other one, at least 0.
        levels: k, 2 or more.

    Source: docs/theory/conversions.md.
    """
    pure = rho_of_pure_dp(epsilon)
    if levels == 2 or epsilon < _LEAST or epsilon > _LARGEST:
        return pure
    root = Interval.of(epsilon / 2).exp()
    if levels - 2 <= 4 * root.low:
        growth = root * root
        share = (growth - ONE) / (growth + Interval.of(levels - 1))
        return _at_most(pure, Interval.of(epsilon) * share)
    excess = Interval.of(levels - 2) / (TWO * root)
    return min(pure, epsilon * epsilon / 2 * _steepest(epsilon / 2, excess))


def _steepest(start: Fraction, excess: Interval) -> Fraction:
    """The largest sinh(v) / (v (cosh(v) + c)) over v from a start, from above.

    Up to the first cell's end w it is at most (sinh(w) / w) / (1 + c), since sinh(v)/v rises.
    sinh(v) / (cosh(v) + c) rises from 0 to 1, so that over a cell the end of the cell and its
    start decide, and beyond v it is at most 1 / v.
    """
    best, place = Fraction(0), start
    if start < _FIRST_CELL:
        rise, _ = _hyperbolic(_FIRST_CELL)
        best = (rise / (ONE + excess)).upper_rational / _FIRST_CELL
        place = _FIRST_CELL
    # Once 1 / place is at most the best, no v beyond this place exceeds it.
    while best * place < 1:
        following = (place * _CELL).limit_denominator(_SHORT)
        rise, width = _hyperbolic(following)
        best = max(best, (rise / (width + excess)).upper_rational / place)
        place = following
    return best


def _hyperbolic(value: Fraction) -> tuple[Interval, Interval]:
    """(sinh, cosh), enclosed."""
    up, down = Interval.of(value).exp(), (-Interval.of(value)).exp()
    return (up - down) * HALF, (up + down) * HALF


def _exp_of_minus(value: Fraction) -> Interval:
    """e^-value, enclosed or, for a large value, from above."""
    return (-Interval.of(min(value, _LARGEST))).exp()


def _at_most(most: Fraction, value: Interval) -> Fraction:
    return min(most, value.upper_rational)
