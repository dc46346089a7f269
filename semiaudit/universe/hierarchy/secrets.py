"""The secrets of a hierarchical release: named kinds of pairs of datasets, in D and inside D_t.

The kinds are: an attribute of one record; its place within a unit of some level; the whole record,
within one of the units that the invariants fix or across them; two records that exchange their
places; a record that moves across fixed units while another one compensates; identical records that
move together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement

from semiaudit.frozen import dataclass
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.topdown import Move, SecretPair
from semiaudit.universe.hierarchy.changes import RecordChange
from semiaudit.universe.hierarchy.divisions import shared
from semiaudit.universe.hierarchy.existence import (
    crosses,
    exchange,
    has_records,
    holds_two,
    one_changes,
    two_change,
    two_units_change,
)
from semiaudit.universe.hierarchy.indistinguishable_places import Places
from semiaudit.universe.hierarchy.pairs import Pairs, joined

TWO = 2
"""The records that move together, exchange their places, or compensate each other."""


def secrets_of(pairs: Pairs) -> tuple[SecretPair, ...]:
    """Return all kinds of pairs, D before D_t, in the order of the module docstring."""
    secrets = _Secrets(pairs)
    return (
        *secrets.attributes(),
        *secrets.geography(),
        *secrets.within(),
        *secrets.across(),
        *secrets.exchanges(),
    )


@dataclass(frozen=True, slots=True)
class _Secrets:
    pairs: Pairs

    def attributes(self) -> Iterator[SecretPair]:
        """Yield pairs in which one attribute of one record changes.

        Only attributes that determine it, or follow from it, change with it.
        """
        for attribute in self.pairs.geography.space.attributes:
            name = attribute.name
            if name in self.pairs.geography.nested_attributes:
                yield from self._nested_attribute(name)
            if name not in self.pairs.attributes:
                continue
            others, sure = self._with_it(name)
            description = f"{name} of one record"
            if others:
                description += f", together with {' and '.join(others)}"
            free = frozenset({name, *others})
            pair = SecretPair(f"attribute:{name}", "D", description, 1, "", (), attained=sure)
            first = self._of_attribute(pair, name, free)
            yield first
            inside = self._of_attribute(replace(pair, universe="D_t"), name, free & self.pairs.free)
            yield replace(inside, attained=inside.attained and self.pairs.known_inside(1))
            for histogram in self._histograms(name):
                yield replace(
                    first,
                    name=f"attribute:{name} ({histogram})",
                    pair=f"{description}, as the histogram {histogram} alone reveals it",
                    moves=tuple(self._of_histogram(move, histogram) for move in first.moves),
                )

    def _of_attribute(self, pair: SecretPair, name: str, free: frozenset[str]) -> SecretPair:
        """Return the largest changes of an attribute; no pair if it is not free."""
        if name not in free:
            return pair
        stays = self.pairs.zones.stays(self.pairs.geography.everywhere)
        moves, known = self.pairs.moves(free, frozenset({name}), stays)
        return replace(pair, moves=moves, attained=pair.attained and known)

    def _nested_attribute(self, name: str) -> Iterator[SecretPair]:
        """Yield pairs of an attribute nested in a spine level and not in the spine.

        The place can change with it, at every level, so the pairs are bounds.
        """
        pairs, geography = self.pairs, self.pairs.geography
        description = f"{name} of one record, together with the place that contains it"
        changes = pairs.changes(frozenset())
        several = len(geography.living(name)) > 1
        for universe, still in (("D", frozenset[str]()), ("D_t", geography.frozen)):
            apart = pairs.all_levels
            if universe == "D_t":
                levels = range(len(geography.spine))
                apart = frozenset(
                    at for at in levels if any(p.several[at] for p in geography.places)
                )
            moves = [pairs.moved(change, apart, 1) for change in changes.largest]
            possible = several and name not in still
            yield SecretPair(
                f"attribute:{name}",
                "D" if universe == "D" else "D_t",
                description,
                1,
                "",
                tuple(dict.fromkeys(moves)) if possible else (),
                attained=not possible,
            )

    def _with_it(self, name: str) -> tuple[tuple[str, ...], bool]:
        """Return the attributes that can change with an attribute, and whether there are none.

        They are those that it is nested in, those nested in it, and those nested in the former.
        """
        geography = self.pairs.geography
        chains = {other: geography.chain(other) for other in self.pairs.attributes}
        related = [o for o in chains if o != name and chains[o][-1] == chains[name][-1]]
        sure = all(o in chains[name] or name in chains[o] for o in related)
        return tuple(sorted(related)), sure

    def _histograms(self, name: str) -> tuple[str, ...]:
        looks = {
            query.histogram: None
            for query in self.pairs.part.queries
            if any(name in recode.of for recode in query.tells)
            or any(name == other for other, _ in query.where)
        }
        return tuple(looks) if len(looks) > 1 else ()

    def _of_histogram(self, move: Move, histogram: str) -> Move:
        part = self.pairs.part
        return tuple(
            sizes if part.queries[noisy.query].histogram == histogram else ()
            for noisy, sizes in zip(part.noisy, move, strict=True)
        )

    def geography(self) -> Iterator[SecretPair]:
        """Yield the place of one record within a unit of every level except the lowest."""
        geography = self.pairs.geography
        lowest, nothing = geography.spine[-1].name, frozenset[str]()
        for level, unit in enumerate(geography.spine[:-1]):
            name = f"geography:{lowest} within {unit.name}"
            description = f"{lowest} of one record within one {unit.name}"
            rows = []
            for places in (geography.everywhere, *geography.places):
                ways = self.pairs.zones.goes(level, places)
                moves, known = self.pairs.moves(nothing, nothing, ways)
                if not has_records(self.pairs, places, 1):
                    moves = ()
                rows.append(SecretPair(name, "D", description, 1, "", moves, known))
            first, *inside = rows
            yield first
            yield from self._by_places(inside)

    def _by_places(self, rows: list[SecretPair]) -> Iterator[SecretPair]:
        """Yield the rows of the kinds of places inside D_t; one row if they are equal."""
        known = self.pairs.known_inside(rows[0].distance) and self.pairs.geography.sure
        secrets = [replace(row, universe="D_t", attained=row.attained and known) for row in rows]
        if len({(row.moves, row.attained) for row in secrets}) == 1:
            yield secrets[0]
            return
        for row, places in zip(secrets, self.pairs.geography.places, strict=True):
            yield replace(row, where=places.description)

    def within(self) -> Iterator[SecretPair]:
        """Yield pairs in which one record, or two identical ones, change within a fixed unit."""
        geography = self.pairs.geography
        if geography.fixed is None:
            return
        name = f"within_{geography.fixed}"
        for distance in (1, TWO):
            rows = [self._inside(places, distance) for places in geography.places]
            for row in rows:
                yield replace(row, name=name, where=row.where if len(rows) > 1 else "")

    def _inside(self, places: Places, distance: int) -> SecretPair:
        """Let ``distance`` records change within a fixed unit, or anywhere if nothing is fixed."""
        row = self.pairs.together("D_t", places, distance)
        can = one_changes if distance == 1 else two_change
        if has_records(self.pairs, places, distance) and can(self.pairs, places):
            return row
        if distance == TWO and two_units_change(self.pairs, places):
            # The two are in two units, and move at most as much as two identical ones.
            return replace(row, attained=False)
        return replace(row, moves=())

    def across(self) -> Iterator[SecretPair]:
        """Yield pairs in which one record, or two identical ones, change without limit.

        Inside D_t, one record goes to another fixed unit while an identical one comes from there.
        """
        geography = self.pairs.geography
        name = "anywhere" if geography.fixed is None else f"across_{_plural(geography.fixed)}"
        for distance in (1, TWO):
            row = self.pairs.together("D", geography.everywhere, distance)
            yield replace(row, name=name, moves=row.moves if self.pairs.room(distance) else ())
            if geography.fixed is None:
                yield replace(self._inside(geography.everywhere, distance), name=name)
        if geography.fixed is None:
            return
        nowhere = f"a record moves from one {geography.fixed} to another"
        yield SecretPair(name, "D_t", nowhere, 1, "", (), attained=True)
        for one, other in combinations_with_replacement(geography.places, 2):
            if one != other or one.units > 1:
                yield self._compensated(name, one, other)

    def _compensated(self, name: str, one: Places, other: Places) -> SecretPair:
        pairs, geography = self.pairs, self.pairs.geography
        changes = pairs.changes(pairs.attributes)
        kept = not geography.frozen and len(changes.largest) == 1
        where = f"{one.description}; {other.description}" if len(geography.places) > 1 else ""
        description = (
            f"a record moves to another {geography.fixed}, and an identical record moves from there"
        )
        none = SecretPair(name, "D_t", description, TWO, where, (), attained=True)
        if not changes.largest or not crosses(pairs, one, other):
            return none
        change = _largest(changes.largest)
        lowest, sure = shared(geography, one, other)
        move: list[tuple[int, ...]] = []
        for noisy in pairs.part.noisy:
            same, apart = change.same[noisy.query], change.apart[noisy.query]
            if noisy.level <= lowest:
                straddles = any(p.several[noisy.level] for p in (one, other))
                move.append((TWO,) * (apart if straddles else same))
                continue
            cells = (apart if p.several[noisy.level] else same for p in (one, other))
            move.append((1,) * sum(cells))
        known = kept and sure and geography.sure and changes.attained and pairs.known_inside(TWO)
        return replace(none, moves=(tuple(move),), attained=known)

    def exchanges(self) -> Iterator[SecretPair]:
        """Yield pairs in which two records exchange places: anywhere, and within a fixed unit."""
        pairs, geography = self.pairs, self.pairs.geography
        description = "two records exchange their places"
        everywhere = self._exchanged(pairs.attributes, geography.everywhere, "D")
        yield replace(everywhere, name="exchange", pair=description)
        rows = [
            self._exchanged(pairs.attributes, places, "D_t")
            if has_records(pairs, places, TWO)
            else SecretPair("", "D", "", TWO, "", (), attained=True)
            for places in geography.places
        ]
        kept = geography.frozen_below(0)
        possible = exchange(pairs)
        # Two records of one unit keep every margin if they differ only in attributes that no margin
        # has together with geography below this unit. ``inside`` has a row for every unit that can
        # contain both; the worst one is the bound, which is attained only if each row is.
        inside = [self._exchanged(pairs.attributes - kept, geography.everywhere, "D_t")]
        if kept:
            # Within a fixed unit, attributes published with it can also differ; within a unit
            # above, so can attributes published with that one.
            inside += [
                replace(
                    self._exchanged(
                        pairs.attributes - geography.frozen_below(depth), places, "D_t"
                    ),
                    attained=False,
                )
                for depth, places in geography.between()
                if holds_two(pairs, depth)
            ]
            inside += rows
        yield replace(
            everywhere,
            name="exchange",
            universe="D_t",
            pair=description,
            moves=tuple(dict.fromkeys(m for pair in inside for m in pair.moves if possible)),
            attained=all(pair.attained for pair in inside)
            and geography.sure
            and pairs.known_inside(TWO),
        )
        if geography.fixed is None:
            return
        name = f"exchange_within_{geography.fixed}"
        description = f"{description} within one {geography.fixed}"
        yield from self._by_places([replace(row, name=name, pair=description) for row in rows])

    def _exchanged(
        self, free: frozenset[str], places: Places, universe: UniverseName
    ) -> SecretPair:
        pairs = self.pairs
        ways, known = pairs.goes(universe, places)
        moves: dict[Move, None] = {}
        for way in ways if pairs.room(TWO) else ():
            before, after = way.zeros
            changes = pairs.listed(free, free, (before | after, before | after))
            known = known and changes.attained
            for change in changes.largest:
                sizes = [(1,) * (TWO * change.same[noisy.query]) for noisy in pairs.part.noisy]
                levels = [noisy.level in way.apart for noisy in pairs.part.noisy]
                moves[tuple(s if at else () for s, at in zip(sizes, levels, strict=True))] = None
        return SecretPair("", "D", "", TWO, "", tuple(moves), known)


def _largest(changes: tuple[RecordChange, ...]) -> RecordChange:
    """Return one change that moves at least as much as any of several; then it is a bound."""
    same = joined([change.same for change in changes])
    return RecordChange(same, joined([change.apart for change in changes]))


def _plural(name: str) -> str:
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
