"""Linear queries as one sparse column for each record, and the records that can occur.

A query is linear in the table: its answer is the sum of one sparse column for every record. The
stacked answers of several queries are the answer to one query.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from math import prod
from typing import assert_never

from semiaudit.frozen import cached_property
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants.constraint import Constraint, SameCellSums, SameMargin
from semiaudit.model.query import MarginsQuery, MatrixQuery, Query, TableQuery
from semiaudit.universe.system.components import (
    Numbers,
    Places,
    cell_of,
    components_of,
    matches,
)

Matrix = tuple[tuple[int, ...], ...]
"""Integer rows over the cells of the table, row-major in the order of the attributes."""

Coordinate = tuple[int, int]
"""(index of the margin, or of the matrix after all margins; its cell, or its row)."""

Column = tuple[tuple[Coordinate, int], ...]
"""The contribution of one record to every coordinate of the answer, without zeros."""

MAX_COUNTED_CELLS = 2_000_000
"""The most cells of a component in which structural zeros and nested levels are counted."""


class Answers:
    """One query over the cells of a table, or several with their answers stacked.

    Attributes:
        margins: the attribute indices of every margin, of all queries in order.
        matrices: the rows of every matrix.
        matrix: the rows of all matrices, or None if only margins are counted.
        blocks: for every query, the first entries of its coordinates: which margins, or the matrix.
        tables: for every query, whether it is the table itself.
        is_table: whether the single query is the table.
    """

    def __init__(self, space: TableSpace, *queries: Query) -> None:
        self.space = space
        self.sizes = tuple(attribute.size for attribute in space.attributes)
        self.margins: tuple[Places, ...] = ()
        self.tables = tuple(isinstance(query, TableQuery) for query in queries)
        self.is_table = self.tables == (True,)
        self.matrices: list[Matrix] = []
        counted: list[range] = []
        for query in queries:
            before = len(self.margins)
            match query:
                case TableQuery():
                    self.margins += (tuple(range(len(space.attributes))),)
                case MarginsQuery():
                    self.margins += tuple(
                        tuple(sorted(space.position(name) for name in names))
                        for names in query.margins
                    )
                case MatrixQuery():
                    self.matrices.append(query.rows)
                case _:
                    assert_never(query)
            counted.append(range(before, len(self.margins)))
        blocks, place = [], len(self.margins)
        for query, places in zip(queries, counted, strict=True):
            if isinstance(query, MatrixQuery):
                places, place = range(place, place + 1), place + 1
            blocks.append(places)
        self.blocks = tuple(blocks)
        rows = tuple(row for matrix in self.matrices for row in matrix)
        self.matrix: Matrix | None = rows if self.matrices else None

    @property
    def stacked(self) -> bool:
        """Return whether these are the answers of several queries."""
        return len(self.blocks) > 1

    def column(self, levels: Sequence[int]) -> Column:
        """Return the column of a record, given by the level index of every attribute."""
        counted = (
            ((at, cell_of([levels[p] for p in places], [self.sizes[p] for p in places])), 1)
            for at, places in enumerate(self.margins)
        )
        if self.matrix is None:
            return tuple(counted)
        cell, first = cell_of(levels, self.sizes), len(self.margins)
        entries = (
            ((at, place), row[cell])
            for at, matrix in enumerate(self.matrices, first)
            for place, row in enumerate(matrix)
        )
        return *counted, *((coordinate, k) for coordinate, k in entries if k)

    @cached_property
    def relevant(self) -> Places:
        """Return the indices of the attributes that the answer can depend on, ascending."""
        if self.matrix is not None:
            return tuple(range(len(self.sizes)))
        return tuple(sorted({place for places in self.margins for place in places}))

    def as_constraints(self) -> tuple[Constraint, ...]:
        """Return constraints that distinguish exactly the cells that the query distinguishes."""
        names = [attribute.name for attribute in self.space.attributes]
        margins = tuple(
            SameMargin(tuple(names[p] for p in places)) for places in self.margins if places
        )
        return margins if self.matrix is None else (*margins, SameCellSums(self.matrix))


class Records:
    """The records that can occur: no structural zeros, and nested levels under their parents."""

    def __init__(self, space: TableSpace) -> None:
        self.space = space
        self.sizes = tuple(attribute.size for attribute in space.attributes)
        self.components = components_of(space, ())

    def of(
        self,
        positions: Places,
        *,
        backwards: bool = False,
        fixed: Mapping[int, int] | None = None,
    ) -> Iterator[Numbers]:
        """Yield the possible levels of a component of structurally linked attributes.

        Parents vary slowest, so nested levels are found without a search. This is one function
        because no other function needs the prepared data of the search.

        Args:
            positions: the attributes' places, all of one component.
            backwards: start with the last levels.
            fixed: by place, levels that are given.
        """
        fixed = fixed or {}
        space = self.space
        parent_of = {
            place: space.position(name)
            for place in positions
            if (name := space.attributes[place].within) is not None
        }
        # This ends: nesting has no cycle, and a component contains the parents of its attributes.
        order: list[int] = []
        while len(order) < len(positions):
            order += [
                place
                for place in positions
                if place not in order and parent_of.get(place, place) in (*order, place)
            ]
        children: dict[int, dict[int, list[int]]] = {}
        for place in parent_of:
            under: dict[int, list[int]] = {}
            for level, above in enumerate(space.attributes[place].parents):
                under.setdefault(above, []).append(level)
            children[place] = under
        # A zero is tested at its last attribute in this order. All its levels are chosen then, so
        # no possible record is cut off, and every record passes the test of every zero.
        zeros = self._zeros(positions, order)
        chosen: dict[int, int] = {}

        def visit(depth: int) -> Iterator[Numbers]:
            if depth == len(order):
                yield tuple(chosen[place] for place in positions)
                return
            place = order[depth]
            options: Sequence[int] = range(self.sizes[place])
            if place in parent_of:
                options = children[place].get(chosen[parent_of[place]], [])
            if place in fixed:
                options = [fixed[place]] if fixed[place] in options else []
            for level in reversed(options) if backwards else options:
                chosen[place] = level
                if not any(
                    all(chosen[other] in levels for other, levels in zero) for zero in zeros[depth]
                ):
                    yield from visit(depth + 1)

        return visit(0)

    def _zeros(
        self, positions: Places, order: Sequence[int]
    ) -> list[list[list[tuple[int, frozenset[int]]]]]:
        zeros: list[list[list[tuple[int, frozenset[int]]]]] = [[] for _ in order]
        for condition in self.space.impossible:
            zero = []
            for name, levels in condition:
                place = self.space.position(name)
                known = self.space.attributes[place].indices(levels)
                zero.append((place, frozenset(level for level in known if level is not None)))
            if zero and all(place in positions for place, _ in zero):
                zeros[max(order.index(place) for place, _ in zero)].append(zero)
        return zeros

    def possible(self, levels: Sequence[int]) -> bool:
        """Return whether a record can occur."""
        space = self.space
        for place, attribute in enumerate(space.attributes):
            if attribute.within is not None:
                above = levels[space.position(attribute.within)]
                if attribute.parents[levels[place]] != above:
                    return False
        return not any(matches(space, condition, levels) for condition in space.impossible)

    @cached_property
    def count(self) -> int | None:
        """Return how many cells can occur; None if that takes too long to count."""
        if self.space.product_cells:
            return prod(self.sizes)
        number = 1
        for positions in self.components:
            listed = sum(1 for _ in islice(self.of(positions), MAX_COUNTED_CELLS + 1))
            if listed > MAX_COUNTED_CELLS:
                return None
            number *= listed
        return number

    def within(self, components: Sequence[Places], most: int) -> bool:
        """Return whether the cells of some components are few enough to be listed."""
        number = 1
        for positions in components:
            number *= sum(1 for _ in islice(self.of(positions), most + 1))
            if number > most:
                return False
        return True

    def ends(self, fixed: Mapping[int, int] | None = None) -> tuple[Numbers, Numbers] | None:
        """Return two records that are far apart: the first and the last of every component.

        Args:
            fixed: by place, levels that both have; None is returned if no record has them.
        """
        first, last = [0] * len(self.sizes), [0] * len(self.sizes)
        for positions in self.components:
            answer = next(self.of(positions, fixed=fixed), None)
            other = next(self.of(positions, backwards=True, fixed=fixed), None)
            if answer is None or other is None:
                return None
            for at, place in enumerate(positions):
                first[place], last[place] = answer[at], other[at]
        return tuple(first), tuple(last)

    def some(self, components: Sequence[Places]) -> Iterator[Numbers]:
        """Yield possible records that run through the cells of some components only.

        The other components stay at their first possible cell; nothing is yielded if one has none.
        """
        base = [0] * len(self.sizes)
        for positions in self.components:
            if positions not in components:
                first = next(self.of(positions), None)
                if first is None:
                    return
                for place, level in zip(positions, first, strict=True):
                    base[place] = level
        listed = [list(self.of(positions)) for positions in components]
        for chosen in product(*listed):
            levels = list(base)
            for positions, part in zip(components, chosen, strict=True):
                for place, level in zip(positions, part, strict=True):
                    levels[place] = level
            yield tuple(levels)

    def several(self, places: Places) -> bool:
        """Return False only if some attributes have a single combination of levels that can occur.

        True without proof if the first ``MAX_COUNTED_CELLS`` cells do not decide.
        """
        if self.space.product_cells:
            return any(self.sizes[place] > 1 for place in places)
        for positions in self.components:
            inside = [at for at, place in enumerate(positions) if place in places]
            if not inside:
                continue
            answers = set()
            for number, levels in enumerate(self.of(positions)):
                answers.add(tuple(levels[at] for at in inside))
                if len(answers) > 1 or number >= MAX_COUNTED_CELLS:
                    return True
        return False


def places_of_answers(answers: Answers) -> dict[Coordinate, int]:
    """Return the index of every coordinate of an answer, in the order of ``model.query.width``.

    For several queries, all margins come first, then all matrices.
    """
    places: dict[Coordinate, int] = {}
    for at, margin in enumerate(answers.margins):
        for cell, _ in enumerate(product(*(range(answers.sizes[place]) for place in margin))):
            places[at, cell] = len(places)
    for at, matrix in enumerate(answers.matrices, len(answers.margins)):
        for row, _ in enumerate(matrix):
            places[at, row] = len(places)
    return places
