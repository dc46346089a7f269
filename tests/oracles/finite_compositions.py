"""Compositions of finite mechanisms by exact convolution: all ordered pairs, all outputs.

Slow and by the definitions. The output of a composition is the tuple of the outputs of all runs;
its probability under a dataset is the product of their probabilities. No pair of datasets is left
out, no order of a pair is left out, and nothing is joined but tuples of equal probabilities.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key
from itertools import permutations

Law = tuple[Fraction, ...]


@dataclass(frozen=True)
class Composition:
    """Finite mechanisms on the same datasets.

    Attributes:
        parts: for each mechanism the laws of all datasets, and how often it runs.
    """

    parts: tuple[tuple[tuple[Law, ...], int], ...]

    @property
    def datasets(self) -> int:
        return len(self.parts[0][0])

    def rearranged(self, places: Sequence[int]) -> Composition:
        """The datasets at these places, in this order."""
        return Composition(
            tuple((tuple(laws[at] for at in places), times) for laws, times in self.parts)
        )


@dataclass(frozen=True)
class Ordered:
    """One dataset against another one: every tuple of outputs, with its two probabilities.

    Attributes:
        masses: (whole number for P, for Q), with how many tuples have both. whole: their sums.
    """

    masses: tuple[tuple[int, int, int], ...]
    whole: int

    def delta(self, growth: Fraction) -> Fraction:
        """The sum of all P - growth Q that are positive: the largest P(S) - growth Q(S)."""
        top, bottom = growth.numerator, growth.denominator
        total = sum(n * max(bottom * p - top * q, 0) for p, q, n in self.masses)
        return Fraction(total, bottom * self.whole)

    def type_ii(self, type_i: Fraction) -> Fraction:
        """The least type II error at a type I error: the most telling outputs are rejected first,
        the last of them by chance (Neyman and Pearson)."""
        left, missed = type_i * self.whole, Fraction(self.whole)
        for p, q, n in self._falling:
            share = Fraction(1) if p * n <= left else left / (p * n)
            left -= share * p * n
            missed -= share * q * n
            if share < 1:
                break
        return missed / self.whole

    def points(self) -> Iterator[tuple[float, float]]:
        """About (type I, type II) of all most powerful tests."""
        x, y = 0, self.whole
        yield 0.0, 1.0
        for p, q, n in self._falling:
            x, y = x + p * n, y - q * n
            yield x / self.whole, y / self.whole

    @cached_property
    def _falling(self) -> list[tuple[int, int, int]]:
        """By falling q / p."""
        return sorted(self.masses, key=cmp_to_key(_more_telling))

    def rho(self) -> float:
        """About the largest D_a / a over orders a > 1; infinite if some output is of P alone."""
        if any(p and not q for p, q, _ in self.masses):
            return math.inf
        known = [
            (math.log(n) + math.log(p) - math.log(self.whole), math.log(p) - math.log(q))
            for p, q, n in self.masses
            if p
        ]
        coarse = [_normalized(known, order) for order in ORDERS]
        at = coarse.index(max(coarse))
        low, high = ORDERS[max(at - 1, 0)], ORDERS[min(at + 1, len(ORDERS) - 1)]
        fine = [_normalized(known, low + (high - low) * step / 100) for step in range(101)]
        return max(0.0, *coarse, *fine)


def _normalized(known: Sequence[tuple[float, float]], order: float) -> float:
    """D_a / a from the logarithms of all masses and of their ratios."""
    logs = [weight + (order - 1) * loss for weight, loss in known]
    top = max(logs)
    moment = top + math.log(sum(math.exp(value - top) for value in logs))
    return moment / (order - 1) / order


def _more_telling(one: tuple[int, int, int], other: tuple[int, int, int]) -> int:
    """Below 0 if the first has the larger q / p."""
    return one[0] * other[1] - one[1] * other[0]


ORDERS = tuple(1 + 1e-5 * 1.3**step for step in range(70))
"""Orders from next to 1 to about 900."""


def ordered_pairs(found: Composition) -> list[Ordered]:
    """Every dataset against every other one, in both orders."""
    pairs = permutations(range(found.datasets), 2)
    return [_ordered(found, one, other) for one, other in pairs]


def _ordered(found: Composition, one: int, other: int) -> Ordered:
    masses, whole = Counter({(1, 1): 1}), 1
    for laws, times in found.parts:
        scale = math.lcm(*(share.denominator for at in (one, other) for share in laws[at]))
        outputs = [
            (int(p * scale), int(q * scale)) for p, q in zip(laws[one], laws[other], strict=True)
        ]
        for _ in range(times):
            grown: Counter[tuple[int, int]] = Counter()
            for (p, q), n in masses.items():
                for a, b in outputs:
                    grown[p * a, q * b] += n
            masses, whole = grown, whole * scale
    kept = tuple((p, q, n) for (p, q), n in sorted(masses.items()) if p or q)
    return Ordered(kept, whole)


def least_on_chords(points: Iterable[tuple[float, float]], type_i: float) -> float:
    """About the lowest chord between points above a type I error."""
    left: list[tuple[float, float]] = []
    right: list[tuple[float, float]] = []
    lowest = math.inf
    for x, y in sorted(points):
        # No test is better in both errors.
        if y < lowest:
            lowest = y
            (left if x <= type_i else right).append((x, y))
    chords = (y0 + (y1 - y0) * (type_i - x0) / (x1 - x0) for x0, y0 in left for x1, y1 in right)
    return min([*(y for _, y in left), *chords])


def random_composition(chance: random.Random) -> Composition:
    """One to three mechanisms on three to six datasets, each with a few outcomes and runs."""
    datasets, parts = chance.randint(3, 6), []
    for _ in range(chance.choice([1, 1, 2, 2, 3])):
        outcomes, most = chance.choice([(2, 4), (3, 2), (4, 1)])
        zeros = chance.random() < 0.15
        laws = tuple(_random_law(chance, outcomes, zeros=zeros) for _ in range(datasets))
        parts.append((laws, chance.randint(1, most)))
    return Composition(tuple(parts))


def _random_law(chance: random.Random, outcomes: int, *, zeros: bool) -> Law:
    weights = [chance.randint(0 if zeros else 1, 9) for _ in range(outcomes)]
    if not any(weights):
        weights[0] = 1
    return tuple(Fraction(weight, sum(weights)) for weight in weights)
