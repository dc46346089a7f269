"""Su's review, sections 4.3 and 4.4: mixtures, shuffling, and the savings of exact accounting."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from semiaudit.commands.reproduce.model import Estimate
from semiaudit.commands.reproduce.ours import floating
from semiaudit.commands.reproduce.procedures.gaussian import zcdp_epsilon
from semiaudit.library.guarantee import Guarantee
from semiaudit.library.mechanisms import DiscreteGaussian
from semiaudit.model.bound import Bound, lower, upper
from semiaudit.model.figure import Figure, Series
from semiaudit.model.measure import GDP
from semiaudit.privacy.shuffling import delta_of_shuffling, epsilon_of_shuffling
from semiaudit.privacy.tradeoff.mixtures import delta_of_mixture, mixture_point

SOURCE = "Su, section 4.3"
HALF = Fraction(1, 2)
PARTS = [(HALF, GDP(Fraction(1))), (HALF, GDP(Fraction(4)))]
"""A mixture of G_1 and G_4 in equal shares."""

DELTA = Fraction(1, 10**10)
COUNTS = (2, 5, 10, 20, 40)
"""The numbers of queries in the figure."""

LOOK_FOR = 13
"""Bisection steps of an interval of variances."""


def mixture(slope: Fraction) -> dict[str, Bound]:
    """Return both errors of the point of the mixture bound (4.1) with a slope."""
    type_i, type_ii = mixture_point(PARTS, Fraction(slope))
    return {
        "type_i": lower(type_i, "mixture", SOURCE),
        "type_ii": lower(type_ii, "mixture", SOURCE),
    }


def mixture_delta(epsilon: Fraction) -> Bound:
    """Return delta of the mixture at an epsilon."""
    return upper(delta_of_mixture(PARTS, Fraction(epsilon)), "mixture", SOURCE)


def clones_epsilon(reports: int, epsilon0: Fraction, delta: Fraction) -> Bound:
    """Return epsilon of shuffled reports by the pair of clones."""
    return epsilon_of_shuffling(reports, Fraction(epsilon0), delta)[1]


def clones_delta(reports: int, epsilon0: Fraction, epsilon: Fraction) -> Bound:
    """Return delta of shuffled reports by the pair of clones."""
    delta = delta_of_shuffling(reports, Fraction(epsilon0), Fraction(epsilon))
    return upper(delta, "clone_pair", SOURCE)


def discrete_gaussian(variance: Fraction, times: int) -> Guarantee:
    """Return the guarantee of repeated discrete Gaussian noise."""
    return (DiscreteGaussian(sigma_squared=variance, shifts=[1]) * times).guarantee()


def saved_error(queries: int, conversion: str) -> Estimate:
    """Return how much smaller the variance can be with exact accounting of epsilon (section 4.4).

    Returns:
        1 - v / v0: v0 has rho 1/2 in total, v the same epsilon with exact accounting.
    """
    method = "the smallest variance whose exact epsilon is not above that of zCDP"
    return floating(_saved(queries, conversion), method)


@cache
def _saved(queries: int, conversion: str) -> float:
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


def saved_errors() -> tuple[Figure, ...]:
    """Return the savings of exact accounting against two conversions, by the number of queries."""
    figure = Figure(
        "su-accounting",
        "Mean squared error that exact accounting saves",
        "queries, of rho 1/2 together",
        "share of the mean squared error",
        tuple(
            Series(
                f"against the {word} conversion of zCDP",
                tuple((float(n), _saved(n, name)) for n in COUNTS),
            )
            for name, word in (("cks20", "tighter"), ("bs16", "looser"))
        ),
        note="Equal variances, at the same epsilon at delta 1e-10. Printed is a share of about "
        "0.1, for another allocation, which the review does not have.",
    )
    return (figure,)
