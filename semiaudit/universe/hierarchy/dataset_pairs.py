"""All kinds of pairs of datasets of a hierarchical release, and the queries that each changes.

A record that changes moves two cells of a query by 1, both in D and in D_t. At distance k, the
worst pair for independent log-concave noise is k identical records that move together, which moves
the same cells by k: joining moves only increases the loss (E15; docs/theory/queries.md, One pair
that dominates). In pairs that keep an invariant by a compensating move, cells of different units
move separately.

The ways of a record from place to place, and the structural zeros that hold on both sides.

A zero that names geography holds in some places only. Places in which the same zeros hold are one
zone, and a record goes from a zone to a zone. If zeros name geography and the spine has levels that
are split, or only named, it is unknown which zones a unit has: then such zeros are ignored, which
only adds pairs of datasets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from semiaudit.frozen import cached_property, dataclass
from semiaudit.model.audit import PublishedCounts, Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameMargin, SameSize
from semiaudit.model.topdown import Move, SecretPair, TopDown, TopDownQuery
from semiaudit.universe.hierarchy.changes import RecordChange, RecordChanges, Zeros, changes
from semiaudit.universe.hierarchy.divisions import divided, in_places
from semiaudit.universe.hierarchy.open_geography import Geography, Places

MAX_PLACES = 20_000
"""The most places that are examined one by one."""

MAX_ZONES = 12
"""The most zones of which all pairs are examined."""

TOP = -1
"""The index above all levels: the whole of D, or one fixed unit."""

Zone = frozenset[int]


@dataclass(frozen=True, slots=True)
class Way:
    """A way of a record from one place to another, or back to the same place.

    Attributes:
        apart: the levels at which the record is in another unit then.
        zeros: the zeros that hold in the first and in the second place.
        goes: whether the place is another one; only then can a record change in nothing else.
    """

    apart: frozenset[int]
    zeros: Zeros
    goes: bool = True


Ways = tuple[tuple[Way, ...], bool]
"""All ways except those that others surpass, and whether each is a way of some record."""


@dataclass(frozen=True)
class Zones:
    """The structural zeros of a dataspace in its places."""

    geography: Geography

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the attributes of a record's place."""
        return self.geography.attributes | self.geography.nested_attributes

    @cached_property
    def everywhere(self) -> Zone:
        """Return the zeros that name no geography."""
        zeros = self.geography.space.impossible
        return frozenset(at for at, zero in enumerate(zeros) if not self.names & dict(zero).keys())

    @property
    def none(self) -> bool:
        """Return whether no zero names geography."""
        return len(self.everywhere) == len(self.geography.space.impossible)

    @cached_property
    def lowest(self) -> str:
        """Return the lowest attribute of the spine."""
        return max(self.geography.attributes, key=lambda name: len(self.geography.chain(name)))

    @cached_property
    def of_place(self) -> dict[int, Zone] | None:
        """Return the zone of every level of the lowest attribute.

        None if the zones are unknown, or if there are too many levels.
        """
        geography = self.geography
        zeros = [dict(zero) for zero in geography.space.impossible]
        if not geography.attributes or any(
            zero.keys() & geography.nested_attributes for zero in zeros
        ):
            return None
        living = geography.living(self.lowest)
        if len(living) > MAX_PLACES:
            return None
        allowed = []
        for zero in zeros:
            of_zero = []
            for name in zero.keys() & geography.attributes:
                occurring = frozenset(geography.attribute(name).indices(zero[name]))
                of_zero.append((geography.ancestors(self.lowest, name), occurring))
            allowed.append(of_zero)
        zones = {
            place: frozenset(
                at
                for at, of_zero in enumerate(allowed)
                if all(above[place] in occurring for above, occurring in of_zero)
            )
            for place in living
        }
        return zones if len(set(zones.values())) <= MAX_ZONES else None

    @cached_property
    def _exact(self) -> dict[int, Zone] | None:
        return self.of_place if self.geography.named_throughout else None

    def stays(self, places: Places) -> Ways:
        """Return the ways of a record that stays in its place."""
        zones = None if self.none else self.of_place
        if zones is None:
            return (Way(frozenset(), (self.everywhere, self.everywhere), goes=False),), self.none
        inside = {zones[at] for at in in_places(self.geography, self.lowest, places)}
        return tuple(
            Way(frozenset(), (zone, zone), goes=False) for zone in sorted(inside, key=sorted)
        ), True

    def goes(self, within: int, places: Places) -> Ways:
        """Return the ways of a record to another place inside one unit of a level, or ``TOP``."""
        if not self.none and self._exact is not None:
            return tuple(self._between(within, places, self._exact)), True
        if within == TOP:
            separate = frozenset(at for at, several in enumerate(places.several) if several)
            sure = self.geography.certain
        else:
            separate, sure = divided(self.geography, within, places)
        if not separate:
            return (), sure
        if not self.none and self.of_place is not None:
            return tuple(self._at_most(within, places, separate, self.of_place)), False
        return (Way(separate, (self.everywhere, self.everywhere)),), sure and self.none

    def _at_most(
        self, within: int, places: Places, separate: frozenset[int], zones: dict[int, Zone]
    ) -> Sequence[Way]:
        """Return the ways from zone to zone if it is unknown which places are in one unit.

        From a place that is one unit, a record goes to others as if they were in one; inside it,
        only if a level below divides it.
        """
        geography, spine = self.geography, self.geography.spine
        last = max(at for at, level in enumerate(spine) if level.attribute)
        inside = in_places(geography, self.lowest, places)
        keys = [geography.fixed] if places.description else []
        keys += [level.attribute for level in spine[: within + 1]]
        above = [geography.ancestors(self.lowest, name) for name in keys if name is not None]
        zones_by_units: dict[tuple[int, ...], list[int]] = {}
        for at in inside:
            zones_by_units.setdefault(tuple(units[at] for units in above), []).append(at)
        below = frozenset(range(max(within, last) + 1, len(spine)))
        ways: dict[Way, None] = {}
        for together in zones_by_units.values():
            several = Counter(zones[at] for at in together)
            for a, b in product(several, repeat=2):
                if a != b or several[a] > 1:
                    ways[Way(separate, (a, b))] = None
            for at in together:
                split = separate if at in spine[last].split else below
                if split:
                    ways[Way(split, (zones[at], zones[at]))] = None
        return tuple(ways)

    def _between(self, within: int, places: Places, zones: dict[int, Zone]) -> Sequence[Way]:
        geography, spine = self.geography, self.geography.spine
        inside = in_places(geography, self.lowest, places)
        fixed = None
        if places.description and geography.fixed is not None:
            fixed = geography.ancestors(self.lowest, geography.fixed)
        ways: dict[Way, None] = {}
        upper = {at: (0, fixed[at] if fixed else 0) for at in inside}
        for level, spine_level in enumerate(spine):
            if spine_level.attribute is None and level > 0:
                if level > within:
                    for zone in {zones[at] for at in inside}:
                        ways[Way(frozenset(range(level, len(spine))), (zone, zone))] = None
                continue
            if spine_level.attribute is None:
                continue
            units = geography.ancestors(self.lowest, spine_level.attribute)
            zones_by_units: dict[tuple[int, int], dict[Zone, set[int]]] = {}
            for at in inside:
                zones_by_units.setdefault(upper[at], {}).setdefault(zones[at], set()).add(units[at])
            if level > within:
                separate = frozenset(range(level, len(spine)))
                for of_unit in zones_by_units.values():
                    for a, b in product(of_unit, repeat=2):
                        if len(of_unit[a] | of_unit[b]) > 1:
                            ways[Way(separate, (a, b))] = None
            upper = {at: (units[at], fixed[at] if fixed else 0) for at in inside}
        return tuple(ways)


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
            children = Counter(attribute.parents[at] for at in geography.living(name))
            if max(children.values(), default=0) > 1:
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
        places = {n for a in above if a.attribute for n in self.geography.chain(a.attribute)}
        used = {recode.name for recode in query.tells if recode.groups is None}
        return not query.where and set(margin) <= places | self.geography.determined_by(tuple(used))

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
