"""Several finite pairs, of which one is that of whatever two datasets: what holds for all of them.

The worst pair depends on the error rate. The tradeoff function of all pairs is the largest convex
function below those of each, in both directions: the lower hull of all their vertices. At every
epsilon, and at every delta, it says what the worst pair says (docs/guarantee.md, "The envelope of
many pairs").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

from semiaudit import deadline
from semiaudit.model.loss import FiniteLoss, PrivacyLoss, WorstLoss
from semiaudit.model.measure import ZCDP, Measure, PiecewiseLinear, PureDP
from semiaudit.numeric import Interval
from semiaudit.privacy.domination import finite_loss
from semiaudit.privacy.measures.normalised_renyi import rho_bracket
from semiaudit.privacy.tradeoff.polygon import IDENTITY, NOTHING, lies_below, lower_hull

PERFECT: tuple[Measure, ...] = (PureDP(Fraction(0)), IDENTITY, ZCDP(Fraction(0)))
"""Of laws that are the same."""

MAX_TOLD = 8
"""Pairs of which none dominates another that are told one by one, in each number of a report."""

MAX_COMPARED = 300
"""Pairs that are compared with each other."""

MAX_SEARCHED = 12
"""Pairs of which the rho of each is searched for; of more, that of their common function."""

_RHO_WIDTH = Fraction(1, 10**7)

MAX_COORDINATES = 64
"""Factors of a product that are multiplied out."""

MAX_RATIOS = 3_000
"""Likelihood ratios of a product that are told apart, in whole numbers."""

MAX_OUTCOMES = 200
"""Likelihood ratios of a product whose loss is told by itself: its tests are few."""

MAX_WORK = 60_000
"""Vertices of the functions of all products together that are compared pair by pair."""

Parts = tuple[tuple[FiniteLoss, int], ...]


@dataclass(frozen=True)
class Product:
    """Independent finite pairs, each in one order: (P, Q) is the first dataset against the second.

    Attributes:
        parts: each pair with how often it occurs; empty where nothing is told apart.
    """

    parts: Parts

    @classmethod
    def of(cls, pairs: Iterable[FiniteLoss]) -> Product:
        """The product of some pairs, without those that tell nothing."""
        known = Counter(pair for pair in pairs if pair.first != pair.second)
        return cls(tuple(sorted(known.items(), key=lambda item: (item[0].first, item[0].second))))

    @cached_property
    def tradeoff(self) -> PiecewiseLinear | None:
        """The largest convex function below T(P, Q) and T(Q, P), exactly; None where too large."""
        if self._masses is None:
            return None
        masses, whole = self._masses
        # Outcomes by falling q / p, those without p first; their sums are the tests.
        order = sorted(masses, key=lambda mass: (mass[0] > 0, -Fraction(mass[1], mass[0] or 1)))
        x, y = 0, whole
        vertices = [(Fraction(0), Fraction(1))]
        for p, q in order:
            x, y = x + p, y - q
            vertices.append((Fraction(x, whole), Fraction(y, whole)))
        hull = lower_hull([*vertices, *((b, a) for a, b in vertices)])
        return replace(hull, declared=True)

    @property
    def loss(self) -> FiniteLoss | None:
        """The pair itself, an outcome for each likelihood ratio; None where these are not few."""
        if self._masses is None or len(self._masses[0]) > MAX_OUTCOMES:
            return None
        masses, whole = self._masses
        return FiniteLoss(
            tuple(Fraction(p, whole) for p, _ in masses),
            tuple(Fraction(q, whole) for _, q in masses),
        )

    @cached_property
    def _masses(self) -> tuple[list[tuple[int, int]], int] | None:
        return _outcomes(self.parts)

    @cached_property
    def largest_ratio(self) -> Fraction | None:
        """The largest likelihood ratio, in either direction; None where it is infinite."""
        found = [Fraction(1), Fraction(1)]
        for pair, times in self.parts:
            for side, (ps, qs) in enumerate(((pair.first, pair.second), (pair.second, pair.first))):
                if any(p and not q for p, q in zip(ps, qs, strict=True)):
                    return None
                found[side] *= max(p / q for p, q in zip(ps, qs, strict=True) if q) ** times
        return max(found)

    def holds(self, other: Product) -> bool:
        """Whether the other product has no pair that this one has not: it tells no more."""
        mine = dict(self.parts)
        return all(mine.get(pair, 0) >= times for pair, times in other.parts)


def _outcomes(parts: Parts) -> tuple[list[tuple[int, int]], int] | None:
    """(masses under P and Q of every likelihood ratio, what they sum to); None where too many."""
    if sum(times for _, times in parts) > MAX_COORDINATES:
        return None
    masses, whole = {(1, 1): (1, 1)}, 1
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
                    one, other = p * a, q * b
                    common = gcd(one, other)
                    if not common:
                        continue
                    key = one // common, other // common
                    before = grown.get(key, (0, 0))
                    grown[key] = before[0] + one, before[1] + other
            if len(grown) > MAX_RATIOS:
                return None
            masses, whole = grown, whole * scale
    return list(masses.values()), whole


def measures_of_products(products: Sequence[Product], *, attained: bool) -> tuple[Measure, ...]:
    """Every measure that holds for all of some products, whichever is that of two datasets.

    Args:
        products: one or more.
        attained: each is the pair of two datasets in question.

    Returns:
        Empty where the products are too large to be told. Else the tradeoff function of all of
        them; where likelihood ratios are bounded, epsilon and rho; where few products are left,
        their losses.

    Rounding: epsilon and rho are raised; the function is exact.
    """
    left = _maximal([product for product in products if product.parts])
    if not left:
        return PERFECT
    deadline.check()
    functions = [product.tradeoff for product in left]
    known = [f for f in functions if f is not None]
    if len(known) < len(left):
        return _without_function(left, attained=attained)
    f = _hull(known)
    if not f.vertices[0][1]:
        return (NOTHING,)
    kept = _lowest(list(zip(left, known, strict=True)))
    return (*_worst(kept, attained=attained), f, *_of_ratios(left), *_of_orders(kept, f))


def _without_function(left: Sequence[Product], *, attained: bool) -> tuple[Measure, ...]:
    """One product that is too large to be multiplied out is left to the engine."""
    if len(left) > 1:
        return ()
    loss = PrivacyLoss(left[0].parts, attained)
    return (loss, *_of_ratios(left), *_of_orders(left, None))


def _maximal(products: Iterable[Product]) -> list[Product]:
    """The products without those that are a part of another one."""
    distinct = sorted(dict.fromkeys(products), key=lambda p: -sum(times for _, times in p.parts))
    if len(distinct) > MAX_COMPARED:
        return distinct
    kept: list[Product] = []
    for product in distinct:
        if not any(other.holds(product) for other in kept):
            kept.append(product)
    return kept


def _hull(functions: Sequence[PiecewiseLinear]) -> PiecewiseLinear:
    """The largest convex function below all."""
    hull = lower_hull(vertex for f in functions for vertex in f.vertices)
    return replace(hull, declared=True)


def _lowest(known: Sequence[tuple[Product, PiecewiseLinear]]) -> list[Product]:
    """The products without those whose function lies nowhere below that of another one."""
    if len(known) * sum(len(f.vertices) for _, f in known) > MAX_WORK:
        return [product for product, _ in known]
    kept: list[tuple[Product, PiecewiseLinear]] = []
    for product, f in sorted(known, key=lambda item: sum(y for _, y in item[1].vertices)):
        deadline.check()
        if any(lies_below(g, f) for _, g in kept):
            continue
        kept = [(other, g) for other, g in kept if not lies_below(f, g)] + [(product, f)]
    return [product for product, _ in kept]


def _worst(products: Sequence[Product], *, attained: bool) -> tuple[Measure, ...]:
    """The losses of a few products, where each has few likelihood ratios."""
    pairs = [product.loss for product in products] if len(products) <= MAX_TOLD else [None]
    losses = tuple(PrivacyLoss(((p, 1),), attained) for p in pairs if p is not None)
    if len(losses) < len(pairs):
        return ()
    return losses if len(losses) == 1 else (WorstLoss(losses),)


def _of_ratios(products: Sequence[Product]) -> tuple[Measure, ...]:
    """epsilon at delta 0: the logarithm of the largest likelihood ratio."""
    largest = Fraction(1)
    for product in products:
        ratio = product.largest_ratio
        if ratio is None:
            return ()
        largest = max(largest, ratio)
    return (PureDP(Interval.of(largest).ln().upper_rational, exact=False),)


def _of_orders(products: Sequence[Product], f: PiecewiseLinear | None) -> tuple[Measure, ...]:
    """The largest rho; of many products that of their common function, which is no smaller."""
    if any(product.largest_ratio is None for product in products):
        return ()
    joined = ((product.loss, product.parts) for product in products)
    searched = [parts if loss is None else ((loss, 1),) for loss, parts in joined]
    if f is not None and len(searched) > MAX_SEARCHED:
        searched = [((finite_loss(f), 1),)]
    brackets = [rho_bracket(parts, _RHO_WIDTH) for parts in searched]
    known = [bracket.upper for bracket in brackets if bracket is not None]
    return (ZCDP(max(known), exact=False),) if len(known) == len(brackets) else ()
