"""The Edgeworth accountant: distribution functions of the total loss, one term beyond the CLT.

With X and Y the total loss ln Q/P under P and under Q, delta(epsilon) is exactly
1 - F_Y(epsilon) - e^epsilon (1 - F_X(epsilon)). Only the two functions are approximated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from semiaudit.privacy.approximations.approximation import Approximation
from semiaudit.privacy.approximations.moments import LossMoments, Moments

METHOD = "edgeworth"
SOURCE = "Wang, Gao, Zhang, Su and Shen 2022 (Su's review, Proposition 3.2)"
CAVEAT = "first order, without its error term; errs on either side, more so where losses are atoms"

Parts = Sequence[tuple[LossMoments, int]]

_STEPS = 400
"""Intervals, of at most a few tenths of a standard deviation, in which epsilon is looked for."""


def edgeworth_delta(parts: Parts, epsilon: float) -> Approximation:
    """Return delta at epsilon for all parts with their repeats."""
    return _named(_delta(parts)(epsilon), f"delta at epsilon {epsilon:g}")


def edgeworth_epsilon(parts: Parts, delta: float) -> Approximation:
    """Return epsilon at delta: the last place where :func:`edgeworth_delta` falls to it.

    There can be several, since to first order delta need not fall everywhere.
    """
    delta_of = _delta(parts)
    mean = math.fsum(m.alternative.mean * k for m, k in parts)
    spread = math.sqrt(math.fsum(m.alternative.variance * k for m, k in parts))
    step = (mean + 40 * spread) / _STEPS
    above = [k for k in range(_STEPS) if delta_of(k * step) > delta]
    low = high = 0.0
    if above:
        low, high = above[-1] * step, (above[-1] + 1) * step
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_of(middle) > delta else (low, middle)
    return _named(high, f"epsilon at delta {delta:g}")


def edgeworth_type_ii(parts: Parts, type_i: float) -> Approximation:
    """Return the type II error at a type I error (SU's form): both errors of a threshold test."""
    null, alternative = _tails(parts)
    mean = math.fsum(m.null.mean * k for m, k in parts)
    spread = math.sqrt(math.fsum(m.null.variance * k for m, k in parts))
    low, high = mean - 8 * spread, mean + 8 * spread
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if null(middle) > type_i else (low, middle)
    return _named(1 - alternative(low), f"type II error at type I error {type_i:g} (SU)")


def _delta(parts: Parts) -> Callable[[float], float]:
    """Return delta as a function of epsilon.

    Beyond 700 nats, a part of the second term is left out, which makes delta larger: e^epsilon
    would overflow, and the tail that it multiplies is almost 0.
    """
    null, alternative = _tails(parts)

    def delta(epsilon: float) -> float:
        value = alternative(epsilon) - math.exp(min(epsilon, 700.0)) * null(epsilon)
        return min(max(value, 0.0), 1.0)

    return delta


def _tails(parts: Parts) -> tuple[Callable[[float], float], Callable[[float], float]]:
    return (
        _tail([(m.null, k) for m, k in parts]),
        _tail([(m.alternative, k) for m, k in parts]),
    )


def _tail(parts: Sequence[tuple[Moments, int]]) -> Callable[[float], float]:
    """Return 1 - F of a sum: the normal tail + skewness/6 (z^2 - 1) phi(z)."""
    mean = math.fsum(m.mean * k for m, k in parts)
    variance = math.fsum(m.variance * k for m, k in parts)
    spread = math.sqrt(variance)
    skewness = math.fsum(m.third * k for m, k in parts) / (variance * spread)

    def tail(x: float) -> float:
        z = (x - mean) / spread
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        return 0.5 * math.erfc(z / math.sqrt(2)) + skewness / 6 * (z * z - 1) * density

    return tail


def _named(value: float, what: str) -> Approximation:
    return Approximation(value, what, METHOD, SOURCE, CAVEAT)
