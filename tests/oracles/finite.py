"""Finite mechanisms by enumeration: all events, all tests, all pairs of datasets, in rationals.

Slow and by the definitions: nothing is sorted by likelihood ratios.
"""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from itertools import product
from operator import ne

Law = tuple[Fraction, ...]
Point = tuple[Fraction, Fraction]

DECIMALS = Context(prec=50)


@dataclass(frozen=True)
class Instance:
    """A finite mechanism on a few datasets.

    Attributes:
        datasets: all of D. laws: of the output, one for each.
        told: the value of the invariants of each.
    """

    datasets: tuple[tuple[int, ...], ...]
    laws: tuple[Law, ...]
    told: tuple[int, ...]


def random_instance(chance: random.Random) -> Instance:
    """A few datasets of two or three records, with laws that may have zeros."""
    size, values = chance.choice([(2, 2), (3, 2), (2, 3)])
    every = list(product(range(values), repeat=size))
    datasets = tuple(chance.sample(every, chance.randint(2, min(6, len(every)))))
    outcomes = chance.randint(2, 4)
    laws = tuple(random_law(chance, outcomes) for _ in datasets)
    kinds = chance.choice([1, 2, 2, 3])
    return Instance(datasets, laws, tuple(chance.randrange(kinds) for _ in datasets))


def random_law(chance: random.Random, outcomes: int) -> Law:
    """Small whole weights over their sum; zero weights now and then."""
    least = chance.choice([0, 1, 1])
    weights = [chance.randint(least, 6) for _ in range(outcomes)]
    if not any(weights):
        weights[chance.randrange(outcomes)] = 1
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def hamming(one: Sequence[int], other: Sequence[int]) -> int:
    """In how many places two datasets differ."""
    return sum(map(ne, one, other))


def events(law: Law, other: Law) -> Iterable[Point]:
    """(P(S), Q(S)) of every event S."""
    for chosen in product((False, True), repeat=len(law)):
        inside = [place for place, taken in enumerate(chosen) if taken]
        yield (
            sum((law[i] for i in inside), Fraction(0)),
            sum((other[i] for i in inside), Fraction(0)),
        )


def error_points(law: Law, other: Law) -> list[Point]:
    """(type I, type II) of every deterministic test of one law against the other."""
    return [(p, 1 - q) for p, q in events(law, other)]


def least_type_ii(points: Sequence[Point], type_i: Fraction) -> Fraction:
    """The lowest point above a type I error of all chords between points."""
    best = Fraction(1)
    for x0, y0 in points:
        if x0 == type_i:
            best = min(best, y0)
        for x1, y1 in points:
            if x0 < type_i < x1:
                best = min(best, y0 + (y1 - y0) * (type_i - x0) / (x1 - x0))
    return best


def largest_delta(law: Law, other: Law, growth: Fraction) -> Fraction:
    """The largest P(S) - growth Q(S) of all events, in both directions."""
    return max(max(p - growth * q, q - growth * p) for p, q in events(law, other))


def multiplicative(law: Law, other: Law, delta: Fraction = Fraction(0)) -> Fraction | None:
    """exp of the sup over events of ln [P(S) - delta]+ / Q(S), both ways; None: infinite."""
    best = Fraction(1)
    for p, q in events(law, other):
        for one, two in ((p, q), (q, p)):
            if one > delta:
                if not two:
                    return None
                best = max(best, (one - delta) / two)
    return best


def normalised_renyi(law: Law, other: Law) -> float | None:
    """About the supremum over orders of sqrt(D_a / a), on a grid of orders; None: infinite."""
    if any((p == 0) != (q == 0) for p, q in zip(law, other, strict=True)):
        return None
    best = 0.0
    for first, second in ((law, other), (other, law)):
        ratios = [(float(p), math.log(p / q)) for p, q in zip(first, second, strict=True) if p]
        for step in range(1, 160):
            excess = 1e-4 * 1.12**step
            top = max(loss for _, loss in ratios) * excess
            total = sum(p * math.exp(loss * excess - top) for p, loss in ratios)
            best = max(best, (top + math.log(total)) / excess / (1 + excess))
    return math.sqrt(max(best, 0.0))


def lipschitz(
    instance: Instance, places: Sequence[int], delta: Fraction, *, told: bool
) -> Decimal | None:
    """The largest logarithm of ``multiplicative`` over the distance; None: infinite."""
    best = Decimal(0)
    for one in places:
        for other in places:
            if one >= other:
                continue
            if told and instance.told[one] != instance.told[other]:
                return None
            ratio = multiplicative(instance.laws[one], instance.laws[other], delta)
            if ratio is None:
                return None
            loss = DECIMALS.ln(
                DECIMALS.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
            )
            distance = hamming(instance.datasets[one], instance.datasets[other])
            best = max(best, DECIMALS.divide(loss, Decimal(distance)))
    return best


def pairs_within(instance: Instance, distance: int, *, inside: bool) -> list[tuple[Law, Law]]:
    """The laws of datasets within a distance, both orders; inside one universe or anywhere."""
    found = []
    for one, x in enumerate(instance.datasets):
        for other, y in enumerate(instance.datasets):
            alike: Hashable = instance.told[one] == instance.told[other]
            if one != other and hamming(x, y) <= distance and (alike or not inside):
                found.append((instance.laws[one], instance.laws[other]))
    return found


def processed(law: Law, kernel: Sequence[Sequence[Fraction]]) -> Law:
    """A law after a kernel."""
    return tuple(
        sum((share * row[to] for share, row in zip(law, kernel, strict=True)), Fraction(0))
        for to in range(len(kernel[0]))
    )


def nowhere_above(first: tuple[Law, Law], second: tuple[Law, Law]) -> bool:
    """Whether T(first) <= T(second): at the type I error of every test of the second."""
    points = error_points(*first)
    return all(least_type_ii(points, x) <= y for x, y in error_points(*second))
