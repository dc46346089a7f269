"""Everything that a release publishes exactly: the invariants, their records, and their values t.

A release with its own dataspace is about other records than those of the protected unit, and its
invariants are part of its mechanism. This list has them all, in one order: those of the protected
unit's records first. Whoever says what is published exactly, or how many records it leaves to the
datasets of D_t, reads it from here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from semiaudit.errors import NOWHERE, Mark, Refusal
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.dataspace import Dataset, TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameMargin, is_margin
from semiaudit.model.mechanism import Composition, Mechanism, OtherRecords, parts_of
from semiaudit.model.semi_adjacency import OwnInvariants

if TYPE_CHECKING:
    from semiaudit.model.audit import Release
    from semiaudit.model.frameworks import UniverseName
    from semiaudit.model.invariants import Invariant


@dataclass(frozen=True, slots=True)
class PublishedInvariant:
    """An invariant, and the records that it is about; as text, both in words.

    Attributes:
        other: the part of the mechanism whose records it is about; None for those of the
            protected unit.
    """

    invariant: Invariant
    other: OtherRecords | None = None

    def __str__(self) -> str:
        if self.other is None:
            return str(self.invariant)
        return f"{self.invariant} of {self.other.dataspace.unit} records"

    @property
    def key(self) -> str:
        """The name of the invariant in baselines and fingerprints, independent of its words."""
        if self.other is None:
            return self.invariant.key
        return f"{self.invariant.key} of {self.other.dataspace.unit} records"

    @property
    def mark(self) -> Mark:
        """The place of the invariant in the spec."""
        return self.invariant.mark


def published_invariants(
    invariants: Sequence[Invariant], mechanism: Mechanism
) -> tuple[PublishedInvariant, ...]:
    """The whole list: those of the protected unit's records, then part by part all others."""
    others = parts_of(mechanism, OtherRecords)
    return (
        *map(PublishedInvariant, invariants),
        *(PublishedInvariant(invariant, part) for part in others for invariant in part.invariants),
    )


def publishing_only(release: Release, places: Collection[int]) -> Release:
    """The release with the invariants at some places of its list, and without the others.

    Its published values are left as they are.
    """
    own = [at for at in range(len(release.invariants)) if at in places]
    invariants = tuple(release.invariants[at] for at in own)
    mechanism, _ = _keeping(release.mechanism, places, len(release.invariants))
    return replace(release, invariants=invariants, mechanism=mechanism)


def _keeping(mechanism: Mechanism, places: Collection[int], at: int) -> tuple[Mechanism, int]:
    """A mechanism whose parts on other records publish only what is kept.

    Args:
        at: the place in the list of the first invariant that its parts publish.

    Returns:
        The mechanism, and the place behind its last invariant.
    """
    if isinstance(mechanism, OtherRecords):
        invariants = mechanism.invariants
        kept = tuple(one for place, one in enumerate(invariants, at) if place in places)
        return replace(mechanism, invariants=kept), at + len(invariants)
    if not isinstance(mechanism, Composition):
        return mechanism, at
    parts = []
    for part, repeat in mechanism.parts:
        made, at = _keeping(part, places, at)
        parts.append((made, repeat))
    return replace(mechanism, parts=tuple(parts)), at


def own_invariants(release: Release) -> OwnInvariants | None:
    """Return whose invariants a(t) covers, if only those of the protected unit's records.

    Every pair of tables, of the protected unit's records and of the others, is a dataset unless
    the spec says that a unit touches other records. A unit that touches none changes without them,
    and the invariants of the others stay what they are: a(t) is then that of all invariants at
    once. Else nothing says which of the other records change, and the a(t) of all invariants may
    be smaller or larger.

    Returns:
        None if a(t) is of everything that is published exactly.
    """
    others = dict.fromkeys(
        part.dataspace.unit
        for part in parts_of(release.mechanism, OtherRecords)
        if part.invariants and part.touched.most
    )
    return OwnInvariants(release.dataspace.unit, tuple(others)) if others else None


def only_margin(published: Sequence[PublishedInvariant]) -> tuple[str, ...]:
    """Return the attributes of the margin that is all that is published exactly; else nothing."""
    if len(published) != 1 or published[0].other is not None:
        return ()
    constraint = published[0].invariant.constraint
    return constraint.attributes if isinstance(constraint, SameMargin) else ()


@dataclass(frozen=True, slots=True)
class PublishedCounts:
    """t for count invariants of a table.

    Attributes:
        size: the number of records n, or None if t does not determine it.
        margins: for each tuple of attribute names (in the order of the spec) the counts of all
            combinations of levels, row-major; the last attribute varies fastest.
        others: for the place of every other invariant in the spec its value: the sums that it
            fixes, or, if it fixes only which cells occur, these row-major cells, ascending.
        nesting: the order of attributes in which nested counts were read, where the spec does not
            tell it and their shape fits another one too.
    """

    size: int | None
    margins: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...]
    others: tuple[tuple[int, tuple[int, ...]], ...] = ()
    mark: Mark = NOWHERE
    nesting: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class ExampleDataset:
    """A dataset of an explicit dataspace; only its invariants are used, and they are t."""

    records: Dataset
    mark: Mark = NOWHERE


Published = PublishedCounts | ExampleDataset


def size_of(release: Release, space: TableSpace) -> tuple[int | None, bool]:
    """The number of records if it is known, and whether all of D_t has one size."""
    published = release.published if isinstance(release.published, PublishedCounts) else None
    fixed_by_margin = any(
        is_margin(constraint) for constraint in constraints_of(release.invariants)
    )
    size = space.size
    if size is None and published is not None:
        size = published.size
    fixed = space.size is not None or fixed_by_margin
    if not release.invariants and not compares_sizes(release.adjacency.metric):
        fixed = True
    return (size if fixed else None), fixed


def size_within(release: Release, space: TableSpace, universe: UniverseName) -> int | None:
    """The number of records that all datasets of a universe have; None if it is not one number.

    What is published says nothing of D under a metric that compares sizes: its datasets have every
    size, and a neighbor of a dataset with other invariants is one record larger or smaller.
    """
    if universe == "D" and compares_sizes(release.adjacency.metric):
        return space.size
    return size_of(release, space)[0]


def open_size(release: Release, space: TableSpace) -> Refusal:
    """Why a metric that compares datasets of one size cannot be used here."""
    return Refusal(
        f"{release.adjacency.metric} compares datasets of equal size, but the spec does "
        "not fix the size",
        "add dataspace.size, or add total to the invariants",
        path="dataspace",
        line=space.mark.line,
        column=space.mark.column,
    )
