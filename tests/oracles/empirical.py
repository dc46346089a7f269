"""Binomial tails in fractions, and confidence bounds by bisection: slow and obviously correct."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from mpmath import mp, mpf


def tail(least: int, runs: int, probability: Fraction) -> Fraction:
    """Return P(Bin(runs, probability) >= least), exactly."""
    return sum(
        (
            comb(runs, k) * probability**k * (1 - probability) ** (runs - k)
            for k in range(max(least, 0), runs + 1)
        ),
        Fraction(0),
    )


def lower_limit(hits: int, runs: int, alpha: Fraction) -> Fraction:
    """Return the largest probability, to 2^-30, at which so many hits have a tail below alpha."""
    low, high = Fraction(0), Fraction(1)
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(hits, runs, middle) <= alpha else (low, middle)
    return low


def bernoulli_divergence(order: float, p: mpf, q: mpf) -> mpf:
    """Return the Renyi divergence of two coins."""
    a = mpf(order)
    return mp.log(p**a * q ** (1 - a) + (1 - p) ** a * (1 - q) ** (1 - a)) / (a - 1)


def one_run_p(coins: int, guesses: int, right: int, chance: Fraction, delta: Fraction) -> Fraction:
    """Return the p-value of one run, by its definition, at e^eps/(1 + e^eps) = chance."""
    beta = tail(right, guesses, chance)
    more = max((tail(right - i, guesses, chance) - beta) / i for i in range(1, coins + 1))
    return min(Fraction(1), beta + 2 * coins * delta * more)
