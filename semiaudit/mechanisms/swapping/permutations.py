"""Uniform permutations and derangements of many groups."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from semiaudit import deadline
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.swapping.coins import WORD

Integers = npt.NDArray[np.int64]

KEY = 64
"""Bits of a key that contains a group and a word."""


def permuted(groups: Integers, source: Randomness, *, deranged: bool = False) -> Integers:
    """Return a uniform permutation of every group, independent of the other groups.

    A group is sorted by random words; that order is uniform if the words are distinct. A group is
    sampled again as a whole if two words are equal and, for derangements, if a member stays in its
    place: so the result is uniform on the allowed permutations. A permutation is a derangement with
    a probability that tends to 1/e (1/3 for three members, the least), so a group is sampled e
    times on average.

    Args:
        groups: the group of every member, of shape (n,), ascending.
        source: the source of fair bits.
        deranged: leave no member in its place; then every group has at least two members.

    Returns:
        Places of shape (n,): the member at i gets the values of the member at ``permuted(...)[i]``,
        which is in its group.

    Raises:
        OutOfTimeError: the time limit was reached.
        ValueError: a derangement of one member is requested.
    """
    if deranged and np.any(np.unique(groups, return_counts=True)[1] == 1):
        raise ValueError("one member has no derangement")
    permutation = np.arange(groups.size)
    open_places = permutation.copy()
    while open_places.size:
        deadline.check()
        mine = _ranked(groups[open_places])
        order, equal = _ordered(mine, source)
        again = np.zeros(int(mine[-1]) + 1, dtype=bool)
        again[mine[equal]] = True
        if deranged:
            again[mine[order == np.arange(order.size)]] = True
        permutation[open_places] = open_places[order]
        open_places = open_places[again[mine]]
    return permutation


def _ranked(groups: Integers) -> Integers:
    """Return ascending groups, numbered from 0 on without gaps."""
    ranks = np.zeros(groups.size, dtype=np.int64)
    np.cumsum(groups[1:] != groups[:-1], out=ranks[1:])
    return ranks


def _ordered(groups: Integers, source: Randomness) -> tuple[Integers, Integers]:
    """Return the places of all members by group and random word, and those with equal words.

    Group and word share 64 bits if such a short word is rarely repeated in a group: one key is
    sorted faster than two.
    """
    words = source.words(groups.size)
    largest = int(np.bincount(groups).max())
    bits = int(groups[-1]).bit_length()
    if bits + 2 * largest.bit_length() < KEY:
        if bits:
            words = groups.astype(np.uint64) << np.uint64(WORD - bits) | words >> np.uint64(bits)
        order = np.argsort(words)
    else:
        order = np.lexsort((words, groups))
    # members of different groups with equal words only cost a group another sample
    ascending = words[order]
    return order, order[np.flatnonzero(ascending[1:] == ascending[:-1])]
