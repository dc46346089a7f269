"""Permutation swapping, performed in every possible way: the exact law of its output.

After the listing of Bailie, Gong and Meng, one stratum at a time: every record is selected with
probability p, and the exchanged values of the selected ones are permuted. Where exactly one is
selected, the stratum is selected anew, or nothing happens. Nothing is simplified.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, permutations
from math import lcm

Permutation = tuple[int, ...]
Table = tuple[tuple[int, int], ...]
"""The records of a stratum, (rest, exchanged), sorted: a dataset, or an output."""

Worst = dict[int, Fraction]
"""The largest ratio of two probabilities of one output, by the distance of the datasets."""


def selections(n: int, p: Fraction) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Every set of selected records with its probability."""
    for number in range(n + 1):
        for chosen in combinations(range(n), number):
            yield chosen, p**number * (1 - p) ** (n - number)


@lru_cache(maxsize=64)
def law(n: int, p: Fraction, variant: str, reselection: bool) -> dict[Permutation, Fraction]:
    """The probability of every permutation of a stratum of n records."""
    still = tuple(range(n))
    if n < 2:
        return {still: Fraction(1)}
    found: dict[Permutation, Fraction] = dict.fromkeys(permutations(still), Fraction(0))
    for chosen, chance in selections(n, p):
        if len(chosen) == 1:
            if not reselection:
                found[still] += chance
            continue
        ways = [
            order
            for order in permutations(chosen)
            if variant == "uniform" or all(a != b for a, b in zip(order, chosen, strict=True))
        ]
        for order in ways:
            moved = list(still)
            for place, source in zip(chosen, order, strict=True):
                moved[place] = source
            found[tuple(moved)] += chance / len(ways)
    total = sum(found.values(), Fraction(0))
    return {permutation: chance / total for permutation, chance in found.items()}


def effective_rate(n: int, p: Fraction) -> Fraction:
    """The expected share of selected records, where exactly one is never selected."""
    kept = [(len(chosen), chance) for chosen, chance in selections(n, p) if len(chosen) != 1]
    selected = sum((k * chance for k, chance in kept), Fraction(0))
    return selected / sum((chance for _, chance in kept), Fraction(0)) / n


def distance(one: Table, other: Table) -> int:
    """The multiset Hamming distance of two datasets of one size."""
    return sum((Counter(one) - Counter(other)).values())


def worst_of_labels(
    rest: Sequence[int], swap: Sequence[int], chances: dict[Permutation, Fraction]
) -> Worst:
    """The worst ratios of a stratum whose records have these labels, over its whole universe.

    Args:
        rest: of each place. swap: the exchanged values, in any order.
    """
    whole = lcm(*(chance.denominator for chance in chances.values()))
    weights = {sigma: int(chance * whole) for sigma, chance in chances.items()}
    laws: dict[Table, Counter[Table]] = {}
    for values in set(permutations(swap)):
        dataset = _table(rest, values)
        if dataset not in laws:
            outputs: Counter[Table] = Counter()
            for sigma, weight in weights.items():
                outputs[_table(rest, [values[source] for source in sigma])] += weight
            laws[dataset] = outputs
    found: Worst = {}
    for one, first in laws.items():
        for other, second in laws.items():
            if one == other:
                continue
            apart = distance(one, other)
            top = max(first, key=lambda output: first[output] / second[output])
            ratio = Fraction(first[top], second[top])
            found[apart] = max(found.get(apart, Fraction(0)), ratio)
    return found


def worst_all_distinct(chances: dict[Permutation, Fraction]) -> Worst:
    """The same where no two records agree in anything: a table is a permutation.

    The probability of a permutation is that of every conjugate, so that one change of each cycle
    type stands for all.
    """
    found: Worst = {}
    for change in _of_each_type(chances):
        apart = sum(place != source for place, source in enumerate(change))
        ratio = max(
            chance / chances[tuple(change[source] for source in sigma)]
            for sigma, chance in chances.items()
        )
        found[apart] = max(found.get(apart, Fraction(0)), ratio)
    return found


def label_patterns(n: int) -> list[tuple[int, ...]]:
    """The labels of n records, one list for every way to agree: (0, 0, 1), (0, 1, 2), ..."""

    def parts(left: int, most: int) -> Iterator[tuple[int, ...]]:
        if not left:
            yield ()
        for size in range(min(left, most), 0, -1):
            for others in parts(left - size, size):
                yield (size, *others)

    return [
        tuple(label for label, size in enumerate(sizes) for _ in range(size))
        for sizes in parts(n, n)
    ]


def _table(rest: Sequence[int], values: Sequence[int]) -> Table:
    return tuple(sorted(zip(rest, values, strict=True)))


def _of_each_type(chances: dict[Permutation, Fraction]) -> Iterator[Permutation]:
    seen = set()
    for sigma in chances:
        kind = _cycle_type(sigma)
        if kind not in seen and max(kind) > 1:
            seen.add(kind)
            yield sigma


def _cycle_type(sigma: Permutation) -> tuple[int, ...]:
    left, sizes = set(range(len(sigma))), []
    while left:
        start = place = min(left)
        size = 0
        while place in left:
            left.remove(place)
            place, size = sigma[place], size + 1
        sizes.append(size)
        if place != start:
            raise ValueError("no permutation")
    return tuple(sorted(sizes))
