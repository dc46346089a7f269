"""Releases from the oracle's hierarchies."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.model.audit import Release
from semiaudit.model.dataspace import Attribute, Condition, Level, TableSpace
from semiaudit.model.topdown import NoisyQuery, Recode, SpineLevel, TopDown, TopDownQuery
from tests.oracles.hierarchies import Asked, Toy
from tests.universe.hierarchy.countries import of_hierarchy

NATION = SpineLevel("nation")


def release_of(toy: Toy, *, named: bool) -> Release:
    """The toy as a release.

    Args:
        named: the dataspace has the whole geography, as attributes that lie within each other;
            else the levels below the states are only named, and the states that are split too.
    """
    attributes = [Attribute("state", len(set(toy.state_of)))]
    if named:
        spine, found = _named_spine(toy)
        attributes += found
    else:
        parts = [toy.state_of.count(state) for state in range(attributes[0].size)]
        split = frozenset(state for state, number in enumerate(parts) if number > 1)
        below = (SpineLevel("county"), SpineLevel("block"))
        spine = (NATION, SpineLevel("part", "state", split), *below)
    attributes += [Attribute("first", toy.sizes[0]), Attribute("second", toy.sizes[1])]
    queries = tuple(_query(place, asked) for place, asked in enumerate(toy.asked))
    noisy = tuple(NoisyQuery(a.level, at, Fraction(a.weight)) for at, a in enumerate(toy.asked))
    zeros: tuple[Condition, ...] = tuple(
        (("first", (i,)), ("second", (j,))) for i, j in sorted(toy.zeros)
    )
    space = TableSpace("person", 20, tuple(attributes), zeros)
    margins = [tuple(sorted(margin)) for margin in toy.margins]
    return of_hierarchy(TopDown(spine, queries, noisy), space, margins)


def _named_spine(toy: Toy) -> tuple[tuple[SpineLevel, ...], list[Attribute]]:
    names = ("nation", "part", "county", "block")
    units = [sorted({block[level] for block in toy.blocks}) for level in range(4)]
    parents = [tuple(toy.state_of)]
    for level in (2, 3):
        above = {block[level]: block[level - 1] for block in toy.blocks}
        parents.append(tuple(units[level - 1].index(above[unit]) for unit in units[level]))
    found = []
    within = "state"
    for name, own, of in zip(names[1:], units[1:], parents, strict=True):
        levels: tuple[Level, ...] = tuple(f"{name} {unit}" for unit in own)
        found.append(Attribute(name, levels, within=within, parents=of))
        within = name
    return (NATION, *(SpineLevel(name, name) for name in names[1:])), found


def _query(place: int, asked: Asked) -> TopDownQuery:
    tells = []
    for name, groups in zip(("first", "second"), asked.groups, strict=True):
        if len(set(groups)) == len(groups):
            tells.append(Recode(name, (name,)))
        elif len(set(groups)) > 1:
            zeros: tuple[Level, ...] = tuple(at for at, group in enumerate(groups) if not group)
            tells.append(Recode(f"{name} {place}", (name,), (((name, zeros),),)))
    if any(map(any, asked.joint)):
        corner: Condition = (("first", (0,)), ("second", (0,)))
        tells.append(Recode(f"joint {place}", ("first", "second"), (corner,)))
    counted: tuple[Level, ...] = tuple(at for at, held in enumerate(asked.counts) if held)
    where: Condition = () if all(asked.counts) else (("first", counted),)
    return TopDownQuery(f"query {place}", tuple(tells), where=where)
