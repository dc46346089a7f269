"""Su's review, sections 3.3 to 4.2: the last iterate, the limit, and DP-SGD; not guarantees."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, assert_never

from semiaudit.commands.reproduce.model import Estimate, Ours
from semiaudit.commands.reproduce.ours import approximated
from semiaudit.library.mechanisms import PureDP
from semiaudit.model.figure import Figure, Series
from semiaudit.model.measure import GDP, ApproxDP
from semiaudit.privacy.approximations.clt import berry_esseen_gap, clt_mu, clt_type_ii
from semiaudit.privacy.approximations.dp_sgd import (
    dp_sgd_clt_epsilon,
    dp_sgd_clt_mu,
    dp_sgd_edgeworth_epsilon,
    dp_sgd_numeric_epsilon,
)
from semiaudit.privacy.approximations.edgeworth import (
    edgeworth_delta,
    edgeworth_epsilon,
    edgeworth_type_ii,
)
from semiaudit.privacy.approximations.last_iterate import (
    TABLE_1,
    Column,
    last_iterate_epsilon,
    last_iterate_mu,
)
from semiaudit.privacy.approximations.moments import moments_of

if TYPE_CHECKING:
    from semiaudit.library.guarantee import Guarantee
    from semiaudit.privacy.approximations.dp_sgd import Sampling
    from semiaudit.privacy.approximations.moments import LossMoments

AT = Fraction(1, 20)
"""The type I error at which compositions are compared."""

DELTA = Fraction(1, 10**5)
Accountant = Literal["limit", "edgeworth", "grid"]
NO_GUARANTEES = "Approximations are not guarantees: they err on either side (erratum E6)."


def last_iterate(epochs: int, column: Column) -> Estimate:
    """Return epsilon of Table 1."""
    return approximated(last_iterate_epsilon(TABLE_1, epochs, DELTA, column))


def last_iterate_is_bounded() -> bool:
    """Return whether mu of the last iterate stops growing with the number of epochs."""
    ends = [last_iterate_mu(TABLE_1, 10**power).estimate for power in (5, 7)]
    return ends[1] == ends[0]


def table_1() -> tuple[Figure, ...]:
    """Return Table 1 as curves."""
    columns: dict[Column, str] = {
        "composition": "composition of all iterates",
        "renyi": "last iterate, Renyi",
        "f_dp": "last iterate, f-DP",
    }
    epochs = (1, 2, 5, 10, 20, 50, 100, 200, 400, 800)
    figure = Figure(
        "table-1",
        "Table 1 as curves: epsilon at delta 1e-5",
        "epochs",
        "epsilon",
        tuple(
            Series(words, tuple((float(e), last_iterate(e, column).value) for e in epochs))
            for column, words in columns.items()
        ),
        logarithmic=frozenset("xy"),
        note="Parameters were inferred from the printed numbers, and so was the form of the Renyi "
        "column: the agreement is a fit (erratum E35). No guarantees.",
    )
    return (figure,)


def responses(epsilon: Fraction, times: int) -> Mapping[str, Ours | bool]:
    """Compare the limit for repeated randomized response with certified numbers.

    Returns:
        ``mu`` and ``limit``: the numbers of the central limit theorem. ``certified``: the type II
        error. ``edgeworth_lies_between``: whether Edgeworth is between the limit and the certified
        number. ``gap_covers_the_error``: whether the Berry-Esseen bound covers the error.
    """
    parts, guarantee = _responses(epsilon, times)
    certified, limit = guarantee.type_ii(AT), clt_type_ii(parts, AT)
    error = abs(limit.estimate - float(certified))
    expansion = edgeworth_type_ii(parts, float(AT)).estimate
    return {
        "mu": approximated(clt_mu(parts)),
        "limit": approximated(limit),
        "certified": certified,
        "edgeworth_lies_between": limit.estimate < expansion < float(certified),
        "gap_covers_the_error": error <= 2 * berry_esseen_gap(parts).estimate,
    }


def _responses(epsilon: Fraction, times: int) -> tuple[list[tuple[LossMoments, int]], Guarantee]:
    parts = [(moments_of(ApproxDP(Fraction(epsilon), Fraction(0))), times)]
    return parts, (PureDP(epsilon) * times).guarantee()


def clt() -> tuple[Figure, ...]:
    """Return ten randomized responses: certified, by the limit, and by the Edgeworth accountant."""
    parts, guarantee = _responses(Fraction(1), 10)
    rates = [Fraction(place, 40) for place in range(1, 40)]
    curves = {
        "certified, from below": [float(guarantee.type_ii(at)) for at in rates],
        "limit": [clt_type_ii(parts, at).estimate for at in rates],
        "Edgeworth": [edgeworth_type_ii(parts, float(at)).estimate for at in rates],
    }
    shown = [float(at) for at in rates]
    figure = Figure(
        "clt",
        "Ten randomized responses, epsilon 1",
        "type I error",
        "type II error",
        tuple(Series(name, tuple(zip(shown, ys, strict=True))) for name, ys in curves.items()),
        logarithmic=frozenset("y"),
        note=NO_GUARANTEES,
    )
    return (figure,)


def approximations_of_a_gaussian() -> dict[str, Estimate]:
    """Return the limit and the Edgeworth accountant for G_1; both are exact there."""
    parts = [(moments_of(GDP(Fraction(1))), 1)]
    return {
        "mu": approximated(clt_mu(parts)),
        "delta": approximated(edgeworth_delta(parts, 1.0)),
        "epsilon": approximated(edgeworth_epsilon(parts, float(DELTA))),
    }


def dp_sgd_mu(rate: Fraction, steps: Fraction, noise: Fraction, sampling: Sampling) -> Estimate:
    """Return mu of DP-SGD by the limit."""
    return approximated(dp_sgd_clt_mu(float(rate), float(steps), float(noise), sampling))


def dp_sgd_epsilon(
    rate: Fraction, steps: Fraction, noise: Fraction, accountant: Accountant
) -> Estimate:
    """Return epsilon of DP-SGD with Poisson sampling at delta 1e-5, by one accountant."""
    p, sigma, delta = float(rate), float(noise), float(DELTA)
    match accountant:
        case "limit":
            approximation = dp_sgd_clt_epsilon(p, float(steps), sigma, DELTA, "poisson")
        case "edgeworth":
            approximation = dp_sgd_edgeworth_epsilon(p, int(steps), sigma, delta)
        case "grid":
            approximation = dp_sgd_numeric_epsilon(p, int(steps), sigma, delta)
        case _:
            assert_never(accountant)
    return approximated(approximation)
