"""Random margins that overlap without a cycle, nested and product, with tables and brute force."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb

from semiaudit.model.adjacency import Metric
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import Attribute, Condition, TableSpace
from semiaudit.model.invariants import Margin
from semiaudit.model.semi_adjacency import Cell
from tests.oracles import tables as oracle
from tests.universe.instances import published_of, release_of

NAMES = "abcde"


@dataclass(frozen=True)
class Acyclic:
    """Margins of a small table. `instance` is the same for the oracle."""

    space: TableSpace
    margins: tuple[tuple[int, ...], ...]
    instance: oracle.Instance
    table: oracle.Table

    @property
    def invariants(self) -> tuple[Margin, ...]:
        return tuple(Margin(tuple(NAMES[a] for a in margin)) for margin in self.margins)

    def release(self, metric: Metric = "hamming", *, given: bool = True) -> Release:
        published = published_of(self.space, self.invariants, self.counts()) if given else None
        return release_of(self.space, self.invariants, published, metric)

    def counts(self) -> dict[Cell, int]:
        labels = [
            tuple(a.label(level) for a, level in zip(self.space.attributes, cell, strict=True))
            for cell in oracle.cells(self.instance.shape)
        ]
        return {label: n for label, n in zip(labels, self.table, strict=True) if n}

    def universe(self) -> list[oracle.Table]:
        return oracle.universe_of(self.instance, self.table)


def drawn(chance: random.Random, *, wide: bool = False, size: int | None = None) -> Acyclic:
    """A table of three attributes, or (`wide`) four or five binary ones; often nested.

    `size`: of the dataspace; else the margins tell it.
    """
    while True:
        number = chance.choice((4, 4, 5)) if wide else 3
        shape = tuple(2 if wide else chance.choice((2, 2, 3)) for _ in range(number))
        sets = [c for length in (1, 2, 2, 3) for c in combinations(range(number), length)]
        sets = [c for c in sets if len(c) < number]
        margins = tuple(chance.sample(sets, chance.randint(3, 4) if wide else chance.randint(2, 3)))
        attributes = [Attribute(NAMES[a], levels) for a, levels in enumerate(shape)]
        possible = list(product(*map(range, shape)))
        zeros: tuple[Condition, ...] = ()
        kind = chance.random()
        if kind < 0.45:
            parents = tuple(chance.randrange(shape[0]) for _ in range(shape[1]))
            names = tuple(f"b{level}" for level in range(shape[1]))
            attributes[1] = Attribute("b", names, within="a", parents=parents)
            possible = [cell for cell in possible if parents[cell[1]] == cell[0]]
        elif kind < 0.6:
            zero = {a: chance.randrange(shape[a]) for a in chance.choice(margins)}
            zeros = (tuple((NAMES[a], (level,)) for a, level in zero.items()),)
            possible = [c for c in possible if any(c[a] != level for a, level in zero.items())]
        if not possible:
            continue
        cells = oracle.cells(shape)
        records = chance.randint(1, (3 if number == 5 else 5) if wide else 6)
        if comb(records + len(possible) - 1, records) > 40_000:
            continue
        held = Counter(chance.choice(possible) for _ in range(size or records))
        rows = tuple(row for margin in margins for row in oracle.margin_rows(shape, margin))
        zero_cells = frozenset(range(len(cells))) - {cells.index(cell) for cell in possible}
        return Acyclic(
            TableSpace("record", size, tuple(attributes), zeros),
            margins,
            oracle.Instance(shape, size or records, zero_cells, rows=rows),
            tuple(held[cell] for cell in cells),
        )


def random_table(chance: random.Random, shape: Sequence[int], size: int) -> oracle.Table:
    cells = oracle.cells(tuple(shape))
    held = Counter(chance.choice(cells) for _ in range(size))
    return tuple(held[cell] for cell in cells)
