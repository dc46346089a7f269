"""The range of sizes of products for which the engine computes numbers."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from semiaudit.model.loss import PrivacyLoss
from semiaudit.privacy.loss.pairs.pair_kinds import kind_of

_LEAST_SIZE, _MOST_SIZE = Fraction(1, 10**60), Fraction(10**7)
"""The mu^2 of a Gaussian pair with about the same loss: below this range, grid steps underflow;
above, type II errors do."""


@lru_cache
def in_reach(loss: PrivacyLoss) -> bool:
    """Return whether the numbers of a product are informative doubles.

    The numbers are 0 or 1 to all digits if the noise hides everything or nothing. Every pair loses
    about as much as a Gaussian pair with some mu^2, which must be at least 1e-60; the sum must be
    at most 1e7. Integer noise must have a scale at which it can be listed.
    """
    kinds = [(kind_of(pair, "the reach of the engine"), repeat) for pair, repeat in loss.parts]
    total = sum((kind.gaussian_size * repeat for kind, repeat in kinds), Fraction(0))
    return (
        all(kind.gaussian_size >= _LEAST_SIZE for kind, _ in kinds)
        and total <= _MOST_SIZE
        and all(kind.listable for kind, _ in kinds)
    )
