"""Whether a universe has a pair of datasets of a given kind.

Datasets are compared as tables: two that differ only in the order of their records are not a pair.
If the answer is unknown, a pair counts as existing.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement, product
from math import prod

from semiaudit.model.published_invariants import PublishedCounts
from semiaudit.universe.hierarchy.indistinguishable_places import Places
from semiaudit.universe.hierarchy.nests import nests_of
from semiaudit.universe.hierarchy.pairs import Pairs

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
    kept = {z for z in set(zones.of_place.values()) if pairs.listed(nothing, None, (z, z)).largest}
    return {unit[place] for place, zone in zones.of_place.items() if zone in kept}


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
    seen: set[tuple[tuple[tuple[int, ...], ...], ...]] = set()
    for a, b in combinations_with_replacement(range(len(records)), 2):
        kept = tuple(tuple(sorted((of[a], of[b]))) for of in shown)
        if kept in seen:
            return True
        seen.add(kept)
    return False


def two_units_change(pairs: Pairs, places: Places) -> bool:
    """Return whether two records of two such units can change, each within its own.

    By an exchange, they can change attributes that no margin has together with only one of the
    units.
    """
    if not two_units(pairs, places, places):
        return False
    return one_changes(pairs, places) or _opposed(pairs, places, places)


def _opposed(pairs: Pairs, one: Places, other: Places) -> bool:
    """Return whether records of two fixed units can differ.

    Attributes that a margin has together with one of the units do not count.
    """
    free = pairs.attributes - pairs.geography.frozen_below(_common(pairs, one, other))
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


def _common(pairs: Pairs, one: Places, other: Places) -> int:
    geography, fixed = pairs.geography, pairs.geography.fixed or ""
    for name in geography.chain(fixed)[1:]:
        above = geography.ancestors(fixed, name)
        firsts = Counter(above[unit] for unit in geography.inside(one))
        others = Counter(above[unit] for unit in geography.inside(other))
        least = TWO if one == other else 1
        if any(firsts[at] >= least and others[at] for at in firsts):
            return len(geography.chain(name))
    return 0
