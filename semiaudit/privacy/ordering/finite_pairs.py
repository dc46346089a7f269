"""The order of bundles that consist of finite pairs, by Blackwell's order of the pairs.

A loss covers both directions of its pair (P, Q): at every type I error, the type II error is at
least the smaller of T(P, Q) and T(Q, P); for several losses, at least the smallest. A pair that is
a garbling of another one, in either direction, therefore loses no more. The order is decided
exactly, at the vertices; ``blackwell.kernel_between`` builds the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, assert_never

from semiaudit import deadline
from semiaudit.frozen import dataclass
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
from semiaudit.privacy.measures.normalised_renyi import worst_rho_bracket
from semiaudit.privacy.tradeoff.polygon import lies_below, lower_hull, pure_epsilon, type_ii_at
from semiaudit.privacy.tradeoff.sources import tradeoff_from_likelihoods

MOST_PAIRS = 64
"""The most pairs of a bundle, each of which is compared with each pair of another bundle."""

_WIDTH = Fraction(1, 10**9)

Pairs = tuple[FiniteLoss, ...]

Orders = tuple[PiecewiseLinear, PiecewiseLinear]
"""T(P, Q) and T(Q, P)."""


@dataclass(frozen=True, slots=True)
class PairOrder:
    """The result of comparing two bundles of finite pairs.

    Attributes:
        order: of the first against the second. strict: whether a type I error shows it.
        first_lower_at, second_lower_at: type I errors at which the first, and the second,
            guarantees less.
    """

    order: Literal["equal", "stronger", "weaker", "incomparable"]
    strict: bool | None = None
    first_lower_at: Fraction | None = None
    second_lower_at: Fraction | None = None


def order_of_finite(first: Sequence[Measure], second: Sequence[Measure]) -> PairOrder | None:
    """Return the order of two bundles; None if one has other measures, or no order is proven.

    Source: Blackwell 1951; Su's review, Theorem 4; Cho and Awan, Definition 20.
    """
    one, other = pairs_of(first), pairs_of(second)
    if one is None or other is None:
        return None
    deadline.check()
    f, g = _functions(one), _functions(other)
    up, down = _garbled(f, g), _garbled(g, f)
    first, second = ([h for orders in functions for h in orders] for functions in (f, g))
    places = sorted({x for h in (*first, *second) for x, _ in h.vertices})
    lower_first = next((x for x in places if _least(first, x) < _least(second, x)), None)
    lower_second = next((x for x in places if _least(second, x) < _least(first, x)), None)
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
    """Return the finite pairs from which all measures of a bundle follow; None if there are none.

    Also None if two losses both hold, because this is more than the statement that one of their
    pairs decides.
    """
    stated = [of_measure for measure in bundle if (of_measure := _losses(measure))]
    if len(stated) != 1:
        return None
    losses = stated[0]
    pairs = tuple(
        pair for loss in losses for pair, times in loss.parts
        if times == 1 and len(loss.parts) == 1 and isinstance(pair, FiniteLoss)
    )  # fmt: skip
    if not 0 < len(pairs) == len(losses) <= MOST_PAIRS:
        return None
    functions = _functions(pairs)
    hull = lower_hull(vertex for orders in functions for f in orders for vertex in f.vertices)
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
    match measure:
        case PrivacyLoss() | WorstLoss():
            return True
        case PiecewiseLinear():
            return lies_below(measure, hull)
        case PureDP():
            largest = pure_epsilon(hull)
            return not isinstance(largest, float) and Fraction(largest) <= measure.epsilon
        case ZCDP():
            bracket = worst_rho_bracket(tuple(((pair, 1),) for pair in pairs), _WIDTH)
            return bracket is not None and bracket.upper <= measure.rho
        case ApproxDP() | ApproxZCDP() | GDP():
            return False
        case _:
            assert_never(measure)


def _functions(pairs: Pairs) -> list[Orders]:
    """Return T(P, Q) and T(Q, P) of every pair, exactly."""
    return [
        (
            tradeoff_from_likelihoods(pair).below,
            tradeoff_from_likelihoods(FiniteLoss(pair.second, pair.first)).below,
        )
        for pair in pairs
    ]


def _least(functions: Sequence[PiecewiseLinear], type_i: Fraction) -> Fraction:
    return min(type_ii_at(f, type_i) for f in functions)


def _garbled(strong: Sequence[Orders], weak: Sequence[Orders]) -> bool:
    """Return whether each pair of the strong bundle is a garbling of a pair of the weak one.

    Either order of a pair counts: a kernel from (P, Q) to (P', Q') exists if and only if T(P, Q) is
    nowhere above T(P', Q').
    """
    return all(
        any(lies_below(informative, own[0]) for orders in weak for informative in orders)
        for own in strong
    )
