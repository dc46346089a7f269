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

from semiaudit import deadline
from semiaudit.model.loss import FiniteLoss, PrivacyLoss, WorstLoss
from semiaudit.model.measure import ZCDP, Measure, PiecewiseLinear, PureDP
from semiaudit.numeric import Interval
from semiaudit.privacy.domination import finite_loss
from semiaudit.privacy.measures.normalised_renyi import rho_bracket
from semiaudit.privacy.tradeoff.polygon import NOTHING, inverse, lower_hull, type_ii_at
from semiaudit.privacy.tradeoff.product import exact_tensor_product
from semiaudit.privacy.tradeoff.sources import tradeoff_from_likelihoods

MAX_TOLD = 8
"""Pairs of which none dominates another that are told one by one: each number is computed of each."""

MAX_COMPARED = 300
"""Pairs that are compared with each other."""

MAX_SEARCHED = 12
"""Pairs of which the rho of each is searched for; of more, that of their common function."""

_RHO_WIDTH = Fraction(1, 10**7)

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
        """T(P, Q) and T(Q, P) from below by one convex function; None where it is too large.

        Exact for one pair; else rounded down as ``exact_tensor_product`` is.
        """
        functions = [(_function(pair), times) for pair, times in self.parts]
        f = functions[0][0]
        if len(self.parts) > 1 or self.parts[0][1] > 1:
            product = exact_tensor_product(functions)
            if product is None:
                return None
            f = product
        return replace(lower_hull([*f.vertices, *inverse(f).vertices]), declared=self._single)

    @property
    def _single(self) -> bool:
        return len(self.parts) == 1 and self.parts[0][1] == 1

    @cached_property
    def largest_ratio(self) -> Fraction | None:
        """The largest likelihood ratio, in either direction; None where it is infinite."""
        found = [Fraction(1), Fraction(1)]
        for pair, times in self.parts:
            for side, (ps, qs) in enumerate(
                ((pair.first, pair.second), (pair.second, pair.first))
            ):
                if any(p and not q for p, q in zip(ps, qs, strict=True)):
                    return None
                found[side] *= max(p / q for p, q in zip(ps, qs, strict=True) if q) ** times
        return max(found)

    def holds(self, other: Product) -> bool:
        """Whether the other product has no pair that this one has not: it tells no more."""
        mine = dict(self.parts)
        return all(mine.get(pair, 0) >= times for pair, times in other.parts)


def _function(pair: FiniteLoss) -> PiecewiseLinear:
    return tradeoff_from_likelihoods(pair).below


def measures_of_products(products: Sequence[Product], *, attained: bool) -> tuple[Measure, ...]:
    """Every measure that holds for all of some products, whichever is that of two datasets.

    Args:
        products: one or more.
        attained: each is the pair of two datasets in question.

    Returns:
        Empty where the products are too large to be told. Else the tradeoff function of all of
        them; where likelihood ratios are bounded, epsilon and rho; where few products are left,
        their losses.

    Rounding: epsilon and rho are raised, the function of a product of several pairs is lowered.
    """
    left = _maximal([product for product in products if product.parts])
    if not left:
        return (PureDP(Fraction(0)),)
    deadline.check()
    functions = [product.tradeoff for product in left]
    known = [f for f in functions if f is not None]
    if len(known) < len(left):
        return _without_function(left, attained=attained)
    f = _hull(known)
    if not f.vertices[0][1]:
        return (NOTHING,)
    kept = _lowest(list(zip(left, known, strict=True)))
    found: list[Measure] = [f]
    if len(kept) <= MAX_TOLD:
        found.insert(0, _worst(kept, attained=attained))
    return (*found, *_of_ratios(left), *_of_orders(kept, f))


def _without_function(left: Sequence[Product], *, attained: bool) -> tuple[Measure, ...]:
    if len(left) > MAX_TOLD:
        return ()
    return (_worst(left, attained=attained), *_of_ratios(left), *_of_orders(left, None))


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
    return replace(hull, declared=all(f.declared for f in functions))


def _lowest(known: Sequence[tuple[Product, PiecewiseLinear]]) -> list[Product]:
    """The products without those whose function lies nowhere below that of another one."""
    if len(known) > MAX_COMPARED:
        return [product for product, _ in known]
    kept: list[tuple[Product, PiecewiseLinear]] = []
    for product, f in sorted(known, key=lambda item: sum(y for _, y in item[1].vertices)):
        deadline.check()
        if any(_below(g, f) for _, g in kept):
            continue
        kept = [(other, g) for other, g in kept if not _below(f, g)] + [(product, f)]
    return [product for product, _ in kept]


def _below(g: PiecewiseLinear, f: PiecewiseLinear) -> bool:
    """Whether g lies nowhere above f; both are linear between the vertices of both."""
    cuts = {x for x, _ in f.vertices} | {x for x, _ in g.vertices}
    return all(type_ii_at(g, x) <= type_ii_at(f, x) for x in cuts)


def _worst(products: Sequence[Product], *, attained: bool) -> PrivacyLoss | WorstLoss:
    losses = tuple(PrivacyLoss(product.parts, attained) for product in products)
    return losses[0] if len(losses) == 1 else WorstLoss(losses)


def _of_ratios(products: Sequence[Product]) -> tuple[Measure, ...]:
    """epsilon at delta 0: the logarithm of the largest likelihood ratio."""
    largest = Fraction(1)
    for product in products:
        ratio = product.largest_ratio
        if ratio is None:
            return ()
        largest = max(largest, ratio)
    return (PureDP(Fraction(Interval.of(largest).ln().high), exact=False),)


def _of_orders(products: Sequence[Product], f: PiecewiseLinear | None) -> tuple[Measure, ...]:
    """The largest rho; of many products that of their common function, which is no smaller."""
    if any(product.largest_ratio is None for product in products):
        return ()
    searched = [product.parts for product in products]
    if f is not None and len(searched) > MAX_SEARCHED:
        searched = [((finite_loss(f), 1),)]
    brackets = [rho_bracket(parts, _RHO_WIDTH) for parts in searched]
    known = [bracket.upper for bracket in brackets if bracket is not None]
    return (ZCDP(max(known), exact=False),) if len(known) == len(brackets) else ()
