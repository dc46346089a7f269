"""Definition 20 for bundles of measures: the order of the guarantees, not of the mechanisms.

A bundle is the guarantee that follows from all of its measures together. One bundle is above
another if each of the other's measures follows from one of its own. The order is claimed only if it
is proven. It says nothing about the mechanisms: a bundle that is only an upper bound guarantees
less than its mechanism.

The order of bundles that consist of finite pairs, by Blackwell's order of the pairs.

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
from semiaudit.privacy.conversion import zcdp_from_gdp, zcdp_from_pure
from semiaudit.privacy.measures.normalised_renyi import worst_rho_bracket
from semiaudit.privacy.ordering.blackwell import compare_functions
from semiaudit.privacy.ordering.definition_20 import places_to_compare
from semiaudit.privacy.ordering.implication import bundle_implies, implies
from semiaudit.privacy.tradeoff.function import function_from_measure
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
    strong, other = pairs_of(first), pairs_of(second)
    if strong is None or other is None:
        return None
    deadline.check()
    f, g = _functions(strong), _functions(other)
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
    known_losses = [of_measure for measure in bundle if (of_measure := _losses(measure))]
    if len(known_losses) != 1:
        return None
    losses = known_losses[0]
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
        any(lies_below(informative, pair[0]) for orders in weak for informative in orders)
        for pair in strong
    )


Bundle = tuple[Measure, ...]
_SHORT = 13
"""The most digits of a denominator for which a place is not shortened."""

BundleOrder = Literal["equal", "stronger", "weaker", "incomparable", "undecided"]


@dataclass(frozen=True, slots=True)
class StatedOrder:
    """The result of comparing two bundles.

    Attributes:
        order: of the first against the second; ``undecided`` if neither a proof nor a pair of
            witnesses is known.
        strict: for ``stronger`` and ``weaker``: True if a number shows that they differ, None if
            nothing does.
        first_lower_at, second_lower_at: for ``incomparable``, type I errors at which the first, and
            the second, certainly guarantees less.
    """

    order: BundleOrder
    strict: bool | None = None
    first_lower_at: Fraction | None = None
    second_lower_at: Fraction | None = None


def order_of_bundles(first: Bundle, second: Bundle) -> StatedOrder:
    """Return the order of two nonempty bundles of measures.

    Source: Cho and Awan, Definition 20; erratum E29.
    """
    finite = order_of_finite(first, second)
    if finite is not None:
        return StatedOrder(
            finite.order, finite.strict, finite.first_lower_at, finite.second_lower_at
        )
    up, down = bundle_implies(first, second), bundle_implies(second, first)
    if up and down:
        return StatedOrder("equal")
    if up:
        return StatedOrder("stronger", True if _shows_more(first, second) else None)
    if down:
        return StatedOrder("weaker", True if _shows_more(second, first) else None)
    own, other = _function_of(first), _function_of(second)
    if own is None or other is None:
        return StatedOrder("undecided")
    places = sorted(map(_short, places_to_compare(own, other)), key=_length)
    comparison = compare_functions(function_from_measure(own), function_from_measure(other), places)
    if comparison.more_informative != "incomparable":
        return StatedOrder("undecided")
    return StatedOrder(
        "incomparable", None, comparison.first_is_lower_at, comparison.second_is_lower_at
    )


def _short(place: Fraction) -> Fraction:
    """Shorten a place for printing: any place can be a witness, once it is verified."""
    return place if _length(place) <= _SHORT else Fraction(float(place))


def _length(place: Fraction) -> int:
    return len(str(place.denominator))


def is_exact(bundle: Bundle) -> bool:
    """Return whether a measure is the least that holds, or is declared: not an upper bound."""
    return any(_is_exact(measure) for measure in bundle)


def _is_exact(measure: Measure) -> bool:
    match measure:
        case PureDP() | ApproxDP() | ZCDP() | GDP():
            return measure.exact
        case PiecewiseLinear():
            return measure.declared
        case PrivacyLoss():
            return measure.attained
        case ApproxZCDP() | WorstLoss():
            return False
        case _:
            assert_never(measure)


def _shows_more(strong: Bundle, weak: Bundle) -> bool:
    numbers = [_numbers(bundle) for bundle in (strong, weak)]
    return any(numbers[0][kind] < numbers[1][kind] for kind in numbers[0] if kind in numbers[1])


def _numbers(bundle: Bundle) -> dict[str, Fraction]:
    numbers: dict[str, Fraction] = {}
    for measure in bundle:
        match measure:
            case PureDP():
                kind, value = "epsilon", measure.epsilon
            case ZCDP():
                kind, value = "rho", measure.rho
            case GDP():
                kind, value = "mu", measure.mu_squared
            case ApproxDP() | ApproxZCDP() | PiecewiseLinear() | PrivacyLoss() | WorstLoss():
                continue
            case _:
                assert_never(measure)
        numbers[kind] = min(value, numbers.get(kind, value))
    return numbers


def _function_of(bundle: Bundle) -> GDP | PureDP | ApproxDP | PiecewiseLinear | None:
    """Return the measure that is a single tradeoff function and implies all others of the bundle.

    Then the bundle is equivalent to that function. None if the bundle implies more than each single
    measure, or if it has no function in closed form.
    """
    for measure in bundle:
        match measure:
            case GDP() | PureDP() | ApproxDP() | PiecewiseLinear():
                if all(_implies(measure, other) for other in bundle):
                    return measure
            case ZCDP() | ApproxZCDP() | PrivacyLoss() | WorstLoss():
                continue
            case _:
                assert_never(measure)
    return None


def _implies(function: GDP | PureDP | ApproxDP | PiecewiseLinear, measure: Measure) -> bool:
    if isinstance(measure, ZCDP):
        if isinstance(function, GDP):
            return zcdp_from_gdp(function).rho <= measure.rho
        if isinstance(function, PureDP):
            return zcdp_from_pure(function).rho <= measure.rho
        return False
    return implies(function, measure)
