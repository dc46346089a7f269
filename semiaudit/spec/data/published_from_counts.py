"""From counts by level to the published value t; the counts themselves go no further."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import assert_never

from semiaudit.errors import Mark
from semiaudit.model.audit import PublishedCounts
from semiaudit.model.dataspace import Condition, TableSpace, condition_text
from semiaudit.model.invariants import Invariant, fix_the_size, known
from semiaudit.model.invariants.constraint import (
    SameCellSums,
    SameMargin,
    SameSize,
    SameSums,
    SameSupport,
    Within,
    attributes_of,
)

Names = tuple[str, ...]
Levels = tuple[int, ...]
Tallies = Mapping[Names, Mapping[Levels, int]]
"""For a set of attributes, in the order of the spec: level indices -> positive count."""


def groupings(space: TableSpace, invariants: Sequence[Invariant]) -> tuple[Names, ...]:
    """The sets of attributes whose counts tell t, and whether the data keep to the dataspace."""
    groups: dict[Names, None] = {}
    for invariant in known(invariants):
        names = names_of(space, invariant)
        if names:
            groups[names] = None
    for condition in space.impossible:
        groups[_ordered(space, (name for name, _ in condition))] = None
    for attribute in space.attributes:
        if attribute.within is not None:
            groups[_ordered(space, (attribute.name, attribute.within))] = None
    return tuple(groups)


def names_of(space: TableSpace, invariant: Invariant) -> Names:
    """The attributes that an invariant speaks of, in the order of the spec.

    None of what is no count of a table: it has no value that counts tell, and no audit.
    """
    constraint = invariant.constraint
    return () if constraint is None else attributes_of(constraint, space)


def size_is_fixed(space: TableSpace, invariants: Sequence[Invariant]) -> bool:
    """True if the dataspace or a published margin fixes the number of records."""
    return space.size is not None or fix_the_size(invariants)


def published_counts(
    space: TableSpace,
    invariants: Sequence[Invariant],
    size: int | None,
    tallies: Tallies,
    mark: Mark,
) -> PublishedCounts:
    """t: the value of every invariant.

    Args:
        size: the number of records, or None if t does not tell it.
        tallies: of every grouping of ``groupings``.
    """
    margins: dict[Names, tuple[int, ...]] = {}
    others: list[tuple[int, tuple[int, ...]]] = []
    for index, invariant in enumerate(known(invariants)):
        constraint = invariant.constraint
        names = names_of(space, invariant)
        sizes = [space.attributes[space.position(name)].size for name in names]
        match constraint:
            case SameMargin():
                if names not in margins:
                    # Tallies omit the cells without records, and each of these publishes a 0.
                    flat = [0] * prod(sizes)
                    for levels, number in tallies[names].items():
                        flat[_cell(levels, sizes)] = number
                    margins[names] = tuple(flat)
            case SameSupport():
                # Every tally is positive, so its cells are all that have records. A tally that is
                # missing is an error here, never an empty support.
                others.append((index, tuple(sorted(_cell(c, sizes) for c in tallies[names]))))
            case SameSums():
                counts = tallies[names]
                sums = (
                    sum(k * _matching(space, where, names, counts) for k, where in terms)
                    for terms in constraint.rows
                )
                others.append((index, tuple(sums)))
            case SameCellSums():
                cells = [(_cell(levels, sizes), n) for levels, n in tallies[names].items()]
                products = (sum(row[cell] * n for cell, n in cells) for row in constraint.rows)
                others.append((index, tuple(products)))
            case SameSize() | Within() | None:
                pass  # the size has a place of its own; a bound, and what is no count, has no value
            case _:
                assert_never(constraint)
    return PublishedCounts(size, tuple(margins.items()), tuple(others), mark)


def contradictions(
    space: TableSpace,
    invariants: Sequence[Invariant],
    tallies: Tallies,
    *,
    show_values: bool = True,
) -> Iterator[tuple[str, int | None]]:
    """Yield contradictions of the data to the dataspace and public bounds: (text, invariant).

    Only what the tallies at hand can tell is looked at.

    Args:
        show_values: say how many records it concerns, which may be confidential.
    """
    for condition in space.impossible:
        names = _ordered(space, (name for name, _ in condition))
        # Without the tally, nothing is known about the condition: no contradiction is claimed.
        if names not in tallies:
            continue
        number = _matching(space, condition, names, tallies[names])
        if number:
            have, description = _records(number, show_values), condition_text(condition)
            yield f"have {have} that dataspace.impossible rules out: {description}", None
    for attribute in space.attributes:
        if attribute.within is None:
            continue
        names = _ordered(space, (attribute.name, attribute.within))
        if names not in tallies:
            continue
        child, parent = names.index(attribute.name), names.index(attribute.within)
        # Such a record is in no dataset of D, so no guarantee over D would cover these data.
        wrong = sum(
            number
            for levels, number in tallies[names].items()
            if attribute.parents[levels[child]] != levels[parent]
        )
        if wrong:
            description = (
                f"have {_records(wrong, show_values)} whose {attribute.name} is in another"
            )
            yield f"{description} {attribute.within}", None
    for index, invariant in enumerate(known(invariants)):
        constraint = invariant.constraint
        match constraint:
            case Within():
                names = names_of(space, invariant)
                if names in tallies and not constraint.admits(
                    _matching(space, constraint.where, names, tallies[names])
                ):
                    yield f"{invariant} contradicts the data", index
            case SameSize() | SameMargin() | SameSums() | SameCellSums() | SameSupport() | None:
                pass  # all data have these values
            case _:
                assert_never(constraint)


def _records(number: int, show_values: bool) -> str:
    return f"{number} record{'s' * (number != 1)}" if show_values else "records"


def _ordered(space: TableSpace, names: Iterator[str] | Names) -> Names:
    return tuple(sorted(set(names), key=space.position))


def _cell(levels: Levels, sizes: Sequence[int]) -> int:
    cell = 0
    for level, size in zip(levels, sizes, strict=True):
        cell = cell * size + level
    return cell


def _matching(
    space: TableSpace, condition: Condition, names: Names, counts: Mapping[Levels, int]
) -> int:
    allowed = []
    for name, levels in condition:
        attribute = space.attributes[space.position(name)]
        allowed.append((names.index(name), set(attribute.indices(levels))))
    return sum(
        number
        for levels, number in counts.items()
        if all(levels[at] in indices for at, indices in allowed)
    )
