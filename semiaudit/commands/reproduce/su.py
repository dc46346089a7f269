"""Su's review: the table of the last iterate, the limit, DP-SGD, shuffling, and the census."""

from __future__ import annotations

from fractions import Fraction

from semiaudit.commands.reproduce.found import Found, answered, approximated, known
from semiaudit.commands.reproduce.model import Ours
from semiaudit.model.bound import Bound, lower, upper
from semiaudit.model.figure import Figure, Series

AT = Fraction(1, 20)
NO_GUARANTEES = "Approximations are no guarantees: they err on either side (erratum E6)."


def table_1() -> Found:
    """Table 1: three accountings of noisy gradient descent."""
    from semiaudit.privacy.approximations.last_iterate import (
        TABLE_1,
        Column,
        last_iterate_epsilon,
        last_iterate_mu,
    )

    columns: dict[Column, str] = {
        "composition": "composition of all iterates",
        "renyi": "last iterate, Renyi",
        "f_dp": "last iterate, f-DP",
    }
    delta = Fraction(1, 10**5)
    numbers: dict[str, Ours] = {}
    for epochs in (50, 100, 200):
        for column in columns:
            found = last_iterate_epsilon(TABLE_1, epochs, delta, column)
            numbers[f"{epochs}_{column}"] = approximated(found)
    ends = [last_iterate_mu(TABLE_1, 10**power).estimate for power in (5, 7)]
    numbers["f_dp_is_bounded"] = answered(ends[1] == ends[0])
    epochs_drawn = (1, 2, 5, 10, 20, 50, 100, 200, 400, 800)
    series = tuple(
        Series(
            words,
            tuple(
                (float(e), last_iterate_epsilon(TABLE_1, e, delta, column).estimate)
                for e in epochs_drawn
            ),
        )
        for column, words in columns.items()
    )
    figure = Figure(
        "table-1",
        "Table 1 as curves: epsilon at delta 1e-5",
        "epochs",
        "epsilon",
        series,
        logarithmic=frozenset("xy"),
        note="Parameters were inferred from the printed numbers, and so was the form of the Renyi "
        "column: the agreement is a fit (erratum E35). No guarantees.",
    )
    fitted = "Parameters and the form of one column were fitted to the nine numbers (erratum E35)."
    return Found(numbers, (figure,), (fitted, NO_GUARANTEES))


LIMITS = (("1", Fraction(1), 10), ("01", Fraction(1, 10), 100), ("005", Fraction(1, 20), 1000))
"""Randomised responses of an epsilon, and how many."""


def limit() -> Found:
    """The central limit theorem and the Edgeworth accountant, beside certified numbers."""
    from semiaudit.library.mechanisms import PureDP
    from semiaudit.model.measure import GDP, ApproxDP
    from semiaudit.privacy.approximations.clt import berry_esseen_gap, clt_mu, clt_type_ii
    from semiaudit.privacy.approximations.edgeworth import (
        edgeworth_delta,
        edgeworth_epsilon,
        edgeworth_type_ii,
    )
    from semiaudit.privacy.approximations.moments import moments_of

    numbers: dict[str, Ours] = {}
    rates = [Fraction(place, 40) for place in range(1, 40)]
    figures = []
    for name, epsilon, times in LIMITS:
        parts = [(moments_of(ApproxDP(epsilon, Fraction(0))), times)]
        certified = (PureDP(epsilon) * times).guarantee().type_ii
        exact, limit_there = certified(AT), clt_type_ii(parts, AT)
        expansion = edgeworth_type_ii(parts, float(AT))
        numbers[f"mu_{name}"] = approximated(clt_mu(parts))
        numbers[f"limit_{name}"] = approximated(limit_there)
        numbers[f"certified_{name}"] = exact
        if name != "005":
            between = limit_there.estimate < expansion.estimate < float(exact)
            numbers[f"edgeworth_{name}_lies_between"] = answered(between)
        gap = berry_esseen_gap(parts).estimate
        numbers[f"gap_{name}_covers_the_error"] = answered(
            abs(limit_there.estimate - float(exact)) <= 2 * gap
        )
        if name == "1":
            curves = (
                ("certified, from below", [float(certified(at)) for at in rates]),
                ("limit", [clt_type_ii(parts, at).estimate for at in rates]),
                ("Edgeworth", [edgeworth_type_ii(parts, float(at)).estimate for at in rates]),
            )
            shown = [float(at) for at in rates]
            figures.append(
                Figure(
                    "clt",
                    "Ten randomised responses, epsilon 1",
                    "type I error",
                    "type II error",
                    tuple(Series(n, tuple(zip(shown, ys, strict=True))) for n, ys in curves),
                    logarithmic=frozenset("y"),
                    note=NO_GUARANTEES,
                )
            )
    gaussian = [(moments_of(GDP(Fraction(1))), 1)]
    numbers["limit_of_a_gaussian"] = approximated(clt_mu(gaussian))
    numbers["edgeworth_of_a_gaussian"] = approximated(edgeworth_delta(gaussian, 1.0))
    numbers["edgeworth_epsilon_of_a_gaussian"] = approximated(edgeworth_epsilon(gaussian, 1e-5))
    return Found(numbers, tuple(figures), (NO_GUARANTEES,))


def dp_sgd() -> Found:
    """DP-SGD: two published limits, the Edgeworth accountant, and certified ends."""
    from semiaudit.library.mechanisms import SubsampledGaussian
    from semiaudit.privacy.approximations.dp_sgd import (
        dp_sgd_clt_epsilon,
        dp_sgd_clt_mu,
        dp_sgd_edgeworth_epsilon,
        dp_sgd_numeric_epsilon,
    )

    rate, delta = Fraction(256, 60000), Fraction(1, 10**5)
    steps = 15 * 60000 / 256
    whole = 3516
    certified = SubsampledGaussian(
        noise_multiplier=Fraction(13, 10), sampling_rate=rate, steps=whole
    )
    stated = certified.guarantee(metric="symmetric_difference").epsilon(delta)
    numbers: dict[str, Ours] = {
        "limit_poisson": approximated(dp_sgd_clt_mu(0.01, 1000, 1, "poisson")),
        "limit_uniform": approximated(dp_sgd_clt_mu(0.01, 1000, 1, "uniform")),
        "limit_mnist": approximated(dp_sgd_clt_mu(float(rate), steps, 1.3, "poisson")),
        "limit_epsilon": approximated(
            dp_sgd_clt_epsilon(float(rate), steps, 1.3, delta, "poisson")
        ),
        "edgeworth": approximated(dp_sgd_edgeworth_epsilon(float(rate), whole, 1.3, 1e-5)),
        "gridded": approximated(dp_sgd_numeric_epsilon(float(rate), whole, 1.3, 1e-5)),
        "certified": stated,
    }
    return Found(numbers, notes=(NO_GUARANTEES, "The certified epsilon is an upper bound."))


def shuffling() -> Found:
    """The mixture bound (4.1), and shuffled reports by the pair of clones."""
    from semiaudit.model.measure import GDP
    from semiaudit.numeric.intervals import Interval
    from semiaudit.privacy.shuffling import delta_of_shuffling, epsilon_of_shuffling
    from semiaudit.privacy.tradeoff.mixtures import delta_of_mixture, mixture_point

    half, source = Fraction(1, 2), ("mixture", "Su, section 4.3")
    parts = [(half, GDP(Fraction(1))), (half, GDP(Fraction(4)))]

    def low(value: Interval) -> Bound:
        return lower(value, *source)

    even, other = mixture_point(parts, Fraction(1)), mixture_point(parts, half)
    reports, epsilon0 = 1000, Fraction(1)
    clones = epsilon_of_shuffling(reports, epsilon0, Fraction(1, 10**6))[1]
    return Found(
        {
            "type_i_at_1": low(even[0]),
            "type_ii_at_1": low(even[1]),
            "type_i_at_half": low(other[0]),
            "type_ii_at_half": low(other[1]),
            "delta_at_1": upper(delta_of_mixture(parts, Fraction(1)), *source),
            "epsilon_of_clones": clones,
            "delta_of_clones_at_0": upper(
                delta_of_shuffling(reports, epsilon0, Fraction(0)), "clone_pair", source[1]
            ),
        },
        notes=("Tables 2 and 3 have lost their values in print; these are the pair's own.",),
    )


def discrete_gaussian() -> Found:
    """Discrete Gaussian noise: above the continuous profile, and the composition of ten."""
    from semiaudit.library.mechanisms import DiscreteGaussian
    from semiaudit.model.measure import ZCDP
    from semiaudit.privacy.evaluate import numbers_of

    delta = Fraction(1, 10**10)
    ten = (DiscreteGaussian(sigma_squared=10, shifts=[1]) * 10).guarantee()
    numbers: dict[str, Ours] = {
        "delta_of_variance_1": DiscreteGaussian(sigma_squared=1, shifts=[1]).guarantee().delta(1),
        "delta_of_variance_4": DiscreteGaussian(sigma_squared=4, shifts=[1])
        .guarantee()
        .delta(Fraction(1, 2)),
        "delta_of_ten": ten.delta(1),
        "epsilon_of_ten": ten.epsilon(delta),
        "rho_of_ten": known(ten.rho),
    }
    for point in numbers_of((ZCDP(Fraction(1, 2)),), [delta], []).approx_dp:
        numbers[f"{point.conversion}_of_ten"] = point.epsilon
    return Found(numbers)
