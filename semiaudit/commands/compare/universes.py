"""Whether two releases have the same datasets: their domains, and their universes D_t."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Literal, assert_never

from semiaudit.errors import Mark
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.audit import Audit, Release
from semiaudit.model.dataspace import Dataspace, ListedSpace, ProductSpace, TableSpace
from semiaudit.model.invariants import Invariant
from semiaudit.model.invariants.constraint import SameMargin, SameSize, attributes_of
from semiaudit.model.invariants.kept import is_kept_by_sizes
from semiaudit.model.invariants.records import OrderedRecords
from semiaudit.model.mechanism import OtherRecords, parts_of
from semiaudit.model.published_invariants import ExampleDataset, PublishedCounts
from semiaudit.universe.system.invariant_normal_form import in_one_spelling

Containment = Literal["same", "inside", "around", "other"]
"""The containment of the first universe in the second; ``other`` if neither is known to be a part
of the other."""


def same_domain(first: Release, second: Release) -> bool:
    """Return whether D is the same, for any names of the protected unit's records.

    Statements on one table of other records must be equal; a release without such a table leaves it
    open.
    """
    ours, theirs = _others_of(first), _others_of(second)
    same = all(ours[key].touched == theirs[key].touched for key in ours.keys() & theirs.keys())
    return same and _domain_of(first) == _domain_of(second)


def containment(first: Audit, second: Audit) -> Containment:
    """Return the containment of D_t of the first in that of the second, for equal domains.

    The release that publishes more, with the same values, has the smaller D_t. If no values are
    given, it is about pairs of datasets that agree on the invariants, for any t.
    """
    inside, around = _is_inside(first, second), _is_inside(second, first)
    if inside and around:
        return "same"
    if inside or around:
        return "inside" if inside else "around"
    return "other"


def restricted(inner: Audit, outer: Audit) -> bool:
    """Return whether the outer release's D certainly covers neighbors that the inner one lacks."""
    return outer.universe.whole and inner.universe.restricts


def _is_inside(inner: Audit, outer: Audit) -> bool:
    if outer.universe.whole:
        return True
    published = [publication.invariant for publication in outer.release.published_invariants]
    if inner.universe.whole or is_kept_by_sizes(published):
        return False  # strata given by their sizes do not show which counts are kept
    known_values, wanted = _values_of(inner.release), _values_of(outer.release)
    return all(
        invariant in known_values and value in (None, known_values[invariant])
        for invariant, value in wanted.items()
    )


def _values_of(release: Release) -> Mapping[Hashable, Hashable]:
    """Return every invariant of every kind of records, with its published value.

    The value is None if none is given, as for other records.
    """
    plain = in_one_spelling(release)
    values: dict[Hashable, Hashable] = {
        _without_marks(invariant): _value_of(plain, place, invariant)
        for place, invariant in enumerate(plain.invariants)
    }
    for key, other in _others_of(release).items():
        values |= {(key, _without_marks(invariant)): None for invariant in other.invariants}
    return values


def _others_of(release: Release) -> Mapping[Hashable, OtherRecords]:
    """Return the tables of other records, by their statements; equal ones are numbered."""
    other_records: dict[Hashable, OtherRecords] = {}
    equal: Counter[Hashable] = Counter()
    for other in parts_of(release.mechanism, OtherRecords):
        space = _without_marks(other.dataspace)
        other_records[space, equal[space]] = other
        equal[space] += 1
    return other_records


def _value_of(release: Release, place: int, invariant: Invariant) -> Hashable:
    published, space = release.published, release.dataspace
    match published:
        case None:
            return None
        case ExampleDataset():
            return "value", invariant.value(OrderedRecords(published.records))
        case PublishedCounts():
            constraint = invariant.constraint
            if isinstance(constraint, SameMargin) and isinstance(space, TableSpace):
                return "counts", dict(published.margins).get(attributes_of(constraint, space))
            if isinstance(constraint, SameSize):
                return "size", published.size
            return "others", dict(published.others).get(place)
        case _:
            assert_never(published)


def _domain_of(release: Release) -> Hashable:
    space: Dataspace = release.dataspace
    any_size = False
    match space:
        case TableSpace():
            any_size = compares_sizes(release.adjacency.metric) and space.size is None
            if space.size is None and isinstance(release.published, PublishedCounts):
                space = replace(space, size=release.published.size)
            if any_size:
                space = replace(space, size=None)
        case ProductSpace() | ListedSpace():
            pass  # their sizes are their own
        case _:
            assert_never(space)
    return any_size, _without_marks(replace(space, unit=""))


def _without_marks(value: object) -> Hashable:
    if isinstance(value, tuple):
        return tuple(map(_without_marks, value))
    if is_dataclass(value) and not isinstance(value, type):
        parts = (getattr(value, field.name) for field in fields(value))
        kept = (_without_marks(part) for part in parts if not isinstance(part, Mark))
        return type(value).__name__, *kept
    return value if isinstance(value, Hashable) else repr(value)
