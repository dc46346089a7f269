"""Which products of pairs are of a size at which the engine computes their numbers."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from semiaudit.model.loss import PrivacyLoss
from semiaudit.privacy.loss.pairs.pair_kinds import kind_of

_LEAST_SIZE, _MOST_SIZE = Fraction(1, 10**60), Fraction(10**7)
"""The mu^2 of a Gaussian pair that loses as much: below, steps of a grid underflow; beyond, type II
errors do."""


@lru_cache
def in_reach(loss: PrivacyLoss) -> bool:
    """Whether the numbers of a product are doubles that say something.

    They are 0 or 1 to all digits where the noise hides everything or nothing. Every pair loses
    about as much as a Gaussian one with some mu^2, which must be at least 1e-60, and their sum at
    most 1e7; integer noise must have a scale at which it can be listed.
    """
    kinds = [(kind_of(pair, "the reach of the engine"), repeat) for pair, repeat in loss.parts]
    total = sum((kind.gaussian_size * repeat for kind, repeat in kinds), Fraction(0))
    return (
        all(kind.gaussian_size >= _LEAST_SIZE for kind, _ in kinds)
        and total <= _MOST_SIZE
        and all(kind.listable for kind, _ in kinds)
    )
