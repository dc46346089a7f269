"""Su's review: what its approximations have in common with certified numbers, and mixtures."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

from semiaudit.commands.reproduce.model import Estimate
from semiaudit.commands.reproduce.procedures.accounting import discrete_gaussian, zcdp_epsilon
from semiaudit.commands.reproduce.results import floating
from semiaudit.library.approximations import CentralLimit, Edgeworth, LastIterate
from semiaudit.library.mechanisms import PureDP
from semiaudit.library.tradeoff import ApproxTradeoff
from semiaudit.model.bound import Bound, lower, upper
from semiaudit.model.measure import GDP
from semiaudit.privacy.tradeoff.mixtures import delta_of_mixture, mixture_point
from tests.privacy.clone_numbers import delta_of_shuffling, epsilon_of_shuffling

SOURCE = "Su, section 4.3"
AT = Fraction(1, 20)
"""The type I error at which compositions are compared."""

HALF, DELTA = Fraction(1, 2), Fraction(1, 10**10)
LOOK_FOR = 13
"""Bisection steps of an interval of variances."""

PARTS = [(HALF, GDP(Fraction(1))), (HALF, GDP(Fraction(4)))]
"""A mixture of G_1 and G_4 in equal shares."""


def last_iterate_is_bounded() -> bool:
    run = LastIterate("2/3", 40, "0.9999")
    return run.mu(10**7).estimate == run.mu(10**5).estimate


def responses(epsilon: Fraction, times: int) -> Mapping[str, bool]:
    """Compare the limit for repeated randomized response with certified numbers.

    Returns:
        ``edgeworth_lies_between``: whether Edgeworth is between the limit and the certified
        number. ``gap_covers_the_error``: whether the Berry-Esseen bound covers the error.
    """
    whole = ApproxTradeoff(epsilon).repeat(times)
    certified = float((PureDP(epsilon) * times).guarantee().type_ii(AT))
    limit = CentralLimit(whole)
    estimate = limit.type_ii(AT).estimate
    return {
        "edgeworth_lies_between": estimate < Edgeworth(whole).type_ii(AT).estimate < certified,
        "gap_covers_the_error": abs(estimate - certified) <= 2 * limit.gap.estimate,
    }


def mixture(slope: Fraction) -> dict[str, Bound]:
    type_i, type_ii = mixture_point(PARTS, Fraction(slope))
    return {
        "type_i": lower(type_i, "mixture", SOURCE),
        "type_ii": lower(type_ii, "mixture", SOURCE),
    }


def mixture_delta(epsilon: Fraction) -> Bound:
    return upper(delta_of_mixture(PARTS, Fraction(epsilon)), "mixture", SOURCE)


def clones_epsilon(reports: int, epsilon0: Fraction, delta: Fraction) -> Bound:
    return epsilon_of_shuffling(reports, Fraction(epsilon0), delta)[1]


def clones_delta(reports: int, epsilon0: Fraction, epsilon: Fraction) -> Bound:
    delta = delta_of_shuffling(reports, Fraction(epsilon0), Fraction(epsilon))
    return upper(delta, "clone_pair", SOURCE)


@cache
def saved_share(queries: int, conversion: str) -> float:
    """Return 1 - v / v0: v0 has rho 1/2 in total, v the same epsilon with exact accounting."""
    aim = float(zcdp_epsilon(HALF, DELTA, conversion))
    high = Fraction(queries)
    low = high / 2
    for _ in range(LOOK_FOR):
        middle = (low + high) / 2
        if float(discrete_gaussian(middle, queries).epsilon(DELTA)) <= aim:
            high = middle
        else:
            low = middle
    return float(1 - high / queries)


def saved_error(queries: int, conversion: str) -> Estimate:
    """Return how much smaller the variance can be with exact accounting of epsilon ."""
    method = "the smallest variance whose exact epsilon is not above that of zCDP"
    return floating(saved_share(queries, conversion), method)
