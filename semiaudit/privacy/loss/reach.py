"""Which products of pairs the engine is asked about at all."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.model.loss import PrivacyLoss

_LEAST_SIZE, _MOST_SIZE = Fraction(1, 10**60), Fraction(10**7)


def in_reach(loss: PrivacyLoss) -> bool:
    """False of noise that hides all or nothing in a double.

    Every pair loses about as much as a Gaussian one with some mu^2, which is at least 1e-60, and
    their sum at most 1e7; integer noise has a scale that can be listed.
    """
    from semiaudit.privacy.loss.pairs.registry import kind_of

    kinds = [(kind_of(pair, "the reach of the engine"), repeat) for pair, repeat in loss.parts]
    total = sum((kind.gaussian_size * repeat for kind, repeat in kinds), Fraction(0))
    return (
        all(kind.gaussian_size >= _LEAST_SIZE for kind, _ in kinds)
        and total <= _MOST_SIZE
        and all(kind.listable for kind, _ in kinds)
    )
