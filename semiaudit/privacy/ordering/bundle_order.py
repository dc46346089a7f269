"""Definition 20 for bundles of measures: the order of the guarantees, not of the mechanisms.

A bundle is the guarantee that follows from all of its measures together. One bundle is above
another if each of the other's measures follows from one of its own. The order is claimed only if it
is proven. It says nothing about the mechanisms: a bundle that is only an upper bound guarantees
less than its mechanism.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, assert_never

from semiaudit.frozen import dataclass
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
from semiaudit.privacy.conversion import zcdp_from_gdp, zcdp_from_pure
from semiaudit.privacy.ordering.blackwell import compare_functions
from semiaudit.privacy.ordering.definition_20 import places_to_compare
from semiaudit.privacy.ordering.finite_pairs import order_of_finite
from semiaudit.privacy.ordering.implication import bundle_implies, implies
from semiaudit.privacy.tradeoff.function import function_from_measure

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
                if all(_follows(measure, other) for other in bundle):
                    return measure
            case ZCDP() | ApproxZCDP() | PrivacyLoss() | WorstLoss():
                continue
            case _:
                assert_never(measure)
    return None


def _follows(function: GDP | PureDP | ApproxDP | PiecewiseLinear, measure: Measure) -> bool:
    if isinstance(measure, ZCDP):
        if isinstance(function, GDP):
            return zcdp_from_gdp(function).rho <= measure.rho
        if isinstance(function, PureDP):
            return zcdp_from_pure(function).rho <= measure.rho
        return False
    return implies(function, measure)
