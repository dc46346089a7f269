"""The whole tables whose margins are 0, and projections on their span, in time linear in the cells.

Call an attribute moved in a cell where its level is not the first, and a set of attributes covered
if some margin contains them all. The cells whose moved attributes are not covered are free. The
other cells follow one after the other, those with the most moved attributes first: a margin is 0 at
a cell's moved levels, and there the cell itself stands for the only unknown, with coefficient 1. So
the whole vectors are all whole numbers in the free cells, and no product of margins is inverted.

The margins' row space is the sum of the interactions of the covered sets, which are orthogonal. So
a table's projection is what is left of it after the mean over all other attributes is taken away
from it for one covered set after the other, the smallest ones first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from math import prod
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.frozen import cached_property
from semiaudit.mechanisms.sampling.lattice import Lattice

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

Places = tuple[int, ...]


class MarginLattice(Lattice):
    """The integer tables whose margins are 0.

    Args:
        sizes: the numbers of levels of the attributes.
        margins: the attributes of each margin, by place; without any, all integer tables.
    """

    def __init__(self, sizes: Sequence[int], margins: Iterable[Sequence[int]]) -> None:
        varying = [place for place, size in enumerate(sizes) if size > 1]
        sets = {
            chosen
            for margin in margins
            for kept in [[at for at, place in enumerate(varying) if place in margin]]
            for number in range(len(kept) + 1)
            for chosen in combinations(kept, number)
        }
        self.__dict__.update(
            width=prod(sizes), _sizes=[sizes[p] for p in varying], covered=sorted(sets, key=len)
        )

    covered: list[Places]
    """The sets of attributes with several levels that some margin contains, the smallest first."""
    _sizes: list[int]

    @property
    def rank(self) -> int:
        """Return the number of free cells."""
        sizes = self._sizes
        return self.width - sum(prod(sizes[p] - 1 for p in places) for places in self.covered)

    @cached_property
    def longest(self) -> int:
        """Return the number of covered sets.

        By Möbius inversion, the effect of a free cell on the cell of a covered set is the sum of
        (-1)^(1 + |T| - |S|) over the covered sets T between S and the moved attributes.
        """
        return max(len(self.covered), 1)

    @cached_property
    def reach(self) -> Floats:
        """Return the same bound for every basis vector."""
        import numpy as np

        return np.full(self.rank, float(self.longest))

    def projected(self, vectors: Floats) -> Floats:
        """Return weights of orthogonal projections: from number x width to number x rank."""
        import numpy as np

        tables = np.array(vectors).reshape(-1, *self._sizes)
        for places in self.covered:
            deadline.check()
            tables -= tables.mean(axis=self._summed(places), keepdims=True)
        return tables.reshape(-1, self.width)[:, self._is_free]

    def vectors(self, weights: Floats) -> Floats:
        """Map weights in the basis to vectors; exact as for any lattice."""
        import numpy as np

        flat = np.zeros((len(weights), self.width))
        flat[:, self._is_free] = weights
        tables = flat.reshape(-1, *self._sizes)
        for places in reversed(self.covered):
            deadline.check()
            moved = tuple(slice(1, None) for _ in places)
            sums = tables.sum(axis=self._summed(places))
            tables[(slice(None), *self._cells_of(places))] = -sums[(slice(None), *moved)]
        return flat

    def _summed(self, places: Places) -> Places:
        return tuple(at + 1 for at in range(len(self._sizes)) if at not in places)

    def _cells_of(self, places: Places) -> tuple[slice | int, ...]:
        return tuple(slice(1, None) if at in places else 0 for at in range(len(self._sizes)))

    @cached_property
    def _is_free(self) -> npt.NDArray[np.bool_]:
        import numpy as np

        free = np.ones(self._sizes, dtype=bool)
        for places in self.covered:
            free[self._cells_of(places)] = False
        return free.reshape(-1)

    @cached_property
    def rows(self) -> tuple[dict[int, int], ...]:
        """Return the basis, by coordinate without zeros."""
        steps = [prod(self._sizes[place + 1 :]) for place in range(len(self._sizes))]
        weights: dict[Places, list[tuple[Places, int]]] = {}
        rows = []
        for cell, levels in enumerate(product(*map(range, self._sizes))):
            moved = tuple(place for place, level in enumerate(levels) if level)
            if not self._is_free[cell]:
                continue
            if moved not in weights:
                deadline.check()
                weights[moved] = self._weights(moved)
            row = {
                sum(levels[p] * steps[p] for p in places): k for places, k in weights[moved] if k
            }
            rows.append({cell: 1, **row})
        return tuple(rows)

    @cached_property
    def free(self) -> Places:
        """Return the free cells, ascending."""
        import numpy as np

        return tuple(np.flatnonzero(self._is_free).tolist())

    def _weights(self, moved: Places) -> list[tuple[Places, int]]:
        """Return the effect of a free cell on cells with some of its moved levels, largest first.

        A margin at the levels of a covered set S sums the free cell itself, once, and the cells of
        the covered sets above S, so that the cell of S takes all of that away.
        """
        weights: list[tuple[Places, int]] = []
        for places in reversed(self.covered):
            if set(places) < set(moved):
                above = sum(k for other, k in weights if set(places) < set(other))
                weights.append((places, -1 - above))
        return weights
