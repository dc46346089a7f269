"""Measures that hold for all of several products of finite pairs.

The product of two given datasets is one of the products, but it is not known which. The worst
product depends on the error rate, and on the rest of the composition. A product is dropped only if
another one loses no less as a whole: if its T(P, Q) is nowhere above, in the same order of the two
datasets in every factor. The lower hull of the functions of all, in both orders, bounds them and
composes; it does not choose (docs/theory/finite.md, "Which pairs may be left out").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import gcd

from semiaudit import deadline
from semiaudit.model.loss import PrivacyLoss, WorstLoss
from semiaudit.model.measure import ZCDP, Measure, PiecewiseLinear, PureDP
from semiaudit.privacy.domination import finite_loss
from semiaudit.privacy.finite_products import FiniteProduct
from semiaudit.privacy.measures.normalised_renyi import worst_rho_bracket
from semiaudit.privacy.tradeoff.polygon import IDENTITY, NOTHING, inverse, lies_below, lower_hull

PERFECT: tuple[Measure, ...] = (PureDP(Fraction(0)), IDENTITY, ZCDP(Fraction(0)))
"""The measures of two equal distributions."""

MAX_LISTED = 64
"""The most undominated products that are listed separately for each number."""

MAX_COMPARED = 300
"""The most products that are searched for parts of each other, and whose rhos are searched
together; for more, the rho of their common function is used."""

MAX_WORK = 400_000
"""The most vertices of the functions of all products that are compared pair by pair."""

_RHO_WIDTH = Fraction(1, 10**7)


def measures_of_products(
    products: Iterable[FiniteProduct], *, attained: bool
) -> tuple[Measure, ...]:
    """Return every measure that holds for all of some products, whichever belongs to two datasets.

    Args:
        products: one or more, each in either order of its two datasets.
        attained: whether each product is that of some two datasets.

    Returns:
        Empty if the products are too large. Otherwise: their losses, unless there are too many; the
        tradeoff function of all of them, if it can be computed; epsilon and rho, if likelihood
        ratios are bounded. The result does not depend on the order of the products, of their
        datasets, or of their outcomes.

    Rounding: epsilon and rho are raised; the function is exact.
    """
    distinct = _distinct(products)
    if not distinct:
        return PERFECT
    deadline.check()
    largest = _undominated(distinct)
    f = _common_function(largest)
    if f is not None and not f.vertices[0][1]:
        return (NOTHING,)
    losses = _losses(largest, attained=attained)
    if f is None:
        return (*losses, *_of_ratios(largest), *_of_orders(largest, f)) if losses else ()
    return (*losses, f, *_of_ratios(largest), *_of_orders(largest, f))


def _distinct(products: Iterable[FiniteProduct]) -> list[FiniteProduct]:
    """Return the distinct products with a loss, without those that are part of another one."""
    simple = {product.simplest for product in products} - {FiniteProduct(())}
    distinct = sorted(simple, key=lambda p: (-sum(times for _, times in p.parts), p.key))
    if len(distinct) > MAX_COMPARED:
        return distinct
    maximal: list[FiniteProduct] = []
    for product in distinct:
        orders = product, product.turned
        if not any(other.holds(order) for other in maximal for order in orders):
            maximal.append(product)
    return maximal


def _undominated(products: Sequence[FiniteProduct]) -> list[FiniteProduct]:
    """Return the products that no other one dominates, the largest first.

    A product loses no less than another one if its T(P, Q) lies nowhere above T(P', Q') or T(Q',
    P'). If all are the same number of repetitions of other products, these are compared instead:
    repetitions of ordered functions are ordered.
    """
    ordered = sorted(products, key=lambda product: (-product.size, product.key))
    common = gcd(*(times for product in products for _, times in product.parts))
    functions = [product.root(common).tradeoff for product in ordered]
    vertices = sum(len(f.vertices) for f in functions if f is not None)
    if len(ordered) * vertices > MAX_WORK:
        return ordered
    largest: list[tuple[FiniteProduct, tuple[PiecewiseLinear, ...]]] = []
    for product, f in zip(ordered, functions, strict=True):
        deadline.check()
        orders = () if f is None else (f, inverse(f))
        if any(_loses_no_less(others, orders) for _, others in largest):
            continue
        largest = [
            (other, others) for other, others in largest if not _loses_no_less(orders, others)
        ]
        largest.append((product, orders))
    return [product for product, _ in largest]


def _loses_no_less(strong: Sequence[PiecewiseLinear], weak: Sequence[PiecewiseLinear]) -> bool:
    """Return whether T(P, Q) or T(Q, P) of the first is nowhere above T(P', Q') of the second.

    Args:
        strong, weak: T in both orders of the two datasets; empty if unknown.
    """
    return bool(weak) and any(lies_below(g, weak[0]) for g in strong)


def _common_function(products: Sequence[FiniteProduct]) -> PiecewiseLinear | None:
    """Return the largest convex function below those of all products in both orders.

    None if unknown.

    The function is the lower hull of all their vertices (docs/theory/finite.md, "The envelope of
    many pairs").
    """
    functions = [product.tradeoff for product in products]
    known = [f for f in functions if f is not None]
    if len(known) < len(functions):
        return None
    points = [vertex for f in known for vertex in f.vertices]
    return replace(lower_hull([*points, *((y, x) for x, y in points)]), declared=True)


def _losses(products: Sequence[FiniteProduct], *, attained: bool) -> tuple[Measure, ...]:
    """Return the losses of a few products; one with few likelihood ratios is one pair."""
    if len(products) > MAX_LISTED:
        return ()
    pairs = [(product.loss, product.parts) for product in products]
    losses = tuple(
        PrivacyLoss(parts if pair is None else ((pair, 1),), attained) for pair, parts in pairs
    )
    return losses if len(losses) == 1 else (WorstLoss(losses),)


def _of_ratios(products: Sequence[FiniteProduct]) -> tuple[Measure, ...]:
    """Return epsilon at delta 0: the logarithm of the largest likelihood ratio."""
    largest_losses = [loss for product in products if (loss := product.largest_loss) is not None]
    if len(largest_losses) < len(products):
        return ()
    return (PureDP(max(loss.upper_rational for loss in largest_losses), exact=False),)


def _of_orders(products: Sequence[FiniteProduct], f: PiecewiseLinear | None) -> tuple[Measure, ...]:
    """The largest rho; for many products, that of their common function, which is no less."""
    if any(product.largest_loss is None for product in products):
        return ()
    searched = [product.parts for product in products]
    if len(searched) > MAX_COMPARED:
        if f is None:
            return ()
        searched = [((finite_loss(f), 1),)]
    bracket = worst_rho_bracket(tuple(searched), _RHO_WIDTH)
    return () if bracket is None else (ZCDP(bracket.upper, exact=False),)
