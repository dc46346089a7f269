"""Noise parameters from a target: the largest parameter of each kind of noise that meets it.

A target is one measure. For each kind of noise, this module finds the largest parameter that still
implies the target; an irrational number is rounded to the safe side, to a short decimal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import assert_never

from semiaudit import deadline
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PureDP
from semiaudit.model.results.design import Target
from semiaudit.numeric.intervals import ONE, TWO, Interval
from semiaudit.privacy.conversion import approx_from_zcdp
from semiaudit.privacy.measures import gdp
from semiaudit.privacy.special.normal import upper_tail
from semiaudit.privacy.special.roots import falling_root

DIGITS = 12
"""Significant digits of a rounded parameter: far more precise than the check of tightness."""

LEAST, LARGEST = 1e-12, 1e6
"""The range of a parameter in the search."""

_DOWN = Context(prec=DIGITS, rounding=ROUND_FLOOR)


class NoDesignError(Exception):
    """No such design exists for a query and a target; the message says why."""


@deadline.cached(deadline.ANSWERS)
def mu_squared_of(target: Target) -> Fraction | None:
    """Return the largest mu^2 whose Gaussian noise meets a target; None if there is none.

    Source: Balle and Wang 2018, Theorem 8 (approx_dp); Bun and Steinke 2016, Proposition 1.6 (rho
    is mu^2 / 2); Gaussian likelihood ratios are unbounded (pure_dp).
    """
    match target:
        case GDP():
            return target.mu_squared
        case ZCDP():
            return 2 * target.rho
        case PureDP():
            return None
        case ApproxDP():
            mu = _largest(
                lambda mu: _log_room(_gaussian_delta(Fraction(mu), target), target.delta),
                lambda mu: _gaussian_delta(mu, target).upper_rational <= target.delta,
            )
            return mu * mu
        case _:
            assert_never(target)


def _gaussian_delta(mu: Fraction, target: ApproxDP) -> Interval:
    return gdp.delta_at(GDP(mu * mu), Interval.of(target.epsilon))


def _log_room(delta: Interval, most: Fraction) -> float:
    """Return by how much a delta can grow, as a logarithm."""
    if not delta.high:
        return math.inf
    return float(Interval.of(most).ln().high - Interval.of(delta.high).ln().high)


@deadline.cached(deadline.ANSWERS)
def laplace_shift_of(target: Target) -> Fraction:
    """Return the largest shift s, in scales, whose Laplace noise meets a target.

    pure_dp: s = epsilon. approx_dp: delta(e) = 1 - exp((e - s) / 2) for e up to s. zcdp: rho of
    Laplace noise is s + exp(-s) - 1. gdp: the tradeoff function of Laplace noise is a line, a
    hyperbola type_i type_ii = exp(-s) / 4, and a line. Type I times type II error of G_mu is
    largest at its fixed point Phi(-mu/2), since the normal tail is log-concave, so it lies below
    the hyperbola exactly if s is at most -2 ln(2 Phi(-mu/2)). On the line, where type I is half or
    more, Phi(-mu - y) / Phi(-y) is largest at y = 0, and at most exp(-s) by log-concavity again.
    The mu that an audit fits to such noise is a little larger.

    Rounding: down, to a short decimal.
    Source: arXiv 2510.25746 for rho of Laplace noise.
    """
    match target:
        case PureDP():
            return target.epsilon
        case ApproxDP():
            gain = TWO * Interval.of(1 - target.delta).ln()
            return _short((Interval.of(target.epsilon) - gain).low)
        case ZCDP():
            return _largest(
                lambda s: float(target.rho - _laplace_rho(Fraction(s)).upper_rational),
                lambda s: _laplace_rho(s).upper_rational <= target.rho,
            )
        case GDP():
            half = gdp.mu_of(target) / TWO
            return _short((-(TWO * (TWO * upper_tail(half)).ln())).low)
        case _:
            assert_never(target)


def _laplace_rho(shift: Fraction) -> Interval:
    return Interval.of(shift) + (-Interval.of(shift)).exp() - ONE


@deadline.cached(deadline.ANSWERS)
def rho_of(target: Target) -> Fraction | None:
    """Return the largest rho that implies a target; None if zCDP alone implies no such number.

    Source: E5 (zCDP implies no GDP); docs/theory/conversions.md, What zCDP says at every delta.
    """
    match target:
        case ZCDP():
            return target.rho
        case PureDP() | GDP():
            return None
        case ApproxDP():
            return _largest(
                lambda rho: float(target.epsilon - _epsilon_of(Fraction(rho), target)),
                lambda rho: _epsilon_of(rho, target) <= target.epsilon,
            )
        case _:
            assert_never(target)


def root_up(square: Fraction) -> Fraction:
    """Return a short decimal that is at least the root of a positive rational, or a short root."""
    number = Decimal(square.numerator) / Decimal(square.denominator)
    places = max(DIGITS - 1 - math.floor(number.adjusted() / 2), 0)
    scaled = square * 100**places
    floor = math.isqrt(scaled.numerator // scaled.denominator)
    root = floor if floor * floor == scaled else floor + 1
    return Fraction(root, 10**places)


def up(value: Fraction) -> Fraction:
    """Return a short decimal that is at least a positive rational; a short number itself."""
    number = Decimal(value.numerator) / Decimal(value.denominator)
    places = max(DIGITS - 1 - number.adjusted(), 0)
    return Fraction(math.ceil(value * 10**places), 10**places)


def down(value: Fraction) -> Fraction:
    """Return a short decimal that is at most a positive rational; a short number itself."""
    number = Decimal(value.numerator) / Decimal(value.denominator)
    places = max(DIGITS - 1 - number.adjusted(), 0)
    return Fraction(math.floor(value * 10**places), 10**places)


def _short(value: Decimal) -> Fraction:
    return Fraction(_DOWN.plus(value))


def _epsilon_of(rho: Fraction, target: ApproxDP) -> Fraction:
    return approx_from_zcdp(ZCDP(rho), target.delta).epsilon


def _largest(room: Callable[[float], float], holds: Callable[[Fraction], bool]) -> Fraction:
    """Return nearly the largest number with a property; it certainly has the property.

    Args:
        room: the margin until the property fails, decreasing, in floats.
        holds: the property itself, for a number and all smaller ones.
    """
    root = falling_root(room, 1.0, LARGEST)
    for power in range(DIGITS, 2, -1):
        intensity = (
            _short(Decimal(root) * (1 - Decimal(10) ** -power)) if root > LEAST else Fraction(0)
        )
        if intensity and holds(intensity):
            return intensity
    raise NoDesignError("the target is too small: no noise is long enough")
