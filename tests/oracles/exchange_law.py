"""The law of permutation swapping in one stratum, by enumeration of selections and permutations."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import combinations, permutations


def exchange_law(
    size: int, rate: Fraction, *, deranged: bool, reselection: bool
) -> dict[tuple[int, ...], Fraction]:
    """The probability of every order: the record at i gets the value of the one at ``order[i]``.

    Selections of records are weighed with rate^k (1 - rate)^(size - k). Those of exactly one are
    left out before the weights are made to add up to 1, which is what selecting again until it is
    not so does; without reselection they leave everything in place.
    """
    law: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    if size < 2:
        return {tuple(range(size)): Fraction(1)}
    for number in range(size + 1):
        weight = rate**number * (1 - rate) ** (size - number)
        for chosen in combinations(range(size), number):
            if number == 1 and reselection:
                continue
            found = [
                order
                for order in permutations(chosen)
                if number < 2
                or not deranged
                or all(a != b for a, b in zip(order, chosen, strict=True))
            ]
            for order in found:
                whole = list(range(size))
                for place, source in zip(chosen, order, strict=True):
                    whole[place] = source
                law[tuple(whole)] += weight / len(found)
    total = sum(law.values())
    return {order: weight / total for order, weight in law.items() if weight}


def table_law(
    records: Sequence[tuple[Hashable, Hashable]],
    rate: Fraction,
    *,
    deranged: bool,
    reselection: bool,
) -> dict[frozenset[tuple[tuple[Hashable, Hashable], int]], Fraction]:
    """The law of the table of one stratum, whose records are (what stays, what is swapped)."""
    law: defaultdict[frozenset[tuple[tuple[Hashable, Hashable], int]], Fraction]
    law = defaultdict(Fraction)
    orders = exchange_law(len(records), rate, deranged=deranged, reselection=reselection)
    for order, weight in orders.items():
        cells = Counter(
            (record[0], records[source][1]) for record, source in zip(records, order, strict=True)
        )
        law[frozenset(cells.items())] += weight
    return dict(law)
