"""A single product of pairs that loses no less than each of several products."""

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
"""The most pairs of a product that are sorted one by one."""


def joined(losses: Sequence[PrivacyLoss]) -> PrivacyLoss | None:
    """Return the product with the largest pair of all losses, in every family at every rank.

    In descending order within each family, no loss has more or larger pairs than the result, and
    products increase in each factor. Gaussian pairs become one pair with the largest sum. None if
    there are too many pairs.
    """
    if any(sum(repeat for _, repeat in loss.parts) > MOST_JOINED for loss in losses):
        return None
    families: dict[Family, list[tuple[Fraction, Loss]]] = {}
    for loss in losses:
        for family, pairs in _by_family(loss).items():
            paired = zip_longest(families.get(family, []), pairs)
            families[family] = [max((p for p in two if p is not None), key=_size) for two in paired]
    number = Counter(pair for pairs in families.values() for _, pair in pairs)
    return PrivacyLoss(tuple(number.items()))


def gaussian_size(loss: PrivacyLoss) -> Fraction:
    """Return the squared mu of Gaussian pairs of about the same size, for comparisons only."""
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
