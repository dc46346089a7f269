"""Margins that published rows imply: every count of one is a combination of the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import assert_never

from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants.constraint import (
    Constraint,
    SameCellSums,
    SameMargin,
    SameSize,
    SameSums,
    SameSupport,
    Within,
)
from semiaudit.model.published_invariants import size_of
from semiaudit.numeric.row_space import RowSpace, TooLongError
from semiaudit.universe.system.components import (
    Numbers,
    Places,
    PublishedRows,
    cell_of,
    levels_of,
    places_of,
    possible_cells,
)
from semiaudit.universe.system.decomposable import closure, is_determined_by

MAX_CELLS = 1_024
"""Rows over more cells are not compared with margins."""

MAX_ROWS = 256
"""The most rows that are examined for margins."""

MAX_ATTRIBUTES = 8
"""All sets of at most this many attributes are examined for margins."""


def margins_from_rows(
    release: Release,
    space: TableSpace,
    constraints: Sequence[Constraint],
    given: PublishedRows | None,
    margins: dict[Places, Numbers | None],
) -> dict[int, tuple[int, ...]] | None:
    """Add the margins that follow from rows. Return, for each invariant with implied rows, its
    other rows.

    Args:
        margins: the margins that are published as such; others are added.

    Returns:
        None if t contradicts itself. Rows that take too long to eliminate imply nothing more.
    """
    try:
        return _implied(release, space, constraints, given, margins)
    except TooLongError:
        return {}


def _implied(
    release: Release,
    space: TableSpace,
    constraints: Sequence[Constraint],
    given: PublishedRows | None,
    known_margins: dict[Places, Numbers | None],
) -> dict[int, tuple[int, ...]] | None:
    about = {place for c in constraints for place in places_of(space, c)}
    places = tuple(sorted(closure(space, about)))
    sizes = [space.attributes[place].size for place in places]
    several = [place for place in places if space.attributes[place].size > 1]
    if prod(sizes) > MAX_CELLS or len(several) > MAX_ATTRIBUTES:
        return {}
    cells = [levels_of(cell, sizes) for cell in possible_cells(space, places)]
    rows, values, owner = _rows(release, space, constraints, given, places, cells)
    if not cells or len(rows) > MAX_ROWS:
        return {}
    published = _span(rows, len(cells))
    equations: list[tuple[list[int], int]] = []
    # The largest sets come first: a set inside a known margin adds nothing. A set determines the
    # levels of its parents, so only sets with their parents are examined.
    for length in range(len(several), -1, -1):
        for chosen in combinations(several, length):
            full = tuple(sorted(closure(space, chosen) & set(several)))
            if not chosen and space.size is not None:
                continue
            if full != chosen or any(
                is_determined_by(space, chosen, o, strict=False) for o in known_margins
            ):
                continue
            margin = _margin(published, values, places, cells, chosen)
            if margin is None:
                continue
            # The values are exact rationals. A count of datasets is whole and not negative, so any
            # other value shows that no dataset has this t.
            counts = _flat(space, chosen, margin) if given is not None else None
            if given is not None and counts is None:
                return None
            known_margins[chosen] = counts
    for own, counts in known_margins.items():
        equations += _margin_rows(space, places, cells, own, counts)
    margins = _span([row for row, _ in equations], len(cells))
    known = [value for _, value in equations]
    left: dict[int, list[int]] = {}
    implied: set[int] = set()
    number: Counter[int] = Counter()
    for row, value, i in zip(rows, values, owner, strict=True):
        if i < 0 or not isinstance(constraints[i], SameSums | SameCellSums):
            continue
        # An implied row can be dropped: it is a combination of margins, and these are combinations
        # of the published rows, so both spellings define the same D_t. Its value must be that
        # combination.
        weights = margins.combination(dict(enumerate(row)))
        if weights is None:
            left.setdefault(i, []).append(number[i])
        else:
            implied.add(i)
            if given is not None and _value(weights, known) != value:
                return None
        number[i] += 1
    return {i: tuple(left.get(i, ())) for i in sorted(implied)}


def _span(rows: Sequence[Sequence[int]], width: int) -> RowSpace:
    return RowSpace.of_numbered((dict(enumerate(row)) for row in rows), width)


def _rows(
    release: Release,
    space: TableSpace,
    constraints: Sequence[Constraint],
    given: PublishedRows | None,
    places: Places,
    cells: Sequence[Numbers],
) -> tuple[list[list[int]], list[int], list[int]]:
    """Return the published rows over some cells, with values (0 without t) and invariants."""
    rows: list[list[int]] = []
    values: list[int] = []
    owner: list[int] = []
    size, fixed = size_of(release, space)
    # A row can only be used with a known value if t is given. Without t values are not used, and it
    # is enough that all of D_t shares the sum.
    if fixed and (size is not None or given is None):
        rows, values, owner = [[1] * len(cells)], [size or 0], [-1]
    sizes = [space.attributes[place].size for place in places]
    for i, constraint in enumerate(constraints):
        sums: list[list[int]] = []
        match constraint:
            case SameMargin():
                own = places_of(space, constraint)
                sums = [row for row, _ in _margin_rows(space, places, cells, own, None)]
            case SameSums():
                for terms in constraint.rows:
                    allowed = [
                        (
                            k,
                            [
                                (places.index(space.position(name)), set(indices))
                                for name, levels in where
                                for attribute in [space.attributes[space.position(name)]]
                                for indices in [attribute.indices(levels)]
                            ],
                        )
                        for k, where in terms
                    ]
                    sums.append(
                        [
                            sum(k for k, a in allowed if all(cell[at] in ok for at, ok in a))
                            for cell in cells
                        ]
                    )
            case SameCellSums():
                at = [cell_of(cell, sizes) for cell in cells]
                sums = [[row[cell] for cell in at] for row in constraint.rows]
            case SameSize() | SameSupport() | Within():
                pass  # no row of its own: the size is the first row
            case _:
                assert_never(constraint)
        rows += sums
        values += [0] * len(sums) if given is None else list(given.values.get(i, ()))[: len(sums)]
        owner += [i] * len(sums)
    return rows, values, owner


def _margin_rows(
    space: TableSpace,
    places: Places,
    cells: Sequence[Numbers],
    own: Places,
    counts: Numbers | None,
) -> list[tuple[list[int], int]]:
    at = [places.index(place) for place in own]
    sizes = [space.attributes[place].size for place in own]
    seen = [cell_of([cell[a] for a in at], sizes) for cell in cells]
    return [
        ([int(one == cell) for one in seen], counts[cell] if counts else 0)
        for cell in range(prod(sizes))
    ]


def _margin(
    published: RowSpace,
    values: Sequence[int],
    places: Places,
    cells: Sequence[Numbers],
    chosen: Places,
) -> dict[Numbers, Fraction] | None:
    at = [places.index(place) for place in chosen]
    own = [tuple([cell[a] for a in at]) for cell in cells]
    counts = {}
    for levels in dict.fromkeys(own):
        weights = published.combination({c: int(one == levels) for c, one in enumerate(own)})
        if weights is None:
            return None
        counts[levels] = _value(weights, values)
    return counts


def _value(weights: Sequence[Fraction], values: Sequence[int]) -> Fraction:
    return sum((w * v for w, v in zip(weights, values, strict=True) if w), Fraction(0))


def _flat(space: TableSpace, chosen: Places, margin: Mapping[Numbers, Fraction]) -> Numbers | None:
    """Return a margin's counts in row-major order; None if one is not a count."""
    counts = []
    for levels in product(*(range(space.attributes[place].size) for place in chosen)):
        count = margin.get(levels, Fraction(0))
        if count.denominator > 1 or count < 0:
            return None
        counts.append(int(count))
    return tuple(counts)
