"""Su's review, sections 2.2 to 3.3: links of a tradeoff function, and Blackwell's order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Literal, assert_never

from semiaudit.commands.reproduce.model import Estimate
from semiaudit.commands.reproduce.results import floating
from semiaudit.library.mechanisms import Finite
from semiaudit.library.specification import lipschitz
from semiaudit.model import measure
from semiaudit.model.bound import Bound, upper
from semiaudit.model.building_blocks import Divergence
from semiaudit.model.loss import FiniteLoss
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.approximations.moments import moments_of
from semiaudit.privacy.ordering.blackwell import kernel_between
from semiaudit.privacy.tradeoff.algebra import inverse
from semiaudit.privacy.tradeoff.function import TradeoffBracket, TradeoffFunction
from semiaudit.privacy.tradeoff.links import kullback_leibler, max_divergence, renyi_divergence
from semiaudit.privacy.tradeoff.sources import tradeoff_from_likelihoods
from tests.commands.reproduce.procedures.examples import E

SLIDES = "Bailie, Gong and Meng (slides)"
G_1 = measure.GDP(Fraction(1))
F_1_0 = measure.ApproxDP(Fraction(1), Fraction(0))

Direction = Literal["forward", "back"]
"""T(P, Q), or T(Q, P)."""


HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
COINS = FiniteLoss((HALF, HALF), (QUARTER, 3 * QUARTER))
"""A fair coin, and one with 1/4 for heads."""


def _pair(direction: Direction) -> TradeoffFunction:
    curve = tradeoff_from_likelihoods(COINS)
    match direction:
        case "forward":
            return curve
        case "back":
            return inverse(curve)
        case _:
            assert_never(direction)


def vertices_of_the_pair(direction: Direction) -> str:
    curve = _pair(direction)
    polygon = curve.below if isinstance(curve, TradeoffBracket) else curve
    if not isinstance(polygon, measure.PiecewiseLinear):
        return "no polygon"
    return "; ".join(f"{x}, {y}" for x, y in polygon.vertices)


def renyi_of_the_pair(direction: Direction, order: int) -> Bound:
    return _link(renyi_divergence(_pair(direction), Fraction(order))[1])


def renyi_of_g_1(order: int) -> Bound:
    return _link(renyi_divergence(G_1, Fraction(order))[1])


def largest_loss_of_g_1() -> Bound:
    return _link(max_divergence(G_1)[1])


def largest_loss_of_f_1_0() -> Bound:
    return _link(max_divergence(F_1_0)[1])


def _link(value: Fraction | float) -> Bound:
    """Return an upper bound, which can be infinite."""
    return Bound(value, "upper", "link", "Su, Theorem 3")


def moments_of_g_1() -> dict[str, Estimate]:
    moments = moments_of(G_1).alternative
    return {
        "mean": floating(moments.mean, "the mean of the privacy loss"),
        "second": floating(moments.variance + moments.mean**2, "of the privacy loss"),
    }


def response_can_become(epsilon: int, other: int) -> bool:
    """Return whether processing turns randomized response with one epsilon into another one."""
    return kernel_between(_response(epsilon), _response(other)) is not None


def _response(epsilon: int) -> FiniteLoss:
    odds = E**epsilon
    keep = odds / (1 + odds)
    return FiniteLoss((keep, 1 - keep), (1 - keep, keep))


def lipschitz_of_the_pair(divergence: Divergence) -> Bound:
    """Return the Lipschitz constant of a mechanism whose outcomes are those of the two coins."""
    coins = Finite(rows=[[0], [1]], probabilities=[["1/2", "1/2"], ["1/4", "3/4"]])
    return lipschitz(coins, divergence=divergence)[0].upper


def d_nor_of_the_pair_at_order_1() -> Bound | str:
    """Return the root of the Kullback-Leibler divergence of two coins: D_nor's limit at order 1."""
    most = kullback_leibler(tradeoff_from_likelihoods(COINS))[1]
    return "inf" if isinstance(most, float) else upper(Interval.of(most).sqrt(), "link", SLIDES)


Law = Mapping[Fraction, Fraction]
"""Probabilities of numbers, all above 0."""

PROCESSES: tuple[Callable[[Fraction], Fraction], ...] = (
    lambda x: 2 * x,
    lambda x: x / 2 - 1,
    lambda x: -x,
    lambda x: x * x,
    lambda x: min(x, Fraction(1)),
    lambda x: Fraction(0),
)
"""Processes of an outcome: scaling, merging outcomes, forgetting them."""


def wasserstein_survives_processing() -> bool:
    """Return whether no tested process increases the Wasserstein distance of two laws."""
    return survives_processing(wasserstein)


def multiplicative_survives_processing() -> bool:
    """Return whether no tested process increases the multiplicative distance of two laws."""
    return survives_processing(multiplicative)


def survives_processing(distance: Callable[[Law, Law], Fraction]) -> bool:
    """Return whether no tested process increases a distance: the axiom of Su, section 2.2."""
    weights = [(1, 1, 2), (1, 2, 1), (3, 1, 4), (2, 5, 1)]
    laws = [{Fraction(x): Fraction(w, sum(row)) for x, w in enumerate(row)} for row in weights]
    return all(
        distance(processed(one, process), processed(other, process)) <= distance(one, other)
        for one, other in combinations(laws, 2)
        for process in PROCESSES
    )


def processed(law: Law, process: Callable[[Fraction], Fraction]) -> Law:
    masses: dict[Fraction, Fraction] = {}
    for outcome, chance in law.items():
        masses[process(outcome)] = masses.get(process(outcome), Fraction(0)) + chance
    return masses


def wasserstein(one: Law, other: Law) -> Fraction:
    """Return the area between two distribution functions."""
    places = sorted({*one, *other})
    total, gap = Fraction(0), Fraction(0)
    for place, following in pairwise(places):
        gap += one.get(place, Fraction(0)) - other.get(place, Fraction(0))
        total += abs(gap) * (following - place)
    return total


def multiplicative(one: Law, other: Law) -> Fraction:
    """Return exp of d_MULT of two laws with the same outcomes: their largest ratio."""
    return max(max(one[x] / other[x], other[x] / one[x]) for x in one)
