"""Sampler of permutation swapping: records exchange some attributes inside their stratum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from semiaudit import deadline
from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.mechanisms.kind import refused
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.swapping.cells import Cells, Integers, cells_of, codes_of, summed
from semiaudit.mechanisms.swapping.strata import check_sizes
from semiaudit.model.dataspace import Dataspace, TableSpace, condition_text
from semiaudit.model.randomizers import Swapping
from semiaudit.model.results.sample import StrataSummary, SwapMoves

WORD = 64
"""Bits of a coin that are compared in one step."""


def coins(
    probability: Fraction, number: int, source: Randomness, word: int = WORD
) -> npt.NDArray[np.bool_]:
    """Toss independent coins with exactly the given probability.

    A uniform number from 0 to 1 is below the probability or not, and their binary digits are
    compared a word at a time. Further digits of a coin are sampled only if the first ones are
    equal, so no digit is cut off and nothing is rounded.

    Args:
        probability: from 0 to 1.
        number: the number of coins.
        source: the source of fair bits.
        word: the number of digits that are compared in one step, from 1 to 64.

    Returns:
        Truth values of shape (number,).
    """
    if probability == 1:
        return np.ones(number, dtype=bool)
    first, remainder = divmod(probability.numerator << word, probability.denominator)
    words = source.words(number) >> np.uint64(WORD - word)
    fell = words < np.uint64(first)
    if remainder:
        equal = np.flatnonzero(words == np.uint64(first))
        if equal.size:
            later = Fraction(remainder, probability.denominator)
            fell[equal] = coins(later, equal.size, source, word)
    return fell


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


AT_ONCE = 2_000_000
"""The most records of whole strata that are expanded together; a larger stratum is expanded
alone."""


LARGEST = 50_000_000
"""The most records of one stratum: they are expanded together, at some 60 bytes each."""


class SwappableTable:
    """A table that can be swapped repeatedly.

    Args:
        cells: the table.
        stratify: the columns of the attributes that the records of one stratum agree on.
        swap: the columns whose values are exchanged, together.

    Raises:
        RefusedError: a stratum has too many records to expand.

    Attributes:
        cells: the table.
        sizes: the sizes of the strata, of shape (number of strata,).
    """

    def __init__(self, cells: Cells, stratify: Sequence[int], swap: Sequence[int]) -> None:
        self.cells = cells
        strata = np.unique(codes_of(cells.levels[:, list(stratify)]), return_inverse=True)[1]
        order = np.argsort(strata, kind="stable")
        self._levels, self._counts = cells.levels[order], cells.counts[order]
        self._swap = list(swap)
        self._stay = [at for at in range(cells.levels.shape[1]) if at not in self._swap]
        strata = strata[order]
        self._ends = np.flatnonzero(np.diff(strata, append=-1)) + 1
        self.sizes = np.diff(np.cumsum(self._counts)[self._ends - 1], prepend=0)
        if self.summary.largest > LARGEST:
            what = f"a stratum has more than {LARGEST} records, too many to permute in memory"
            raise RefusedError(
                Refusal(
                    what, "use finer strata: add attributes to stratify_by", "mechanism.swapping"
                )
            )
        self._kinds, self._kept = (
            _coded(self._levels[:, columns]) for columns in (self._swap, self._stay)
        )

    @property
    def largest_changing(self) -> int:
        """Return the records of the largest stratum that can change; 0 if there is none.

        A stratum can change if two of its records differ both in the exchanged attributes and in
        the others.
        """
        differ = np.ones(self.sizes.size, dtype=bool)
        first = self._ends - np.diff(self._ends, prepend=0)
        for coded in (self._kinds, self._kept):
            least, most = (
                extreme.reduceat(coded.codes, first) for extreme in (np.minimum, np.maximum)
            )
            differ &= least != most
        return int(self.sizes[differ].max(initial=0))

    @property
    def summary(self) -> StrataSummary:
        """Return the number of strata, and their numbers of records."""
        single = int(np.count_nonzero(self.sizes == 1))
        return StrataSummary(self.sizes.size, single, int(self.sizes.max(initial=0)))

    def swapped(
        self, rate: Fraction, part: Swapping, source: Randomness
    ) -> tuple[Cells, SwapMoves]:
        """Return the table after swapping, ascending by its levels, and what happened.

        Strata are independent, and are expanded to records in batches.

        Args:
            rate: the swap rate.
            part: the swapping, with the variant, and whether strata are selected again.
            source: the source of fair bits.

        Raises:
            OutOfTimeError: the time limit was reached.
        """
        levels, counts, moves = [], [], SwapMoves()
        kinds, unchanged = self._kinds, self._kept
        for first, last, sizes in self._blocks():
            deadline.check()
            cell = np.repeat(np.arange(first, last), self._counts[first:last])
            deranged = part.variant == "derangement"
            exchanged = exchange(
                sizes, rate, deranged=deranged, reselection=part.reselection, source=source
            )
            new_codes = kinds.codes[cell[exchanged.order]]
            pairs = unchanged.codes[cell] * kinds.first.size + new_codes
            distinct, number = np.unique(pairs, return_counts=True)
            stay, swap = np.divmod(distinct, kinds.first.size)
            after = np.empty((distinct.size, self._levels.shape[1]), dtype=np.int64)
            after[:, self._stay] = self._levels[unchanged.first[stay]][:, self._stay]
            after[:, self._swap] = self._levels[kinds.first[swap]][:, self._swap]
            levels.append(after)
            counts.append(number)
            moves += SwapMoves(
                int(np.count_nonzero(exchanged.selected)),
                exchanged.reselected,
                exchanged.selections,
                exchanged.alone,
                int(np.count_nonzero(new_codes != kinds.codes[cell])),
            )
        if not counts:
            return Cells(self._levels, self._counts), moves
        return summed(np.concatenate(levels), np.concatenate(counts)), moves

    def _blocks(self) -> Iterator[tuple[int, int, Integers]]:
        stratum = cell = 0
        totals = np.cumsum(self.sizes)
        while stratum < self.sizes.size:
            limit = int(totals[stratum] - self.sizes[stratum]) + AT_ONCE
            end = max(int(np.searchsorted(totals, limit, side="right")), stratum + 1)
            last = int(self._ends[end - 1])
            yield cell, last, self.sizes[stratum:end]
            stratum, cell = end, last


@dataclass(frozen=True, slots=True)
class _Codes:
    """Rows numbered without gaps: the number of each row, and the first row of each number."""

    codes: Integers
    first: Integers


def _coded(levels: Integers) -> _Codes:
    _, first, inverse = np.unique(codes_of(levels), return_index=True, return_inverse=True)
    return _Codes(inverse, first)


def check_table(part: Swapping, space: Dataspace) -> TableSpace:
    """Return the dataspace of the records that can be swapped.

    Raises:
        RefusedError: there are only the sizes of the strata, or a swap can move a record to an
            impossible cell.
    """
    if part.by_sizes or not isinstance(space, TableSpace) or not part.swap:
        what = "has only the sizes of the strata, not their records"
        remedy = "add attributes to the dataspace, and name stratify_by and swap"
        raise refused(part, what, remedy)
    kept = [set(margin) for margin in part.kept(a.name for a in space.attributes)]
    for condition in space.impossible:
        if not any({name for name, _ in condition} <= margin for margin in kept):
            what = f"may move a record to {condition_text(condition)}, which cannot occur"
            remedy = "add one of these attributes to stratify_by, or exchange them together"
            raise refused(part, what, remedy)
    return space


def swappable(
    part: Swapping, space: TableSpace, counts: Mapping[tuple[int, ...], int]
) -> SwappableTable:
    """Return the records of a table, ready to be swapped.

    Args:
        space: as ``check_table`` returns it. counts: by the levels of the occupied cells.

    Raises:
        RefusedError: there are no records, or the sizes of the strata are not those of the part.
    """
    cells = cells_of(counts, len(space.attributes))
    if not cells.records:
        raise refused(part, "the data have no record", "give records that can be swapped")
    by, exchanged = ([space.position(n) for n in group] for group in (part.stratify_by, part.swap))
    records = SwappableTable(cells, by, exchanged)
    check_sizes(part, records.sizes.tolist())
    return records
