"""Which of two privacy losses is the smaller one: their pairs matched, or packed together."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.errors import unknown_kind
from semiaudit.model.loss import PrivacyLoss
from semiaudit.privacy.loss.pairs.pair_kinds import kind_of

if TYPE_CHECKING:
    from semiaudit.privacy.loss.pairs.pair_kind import Family

Sizes = Counter[Fraction]
"""How often each size of a family's pairs occurs."""

MOST_PACKED = 300
"""Pairs, on either side, that are packed: each looks at every bin."""


def loss_implies(strong: PrivacyLoss, weak: PrivacyLoss) -> bool:
    """Whether the weak loss is at least the strong one, as far as matching and packing tell.

    It is if every pair of the strong one has its own pair of the same family in the weak one
    that is at least as large, since products rise in each factor. That is so if, in every family
    and for every size, the weak one has as many pairs that are so large or larger. Where a family
    says so, several pairs may also share a larger one, or are one pair with their sum.
    """
    wanted, offered = _by_family(strong), _by_family(weak)
    return all(
        _covered(family, sizes, offered.get(family, Counter())) for family, sizes in wanted.items()
    )


def _covered(family: Family, sizes: Sizes, larger: Sizes) -> bool:
    match family.joining:
        case "alone":
            return _matched(sizes, larger)
        case "shared":
            return _matched(sizes, larger) or _packed(sizes, larger)
        case "summed":
            return _sum(sizes) <= _sum(larger)
        case _:
            return unknown_kind(family.joining, "the order of privacy losses")


def _matched(sizes: Sizes, larger: Sizes) -> bool:
    """Whether of every size there are as many so large or larger among the larger ones."""
    offered = iter(sorted(larger, reverse=True))
    size = next(offered, None)
    wanted = room = 0
    for at in sorted(sizes, reverse=True):
        wanted += sizes[at]
        while size is not None and size >= at:
            room += larger[size]
            size = next(offered, None)
        if room < wanted:
            return False
    return True


def _packed(sizes: Sizes, bins: Sizes) -> bool:
    """Whether the sizes are seen to fit into the bins, the largest first."""
    if max(sizes.total(), bins.total()) > MOST_PACKED:
        return False
    room = list(bins.elements())
    for size in sorted(sizes.elements(), reverse=True):
        place = min(
            (at for at, free in enumerate(room) if free >= size),
            key=lambda at: room[at],
            default=None,
        )
        if place is None:
            return False
        room[place] -= size
    # Every bin was filled by pairs whose sizes add up to no more than its own: a proof. That this
    # greedy way finds no room proves nothing, and False claims nothing.
    return True


def _sum(sizes: Sizes) -> Fraction:
    return sum((size * number for size, number in sizes.items()), Fraction(0))


def _by_family(loss: PrivacyLoss) -> dict[Family, Sizes]:
    families: dict[Family, Sizes] = {}
    for pair, repeat in loss.parts:
        kind = kind_of(pair, "the order of privacy losses")
        families.setdefault(kind.family, Counter())[kind.size] += repeat
    return families
