"""Several releases of one dataset: what they guarantee together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

from semiaudit.model.loss import PrivacyLoss, WorstLoss
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.privacy.domination import approximate_zcdp, dominating_loss, product_of_losses

if TYPE_CHECKING:
    from semiaudit.privacy.tradeoff.function import TradeoffFunction

Part = tuple[tuple[Measure, ...], int]
"""(the measures of one release, how often it is made)."""


def compose(parts: Sequence[Part]) -> tuple[Measure, ...]:
    """The measures of all releases together, each kind from those parts that have it.

    Args:
        parts: measures that hold for the same pairs of datasets.

    Returns:
        Of every kind that all parts have: the sum of epsilon or rho, the root of the sum of mu^2,
        the tensor product of tradeoff functions. The product of dominating pairs where some part
        has a loss of its own, or where no sharper kind is common to all; and where no kind is,
        what is left of zCDP once a delta is set aside. An (epsilon, delta) pair stays only where
        there is one release; its tradeoff function carries the rest.

    Source: Bun and Steinke 2016, Lemma 2.3; Dong, Roth and Su 2022, Theorem 3.2, Corollary 3.3.
    """
    adding = [[measure for measure in measures if _adds(measure)] for measures, _ in parts]
    if sum(repeat for _, repeat in parts) == 1:
        return next(measures for measures, repeat in parts if repeat)
    kinds = [type(measure) for measure in adding[0]]
    found: list[Measure] = []
    for kind in kinds:
        column = [
            (measure, repeat)
            for measures, repeat in parts
            for measure in measures
            if isinstance(measure, kind)
        ]
        if len(column) == len(parts):
            found.append(_composed(column))
    if not any(isinstance(m, GDP | PiecewiseLinear) for m in found) or _some_loss(parts):
        losses = [(dominating_loss(measures), repeat) for measures, repeat in parts]
        known = [(loss, repeat) for loss, repeat in losses if loss is not None]
        if len(known) == len(parts):
            found.insert(0, product_of_losses(known))
    if all(isinstance(measure, PrivacyLoss) for measure in found):
        approximate = approximate_zcdp(parts)
        found += [] if approximate is None else [approximate]
    return tuple(found)


def _some_loss(parts: Sequence[Part]) -> bool:
    return any(isinstance(measure, PrivacyLoss) for measures, _ in parts for measure in measures)


def _adds(measure: Measure) -> bool:
    """Whether two measures of this kind make one of the same kind for both releases together."""
    match measure:
        case PureDP() | ZCDP() | GDP() | PiecewiseLinear():
            return True
        case ApproxDP() | ApproxZCDP() | PrivacyLoss() | WorstLoss():
            return False
        case _:
            assert_never(measure)


def _composed(column: Sequence[tuple[Measure, int]]) -> Measure:
    """All measures of one kind together, each with how often it occurs."""
    first = column[0][0]
    match first:
        case PureDP():
            pure = [(m, k) for m, k in column if isinstance(m, PureDP)]
            return PureDP(_sum((m.epsilon, k) for m, k in pure), all(m.exact for m, _ in pure))
        case ZCDP():
            zcdp = [(m, k) for m, k in column if isinstance(m, ZCDP)]
            return ZCDP(_sum((m.rho, k) for m, k in zcdp), all(m.exact for m, _ in zcdp))
        case GDP():
            return _product([(m, k) for m, k in column if isinstance(m, GDP)])
        case PiecewiseLinear():
            return _product([(m, k) for m, k in column if isinstance(m, PiecewiseLinear)])
        case ApproxDP() | ApproxZCDP() | PrivacyLoss() | WorstLoss():
            raise TypeError(f"{type(first).__name__} is no measure that composes")
        case _:
            assert_never(first)


def _product(column: Sequence[tuple[TradeoffFunction, int]]) -> Measure:
    """The product of tradeoff functions that are measures, which is a measure again."""
    from semiaudit.privacy.tradeoff.algebra import tensor

    product = tensor([(function, repeat) for function, repeat in column if repeat])
    if not isinstance(product, GDP | PiecewiseLinear):
        raise TypeError(f"{type(product).__name__} is no measure")
    return product


def _sum(terms: Iterable[tuple[Fraction, int]]) -> Fraction:
    return sum((value * repeat for value, repeat in terms), Fraction(0))
