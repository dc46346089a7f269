"""The normal form of invariants: equivalent rows become margins, implied ones are dropped.

The datasets of every D_t stay the same, and so does everything that follows from them. Invariants
that are not recognized stay unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import assert_never

from semiaudit.errors import RefusedError
from semiaudit.frozen import dataclass
from semiaudit.model.audit import Release
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
from semiaudit.model.published_invariants import PublishedCounts, size_of
from semiaudit.universe.system.components import (
    Numbers,
    Places,
    PublishedRows,
    cell_of,
    levels_of,
    places_of,
)
from semiaudit.universe.system.decomposable import is_determined_by


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
    vacuous = {i for i, c in enumerate(constraints) if _is_vacuous(release, space, c)}
    normal = _implied_margins(release, space, constraints)
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
    kept = [i for i in range(len(constraints)) if i not in dropped]
    same = [with_rows(release.invariants[i], normal.rows.get(i)) for i in kept]
    as_is = {c.attributes for c in constraints if isinstance(c, SameMargin)}
    as_is |= {() for c in constraints if isinstance(c, SameSize)}
    if (
        len(margins) + len(same) == len(constraints)
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
                for at, i in enumerate(kept)
                if i in others
            ),
        )
    plain = replace(release, invariants=(*margins, *same), published=published)
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


def _is_vacuous(release: Release, space: TableSpace, constraint: Constraint) -> bool:
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


def _implied_margins(
    release: Release, space: TableSpace, constraints: Sequence[Constraint]
) -> ImpliedMargins | None:
    """Return the margins, in any form, and what they imply; None if t contradicts itself."""
    published = release.published if isinstance(release.published, PublishedCounts) else None
    given = PublishedRows(space, constraints, published) if published is not None else None
    margins: dict[Places, Numbers | None] = {}
    implied: set[int] = set()
    left: dict[int, tuple[int, ...]] = {}
    for i, constraint in enumerate(constraints):
        if isinstance(constraint, SameMargin):
            margins[places_of(space, constraint)] = given.values[i] if given else None
            implied.add(i)
        elif isinstance(constraint, SameSize):
            margins[()] = None if published is None or published.size is None else (published.size,)
            implied.add(i)
    if any(isinstance(c, SameSums | SameCellSums) for c in constraints):
        from semiaudit.universe.system.margins_in_rows import margins_from_rows

        rows = margins_from_rows(release, space, constraints, given, margins)
        if rows is None:
            return None
        implied |= {i for i, those in rows.items() if not those}
        left = {i: those for i, those in rows.items() if those}
    # A margin inside another one is a sum of its counts. Of two that determine each other, one
    # stays.
    largest = {
        places: values
        for places, values in margins.items()
        if not any(is_determined_by(space, places, other) for other in margins if other != places)
    }
    # Nothing follows from a t that contradicts itself: the invariants then stay in the spec's
    # words.
    if given is not None and not all(
        _agrees(space, places, values, largest) for places, values in margins.items()
    ):
        return None
    for i, constraint in enumerate(constraints):
        match constraint:
            case SameSupport() | Within():
                places = places_of(space, constraint)
                if not any(
                    is_determined_by(space, places, other, strict=False) for other in largest
                ):
                    continue
                # Without t, equal margins have equal occupied cells. With t, a bound is implied
                # only if the counts of the margins, which all of D_t shares, meet it.
                if isinstance(constraint, SameSupport):
                    if given is None:
                        implied.add(i)
                    continue
                if given is not None and _meets(space, constraint, largest):
                    implied.add(i)
            case SameMargin() | SameSize() | SameSums() | SameCellSums():
                pass  # handled above
            case _:
                assert_never(constraint)
    return ImpliedMargins(largest, frozenset(implied), left)


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
    largest: Mapping[Places, Numbers | None],
) -> bool:
    for other, counts in largest.items():
        determined = is_determined_by(space, places, other, strict=False) and counts is not None
        if (
            determined
            and values is not None
            and _counts(space, places, other, counts or ()) != values
        ):
            return False
    return True


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
