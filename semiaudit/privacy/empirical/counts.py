"""Lower confidence bounds from the counts of one event under two datasets.

The event is fixed before the runs that are counted. docs/theory/empirical.md has the proofs.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betainc, betaincinv, ndtri

from semiaudit.frozen import dataclass

ROUNDING = 1e-9
"""The share by which each probability is moved to the safe side: far above the error of scipy."""

ORDERS = 1 + np.geomspace(1e-6, 1e4, 241)
"""The Renyi orders of the bound on rho. Each of them gives a valid bound."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How often an event happened.

    Attributes:
        hits: the runs on X, and the runs on Y, in which it happened.
        runs: all runs on X, and all runs on Y.
        coins: whether an independent fair coin chose the dataset of each run; otherwise the two
            numbers of runs were fixed.
    """

    hits: tuple[int, int]
    runs: tuple[int, int]
    coins: bool = True

    @property
    def swapped(self) -> Counts:
        """Return the counts with X and Y exchanged."""
        return Counts(self.hits[::-1], self.runs[::-1], self.coins)


def at_least(hits: int, runs: int, alpha: float) -> float:
    """Return Clopper and Pearson's lower confidence bound on a probability, at 1 - alpha."""
    if not hits:
        return 0.0
    return float(betaincinv(hits, runs - hits + 1, alpha)) * (1 - ROUNDING)


def at_most(hits: int, runs: int, alpha: float) -> float:
    """Return the upper confidence bound on a probability, at 1 - alpha."""
    return 1 - at_least(runs - hits, runs, alpha)


def rates(counts: Counts, alpha: float) -> tuple[float, float]:
    """Return a lower bound on P(event | X) and an upper one on P(event | Y), jointly at 1 - alpha.

    They are valid with coins and with fixed numbers of runs, because they hold given the labels.
    """
    (hits, other_hits), (runs, other_runs) = counts.hits, counts.runs
    return at_least(hits, runs, alpha / 2), at_most(other_hits, other_runs, alpha / 2)


def epsilon_bound(counts: Counts, delta: float, alpha: float) -> float:
    """Return a lower bound at 1 - alpha on epsilon at delta, for the order X, Y; 0 or more.

    At delta 0 with coins, by the exact conditional binomial test: given that the event happened,
    X has the probability p/(p + q), at most e^eps/(1 + e^eps).
    """
    if delta == 0 and counts.coins:
        least = at_least(counts.hits[0], sum(counts.hits), alpha)
        return max(0.0, math.log(least / (1 - least))) if least else 0.0
    least, most = rates(counts, alpha)
    return max(0.0, math.log((least - delta) / most)) if least > delta else 0.0


def mu_bound(counts: Counts, alpha: float) -> float:
    """Return a lower bound at 1 - alpha on mu, for both orders.

    With coins, from how often the guess "X if the event happened, otherwise Y" was right, which
    has at most the probability Phi(mu/2). Otherwise, from the two error rates.
    """
    if counts.coins:
        right = counts.hits[0] + counts.runs[1] - counts.hits[1]
        least = at_least(right, sum(counts.runs), alpha)
        return max(0.0, 2 * float(ndtri(least)) * (1 - ROUNDING)) if least else 0.0
    least, most = rates(counts, alpha)
    return max(0.0, float(ndtri(least) - ndtri(most)) * (1 - ROUNDING)) if least > most else 0.0


def rho_bound(counts: Counts, alpha: float) -> float:
    """Return a lower bound at 1 - alpha on rho, for the order X, Y.

    The largest D_a(Bern(p) || Bern(q))/a, where p and q are the bounds of ``rates``. It is 0 unless
    p > q: only then does D_a rise with p and fall with q.
    """
    p, q = rates(counts, alpha)
    if p <= q:
        return 0.0
    with np.errstate(divide="ignore"):
        hit = ORDERS * math.log(p) + (1 - ORDERS) * math.log(q)
        miss = ORDERS * np.log1p(-p) + (1 - ORDERS) * np.log1p(-q)
    divergences = np.logaddexp(hit, miss) / (ORDERS - 1)
    # the orders next to 1 lose digits to the division
    careful = divergences - 1e-13 / (ORDERS - 1)
    return max(0.0, float((careful / ORDERS).max()) * (1 - ROUNDING))


def upper_tail(least: int, runs: int, probability: float) -> float:
    """Return P(Bin(runs, probability) >= least)."""
    if least <= 0:
        return 1.0
    return float(betainc(least, runs - least + 1, probability)) if least <= runs else 0.0
