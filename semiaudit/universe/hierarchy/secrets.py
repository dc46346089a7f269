"""The secrets of a hierarchical release: named kinds of pairs of datasets, in D and inside D_t.

The kinds are: an attribute of one record; its place within a unit of some level; the whole record,
within one of the units that the invariants fix or across them; two records that exchange their
places; a record that moves across fixed units while another one compensates; identical records that
move together.

Whether a universe has a pair of datasets of a given kind.

Datasets are compared as tables: two that differ only in the order of their records are not a pair.
If the answer is unknown, a pair counts as existing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, combinations_with_replacement, product
from math import prod

from semiaudit.frozen import dataclass
from semiaudit.model.audit import PublishedCounts
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.topdown import Move, SecretPair
from semiaudit.universe.hierarchy.changes import RecordChange
from semiaudit.universe.hierarchy.dataset_pairs import Pairs, joined
from semiaudit.universe.hierarchy.divisions import shared
from semiaudit.universe.hierarchy.nested_attributes import nests_of
from semiaudit.universe.hierarchy.open_geography import Places

TWO = 2

MAX_RECORDS = 200
"""The most combinations of attributes whose pairs are all examined."""


def has_records(pairs: Pairs, places: Places, records: int) -> bool:
    """Return whether one such place has room for this many records.

    The size, the published totals of the fixed units and structural zeros decide.
    """
    occupied = _occupied(pairs) if places.description else None
    if not pairs.room(records):
        return False
    if occupied is not None and not occupied & pairs.geography.inside(places):
        return False
    totals = _totals(pairs)
    if totals is None or not places.description:
        return True
    return max(totals[unit] for unit in pairs.geography.inside(places)) >= records


def two_units(pairs: Pairs, one: Places, other: Places) -> bool:
    """Return whether two fixed units, one of each kind, can have a record each."""
    if not pairs.room(TWO):
        return False
    totals, occupied = _totals(pairs), _occupied(pairs)
    if totals is None and occupied is None:
        return one != other or one.units > 1
    present = []
    for places in (one, other):
        inside = pairs.geography.inside(places)
        units = {unit for unit in inside if totals is None or totals[unit] > 0}
        present.append(units if occupied is None else units & occupied)
    return len(present[0] | present[1]) > 1 and all(present)


def _occupied(pairs: Pairs) -> set[int] | None:
    """Return the fixed units that can have a record, by structural zeros; None: all, or unknown."""
    geography, zones = pairs.geography, pairs.zones
    if zones.none or zones.of_place is None or geography.fixed is None:
        return None
    unit = geography.ancestors(zones.lowest, geography.fixed)
    nothing = frozenset[str]()
    used = {z for z in set(zones.of_place.values()) if pairs.listed(nothing, None, (z, z)).largest}
    return {unit[place] for place, zone in zones.of_place.items() if zone in used}


def _totals(pairs: Pairs) -> tuple[int, ...] | None:
    published, fixed = pairs.release.published, pairs.geography.fixed
    if not isinstance(published, PublishedCounts) or fixed is None:
        return None
    return dict(published.margins).get((fixed,))


def one_changes(pairs: Pairs, places: Places) -> bool:
    """Return whether a record can change alone inside D_t."""
    return bool(pairs.together("D_t", places, 1).moves)


def two_change(pairs: Pairs, places: Places) -> bool:
    """Return whether two records of one fixed unit can change inside D_t, possibly by an exchange.

    If neither can change alone, they keep each published margin if its attributes are exchanged all
    or not at all: two attributes that no margin has together can be exchanged.
    """
    if one_changes(pairs, places):
        return True
    geography = pairs.geography
    determined = [geography.determined_by(margin) for margin in geography.margins]
    several = sorted(n for n in pairs.attributes if geography.attribute(n).size > 1)
    nested = any(geography.attribute(name).within is not None for name in pairs.attributes)
    if not geography.space.impossible and not nested:
        return any(not any({a, b} <= of for of in determined) for a, b in combinations(several, 2))
    records = _records(pairs)
    if records is None:
        return True
    shown = [
        [tuple(r[name] for name in sorted(of & r.keys())) for r in records] for of in determined
    ]
    known: set[tuple[tuple[tuple[int, ...], ...], ...]] = set()
    for a, b in combinations_with_replacement(range(len(records)), 2):
        key = tuple(tuple(sorted((of[a], of[b]))) for of in shown)
        if key in known:
            return True
        known.add(key)
    return False


def two_units_change(pairs: Pairs, places: Places) -> bool:
    """Return whether two records of two such units can change, each within its own.

    By an exchange, they can change attributes that no margin has together with only one of the
    units.
    """
    if not two_units(pairs, places, places):
        return False
    return one_changes(pairs, places) or _opposed(pairs, places, places)


def _opposed(pairs: Pairs, places: Places, other: Places) -> bool:
    """Return whether records of two fixed units can differ.

    Attributes that a margin has together with one of the units do not count.
    """
    free = pairs.attributes - pairs.geography.frozen_below(_common(pairs, places, other))
    return bool(pairs.changes(free, free).largest)


def _records(pairs: Pairs) -> list[dict[str, int]] | None:
    space = pairs.geography.space
    without = pairs.geography.attributes | pairs.geography.nested_attributes
    listed: list[list[dict[str, int]]] = []
    for nest in nests_of(space, without):
        records_of_nest = nest.combinations
        if records_of_nest is None:
            return None
        names = [a.name for a in nest.attributes]
        listed.append([dict(zip(names, one, strict=True)) for one in records_of_nest])
    if prod(map(len, listed)) > MAX_RECORDS:
        return None
    zeros = [
        {name: set(space.attributes[space.position(name)].indices(levels)) for name, levels in zero}
        for zero in space.impossible
        if not without & dict(zero).keys()
    ]
    records = [{n: at for one in parts for n, at in one.items()} for parts in product(*listed)]
    return [r for r in records if not any(all(r[n] in at for n, at in z.items()) for z in zeros)]


def exchange(pairs: Pairs) -> bool:
    """Return whether two records can be in different places, given published totals."""
    places = pairs.geography.places
    if any(pairs.can_move("D_t", one) and has_records(pairs, one, TWO) for one in places):
        return True
    return any(two_units(pairs, one, other) for one in places for other in places)


def crosses(pairs: Pairs, one: Places, other: Places) -> bool:
    """Return whether a record can go to another fixed unit while another one comes from there.

    This is possible if one of them can then be elsewhere in its unit, or if the two differ in
    attributes that no margin has together with a unit that is in only one of the two.
    """
    if not two_units(pairs, one, other):
        return False
    if pairs.can_move("D_t", one) or pairs.can_move("D_t", other):
        return True
    return _opposed(pairs, one, other)


def holds_two(pairs: Pairs, depth: int) -> bool:
    """Return whether a unit at this depth of the geography contains two fixed units.

    True if unknown.
    """
    geography, fixed = pairs.geography, pairs.geography.fixed or ""
    names = [name for name in geography.chain(fixed) if len(geography.chain(name)) == depth]
    if not names:
        return True
    above = geography.ancestors(fixed, names[0])
    return max(Counter(above[unit] for unit in geography.living(fixed)).values()) >= TWO


def _common(pairs: Pairs, places: Places, other: Places) -> int:
    geography, fixed = pairs.geography, pairs.geography.fixed or ""
    for name in geography.chain(fixed)[1:]:
        above = geography.ancestors(fixed, name)
        firsts = Counter(above[unit] for unit in geography.inside(places))
        others = Counter(above[unit] for unit in geography.inside(other))
        least = TWO if places == other else 1
        if any(firsts[at] >= least and others[at] for at in firsts):
            return len(geography.chain(name))
    return 0


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
            everywhere = pairs.all_levels
            if universe == "D_t":
                levels = range(len(geography.spine))
                everywhere = frozenset(
                    at for at in levels if any(p.several[at] for p in geography.places)
                )
            moves = [pairs.moved(change, everywhere, 1) for change in changes.largest]
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

    def _compensated(self, name: str, places: Places, other: Places) -> SecretPair:
        pairs, geography = self.pairs, self.pairs.geography
        changes = pairs.changes(pairs.attributes)
        fixed = not geography.frozen and len(changes.largest) == 1
        where = f"{places.description}; {other.description}" if len(geography.places) > 1 else ""
        description = (
            f"a record moves to another {geography.fixed}, and an identical record moves from there"
        )
        none = SecretPair(name, "D_t", description, TWO, where, (), attained=True)
        if not changes.largest or not crosses(pairs, places, other):
            return none
        change = _largest(changes.largest)
        lowest, sure = shared(geography, places, other)
        move: list[tuple[int, ...]] = []
        for noisy in pairs.part.noisy:
            same, apart = change.same[noisy.query], change.apart[noisy.query]
            if noisy.level <= lowest:
                straddles = any(p.several[noisy.level] for p in (places, other))
                move.append((TWO,) * (apart if straddles else same))
                continue
            cells = (apart if p.several[noisy.level] else same for p in (places, other))
            move.append((1,) * sum(cells))
        known = fixed and sure and geography.sure and changes.attained and pairs.known_inside(TWO)
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
        is_frozen = geography.frozen_below(0)
        possible = exchange(pairs)
        # Two records of one unit keep every margin if they differ only in attributes that no margin
        # has together with geography below this unit. ``inside`` has a row for every unit that can
        # contain both; the worst one is the bound, which is attained only if each row is.
        inside = [self._exchanged(pairs.attributes - is_frozen, geography.everywhere, "D_t")]
        if is_frozen:
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
