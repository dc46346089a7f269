"""The span of sparse rational rows: membership, combinations, rank and kernel, exactly.

This is the program's one elimination. Rows stay sparse and are kept as integers in lowest terms,
which suits the 0/1 rows of published counts better than a dense matrix of a library does (decision
0048).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm

from semiaudit import deadline

MAX_OPERATIONS = 5_000_000
"""The most integer products in the eliminations of one span."""

ROWS_BETWEEN_CHECKS = 16
"""Rows that are reduced between two checks of the time limit."""

ZERO = Fraction(0)

Row = dict[int, Fraction]
"""Coefficients by column, without zeros."""

AnyRow = Mapping[int, int | Fraction]
"""Coefficients by column; zeros are allowed."""

Whole = dict[int, int]
"""Integer coefficients by column, without zeros."""


class TooLongError(Exception):
    """An elimination needs more operations than its limit."""


class RowSpace:
    """The span of the rows that were added, in reduced echelon form.

    Every row of the form has a pivot: a column in which it is not 0 and all other rows are 0.

    Args:
        width: columns from this index on are notes without pivots: after elimination, they show
            which combination of the added rows was subtracted. None for no notes.
        last: use the last column of a row as its pivot instead of the first.
        limit: the most integer products in all eliminations together; None for no limit.

    Raises (all methods):
        TooLongError: the limit is reached.
        OutOfTimeError: the deadline is reached.
    """

    def __init__(
        self,
        rows: Iterable[AnyRow] = (),
        *,
        width: int | None = None,
        last: bool = False,
        limit: int | None = MAX_OPERATIONS,
    ) -> None:
        self._width, self._last, self._limit = width, last, limit
        self._rows: dict[int, Whole] = {}
        self._users: dict[int, set[int]] = {}
        self._operations = self._added = 0
        for row in rows:
            self.add(row)

    @classmethod
    def of_numbered(cls, rows: Iterable[AnyRow], width: int) -> RowSpace:
        """Make the span of rows of a width, each with a note of its index, for ``combination``."""
        return cls(({**row, width + at: 1} for at, row in enumerate(rows)), width=width)

    @property
    def rank(self) -> int:
        """Return the dimension of the span."""
        return len(self._rows)

    @property
    def pivots(self) -> tuple[int, ...]:
        """Return the pivot columns, ascending."""
        return tuple(sorted(self._rows))

    def row(self, pivot: int) -> Row:
        """Return the row of the reduced form with a pivot, which is 1 there."""
        row = self._rows[pivot]
        return {place: Fraction(k, row[pivot]) for place, k in row.items()}

    def add(self, row: AnyRow) -> bool:
        """Add a row; return whether it was independent of the earlier ones."""
        self._added += 1
        if not self._added % ROWS_BETWEEN_CHECKS:
            deadline.check()
        reduced, _ = self._rest(_whole(row)[0])
        inside = reduced if self._width is None else [c for c in reduced if c < self._width]
        if not inside:
            return False
        pivot = max(inside) if self._last else min(inside)
        reduced = _lowest(reduced)
        for other in self._users.pop(pivot, set()):
            self._replace(other, pivot, reduced)
        self._rows[pivot] = reduced
        for place in reduced:
            if place != pivot:
                self._users.setdefault(place, set()).add(pivot)
        return True

    def rest(self, row: AnyRow) -> Row:
        """Reduce a row by the span: the rest is 0 in every pivot column."""
        whole, scale = _whole(row)
        reduced, factor = self._rest(whole)
        return {place: Fraction(k, factor * scale) for place, k in reduced.items()}

    def combination(self, row: AnyRow) -> tuple[Fraction, ...] | None:
        """Return coefficients of the added rows that sum to a row; None if it is not in the span.

        Raises:
            ValueError: the span has no notes.
        """
        if self._width is None:
            raise ValueError("the span of rows without notes keeps no combinations")
        reduced = self.rest(row)
        if any(place < self._width for place in reduced):
            return None
        noted = {place - self._width: -k for place, k in reduced.items()}
        return tuple([noted.get(at, ZERO) for at in range(self._added)])

    def kernel(self, width: int) -> list[Row]:
        """Return a basis of the vectors of a width whose product with every row is 0.

        Each basis vector is 1 in one column that is not a pivot, and 0 in all others of these.
        """
        basis: dict[int, Row] = {
            place: {place: Fraction(1)} for place in range(width) if place not in self._rows
        }
        for pivot, row in self._rows.items():
            for place, k in row.items():
                if place != pivot:
                    basis[place][pivot] = Fraction(-k, row[pivot])
        return list(basis.values())

    def _rest(self, row: Whole) -> tuple[Whole, int]:
        """Return a multiple of the reduced row, and the positive factor.

        The rows of the reduced form are 0 in the pivots of each other: one pass is enough.
        """
        pivots = [place for place in row if place in self._rows]
        if not pivots:
            return row, 1
        scale = lcm(*(self._rows[place][place] // gcd(row[place], self._rows[place][place])
                      for place in pivots))  # fmt: skip
        reduced = {place: k * scale for place, k in row.items()} if scale > 1 else dict(row)
        for pivot in pivots:
            other = self._rows[pivot]
            factor = reduced[pivot] // other[pivot]
            self._count(len(other))
            for place, k in other.items():
                changed = reduced.get(place, 0) - factor * k
                if changed:
                    reduced[place] = changed
                else:
                    reduced.pop(place, None)
        return reduced, scale

    def _replace(self, at: int, pivot: int, new: Whole) -> None:
        row = self._rows[at]
        common = gcd(row[pivot], new[pivot])
        times, factor = new[pivot] // common, row[pivot] // common
        self._count(len(new))
        if times < 0:
            times, factor = -times, -factor
        if times > 1:
            row = {place: k * times for place, k in row.items()}
        for place, k in new.items():
            changed = row.get(place, 0) - factor * k
            if changed:
                row[place] = changed
                if place != pivot:
                    self._users.setdefault(place, set()).add(at)
            else:
                row.pop(place, None)
                if place != pivot and place in self._users:
                    self._users[place].discard(at)
        self._rows[at] = _lowest(row) if times > 1 else row

    def _count(self, operations: int) -> None:
        self._operations += operations
        if self._limit is not None and self._operations > self._limit:
            raise TooLongError


def unique_solution(
    rows: Sequence[AnyRow], values: Sequence[int], unknowns: int
) -> tuple[Fraction, ...] | None:
    """Return the only solution of rows x = values; None if it is not unique or takes too long.

    Rows that are not needed are not checked: substitute the solution to check the system for
    contradictions.

    Args:
        rows: coefficients by the index of the unknown.
        values: one for each row.
        unknowns: the number of unknowns.
    """
    if len(rows) < unknowns:
        return None
    space = RowSpace(width=unknowns)
    try:
        for row, value in zip(rows, values, strict=True):
            space.add({**row, unknowns: value})
            if space.rank == unknowns:
                break
    except TooLongError:
        return None
    if space.rank < unknowns:
        return None
    return tuple(space.row(place).get(unknowns, Fraction(0)) for place in range(unknowns))


def _whole(row: AnyRow) -> tuple[Whole, int]:
    scale = lcm(*(k.denominator for k in row.values()))
    if scale == 1:
        return {place: int(k) for place, k in row.items() if k}, 1
    return {place: int(k * scale) for place, k in row.items() if k}, scale


def _lowest(row: Whole) -> Whole:
    shared = gcd(*row.values())
    return {place: k // shared for place, k in row.items()} if shared > 1 else row
