"""Two laws of an output, outcome by outcome, and what an observer learns from them.

A pair holds the probability of each outcome under P and under Q. Continuous noise is cut into
bins, and outcomes with nearly equal likelihood ratios are added up. Both only forget a part of the
output, so every number of such a pair is at most the number of the true one: what a program
certifies may not be below it. The numbers themselves are sums over the outcomes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr, ndtri, ndtri_exp

Floats = NDArray[np.float64]
MOST_OUTCOMES, BINS, BINS_OF_A_UNIT, KEPT = 2_000, 200, 48, 500
EQUAL = 1e-9
"""Losses that are closer are of one outcome."""
SUMS = 1e-13
"""How far sums of masses may be off."""

LEAST, LEAST_ERROR = 1e-300, 1e-280
"""Of a mass that is not 0, and of the errors of a test that is looked at."""

ORDERS = (1.0, 1.01, 1.1, 1.3, 1.7, 2.0, 3.0, 5.0, 10.0, 40.0)


@dataclass(frozen=True)
class Pair:
    """The probabilities of all outcomes under P, and under Q."""

    p: Floats
    q: Floats


NOTHING = Pair(np.ones(1), np.ones(1))


def losses(pair: Pair) -> Floats:
    """ln(P/Q) of each outcome."""
    with np.errstate(divide="ignore"):
        found: Floats = np.log(pair.p) - np.log(pair.q)
    return found


def pair_of(p: Sequence[float] | Floats, q: Sequence[float] | Floats) -> Pair:
    """A pair without outcomes that never occur; those of equal losses are one."""
    one, other = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    possible = (one > 0) | (other > 0)
    pair = _merged(Pair(one[possible], other[possible]), EQUAL)
    if len(pair.p) <= MOST_OUTCOMES:
        return pair
    finite = losses(pair)[(pair.p > 0) & (pair.q > 0)]
    return _merged(pair, float(np.ptp(finite)) / MOST_OUTCOMES)


def _merged(pair: Pair, width: float) -> Pair:
    grid = np.clip(np.round(losses(pair) / width), -(2.0**52), 2.0**52)
    _, place = np.unique(grid, return_inverse=True)
    p, q = (np.bincount(place, mass).astype(np.float64) for mass in (pair.p, pair.q))
    return Pair(p, q)


def product(one: Pair, other: Pair) -> Pair:
    """Two independent outputs."""
    if len(one.p) == 1:
        return other
    if len(other.p) == 1:
        return one
    return pair_of(_times(one.p, other.p), _times(one.q, other.q))


def _times(one: Floats, other: Floats) -> Floats:
    """All products; what is possible stays possible where doubles end."""
    found = np.outer(one, other).ravel()
    return np.where(np.outer(one > 0, other > 0).ravel(), np.maximum(found, LEAST), 0.0)


# --- what an observer learns ----------------------------------------------------------


def pure(pair: Pair) -> float:
    """The largest ln(P/Q)."""
    return float(losses(pair)[pair.p > 0].max())


def epsilon(pair: Pair, delta: float) -> float:
    """The least epsilon from 0 at which P(S) <= e^epsilon Q(S) + delta for all S."""
    order = np.argsort(-losses(pair))
    loss = losses(pair)[order]
    p, q = np.cumsum(pair.p[order]), np.cumsum(pair.q[order])
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.log(p - delta) - np.log(q)
    possible = (p > delta + SUMS) & (loss > -math.inf)
    return max(0.0, float(np.nanmax(needed[possible], initial=0.0)))


def rates(pair: Pair) -> tuple[Floats, Floats]:
    """False and true positive rates of all likelihood ratio tests of Q against P."""
    order = np.argsort(-losses(pair))
    steps = (np.concatenate(([0.0], np.cumsum(mass[order]))) for mass in (pair.q, pair.p))
    false, true = (np.minimum(found, 1.0) for found in steps)
    return false, true


def true_positive_rate(pair: Pair, false_positive_rate: float) -> float:
    """That of the best test."""
    false, true = rates(pair)
    last = np.append(np.flatnonzero(np.diff(false) > 0), len(false) - 1)
    return float(np.interp(false_positive_rate, false[last], true[last]))


def advantage(pair: Pair) -> float:
    """The total variation distance."""
    return float(np.abs(pair.p - pair.q).sum() / 2)


def mu(pair: Pair) -> float:
    """The least mu with G_mu at most the tradeoff function at its corners."""
    order = np.argsort(-losses(pair))
    p, q = pair.p[order], pair.q[order]
    false, hit = np.cumsum(q)[:-1], np.cumsum(p)[:-1]
    right, missed = np.cumsum(q[::-1])[-2::-1], np.cumsum(p[::-1])[-2::-1]
    quantiles = _quantile(false, right) + _quantile(missed, hit)
    looked_at = np.minimum(false, missed) > LEAST_ERROR
    return max(0.0, float(-np.min(quantiles[looked_at], initial=0.0)))


def _quantile(chance: Floats, rest: Floats) -> Floats:
    """Phi^-1 of a chance, from the smaller one of it and 1 less it."""
    with np.errstate(divide="ignore"):
        small = ndtri_exp(np.log(np.minimum(np.minimum(chance, rest), 0.5)))
    found: Floats = np.where(chance < rest, small, -small)
    return found


def renyi(pair: Pair) -> Floats:
    """The divergence of every order, over the order."""
    p, q, loss = pair.p, pair.q, losses(pair)
    if np.any((p > 0) & (q == 0)):
        return np.full(len(ORDERS), math.inf)
    p, loss = p[p > 0], loss[p > 0]
    return np.array([_divergence(p, loss, order) / order for order in ORDERS])


def _divergence(p: Floats, loss: Floats, order: float) -> float:
    if order == 1:
        return float(p @ loss)
    exponents = np.log(p) + (order - 1) * loss
    top = float(exponents.max())
    return (top + math.log(float(np.exp(exponents - top).sum()))) / (order - 1)


# --- pairs ----------------------------------------------------------------------------


@lru_cache(maxsize=KEPT)
def gaussian(distance: float) -> Pair:
    """Normal laws of variance 1."""
    if distance == 0:
        return NOTHING
    edges = np.linspace(-9.0, distance + 9.0, BINS + 1)
    return pair_of(_between(edges - distance), _between(edges))


def _between(edges: Floats) -> Floats:
    """The mass of the bins, without the cancellation above 0, and of what lies outside."""
    below, above = ndtr(edges), ndtr(-edges)
    inside = np.where(edges[:-1] > 0, above[:-1] - above[1:], below[1:] - below[:-1])
    return np.concatenate((below[:1], inside, above[-1:]))


@lru_cache(maxsize=KEPT)
def laplace(shift: int, scale: float) -> Pair:
    """Laplace's laws at 0 and at a shift: both tails, and equal bins between the centers.

    A bin's likelihood ratio is that of its middle, so losses of all shifts lie on one lattice.
    """
    if shift == 0:
        return NOTHING
    x = np.arange(shift * BINS_OF_A_UNIT + 1) / (BINS_OF_A_UNIT * scale)
    q = np.concatenate(([0.5], -np.diff(np.exp(-x)) / 2, [math.exp(-shift / scale) / 2]))
    return pair_of(q[::-1], q)


@lru_cache(maxsize=KEPT)
def discrete_laplace(distance: int, scale: float) -> Pair:
    """Mass proportional to exp(-|k| / scale)."""
    if distance == 0:
        return NOTHING
    ratio = math.exp(-1 / scale)
    inside = (1 - ratio) / (1 + ratio) * ratio ** np.arange(1, distance)
    q = np.concatenate(([1 / (1 + ratio)], inside, [ratio**distance / (1 + ratio)]))
    return pair_of(q[::-1], q)


@lru_cache(maxsize=KEPT)
def discrete_gaussian(distance: int, variance: float) -> Pair:
    """Mass proportional to exp(-k^2 / (2 variance)), cut off where both are below e^-150.

    What only one of both laws has as a double is left out too: no outcome is that of one alone.
    """
    if distance == 0:
        return NOTHING
    far = math.ceil(math.sqrt(300 * variance)) + 1
    k = np.arange(-far, far + distance + 1)
    weights = np.exp(-(k**2) / (2 * variance))
    total = weights.sum()
    shifted = np.exp(-((k - distance) ** 2) / (2 * variance))
    kept = (weights > 0) & (shifted > 0)
    return pair_of(shifted[kept] / total, weights[kept] / total)


def shifted_law(law: Sequence[float], shift: int) -> Pair:
    """Noise with the probabilities of 0, 1, ..., added to counts that differ by a shift."""
    if shift == 0:
        return NOTHING
    p, q = np.zeros(len(law) + abs(shift)), np.zeros(len(law) + abs(shift))
    first, second = max(shift, 0), max(-shift, 0)
    p[first : first + len(law)] = law
    q[second : second + len(law)] = law
    return pair_of(p, q)


@lru_cache(maxsize=KEPT)
def responses(number: int, epsilon: float, levels: int) -> Pair:
    """Randomized response of so many records that all differ."""
    odds = math.exp(epsilon)
    total = odds + levels - 1
    one = pair_of([odds, 1, levels - 2], [1, odds, levels - 2])
    one = Pair(one.p / total, one.q / total)
    found = NOTHING
    for _ in range(number):
        found = product(found, one)
    return found


def along(points: Sequence[tuple[float, float]], distance: int) -> Pair:
    """The worst pair at a distance of a mechanism with a symmetric tradeoff function.

    Args:
        points: corners (type I, type II) from type I error 0 to type II error 0.
    """
    corners = np.array([(x, 1 - y) for x, y in points])
    if corners[-1, 0] < 1:
        corners = np.vstack((corners, (1.0, 1.0)))
    false, true = once_false, once_true = corners.T
    for _ in range(distance - 1):
        certain = int(np.argmax(true >= 1)) + 1
        wanted = once_false[once_false >= true[0]]
        back = np.interp(wanted, true[:certain], false[:certain])
        further = np.unique(np.concatenate((false, back)))
        true = np.interp(np.interp(further, false, true), once_false, once_true)
        false = further
    return pair_of(np.diff(true, prepend=0.0), np.diff(false, prepend=0.0))


# --- closed forms of the normal law ---------------------------------------------------


def gaussian_advantage(distance: float) -> float:
    """2 Phi(m / 2) - 1."""
    return float(2 * ndtr(distance / 2) - 1)


def gaussian_rate(distance: float, false_positive_rate: float) -> float:
    """Phi(Phi^-1(a) + m)."""
    return float(ndtr(ndtri(false_positive_rate) + distance))


def gaussian_epsilon(distance: float, delta: float) -> float:
    """Where Phi(-e/m + m/2) - e^e Phi(-e/m - m/2) is delta, by halving."""
    if distance == 0:
        return 0.0

    def above(epsilon: float) -> bool:
        first = log_ndtr(-epsilon / distance + distance / 2)
        second = epsilon + log_ndtr(-epsilon / distance - distance / 2)
        return bool(first + math.log(-math.expm1(min(second - first, -1e-300))) > math.log(delta))

    low, high = 0.0, 1.0
    if not above(low):
        return 0.0
    while above(high):
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle) else (low, middle)
    return low
