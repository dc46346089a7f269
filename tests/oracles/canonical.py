"""Canonical noise by the letter of the sources, in Cho and Awan's convention, at 50 digits.

g(a) is the type II error at a type I error of 1 - a. Nothing is fast here, and nothing is shared
with the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import mpmath
import numpy as np
import numpy.typing as npt

mp: Any = mpmath.mp
mp.dps = 50
Mpf: TypeAlias = Any
CA: TypeAlias = Callable[[Mpf], Mpf]
Floats: TypeAlias = npt.NDArray[np.float64]


def approx(epsilon: object, delta: object = 0) -> CA:
    """g of (epsilon, delta)-DP: max{0, 1 - delta - e^eps + e^eps a, e^-eps (a - delta)}."""
    e, d = mp.e ** mp.mpf(epsilon), mp.mpf(delta)
    return lambda a: max(mp.mpf(0), 1 - d - e + e * a, (a - d) / e)


def gaussian(mu: object) -> CA:
    """g of mu-GDP: Phi(Phi^-1(a) - mu)."""
    m = mp.mpf(mu)

    def quantile(a: Mpf) -> Mpf:
        return mp.sqrt(2) * mp.erfinv(2 * a - 1)

    return lambda a: mp.mpf(0) if a <= 0 else mp.mpf(1) if a >= 1 else mp.ncdf(quantile(a) - m)


def corner(g: CA) -> Mpf:
    """c in [0, 1/2) with g(1 - c) = c, by bisection."""
    low, high = mp.mpf(0), mp.mpf(1) / 2
    for _ in range(170):
        middle = (low + high) / 2
        low, high = (middle, high) if g(1 - middle) > middle else (low, middle)
    return low


def lemma_36(g: CA, x: object) -> Mpf:
    """F_f(x) as Lemma 36 prints it."""
    return _lemma_36(g, corner(g), mp.mpf(x))


def _lemma_36(g: CA, c: Mpf, x: Mpf) -> Mpf:
    half = mp.mpf(1) / 2
    if x < -half:
        return g(_lemma_36(g, c, x + 1))
    if x > half:
        return 1 - g(1 - _lemma_36(g, c, x - 1))
    return c * (half - x) + (1 - c) * (x + half)


def tulap_draws(epsilon: float, delta: float, number: int, seed: int) -> Floats:
    """G1 - G2 + U(-1/2, 1/2), of which the middle part of mass 1 - q is kept."""
    rng = np.random.default_rng(seed)
    b = np.exp(-epsilon)
    q = 2 * delta * b / (1 - b + 2 * delta * b)
    more = rng.geometric(1 - b, 4 * number) - rng.geometric(1 - b, 4 * number)
    whole = more + rng.uniform(-0.5, 0.5, 4 * number)
    inside = (tulap_cdf(whole, epsilon) >= q / 2) & (tulap_cdf(whole, epsilon) <= 1 - q / 2)
    return np.asarray(whole[inside][:number])


def tulap_cdf(x: Floats, epsilon: float, delta: float = 0) -> Floats:
    """Awan and Slavkovic: b^-[x] (b + (x - [x] + 1/2)(1 - b)) / (1 + b) for x <= 0."""
    b = np.exp(-epsilon)
    left = -np.abs(np.asarray(x, dtype=float))
    nearest = np.round(left)
    tail = b**-nearest / (1 + b) * (b + (left - nearest + 0.5) * (1 - b))
    whole = np.where(np.asarray(x) <= 0, tail, 1 - tail)
    q = 2 * delta * b / (1 - b + 2 * delta * b)
    return np.asarray(np.clip((whole - q / 2) / (1 - q), 0, 1))


def kolmogorov(draws: Floats, cdf: Callable[[Floats], Floats]) -> float:
    """The Kolmogorov-Smirnov distance times the root of the number: above 1.95 in 1 of 1000."""
    ordered = np.sort(draws)
    at = cdf(ordered)
    steps = np.arange(len(at) + 1) / len(at)
    distance = max(float(np.max(steps[1:] - at)), float(np.max(at - steps[:-1])))
    return distance * float(np.sqrt(len(at)))
