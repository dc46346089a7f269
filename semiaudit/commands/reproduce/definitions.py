"""Cho and Awan's definitions and examples: metrics, universes, a(t), orders, and projectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from semiaudit.commands.reproduce.cho_awan import ANY, SPACES, spaces_of
from semiaudit.commands.reproduce.found import (
    Found,
    a_t,
    answered,
    audited,
    counted,
    floating,
    known,
    shipped_report,
)
from semiaudit.commands.reproduce.model import Ours
from semiaudit.model.bound import upper

BITS: dict[str, Any] = {"product": {"size": 3, "values": [0, 1]}}
ONES: list[Any] = [{"count": {"where": {"value": 1}}}]
CLUSTERS = [[a, a, b, b, c, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
UNEQUAL = [[a, 1 - a, b, 1 - b, c, 1 - c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
GRID = 200
"""Type I errors at which two functions are compared, beside those where they touch or turn."""


def definitions() -> Found:
    """Sections 2 and 3: what is adjacent, how far apart, and which guarantee is the weaker one."""
    return Found({**_metrics(), **_universes(), **_tables(), **_orders()})


def _metrics() -> dict[str, Ours]:
    from semiaudit.library.mechanisms import METRICS, Finite
    from semiaudit.library.specification import lipschitz, satisfies

    pair = Finite([[1, 1, 2], [1, 2, 3]], [["1/3", "2/3"], ["2/3", "1/3"]])
    numbers: dict[str, Ours] = {}
    for metric in METRICS:
        (told,) = lipschitz(pair, metric=metric)
        numbers[f"{metric}_of_example_1"] = counted(told.distance, metric, "Cho and Awan, 2.1")
    for name, space in (
        ("bits", BITS),
        ("two_ones", {"datasets": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}),
    ):
        unit = audited(space, ANY).as_dict()["building_blocks"]["unit"]
        numbers[f"hamming_on_{name}"] = answered(unit["adjacency_metric"])
    numbers["response_has_epsilon_1"] = answered(satisfies(responses_of_three(), 1).holds)
    numbers["response_has_epsilon_099"] = answered(satisfies(responses_of_three(), "0.99").holds)
    return numbers


def responses_of_three() -> Any:
    """Randomised response of three records, with the odds of e cut off after twenty digits."""
    from itertools import product

    from semiaudit.library.mechanisms import Finite

    odds = Fraction(271828182845904523536, 10**20)
    keep, bits = odds / (1 + odds), list(product((0, 1), repeat=3))

    def chance(x: Sequence[int], y: Sequence[int]) -> Fraction:
        kept = (keep if a == b else 1 - keep for a, b in zip(x, y, strict=True))
        return math.prod(kept, start=Fraction(1))

    return Finite(bits, [[chance(x, y) for y in bits] for x in bits])


def _universes() -> dict[str, Ours]:
    from semiaudit.library.report import audit_of

    def given(dataset: list[int], mechanism: Any = ANY) -> Any:
        return audited(BITS, mechanism, invariants=ONES, data={"dataset": dataset})

    listed = audited({"datasets": [*CLUSTERS, [0, 1, 0, 1, 0, 1]]}, ANY)
    semi = audit_of(listed).universe.semi_adjacency
    apart = audited({"datasets": [*CLUSTERS, *UNEQUAL]}, ANY)
    told = [[int(sum(x) == k) for k in range(4)] for x in three_bits()]
    alone = {"finite": {"rows": "datasets", "probabilities": told}}
    everything = [[0, 0], [0, 1], [1, 1]]
    revealed = audited(
        {"datasets": everything}, ANY, invariants=[{"partition": [[one] for one in everything]}]
    )
    rows = [[0, 0, 0], [0, 0, 1], [1, 1, 1]]
    laws = [["2/3", "1/3", 0], ["1/3", "2/3", 0], [0, 0, 1]]
    e37 = audited(
        {"datasets": rows}, {"finite": {"probabilities": laws}}, adjacency={"distance": 2}
    )
    return {
        "one_of_three": a_t(given([1, 0, 0])),
        "three_of_three": a_t(given([1, 1, 1])),
        "mu_of_example_3": known(given([0, 1, 1], {"gdp": {"mu": 1}}).semi_dp.mu),
        "epsilon_of_the_invariants": known(
            audited(BITS, alone, invariants=ONES).semi_dp.pure_epsilon
        ),
        "remark_14_a_min": counted(semi.a_min, "listed", "Cho and Awan, Remark 14"),
        "remark_14_a_maxmin": counted(semi.a_maxmin, "listed", "Cho and Awan, Remark 14"),
        "everything_revealed": a_t(revealed),
        "two_parts": a_t(apart),
        "two_parts_are_joined": _is_connected(apart, 2),
        "advantage_where_definition_1_fails": e37.group_privacy.advantage,
    }


def three_bits() -> list[tuple[int, int, int]]:
    """All datasets of three bits, in their order."""
    return [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]


def _is_connected(report: Any, distance: int) -> str:
    """Whether steps of a distance lead through all of D_t, in a word."""
    from semiaudit.library.report import audit_of
    from semiaudit.universe.connected import connected
    from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

    found = connected(SensitivitySpaces(audit_of(report).release), distance)
    return "not known" if found is None else answered(found)


def _tables() -> dict[str, Ours]:
    from semiaudit.library.null_space import NullSpace
    from semiaudit.library.report import audit_of
    from semiaudit.model.published import PublishedCounts
    from semiaudit.model.query import TableQuery
    from semiaudit.report.numbers import root_of

    two: dict[str, Any] = {"attributes": {"a1": 2, "a2": 2}}
    margins = [{"margin": ["a1"]}, {"margin": ["a2"]}]

    def given(counts: list[list[int]]) -> Any:
        return audited(two, ANY, invariants=margins, data={"counts": counts})

    numbers: dict[str, Ours] = {
        "margins_31_31": a_t(given([[2, 1], [1, 0]])),
        "margins_31_22": a_t(given([[2, 1], [0, 1]])),
        "rank_of_the_projector": counted(
            NullSpace([[1, 1, 1, 1]]).dimension, "null_space", "Cho and Awan, Definition 10"
        ),
    }
    published = audit_of(given([[3, 1], [2, 4]])).release.published
    if isinstance(published, PublishedCounts):
        known_margins = dict(published.margins)
        numbers["margins_of_example_4"] = "; ".join(
            ", ".join(map(str, known_margins[name,])) for name in ("a1", "a2")
        )
    witness = audit_of(shipped_report("example5_table")).universe.semi_adjacency.covering.witness
    if witness is not None:
        before, after = dict(witness.start), dict(witness.end)
        cells = sorted({*before, *after}, key=str)
        moved = [after.get(cell, 0) - before.get(cell, 0) for cell in cells]
        # The same pair the other way round has the opposite signs.
        numbers["change_of_example_5"] = ", ".join(str(value * moved[0]) for value in moved)
    histogram = spaces_of({"cell": 4}).everywhere(TableQuery(), 1)
    numbers |= {
        "elements_of_a_histogram": counted(histogram.elements, histogram.method, SPACES),
        "l1_of_a_histogram": histogram.l1,
        "l2_of_a_histogram": root_of(histogram.l2_squared),
        "linf_of_a_histogram": histogram.linf,
    }
    half = audited({"size": 100, **two}, {"gdp": {"mu": "1/2"}}, invariants=margins)
    numbers["mu_of_corollary_18"] = known(half.semi_dp.mu)
    curved = audited({"size": 100, **two}, {"zcdp": {"rho": 1}}, invariants=margins)
    numbers["rho_of_corollary_18"] = known(curved.semi_dp.rho)
    orders = {
        (one["stronger"], one["weaker"])
        for one in audit_of_json(shipped_report("example5_table"))["ordering"]
    }
    numbers["semi_dp_is_below_group_privacy"] = answered(("group_privacy", "semi_dp") in orders)
    numbers["semi_dp_and_nominal_dp_are_ordered"] = answered(
        any({*pair} == {"semi_dp", "nominal_dp"} for pair in orders)
    )
    return numbers


def audit_of_json(report: Any) -> dict[str, Any]:
    """The JSON report of an audit."""
    found: dict[str, Any] = report.as_dict()
    return found


def _orders() -> dict[str, Ours]:
    from semiaudit.library.tradeoff import ApproxTradeoff, GaussianTradeoff
    from semiaudit.model.measure import GDP, ApproxDP
    from semiaudit.privacy.ordering.blackwell import compare_functions

    normal, response = GaussianTradeoff(1), ApproxTradeoff(1)
    weakest = ApproxTradeoff(1, "0.126936738")
    corner = Fraction(2689414214, 10**10)  # of f_{1,0}, where its slope changes
    touching = Fraction(668072, 10**7)  # Phi(-3/2): there G_1 has the slope -e
    places = sorted({corner, touching, *(Fraction(place, GRID) for place in range(GRID + 1))})
    below = [(float(normal(at)), float(weakest(at)), float(response(at))) for at in places]
    gaps = [mine - other for mine, _, other in below]
    told = f"the difference of certified lower bounds at {len(places)} type I errors"
    function, other = GDP(Fraction(1)), ApproxDP(Fraction(1), Fraction(0))
    return {
        "largest_gap": floating(max(gaps), told),
        "smallest_gap": floating(min(gaps), told),
        "gap_of_the_weakest": floating(min(mine - weak for mine, weak, _ in below), told),
        "order_of_g_1_and_f_1_0": compare_functions(function, other, places[1:-1]).more_informative,
        "rho_of_g_1": known(_zcdp_of_gdp(1)),
        "delta_of_f_3_0_at_2": ApproxTradeoff(3).delta(2),
        "delta_of_group_of_3_at_3": response.group(3).delta(3),
        "delta_of_f_3_0_at_3": ApproxTradeoff(3).delta(3),
        "rho_of_pure_dp_1000": known(_pure(1000).guarantee().rho),
        "rho_of_housing_at_distance_2": known(_zcdp("0.07").guarantee(2).rho),
        "rho_of_persons_and_housing": known((_zcdp("2.56") + _zcdp("0.07")).guarantee().rho),
        **_at_lemma_40(),
    }


def _zcdp_of_gdp(mu: int) -> Any:
    from semiaudit.library.mechanisms import GDP

    return GDP(mu).guarantee().rho


def _pure(epsilon: int) -> Any:
    from semiaudit.library.mechanisms import PureDP

    return PureDP(epsilon)


def _zcdp(rho: str) -> Any:
    from semiaudit.library.mechanisms import ZCDP

    return ZCDP(rho)


def _at_lemma_40() -> dict[str, Ours]:
    """The delta that a continuous Gaussian really has at the epsilon of Lemma 40."""
    from semiaudit.model.measure import GDP
    from semiaudit.numeric.intervals import Interval
    from semiaudit.privacy.measures.gaussian import delta_at

    return {
        f"delta_at_lemma_40_of_{rho}": upper(
            delta_at(GDP(2 * Fraction(rho)), Interval.of(Fraction(epsilon))),
            "gaussian_exact",
            "Balle and Wang 2018",
        )
        for rho, epsilon in (("2.56", "17.915283"), ("10.24", "40.950566"))
    }
