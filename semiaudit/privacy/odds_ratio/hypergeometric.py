"""Fisher's noncentral hypergeometric law: one count of a 2x2 table, given all its margins.

With x11 ~ Bin(t1, th1), x21 ~ Bin(t2, th2) and w = [th2/(1 - th2)] / [th1/(1 - th1)], the law of
x21 given x11 + x21 = s is C(t2, x) C(t1, s - x) w^x up to a factor, on max(0, s - t1) to
min(t2, s). (x11 has the law with 1/w: docs/errata.md, E3.)
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from semiaudit.frozen import dataclass
from semiaudit.model.results.odds_ratio import Margins
from semiaudit.numeric.intervals import ONE, ZERO, Interval

_CUT = Decimal(-69)
"""Weights below e^-69, 1e-30, of the mode's weight are bounded instead of summed."""


@dataclass(frozen=True, slots=True)
class HypergeometricLaw:
    """The distribution of x21.

    Attributes:
        first: the smallest listed count.
        chances: the probability of each count from ``first`` on, enclosed.
        below, above: upper bounds on the probability of all counts before and after the list.
    """

    first: int
    chances: tuple[Interval, ...]
    below: Decimal
    above: Decimal

    def counts(self) -> Iterator[tuple[int, Interval]]:
        """Iterate over the listed counts with their probabilities."""
        return enumerate(self.chances, self.first)


def law_of(margins: Margins, odds_ratio: Fraction) -> HypergeometricLaw:
    """Return the law of x21 at an odds ratio w above 0, by sums of logarithms from the mode.

    Rounding: every probability is enclosed. The weights are log-concave, so after the last one,
    they decrease at least geometrically, which bounds the counts that are not listed.
    """
    mode = _mode(margins, odds_ratio)
    up = _outward(margins, odds_ratio, mode, 1)
    down = _outward(margins, odds_ratio, mode, -1)
    weights = [*reversed(down.weights), ONE, *up.weights]
    total = Interval(Decimal(0), down.rest + up.rest)
    for weight in weights:
        total = total + weight
    return HypergeometricLaw(
        mode - len(down.weights),
        tuple((weight / total).clip(0, 1) for weight in weights),
        (Interval.of(down.rest) / total).high,
        (Interval.of(up.rest) / total).high,
    )


@dataclass(frozen=True, slots=True)
class _TailWeights:
    weights: list[Interval]
    rest: Decimal


def _outward(margins: Margins, odds_ratio: Fraction, mode: int, step: int) -> _TailWeights:
    log_odds = Interval.of(odds_ratio).ln() if odds_ratio != 1 else ZERO
    log_weight, x = ZERO, mode
    weights: list[Interval] = []
    end = margins.most if step > 0 else margins.least
    while x != end:
        ratio = _ratio(margins, x) if step > 0 else 1 / _ratio(margins, x - 1)
        log_weight = log_weight + Interval.of(ratio).ln() + (log_odds if step > 0 else -log_odds)
        if log_weight.high < _CUT:
            share = Interval.of(ratio * (odds_ratio if step > 0 else 1 / odds_ratio))
            return _TailWeights(weights, (log_weight.exp() / (ONE - share)).high)
        weights.append(log_weight.exp())
        x += step
    return _TailWeights(weights, Decimal(0))


def _ratio(margins: Margins, x: int) -> Fraction:
    """Return the weight of x + 1 over that of x, at w = 1."""
    t1, t2, s = margins.first_row, margins.second_row, margins.first_column
    return Fraction((t2 - x) * (s - x), (x + 1) * (t1 - s + x + 1))


def _mode(margins: Margins, odds_ratio: Fraction) -> int:
    """Return the first count after which weights do not increase; ratios decrease, so bisect."""
    low, high = margins.least, margins.most
    while low < high:
        middle = (low + high) // 2
        if _ratio(margins, middle) * odds_ratio > 1:
            low = middle + 1
        else:
            high = middle
    return low
