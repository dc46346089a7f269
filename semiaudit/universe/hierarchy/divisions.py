"""Whether one unit of a level of a spine holds several units of a lower level.

The units of a level with an attribute are counted, as far as records can be in them; one that is
split is two or more. A level without an attribute has several units in each unit of the level
above, where the next attribute below leaves room for them: how many, and which of the lower units
lie in which, is not told. So there are three answers: some unit surely holds several, none does, or
some may.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from semiaudit.universe.hierarchy.alike import Places
from semiaudit.universe.hierarchy.places import Geography

TWO = 2


def divided(geography: Geography, within: int, places: Places) -> tuple[frozenset[int], bool]:
    """The levels of which one unit of an upper level, in such places, holds several units.

    Args:
        within: the upper level.
        places: fixed units of one kind, or ``everywhere``.

    Returns:
        The levels, all those below the topmost one of them; and whether that is known.
    """
    for level in range(within + 1, len(geography.spine)):
        if not places.several[level]:
            continue
        surely, maybe = _holds_several(geography, within, level, places)
        if surely or maybe:
            return frozenset(range(level, len(geography.spine))), surely
    return frozenset(), True


def _holds_several(
    geography: Geography, within: int, level: int, places: Places
) -> tuple[bool, bool]:
    """Whether some unit of the upper level surely holds several of the lower, and whether one
    may."""
    of_fixed = geography.fixed is not None and bool(places.told)
    if of_fixed and within < geography.lowest_fixed:
        # A fixed unit lies in one unit of the upper level, or that is not known.
        return places.several[level], places.several[level]
    surely = any(_surely(geography, at, level, places) for at in range(within, level))
    return surely, surely or _maybe(geography, within, level, places)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A unit of a level with an attribute, or all of D.

    Attributes:
        split: it is split itself.
        least, most: how many units of the lower level it holds, its parts together.
    """

    split: bool
    least: float
    most: float


def _surely(geography: Geography, upper: int, level: int, places: Places) -> bool:
    """Whether a unit of the upper level that is not split itself holds several units."""
    if _next_named(geography, level) is None:
        return True
    if geography.spine[upper].attribute is None and upper > 0:
        return False
    found = _units(geography, upper, level, places)
    return any(not unit.split and unit.least >= TWO for unit in found)


def _maybe(geography: Geography, within: int, level: int, places: Places) -> bool:
    """Whether the units of the lower level are more than those of the upper one need."""
    anchor = max(at for at in range(within + 1) if at == 0 or geography.spine[at].attribute)
    lower = list(_units(geography, anchor, level, places))
    own = _units(geography, anchor, within, places) if anchor < within else lower
    return any(
        held.most > max(between.least if anchor < within else 1, TWO if held.split else 1)
        for held, between in zip(lower, own, strict=True)
    )


def _units(geography: Geography, upper: int, level: int, places: Places) -> Iterator[_Unit]:
    """For each unit of an upper level with an attribute, or all of D, what it holds of a lower
    one."""
    anchor, target = geography.spine[upper], _next_named(geography, level)
    parts = anchor.attribute
    units = [0] if parts is None else _in_places(geography, parts, places)
    held: dict[int, tuple[int, bool]] = {unit: (0, False) for unit in units}
    if target is not None and (name := geography.spine[target].attribute) is not None:
        above = [0] * geography.attribute(name).size
        if parts is not None:
            above = list(geography.ancestors(name, parts))
        for at in _in_places(geography, name, places):
            number, split = held.get(above[at], (0, False))
            held[above[at]] = number + 1, split or at in geography.spine[target].split
    for unit in units:
        number, split = held[unit]
        own = parts is not None and unit in anchor.split
        if target is None:
            yield _Unit(own, TWO, inf)
            continue
        least = number + split if target == level else min(TWO, number + split)
        yield _Unit(own, max(least, TWO if own else 1), inf if split else number)


def _next_named(geography: Geography, level: int) -> int | None:
    """The level itself or the next one below that has an attribute; None where none has."""
    below = range(level, len(geography.spine))
    return next((at for at in below if geography.spine[at].attribute is not None), None)


def _in_places(geography: Geography, name: str, places: Places) -> list[int]:
    """The levels of an attribute in fixed units of one kind; all of them in D."""
    living = geography.living(name)
    if geography.fixed is None or not places.told or geography.fixed not in geography.chain(name):
        return list(living)
    inside, held = geography.inside(places), geography.ancestors(name, geography.fixed)
    return [at for at in living if held[at] in inside]
