"""Composition: what several releases of one dataset guarantee together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import product
from math import prod
from typing import assert_never

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import RefusedError
from semiaudit.model.loss import FiniteLoss, PrivacyLoss, WorstLoss
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.privacy.conversion import pure_from_tradeoff
from semiaudit.privacy.domination import (
    approximate_zcdp,
    dominating_loss,
    dominating_losses,
    is_concentrated,
    products_in_all_orders,
)
from semiaudit.privacy.finite_products import FiniteProduct
from semiaudit.privacy.loss.reach import in_reach
from semiaudit.privacy.measures import gdp as gaussian
from semiaudit.privacy.tradeoff.product import exact_tensor_product, tensor_product
from semiaudit.privacy.weakest import worst_loss
from semiaudit.privacy.worst_pairs import measures_of_products

MAX_WAYS = 128
"""The most products, with one pair of each part, that are listed."""

Part = tuple[tuple[Measure, ...], int]
"""(the measures of one release, its number of repetitions)."""


def compose(parts: Sequence[Part], *, polygon: bool = False) -> tuple[Measure, ...]:
    """Return the measures of all releases together, each kind from the parts that have it.

    Args:
        parts: measures that hold for the same pairs of datasets.
        polygon: also the product of tradeoff functions that is merged because it has too many
            pieces: group privacy starts from it.

    Returns:
        Of every kind that all parts have: the sum of epsilon or rho, the root of the sum of mu^2,
        the tensor product of tradeoff functions where it is exact. The product of dominating pairs,
        if a part has a loss of its own, or if neither mu nor an exact tradeoff function is known. A
        tradeoff function is merged only if ``polygon`` requests it, or if the engine does not take
        the pairs. If the parts have only pairs in common: delta-approximate zCDP. An (epsilon,
        delta) pair stays only for a single release; its tradeoff function holds for the others. If
        all parts are finite pairs, all measures are those of their products.

    Source: Bun and Steinke 2016, Lemma 2.3; Dong, Roth and Su 2022, Theorem 3.2, Corollary 3.3.
    """
    adding = [[type(measure) for measure in measures if _adds(measure)] for measures, _ in parts]
    # A part that is repeated 0 times releases nothing, so the only release left is the whole, and
    # all its measures hold, also those that do not compose.
    if sum(repeat for _, repeat in parts) == 1:
        return next(measures for measures, repeat in parts if repeat)
    parts = [(with_pure(measures), repeat) for measures, repeat in parts]
    products = _products_of_pairs(parts)
    merging = polygon or not products or not all(map(in_reach, products))
    multiplied = _multiplied(products) if _some_loss(parts) else ()
    totals: list[Measure] = []
    sharp = False
    for kind in dict.fromkeys((*adding[0], PureDP)):
        column = [
            (measure, repeat)
            for measures, repeat in parts
            for measure in measures
            if isinstance(measure, kind)
        ]
        # If one part lacks the kind, a sum over the others would not cover its release.
        if len(column) == len(parts) and not _has(multiplied, kind):
            composed = None
            # Every kind holds by itself: without time for the product of polygons, the others are
            # left.
            with suppress(OutOfTimeError):
                composed = _composed(column, merging=merging)
            totals += [] if composed is None else [composed]
            sharp = sharp or isinstance(composed, GDP)
            sharp = sharp or (isinstance(composed, PiecewiseLinear) and not composed.merged)
    if not multiplied and products and (_some_loss(parts) or not sharp):
        totals.insert(0, worst_loss(products))
    totals = [*multiplied, *totals]
    if all(isinstance(measure, PrivacyLoss | WorstLoss) for measure in totals):
        approximate = approximate_zcdp(parts)
        totals += [] if approximate is None else [approximate]
    if not totals:
        deadline.check()
    return tuple(totals)


def _has(measures: tuple[Measure, ...], kind: type[Measure]) -> bool:
    return any(isinstance(measure, kind) for measure in measures)


def summed(parts: Sequence[Part]) -> tuple[Measure, ...]:
    """Add up epsilon, rho and mu squared over all releases, for each kind that every part has."""
    sums = []
    for kind in (PureDP, ZCDP, GDP):
        column = [
            (next((m for m in measures if isinstance(m, kind)), None), repeat)
            for measures, repeat in parts
        ]
        known = [(measure, repeat) for measure, repeat in column if measure is not None]
        if len(known) == len(parts):
            sums.append(_composed(known, merging=False))
    return tuple(measure for measure in sums if measure is not None)


def with_pure(measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Add the epsilon-DP that a tradeoff function implies, if the measures have no epsilon."""
    if any(isinstance(measure, PureDP) for measure in measures):
        return measures
    for f in (measure for measure in measures if isinstance(measure, PiecewiseLinear)):
        with suppress(RefusedError):
            return (*measures, pure_from_tradeoff(f))
    return measures


def _products_of_pairs(parts: Sequence[Part]) -> tuple[PrivacyLoss, ...]:
    """List products such that, for any two datasets, one of them dominates all parts together.

    A part with several losses has the same one in all its repetitions, because the two datasets are
    the same. Which loss of one part occurs with which loss of another part is not known. If there
    are too many combinations, the function below all losses of a part replaces them.

    Returns:
        Empty if a part has no loss, or if only zCDP is known of every part: the sum of their rhos
            is as informative.
    """
    losses = [dominating_losses(measures) for measures, _ in parts]
    if not all(losses) or all(is_concentrated(loss) for (loss, *_) in losses):
        return ()
    repeats = [repeat for _, repeat in parts]
    if prod(map(len, losses)) <= MAX_WAYS:
        products = _in_all_ways(losses, repeats)
        if len(products) <= MAX_WAYS:
            return products
    single = [dominating_loss(measures) for measures, _ in parts]
    return _in_all_ways([() if loss is None else (loss,) for loss in single], repeats)


def _in_all_ways(
    losses: Sequence[Sequence[PrivacyLoss]], repeats: Sequence[int]
) -> tuple[PrivacyLoss, ...]:
    """Return the products of one loss of each part, in all possible orders of the two datasets."""
    ways = (products_in_all_orders(zip(way, repeats, strict=True)) for way in product(*losses))
    return tuple(dict.fromkeys(loss for way in ways for loss in way))


def _multiplied(products: Sequence[PrivacyLoss]) -> tuple[Measure, ...]:
    """Return the measures that hold for all of some finite products; empty for other pairs."""
    finite = [FiniteProduct.of_parts(_finite_parts(loss)) for loss in products]
    if any(len(_finite_parts(loss)) < len(loss.parts) for loss in products) or not finite:
        return ()
    attained = all(loss.attained for loss in products)
    return measures_of_products(finite, attained=attained)


def _finite_parts(loss: PrivacyLoss) -> list[tuple[FiniteLoss, int]]:
    return [(pair, times) for pair, times in loss.parts if isinstance(pair, FiniteLoss)]


def _some_loss(parts: Sequence[Part]) -> bool:
    return any(
        isinstance(measure, PrivacyLoss | WorstLoss)
        for measures, _ in parts
        for measure in measures
    )


def _adds(measure: Measure) -> bool:
    match measure:
        case PureDP() | ZCDP() | GDP() | PiecewiseLinear():
            return True
        case ApproxDP() | ApproxZCDP() | PrivacyLoss() | WorstLoss():
            return False
        case _:
            assert_never(measure)


def _composed(column: Sequence[tuple[Measure, int]], *, merging: bool) -> Measure | None:
    """None for a tradeoff function with too many pieces, if merging is not allowed."""
    first = column[0][0]
    match first:
        case PureDP():
            pure = [(m, k) for m, k in column if isinstance(m, PureDP)]
            return PureDP(_sum((m.epsilon, k) for m, k in pure), all(m.exact for m, _ in pure))
        case ZCDP():
            zcdp = [(m, k) for m, k in column if isinstance(m, ZCDP)]
            return ZCDP(_sum((m.rho, k) for m, k in zcdp), all(m.exact for m, _ in zcdp))
        case GDP():
            gdp = [(m, k) for m, k in column if isinstance(m, GDP)]
            return gaussian.composed(gdp)
        case PiecewiseLinear():
            functions = [(m, k) for m, k in column if isinstance(m, PiecewiseLinear)]
            return (tensor_product if merging else exact_tensor_product)(functions)
        case ApproxDP() | ApproxZCDP() | PrivacyLoss() | WorstLoss():
            raise TypeError(f"{type(first).__name__} does not compose")
        case _:
            assert_never(first)


def _sum(terms: Iterable[tuple[Fraction, int]]) -> Fraction:
    return sum((value * repeat for value, repeat in terms), Fraction(0))
