"""Compare two privacy losses by matching their pairs, or packing them into larger ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.errors import unknown_kind
from semiaudit.model.loss import DiscreteLaplaceLoss, PrivacyLoss
from semiaudit.privacy.loss.pairs.pair_kinds import kind_of

if TYPE_CHECKING:
    from semiaudit.privacy.loss.pairs.pair_kind import Family

Sizes = Counter[Fraction]
"""The number of pairs of each size in a family."""

MOST_PACKED = 300
"""The most pairs on either side that are packed: each pair is compared with every bin."""


def loss_implies(strong: PrivacyLoss, weak: PrivacyLoss) -> bool:
    """Return whether matching or packing proves that the weak loss is at least the strong one.

    It is, if every pair of the strong one has its own pair of the same family in the weak one that
    is at least as large, because products increase in each factor. Equivalently, in every family
    and for every size, the weak one has at least as many pairs of that size or larger. If the
    family allows it, several pairs can also share a larger one, or count as one pair with their
    sum.
    """
    needed, offered = _by_family(_with_scales_of(weak, strong)), _by_family(weak)
    return all(
        _covered(family, sizes, offered.get(family, Counter())) for family, sizes in needed.items()
    )


def _with_scales_of(weak: PrivacyLoss, strong: PrivacyLoss) -> PrivacyLoss:
    """Replace discrete Laplace noise by that of the next smaller scale of the weak loss, if any.

    The replaced loss is at least as large: noise of a larger scale is noise of a smaller one with
    independent noise added, whatever the shift. With a = exp(-1 / scale) the noise is the
    difference of two geometric variables with the generating function (1 - a) / (1 - a z). For
    a < b, that of b is that of a times (1 - b) / (1 - a) (a / b + (1 - a / b) / (1 - b z)), whose
    coefficients are probabilities. (Discrete Gaussian noise has no such summand.)
    """
    scales = {pair.scale for pair, _ in weak.parts if isinstance(pair, DiscreteLaplaceLoss)}
    parts = []
    for pair, repeat in strong.parts:
        if isinstance(pair, DiscreteLaplaceLoss):
            smaller = (scale for scale in scales if scale <= pair.scale)
            pair = replace(pair, scale=max(smaller, default=pair.scale))
        parts.append((pair, repeat))
    return PrivacyLoss(tuple(parts)) if scales else strong


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
    offered = iter(sorted(larger, reverse=True))
    size = next(offered, None)
    needed = room = 0
    for at in sorted(sizes, reverse=True):
        needed += sizes[at]
        while size is not None and size >= at:
            room += larger[size]
            size = next(offered, None)
        if room < needed:
            return False
    return True


def _packed(sizes: Sizes, bins: Sizes) -> bool:
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
    # Every bin is filled by pairs whose sizes add up to at most its own: a proof. If this greedy
    # method finds no room, that proves nothing, and False claims nothing.
    return True


def _sum(sizes: Sizes) -> Fraction:
    return sum((size * number for size, number in sizes.items()), Fraction(0))


def _by_family(loss: PrivacyLoss) -> dict[Family, Sizes]:
    families: dict[Family, Sizes] = {}
    for pair, repeat in loss.parts:
        kind = kind_of(pair, "the order of privacy losses")
        families.setdefault(kind.family, Counter())[kind.size] += repeat
    return families
