"""A lower bound for Gaussian noise on the batches of one shuffled epoch: the largest answer.

One record adds 2, or 1 if it is empty, to the answer of its batch, if every other record adds -1
in one coordinate; the answers are then moved so that a batch without it has the mean 0. Whether the
largest of all answers exceeds a threshold is post-processing, so what it discloses is disclosed.

Source: Chua et al. 2024, arXiv 2403.17673 (cube events), for zero-out.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

from semiaudit.model.loss import FiniteLoss
from semiaudit.numeric.intervals import ONE, Interval
from semiaudit.privacy.domination import finite_loss
from semiaudit.privacy.special.normal import quantile_estimate, upper_tail
from semiaudit.privacy.tradeoff.polygon import lower_hull

_THRESHOLDS = 3000
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
    moved, kept = Interval.of(2) / deviation, Interval.of(other) / deviation
    low = quantile_estimate(min(3 / batches, 0.5))
    step = (float(moved.high) + _REACH - low) / _THRESHOLDS
    errors = [(Fraction(0), Fraction(1))]
    for place in range(_THRESHOLDS + 1):
        threshold = Interval.of(Fraction(low + step * place))
        others = upper_tail(threshold)
        power, type_i = (_exceeds(batches - 1, others, threshold - mean) for mean in (moved, kept))
        missed = 1 - Fraction(floor(power.lower_rational * _UNIT), _UNIT)
        errors.append((Fraction(ceil(type_i.upper_rational * _UNIT), _UNIT), missed))
    # Every point is achieved by a test, and so is every chord between two.
    return finite_loss(lower_hull(errors))


def _exceeds(batches: int, others: Interval, above: Interval) -> Interval:
    """Return the probability that some answer exceeds a threshold.

    Args:
        batches: without the record, which exceed it with the probability ``others`` each.
        above: how far the threshold is above the mean of the record's batch.
    """
    own, count = upper_tail(above), Interval.of(batches)
    either = ONE - (count * (ONE - others).ln()).exp() * upper_tail(-above)
    return Interval(max(either.low, own.low), min(either.high, (count * others + own).high))
