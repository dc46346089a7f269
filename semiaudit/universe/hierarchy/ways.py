"""The ways of a record from place to place, and the structural zeros that hold on both sides.

A zero that names geography holds in some places only. Places in which the same zeros hold are one
zone, and a record goes from a zone to a zone. If zeros name geography and the spine has levels that
are split, or only named, it is unknown which zones a unit has: then such zeros are ignored, which
only adds pairs of datasets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import product

from semiaudit.frozen import dataclass
from semiaudit.universe.hierarchy.changes import Zeros
from semiaudit.universe.hierarchy.divisions import divided, in_places
from semiaudit.universe.hierarchy.indistinguishable_places import Places
from semiaudit.universe.hierarchy.places import Geography

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
                held = frozenset(geography.attribute(name).indices(zero[name]))
                of_zero.append((geography.ancestors(self.lowest, name), held))
            allowed.append(of_zero)
        zones = {
            place: frozenset(
                at
                for at, of_zero in enumerate(allowed)
                if all(above[place] in held for above, held in of_zero)
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
        held = {zones[at] for at in in_places(self.geography, self.lowest, places)}
        return tuple(
            Way(frozenset(), (zone, zone), goes=False) for zone in sorted(held, key=sorted)
        ), True

    def goes(self, within: int, places: Places) -> Ways:
        """Return the ways of a record to another place inside one unit of a level, or ``TOP``."""
        if not self.none and self._exact is not None:
            return tuple(self._between(within, places, self._exact)), True
        if within == TOP:
            apart = frozenset(at for at, several in enumerate(places.several) if several)
            sure = self.geography.certain
        else:
            apart, sure = divided(self.geography, within, places)
        if not apart:
            return (), sure
        if not self.none and self.of_place is not None:
            return tuple(self._at_most(within, places, apart, self.of_place)), False
        return (Way(apart, (self.everywhere, self.everywhere)),), sure and self.none

    def _at_most(
        self, within: int, places: Places, apart: frozenset[int], zones: dict[int, Zone]
    ) -> Sequence[Way]:
        """Return the ways from zone to zone if it is unknown which places are in one unit.

        From a place that is one unit, a record goes to others as if they were in one; inside it,
        only if a level below divides it.
        """
        geography, spine = self.geography, self.geography.spine
        last = max(at for at, one in enumerate(spine) if one.attribute)
        inside = in_places(geography, self.lowest, places)
        keys = [geography.fixed] if places.description else []
        keys += [one.attribute for one in spine[: within + 1]]
        above = [geography.ancestors(self.lowest, name) for name in keys if name is not None]
        held: dict[tuple[int, ...], list[int]] = {}
        for at in inside:
            held.setdefault(tuple(units[at] for units in above), []).append(at)
        below = frozenset(range(max(within, last) + 1, len(spine)))
        ways: dict[Way, None] = {}
        for together in held.values():
            several = Counter(zones[at] for at in together)
            for a, b in product(several, repeat=2):
                if a != b or several[a] > 1:
                    ways[Way(apart, (a, b))] = None
            for at in together:
                own = apart if at in spine[last].split else below
                if own:
                    ways[Way(own, (zones[at], zones[at]))] = None
        return tuple(ways)

    def _between(self, within: int, places: Places, zones: dict[int, Zone]) -> Sequence[Way]:
        geography, spine = self.geography, self.geography.spine
        inside = in_places(geography, self.lowest, places)
        fixed = None
        if places.description and geography.fixed is not None:
            fixed = geography.ancestors(self.lowest, geography.fixed)
        ways: dict[Way, None] = {}
        upper = {at: (0, fixed[at] if fixed else 0) for at in inside}
        for level, one in enumerate(spine):
            if one.attribute is None and level > 0:
                if level > within:
                    for zone in {zones[at] for at in inside}:
                        ways[Way(frozenset(range(level, len(spine))), (zone, zone))] = None
                continue
            if one.attribute is None:
                continue
            units = geography.ancestors(self.lowest, one.attribute)
            held: dict[tuple[int, int], dict[Zone, set[int]]] = {}
            for at in inside:
                held.setdefault(upper[at], {}).setdefault(zones[at], set()).add(units[at])
            if level > within:
                apart = frozenset(range(level, len(spine)))
                for of_unit in held.values():
                    for a, b in product(of_unit, repeat=2):
                        if len(of_unit[a] | of_unit[b]) > 1:
                            ways[Way(apart, (a, b))] = None
            upper = {at: (units[at], fixed[at] if fixed else 0) for at in inside}
        return tuple(ways)
