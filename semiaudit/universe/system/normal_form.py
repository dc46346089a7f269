"""Invariants in one spelling: margins where rows amount to margins, and nothing that is implied.

The datasets of every D_t stay the same, and so does everything that follows from them. What is not
recognised stays as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import assert_never

from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import Invariant, Linear, Margin, Total, constraints_of
from semiaudit.model.invariants.constraint import (
    Constraint,
    SameCellSums,
    SameMargin,
    SameSize,
    SameSums,
    SameSupport,
    Within,
)
from semiaudit.model.published import PublishedCounts
from semiaudit.universe.solver.row_space import RowSpace
from semiaudit.universe.system.components import (
    Numbers,
    Places,
    PublishedRows,
    cell_of,
    levels_of,
    places_of,
    possible_cells,
)
from semiaudit.universe.system.decomposable import closure
from semiaudit.universe.system.size import size_of

MAX_CELLS = 1_024
"""Rows over more cells are not compared with margins: they are eliminated with numpy, in less than
a second."""

MAX_ROWS = 256
"""The same for the number of rows."""

MAX_ATTRIBUTES = 8
"""All sets of so many attributes are looked at for margins."""


@dataclass(frozen=True, slots=True)
class Told:
    """Margins that the invariants tell.

    Attributes:
        margins: places of attributes, with the counts where t is given; the largest ones only.
        implied: the places of the invariants that are functions of them.
        rows: for a matrix of which some rows are, the places of the others.
    """

    margins: Mapping[Places, Numbers | None]
    implied: frozenset[int]
    rows: Mapping[int, tuple[int, ...]]


def normal_form(release: Release) -> Release:
    """The same release with its invariants in one spelling, for tables over attributes.

    Raises:
        RefusedError: an invariant is no count of a table.
    """
    space = release.dataspace
    if not isinstance(space, TableSpace) or not space.attributes or not release.invariants:
        return release
    constraints = constraints_of(release.invariants)
    vacuous = {i for i, c in enumerate(constraints) if _is_vacuous(release, space, c)}
    told = _told(release, space, constraints)
    if told is None:
        return release
    dropped = vacuous | told.implied
    mark = release.invariants[0].mark
    margins: list[Invariant] = [
        Margin(tuple(space.attributes[place].name for place in places), mark)
        if places
        else Total(mark)
        for places in sorted(told.margins)
    ]
    kept = [i for i in range(len(constraints)) if i not in dropped]
    same = [_with_rows(release.invariants[i], told.rows.get(i)) for i in kept]
    if len(same) == len(constraints) and not told.rows:
        return release
    published = release.published
    if isinstance(published, PublishedCounts):
        flat = {
            tuple(space.attributes[place].name for place in places): values or ()
            for places, values in told.margins.items()
            if places
        }
        others = dict(published.others)
        size = published.size
        for values in told.margins.values():
            size = sum(values or ()) if size is None else size
        published = replace(
            published,
            size=size,
            margins=tuple(flat.items()),
            others=tuple(
                (len(margins) + at, tuple(others[i][row] for row in told.rows[i]))
                if i in told.rows
                else (len(margins) + at, others[i])
                for at, i in enumerate(kept)
                if i in others
            ),
        )
    return replace(release, invariants=(*margins, *same), published=published)


def _with_rows(invariant: Invariant, rows: Sequence[int] | None) -> Invariant:
    """A matrix with some of its rows; another invariant as it is."""
    if rows is None or not isinstance(invariant, Linear):
        return invariant
    return replace(invariant, rows=tuple(invariant.rows[row] for row in rows))


def _is_vacuous(release: Release, space: TableSpace, constraint: Constraint) -> bool:
    """True for a bound that every dataset meets."""
    if not isinstance(constraint, Within):
        return False
    size, _ = size_of(release, space)
    everyone = all(
        len({*space.attributes[space.position(name)].indices(levels)} - {None})
        == space.attributes[space.position(name)].size
        for name, levels in constraint.where
    )
    if everyone and size is not None:
        return constraint.admits(size)
    enough = constraint.most is None or (size is not None and constraint.most >= size)
    return constraint.least <= 0 and enough


def _told(release: Release, space: TableSpace, constraints: Sequence[Constraint]) -> Told | None:
    """The margins, in any spelling, and what they imply; None where t contradicts itself."""
    published = release.published if isinstance(release.published, PublishedCounts) else None
    given = PublishedRows(space, constraints, published) if published is not None else None
    found: dict[Places, Numbers | None] = {}
    implied: set[int] = set()
    left: dict[int, tuple[int, ...]] = {}
    for i, constraint in enumerate(constraints):
        if isinstance(constraint, SameMargin):
            found[places_of(space, constraint)] = given.values[i] if given else None
            implied.add(i)
        elif isinstance(constraint, SameSize):
            found[()] = None if published is None or published.size is None else (published.size,)
            implied.add(i)
    if any(isinstance(c, SameSums | SameCellSums) for c in constraints):
        rows = _from_rows(release, space, constraints, given, found)
        if rows is None:
            return None
        implied |= {i for i, those in rows.items() if not those}
        left = {i: those for i, those in rows.items() if those}
    largest = {
        places: values
        for places, values in found.items()
        if not any(_inside(space, places, other) for other in found if other != places)
    }
    if given is not None and not all(
        _agrees(space, places, values, largest) for places, values in found.items()
    ):
        return None
    for i, constraint in enumerate(constraints):
        match constraint:
            case SameSupport() | Within():
                places = places_of(space, constraint)
                if not any(_inside(space, places, other, strict=False) for other in largest):
                    continue
                if isinstance(constraint, SameSupport):
                    if given is None:
                        implied.add(i)
                    continue
                if given is not None and _meets(space, constraint, largest):
                    implied.add(i)
            case SameMargin() | SameSize() | SameSums() | SameCellSums():
                pass  # looked at above
            case _:
                assert_never(constraint)
    return Told(largest, frozenset(implied), left)


def _inside(space: TableSpace, places: Places, other: Places, *, strict: bool = True) -> bool:
    """True if another margin tells a margin; of two that tell each other the first one stays."""
    one, two = closure(space, places), closure(space, other)
    return one <= two and (not strict or one != two or other < places)


def _counts(space: TableSpace, places: Places, other: Places, values: Numbers) -> Numbers | None:
    """A margin from the counts of another one that tells it; None where a level is impossible."""
    sizes = [space.attributes[place].size for place in other]
    own = [space.attributes[place].size for place in places]
    found = [0] * prod(own)
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
        found[cell_of([levels[place] for place in places], own)] += count
    return tuple(found)


def _agrees(
    space: TableSpace,
    places: Places,
    values: Numbers | None,
    largest: Mapping[Places, Numbers | None],
) -> bool:
    """True if a margin has the counts that the largest margins tell, or none tells it."""
    for other, counts in largest.items():
        told = _inside(space, places, other, strict=False) and counts is not None
        if told and values is not None and _counts(space, places, other, counts or ()) != values:
            return False
    return True


def _meets(space: TableSpace, bound: Within, largest: Mapping[Places, Numbers | None]) -> bool:
    """True if the margins show that a bound is met."""
    allowed = {
        space.position(name): set(space.attributes[space.position(name)].indices(levels))
        for name, levels in bound.where
    }
    places = tuple(sorted(allowed))
    for other, values in largest.items():
        if values is not None and _inside(space, places, other, strict=False):
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


def _from_rows(
    release: Release,
    space: TableSpace,
    constraints: Sequence[Constraint],
    given: PublishedRows | None,
    found: dict[Places, Numbers | None],
) -> dict[int, tuple[int, ...]] | None:
    """Add the margins that rows amount to; the invariants with implied rows, and their others.

    Args:
        found: the margins that are published as such; others are added.

    Returns:
        None where t contradicts itself.
    """
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
    published = RowSpace(rows, len(cells))
    told: list[tuple[list[int], int]] = []
    for length in range(len(several), -1, -1):
        for chosen in combinations(several, length):
            full = tuple(sorted(closure(space, chosen) & set(several)))
            if not chosen and space.size is not None:
                continue
            if full != chosen or any(_inside(space, chosen, o, strict=False) for o in found):
                continue
            margin = _margin(published, values, places, cells, chosen)
            if margin is None:
                continue
            counts = _flat(space, chosen, margin) if given is not None else None
            if given is not None and counts is None:
                return None
            found[chosen] = counts
    for own, counts in found.items():
        told += _margin_rows(space, places, cells, own, counts)
    margins = RowSpace([row for row, _ in told], len(cells))
    known = [value for _, value in told]
    left: dict[int, list[int]] = {}
    implied: set[int] = set()
    number: Counter[int] = Counter()
    for row, value, i in zip(rows, values, owner, strict=True):
        if i < 0 or not isinstance(constraints[i], SameSums | SameCellSums):
            continue
        weights = margins.combination(row)
        if weights is None:
            left.setdefault(i, []).append(number[i])
        else:
            implied.add(i)
            if given is not None and _value(weights, known) != value:
                return None
        number[i] += 1
    return {i: tuple(left.get(i, ())) for i in sorted(implied)}


def _rows(
    release: Release,
    space: TableSpace,
    constraints: Sequence[Constraint],
    given: PublishedRows | None,
    places: Places,
    cells: Sequence[Numbers],
) -> tuple[list[list[int]], list[int], list[int]]:
    """Every published row over some cells, its value (0 without t) and its invariant's place."""
    rows: list[list[int]] = []
    values: list[int] = []
    owner: list[int] = []
    size, fixed = size_of(release, space)
    if fixed and (size is not None or given is None):
        rows, values, owner = [[1] * len(cells)], [size or 0], [-1]
    sizes = [space.attributes[place].size for place in places]
    for i, constraint in enumerate(constraints):
        found: list[list[int]] = []
        match constraint:
            case SameMargin():
                own = places_of(space, constraint)
                found = [row for row, _ in _margin_rows(space, places, cells, own, None)]
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
                    found.append(
                        [
                            sum(k for k, a in allowed if all(cell[at] in ok for at, ok in a))
                            for cell in cells
                        ]
                    )
            case SameCellSums():
                at = [cell_of(cell, sizes) for cell in cells]
                found = [[row[cell] for cell in at] for row in constraint.rows]
            case SameSize() | SameSupport() | Within():
                pass  # no row of its own: the size is the first one
            case _:
                assert_never(constraint)
        rows += found
        values += [0] * len(found) if given is None else list(given.values.get(i, ()))[: len(found)]
        owner += [i] * len(found)
    return rows, values, owner


def _margin_rows(
    space: TableSpace,
    places: Places,
    cells: Sequence[Numbers],
    own: Places,
    counts: Numbers | None,
) -> list[tuple[list[int], int]]:
    """A row for every combination of levels of some attributes, in order, and its count."""
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
    """The counts of a margin, by levels, as far as the rows tell all of them."""
    at = [places.index(place) for place in chosen]
    own = [tuple([cell[a] for a in at]) for cell in cells]
    found = {}
    for levels in dict.fromkeys(own):
        weights = published.combination([int(one == levels) for one in own])
        if weights is None:
            return None
        found[levels] = _value(weights, values)
    return found


def _value(weights: Sequence[Fraction], values: Sequence[int]) -> Fraction:
    return sum((w * v for w, v in zip(weights, values, strict=True) if w), Fraction(0))


def _flat(space: TableSpace, chosen: Places, margin: Mapping[Numbers, Fraction]) -> Numbers | None:
    """A margin's counts row-major; None where one is no count."""
    found = []
    for levels in product(*(range(space.attributes[place].size) for place in chosen)):
        count = margin.get(levels, Fraction(0))
        if count.denominator > 1 or count < 0:
            return None
        found.append(int(count))
    return tuple(found)
