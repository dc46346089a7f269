"""Tiny hierarchical releases by brute force: their records, and what a pair of datasets costs.

A toy says what a spec of the kind ``topdown`` says. Its *geographies* are all the ways in which the
units of its levels can lie that the spec leaves open: which piece of a split state holds which
county, and where the units of a level lie that is only named. A record is a combination of levels
and a place of one geography. Two datasets at distance k are C + A and C + B with k records in A and
in B; every A and every B is tried, and C is looked for where the invariants ask for one.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, islice, product

Condition = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Level:
    name: str
    attribute: str | None = None
    split: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Query:
    tells: tuple[str, ...]
    histogram: str = "main"
    where: Condition | None = None


@dataclass(frozen=True)
class Invariant:
    """What is published exactly: "margin", "total", "count" or "keys"; or "at_least", a bound."""

    kind: str
    names: tuple[str, ...] = ()
    where: Condition = field(default_factory=dict)
    number: int = 0


@dataclass(frozen=True)
class Toy:
    """What a spec says, as plain data.

    Attributes:
        attributes: the levels of each attribute, in order.
        within: for a nested attribute its parent, and the parent's level of each of its levels.
        impossible: structural zeros.
        spine: the levels from the top down.
        recodes: for each the attributes, and conditions of which the first that holds is the group.
        weights: rho of each level and query.
        invariants: all that is published exactly, and public bounds.
        size: the number of records.
        given: a dataset that gives t, if there is one.
        times: how often the mechanism runs on the same records.
    """

    attributes: Mapping[str, tuple[str, ...]]
    within: Mapping[str, tuple[str, Mapping[str, str]]]
    impossible: Sequence[Condition]
    spine: Sequence[Level]
    recodes: Mapping[str, tuple[tuple[str, ...], Sequence[Condition]]]
    queries: Mapping[str, Query]
    weights: Mapping[tuple[str, str], Fraction]
    invariants: Sequence[Invariant]
    size: int
    given: Sequence[Mapping[str, str]] | None = None
    times: int = 1


def holds(condition: Condition, cell: Mapping[str, str]) -> bool:
    return all(cell[name] in levels for name, levels in condition.items())


def cells(toy: Toy) -> list[dict[str, str]]:
    """The combinations of levels that a record can have."""
    everything = (
        dict(zip(toy.attributes, one, strict=True)) for one in product(*toy.attributes.values())
    )
    return [
        cell
        for cell in everything
        if not any(holds(zero, cell) for zero in toy.impossible)
        and all(up[cell[name]] == cell[parent] for name, (parent, up) in toy.within.items())
    ]


# Geographies.

Atom = tuple[str, int]
Partition = tuple[frozenset[Atom], ...]


def place_attributes(toy: Toy) -> list[str]:
    return [level.attribute for level in toy.spine if level.attribute is not None]


def places(toy: Toy) -> list[str]:
    """The attributes that a place has levels of: those of the spine, and what they lie within."""
    found = place_attributes(toy)
    for name in found:
        if name in toy.within and toy.within[name][0] not in found:
            found.append(toy.within[name][0])
    return [name for name in toy.attributes if name in found]


def ancestor(toy: Toy, level: str, attribute: str, of: str) -> str:
    while of != attribute:
        of, up = toy.within[of]
        level = up[level]
    return level


def _halves(atoms: Sequence[Atom]) -> Iterator[Partition]:
    """The ways to cut some atoms in two; of many, those that cut each place in the same way."""
    if len(atoms) > 6:
        of: dict[str, list[Atom]] = {}
        for atom in atoms:
            of.setdefault(atom[0], []).append(atom)
        for shares in islice(product((0, 1, 2), repeat=len(of)), 1, 250):
            one = frozenset(
                atom
                for share, some in zip(shares, of.values(), strict=True)
                for atom in some[: share * len(some) // 2]
            )
            if 0 < len(one) < len(atoms):
                yield one, frozenset(atoms) - one
        return
    for taken in range(1, 2 ** (len(atoms) - 1)):
        one = frozenset(atom for place, atom in enumerate(atoms) if taken >> place & 1)
        yield one, frozenset(atoms) - one


def _finer(toy: Toy, top: Partition, at: int) -> Iterator[Partition]:
    """All partitions at one level, given that of the level above.

    A value that is not split is one unit; a split one is two, and so is every unit of the level
    above at a level that is only named. The topmost one is everything.
    """
    level = toy.spine[at]
    if level.attribute is None:
        ways = ([(unit,)] if at == 0 else list(_halves(sorted(unit))) for unit in top)
        yield from (tuple(chain.from_iterable(chosen)) for chosen in product(*ways))
        return
    finest = (place_attributes(toy) or [""])[-1]
    blocks: list[tuple[str, list[Atom]]] = []
    for unit in top:
        by_value: dict[str, list[Atom]] = {}
        for atom in sorted(unit):
            value = ancestor(toy, atom[0], level.attribute, finest)
            by_value.setdefault(value, []).append(atom)
        blocks += by_value.items()
    pieces = Counter(value for value, _ in blocks)
    if any(many > 1 and value not in level.split for value, many in pieces.items()):
        return
    choices: list[list[Partition]] = []
    for value, atoms in blocks:
        whole: list[Partition] = [(frozenset(atoms),)]
        # A cut in more pieces than two adds nothing for two records that move.
        if value not in level.split:
            choices.append(whole)
        elif pieces[value] > 1:
            choices.append(whole + list(_halves(atoms)))
        else:
            choices.append(list(_halves(atoms)))
    yield from (tuple(chain.from_iterable(chosen)) for chosen in product(*choices))


def geographies(toy: Toy, limit: int, draw: random.Random) -> list[list[Partition]]:
    """Up to some ways in which the units of all levels can lie, all if they are fewer.

    Returns:
        For each the partition of every level. Empty if the spine contradicts itself.
    """
    finest = (place_attributes(toy) or [""])[-1]
    values = toy.attributes[finest] if finest else ("",)
    named = sum(level.attribute is None for level in toy.spine[1:])
    atoms: list[Atom] = []
    for value in values:
        cuts = sum(
            level.attribute is not None
            and ancestor(toy, value, level.attribute, finest) in level.split
            for level in toy.spine
        )
        atoms += [(value, part) for part in range(2 ** min(named + cuts, 3))]
    found: list[list[Partition]] = []
    steps = 0

    def grow(known: list[Partition], enough: int) -> None:
        nonlocal steps
        steps += 1
        if len(found) >= enough or steps > 20 * limit:
            return
        if len(known) == len(toy.spine):
            found.append(known)
            return
        top = known[-1] if known else (frozenset(atoms),)
        some = list(islice(_finer(toy, top, len(known)), 500))
        draw.shuffle(some)
        for partition in some:
            grow([*known, partition], enough)

    grow([], limit)
    if len(found) < limit and steps <= 20 * limit:
        return found
    found.clear()
    for enough in range(1, limit + 1):  # Each from the top again, which goes another way.
        steps = 0
        grow([], enough)
    return found


# Records, moves and their cost.


@dataclass(frozen=True)
class Record:
    """A combination of levels at a place.

    Attributes:
        place: the finest attribute of the spine, and the unit of each level.
        rest: the levels of the other attributes.
        exact: what the linear invariants see of it.
    """

    cell: Mapping[str, str]
    place: tuple[object, ...]
    rest: tuple[str, ...]
    exact: tuple[object, ...]


@dataclass
class Country:
    """All records of a toy in one geography.

    Attributes:
        seen: for each (level, query) the cell of every record, None where it is not counted.
        gram: of each two records the rho of the queries that count them in one cell, in units.
        unit: one over this is the unit of ``gram``.
    """

    toy: Toy
    records: list[Record]
    seen: dict[tuple[str, str], list[object]]
    gram: list[list[int]]
    unit: int
    rest: dict[tuple[object, ...], bool] = field(default_factory=dict)

    def rho(self, before: Sequence[int], after: Sequence[int]) -> Fraction:
        """rho of one pair: half the squared l2 norm of the shift, times rho, over all queries."""
        total = Fraction(0)
        for key, shifts in self.shifts(before, after).items():
            total += self.toy.weights[key] * sum(shift * shift for shift in shifts) / 2
        return total * self.toy.times

    def shifts(
        self, before: Sequence[int], after: Sequence[int]
    ) -> dict[tuple[str, str], tuple[int, ...]]:
        """By how much each count of every query moves; those that do not move are left out."""
        found = {}
        for key, where in self.seen.items():
            moved: Counter[object] = Counter()
            for record in after:
                moved[where[record]] += 1
            for record in before:
                moved[where[record]] -= 1
            moved.pop(None, None)
            found[key] = tuple(sorted(shift for shift in moved.values() if shift))
        return found


def _sees(toy: Toy, query: Query, cell: Mapping[str, str]) -> object:
    if query.where is not None and not holds(query.where, cell):
        return None
    told: list[object] = []
    for name in query.tells:
        if name in toy.recodes:
            groups = toy.recodes[name][1]
            told.append(next((at for at, one in enumerate(groups) if holds(one, cell)), -1))
        else:
            told.append(cell[name])
    return tuple(told)


def _exact(toy: Toy, cell: Mapping[str, str]) -> tuple[object, ...]:
    found: list[object] = []
    for at, one in enumerate(toy.invariants):
        if one.kind == "margin":
            found.append((at, *(cell[name] for name in one.names)))
        elif one.kind == "count" and holds(one.where, cell):
            found.append((at,))
    return tuple(found)


def country(toy: Toy, geography: Sequence[Partition]) -> Country:
    finest = (place_attributes(toy) or [""])[-1]
    spine = set(places(toy))
    paths: dict[str, set[tuple[int, ...]]] = {}
    for atom in set().union(*geography[0]):
        path = tuple(
            next(at for at, unit in enumerate(partition) if atom in unit) for partition in geography
        )
        paths.setdefault(atom[0], set()).add(path)
    records = [
        Record(
            cell,
            (cell.get(finest, ""), *path),
            tuple(level for name, level in cell.items() if name not in spine),
            _exact(toy, cell),
        )
        for cell in cells(toy)
        for path in sorted(paths[cell.get(finest, "")])
    ]
    seen: dict[tuple[str, str], list[object]] = {}
    depth = {level.name: at + 1 for at, level in enumerate(toy.spine)}
    for level, name in toy.weights:
        answers = [_sees(toy, toy.queries[name], record.cell) for record in records]
        seen[level, name] = [
            None if answer is None else (record.place[depth[level]], answer)
            for record, answer in zip(records, answers, strict=True)
        ]
    unit = math.lcm(*(weight.denominator for weight in toy.weights.values()))
    gram = [[0] * len(records) for _ in records]
    for key, where in seen.items():
        weight = int(toy.weights[key] * unit)
        for one, row in enumerate(gram):
            if where[one] is not None:
                for two, cell in enumerate(where):
                    if cell == where[one]:
                        row[two] += weight
    return Country(toy, records, seen, gram, unit)
