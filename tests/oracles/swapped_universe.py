"""What swapping a whole table may lose: the law of its output for all datasets of one universe.

Datasets are tuples of records, and a record is a tuple of levels. A swap is performed in every
possible way, stratum by stratum: each set of selected records, and each way in which their values
are exchanged. The universe is all datasets that have given margins in common.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

Record = tuple[int, ...]
Records = tuple[Record, ...]
"""A dataset, sorted."""

Array = Any


@dataclass(frozen=True)
class Swap:
    """A swap: columns that tell the strata, columns that are exchanged, and how."""

    by: tuple[int, ...]
    moved: tuple[int, ...]
    rate: Fraction
    deranged: bool
    reselection: bool

    def kept(self, columns: int) -> tuple[tuple[int, ...], ...]:
        """The margins that every output has in common with its dataset."""
        rest = (c for c in range(columns) if c not in self.moved)
        return tuple(sorted({*self.by, *self.moved})), tuple(rest)


@lru_cache(maxsize=256)
def ways(size: int, rate: Fraction, deranged: bool, reselection: bool) -> tuple[Array, Array]:
    """Who gets whose values, of shape (ways, size), and how probable each way is."""
    chance: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for number in range(size + 1):
        if number == 1 and reselection and size > 1:
            continue
        of_set = rate**number * (1 - rate) ** (size - number)
        for chosen in combinations(range(size), number):
            orders = list(permutations(chosen))
            if deranged and number != 1:
                orders = [
                    o for o in orders if not any(a == b for a, b in zip(o, chosen, strict=True))
                ]
            for order in orders:
                sources = list(range(size))
                for place, source in zip(chosen, order, strict=True):
                    sources[place] = source
                chance[tuple(sources)] += of_set / len(orders)
    whole = sum(chance.values())
    found = sorted(chance)
    return np.array(found), np.array([float(chance[one] / whole) for one in found])


class Law:
    """The law of a swap's output for every dataset of a universe.

    Args:
        universe: the datasets.
    """

    def __init__(self, swap: Swap, universe: Sequence[Records]) -> None:
        self.swap = swap
        strata: list[dict[Record, list[Record]]] = []
        for records in universe:
            parted: defaultdict[Record, list[Record]] = defaultdict(list)
            for record in records:
                parted[tuple(record[c] for c in swap.by)].append(record)
            strata.append(parted)
        self.parts: list[tuple[Array, Array]] = []
        for key in sorted({key for one in strata for key in one}):
            tables = [tuple(sorted(one.get(key, []))) for one in strata]
            known = sorted(set(tables))
            place = {table: at for at, table in enumerate(known)}
            self.parts.append((np.array([place[t] for t in tables]), self._of_tables(known)))

    def _of_tables(self, tables: Sequence[Records]) -> Array:
        """Of shape (tables, outputs): the probability of each output of one stratum."""
        swap, size = self.swap, len(tables[0])
        sources, chances = ways(size, swap.rate, swap.deranged, swap.reselection)
        kept_names: dict[Record, int] = {}
        moved_names: dict[Record, int] = {}
        kept, moved = np.empty((len(tables), size), int), np.empty((len(tables), size), int)
        for t, table in enumerate(tables):
            for i, record in enumerate(table):
                stays = tuple(v for c, v in enumerate(record) if c not in swap.moved)
                goes = tuple(record[c] for c in swap.moved)
                kept[t, i] = kept_names.setdefault(stays, len(kept_names))
                moved[t, i] = moved_names.setdefault(goes, len(moved_names))
        pairs = np.sort(kept[:, None, :] * len(moved_names) + moved[:, sources], axis=-1)
        base = len(kept_names) * len(moved_names)
        codes = pairs @ (base ** np.arange(size, dtype=np.int64))
        outputs, number = np.unique(codes, return_inverse=True)
        number = number.reshape(codes.shape)
        law = np.zeros((len(tables), outputs.size))
        for t in range(len(tables)):
            law[t] = np.bincount(number[t], weights=chances, minlength=outputs.size)
        return law

    def losses(self) -> Array:
        """Of shape (datasets, datasets): the largest ln of a ratio, the first above the second."""
        whole = 0
        for place, law in self.parts:
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = np.log(law)
                apart = logs[:, None, :] - logs[None, :, :]
            apart[np.isnan(apart)] = -np.inf
            worst = apart.max(axis=-1)
            whole = whole + worst[np.ix_(place, place)]
        return whole

    def of(self, dataset: int) -> Array:
        """The law of the whole output."""
        found = np.ones(1)
        for place, law in self.parts:
            found = np.multiply.outer(found, law[place[dataset]]).ravel()
        return found

    @property
    def outputs(self) -> int:
        number = 1
        for _, law in self.parts:
            number *= law.shape[1]
        return number


def margin(records: Records, columns: Sequence[int]) -> Counter[Record]:
    return Counter(tuple(record[c] for c in columns) for record in records)


def universe_of(
    records: Records, swap: Swap, fits: Callable[[Records], bool], most: int
) -> list[Records] | None:
    """All datasets that agree with one on what a swap keeps, and fit; None if more than some.

    Args:
        fits: whether a dataset agrees on all other invariants, and may occur.
    """
    parted: defaultdict[Record, list[Record]] = defaultdict(list)
    for record in records:
        parted[tuple(record[c] for c in swap.by)].append(record)
    number, choices = 1, []
    for stratum in parted.values():
        tables = set()
        values = [tuple(r[c] for c in swap.moved) for r in stratum]
        for given in set(permutations(values)):
            changed = []
            for record, value in zip(stratum, given, strict=True):
                whole = list(record)
                for c, v in zip(swap.moved, value, strict=True):
                    whole[c] = v
                changed.append(tuple(whole))
            tables.add(tuple(sorted(changed)))
        choices.append(sorted(tables))
        number *= len(tables)
        if number > most:
            return None
    every = (tuple(sorted(r for part in parts for r in part)) for parts in product(*choices))
    return [one for one in every if fits(one)]


def distances(universe: Sequence[Records]) -> Array:
    """Of shape (datasets, datasets): how many records differ, whatever their order."""
    cells = sorted({record for one in universe for record in one})
    place = {cell: at for at, cell in enumerate(cells)}
    counts = np.zeros((len(universe), len(cells)), int)
    for at, one in enumerate(universe):
        for record in one:
            counts[at, place[record]] += 1
    found = np.zeros((len(universe),) * 2, int)
    for column in counts.T:
        found += np.abs(column[:, None] - column[None, :])
    return found // 2
