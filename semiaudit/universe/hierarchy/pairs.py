"""All kinds of pairs of datasets of a hierarchical release, and the queries that each changes.

A record that changes moves two cells of a query by 1, both in D and in D_t. At distance k, the
worst pair for independent log-concave noise is k identical records that move together, which moves
the same cells by k: joining moves only increases the loss (E15; docs/theory/queries.md, One pair
that dominates). In pairs that keep an invariant by a compensating move, cells of different units
move separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from semiaudit.frozen import dataclass
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameMargin, SameSize
from semiaudit.model.published_invariants import PublishedCounts
from semiaudit.model.topdown import Move, SecretPair, TopDown, TopDownQuery
from semiaudit.universe.hierarchy.changes import RecordChange, RecordChanges, Zeros, changes
from semiaudit.universe.hierarchy.indistinguishable_places import Places
from semiaudit.universe.hierarchy.places import Geography
from semiaudit.universe.hierarchy.ways import TOP, Way, Ways, Zones


@dataclass(frozen=True)
class Pairs:
    """The pairs of datasets of one mechanism under the invariants of a release."""

    geography: Geography
    release: Release

    @property
    def part(self) -> TopDown:
        """Return the mechanism."""
        return self.geography.part

    @cached_property
    def attributes(self) -> frozenset[str]:
        """Return all attributes of a record except its place."""
        names = {a.name for a in self.geography.space.attributes}
        return frozenset(names) - self.zones.names

    @cached_property
    def zones(self) -> Zones:
        """Return the structural zeros by place."""
        return Zones(self.geography)

    def changes(self, free: frozenset[str], must: frozenset[str] | None = None) -> RecordChanges:
        """Return the largest changes of a record in some attributes, in any place.

        Zeros that name geography are ignored, which only adds changes.

        Args:
            must: attributes of which at least one changes; None if the record's place changes.
        """
        all_changes = self.listed(free, must, (self.zones.everywhere, self.zones.everywhere))
        return (
            all_changes
            if self.zones.none or not all_changes.largest
            else replace(all_changes, attained=False)
        )

    def listed(
        self, free: frozenset[str], must: frozenset[str] | None, zeros: Zeros
    ) -> RecordChanges:
        """Return the largest changes if these zeros hold before and after."""
        space, queries = self.geography.space, self.part.queries
        return changes(space, queries, free, must, self.zones.names, zeros)

    def moves(
        self, free: frozenset[str], must: frozenset[str], ways: Ways, size: int = 1
    ) -> tuple[tuple[Move, ...], bool]:
        """Return the largest moves of records that change and go some ways.

        And whether each exists.

        Args:
            must: attributes of which at least one changes if a record stays. size: the number of
                records.
        """
        alternatives, known = ways
        moves: dict[Move, None] = {}
        for way in alternatives:
            of_way = self.listed(free, None if way.goes else must, way.zeros)
            known = known and of_way.attained
            moves |= dict.fromkeys(self.moved(c, way.apart, size) for c in of_way.largest)
        return tuple(m for m in moves if not any(m != o and _covers(o, m) for o in moves)), known

    @property
    def free(self) -> frozenset[str]:
        """Return the attributes that a record can change alone inside D_t."""
        return self.attributes - self.geography.frozen

    def room(self, distance: int) -> bool:
        """Return whether datasets can have this many identical records."""
        return self.size is None or self.size >= distance

    @property
    def size(self) -> int | None:
        """Return the number of records, if it is known."""
        size = self.geography.space.size
        if size is None and isinstance(self.release.published, PublishedCounts):
            size = self.release.published.size
        return size

    def known_inside(self, distance: int) -> bool:
        """Return whether only the margins restrict D_t, with room for this many identical records.

        Their values are open, or the value of every fixed unit is as large and nothing else is
        published.
        """
        if self.geography.others or self.release.source is not None or not self.room(distance):
            return False
        published = self.release.published
        if published is None:
            return True
        fixed = (self.geography.fixed,)
        if not isinstance(published, PublishedCounts) or set(self.geography.margins) != {fixed}:
            return False
        counts = dict(published.margins).get((self.geography.fixed or "",), ())
        return min(counts, default=0) >= distance

    def together(self, universe: UniverseName, places: Places, distance: int) -> SecretPair:
        """Let ``distance`` identical records change together, as much as the universe allows."""
        inside = universe == "D_t"
        free = self.free if inside else self.attributes
        listed, known = self.moves(free, free, self._ways(universe, places), distance)
        moves = list(listed)
        known = known and (self.known_inside(distance) if inside else self.room(distance))
        if distance > 1 and len(moves) > 1:
            moves, known = [largest_of(moves)], False
        if inside and distance > 1:
            bound = self.bounded(places, distance)
            known = known and moves == [bound]
            moves = [bound]
        if inside and not self.geography.sure:
            known = False
        who = (
            "a record changes" if distance == 1 else f"{_number(distance)} identical records change"
        )
        description = f"{who} in all attributes" + (
            f" inside {places.description}" if places.description else ""
        )
        return SecretPair(
            "", universe, description, distance, places.description, tuple(moves), known
        )

    def _ways(self, universe: UniverseName, places: Places) -> Ways:
        goes, known = self.goes(universe, places)
        stays, sure = self.zones.stays(places)
        if goes and self.zones.none:
            return goes, known
        return (*goes, *stays), known and sure

    def goes(self, universe: UniverseName, places: Places) -> Ways:
        """Return all ways of a record to another place.

        This includes places that no level of the spine distinguishes.
        """
        goes, known = self.zones.goes(TOP, places)
        if (goes and self.zones.none) or not self._moves_off_spine(universe):
            return goes, known
        everywhere = self.zones.everywhere
        return (*goes, Way(frozenset(), (everywhere, everywhere))), known and self.zones.none

    def can_move(self, universe: UniverseName, places: Places) -> bool:
        """Return whether a record can go to another place.

        A level, or only the dataspace, can distinguish the places.
        """
        return any(places.several) or self._moves_off_spine(universe)

    def _moves_off_spine(self, universe: UniverseName) -> bool:
        geography = self.geography
        still = geography.frozen if universe == "D_t" else frozenset[str]()
        for name in geography.nested_attributes - still:
            attribute = geography.attribute(name)
            held = Counter(attribute.parents[at] for at in geography.living(name))
            if max(held.values(), default=0) > 1:
                return True
        return False

    def bounded(self, places: Places, distance: int) -> Move:
        """Return an upper bound on every pair of D_t up to a distance.

        It contains everything that is not a function of the margins.
        """
        upper = self.changes(self.attributes)
        moves = [self.moved(c, self.all_levels, distance) for c in upper.largest]
        most = largest_of(moves) if moves else ((),) * len(self.part.noisy)
        return tuple(
            () if self.geography.is_function(noisy.level, noisy.query, places) else sizes
            for noisy, sizes in zip(self.part.noisy, most, strict=True)
        )

    @cached_property
    def all_levels(self) -> frozenset[int]:
        """Return the levels of which D has several units."""
        return frozenset(
            p for p, several in enumerate(self.geography.everywhere.several) if several
        )

    def moved(self, change: RecordChange, apart: frozenset[int], size: int, times: int = 1) -> Move:
        """Return the move of a change of records that also go to other units at some levels.

        Args:
            apart: the levels at which they do. size: the number of records that move together.
            times: the number of units in which the same change happens.
        """
        return tuple(
            (size,) * (times * (change.apart if n.level in apart else change.same)[n.query])
            for n in self.part.noisy
        )

    @property
    def determine_margins(self) -> bool:
        """Return whether every margin is a sum of counts of a query: T is linear in the queries."""
        return all(
            any(
                self._determines(noisy.level, self.part.queries[noisy.query], margin)
                for noisy in self.part.noisy
            )
            for margin in self.geography.margins
        )

    def _determines(self, level: int, query: TopDownQuery, margin: tuple[str, ...]) -> bool:
        above = self.geography.spine[: level + 1]
        places = {n for one in above if one.attribute for n in self.geography.chain(one.attribute)}
        seen = {recode.name for recode in query.tells if recode.groups is None}
        return not query.where and set(margin) <= places | self.geography.determined_by(tuple(seen))

    def worst(self, universe: UniverseName, distance: int) -> SecretPair:
        """Return the worst pair of a universe up to a distance, in any place."""
        if self.size is not None:
            distance = max(1, min(distance, self.size))
        if universe == "D":
            return self.together("D", self.geography.everywhere, distance)
        pairs = [self.together("D_t", places, distance) for places in self.geography.places]
        moves = list(dict.fromkeys(move for pair in pairs for move in pair.moves))
        largest = [m for m in moves if not any(m != other and _covers(other, m) for other in moves)]
        known = all(pair.attained for pair in pairs)
        if distance > 1 and len(largest) > 1:
            # Records of different places can move together: one bound for all of them.
            largest, known = [largest_of(largest)], False
        description = f"up to {distance} records inside D_t"
        return SecretPair("", "D_t", description, distance, "", tuple(largest), known)

    def steps_inside(self, distance: int) -> tuple[SecretPair, ...]:
        """Return bounds on this many steps between datasets of D_t, each of which holds.

        In each cell of a margin, as many records enter as leave. Paired with each other, they are
        single records that change inside their cell, which keeps this margin, as many as differ.
        A query that is a function of all margins does not change.
        """
        fixed = [
            all(self.geography.is_function(n.level, n.query, p) for p in self.geography.places)
            for n in self.part.noisy
        ]
        bounds = []
        for margin in (*self.geography.margins, ()):
            geography = replace(self.geography, margins=(margin,) if margin else (), others=False)
            worst = replace(self, geography=geography).worst("D_t", distance)
            moves = dict.fromkeys(
                tuple(() if still else sizes for still, sizes in zip(fixed, move, strict=True))
                for move in worst.moves
            )
            bounds.append(replace(worst, moves=tuple(moves), attained=False))
        return tuple(bounds)


def pairs_of(part: TopDown, release: Release) -> Pairs:
    """Return the pairs of a mechanism under the invariants of a release.

    Raises:
        RefusedError: an invariant is not a count of a table.
    """
    return Pairs(geography_of(part, release), release)


def largest_of(moves: Sequence[Move]) -> Move:
    """Return one move that is at least as large as each; its cells of one query are equal."""
    return tuple(max(sizes, key=sum) for sizes in zip(*moves, strict=True))


def joined(counts: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the largest of several numbers, query by query."""
    return tuple(max(each) for each in zip(*counts, strict=True))


def _covers(one: Move, other: Move) -> bool:
    return all(
        len(a) >= len(b) and all(x >= y for x, y in zip(a, b, strict=False))
        for a, b in zip(one, other, strict=True)
    )


def _number(distance: int) -> str:
    return {2: "two", 3: "three", 4: "four"}.get(distance, str(distance))


def geography_of(part: TopDown, release: Release) -> Geography:
    """Return the geography of a mechanism under the invariants of a release over a table.

    Raises:
        RefusedError: an invariant is not a count of a table.
    """
    space = release.dataspace
    if not isinstance(space, TableSpace):
        raise TypeError("a hierarchical release needs a table over attributes")
    constraints = constraints_of(release.invariants)
    margins = tuple(c.attributes for c in constraints if isinstance(c, SameMargin))
    others = any(not isinstance(c, SameMargin | SameSize) for c in constraints)
    return Geography(part, space, margins, others)
