"""Proven bounds on the loss of one stratum per unit of distance, for each variant of swapping.

Two datasets of one universe at distance k differ, in a stratum, by a permutation of the exchanged
values that moves k records, and so do the permutations that lead from both to one output. A
permutation's probability depends only on the number m of records that it moves. So the loss is at
most the largest ln(q(m) / q(m')) / k over all permutations that move m and m' records and differ by
one that moves k. The bound is attained if all records of the stratum differ in the exchanged
attributes and in the others. ``docs/theory/swapping.md`` proves which of these is the largest.

Let o = p / (1 - p), and let D_m be the number of derangements of m records. If the selected records
are deranged, q is proportional to o^m / D_m; without reselection, 1 + n o replaces q(0). If they
are permuted uniformly, q(m) is the sum of C(n - m, j) o^(m+j)/(m+j)! over j; with reselection, q(0)
is reduced by n o.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction
from math import comb, factorial
from typing import assert_never

from semiaudit.frozen import dataclass
from semiaudit.model.randomizers import SwapVariant
from semiaudit.numeric.intervals import Interval, nonnegative_ends

LARGEST_OWN = 100_000
"""For more records, derangements with reselection use the published bound, which is larger by less
than 1.5 / b: no report shows the difference."""

_LISTED = 60
"""Up to this many records, the derangements are counted; for more, D_n / D_(n-1) differs from n by
less than the inverse of that count."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of two probabilities of one output, between datasets at a distance.

    Attributes:
        value: above 0; at least the true ratio.
        distance: of the datasets, in records that differ.
        growing: whether it increases with the swap rate; otherwise it decreases.
    """

    value: Fraction
    distance: int
    growing: bool


@dataclass(frozen=True, slots=True)
class UnitLoss:
    """The loss per record that differs.

    Attributes:
        epsilon: an upper bound, 0 or more.
        attained: whether a stratum of this size, with records that all differ in the exchanged
            attributes and in the others, attains the loss per record, up to rounding.
    """

    epsilon: Fraction
    attained: bool


def odds(rate: Fraction) -> Fraction:
    """Return o = p / (1 - p) for a rate above 0 and below 1."""
    return rate / (1 - rate)


def unit_loss(
    rate: Fraction, sizes: Collection[int], variant: SwapVariant, *, reselection: bool
) -> UnitLoss:
    """Return the privacy loss per record that differs, for the worst of several strata.

    Args:
        rate: the swap rate p, above 0 and below 1.
        sizes: the numbers of records of the strata (``decisive_sizes``, ``sizes_up_to``).
        variant, reselection: of the swapping.

    Returns:
        The largest loss of a stratum; it is attained if the loss of the largest stratum is as
        large. If a stratum has more than ``LARGEST_OWN`` records, derangements with reselection use
        the published bound, which is not attained.

    Rounding: up.

    Source: the proof of Bailie, Gong and Meng for derangements with reselection; for the other
        variants, and for what is attained, docs/theory/swapping.md (errata E13 and E14).
    """
    if has_published_bound(max(sizes, default=0), variant, reselection=reselection):
        return UnitLoss(published_bound(rate, max(sizes)), attained=False)
    losses = {
        size: max(map(_epsilon, worst_ratios(odds(rate), size, variant, reselection=reselection)))
        for size in sizes
    }
    worst = max(losses.values(), default=Fraction(0))
    return UnitLoss(worst, attained=not worst or losses[max(sizes)] == worst)


def has_published_bound(largest: int, variant: SwapVariant, *, reselection: bool) -> bool:
    """Return whether strata of up to this size use the bound of the slides."""
    return variant == "derangement" and reselection and largest > LARGEST_OWN


def decisive_sizes(sizes: Iterable[int]) -> tuple[int, ...]:
    """Return those of several strata's sizes, in order, of which one has the largest loss.

    From four records on, losses that fall with the swap rate grow with the stratum, and losses that
    grow with the rate do not (docs/swapping.md).
    """
    known = {size for size in sizes if size >= 2}
    larger = [size for size in known if size >= 4]
    ends = {min(larger), max(larger)} if larger else set()
    return tuple(sorted({*known & {2, 3}, *ends}))


def sizes_up_to(largest: int) -> tuple[int, ...]:
    """Return the decisive sizes if strata may have any number of records up to the largest."""
    return decisive_sizes({2, 3, 4, largest} & {*range(2, min(4, largest) + 1), largest})


def published_bound(rate: Fraction, largest: int) -> Fraction:
    """Return ln(b + 1) - ln o; for rates above 1/2, the larger of that and ln o.

    Args:
        rate: the swap rate p, above 0 and below 1.
        largest: b, the records of the largest stratum in which something can change.

    Returns:
        A bound on the loss per record that differs, for derangements, with reselection or without
        (docs/theory/swapping.md). It is not a bound for uniform permutations (erratum E14). 0 if no
        stratum has two records.

    Rounding: up.

    Source: Bailie, Gong and Meng (slides); erratum E13.
    """
    if largest < 2:
        return Fraction(0)
    o = odds(rate)
    ratios = [Ratio((largest + 1) / o, 1, growing=False), Ratio(o, 1, growing=True)]
    return max(map(_epsilon, ratios))


def worst_ratios(
    o: Fraction, size: int, variant: SwapVariant, *, reselection: bool
) -> Iterator[Ratio]:
    """Yield the ratios of which one is the worst in a stratum of exactly this size.

    Args:
        o: the odds of the swap rate.
        size: n, 2 or more.
    """
    if size < 4:
        yield from _of_few(o, size, variant, reselection=reselection)
        return
    match variant:
        case "derangement" if reselection:
            yield Ratio(derangement_ratio(size) / o**2, 2, growing=False)
            yield Ratio(o**2, 2, growing=True)
        case "derangement":
            alone = 1 + size * o
            yield Ratio(last_ratio(size) / o, 2, growing=False)
            yield Ratio(derangement_ratio(size) / o**2, 2, growing=False)
            yield Ratio(alone / o**2, 2, growing=False)
            yield Ratio(o**2 / alone, 2, growing=True)
            yield Ratio(o**3 / (2 * alone), 3, growing=True)
            yield Ratio(o / 2, 2, growing=True)
            yield Ratio(o**2 / 9, 2, growing=True)
        case "uniform":
            yield Ratio(1 + 2 * size / o + size * (size - 1) / o**2, 2, growing=False)
        case _:
            assert_never(variant)


def _of_few(o: Fraction, size: int, variant: SwapVariant, *, reselection: bool) -> Iterator[Ratio]:
    q = {m: weight(m, o, size, variant, reselection=reselection) for m in (0, 2, 3) if m <= size}
    pairs = [(0, 2, 2)] if size == 2 else [(0, 2, 2), (2, 3, 2), (0, 3, 3)]
    for few, many, distance in pairs:
        yield Ratio(q[few] / q[many], distance, growing=False)
        yield Ratio(q[many] / q[few], distance, growing=True)


def weight(
    moved: int, o: Fraction, size: int, variant: SwapVariant, *, reselection: bool
) -> Fraction:
    """Return q(m): the probability of a permutation that moves m records, up to a common factor.

    Args:
        moved: m; 0, or from 2 to ``size``.
        o: the odds of the swap rate. size: n.

    Source: the listing of Bailie, Gong and Meng; for the variants erratum E14.
    """
    alone = 0 if reselection or moved else size * o
    match variant:
        case "derangement":
            return o**moved / derangements(moved) + alone
        case "uniform":
            counts = range(size - moved + 1)
            every = sum(
                (comb(size - moved, j) * o ** (moved + j) / factorial(moved + j) for j in counts),
                Fraction(0),
            )
            return every + alone - (0 if moved else size * o)
        case _:
            assert_never(variant)


def derangements(size: int) -> int:
    """Return D_n: the number of permutations of n records that leave none in its place."""
    count = 1
    for number in range(1, size + 1):
        count = number * count + (-1) ** number
    return count


def last_ratio(size: int) -> Fraction:
    """Return D_n / D_(n-1), for n of 4 or more.

    Rounding: exact up to 60 records; up beyond, from D_n = n D_(n-1) + (-1)^n.
    """
    if size <= _LISTED:
        return Fraction(derangements(size), derangements(size - 1))
    return size + Fraction((size + 1) % 2, derangements(_LISTED - 1))


def derangement_ratio(size: int) -> Fraction:
    """Return D_n / D_(n-2), for n of 4 or more.

    Rounding: exact up to 60 records; up beyond, from D_n = n D_(n-1) + (-1)^n.
    """
    if size <= _LISTED:
        return Fraction(derangements(size), derangements(size - 2))
    last_term = Fraction(1, derangements(_LISTED - 1))
    return (size + last_term) * (size - 1) if size % 2 == 0 else size * (size - 1 + last_term)


def _epsilon(ratio: Ratio) -> Fraction:
    """Return the loss per record of a ratio, rounded up; at least 0."""
    if ratio.value <= 1:
        return Fraction(0)
    return nonnegative_ends(Interval.of(ratio.value).ln())[1] / ratio.distance
