"""Brute-force oracle for households that are a function of their persons.

A world lists the tables of persons that are possible. A person lives in one of a few dwellings and
has a sex; a dwelling is a record of the household table, by its number of persons. With ``vacant``,
an empty dwelling is a record too, so that the number of records is fixed. Everything is enumerated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product

Person = tuple[int, int]
Table = tuple[Person, ...]
"""Persons as (dwelling, sex), in order."""


def worlds_of(dwellings: int, sexes: int, sizes: Sequence[int], *, ordered: bool) -> list[Table]:
    """All tables of persons of some sizes; those with the same counts once, unless ``ordered``."""
    persons = list(product(range(dwellings), range(sexes)))
    found: list[Table] = []
    for size in sizes:
        if ordered:
            found += list(product(persons, repeat=size))
        else:
            found += list(combinations_with_replacement(persons, size))
    return found


def households(table: Table, dwellings: int, *, vacant: bool) -> Counter[int]:
    """How many dwellings have each number of persons."""
    lives = Counter(dwelling for dwelling, _ in table)
    counted = Counter(lives[dwelling] for dwelling in range(dwellings))
    if not vacant:
        del counted[0]
    return counted


def distance(one: Table, other: Table, metric: str) -> int | None:
    """The distance of two tables of persons; None if they have none."""
    if metric == "symmetric_difference":
        return sum(((Counter(one) - Counter(other)) + (Counter(other) - Counter(one))).values())
    if len(one) != len(other):
        return None
    if metric == "hamming":
        return sum(x != y for x, y in zip(one, other, strict=True))
    return sum((Counter(one) - Counter(other)).values())


def changes(one: Counter[int], other: Counter[int]) -> tuple[int, int]:
    """How many records of a table leave, and how many enter."""
    return sum((one - other).values()), sum((other - one).values())


def pairs(tables: Sequence[Table], metric: str, most: int) -> Iterator[tuple[Table, Table, int]]:
    """All pairs of tables at a distance of 1 to ``most``, with their distance."""
    for one in tables:
        for other in tables:
            far = distance(one, other, metric)
            if far is not None and 1 <= far <= most:
                yield one, other, far
