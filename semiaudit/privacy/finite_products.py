"""Products of finite pairs of distributions in a fixed order, computed in integers.

A product is the privacy loss between two datasets (X, Y): each factor is the law of one output
under X against its law under Y. The order of the two is the same in every factor. Reversing the
whole product exchanges the datasets. Reversing a single factor gives a product that belongs to no
two datasets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import cmp_to_key, lru_cache
from math import gcd, inf, lcm, log

from semiaudit.frozen import cached_property, dataclass
from semiaudit.model.loss import FiniteLoss
from semiaudit.model.measure import PiecewiseLinear
from semiaudit.numeric.intervals import ZERO, Interval

MAX_COORDINATES = 64
"""The most factors of a product that is computed."""

MAX_RATIOS = 3_000
"""The most different likelihood ratios of a product, in integers."""

MAX_OUTCOMES = 256
"""The most likelihood ratios of a product whose loss is computed as a single pair: few tests are
enough."""

Parts = tuple[tuple[FiniteLoss, int], ...]


@dataclass(frozen=True)
class FiniteProduct:
    """Independent finite pairs, each in one order: (P, Q) is the first dataset against the second.

    Attributes:
        parts: each pair with how often it occurs; empty if the datasets are indistinguishable.
    """

    parts: Parts

    @classmethod
    def of(cls, pairs: Iterable[FiniteLoss]) -> FiniteProduct:
        """Make the product of some pairs, without those that reveal nothing."""
        return cls.of_parts((pair, 1) for pair in pairs)

    @classmethod
    def of_parts(cls, parts: Iterable[tuple[FiniteLoss, int]]) -> FiniteProduct:
        """Make the product of repeated pairs, without those that reveal nothing."""
        counts: Counter[FiniteLoss] = Counter()
        for pair, times in parts:
            if pair.first != pair.second:
                counts[pair] += times
        return cls(tuple(sorted(counts.items(), key=lambda item: (item[0].first, item[0].second))))

    @property
    def turned(self) -> FiniteProduct:
        """Return the product for the two datasets in the other order."""
        return FiniteProduct.of_parts((merged(turned(pair)), times) for pair, times in self.parts)

    @cached_property
    def simplest(self) -> FiniteProduct:
        """Return one representative of all products with the same losses, factor by factor.

        Outcome labels and the order of the two datasets do not matter.
        """
        same = FiniteProduct.of_parts((merged(pair), times) for pair, times in self.parts)
        return min(same, same.turned, key=lambda product: product.key)

    @property
    def key(self) -> tuple[tuple[tuple[Fraction, ...], tuple[Fraction, ...], int], ...]:
        """The key by which products are sorted."""
        return tuple((pair.first, pair.second, times) for pair, times in self.parts)

    @cached_property
    def size(self) -> float:
        """Estimate how much the product loses: the sum of its two divergences of order 1.

        No bound uses it.
        """
        return sum(times * _divergence(pair) for pair, times in self.parts)

    def root(self, times: int) -> FiniteProduct:
        """Return the product of which this one is the given number of repetitions."""
        return FiniteProduct(tuple((pair, number // times) for pair, number in self.parts))

    @cached_property
    def tradeoff(self) -> PiecewiseLinear | None:
        """T(P, Q), in this order, exactly; None if the product is too large."""
        if self._masses is None:
            return None
        masses, total = self._masses
        # Outcomes by decreasing q / p, those with p = 0 first; their sums are the tests. The ratios
        # differ, so the function is convex, and each test is a vertex.
        x, y = 0, total
        vertices = [] if any(not p for p, _ in masses) else [(Fraction(0), Fraction(1))]
        for p, q in sorted(masses, key=cmp_to_key(_compared_ratios)):
            x, y = x + p, y - q
            vertices.append((Fraction(x, total), Fraction(y, total)))
        return PiecewiseLinear(tuple(vertices), declared=True)

    @property
    def loss(self) -> FiniteLoss | None:
        """Return the product as one pair, an outcome per likelihood ratio; None if too many."""
        if self._masses is None or len(self._masses[0]) > MAX_OUTCOMES:
            return None
        masses, total = self._masses
        return FiniteLoss(
            tuple(Fraction(p, total) for p, _ in masses),
            tuple(Fraction(q, total) for _, q in masses),
        )

    @cached_property
    def _masses(self) -> tuple[list[tuple[int, int]], int] | None:
        return _outcomes(self.parts)

    @cached_property
    def largest_loss(self) -> Interval | None:
        """Enclose the logarithm of the largest likelihood ratio in either direction.

        None if it is infinite.
        """
        sides = [ZERO, ZERO]
        for pair, times in self.parts:
            for side, laws in enumerate((pair, turned(pair))):
                if any(p and not q for p, q in zip(laws.first, laws.second, strict=True)):
                    return None
                ratio = max(p / q for p, q in zip(laws.first, laws.second, strict=True) if q)
                sides[side] = sides[side] + Interval.of(times) * Interval.of(ratio).ln()
        return Interval(max(side.low for side in sides), max(side.high for side in sides))

    def holds(self, other: FiniteProduct) -> bool:
        """Return whether this product contains every pair of the other product, in the same order.

        Both have an outcome for each likelihood ratio, as in their simplest form.
        """
        mine = dict(self.parts)
        return all(mine.get(pair, 0) >= times for pair, times in other.parts)


def _compared_ratios(first: tuple[int, int], other: tuple[int, int]) -> int:
    """Compare two outcomes; negative if the first one has the larger ratio q / p."""
    return first[0] * other[1] - first[1] * other[0]


def turned(pair: FiniteLoss) -> FiniteLoss:
    """Return the pair in the other order."""
    return FiniteLoss(pair.second, pair.first)


@lru_cache(maxsize=4096)
def merged(pair: FiniteLoss) -> FiniteLoss:
    """Return the pair with one outcome for each likelihood ratio, sorted by ratio."""
    mass_of: dict[tuple[bool, Fraction], tuple[Fraction, Fraction]] = {}
    for p, q in zip(pair.first, pair.second, strict=True):
        if p or q:
            key = (False, p / q) if q else (True, Fraction(0))
            before = mass_of.get(key, (Fraction(0), Fraction(0)))
            mass_of[key] = before[0] + p, before[1] + q
    masses = [mass_of[key] for key in sorted(mass_of)]
    return FiniteLoss(tuple(p for p, _ in masses), tuple(q for _, q in masses))


def _divergence(pair: FiniteLoss) -> float:
    total = 0.0
    for p, q in zip(pair.first, pair.second, strict=True):
        if (p == 0) != (q == 0):
            return inf
        if p:
            total += float(p - q) * (_log(p) - _log(q))
    return total


def _log(value: Fraction) -> float:
    return log(value.numerator) - log(value.denominator)


def _outcomes(parts: Parts) -> tuple[list[tuple[int, int]], int] | None:
    """Return (masses under P and Q of each likelihood ratio, their total); None if too many."""
    if sum(times for _, times in parts) > MAX_COORDINATES:
        return None
    masses, total = {(1, 1): (1, 1)}, 1
    for pair, times in parts:
        scale = lcm(*(v.denominator for v in (*pair.first, *pair.second)))
        atoms = [
            (int(p * scale), int(q * scale))
            for p, q in zip(pair.first, pair.second, strict=True)
            if p or q
        ]
        for _ in range(times):
            grown: dict[tuple[int, int], tuple[int, int]] = {}
            for p, q in masses.values():
                for a, b in atoms:
                    first, other = p * a, q * b
                    common = gcd(first, other)
                    if not common:
                        continue
                    key = first // common, other // common
                    before = grown.get(key, (0, 0))
                    grown[key] = before[0] + first, before[1] + other
            if len(grown) > MAX_RATIOS:
                return None
            masses, total = grown, total * scale
    return list(masses.values()), total
