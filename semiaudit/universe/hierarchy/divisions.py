"""Whether one unit of a level of a spine contains several units of a lower level.

For a level with an attribute, the units that can have records are counted; a split unit counts as
two or more. A level without an attribute has several units in each unit of the level above, if the
next lower attribute has enough units. How many there are, and which lower units are in which, is
unknown. So there are three results: some unit certainly contains several, none does, or some can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import inf

from semiaudit.frozen import dataclass
from semiaudit.universe.hierarchy.open_geography import Geography, Places

TWO = 2


def divided(geography: Geography, within: int, places: Places) -> tuple[frozenset[int], bool]:
    """Return the levels of which one unit of an upper level contains several units.

    Args:
        within: the upper level.
        places: fixed units of one kind, or ``everywhere``.

    Returns:
        The levels, including all below the topmost of them; and whether the result is known.
    """
    for level in range(within + 1, len(geography.spine)):
        if not places.several[level]:
            continue
        surely, maybe = _holds_several(geography, within, level, places)
        if surely or maybe:
            below = frozenset(range(level, len(geography.spine)))
            return below, surely and geography.certain
    return frozenset(), True


def _holds_several(
    geography: Geography, within: int, level: int, places: Places
) -> tuple[bool, bool]:
    of_fixed = geography.fixed is not None and bool(places.description)
    if of_fixed and within < geography.lowest_fixed:
        # A fixed unit is in one unit of the upper level, or this is unknown.
        return places.several[level], places.several[level]
    surely = any(_surely(geography, at, level, places) for at in range(within, level))
    return surely, surely or _maybe(geography, within, level, places)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A unit of a level with an attribute, or all of D.

    Attributes:
        split: whether the unit itself is split.
        least: the number of units of the lower level with records in all of its parts.
        most: the largest possible number, including units without records.
    """

    split: bool
    least: int
    most: float


def _surely(geography: Geography, upper: int, level: int, places: Places) -> bool:
    if _next_named(geography, level) is None:
        return True
    if geography.spine[upper].attribute is None and upper > 0:
        return _has_room(geography, upper, level, places)
    units = _units(geography, upper, level, places)
    return any(not unit.split and unit.least >= TWO for unit in units.values())


def _has_room(geography: Geography, upper: int, level: int, places: Places) -> bool:
    """Return whether units of levels without attributes certainly contain several units each.

    This needs enough units of the next lower attribute for every level in between to have two in
    each unit above.
    """
    anchor, target = _anchor(geography, upper), _next_named(geography, level)
    if target is None:
        return True
    units = _units(geography, anchor, target, places)
    enough = TWO ** (target - anchor)
    return any(not unit.split and unit.least >= enough for unit in units.values())


def _maybe(geography: Geography, within: int, level: int, places: Places) -> bool:
    """Return whether a unit of the upper level can contain several units of the lower level.

    A level that is only named can have a single unit: its having several is only used for the
    existence of a pair. A part of a split unit leaves at least one unit to the other parts.
    """
    anchor = _anchor(geography, within)
    units = _units(geography, anchor, level, places).values()
    return any(min(unit.least, unit.most - unit.split) >= TWO for unit in units)


def _anchor(geography: Geography, level: int) -> int:
    """Return the level, or the next higher one with an attribute; the first if there is none."""
    return max(at for at in range(level + 1) if at == 0 or geography.spine[at].attribute)


def shared(geography: Geography, one: Places, other: Places) -> tuple[int, bool]:
    """Return the lowest level with a fixed unit of each kind in one unit, and if it is known.

    -1 if there is none.
    """
    fixed = geography.fixed
    if fixed is None or (one == other and one.units < TWO):
        return -1, True
    for level in range(geography.lowest_fixed - 1, -1, -1):
        anchor = _anchor(geography, level)
        name = geography.spine[anchor].attribute
        levels = [0]
        if name is not None:
            above = geography.ancestors(fixed, name)
            firsts = Counter(above[unit] for unit in geography.inside(one))
            others = Counter(above[unit] for unit in geography.inside(other))
            least = TWO if one == other else 1
            levels = [at for at in firsts if firsts[at] >= least and others[at]]
        if level == anchor and any(at not in geography.spine[level].split for at in levels):
            return level, True
        units = _units(geography, anchor, geography.lowest_fixed, geography.everywhere)
        if any(units[at].most - units[at].split >= TWO for at in levels):
            is_same = one == other and len(geography.places) == 1 and geography.is_level
            is_next = level == geography.lowest_fixed - 1
            return level, is_same and is_next and _has_room(geography, level, level + 1, one)
    return -1, True


def _units(geography: Geography, upper: int, level: int, places: Places) -> dict[int, _Unit]:
    """Map each unit of an upper level with an attribute (or all of D) to its lower-level units.

    The count is at most that of the levels below.
    """
    anchor, target = geography.spine[upper], _next_named(geography, level)
    parts = anchor.attribute
    units: Sequence[int] = [0] if parts is None else in_places(geography, parts, places)
    split_units = {unit: parts is not None and unit in anchor.split for unit in units}
    name = None if target is None else geography.spine[target].attribute
    if target is None or name is None:
        return {unit: _Unit(split_units[unit], TWO, inf) for unit in units}
    living, split = in_places(geography, name, places), geography.spine[target].split
    own_parts = [at for at in split if at in living]
    if parts is None:
        least = Counter({0: len(living) + len(own_parts)})
        most = Counter({0: geography.attribute(name).size})
        divided_units = {0} if split else set()
    else:
        above = geography.ancestors(name, parts)
        least = Counter(above[at] for at in chain(living, own_parts))
        most = Counter(above)
        divided_units = {above[at] for at in split}
    below = _next_named(geography, target + 1)
    lower: dict[int, _Unit] = {}
    if below is not None and geography.whole:
        # Each contains a unit of the level below, so there are at most as many.
        lower = _units(geography, upper, below, places)
    bounded: dict[int, _Unit] = {}
    for unit in units:
        highest: float = inf if unit in divided_units else most[unit]
        if unit in lower:
            highest = min(highest, lower[unit].most)
        bounded[unit] = _Unit(split_units[unit], least[unit], highest)
    return bounded


def _next_named(geography: Geography, level: int) -> int | None:
    """Return the level, or the next lower one with an attribute; None if there is none."""
    below = range(level, len(geography.spine))
    return next((at for at in below if geography.spine[at].attribute is not None), None)


def in_places(geography: Geography, name: str, places: Places) -> Sequence[int]:
    """Return the levels of an attribute in fixed units of one kind; in D, all of them."""
    living = geography.living(name)
    if (
        geography.fixed is None
        or not places.description
        or geography.fixed not in geography.chain(name)
    ):
        return living
    if len(geography.places) == 1:
        return living
    inside, ancestors = geography.inside(places), geography.ancestors(name, geography.fixed)
    return [at for at in living if ancestors[at] in inside]
