"""Definition 20: the partial order of guarantees, proven or disproven where possible.

A guarantee consists of pairs of datasets (IND, Definition 19) and a tradeoff function. One
guarantee is at most as strong as another if its pairs are among the other's and its function is
nowhere above the other's. The order is strict if the function is below somewhere, or if there are
fewer pairs (erratum E29).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, assert_never

from semiaudit.model.loss import LaplaceLoss
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PiecewiseLinear, PureDP
from semiaudit.numeric.intervals import HALF, Interval
from semiaudit.privacy.measures import gdp
from semiaudit.privacy.ordering.blackwell import Relation, compare_functions, compare_polygons
from semiaudit.privacy.ordering.implication import implies
from semiaudit.privacy.special.normal import upper_tail
from semiaudit.privacy.tradeoff.algebra import inverse
from semiaudit.privacy.tradeoff.function import (
    TradeoffBracket,
    TradeoffFunction,
    delta_at,
    exact_polygon,
    function_from_measure,
    type_ii_at,
)
from semiaudit.privacy.tradeoff.sources import bracket_of

Order = Literal["equal", "stronger", "weaker", "incomparable", "undecided"]
"""The order of the first relative to the second; ``undecided`` without a proof or witness."""

# Type I errors at which functions are compared: evenly spaced, and ever closer to 0, where most
# guarantees differ. Any of them can disprove an order; none proves it.
_GRID = tuple(Fraction(i, 20) for i in range(20)) + tuple(Fraction(1, 10**k) for k in range(2, 13))


def order_of_measures(first: Measure, second: Measure) -> Order:
    """Return the order of two measures: the function of the stronger one is nowhere lower.

    zCDP is ordered against zCDP only. If ``ordering.implies`` proves neither direction, the search
    is for type I errors at which each function is certainly the lower one.
    """
    up, down = implies(first, second), implies(second, first)
    if up and down:
        return "equal"
    if up or down:
        weak, strong = (second, first) if up else (first, second)
        if isinstance(first, ZCDP) or _lower_somewhere(weak, strong):
            return "stronger" if up else "weaker"
        return "undecided"
    if isinstance(first, ZCDP) or isinstance(second, ZCDP):
        return "undecided"
    places = places_to_compare(first, second)
    comparison = compare_functions(
        function_from_measure(first), function_from_measure(second), places
    )
    return "incomparable" if comparison.more_informative == "incomparable" else "undecided"


_ORDERS: dict[Relation, Order] = {
    "equal": "equal",
    "first": "weaker",
    "second": "stronger",
    "incomparable": "incomparable",
    "undecided": "undecided",
}
"""The order of two guarantees, by which tradeoff function is more informative (less private)."""


def order_of_functions(first: TradeoffFunction, second: TradeoffFunction) -> Order:
    """Return the order of two tradeoff functions that are known from both sides.

    Args:
        first, second: a polygon is the function itself, not only a lower bound.
    """
    if first == second:
        return "equal"
    f, g = exact_polygon(first), exact_polygon(second)
    if f is not None and g is not None:
        return _ORDERS[compare_polygons(f, g).more_informative]
    if isinstance(first, LaplaceLoss) and isinstance(second, LaplaceLoss):
        return _order_of_shifts(abs(first.shift), abs(second.shift))
    if not isinstance(first, TradeoffBracket | LaplaceLoss) and not isinstance(
        second, TradeoffBracket | LaplaceLoss
    ):
        return order_of_measures(first, second)
    up, down = _nowhere_above(second, first), _nowhere_above(first, second)
    if up and down:
        return "equal"
    comparison = compare_functions(first, second, _GRID)
    if up and comparison.second_is_lower_at is not None:
        return "stronger"
    if down and comparison.first_is_lower_at is not None:
        return "weaker"
    return _ORDERS[comparison.more_informative]


def _order_of_shifts(first: Fraction, second: Fraction) -> Order:
    """Return the order of Laplace noise with two nonnegative shifts; a larger one reveals more.

    At type I error 1/2, the functions are e^-s / 2, and they never cross: the profile 1 -
    e^((epsilon - s) / 2) increases with s at every epsilon.

    Source: Dong, Roth and Su 2022, appendix A.
    """
    if first == second:
        return "equal"
    return "stronger" if first < second else "weaker"


def _nowhere_above(weak: TradeoffFunction, strong: TradeoffFunction) -> bool:
    """Return whether a function is proven to be nowhere above another one; False if unknown.

    f_{epsilon,delta} is nowhere above if the profiles of the strong function and of its inverse are
    at most delta at epsilon. Any other function is convex, so it is below a polygon if it is below
    its vertices.
    """
    match weak:
        case PureDP() | ApproxDP():
            delta = weak.delta if isinstance(weak, ApproxDP) else Fraction(0)
            both = strong, inverse(strong)
            return all(delta_at(f, weak.epsilon).upper_rational <= delta for f in both)
        case GDP() | LaplaceLoss() | PiecewiseLinear() | TradeoffBracket():
            inner = bracket_of(strong).below.vertices[:-1]
            return all(type_ii_at(weak, x).upper_rational <= y for x, y in inner)
        case _:
            assert_never(weak)


def places_to_compare(first: Measure, second: Measure) -> list[Fraction]:
    """Return type I errors at which one of two functions is likely to be the lower one."""
    return [*_tangents(first, second), *_tangents(second, first), *_GRID]


def _lower_somewhere(weak: Measure, strong: Measure) -> bool:
    f, g = function_from_measure(weak), function_from_measure(strong)
    return any(type_ii_at(f, a).high < type_ii_at(g, a).low for a in _GRID)


def _tangents(smooth: Measure, cornered: Measure) -> list[Fraction]:
    """Return where G_mu has the slopes e^epsilon and e^-epsilon of f_{epsilon,delta}."""
    if not isinstance(smooth, GDP) or not isinstance(cornered, PureDP | ApproxDP):
        return []
    if not smooth.mu_squared:
        return []
    mu = gdp.mu_of(smooth)
    shift, half = Interval.of(cornered.epsilon) / mu, mu * HALF
    return [upper_tail(half + shift).lower_rational, upper_tail(half - shift).lower_rational]
