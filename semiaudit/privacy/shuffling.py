"""Reports of one local randomizer, shuffled: certified bounds from the pair of clones.

n users run the same epsilon0-DP randomizer on a value each, and only the multiset of their
outputs is seen. Two datasets that differ in one user are told apart no better than the pair

    (A + D, C - A + 1 - D)   against   (A + 1 - D, C - A + D),

with C ~ Bin(n - 1, 2/(e^epsilon0 + 1)), A ~ Bin(C, 1/2), D ~ Bern(e^epsilon0/(e^epsilon0 + 1)).
docs/calculus.md proves it for every such randomizer.
Source: Feldman, McMillan and Talwar 2023 (Su's review, section 4.3); Balle, Bell, Gascon and
Nissim 2019, for the reduction to a blanket.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from semiaudit import deadline
from semiaudit.model.bound import Bound, lower, upper
from semiaudit.model.loss import FiniteLoss
from semiaudit.model.measure import ApproxDP, PiecewiseLinear
from semiaudit.numeric import Interval
from semiaudit.privacy.special.binomial import CHECKED, Fixed, Window, window
from semiaudit.privacy.special.roots import falling_root
from semiaudit.privacy.tradeoff.polygon import (
    LARGEST_EPSILON,
    pointwise_max,
    tradeoff_from_approx_dp,
)

METHOD = "clone_pair"
SOURCE = "Feldman, McMillan and Talwar 2023; docs/calculus.md, the shuffle bound"
MOST_REPORTS = 10**8
"""Sums run over some multiple of the square root of the number of reports."""

MOST_REPORTS_OF_A_PAIR = 60
"""The listed pair has about half the square of this many outcomes, in long rationals."""

_GUARD = 80
"""What is left out of a sum is below 2^-_GUARD of the delta that is asked for."""

_TAIL_BITS = 8
"""Tails are cut so many bits further out, since several of them are left out of one delta."""

_WORKING_BITS = 128
"""Bits of the fixed-point numbers beyond the guard, for the rounding of long recurrences."""

_FIRST_STEP, _LEAST_STEP = 2.0**-44, 2.0**-1000
"""How far a root in floats is moved before it is certified: relatively, and at least."""

_STRIDE = 4
"""So much further it is moved each time that this does not do."""

_NO_LOGARITHM = -1e6
"""Stands for the logarithm of 0."""

_SHORT = 2**200
"""Deltas are rounded up to multiples of one over this, to keep the polygon's rationals short."""


def delta_of_shuffling(
    reports: int, epsilon0: Fraction, epsilon: Fraction, guard: int = 200
) -> Interval:
    """The pair's delta at an epsilon, enclosed.

    Args:
        reports: how many users, at least 1.
        epsilon0: of the local randomizer, at least 0.
        epsilon: at least 0.
        guard: tails below about 2^-guard are left out, and added to the upper end.

    Returns:
        The upper end is a guarantee for every epsilon0-DP randomizer. The lower end is of the
        pair, not of one's own randomizer, which may do better.

    Rounding: e^epsilon0 is replaced by rationals next to it, the larger one for the upper end:
    the pair of a larger epsilon0 dominates. e^epsilon likewise, the smaller one.
    """
    _check(reports, epsilon0)
    if epsilon < 0:
        raise ValueError("epsilon is at least 0")
    if epsilon0 > LARGEST_EPSILON:
        raise ValueError(f"epsilon0 is at most {LARGEST_EPSILON}")
    if epsilon >= epsilon0:
        return Interval.of(0)
    return Interval.hull(
        Interval.of(_below(reports, epsilon0, epsilon, guard)),
        Interval.of(_above(reports, epsilon0, epsilon, guard)),
    )


@lru_cache(maxsize=256)
def epsilon_of_shuffling(reports: int, epsilon0: Fraction, delta: Fraction) -> tuple[Bound, Bound]:
    """The smallest epsilon of the pair at a delta: (lower, upper), each on its safe side.

    Args:
        reports: how many users, at least 1.
        epsilon0: of the local randomizer, at least 0.
        delta: in [0, 1). At 0 nothing is gained by shuffling: epsilon0 itself.

    Returns:
        The upper bound holds for every epsilon0-DP randomizer; the lower bound says how much of
        it belongs to the pair.

    Raises:
        ValueError: an argument outside of its range, or more than ``MOST_REPORTS`` reports.
    """
    _check(reports, epsilon0)
    if not 0 <= delta < 1:
        raise ValueError("delta lies in [0, 1)")
    if not delta or not epsilon0 or epsilon0 > LARGEST_EPSILON:
        below = Fraction(0) if epsilon0 > LARGEST_EPSILON else epsilon0
        return lower(below, METHOD, SOURCE), upper(epsilon0, METHOD, SOURCE)
    guard = _GUARD + delta.denominator.bit_length() - delta.numerator.bit_length() + 1

    def excess(epsilon: float) -> float:
        return _logarithm(_above(reports, epsilon0, Fraction(epsilon), guard), delta)

    if _above(reports, epsilon0, Fraction(0), guard) <= delta:
        return lower(Fraction(0), METHOD, SOURCE), upper(Fraction(0), METHOD, SOURCE)
    root = falling_root(excess, _guess(reports, epsilon0, delta), float(epsilon0))
    step = Fraction(max(root * _FIRST_STEP, _LEAST_STEP))
    above, below = Fraction(root), Fraction(root)
    # It ends where delta is certified not to be exceeded, or at epsilon0, where it is 0.
    while above < epsilon0 and _above(reports, epsilon0, above, guard) > delta:
        above, step = above + step, _STRIDE * step
    # It ends where delta is certified to be exceeded still, or at 0, which no epsilon lies below.
    while below > 0 and _below(reports, epsilon0, below, guard) <= delta:
        below, step = max(below - step, Fraction(0)), _STRIDE * step
    return lower(below, METHOD, SOURCE), upper(min(above, epsilon0), METHOD, SOURCE)


def clone_pair(reports: int, epsilon0: Fraction) -> FiniteLoss:
    """The pair itself, as two finite distributions with rational probabilities.

    e^epsilon0 is raised to the next rational, whose pair dominates the true one. The outcomes are
    the counts (a, b) with 1 <= a + b <= reports, so the pair is for few reports.

    Raises:
        ValueError: more than ``MOST_REPORTS_OF_A_PAIR`` reports.
    """
    _check(reports, epsilon0)
    if reports > MOST_REPORTS_OF_A_PAIR:
        raise ValueError(f"a pair is listed for {MOST_REPORTS_OF_A_PAIR} reports or fewer")
    local = Fraction(Interval.of(epsilon0).exp().high) if epsilon0 else Fraction(1)
    rate, keep = 2 / (local + 1), local / (local + 1)
    first, second = [], []
    for total in range(1, reports + 1):
        c = total - 1
        mass = math.comb(reports - 1, c) * rate**c * (1 - rate) ** (reports - 1 - c) / 2**c
        for a in range(total + 1):
            with_it = mass * math.comb(c, a - 1) if a else Fraction(0)
            without = mass * math.comb(c, a)
            first.append(keep * with_it + (1 - keep) * without)
            second.append((1 - keep) * with_it + keep * without)
    return FiniteLoss(tuple(first), tuple(second))


def _check(reports: int, epsilon0: Fraction) -> None:
    if not 1 <= reports <= MOST_REPORTS:
        raise ValueError(f"reports is between 1 and {MOST_REPORTS}")
    if epsilon0 < 0:
        raise ValueError("epsilon0 is at least 0")


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
    """delta from below and from above, for rational e^epsilon0 and e^epsilon."""
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
    """The share of first counts above which the first distribution is e^epsilon as likely."""
    return (local * growth - 1) / ((local - 1) * (growth + 1))


def _sums(clones: Window, threshold: Fraction, bits: int, cut: int) -> tuple[Fixed, Fixed]:
    """Over c: the sums of P(C = c) P(Bin(c, 1/2) >= k) and P(C = c) P(Bin(c, 1/2) = k - 1).

    k is the first count above (c + 1) threshold. With c it grows by 0 or 1, and both
    probabilities follow by Pascal's rule. In units of 2^-(2 bits).
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
    """P(Bin(c, 1/2) >= k) and P(Bin(c, 1/2) = k - 1)."""
    row = _row(c, bits, cut)
    place = k - row.first
    tail = row.masses[max(place, 0) :]
    above = (sum(low for low, _ in tail), sum(high for _, high in tail) + row.outside)
    inside = 0 <= place - 1 < len(row.masses)
    return above, row.masses[place - 1] if inside else (0, row.outside)


def _logarithm(delta: Fraction, target: Fraction) -> float:
    """ln(delta / target) in floats, to find a root with."""
    if delta <= 0:
        return _NO_LOGARITHM
    return float(Interval.of(delta / target).ln().low)


def _guess(reports: int, epsilon0: Fraction, delta: Fraction) -> float:
    """An estimate, in floats, of epsilon by the Gaussian pair that the clones tend to.

    No bound rests on it; its three limits keep exponentials and logarithms within doubles.
    """
    local = math.exp(min(float(epsilon0), 100.0))
    mu = (local - 1) * math.sqrt(2 / (local + 1) / reports)
    rest = math.log(max(mu, 1e-3)) - math.log(delta.numerator) + math.log(delta.denominator)
    return mu * math.sqrt(2 * max(rest, 0.1)) + mu * mu / 2


@lru_cache(maxsize=16)
def tradeoff_of_shuffling(reports: int, epsilon0: Fraction, lines: int = 24) -> PiecewiseLinear:
    """A polygon below the pair's tradeoff function: what shuffled reports can be composed with.

    Args:
        reports: how many users, at least 1.
        epsilon0: of the local randomizer, at least 0.
        lines: supporting lines on either side of the diagonal.

    Returns:
        The largest of f_{epsilon,delta} over certified points of the profile (duality, Su's
        review, 2.4): a guarantee, below the pair's own function between the points.
    """
    _check(reports, epsilon0)
    best = tradeoff_from_approx_dp(ApproxDP(epsilon0, Fraction(0)))
    if not epsilon0 or epsilon0 > LARGEST_EPSILON:
        return best
    # Up to the epsilon of a delta of about 1e-15; beyond, f_{epsilon0,0} is the polygon.
    least = min(_guess(reports, epsilon0, Fraction(1, 10**15)), float(epsilon0))
    for place in range(lines):
        epsilon = Fraction(least * place / lines)
        delta = _short(_above(reports, epsilon0, epsilon, _GUARD))
        # Every certified point of the profile is a guarantee, and so is the largest of several.
        if delta < 1:
            best = pointwise_max(best, tradeoff_from_approx_dp(ApproxDP(epsilon, delta)))
    return best


def _short(delta: Fraction) -> Fraction:
    """The next multiple of 2^-200, upwards."""
    return Fraction(-(-delta.numerator * _SHORT // delta.denominator), _SHORT)
