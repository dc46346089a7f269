"""Permutation swapping on plain arrays: who is selected, and whose values each record gets."""

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
    """What was drawn for records that lie stratum by stratum.

    Attributes:
        order: of shape (n,): the record at i gets the swapping variables of that at ``order[i]``,
            which is in its stratum.
        selected: of shape (n,): which records were selected in the end.
        reselected: strata in which exactly one record was selected at first, and that were
            therefore selected again.
        selections: how often they were, in all.
        alone: strata in which exactly one record was selected and nothing moved, for want of
            reselection.
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

    Strata of one record are left as they are. In every other one each record is selected
    independently with exactly the probability ``rate``. Nothing moves where none is selected.
    Where exactly one is, the stratum is selected afresh until it is not so, or nothing moves.
    Of two or more a uniform derangement is drawn, or a uniform permutation.

    Args:
        sizes: of the strata, of shape (k,); the records of a stratum lie together, in this order.
        rate: the swap rate, above 0 and at most 1.
        deranged: draw derangements; else permutations.
        reselection: select again where exactly one record is selected.
        source: of fair bits; the law is exact where they are.

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
    order[moving] = moving[permuted(strata[moving], source, deranged=deranged)]
    if not reselection:
        return Exchange(order, selected, 0, 0, alone=first)
    return Exchange(order, selected, first, sum(rounds), alone=0)
