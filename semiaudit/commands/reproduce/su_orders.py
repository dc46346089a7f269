"""Su's review: which divergences are privacy measures, links, Blackwell's order, and what exact
accounting saves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations, pairwise

from semiaudit.commands.reproduce.found import Found, answered, floating
from semiaudit.commands.reproduce.model import Ours
from semiaudit.model.bound import Bound
from semiaudit.model.figure import Figure, Series
from semiaudit.model.loss import FiniteLoss
from semiaudit.model.measure import PiecewiseLinear
from semiaudit.privacy.tradeoff.function import Bracket, TradeoffFunction

ODDS = Fraction(271828182845904523536, 10**20)
"""e, cut off after twenty digits."""

LOOK_FOR = 13
"""Halvings of an interval of variances."""


def orders() -> Found:
    """Sections 2.2 to 3.3: links, inverses, Blackwell's order, and the moments of a loss."""
    from semiaudit.library.tradeoff import ApproxTradeoff, GaussianTradeoff
    from semiaudit.model.measure import GDP, ApproxDP
    from semiaudit.privacy.approximations.moments import moments_of
    from semiaudit.privacy.ordering.blackwell import kernel_between
    from semiaudit.privacy.tradeoff.algebra import inverse
    from semiaudit.privacy.tradeoff.links import max_divergence, renyi_divergence
    from semiaudit.privacy.tradeoff.sources import tradeoff_from_likelihoods

    half, quarter = Fraction(1, 2), Fraction(1, 4)
    pair = FiniteLoss((half, half), (quarter, 3 * quarter))
    curve = tradeoff_from_likelihoods(pair)
    normal = GDP(Fraction(1))
    moments = moments_of(normal).alternative
    strong, weak = _response(2), _response(1)
    return Found(
        {
            "vertices": _vertices(curve),
            "vertices_of_the_inverse": _vertices(inverse(curve)),
            "wasserstein": answered(_survives_processing(_wasserstein)),
            "multiplicative_distance": answered(_survives_processing(_multiplicative)),
            "renyi_2": _end(renyi_divergence(normal, Fraction(2))[1]),
            "renyi_4": _end(renyi_divergence(normal, Fraction(4))[1]),
            "renyi_2_of_the_pair": _end(renyi_divergence(curve, Fraction(2))[1]),
            "renyi_2_the_other_way": _end(renyi_divergence(inverse(curve), Fraction(2))[1]),
            "epsilon_beyond_the_root": ApproxTradeoff(1, "1/100").epsilon("1/200"),
            "epsilon_before_the_root": GaussianTradeoff(1).epsilon("1/2"),
            "largest_of_g_1": _end(max_divergence(normal)[1]),
            "largest_of_f_1_0": _end(max_divergence(ApproxDP(Fraction(1), Fraction(0)))[1]),
            "less_private_into_more": answered(kernel_between(strong, weak) is not None),
            "more_private_into_less": answered(kernel_between(weak, strong) is not None),
            "kl_of_g_1": floating(moments.mean, "the mean of the privacy loss"),
            "second_moment_of_g_1": floating(
                moments.variance + moments.mean**2, "of the privacy loss"
            ),
        }
    )


def _vertices(curve: TradeoffFunction) -> str:
    """Of a polygon, or of a bracket whose ends are one."""
    polygon = curve.below if isinstance(curve, Bracket) else curve
    if not isinstance(polygon, PiecewiseLinear):
        return "no polygon"
    return "; ".join(f"{x}, {y}" for x, y in polygon.vertices)


def _end(value: Fraction | float) -> Ours:
    """An upper end, which may be infinite."""
    return Bound(value, "upper", "link", "Su, Theorem 3")


def _response(epsilon: int) -> FiniteLoss:
    odds = ODDS**epsilon
    keep = odds / (1 + odds)
    return FiniteLoss((keep, 1 - keep), (1 - keep, keep))


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
"""What may be done to an outcome: scaling, merging outcomes, forgetting them."""


def _survives_processing(distance: Callable[[Law, Law], Fraction]) -> bool:
    """Whether no process on trial moves two laws further apart: the axiom of Su, section 2.2."""
    weights = [(1, 1, 2), (1, 2, 1), (3, 1, 4), (2, 5, 1)]
    laws = [{Fraction(x): Fraction(w, sum(row)) for x, w in enumerate(row)} for row in weights]
    return all(
        distance(_processed(one, process), _processed(other, process)) <= distance(one, other)
        for one, other in combinations(laws, 2)
        for process in PROCESSES
    )


def _processed(law: Law, process: Callable[[Fraction], Fraction]) -> Law:
    """The law of an outcome after a process."""
    found: dict[Fraction, Fraction] = {}
    for outcome, chance in law.items():
        found[process(outcome)] = found.get(process(outcome), Fraction(0)) + chance
    return found


def _wasserstein(one: Law, other: Law) -> Fraction:
    """The area between two distribution functions."""
    places = sorted({*one, *other})
    total, gap = Fraction(0), Fraction(0)
    for place, following in pairwise(places):
        gap += one.get(place, Fraction(0)) - other.get(place, Fraction(0))
        total += abs(gap) * (following - place)
    return total


def _multiplicative(one: Law, other: Law) -> Fraction:
    """exp of d_MULT of two laws with the same outcomes: their largest ratio."""
    return max(max(one[x] / other[x], other[x] / one[x]) for x in one)


COUNTS = (2, 5, 10, 20, 40)
"""Queries whose saving the figure shows."""


def saved_error() -> Found:
    """By how much smaller the variance may be if epsilon is accounted for exactly (section 4.4)."""
    delta = Fraction(1, 10**10)
    against = {"cks20": "tighter", "bs16": "looser"}
    shares = {(n, name): _saved(n, name, delta) for n in COUNTS for name in against}
    told = "the smallest variance whose exact epsilon is not above that of zCDP"
    numbers: dict[str, Ours] = {"saved_against_cks20": floating(shares[10, "cks20"], told)}
    figure = Figure(
        "su-accounting",
        "Mean squared error that exact accounting saves",
        "queries, of rho 1/2 together",
        "share of the mean squared error",
        tuple(
            Series(
                f"against the {word} conversion of zCDP",
                tuple((float(n), shares[n, name]) for n in COUNTS),
            )
            for name, word in against.items()
        ),
        note="Equal variances, at the same epsilon at delta 1e-10. Printed is a share of about "
        "0.1, for another allocation, which the review does not have.",
    )
    note = (
        "The review prints no allocation and no pair of epsilon and delta; here ten queries of "
        "equal variance stand for it. What is saved depends on rho, delta and the conversion."
    )
    return Found(numbers, (figure,), (note,))


def _saved(queries: int, conversion: str, delta: Fraction) -> float:
    """1 - v / v0: v0 has rho 1/2 in all, v the same epsilon when it is accounted for exactly."""
    from semiaudit.library.mechanisms import DiscreteGaussian
    from semiaudit.model.measure import ZCDP
    from semiaudit.privacy.evaluate import numbers_of

    points = numbers_of((ZCDP(Fraction(1, 2)),), [delta], []).approx_dp
    aim = next(float(p.epsilon) for p in points if p.conversion == conversion)
    high = Fraction(queries)
    low = high / 2
    for _ in range(LOOK_FOR):
        middle = (low + high) / 2
        noise = DiscreteGaussian(sigma_squared=middle, shifts=[1]) * queries
        if float(noise.guarantee().epsilon(delta)) <= aim:
            high = middle
        else:
            low = middle
    return float(1 - high / queries)
