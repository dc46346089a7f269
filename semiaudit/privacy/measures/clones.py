"""Certified bounds on delta, epsilon and the type II error of the pair of clones.

The pair bounds the privacy loss of shuffled reports; ``privacy.shuffling`` defines it. Its most
powerful tests reject beyond a share of the first count, and all their error rates are sums of
binomial probabilities, computed in fixed-point integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from semiaudit import deadline
from semiaudit.numeric.intervals import ONE, Interval
from semiaudit.privacy.special.binomial import CHECKED, Fixed, Window, window
from semiaudit.privacy.special.roots import falling_root

_GUARD = 80
"""The omitted part of a sum is below 2^-_GUARD of the requested delta."""

_TAIL_BITS = 8
"""Tails are cut this many bits further out, because one delta omits several of them."""

_WORKING_BITS = 128
"""Bits of the fixed-point numbers beyond the guard, for the rounding of long recurrences."""

_FIRST_STEP, _LEAST_STEP = 2.0**-44, 2.0**-1000
"""The first relative move of a root in floats before it is certified, and the least move."""

_STRIDE = 4
"""The factor by which each further move is longer, if a move is not enough."""

_NO_LOGARITHM = -1e6
"""Replaces the logarithm of 0."""

_APART, _FURTHER = Fraction(1, 10**12), 100
"""The distance of the two tests around a type I error, as a part of epsilon, and a larger
factor."""

Rates = tuple[Interval, Interval]
"""(false positive rate, false negative rate) of a test."""


def delta_ends(reports: int, epsilon0: Fraction, epsilon: Fraction, guard: int = 200) -> Interval:
    """Return an enclosure of delta at an epsilon of 0 or more.

    Tails below about 2^-guard are omitted.

    Rounding: e^epsilon0 is replaced by the rationals around it, the larger one for the upper bound,
    because the pair of a larger epsilon0 dominates. For e^epsilon, the upper bound uses the smaller
    one.
    """
    if epsilon >= epsilon0:
        return Interval.of(0)
    return Interval.hull(
        Interval.of(_below(reports, epsilon0, epsilon, guard)),
        Interval.of(_above(reports, epsilon0, epsilon, guard)),
    )


@lru_cache(maxsize=256)
def epsilon_ends(reports: int, epsilon0: Fraction, delta: Fraction) -> tuple[Fraction, Fraction]:
    """Return bounds on the smallest epsilon at a delta in (0, 1), for epsilon0 above 0."""
    guard = _guard_of(delta)

    def excess(epsilon: float) -> float:
        return _logarithm(_above(reports, epsilon0, Fraction(epsilon), guard), delta)

    if _above(reports, epsilon0, Fraction(0), guard) <= delta:
        return Fraction(0), Fraction(0)
    root = falling_root(excess, gaussian_guess(reports, epsilon0, delta), float(epsilon0))
    step = Fraction(max(root * _FIRST_STEP, _LEAST_STEP))
    above, below = Fraction(root), Fraction(root)
    # The search ends where delta is certified not to be exceeded, or at epsilon0, where delta is 0.
    while above < epsilon0 and _above(reports, epsilon0, above, guard) > delta:
        above, step = above + step, _STRIDE * step
    # The search ends where delta is certified to be exceeded, or at 0, the least epsilon.
    while below > 0 and _below(reports, epsilon0, below, guard) <= delta:
        below, step = max(below - step, Fraction(0)), _STRIDE * step
    return below, min(above, epsilon0)


@lru_cache(maxsize=256)
def type_ii_ends(reports: int, epsilon0: Fraction, type_i: Fraction) -> tuple[Fraction, Fraction]:
    """Return (lower, upper) bounds on the least type II error at a type I error in (0, 1).

    epsilon0 is above 0. The lower bound is the line of one epsilon (duality); the upper bound is
    two tests, randomized between them. The tradeoff function is its own inverse: beyond its fixed
    point, it is mirrored.
    """
    guard, x = _guard_of(type_i), Interval.of(type_i)
    even = _test(reports, epsilon0, Fraction(0), guard)
    mirrored = x.low > even[0].high
    if x.low >= even[0].high and x.high <= even[1].low:
        # Tests reject at a likelihood ratio of 1 with some probability: a line of slope 1.
        lower = Interval.of(1 - type_i) - delta_ends(reports, epsilon0, Fraction(0), guard)
        return _share(lower)

    def excess(epsilon: float) -> float:
        rates = _test(reports, epsilon0, Fraction(epsilon), guard)
        logarithm = _logarithm(rates[mirrored].upper_rational, type_i)
        return -logarithm if mirrored else logarithm

    guess = gaussian_guess(reports, epsilon0, type_i)
    begin, end = _jump(excess, falling_root(excess, guess, float(epsilon0)), epsilon0)
    epsilon = (begin + end) / 2
    growth = _exp(epsilon)
    upper = ONE - delta_ends(reports, epsilon0, epsilon, guard)
    line = (upper - x) / growth if mirrored else upper - growth * x
    around = [_test(reports, epsilon0, place, guard) for place in (begin, end)]
    points = sorted((rates[::-1] if mirrored else rates for rates in around), key=_place)
    (lower, above), (right, below) = points
    if lower.high > x.low or x.high > right.low:
        # Any two tests whose error rates are on either side of the requested one give a bound.
        (lower, above), (right, below) = _NEVER, _NEVER[::-1]
    chord = above - (above - below) * ((x - lower) / (right - lower))
    return _share(Interval(line.low, max(chord.high, line.low)))


def _jump(
    excess: Callable[[float], float], root: float, most: Fraction
) -> tuple[Fraction, Fraction]:
    """Return two close places, up to the most, between which the excess becomes nonzero.

    If the excess jumps, a search for its root ends only near the jump; then the interval between
    the two places is bisected.
    """
    centre, move = min(Fraction(root), most), _APART
    begin = end = centre
    while move <= 1 and (begin == end or excess(float(begin)) <= 0 or excess(float(end)) > 0):
        begin, end = centre * (1 - move), min(centre * (1 + move), most)
        move *= _FURTHER
    if excess(float(end)) > 0:
        # The most informative outcome has the ratio e^epsilon0: the jump is at the end.
        begin, end = min(end, most * (1 - _APART)), most
    while end - begin > 4 * _APART * end:
        middle = (begin + end) / 2
        begin, end = (middle, end) if excess(float(middle)) > 0 else (begin, middle)
    return begin, end


_NEVER: Rates = (Interval.of(0), Interval.of(1))


def _test(reports: int, epsilon0: Fraction, epsilon: Fraction, guard: int) -> Rates:
    """Return the error rates of the test that rejects if the pair's ratio exceeds e^epsilon."""
    if epsilon >= epsilon0:
        return _NEVER
    enclosed, bits = Interval.of(epsilon0).exp(), guard + _WORKING_BITS
    local, growth = enclosed.upper_rational, _exp(epsilon).lower_rational
    if growth >= local:
        return _NEVER
    clones = _clones(reports, local, bits, guard + _TAIL_BITS)
    sums = _sums(clones, _threshold(local, growth), bits, guard + _TAIL_BITS)
    unit, outside = Fraction(1, 1 << (2 * bits)), Fraction(clones.outside, 1 << bits)
    tail, atom = (
        Interval.hull(Interval.of(low * unit), Interval.of(high * unit)) for low, high in sums
    )
    outer = Interval.hull(Interval.of(0), Interval.of(outside))
    keep = Interval.of(local / (local + 1))
    return (
        (tail + (ONE - keep) * atom + outer).clip(0, 1),
        (ONE - tail - keep * atom - outer).clip(0, 1),
    )


def _place(rates: Rates) -> Fraction:
    return rates[0].lower_rational


def _share(interval: Interval) -> tuple[Fraction, Fraction]:
    clipped = interval.clip(0, 1)
    return clipped.lower_rational, clipped.upper_rational


def _guard_of(least: Fraction) -> int:
    return _GUARD + least.denominator.bit_length() - least.numerator.bit_length() + 1


@lru_cache(maxsize=16)
def _clones(reports: int, local: Fraction, bits: int, cut: int) -> Window:
    return window(reports - 1, 2 / (local - 1), bits, cut)


def _above(reports: int, epsilon0: Fraction, epsilon: Fraction, guard: int) -> Fraction:
    local, growth = Interval.of(epsilon0).exp().high, _exp(epsilon).low
    return _delta(reports, Fraction(local), Fraction(growth), guard + _WORKING_BITS, guard)[1]


def _below(reports: int, epsilon0: Fraction, epsilon: Fraction, guard: int) -> Fraction:
    local, growth = Interval.of(epsilon0).exp().low, _exp(epsilon).high
    return _delta(reports, Fraction(local), Fraction(growth), guard + _WORKING_BITS, guard)[0]


def _exp(epsilon: Fraction) -> Interval:
    return Interval.of(epsilon).exp() if epsilon else Interval.of(1)


def _delta(
    reports: int, local: Fraction, growth: Fraction, bits: int, guard: int
) -> tuple[Fraction, Fraction]:
    """Return lower and upper bounds on delta, for rational e^epsilon0 and e^epsilon."""
    if growth >= local:
        return Fraction(0), Fraction(0)
    clones = _clones(reports, local, bits, guard + _TAIL_BITS)
    tails, atoms = _sums(clones, _threshold(local, growth), bits, guard + _TAIL_BITS)
    gain, loss = (local - growth) / (local + 1), growth - 1
    unit = Fraction(1, 1 << (2 * bits))
    below = (gain * atoms[0] - loss * tails[1]) * unit
    above = (gain * atoms[1] - loss * tails[0]) * unit + Fraction(clones.outside, 1 << bits)
    return max(below, Fraction(0)), min(above, Fraction(1))


def _threshold(local: Fraction, growth: Fraction) -> Fraction:
    """Return the share of first counts above which the likelihood ratio exceeds e^epsilon."""
    return (local * growth - 1) / ((local - 1) * (growth + 1))


def _sums(clones: Window, threshold: Fraction, bits: int, cut: int) -> tuple[Fixed, Fixed]:
    """Sum P(C = c) P(Bin(c, 1/2) >= k) and P(C = c) P(Bin(c, 1/2) = k - 1) over c.

    k is the first count above (c + 1) threshold. If c grows by 1, k grows by 0 or 1, and both
    probabilities follow by Pascal's rule. Units: 2^-(2 bits).
    """
    n, d = threshold.numerator, threshold.denominator
    c = clones.first
    k = (c + 1) * n // d + 1
    excess = (c + 1) * n - k * d
    tail, atom = _start(c, k, bits, cut)
    tails, atoms = (0, 0), (0, 0)
    for place, mass in enumerate(clones.masses):
        if not place % CHECKED:
            deadline.check()
        tails = tails[0] + mass[0] * tail[0], tails[1] + mass[1] * tail[1]
        atoms = atoms[0] + mass[0] * atom[0], atoms[1] + mass[1] * atom[1]
        c += 1
        tail = tail[0] + atom[0] // 2, tail[1] + (atom[1] + 1) // 2
        up, down = c, 2 * (c + 1 - k)
        atom = atom[0] * up // down, -(-atom[1] * up // down)
        excess += n
        if excess >= 0:
            up = c + 1 - k
            atom = atom[0] * up // k, -(-atom[1] * up // k)
            tail = max(tail[0] - atom[1], 0), max(tail[1] - atom[0], 0)
            k, excess = k + 1, excess - d
    return tails, atoms


@lru_cache(maxsize=16)
def _row(c: int, bits: int, cut: int) -> Window:
    return window(c, Fraction(1), bits, cut)


def _start(c: int, k: int, bits: int, cut: int) -> tuple[Fixed, Fixed]:
    """Return P(Bin(c, 1/2) >= k) and P(Bin(c, 1/2) = k - 1)."""
    row = _row(c, bits, cut)
    place = k - row.first
    tail = row.masses[max(place, 0) :]
    above = (sum(low for low, _ in tail), sum(high for _, high in tail) + row.outside)
    inside = 0 <= place - 1 < len(row.masses)
    return above, row.masses[place - 1] if inside else (0, row.outside)


def _logarithm(delta: Fraction, target: Fraction) -> float:
    """Return ln(delta / target) in floats, for a root search."""
    if delta <= 0:
        return _NO_LOGARITHM
    return float(Interval.of(delta / target).ln().low)


def delta_above(reports: int, epsilon0: Fraction, epsilon: Fraction) -> Fraction:
    """Return an upper bound on delta at an epsilon, within about 2^-80."""
    return _above(reports, epsilon0, epsilon, _GUARD)


def size_of_clones(reports: int, epsilon0: Fraction) -> Fraction:
    """Estimate mu^2 of the Gaussian pair that the clones converge to."""
    local = math.exp(min(float(epsilon0), 100.0))
    return Fraction(max((local - 1) ** 2 * 2 / (local + 1) / reports, 1e-300))


def gaussian_guess(reports: int, epsilon0: Fraction, delta: Fraction) -> float:
    """Estimate epsilon in floats, by the Gaussian pair that the clones converge to.

    No bound depends on the estimate; its three limits keep exponentials and logarithms within
    doubles.
    """
    local = math.exp(min(float(epsilon0), 100.0))
    mu = (local - 1) * math.sqrt(2 / (local + 1) / reports)
    rest = math.log(max(mu, 1e-3)) - math.log(delta.numerator) + math.log(delta.denominator)
    return mu * math.sqrt(2 * max(rest, 0.1)) + mu * mu / 2
