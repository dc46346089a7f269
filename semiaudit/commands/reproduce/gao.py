"""Gao, Gong and Yu: Lemma 3.4, the counties of section 5.1, the campus of section 5.2."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.commands.reproduce.found import (
    Found,
    answered,
    counted,
    known,
    shipped_report,
    simulated,
)
from semiaudit.commands.reproduce.model import Ours
from semiaudit.model.bound import Bound, exact, upper
from semiaudit.model.figure import Figure, Series

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from semiaudit.library.report import Report
    from semiaudit.mechanisms.sampling.drawing import Drawing
    from semiaudit.model.spread import Spread

    Floats = npt.NDArray[np.float64]

SOURCE = "Gao, Gong and Yu"
GROUPS, HOURS, BUILDINGS, REPETITIONS = 14, 24, 20, 50
RUNS = 10
"""As each box plot of Figure 1 has."""

SEED = 2026


def lemma_3_4() -> Found:
    """The constant of Gaussian noise, as printed and as it must be (erratum E4)."""
    from semiaudit.library.null_space import NullSpace
    from semiaudit.mechanisms.designs.intensity import mu_squared_of
    from semiaudit.mechanisms.designs.lemma_3_4 import (
        concentrated_constant,
        realised_delta,
        unchecked_constant,
    )
    from semiaudit.model.measure import ApproxDP
    from semiaudit.numeric.intervals import ONE, Interval

    told = "gaussian_exact", "Balle and Wang 2018, Theorem 8"
    usual = ApproxDP(Fraction(1), Fraction(1, 10**5))
    mu_squared = mu_squared_of(usual)
    if mu_squared is None:
        raise ValueError("the target has a mu")
    numbers: dict[str, Ours] = {
        "printed_constant": upper(unchecked_constant(usual), "lemma_3_4", f"{SOURCE}, Lemma 3.4"),
        "constant": upper(ONE / Interval.of(mu_squared).sqrt(), *told),
        "concentrated_constant": upper(
            concentrated_constant(usual), "bs16", "Bun and Steinke 2016, Proposition 1.3"
        ),
    }
    # A histogram of four cells with its total: three dimensions are left, Delta_2 is sqrt(2).
    left = 2 * NullSpace([[1, 1, 1, 1]]).dimension
    numbers["squared_error"] = upper(Interval.of(left / mu_squared), *told)
    for epsilon, power in ((1, 5), (1, 12), (10, 5), (5, 6)):
        target = ApproxDP(Fraction(epsilon), Fraction(1, 10**power))
        found = realised_delta(unchecked_constant(target), target.epsilon)
        numbers[f"delta_of_{epsilon}_1e-{power}"] = upper(found, *told)
    return Found(numbers)


def counties() -> Found:
    """Section 5.1: projected Laplace noise on the counties of Illinois."""
    from semiaudit.report.numbers import root_of

    report = shipped_report("gao_county_populations")
    spread = _spread(report)
    both = Bound(spread.variance.value, "exact", spread.variance.method, SOURCE)
    alone = Bound(spread.variance.value / 4, "exact", spread.variance.method, SOURCE)
    drawing = _drawing({"county": 102}, [], {"laplace": {"scale": "125/12"}})
    figure = _errors_by_county(drawing)
    return Found(
        {
            "epsilon": exact(
                4 * Fraction(16, 100) * Fraction(3, 10), "product", f"{SOURCE}, section 5.1"
            ),
            "epsilon_of_the_audit": known(report.subspace_dp.pure_epsilon),
            "deviation_for_2": root_of(both),
            "deviation_for_1": root_of(alone),
            "rank": counted(spread.rank, "covariance", SOURCE),
            "errors_sum_to_0": answered(_sums_to_zero(drawing)),
            "shares_are_the_central_answers": answered(_shared()),
            "conditioning_is_projection": answered(_conditioned()),
        },
        (figure,),
    )


def _errors_by_county(drawing: Drawing) -> Figure:
    """The right of Figure 1, without the errors of the Census: ten runs, county by county."""
    from semiaudit.mechanisms.sampling.randomness import Randomness

    drawn = drawing.draw(RUNS, Randomness(SEED))
    counties = range(1, drawn.shape[1] + 1)
    ends = {"largest": drawn.max(axis=0), "smallest": drawn.min(axis=0), "mean": drawn.mean(axis=0)}
    return Figure(
        "gao-5-1",
        "Figure 1, on the right: errors of the counties of Illinois",
        "county, in no order",
        "error, in people",
        tuple(
            Series(
                f"{name} of {RUNS} runs",
                tuple((float(at), float(value)) for at, value in zip(counties, found, strict=True)),
                "marks",
            )
            for name, found in ends.items()
        ),
        note="Projected Laplace noise, l1 sensitivity 2 (erratum E19). Errors do not depend on the "
        "counts, so that there is no trend. The errors of the Census's own demonstration files, "
        "which the paper uses too, are not in it.",
    )


def _spread(report: Report) -> Spread:
    from semiaudit.library.report import audit_of

    return audit_of(report).spreads[0]


def _drawing(
    attributes: dict[str, int],
    margins: list[list[str]],
    mechanism: Mapping[str, Mapping[str, object]],
) -> Drawing:
    """The sampler of noise on a table, which keeps some margins, or the total."""
    from semiaudit.library.report import release_of
    from semiaudit.mechanisms import kind_of
    from semiaudit.mechanisms.parts import flattened
    from semiaudit.model.access import Access
    from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

    ((kind, parameters),) = mechanism.items()
    release, _ = release_of(
        {
            "semiaudit": 1,
            "title": "published",
            "dataspace": {"attributes": attributes},
            "invariants": [{"margin": margin} for margin in margins] or ["total"],
            "mechanism": {kind: {**parameters, "query": "table", "support": "null_space"}},
        },
        Access(),
    )
    ((part, _),) = flattened(release.mechanism)
    return kind_of(part).sampler(part)(SensitivitySpaces(release), None)


def _sums_to_zero(drawing: Drawing) -> bool:
    """Whether every draw keeps the state's total, without any rounding."""
    from semiaudit.mechanisms.sampling.randomness import Randomness

    return not bool(drawing.draw(10, Randomness(SEED)).sum(axis=1).any())


def _shared() -> bool:
    """Whether agents who share a seed add the central curator's noise bit for bit (section 4)."""
    from semiaudit.mechanisms.sampling.distributed import central, share

    answers = [5, 0, 12, 3]

    def made() -> Drawing:
        return _drawing({"agent": len(answers)}, [], {"gaussian": {"sigma": 2}})

    together = central(made(), SEED, answers).tolist()
    shares = [share(made(), SEED, at, answer) for at, answer in enumerate(answers)]
    return bool(together == shares)


def _conditioned() -> bool:
    """Whether projected and conditional spherical noise have one covariance (Theorem 4.2)."""
    from semiaudit.library.null_space import NullSpace

    left = NullSpace([[1, 1, 1], [1, 0, 2]])
    spherical = [[2 * (row == column) for column in range(3)] for row in range(3)]
    return left.projected(spherical) == left.conditional(spherical)


def campus() -> Found:
    """Section 5.2: 6720 cells, 740 constraints, and the spread of what is left of the noise."""
    import numpy as np

    from semiaudit.mechanisms.sampling.randomness import Randomness
    from semiaudit.report.numbers import root_of

    spread = _spread(shipped_report("gao_campus_wifi"))
    cells = GROUPS * HOURS * BUILDINGS
    # Buildings are independent of each other, and each has the margins of a table of its own.
    one = {"gaussian": {"sigma": 1}}
    drawing = _drawing({"group": GROUPS, "hour": HOURS}, [["group"], ["hour"]], one)
    noise = drawing.draw(REPETITIONS * BUILDINGS, Randomness(SEED)).reshape(REPETITIONS, cells)
    variances = noise.var(axis=1)
    told = f"{REPETITIONS} repetitions of the projected noise"
    numbers: dict[str, Ours] = {
        "cells": counted(cells, "product", SOURCE),
        "constraints": counted(cells - spread.rank, "covariance", SOURCE),
        "rank": counted(spread.rank, "covariance", SOURCE),
        "deviation": root_of(spread.variance),
        "variance": spread.variance,
    }
    elements = noise.std(axis=0, ddof=1)
    for name, share in (("median", 0.5), ("low", 0.05), ("high", 0.95)):
        numbers[f"element_{name}"] = simulated(float(np.quantile(elements, share)), told)
        numbers[f"variance_{name}"] = simulated(float(np.quantile(variances, share)), told)
        numbers[f"deviation_{name}"] = simulated(
            float(np.quantile(np.sqrt(variances), share)), told
        )
    return Found(numbers)
