"""Cho and Awan's examples: metrics, tables and orders that are not single numbers of a report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product

from semiaudit.commands.reproduce.model import Estimate, Ours
from semiaudit.commands.reproduce.results import counted, floating, report_of
from semiaudit.library.mechanisms import Finite
from semiaudit.library.report import Report, audit, audit_of
from semiaudit.library.specification import lipschitz, satisfies
from semiaudit.library.tradeoff import ApproxTradeoff, GaussianTradeoff
from semiaudit.model import measure
from semiaudit.model.adjacency import Metric
from semiaudit.model.audit import PublishedCounts
from semiaudit.privacy.ordering.blackwell import compare_functions
from semiaudit.universe.connected import connected
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

E = Fraction(271828182845904523536, 10**20)
"""e, cut off after twenty digits."""

GRID = 200
"""Type I errors at which two functions are compared, in addition to those where they touch or
bend."""

CORNER = Fraction(2689414214, 10**10)
"""The type I error at which the slope of f_{1,0} changes."""

TOUCHING = Fraction(668072, 10**7)
"""Phi(-3/2), where G_1 has the slope -e."""


def distance_in_example_1(metric: Metric) -> Ours:
    pair = Finite([[1, 1, 2], [1, 2, 3]], [["1/3", "2/3"], ["2/3", "1/3"]])
    (lipschitz_bound,) = lipschitz(pair, metric=metric)
    return counted(lipschitz_bound.distance, metric, "Cho and Awan, 2.1")


@cache
def _response_of_three_bits() -> Finite:
    """Return randomized response of three records, with odds of e to twenty digits."""
    keep, bits = E / (1 + E), list(product((0, 1), repeat=3))

    def chance(x: Sequence[int], y: Sequence[int]) -> Fraction:
        kept = (keep if a == b else 1 - keep for a, b in zip(x, y, strict=True))
        return math.prod(kept, start=Fraction(1))

    return Finite(bits, [[chance(x, y) for y in bits] for x in bits])


def response_satisfies(epsilon: Fraction) -> bool:
    return satisfies(_response_of_three_bits(), epsilon).holds


@cache
def response_given_its_sum() -> Report:
    return audit(
        {
            "semiaudit": 1,
            "title": "Randomized response of three bits, the number of ones is published",
            "dataspace": {"product": {"size": 3, "values": [0, 1]}},
            "invariants": [{"count": {"where": {"value": 1}}}],
            "mechanism": _response_of_three_bits().to_mapping(),
        }
    )


def universe_sizes_of_the_response() -> str:
    """Return how many datasets each of its universes contains."""
    blocks = audit_of(response_given_its_sum()).building_blocks
    universes = None if blocks is None else blocks.multiverse.universes
    return (
        "not known"
        if universes is None
        else ", ".join(str(n) for n in sorted(u.size for u in universes))
    )


def is_connected(spec: str, distance: int) -> bool | str:
    joined = connected(SensitivitySpaces(audit_of(report_of(spec)).release), distance)
    return "not known" if joined is None else joined


def published_margins(spec: str) -> str:
    published = audit_of(report_of(spec)).release.published
    if not isinstance(published, PublishedCounts):
        return "none"
    return "; ".join(", ".join(map(str, counts)) for _, counts in published.margins)


def change_of_the_witness(spec: str) -> str:
    """Return how much each cell changes from one table of a witness to the other, up to the
    sign.
    """
    witness = audit_of(report_of(spec)).universe.semi_adjacency.covering.witness
    if witness is None:
        return "none"
    before, after = dict(witness.start), dict(witness.end)
    cells = sorted({*before, *after}, key=str)
    moved = [after.get(cell, 0) - before.get(cell, 0) for cell in cells]
    # The same pair in the other order has the opposite signs.
    return ", ".join(str(value * moved[0]) for value in moved)


def are_ordered(spec: str, one: str, other: str) -> bool:
    """Return whether a report proves that one of two guarantees implies the other, in any order."""
    ordering = audit_of(report_of(spec)).ordering
    return any({order.stronger, order.weaker} == {one, other} for order in ordering)


def gaps() -> dict[str, Estimate]:
    """Return differences of G_1 and f_{1,0}, and of G_1 and the weakest f_{1,delta} it implies."""
    normal, response = GaussianTradeoff(1), ApproxTradeoff(1)
    weakest = ApproxTradeoff(1, "0.126936738")
    places = _places()
    below = [(float(normal(at)), float(weakest(at)), float(response(at))) for at in places]
    differences = [mine - other for mine, _, other in below]
    method = f"the difference of certified lower bounds at {len(places)} type I errors"
    return {
        "largest": floating(max(differences), method),
        "smallest": floating(min(differences), method),
        "weakest": floating(min(mine - weak for mine, weak, _ in below), method),
    }


def order_of_g_1_and_f_1_0() -> str:
    """Return which of the two tradeoff functions is more informative."""
    one, other = measure.GDP(Fraction(1)), measure.ApproxDP(Fraction(1), Fraction(0))
    return compare_functions(one, other, _places()[1:-1]).more_informative


def _places() -> list[Fraction]:
    return sorted({CORNER, TOUCHING, *(Fraction(place, GRID) for place in range(GRID + 1))})
