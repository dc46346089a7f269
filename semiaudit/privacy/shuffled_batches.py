"""A lower bound for Gaussian noise on the batches of one shuffled epoch: the largest answer.

One record adds 2, or 1 if it is empty, to the answer of its batch, if every other record adds -1
in one coordinate; the answers are then moved so that a batch without it has the mean 0. Whether the
largest of all answers exceeds a threshold is post-processing, so what it discloses is disclosed.

Source: Chua et al. 2024, arXiv 2403.17673 (cube events), for zero-out.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, lru_cache
from math import ceil, floor

from semiaudit.model.loss import FiniteLoss
from semiaudit.numeric.intervals import ONE, Interval
from semiaudit.privacy.domination import finite_loss
from semiaudit.privacy.special.normal import quantile_estimate, upper_tail
from semiaudit.privacy.tradeoff.polygon import lower_hull

_THRESHOLDS = 4000
_REACH = 9
"""How many standard deviations above the mean of the record's batch the last threshold is."""
_UNIT = 1 << 256
"""Errors of tests are multiples of its reciprocal."""


@lru_cache(maxsize=32)
def largest_answer_loss(sigma_squared: Fraction, batches: int, other: int) -> FiniteLoss:
    """Return a pair that two datasets disclose at least, by the largest answer of an epoch.

    Args:
        sigma_squared: the variance of the noise. batches: of the epoch, 2 or more.
        other: the mean of the record's batch in the second dataset, in the first it is 2: 0 if the
            record is replaced, 1 if it is empty.

    Rounding: both errors of every test up.
    """
    deviation = Interval.of(sigma_squared).sqrt()
    low = float(deviation.low) * quantile_estimate(min(3 / batches, 0.5))
    step = Fraction((2 + _REACH * float(deviation.high) - low) / _THRESHOLDS)
    if step < 1:  # The means are multiples, so that their thresholds share most tails.
        step = Fraction(1, ceil(1 / step))

    @cache
    def tail(above: Fraction) -> Interval:
        return upper_tail(Interval.of(above) / deviation)

    errors = [(Fraction(0), Fraction(1))]
    for place in range(floor(low / step), floor(low / step) + _THRESHOLDS + 1):
        threshold = place * step
        power, type_i = (
            _exceeds(batches - 1, tail(threshold), tail(threshold - mean)) for mean in (2, other)
        )
        missed = 1 - Fraction(floor(power.lower_rational * _UNIT), _UNIT)
        errors.append((Fraction(ceil(type_i.upper_rational * _UNIT), _UNIT), missed))
    # Every point is achieved by a test, and so is every chord between two.
    return finite_loss(lower_hull(errors))


def _exceeds(batches: int, others: Interval, own: Interval) -> Interval:
    """Return the probability that some answer exceeds a threshold.

    Args:
        batches: without the record, which exceed it with the probability ``others`` each.
        own: the probability that the answer of the record's batch exceeds it.
    """
    count = Interval.of(batches)
    either = ONE - (count * (ONE - others).ln()).exp() * (ONE - own)
    return Interval(max(either.low, own.low), min(either.high, (count * others + own).high))
