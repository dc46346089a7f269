"""The order of bundles that state finite pairs and nothing more, by Blackwell's order of the pairs.

A loss speaks of both directions of its pair (P, Q): at every type I error the type II error is at
least the smaller one of T(P, Q) and T(Q, P), and of several losses the least. A pair that is a
garbling of another one, in either direction, therefore loses no more. That is decided on
the vertices, exactly; ``blackwell.kernel_between`` builds the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, assert_never

from semiaudit import deadline
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
from semiaudit.privacy.measures.normalised_renyi import rho_bracket
from semiaudit.privacy.ordering.blackwell import compare_experiments
from semiaudit.privacy.tradeoff.polygon import lies_below, lower_hull, pure_epsilon, type_ii_at
from semiaudit.privacy.tradeoff.sources import tradeoff_from_likelihoods

MOST_PAIRS = 20
"""Pairs of a bundle, each of which is compared with each of another one."""

_WIDTH = Fraction(1, 10**9)

Pairs = tuple[FiniteLoss, ...]


@dataclass(frozen=True, slots=True)
class PairOrder:
    """How two bundles of finite pairs stand.

    Attributes:
        order: of the first against the second. strict: whether a type I error shows it.
        first_lower_at, second_lower_at: type I errors at which the first, and the second,
            promises less.
    """

    order: Literal["equal", "stronger", "weaker", "incomparable"]
    strict: bool | None = None
    first_lower_at: Fraction | None = None
    second_lower_at: Fraction | None = None


def order_of_finite(first: Sequence[Measure], second: Sequence[Measure]) -> PairOrder | None:
    """The order of two bundles; None where one states anything else, or none is proven.

    Source: Blackwell 1951; Su's review, Theorem 4; Cho and Awan, Definition 20.
    """
    one, other = pairs_of(first), pairs_of(second)
    if one is None or other is None:
        return None
    deadline.check()
    f, g = _functions(one), _functions(other)
    places = sorted({x for h in (*f, *g) for x, _ in h.vertices})
    lower_first = next((x for x in places if _least(f, x) < _least(g, x)), None)
    lower_second = next((x for x in places if _least(g, x) < _least(f, x)), None)
    up, down = _garbled(one, other), _garbled(other, one)
    if up and down:
        return PairOrder("equal")
    if up:
        return PairOrder("stronger", True if lower_second is not None else None)
    if down:
        return PairOrder("weaker", True if lower_first is not None else None)
    if lower_first is None or lower_second is None:
        return None
    return PairOrder("incomparable", None, lower_first, lower_second)


def pairs_of(bundle: Sequence[Measure]) -> Pairs | None:
    """The finite pairs from which all measures of a bundle follow; None where there are none."""
    losses = [loss for measure in bundle for loss in _losses(measure)]
    pairs = tuple(
        pair for loss in losses for pair, times in loss.parts
        if times == 1 and len(loss.parts) == 1 and isinstance(pair, FiniteLoss)
    )  # fmt: skip
    if not 0 < len(pairs) == len(losses) <= MOST_PAIRS:
        return None
    functions = _functions(pairs)
    hull = lower_hull(vertex for f in functions for vertex in f.vertices)
    return pairs if all(_follows(measure, pairs, hull) for measure in bundle) else None


def _losses(measure: Measure) -> tuple[PrivacyLoss, ...]:
    match measure:
        case PrivacyLoss():
            return (measure,)
        case WorstLoss():
            return measure.losses
        case PureDP() | ApproxDP() | ZCDP() | ApproxZCDP() | GDP() | PiecewiseLinear():
            return ()
        case _:
            assert_never(measure)


def _follows(measure: Measure, pairs: Pairs, hull: PiecewiseLinear) -> bool:
    """Whether a measure holds for all of the pairs, so that it adds nothing to them."""
    match measure:
        case PrivacyLoss() | WorstLoss():
            return True
        case PiecewiseLinear():
            return lies_below(measure, hull)
        case PureDP():
            largest = pure_epsilon(hull)
            return not isinstance(largest, float) and Fraction(largest) <= measure.epsilon
        case ZCDP():
            brackets = [rho_bracket(((pair, 1),), _WIDTH) for pair in pairs]
            return all(b is not None and b.upper <= measure.rho for b in brackets)
        case ApproxDP() | ApproxZCDP() | GDP():
            return False
        case _:
            assert_never(measure)


def _functions(pairs: Pairs) -> list[PiecewiseLinear]:
    """T(P, Q) and T(Q, P) of every pair, exactly."""
    turned = [FiniteLoss(pair.second, pair.first) for pair in pairs]
    return [tradeoff_from_likelihoods(pair).below for pair in (*pairs, *turned)]


def _least(functions: Sequence[PiecewiseLinear], type_i: Fraction) -> Fraction:
    return min(type_ii_at(f, type_i) for f in functions)


def _garbled(strong: Pairs, weak: Pairs) -> bool:
    """Whether each pair of the strong bundle is a garbling of a pair of the weak one."""
    return all(any(_tells_no_less(other, own) for other in weak) for own in strong)


def _tells_no_less(informative: FiniteLoss, processed: FiniteLoss) -> bool:
    """Whether a kernel leads from the one pair to the other, in either direction of it."""
    turned = FiniteLoss(processed.second, processed.first)
    return any(
        compare_experiments(informative, pair).more_informative in ("equal", "first")
        for pair in (processed, turned)
    )
