"""The normal form of invariants: equivalent rows become margins, implied ones are dropped.

The datasets of every D_t stay the same, and so does everything that follows from them. Invariants
that are not recognized stay unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from math import prod
from typing import assert_never

from semiaudit import deadline
from semiaudit.deadline import GRACE, OutOfTimeError
from semiaudit.errors import RefusedError
from semiaudit.frozen import dataclass
from semiaudit.model.audit import PublishedCounts, Release, size_of
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of, margin_of, with_rows
from semiaudit.model.invariants.constraint import (
    Constraint,
    SameCellSums,
    SameMargin,
    SameSize,
    SameSums,
    SameSupport,
    Within,
)
from semiaudit.numeric.row_space import RowSpace, TooLongError
from semiaudit.universe.system.components import (
    Numbers,
    Places,
    PublishedRows,
    RowKey,
    cell_of,
    levels_of,
    places_of,
    possible_cells,
    rows_over,
)
from semiaudit.universe.system.decomposable import SupersetIndex, closure, is_determined_by

MAX_CELLS = 1_024
"""Rows over more cells are not compared with margins."""

MAX_ROWS = 1_024
"""The most rows that are examined for margins."""

MAX_ATTRIBUTES = 8
"""All sets of at most this many attributes are examined for margins."""

MAX_UNTIMED = 1_000
"""At most this many invariants are compared without a look at the deadline."""


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
    about = [places_of(space, constraint) for constraint in constraints]
    groups = [tuple(sorted(closure(space, {place for places in about for place in places})))]
    if not _is_small(space, groups[0]):
        # Counts of one attribute can be its margin, whatever the others are.
        sums = (at for at, c in zip(about, constraints, strict=True) if isinstance(c, SameSums))
        groups = [tuple(sorted(closure(space, at))) for at in dict.fromkeys(sums)]
    result: dict[int, tuple[int, ...]] = {}
    for places in filter(partial(_is_small, space), dict.fromkeys(groups)):
        deadline.check(GRACE)
        inside = {i: c for i, c in enumerate(constraints) if {*about[i]} <= {*places}}
        try:
            implied = _implied(release, space, inside, given, margins, places)
        except TooLongError:
            continue
        if implied is None:
            return None
        result |= implied
    return result


def _is_small(space: TableSpace, places: Places) -> bool:
    sizes = [space.attributes[place].size for place in places]
    return prod(sizes) <= MAX_CELLS and sum(size > 1 for size in sizes) <= MAX_ATTRIBUTES


def _implied(
    release: Release,
    space: TableSpace,
    constraints: Mapping[int, Constraint],
    published_rows: PublishedRows | None,
    known_margins: dict[Places, Numbers | None],
    places: Places,
) -> dict[int, tuple[int, ...]] | None:
    """Do the same with the constraints on some attributes, by their indices."""
    sizes = [space.attributes[place].size for place in places]
    several = [place for place in places if space.attributes[place].size > 1]
    cells = [levels_of(cell, sizes) for cell in possible_cells(space, places)]
    rows, values, keys = _rows(release, space, constraints, published_rows, places, cells)
    if not cells or len(rows) > MAX_ROWS:
        return {}
    published = RowSpace.of_numbered(rows, len(cells))
    equations: list[tuple[dict[int, int], int]] = []
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
            margin = _margin(published, values, _groups(places, cells, chosen))
            if margin is None:
                continue
            # The values are exact rationals. A count of datasets is whole and not negative, so any
            # other value shows that no dataset has this t.
            counts = _flat(space, chosen, margin) if published_rows is not None else None
            if published_rows is not None and counts is None:
                return None
            known_margins[chosen] = counts
    for own, counts in known_margins.items():
        if {*own} <= {*places}:
            sizes = [space.attributes[place].size for place in own]
            equations += [
                (row, counts[cell_of(levels, sizes)] if counts else 0)
                for levels, row in _groups(places, cells, own).items()
            ]
    margins = RowSpace.of_numbered([row for row, _ in equations], len(cells))
    known = [value for _, value in equations]
    remaining: dict[int, list[int]] = {}
    implied: set[int] = set()
    for row, value, (i, number) in zip(rows, values, keys, strict=True):
        if i < 0 or not isinstance(constraints[i], SameSums | SameCellSums):
            continue
        # An implied row can be dropped: it is a combination of margins, and these are combinations
        # of the published rows, so both spellings define the same D_t. Its value must be that
        # combination.
        weights = margins.combination(row)
        if weights is None:
            remaining.setdefault(i, []).append(number)
        else:
            implied.add(i)
            if published_rows is not None and _value(weights, known) != value:
                return None
    return {i: tuple(remaining.get(i, ())) for i in sorted(implied)}


def _rows(
    release: Release,
    space: TableSpace,
    constraints: Mapping[int, Constraint],
    given: PublishedRows | None,
    places: Places,
    cells: Sequence[Numbers],
) -> tuple[list[dict[int, int]], list[int], list[RowKey]]:
    """Return the published rows over some cells, with values (0 without t) and keys."""
    size, fixed = size_of(release, space)
    rows: list[tuple[RowKey, dict[int, int], int]] = []
    for i, constraint in constraints.items():
        if not isinstance(constraint, SameSize):  # the size is the last row
            for number, row in rows_over(space, constraint, cells, places).items():
                rows.append(((i, number), row, 0 if given is None else given[i, number]))
    # A row can only be used with a known value if t is given. Without t values are not used, and it
    # is enough that all of D_t shares the sum.
    if fixed and (size is not None or given is None):
        rows.append(((-1, 0), dict.fromkeys(range(len(cells)), 1), size or 0))
    return [row for _, row, _ in rows], [value for *_, value in rows], [key for key, *_ in rows]


def _margin(
    published: RowSpace, values: Sequence[int], groups: Mapping[Numbers, dict[int, int]]
) -> dict[Numbers, Fraction] | None:
    counts = {}
    for levels, row in groups.items():
        weights = published.combination(row)
        if weights is None:
            return None
        counts[levels] = _value(weights, values)
    return counts


def _groups(
    places: Places, cells: Sequence[Numbers], chosen: Places
) -> dict[Numbers, dict[int, int]]:
    """Return the row of each cell of a margin, by its levels."""
    at = [places.index(place) for place in chosen]
    groups: dict[Numbers, dict[int, int]] = {}
    for c, cell in enumerate(cells):
        groups.setdefault(tuple([cell[a] for a in at]), {})[c] = 1
    return groups


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


@dataclass(frozen=True, slots=True)
class ImpliedMargins:
    """The margins that the invariants imply.

    Attributes:
        margins: indices of attributes, with the counts if t is given; only the maximal ones.
        implied: the indices of the invariants that are functions of them.
        rows: for a matrix with some implied rows, the indices of the others.
    """

    margins: Mapping[Places, Numbers | None]
    implied: frozenset[int]
    rows: Mapping[int, tuple[int, ...]]


def normal_form(release: Release) -> Release:
    """Return the release with its invariants in normal form, for tables over attributes.

    Raises:
        RefusedError: an invariant is not a count of a table.
    """
    space = release.dataspace
    if not isinstance(space, TableSpace) or not space.attributes or not release.invariants:
        return release
    constraints = constraints_of(release.invariants)
    size, _ = size_of(release, space)
    vacuous = {i for i, c in enumerate(constraints) if _is_vacuous(size, space, c)}
    try:
        normal = _implied_margins(release, space, constraints)
    except OutOfTimeError:
        normal = None
    if normal is None:
        return release
    # Dropped bounds hold for every dataset, dropped invariants are functions of the margins, and
    # each added margin is a function of the invariants. So two datasets agree before if and only if
    # they agree after: every D_t stays the same.
    dropped = vacuous | normal.implied
    mark = release.invariants[0].mark
    margins = [
        margin_of([space.attributes[place].name for place in places], mark)
        for places in sorted(normal.margins)
    ]
    remaining = [i for i in range(len(constraints)) if i not in dropped]
    unchanged = [with_rows(release.invariants[i], normal.rows.get(i)) for i in remaining]
    as_is = {c.attributes for c in constraints if isinstance(c, SameMargin)}
    as_is |= {() for c in constraints if isinstance(c, SameSize)}
    if (
        len(margins) + len(unchanged) == len(constraints)
        and not normal.rows
        and len(as_is) == len(margins)
    ):
        return release
    published = release.published
    if isinstance(published, PublishedCounts):
        flat = {
            tuple(space.attributes[place].name for place in places): values or ()
            for places, values in normal.margins.items()
            if places
        }
        others = dict(published.others)
        size = published.size
        for values in normal.margins.values():
            # The counts of a margin are of all records, each once.
            size = sum(values or ()) if size is None else size
        published = replace(
            published,
            size=size,
            margins=tuple(flat.items()),
            others=tuple(
                (len(margins) + at, tuple(others[i][row] for row in normal.rows[i]))
                if i in normal.rows
                else (len(margins) + at, others[i])
                for at, i in enumerate(remaining)
                if i in others
            ),
        )
    plain = replace(release, invariants=(*margins, *unchanged), published=published)
    # This ends: the size of the plain release is known.
    if _size(release) is None and _size(plain) is not None:
        # Rows fixed the size: bounds that all datasets of this size meet are recognized now.
        return normal_form(plain)
    return plain


def in_one_spelling(release: Release) -> Release:
    """Return the normal form if all invariants are counts of a table; else the release itself."""
    try:
        return normal_form(release)
    except RefusedError:
        return release


def _size(release: Release) -> int | None:
    published = release.published
    return published.size if isinstance(published, PublishedCounts) else None


def _is_vacuous(size: int | None, space: TableSpace, constraint: Constraint) -> bool:
    if not isinstance(constraint, Within):
        return False
    everyone = all(
        len({*space.attributes[space.position(name)].indices(levels)} - {None})
        == space.attributes[space.position(name)].size
        for name, levels in constraint.where
    )
    if everyone and size is not None:
        return constraint.admits(size)
    enough = constraint.most is None or (size is not None and constraint.most >= size)
    return constraint.least <= 0 and enough


def _implied_margins(
    release: Release, space: TableSpace, constraints: Sequence[Constraint]
) -> ImpliedMargins | None:
    """Return the margins, in any form, and what they imply; None if t contradicts itself."""
    published = release.published if isinstance(release.published, PublishedCounts) else None
    rows_of = PublishedRows(space, constraints, published) if published is not None else None
    margins: dict[Places, Numbers | None] = {}
    implied: set[int] = set()
    remaining: dict[int, tuple[int, ...]] = {}
    for i, constraint in enumerate(constraints):
        if isinstance(constraint, SameMargin):
            margins[places_of(space, constraint)] = rows_of.values[i] if rows_of else None
            implied.add(i)
        elif isinstance(constraint, SameSize):
            margins[()] = None if published is None or published.size is None else (published.size,)
            implied.add(i)
    if any(isinstance(c, SameSums | SameCellSums) for c in constraints):
        rows = margins_from_rows(release, space, constraints, rows_of, margins)
        if rows is None:
            return None
        implied |= {i for i, numbers in rows.items() if not numbers}
        remaining = {i: numbers for i, numbers in rows.items() if numbers}
    # A margin inside another one is a sum of its counts. Of those that determine each other, the
    # first one stays.
    first_of: dict[frozenset[int], Places] = {}
    for places in sorted(margins):
        first_of.setdefault(closure(space, places), places)
    index = SupersetIndex(first_of)
    maximal = {
        places: closed
        for closed, places in first_of.items()
        if all(closed == other for other in index.containing(closed))
    }
    largest = {places: values for places, values in margins.items() if places in maximal}
    index = SupersetIndex(maximal[places] for places in largest)

    def determining(places: Places) -> dict[Places, Numbers | None]:
        """Return the largest margins that determine a margin."""
        if len(constraints) > MAX_UNTIMED:
            deadline.check(GRACE)
        own = closure(space, places)
        return {first_of[other]: margins[first_of[other]] for other in index.containing(own)}

    # A t that contradicts itself implies nothing, so the invariants keep the spec's words.
    if rows_of is not None and not all(
        _agrees(space, places, values, determining(places)) for places, values in margins.items()
    ):
        return None
    for i, constraint in enumerate(constraints):
        match constraint:
            case SameSupport() | Within():
                determined_by = determining(places_of(space, constraint))
                if not determined_by:
                    continue
                # Without t, equal margins have equal occupied cells. With t, a bound is implied
                # only if the counts of the margins, which all of D_t shares, meet it.
                if isinstance(constraint, SameSupport):
                    if rows_of is None:
                        implied.add(i)
                    continue
                if rows_of is not None and _meets(space, constraint, determined_by):
                    implied.add(i)
            case SameMargin() | SameSize() | SameSums() | SameCellSums():
                pass  # handled above
            case _:
                assert_never(constraint)
    return ImpliedMargins(largest, frozenset(implied), remaining)


def _counts(space: TableSpace, places: Places, other: Places, values: Numbers) -> Numbers | None:
    """Return a margin from the counts of one that determines it; None for impossible levels."""
    sizes = [space.attributes[place].size for place in other]
    own = [space.attributes[place].size for place in places]
    counts = [0] * prod(own)
    for cell, count in enumerate(values):
        if not count:
            continue
        levels = dict(zip(other, levels_of(cell, sizes), strict=True))
        for place in other:
            at = place
            while (name := space.attributes[at].within) is not None:
                above = space.position(name)
                if (
                    levels.setdefault(above, space.attributes[at].parents[levels[at]])
                    != (space.attributes[at].parents[levels[at]])
                ):
                    return None
                at = above
        counts[cell_of([levels[place] for place in places], own)] += count
    return tuple(counts)


def _agrees(
    space: TableSpace,
    places: Places,
    values: Numbers | None,
    determined_by: Mapping[Places, Numbers | None],
) -> bool:
    return values is None or all(
        counts is None or _counts(space, places, other, counts) == values
        for other, counts in determined_by.items()
    )


def _meets(space: TableSpace, bound: Within, largest: Mapping[Places, Numbers | None]) -> bool:
    allowed = {
        space.position(name): set(space.attributes[space.position(name)].indices(levels))
        for name, levels in bound.where
    }
    places = tuple(sorted(allowed))
    for other, values in largest.items():
        if values is not None and is_determined_by(space, places, other, strict=False):
            counts = _counts(space, places, other, values)
            sizes = [space.attributes[place].size for place in places]
            number = sum(
                count
                for cell, count in enumerate(counts or ())
                if all(
                    level in allowed[place]
                    for place, level in zip(places, levels_of(cell, sizes), strict=True)
                )
            )
            return counts is not None and bound.admits(number)
    return False
