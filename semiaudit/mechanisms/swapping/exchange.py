"""Permutation swapping on plain arrays: the selected records, and the values that each gets."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.swapping.coins import coins
from semiaudit.mechanisms.swapping.permutations import Integers, permuted

Truths = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Exchange:
    """The random choices for records that are sorted by stratum.

    Attributes:
        order: of shape (n,): the record at i gets the swapping variables of that at ``order[i]``,
            which is in its stratum.
        selected: of shape (n,): whether each record was selected in the end.
        reselected: strata in which exactly one record was selected at first, and that were
            therefore selected again.
        selections: the total number of their selections.
        alone: strata in which exactly one record was selected and nothing moved, because there is
            no reselection.
    """

    order: Integers
    selected: Truths
    reselected: int
    selections: int
    alone: int


def exchange(
    sizes: Integers, rate: Fraction, *, deranged: bool, reselection: bool, source: Randomness
) -> Exchange:
    """Select records of every stratum and permute them, independently of the other strata.

    Strata of one record are unchanged. In every other one, each record is selected independently
    with exactly the probability ``rate``. If none is selected, nothing moves. If exactly one is
    selected, the selection is repeated until this is not so, or nothing moves (without
    reselection). For two or more, a uniform derangement is sampled, or a uniform permutation.

    Args:
        sizes: of the strata, of shape (k,); the records of a stratum are adjacent, in this order.
        rate: the swap rate, above 0 and at most 1.
        deranged: sample derangements; else permutations.
        reselection: select again if exactly one record is selected.
        source: the source of fair bits; the law is exact if they are fair.

    Raises:
        OutOfTimeError: the time limit was reached.

    Source: Bailie, Gong and Meng, A Refreshment Stirred, not Shaken (slides of 2024), the listing
    of permutation swapping; permutations and no reselection are variants of it.
    """
    strata = np.repeat(np.arange(sizes.size), sizes)
    selected = np.zeros(strata.size, dtype=bool)
    candidates = np.flatnonzero(sizes[strata] > 1)
    lonely = np.zeros(sizes.size, dtype=bool)
    rounds: list[int] = []
    # Only strata with a single selected record are selected again, as a whole. So the selection of
    # a stratum is independent coins, given that not exactly one record is selected. The loop ends
    # with probability 1: in a stratum of two or more records, exactly one is selected with a
    # probability of at most 1/2.
    while candidates.size:
        deadline.check()
        selected[candidates] = coins(rate, candidates.size, source)
        number = np.bincount(strata[candidates[selected[candidates]]], minlength=sizes.size)
        lonely = number == 1
        rounds.append(int(np.count_nonzero(lonely)))
        if not reselection:
            break
        candidates = candidates[lonely[strata[candidates]]]
    first = rounds[0] if rounds else 0
    order = np.arange(strata.size)
    moving = np.flatnonzero(selected & ~lonely[strata])
    # A stratum that is left has no or at least two selected records, so it has a derangement.
    order[moving] = moving[permuted(strata[moving], source, deranged=deranged)]
    if not reselection:
        return Exchange(order, selected, 0, 0, alone=first)
    return Exchange(order, selected, first, sum(rounds), alone=0)
