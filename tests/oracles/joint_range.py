"""The largest true positive rate under rho-zCDP by listing orders, in floats.

Shares no code with the program. Of a false positive rate q and a gap g, the pair of rates is
(q e^g / (1 - q + q e^g), q); its divergences rise with g.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FURTHEST = 300.0
"""The largest gap that is looked at."""


def _log_mean(gap: Floats, q: float) -> Floats:
    """ln(1 - q + q e^gap), without loss next to 0 and without overflow."""
    with np.errstate(over="ignore"):
        small = np.log1p(q * np.expm1(np.minimum(gap, 20.0)))
    large = np.logaddexp(np.log1p(-q), gap + np.log(q))
    return np.where(gap < 20.0, small, large)


def _gaps(rho: float, q: float, scaled: Floats, forward: bool) -> Floats:
    """The gap at which each divergence of order 1 + scaled / sqrt(rho) is its bound."""
    excess = scaled / np.sqrt(rho)
    power = 1 + excess if forward else -excess
    low: Floats = np.zeros_like(excess)
    high: Floats = np.full_like(excess, FURTHEST)
    for _ in range(90):
        gap = (low + high) / 2
        moment = _log_mean(power * gap, q) - power * _log_mean(gap, q)
        beyond = moment >= excess * (1 + excess) * rho
        low, high = np.where(beyond, low, gap), np.where(beyond, gap, high)
    return high


def _gap_of_order_1(rho: float, q: float, forward: bool) -> float:
    """The gap at which the Kullback-Leibler divergence is rho."""
    low, high = 0.0, FURTHEST
    for _ in range(90):
        gap = (low + high) / 2
        grown = float(_log_mean(np.array(gap), q))
        p = float(np.exp(gap + np.log(q) - grown))
        divergence = p * gap - grown if forward else grown - q * gap
        low, high = (low, gap) if divergence >= rho else (gap, high)
    return high


def largest_gap(rho: float, q: float) -> float:
    """The gap of the largest true positive rate; ``FURTHEST`` where none below it is one."""
    best = min(_gap_of_order_1(rho, q, forward) for forward in (True, False))
    for forward in (True, False):
        scaled = np.exp(np.linspace(-9, 4, 500))
        for _ in range(3):
            gaps = _gaps(rho, q, scaled, forward)
            place = int(gaps.argmin())
            best = min(best, float(gaps[place]))
            low, high = scaled[max(place - 1, 0)], scaled[min(place + 1, len(scaled) - 1)]
            scaled = np.linspace(low, high, 41)
    return best
