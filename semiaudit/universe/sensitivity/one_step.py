"""The change of the answer to a query by one record, anywhere in D.

Under the Hamming metrics, and if the size is fixed, one record becomes another: the vectors are
Q(e_i - e_j) over possible cells. Under ``symmetric_difference`` with a free size it enters or
leaves: they are Q e_i and its opposite.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb, prod
from typing import TYPE_CHECKING

from semiaudit.frozen import dataclass
from semiaudit.universe.sensitivity.answers import Answers, Column, Coordinate, Matrix, Records
from semiaudit.universe.system.components import cell_of

if TYPE_CHECKING:
    from semiaudit.numeric.modular_rank import Integers

MAX_COLUMNS = 1_500
"""The most distinct columns whose pairs are all compared, about a million pairs."""

MAX_COMPARED = 20_000_000
"""The most pairs of columns times rows of a matrix that are compared, with numpy."""

MAX_LISTED = 200_000
"""The most records that are listed, in Python, to find the distinct columns."""

MAX_POWER = 200
"""The most records for which the tables' changes are counted, by up to 20,000 products of
binomials."""


@dataclass(frozen=True, slots=True)
class Step:
    """The largest norms of one step, each with whether it is exact or an upper bound."""

    l1: int
    l2_squared: int
    linf: int
    exact_l1: bool = True
    exact_l2: bool = True
    exact_linf: bool = True

    @property
    def exact(self) -> bool:
        """Return whether every norm is exact."""
        return self.exact_l1 and self.exact_l2 and self.exact_linf


def one_step(answers: Answers, records: Records, *, pairs: bool) -> Step:
    """Return the norms of one step.

    Args:
        pairs: one record becomes another; otherwise it enters or leaves.
    """
    if answers.matrix is not None:
        return _of_matrix(answers, answers.matrix, records, pairs=pairs)
    if not pairs:
        size = len(answers.margins)
        return Step(size, size, min(size, 1))
    if answers.is_table:
        many = int(records.several(answers.relevant))
        return Step(2 * many, 2 * many, many)
    return _of_margins(answers, records)


def _of_margins(answers: Answers, records: Records) -> Step:
    """Return the step of margins: every margin in which two records differ changes by (1, -1)."""
    most = sum(records.several(places) for places in answers.margins)
    space = answers.space
    if space.product_cells or not most:
        return Step(2 * most, 2 * most, min(most, 1))
    ends = records.ends()
    if ends is not None:
        first, other = (answers.column(levels) for levels in ends)
        if sum(a != b for a, b in zip(first, other, strict=True)) == most:
            # These two records differ in every margin in which any two can.
            return Step(2 * most, 2 * most, 1)
    columns = distinct_columns(answers, records)
    if columns is None:
        return Step(2 * most, 2 * most, 1, exact_l1=False, exact_l2=False, exact_linf=False)
    best = 0
    for first, other in combinations(columns, 2):
        best = max(best, sum(a != b for a, b in zip(first, other, strict=True)))
        if best == most:
            break
    return Step(2 * best, 2 * best, min(best, 1))


def distinct_columns(
    answers: Answers, records: Records, most: int = MAX_COLUMNS
) -> list[Column] | None:
    """Return the distinct columns of possible records, in order; None if there are too many."""
    if answers.matrix is None and answers.space.product_cells:
        sizes = [answers.sizes[place] for place in answers.relevant]
        if prod(sizes) > most:
            return None
    columns: dict[Column, None] = {}
    if not records_listed(answers, records):
        return None
    relevant = set(answers.relevant)
    for levels in records.some([p for p in records.components if relevant & set(p)]):
        columns[answers.column(levels)] = None
        if len(columns) > most:
            return None
    return list(columns)


def records_listed(answers: Answers, records: Records) -> bool:
    """Return whether the records that the answer can distinguish are few enough to be listed."""
    relevant = set(answers.relevant)
    return records.within([p for p in records.components if relevant & set(p)], MAX_LISTED)


def _of_matrix(answers: Answers, rows: Matrix, records: Records, *, pairs: bool) -> Step:
    """With too many columns for all pairs, the widest step of each row is used: one step has at
    most all of these, so they are upper bounds on its norms.
    """
    columns = distinct_columns(answers, records)
    if columns is not None and not pairs:
        return Step(
            max((sum(abs(k) for _, k in column) for column in columns), default=0),
            max((sum(k * k for _, k in column) for column in columns), default=0),
            max((abs(k) for column in columns for _, k in column), default=0),
        )
    width = len({coordinate for column in columns or () for coordinate, _ in column})
    if columns is not None and comb(len(columns), 2) * width <= MAX_COMPARED:
        return _of_pairs(columns)
    possible = None
    if not answers.space.product_cells and records_listed(answers, records):
        possible = [cell_of(levels, answers.sizes) for levels in records.some(records.components)]
    reach = []
    for row in rows:
        entries = row if possible is None else [row[cell] for cell in possible]
        low, high = min(entries, default=0), max(entries, default=0)
        reach.append(high - low if pairs else max(high, -low))
    certain = answers.space.product_cells or possible is not None
    margins = [places for places in answers.margins if not pairs or records.several(places)]
    reach += [1] * (len(margins) * (2 if pairs else 1))
    return Step(
        sum(reach),
        sum(value * value for value in reach),
        max(reach, default=0),
        exact_l1=False,
        exact_l2=False,
        exact_linf=certain,
    )


def dense_columns(columns: Sequence[Column], coordinates: Sequence[Coordinate]) -> Integers:
    """Return columns x coordinates; as objects if squared differences need not fit 64 bits."""
    import numpy as np

    places = {coordinate: at for at, coordinate in enumerate(coordinates)}
    largest = max((abs(k) for column in columns for _, k in column), default=0)
    small = 4 * largest * largest * max(len(coordinates), 1) < 1 << 62
    dense = np.zeros((len(columns), len(coordinates)), dtype=np.int64 if small else object)
    for at, column in enumerate(columns):
        for coordinate, k in column:
            dense[at, places[coordinate]] = k
    return dense


def _of_pairs(columns: list[Column]) -> Step:
    import numpy as np

    coordinates = sorted({coordinate for column in columns for coordinate, _ in column})
    dense = dense_columns(columns, coordinates)
    l1 = l2_squared = linf = 0
    for at in range(len(columns) - 1):
        size = np.abs(dense[at + 1 :] - dense[at])
        if size.size:
            l1 = max(l1, int(size.sum(axis=1).max()))
            l2_squared = max(l2_squared, int((size * size).sum(axis=1).max()))
            linf = max(linf, int(size.max()))
    return Step(l1, l2_squared, linf)


def table_changes(cells: int, records: int, *, free: bool) -> int | None:
    """Return the number of changes of a table within this many records, including no change.

    Args:
        cells: possible cells.
        records: the most records that are exchanged or, with ``free``, enter or leave.
    """
    if records > MAX_POWER:
        return None
    if free:
        ways = range(min(cells, records) + 1)
        return sum((1 << p) * comb(cells, p) * comb(records, p) for p in ways)
    number = 1
    for moved in range(1, records + 1):
        for p in range(1, min(cells, moved) + 1):
            if cells > p:
                into = comb(cells - p + moved - 1, moved)
                number += comb(cells, p) * comb(moved - 1, p - 1) * into
    return number


def margins_rank(answers: Answers, *, pairs: bool) -> int:
    """Return the rank of the margins over product cells: the freedom of all interactions.

    Source: the orthogonal decomposition of tables into interactions (analysis of variance).
    """
    subsets = {
        frozenset(chosen)
        for places in answers.margins
        for number in range(len(places) + 1)
        for chosen in combinations(places, number)
    }
    return sum(
        prod(answers.sizes[place] - 1 for place in subset)
        for subset in subsets
        if subset or not pairs
    )
