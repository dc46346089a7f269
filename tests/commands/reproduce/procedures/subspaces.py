"""Gao, Gong and Yu, sections 2 to 5: constraints, projected noise, the counties and the campus."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from semiaudit.commands.reproduce.model import Estimate, Ours
from semiaudit.commands.reproduce.results import counted, report_of, simulated
from semiaudit.library.mechanisms import Finite
from semiaudit.library.null_space import NullSpace
from semiaudit.library.report import audit_of
from semiaudit.library.spec_argument import release_of
from semiaudit.library.specification import lipschitz
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.parts import flattened
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.model.bound import Bound, exact, root_of
from semiaudit.model.data_source import Access
from semiaudit.model.figure import Figure, Series
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.mechanisms.sampling.agents import central, share

if TYPE_CHECKING:
    from semiaudit.mechanisms.sampling.sampling_methods import Drawing
    from semiaudit.model.query import Spread

SOURCE = "Gao, Gong and Yu"
GROUPS, HOURS, BUILDINGS, REPETITIONS = 14, 24, 20, 50
RUNS = 10
"""The number of runs of each box plot of Figure 1."""

SEED = 2026


def product(*factors: Fraction) -> Fraction:
    result = Fraction(1)
    for factor in factors:
        result *= factor
    return result


def constraints_of_a_building() -> Ours:
    """Return the rank of the margins of one building: each group's total, and each hour's."""
    cells = range(GROUPS * HOURS)
    rows = [[int(at // HOURS == group) for at in cells] for group in range(GROUPS)]
    rows += [[int(at % HOURS == hour) for at in cells] for hour in range(HOURS)]
    return counted(len(cells) - NullSpace(rows).dimension, "null_space", SOURCE)


def epsilon_of_example_2_4() -> Bound:
    first, second = (1, 2, 4), (4, 2, 4)
    same = Finite([first, second], [["1/2", "1/2"], ["1/2", "1/2"]])
    odd = [sum(value in (1, 3) for value in data) for data in (first, second)]
    (lipschitz_bound,) = lipschitz(same, published=odd)
    return lipschitz_bound.lower


def variance_of_projected_laplace() -> Bound:
    """The variance of a coordinate of Laplace noise on two counts, projected onto their total."""
    projected = NullSpace([[1, 1]]).projected([[2, 0], [0, 2]])
    return exact(projected[0][0], "null_space", SOURCE)


def is_conditioning_projection() -> bool:
    """Return whether projected and conditional spherical noise have equal covariances.

    Source: Theorem 4.2.
    """
    left = NullSpace([[1, 1, 1], [1, 0, 2]])
    spherical = [[2 * (row == column) for column in range(3)] for row in range(3)]
    return left.projected(spherical) == left.conditional(spherical)


def standard_deviation(spec: str, variance_over: int = 1) -> Bound:
    """Return the standard deviation of the first noise of a spec.

    Args:
        variance_over: a divisor of the variance.
    """
    variance = audit_of(report_of(spec)).spreads[0].variance
    if variance_over == 1:
        return root_of(variance)
    return root_of(
        Bound(Fraction(variance.value) / variance_over, "exact", variance.method, SOURCE)
    )


def do_county_errors_add_up_to_0() -> bool:
    return not bool(_county_noise().draw(10, Randomness(SEED)).sum(axis=1).any())


def are_shares_the_central_answers() -> bool:
    """Return whether agents who share a seed add the central curator's noise bit for bit.

    Source: section 4.
    """
    answers = [5, 0, 12, 3]

    def made() -> Drawing:
        return _drawing({"agent": len(answers)}, [], {"gaussian": {"sigma": 2}})

    together = central(made(), SEED, answers).tolist()
    shares = [share(made(), SEED, at, answer) for at, answer in enumerate(answers)]
    return bool(together == shares)


def county_errors() -> tuple[Figure, ...]:
    """Return the right of Figure 1, without the errors of the Census: ten runs, by county."""
    drawn = _county_noise().draw(RUNS, Randomness(SEED))
    counties = range(1, drawn.shape[1] + 1)
    ends = {"largest": drawn.max(axis=0), "smallest": drawn.min(axis=0), "mean": drawn.mean(axis=0)}
    figure = Figure(
        "gao-5-1",
        "Figure 1, on the right: errors of the counties of Illinois",
        "county, in no order",
        "error, in people",
        tuple(
            Series(
                f"{name} of {RUNS} runs",
                tuple(
                    (float(at), float(value)) for at, value in zip(counties, errors, strict=True)
                ),
            )
            for name, errors in ends.items()
        ),
        note="Projected Laplace noise, l1 sensitivity 2 (erratum E19). Errors do not depend on the "
        "counts, so that there is no trend. The errors of the Census's own demonstration files, "
        "with which the paper compares them, are not in it.",
    )
    return (figure,)


def _county_noise() -> Drawing:
    return _drawing({"county": 102}, [], {"laplace": {"scale": "125/12"}})


def _drawing(
    attributes: dict[str, int],
    margins: list[list[str]],
    mechanism: Mapping[str, Mapping[str, object]],
) -> Drawing:
    """Return the sampler of noise on a table, which keeps some margins, or the total."""
    ((kind, parameters),) = mechanism.items()
    release, _ = release_of(
        {
            "semiaudit": 1,
            "title": "Noise that keeps the invariants",
            "dataspace": {"attributes": attributes},
            "invariants": [{"margin": margin} for margin in margins] or ["total"],
            "mechanism": {kind: {**parameters, "query": "table", "support": "null_space"}},
        },
        Access(),
    )
    ((part, _),) = flattened(release.mechanism)
    return kind_of(part).sampler(part)(SensitivitySpaces(release), None)


def campus() -> dict[str, Ours]:
    """Return the spread of the remaining noise on 6720 cells (section 5.2).

    Returns:
        ``constraints``: the number of constraints. Of the variance and the standard deviation of
        one repetition, and of the standard deviation of one element, ``median``, ``low`` and
        ``high``: the quantiles 0.5, 0.05 and 0.95.
    """
    cells = GROUPS * HOURS * BUILDINGS
    spread: Spread = audit_of(report_of("configs/gao_campus_wifi.yaml")).spreads[0]
    # Buildings are independent of each other, and each has the margins of its own table.
    one = {"gaussian": {"sigma": 1}}
    drawing = _drawing({"group": GROUPS, "hour": HOURS}, [["group"], ["hour"]], one)
    noise = drawing.draw(REPETITIONS * BUILDINGS, Randomness(SEED)).reshape(REPETITIONS, cells)
    variances = noise.var(axis=1)
    sampled = {
        "element": noise.std(axis=0, ddof=1),
        "variance": variances,
        "deviation": np.sqrt(variances),
    }
    shares = {"median": 0.5, "low": 0.05, "high": 0.95}
    quantiles: dict[str, Estimate] = {
        f"{what}_{name}": simulated(
            float(np.quantile(values, share)), f"{REPETITIONS} repetitions of the projected noise"
        )
        for what, values in sampled.items()
        for name, share in shares.items()
    }
    return {"constraints": counted(cells - spread.rank, "covariance", SOURCE), **quantiles}
