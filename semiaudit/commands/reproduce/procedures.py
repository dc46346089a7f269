"""Cho and Awan's noise: sensitivities in D, projections, Algorithms 1 to 3, and private tests."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from semiaudit.commands.reproduce.cho_awan import SPACES, spaces_of, table_changes
from semiaudit.commands.reproduce.cho_awan_figures import block_of, moves_of
from semiaudit.commands.reproduce.found import (
    Found,
    answered,
    audited,
    counted,
    floating,
    known,
    simulated,
)
from semiaudit.commands.reproduce.model import Ours
from semiaudit.model.bound import exact

MARGINS = [{"margin": ["row"]}, {"margin": ["column"]}]
DRAWS, SEED = 200_000, 2026


def noise() -> Found:
    """What noise must cover, what projecting does to it, and the hulls of Algorithm 3."""
    return Found({**_gaussian(), **_projected(), **_hulls(), **_tests()})


def _gaussian() -> dict[str, Ours]:
    from semiaudit.model.query import TableQuery
    from semiaudit.report.numbers import root_of

    histogram = spaces_of({"cell": 4}).everywhere(TableQuery(), 1)
    group = spaces_of({"row": 2, "column": 2}).everywhere(TableQuery(), 3)
    cells: dict[str, Any] = {"size": 100, "attributes": {"cell": 4}}
    usual = {"gaussian": {"sigma": "1.414214", "query": "table"}}
    table: dict[str, Any] = {"size": 100, "attributes": {"row": 2, "column": 2}}
    one = {"gaussian": {"sigma": 2, "query": "table", "support": "sensitivity_space"}}
    two = {"k_norm": {"epsilon": 1, "norm": {"hull": "D_t"}, "query": "table"}}
    return {
        "sigma_of_a_histogram": root_of(histogram.l2_squared),
        "figure_1": _figure_1(),
        "mu_of_a_histogram": known(audited(cells, usual).nominal_dp.mu),
        "l1_of_a_group": group.l1,
        "l2_of_a_group": root_of(group.l2_squared),
        "linf_of_a_group": group.linf,
        "mu_of_algorithm_1": known(audited(table, one, invariants=MARGINS).semi_dp.mu),
        "epsilon_of_algorithm_2": known(
            audited(table, two, invariants=MARGINS).semi_dp.pure_epsilon
        ),
    }


def _figure_1() -> Ours:
    """Whether the element of Figure 1 lies in the sensitivity space of a 7x6 table."""
    gained, lost = ((2, 2), (5, 5)), ((2, 5), (5, 2))
    cells = [(row, column) for row in range(1, 8) for column in range(1, 7)]
    drawn = tuple(int(cell in gained) - int(cell in lost) for cell in cells)
    negative = tuple(-value for value in drawn)
    return answered(bool({drawn, negative} & {*table_changes(7, 6, 2)}))


def _margin_rows(rows: int, columns: int) -> list[list[int]]:
    cells = [(i, j) for i in range(rows) for j in range(columns)]
    of_rows = [[int(i == row) for i, _ in cells] for row in range(rows)]
    return of_rows + [[int(j == column) for _, j in cells] for column in range(columns)]


def _projected() -> dict[str, Ours]:
    """The projector that keeps both margins, and norms of Laplace noise before and after (E8)."""
    import numpy as np

    from semiaudit.library.null_space import NullSpace

    small = NullSpace(_margin_rows(2, 2)).projector()
    whole = NullSpace(_margin_rows(3, 3)).projector()
    trace = sum((whole[place][place] for place in range(9)), Fraction(0))
    matrix = np.array([[float(value) for value in row] for row in whole])
    before = np.random.default_rng(SEED).laplace(size=(DRAWS, 9))
    after = before @ matrix
    numbers: dict[str, Ours] = {
        "corner_of_the_projector": exact(small[0][0], "null_space", SPACES),
        "signs_of_the_projector": ", ".join(str(4 * value) for value in small[0]),
        "trace_of_the_projector": exact(trace, "null_space", SPACES),
    }
    for name, order in (("l1", 1), ("l2", 2), ("linf", np.inf)):
        old, new = (np.linalg.norm(drawn, order, axis=1) for drawn in (before, after))
        share = float((new > old * (1 + 1e-12)).mean())
        numbers[f"{name}_grows"] = simulated(share, f"of {DRAWS} draws of Laplace noise")
    return numbers


def _hulls() -> dict[str, Ours]:
    """Facets of the hulls of Algorithm 3, and the share of a box that they fill, exactly."""
    from semiaudit.mechanisms.sampling.hull_noise import Triangulated

    numbers: dict[str, Ours] = {}
    for k in (2, 3, 4):
        for name, distance in (("printed", 2), ("ours", 3)):
            moves = moves_of(k, distance)
            hull = Triangulated(moves, block_of(moves, k), (k, k))
            numbers[f"facets_{name}_{k}"] = counted(hull.facets, "facets", SPACES)
            share = hull.volume / 2 ** ((k - 1) ** 2)
            numbers[f"accepted_{name}_{k}"] = floating(share, "the volume of the hull over a box's")
    return numbers


def _tests() -> dict[str, Ours]:
    """Lemma 34 for the test of Theorem 37, and Definition 35 for Tulap noise."""
    from semiaudit.model.measure import ApproxDP
    from semiaudit.model.odds_ratio import Margins
    from semiaudit.privacy.canonical.of_function import noise_of
    from semiaudit.privacy.odds_ratio.hypergeometric import law_of
    from semiaudit.privacy.odds_ratio.umpu import region

    pure = noise_of(ApproxDP(Fraction(1), Fraction(0)), "tulap")
    at_one = law_of(Margins(12, 10, 11), Fraction(1))
    threshold = region(pure, at_one, Fraction(1, 20), "greater").at_least
    numbers: dict[str, Ours] = {}
    if threshold is not None:
        chances = [float(pure.upper_tail(threshold - count).high) for count in range(11)]
        most = max(after / before for before, after in pairwise(chances))
        numbers["most_of_a_private_test"] = floating(most, "the largest ratio of two neighbours'")
    mixed = noise_of(ApproxDP(Fraction(1), Fraction(1, 100)), "tulap")
    reach = 60  # half steps; beyond, nothing is left after truncation
    places = [Fraction(place, 2) for place in range(-reach, reach + 1)]
    ends = [float(mixed.cdf(place).low) for place in places]
    moved = [float(mixed.cdf(place - 1).low) for place in places]
    growth = float(Fraction(271828182845904523536, 10**20))
    told = "the density is constant on half steps"
    own = [after - before for before, after in pairwise(ends)]
    others = [after - before for before, after in pairwise(moved)]
    beyond = sum(max(0.0, q - growth * p) for p, q in zip(own, others, strict=True))
    numbers["delta_of_tulap_noise"] = floating(beyond, told)
    return numbers
