"""One product of pairs that loses no less than each of several products."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import TYPE_CHECKING

from semiaudit.model.loss import GaussianLoss, Loss, PrivacyLoss
from semiaudit.privacy.loss.pairs.pair_kinds import kind_of

if TYPE_CHECKING:
    from semiaudit.privacy.loss.pairs.pair_kind import Family


MOST_JOINED = 10_000
"""Pairs of a product that are put in order, one by one."""


def joined(losses: Sequence[PrivacyLoss]) -> PrivacyLoss | None:
    """The product that has in every family, place by place, the largest pair of all losses.

    With the pairs of a family in descending order, each loss has no more and no larger ones, and
    products rise in each factor. Gaussian pairs are one pair, of the largest sum. None if the
    pairs are too many.
    """
    if any(sum(repeat for _, repeat in loss.parts) > MOST_JOINED for loss in losses):
        return None
    families: dict[Family, list[tuple[Fraction, Loss]]] = {}
    for loss in losses:
        for family, pairs in _by_family(loss).items():
            both = zip_longest(families.get(family, []), pairs)
            families[family] = [max((p for p in two if p is not None), key=_size) for two in both]
    number = Counter(pair for pairs in families.values() for _, pair in pairs)
    return PrivacyLoss(tuple(number.items()))


def gaussian_size(loss: PrivacyLoss) -> Fraction:
    """The squared mu of Gaussian pairs that are about as large: for comparisons only."""
    sizes = (kind_of(pair, "the order of losses").gaussian_size * n for pair, n in loss.parts)
    return sum(sizes, Fraction(0))


def _by_family(loss: PrivacyLoss) -> dict[Family, list[tuple[Fraction, Loss]]]:
    families: dict[Family, list[tuple[Fraction, Loss]]] = {}
    for pair, repeat in loss.parts:
        kind = kind_of(pair, "the order of losses")
        families.setdefault(kind.family, []).extend([(kind.size, pair)] * repeat)
    for family, pairs in families.items():
        if all(isinstance(pair, GaussianLoss) for _, pair in pairs):
            total = sum((size for size, _ in pairs), Fraction(0))
            families[family] = [(total, GaussianLoss(total))]
        pairs.sort(key=_size, reverse=True)
    return families


def _size(pair: tuple[Fraction, Loss]) -> Fraction:
    return pair[0]
