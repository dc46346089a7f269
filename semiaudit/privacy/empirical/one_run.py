"""Auditing with one run: m independent coins, and guesses of some of them from one output.

Source: Steinke, Nasr, and Jagielski 2023, arXiv 2305.08846, Theorem 5.2 with fixed numbers.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betainc, expit

from semiaudit.privacy.empirical.counts import ROUNDING, upper_tail


def p_value(coins: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """Return a p-value of (epsilon, delta)-DP with respect to one coin.

    Args:
        coins: the number m of coins. guesses: how many were guessed, fixed beforehand.
        right: how many guesses were right.
    """
    if not right:
        return 1.0
    chance = float(expit(epsilon))
    beta = upper_tail(right, guesses, chance)
    more = 0.0
    if delta:
        fewer = np.arange(1, right + 1)
        least = right - fewer
        tails = np.where(least > 0, betainc(np.maximum(least, 1), guesses - least + 1, chance), 1.0)
        more = 2 * coins * delta * float(((tails - beta) / fewer).max())
    return min(1.0, (beta + more) * (1 + ROUNDING))


def epsilon_bound(coins: int, guesses: int, right: int, delta: float, alpha: float) -> float:
    """Return a lower bound at 1 - alpha on epsilon at delta: no smaller one has p above alpha."""
    low, step = 0.0, 1 / 64
    if p_value(coins, guesses, right, 0, delta) > alpha:
        return 0.0
    while p_value(coins, guesses, right, low + step, delta) <= alpha:
        low += step
        if low > math.log(2**62):
            return low
    return low
