"""Brute-force oracle for datasets of two kinds of records, such as persons and housing units.

A dataset is a pair: the ordered records of the persons, and those of the units. D is a plain list
of such pairs, whatever relates the two kinds. Only persons are protected: a distance counts the
persons that differ, and pairs of datasets are compared in which no more units differ than these
persons touch (Cho & Awan, Definition 13, and the worst starting dataset of Theorem 16's proof, for
a T that looks at both kinds of records).

Everything is looped over as it is written down: no symmetry, no closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from tests.oracles.semi_adjacency import hamming

Record: TypeAlias = tuple[int, ...]
Table: TypeAlias = tuple[Record, ...]
Both: TypeAlias = tuple[Table, Table]
Invariant: TypeAlias = Callable[[Both], Hashable]


def tables(levels: Sequence[int], size: int) -> list[Table]:
    """All ordered datasets of so many records over attributes of so many levels."""
    records = list(product(*[range(number) for number in levels]))
    return list(product(records, repeat=size))


def products(persons: Iterable[Table], units: Sequence[Table]) -> list[Both]:
    """D, where every table of persons occurs with every table of units."""
    return [(mine, theirs) for mine in persons for theirs in units]


def functions(persons: Iterable[Table], units: Callable[[Table], Table]) -> list[Both]:
    """D, where the units are a function of the persons."""
    return [(mine, units(mine)) for mine in persons]


def margin(table: Table, attributes: Sequence[int]) -> Hashable:
    """The counts of all combinations of levels of some attributes."""
    counts: dict[Record, int] = {}
    for record in table:
        cell = tuple(record[attribute] for attribute in attributes)
        counts[cell] = counts.get(cell, 0) + 1
    return tuple(sorted(counts.items()))


def touched(datasets: Sequence[Both]) -> int:
    """The least m for which datasets with k other persons have at most k m other units."""
    most = 0
    for one, theirs in datasets:
        for other, ours in datasets:
            k, units = hamming(one, other), hamming(theirs, ours)
            while units > k * most:
                if not k:
                    raise ValueError("the units change while no person does")
                most += 1
    return most


def universes(datasets: Iterable[Both], invariant: Invariant) -> list[list[Both]]:
    """D_t for every t."""
    found: dict[Hashable, list[Both]] = {}
    for dataset in datasets:
        found.setdefault(invariant(dataset), []).append(dataset)
    return list(found.values())


def distance(one: Both, other: Both, touches: int) -> int | None:
    """How many persons differ; None where more units do than these persons touch."""
    persons, units = hamming(one[0], other[0]), hamming(one[1], other[1])
    return persons if units <= persons * touches else None


def covering(universe: Sequence[Both], touches: int) -> int:
    """max over X in D_t, a place i and y in D_t^i of min{d(X, Y): Y in D_t, Y_i = y}."""
    worst = 0
    for start in universe:
        for place, after in _wanted(universe):
            ends = [end for end in universe if end[0][place] == after]
            worst = max(worst, _nearest([start], ends, touches))
    return worst


def definition_13(universe: Sequence[Both], touches: int) -> int:
    """max over i, x, y in D_t^i of min{d(X, Y): X, Y in D_t, X_i = x, Y_i = y}."""
    worst = 0
    for place, before in _wanted(universe):
        for at, after in _wanted(universe):
            if at == place:
                starts = [start for start in universe if start[0][place] == before]
                ends = [end for end in universe if end[0][place] == after]
                worst = max(worst, _nearest(starts, ends, touches))
    return worst


def _nearest(starts: Sequence[Both], ends: Sequence[Both], touches: int) -> int:
    found = [distance(start, end, touches) for start in starts for end in ends]
    return min(steps for steps in found if steps is not None)


def _wanted(universe: Sequence[Both]) -> Iterator[tuple[int, Record]]:
    """Every place with every person that occurs there in some dataset."""
    for place in range(len(universe[0][0])):
        yield from ((place, record) for record in {persons[place] for persons, _ in universe})


def neighbors_agree(datasets: Sequence[Both], touches: int, invariant: Invariant) -> bool:
    """Whether all datasets at distance 1 have one value of the invariant."""
    return all(
        invariant(one) == invariant(other)
        for one in datasets
        for other in datasets
        if distance(one, other, touches) == 1
    )


def largest_rho(
    datasets: Sequence[Both], most: int, touches: int, persons: Fraction, units: Fraction
) -> Fraction:
    """What declared rhos of one changed record lose between datasets up to a distance: each kind
    of records loses its rho times the square of how many of its records differ."""
    lost = Fraction(0)
    for one in datasets:
        for other in datasets:
            steps = distance(one, other, touches)
            if steps is not None and steps <= most:
                ours, theirs = hamming(one[0], other[0]), hamming(one[1], other[1])
                lost = max(lost, persons * ours**2 + units * theirs**2)
    return lost
