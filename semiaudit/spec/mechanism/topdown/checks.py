"""What a hierarchical release cannot mean: splits that no geography has, queries that tell nothing.

A split is checked against the next level below that has an attribute; a query against the records
that the dataspace has, where attributes lie within each other or some combinations are impossible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import prod

from semiaudit.model.dataspace import Attribute, Condition, TableSpace
from semiaudit.model.topdown import Recode, SpineLevel, TopDownQuery

MOST_RECORDS = 20_000
"""Combinations of levels that a query is checked against; of more it is not asked."""

WHERE = "where"

Levels = dict[str, int]


def ancestors(space: TableSpace, attribute: Attribute) -> list[str]:
    """The attribute itself, the one that it lies within, and so on."""
    names = [attribute.name]
    while attribute.within is not None:
        attribute = space.attributes[space.position(attribute.within)]
        names.append(attribute.name)
    return names


def contradictions(
    space: TableSpace, spine: Sequence[SpineLevel]
) -> Iterator[tuple[int, str, str]]:
    """Units that are split although what they hold is one unit, which lies in one of the parts.

    A level refines the one above. So a unit that is split in several holds at least as many units
    of the next level below that has an attribute, each part of a split one counted.

    Returns:
        For each of them the place of its level in the spine, what is wrong, and what to do.
    """
    named = [at for at, level in enumerate(spine) if level.attribute is not None]
    for at, below in pairwise(named):
        upper, lower = spine[at], spine[below]
        parts = space.attributes[space.position(upper.attribute or "")]
        attribute = space.attributes[space.position(lower.attribute or "")]
        held: dict[int, list[int]] = {}
        for unit, above in enumerate(_above(space, attribute, parts.name)):
            held.setdefault(above, []).append(unit)
        for unit in sorted(upper.split):
            inside = held.get(unit, [])
            if len(inside) > 1 or any(one in lower.split for one in inside):
                continue
            label = parts.label(unit)
            keep = f"leave {label} out of the split of {upper.name}"
            if not inside:
                what = f"{label} is split, but {lower.name} has no unit in it"
                yield at, what, keep
                continue
            only = attribute.label(inside[0])
            what = f"{label} is split, but all of it is one unit of {lower.name}: {only}"
            yield at, what, f"{keep}, or add {only} to that of {lower.name}"


def _above(space: TableSpace, attribute: Attribute, name: str) -> list[int]:
    levels = list(range(attribute.size))
    while attribute.name != name and attribute.within is not None:
        levels = [attribute.parents[at] for at in levels]
        attribute = space.attributes[space.position(attribute.within)]
    return levels


def is_one_unit(space: TableSpace, spine: Sequence[SpineLevel], at: int) -> bool:
    """Whether a level has one unit, so that a total there is the number of records.

    False if the level below has an attribute that the dataspace lacks, which is an error elsewhere.
    """
    sizes = {attribute.name: attribute.size for attribute in space.attributes}
    for place, level in enumerate(spine[at:], at):
        if level.attribute is not None:
            return sizes.get(level.attribute) == 1 and not level.split
        if place == 0:
            return True
    return False


def distinguishes_nothing(
    space: TableSpace, query: TopDownQuery, geography: set[str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """What of a query tells no two records of the dataspace apart.

    Returns:
        For each the path below the query, and what is wrong.
    """
    for name, levels in query.where:
        attribute = space.attributes[space.position(name)]
        if len(set(attribute.indices(levels))) == attribute.size:
            yield (
                (WHERE, name),
                "does not distinguish any records: it names every level, so every record counts",
            )
            return
    records = _records(space, query, geography)
    if records is None:
        return
    counted = {_holds(space, query.where, one) for one in records}
    if query.where and counted == {False}:
        yield (WHERE,), "counts no record: everything that it names is impossible"
    elif query.where and counted == {True}:
        yield (WHERE,), "does not distinguish any records: every record of the dataspace counts"
    for recode in query.tells:
        if len({_shown(space, recode, one) for one in records}) < 2:
            what = (
                f"{recode.name} does not distinguish any records: all records of the dataspace "
                "are alike in it"
            )
            yield (), what


def _records(space: TableSpace, query: TopDownQuery, geography: set[str]) -> list[Levels] | None:
    """The levels that records have in what a query looks at, and in what zeros or nesting tie to
    it; None if every combination occurs, or there are too many."""
    zeros = [where for where in space.impossible if not geography & dict(where).keys()]
    names = {name for recode in query.tells for name in recode.of} | dict(query.where).keys()
    tied = [set(dict(where)) for where in zeros]
    tied += [set(ancestors(space, a)) for a in space.attributes if a.within is not None]
    tied = [group for group in tied if not group & geography]
    if not any(group & names for group in tied):
        return None
    before = 0
    while len(names) > before:
        before = len(names)
        for group in tied:
            if group & names:
                names |= group
    attributes = [a for a in space.attributes if a.name in names]
    if prod(a.size for a in attributes) > MOST_RECORDS:
        return None
    records = []
    for levels in product(*(range(a.size) for a in attributes)):
        one = {a.name: level for a, level in zip(attributes, levels, strict=True)}
        nested = all(
            a.within is None or a.parents[one[a.name]] == one[a.within] for a in attributes
        )
        if nested and not any(
            dict(where).keys() <= names and _holds(space, where, one) for where in zeros
        ):
            records.append(one)
    return records


def _holds(space: TableSpace, where: Condition, one: Levels) -> bool:
    return all(
        one[name] in space.attributes[space.position(name)].indices(levels)
        for name, levels in where
    )


def _shown(space: TableSpace, recode: Recode, one: Levels) -> object:
    """What a recode shows of a record; of one without groups, whatever it may tell."""
    if not recode.groups:
        return tuple(one[name] for name in recode.of)
    groups = enumerate(recode.groups)
    return next((at for at, group in groups if _holds(space, group, one)), None)
