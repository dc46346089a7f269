"""Swap rates: the optimal one, and short decimals on the safe side of others."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import exp, log

from semiaudit.mechanisms.swapping.stratum_loss import Ratio, has_published_bound, worst_ratios
from semiaudit.model.randomizers import Swapping

DIGITS = 9
"""Significant digits of a rate, or of 1 minus the rate."""

FARTHEST = 138.0
"""The largest |ln o| in the search for rates: o is between 1e-60 and 1e60."""

_STEPS = 60


def rate_of_log_odds(log_odds: float) -> Fraction:
    """Return p = o / (1 + o) in doubles, with 0 < p < 1."""
    if log_odds > 0:
        return 1 - rate_of_log_odds(-log_odds)
    o = Fraction(exp(log_odds))
    return o / (1 + o)


def best_log_odds(part: Swapping, sizes: Collection[int]) -> float:
    """Return ln o of the swap rate with the least loss, in strata of such sizes.

    At this rate, decreasing and increasing losses are equal. For uniform permutations, none
    increases: the result is the largest rate in the search.
    """
    if part.variant == "uniform":
        return FARTHEST
    low, high = -FARTHEST, FARTHEST
    for _ in range(_STEPS):
        middle = (low + high) / 2
        falling, growing = _ends(part, sizes, middle)
        if growing >= falling:
            high = middle
        else:
            low = middle
    return high


def _ends(part: Swapping, sizes: Collection[int], log_odds: float) -> tuple[float, float]:
    """Return the largest decreasing loss and the largest increasing loss; 0 if there is none."""
    largest = max(sizes, default=0)
    if has_published_bound(largest, part.variant, reselection=part.reselection):
        return log(largest + 1) - log_odds, log_odds
    o = Fraction(exp(log_odds))
    ratios = [
        ratio
        for size in sizes
        for ratio in worst_ratios(o, size, part.variant, reselection=part.reselection)
    ]
    return _largest(r for r in ratios if not r.growing), _largest(r for r in ratios if r.growing)


def _largest(ratios: Iterable[Ratio]) -> float:
    """Return the largest loss per record as a double; no guarantee depends on it."""
    losses = [(log(r.value.numerator) - log(r.value.denominator)) / r.distance for r in ratios]
    return max([0.0, *losses])


def short_rate(rate: Fraction, *, up: bool) -> Fraction:
    """A short decimal next to a rate: with the rate's own digits; above 1/2, those of its distance
    to 1.

    Args:
        rate: above 0 and below 1. up: no smaller than it; else no larger.
    """
    if rate > Fraction(1, 2):
        return 1 - short_rate(1 - rate, up=not up)
    context = Context(prec=DIGITS, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return Fraction(context.divide(Decimal(rate.numerator), Decimal(rate.denominator)))
