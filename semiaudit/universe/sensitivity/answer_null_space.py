"""The null space of the invariants: possible differences of answers with equal invariants.

Let T = C phi. The rows of C are solved for, over the coordinates of the answer. Every answer also
has linear relations (for example, two margins have one total, or the count of a structural zero is
0). N is the null space of both: the unique subspace of differences of answers on which C is 0, for
any choice of C.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

from semiaudit.frozen import cached_property, dataclass
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants.constraint import (
    Constraint,
)
from semiaudit.numeric.matrices import inverse
from semiaudit.numeric.row_space import Row, RowSpace, TooLongError
from semiaudit.universe.sensitivity.answers import Answers, Coordinate, Records
from semiaudit.universe.system.components import cell_of, rows_over

MAX_SOLVED = 20_000
"""Tables of more possible cells are not solved for C."""

MAX_ROWS = 150
"""The most rows of C whose Gram matrix is inverted in fractions."""

MAX_SHARES = 3_000_000
"""The most products of fractions for the diagonal of a projector."""

Sparse = dict[int, int]
"""A row over cells: coefficients by cell, without zeros."""

Vector = Sequence[int | Fraction]


@dataclass(frozen=True, slots=True)
class AnswerEquations:
    """The linear equations that the invariants imply for an answer.

    Attributes:
        coordinates: coordinates of the answer that some record changes (all rows of a matrix).
        columns: the contribution of each possible record, in the order of the table's cells.
        rows: C over the coordinates, one row for each row of T; None if T is not linear in the
            answer.
        relations: rows over the coordinates that are 0 for every answer.
    """

    coordinates: list[Coordinate]
    columns: list[dict[Coordinate, int]]
    rows: list[Row] | None
    relations: list[Row]


def answer_equations(
    space: TableSpace, answers: Answers, constraints: Sequence[Constraint]
) -> AnswerEquations | None:
    """Compute C and the relations of the answers; None if that takes too long.

    A single elimination computes both; its additional columns record the coordinates of each row.
    If every possible record has a coordinate of its own, the rows of T are those of C.

    Args:
        constraints: linear and published.
    """
    table = _AnsweredTable.of(space, answers)
    if table is None:
        return None
    width = len(table.cells)
    if table.is_identity:
        own = [next(iter(column)) for column in table.columns]
        place = {coordinate: at for at, coordinate in enumerate(table.coordinates)}
        published = table.published(space, constraints)
        whole = [{place[own[c]]: Fraction(k) for c, k in row.items()} for row in published]
        return AnswerEquations(table.coordinates, table.columns, whole, [])
    answered = RowSpace(width=width)
    rows: list[Row] = []
    try:
        relations = table.relations(answered)
        for equation in table.published(space, constraints):
            residual = answered.rest(equation)
            if any(c < width for c in residual):
                return AnswerEquations(table.coordinates, table.columns, None, relations)
            rows.append({c - width: -k for c, k in residual.items()})
    except TooLongError:
        return None
    return AnswerEquations(table.coordinates, table.columns, rows, relations)


def enclosing_equations(
    space: TableSpace, answers: Answers, constraints: Sequence[Constraint]
) -> AnswerEquations | None:
    """Compute the relations of answers to changes that the invariants allow.

    None if that takes too long.

    Their null space is Q(ker C), for the query Q. It contains every change inside D_t, whether or
    not the invariants are a function of the answer; if they are, it is N.

    Args:
        constraints: linear and published.
    """
    table = _AnsweredTable.of(space, answers)
    if table is None:
        return None
    try:
        published = RowSpace(table.published(space, constraints), width=len(table.cells))
        relations = table.relations(published)
    except TooLongError:
        return None
    return AnswerEquations(table.coordinates, table.columns, [], relations)


@dataclass(frozen=True, slots=True)
class _AnsweredTable:
    cells: list[int]
    columns: list[dict[Coordinate, int]]
    coordinates: list[Coordinate]

    @classmethod
    def of(cls, space: TableSpace, answers: Answers) -> _AnsweredTable | None:
        possible = Records(space)
        if not possible.within(possible.components, MAX_SOLVED):
            return None
        records = list(possible.some(possible.components))
        columns = [dict(answers.column(levels)) for levels in records]
        cells = [cell_of(levels, answers.sizes) for levels in records]
        return cls(cells, columns, _coordinates(answers, columns))

    @property
    def is_identity(self) -> bool:
        """Return whether each coordinate counts the records of one possible cell, and only them."""
        single = all(list(column.values()) == [1] for column in self.columns)
        return single and len({c for column in self.columns for c in column}) == len(self.columns)

    def published(self, space: TableSpace, constraints: Sequence[Constraint]) -> list[Sparse]:
        """Return the rows of C over the possible records."""
        place = {cell: c for c, cell in enumerate(self.cells)}
        rows = rows_of(space, constraints)
        return [{place[c]: k for c, k in row.items() if c in place} for row in rows]

    def relations(self, known: RowSpace) -> list[Row]:
        """Add every coordinate's row, with its index, to the known rows.

        Return the combinations of coordinates that were known before.
        """
        width, relations = len(self.cells), []
        for at, coordinate in enumerate(self.coordinates):
            row = {
                c: column[coordinate]
                for c, column in enumerate(self.columns)
                if coordinate in column
            }
            row[width + at] = 1
            if not known.add(row):
                relations.append({c - width: k for c, k in known.rest(row).items()})
        return relations


def rows_of(
    space: TableSpace,
    constraints: Sequence[Constraint],
    only: Sequence[tuple[int, ...]] | None = None,
) -> list[Sparse]:
    """Return the rows of published values over cells of the table.

    Args:
        only: the cells; by default all of them, row-major.
    """
    sizes = [attribute.size for attribute in space.attributes]
    cells = list(product(*map(range, sizes))) if only is None else only
    return [row for c in constraints for row in rows_over(space, c, cells).values()]


def _coordinates(answers: Answers, columns: Sequence[Mapping[Coordinate, int]]) -> list[Coordinate]:
    """Return the coordinates of the answer that can be nonzero; all rows of a matrix."""
    if answers.matrix is not None:
        return [(0, row) for row in range(len(answers.matrix))]
    return sorted({coordinate for column in columns for coordinate in column})


@dataclass(frozen=True)
class AnswerNullSpace:
    """N, within all coordinates of a query's answer.

    Attributes:
        width: the number of coordinates.
        active: the coordinates that some record changes; the vectors of N are 0 elsewhere.
        rows: independent rows over all coordinates whose common null space is N, except for the
            coordinates that are not active.
    """

    width: int
    active: tuple[int, ...]
    rows: tuple[Row, ...]

    @property
    def dimension(self) -> int:
        """Return the dimension of N."""
        return len(self.active) - len(self.rows)

    def holds(self, vector: Vector) -> bool:
        """Return whether a vector is in N."""
        active = set(self.active)
        if any(value and at not in active for at, value in enumerate(vector)):
            return False
        return not any(_times(row, vector) for row in self.rows)

    @property
    def projects(self) -> bool:
        """Return whether N is small enough to project on it."""
        return len(self.rows) <= MAX_ROWS

    def project(self, vector: Vector) -> tuple[Fraction, ...]:
        """Project orthogonally on N: v - C'(CC')^-1 C v (Gao, Gong and Yu, section 2.1)."""
        active = set(self.active)
        projection = [
            Fraction(value) if at in active else Fraction(0) for at, value in enumerate(vector)
        ]
        outside = [_times(row, projection) for row in self.rows]
        for row, weights in zip(self.rows, self._inverse, strict=True):
            factor = sum((a * b for a, b in zip(weights, outside, strict=True)), Fraction(0))
            for at, k in row.items():
                projection[at] -= factor * k
        return tuple(projection)

    @cached_property
    def columns(self) -> tuple[dict[int, Fraction], ...]:
        """Return the column of every coordinate: its coefficients by row of an echelon form of C.

        In this form, nested totals are disjoint ones.
        """
        reduced = RowSpace(self.rows, limit=None)
        columns: tuple[dict[int, Fraction], ...] = tuple({} for _ in range(self.width))
        for at, pivot in enumerate(reduced.pivots):
            for place, k in reduced.row(pivot).items():
                columns[place][at] = k
        return columns

    @cached_property
    def shares(self) -> tuple[Fraction, ...] | None:
        """Return the diagonal of the projector on N; None if it takes too long.

        For a column c of C, it is 1 - c'(CC')^-1 c. CC' is diagonal if no coordinate is in several
        rows.
        """
        kinds = Counter(tuple(self.columns[place].items()) for place in self.active)
        number, disjoint = len(self.rows), all(len(kind) < 2 for kind in kinds)
        if not disjoint and number**3 + len(kinds) * number**2 > MAX_SHARES:
            return None
        zero = Fraction(0)
        gram = [[zero] * (1 if disjoint else number) for _ in self.rows]
        for kind, times in kinds.items():
            for at, k in kind:
                for other, factor in kind:
                    gram[at][0 if disjoint else other] += times * k * factor
        if disjoint:
            known = {kind: 1 - sum(k * k / gram[at][0] for at, k in kind) for kind in kinds}
        else:
            numerators, denominator = inverse(gram)
            times_inverse = {
                kind: sum((a * b * numerators[i][j] for i, a in kind for j, b in kind), zero)
                for kind in kinds
            }
            known = {kind: 1 - value / denominator for kind, value in times_inverse.items()}
        shares = [zero] * self.width
        for place in self.active:
            shares[place] = Fraction(known[tuple(self.columns[place].items())])
        return tuple(shares)

    @cached_property
    def units(self) -> tuple[tuple[Fraction, ...], ...]:
        """Return the projector on N, row by row; its rows span N."""
        width = range(self.width)
        return tuple(self.project([int(at == place) for at in width]) for place in width)

    @cached_property
    def _inverse(self) -> Sequence[Sequence[Fraction]]:
        """Return (CC')^-1."""
        gram = [
            [sum((k * other.get(c, 0) for c, k in row.items()), Fraction(0)) for other in self.rows]
            for row in self.rows
        ]
        numerators, denominator = inverse(gram)
        return [[Fraction(k, denominator) for k in row] for row in numerators]


def null_space(
    equations: AnswerEquations, width: int, places: Mapping[Coordinate, int]
) -> AnswerNullSpace | None:
    """Compute N; None if T is not linear in the answer, or if it takes too long.

    Args:
        width: the number of coordinates of the answer.
        places: the place of each of them.
    """
    if equations.rows is None:
        return None
    at = [places[coordinate] for coordinate in equations.coordinates]
    independent, rows = RowSpace(), []
    try:
        for row in [*equations.relations, *equations.rows]:
            if independent.add(row):
                rows.append({at[c]: k for c, k in row.items()})
    except TooLongError:
        return None
    return AnswerNullSpace(width, tuple(sorted(at)), tuple(rows))


def _times(row: Row, vector: Vector) -> Fraction:
    return sum((k * vector[at] for at, k in row.items() if vector[at]), Fraction(0))
