"""Several releases of one dataset: what they guarantee together."""

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
"""The most products of pairs, one of each part, that are listed one by one."""

Part = tuple[tuple[Measure, ...], int]
"""(the measures of one release, how often it is made)."""


def compose(parts: Sequence[Part], *, polygon: bool = False) -> tuple[Measure, ...]:
    """The measures of all releases together, each kind from those parts that have it.

    Args:
        parts: measures that hold for the same pairs of datasets.
        polygon: also the product of tradeoff functions that is merged because it has too many
            pieces: group privacy starts from it.

    Returns:
        Of every kind that all parts have: the sum of epsilon or rho, the root of the sum of mu^2,
        the tensor product of tradeoff functions where it is exact. The product of dominating pairs
        where some part has a loss of its own, or where neither mu nor an exact tradeoff function is
        known. A tradeoff function is merged only where it is asked for, or the engine does not
        take the pairs. Where nothing but pairs is common to all, what is left of zCDP once a delta
        is set aside. An (epsilon, delta) pair stays only where there is one release; its tradeoff
        function carries the rest. Of finite pairs alone everything is that of their products.

    Source: Bun and Steinke 2016, Lemma 2.3; Dong, Roth and Su 2022, Theorem 3.2, Corollary 3.3.
    """
    adding = [[type(measure) for measure in measures if _adds(measure)] for measures, _ in parts]
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
        if len(column) == len(parts) and not _has(multiplied, kind):
            composed = None
            # Every kind holds by itself: without time for the product of polygons others are left.
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
    """epsilon, rho and mu squared of all releases together, of each kind that every part has."""
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
    """The measures, and the epsilon-DP that a tradeoff function implies where none is stated."""
    if any(isinstance(measure, PureDP) for measure in measures):
        return measures
    for f in (measure for measure in measures if isinstance(measure, PiecewiseLinear)):
        with suppress(RefusedError):
            return (*measures, pure_from_tradeoff(f))
    return measures


def _products_of_pairs(parts: Sequence[Part]) -> tuple[PrivacyLoss, ...]:
    """Products of which, for whatever two datasets, one dominates all parts together.

    A part with several losses has the same one in all its repetitions, since the two datasets are
    the same; which one meets which of another part is not known. Where there are too many ways, the
    function below all of a part stands for them.

    Returns:
        Empty where some part has no loss, or zCDP is all that is known of every part: the sum of
        their rhos says no less.
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
    """The products of one loss of each part, in all orders of the two datasets that may meet."""
    ways = (products_in_all_orders(zip(way, repeats, strict=True)) for way in product(*losses))
    return tuple(dict.fromkeys(loss for way in ways for loss in way))


def _multiplied(products: Sequence[PrivacyLoss]) -> tuple[Measure, ...]:
    """What holds for all of some products of finite pairs; empty if others are among them."""
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
    """Whether two measures of this kind make one of the same kind for both releases together."""
    match measure:
        case PureDP() | ZCDP() | GDP() | PiecewiseLinear():
            return True
        case ApproxDP() | ApproxZCDP() | PrivacyLoss() | WorstLoss():
            return False
        case _:
            assert_never(measure)


def _composed(column: Sequence[tuple[Measure, int]], *, merging: bool) -> Measure | None:
    """All measures of one kind together, each with how often it occurs.

    None for a tradeoff function of too many pieces, which is not to be merged.
    """
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
