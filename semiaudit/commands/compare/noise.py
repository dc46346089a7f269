"""Which of two releases adds less noise, by the numbers that both advertise.

Noise is measured relative to what one record changes: the larger rho, mu, or epsilon at delta 0 is
the smaller noise. A number that is only known from above can be smaller than printed, so two upper
bounds prove no order.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, assert_never

from semiaudit.commands.compare.model import ComparedRelease, Standings
from semiaudit.model.bound import Bound
from semiaudit.model.frameworks import ADVERTISED
from semiaudit.model.guarantee import Numbers
from semiaudit.model.number_text import bound_text

Relation = Literal["less", "equal", "greater"]

OTHER_THINGS = "domain", "unit", "metric"
"""Obstacles under which two advertised numbers bound different quantities."""


def smaller_noise(
    first: ComparedRelease, second: ComparedRelease, standings: Sequence[Standings]
) -> str:
    """Say which release adds less noise, if its numbers prove it; else why there is no order.

    Args:
        standings: the order of the guarantees of all releases.
    """
    ours, theirs = (_advertised(release) for release in (first, second))
    if ours is None or theirs is None:
        return "not comparable, because there is no advertised guarantee."
    pair = ADVERTISED, first.name, second.name
    (standing,) = [s for s in standings if (s.framework, s.first, s.second) == pair]
    if not {*standing.obstacles}.isdisjoint(OTHER_THINGS):
        return f"not comparable: {standing.explanation}."
    pairs = [
        (name, one, other)
        for name, one, other in (
            ("ρ", ours.zcdp, theirs.zcdp),
            ("μ", ours.gdp, theirs.gdp),
            ("ε at δ = 0", ours.pure_dp, theirs.pure_dp),
        )
        if one is not None and other is not None
    ]
    shown: dict[Relation | None, str] = {}
    for name, one, other in pairs:
        text = f"{name} {_text(one)} for {first.name}, {_text(other)} for {second.name}"
        shown.setdefault(relation_of(one, other), text)
    if "less" in shown and "greater" in shown:
        return f"not comparable: {shown['greater']}, but {shown['less']}."
    if "greater" in shown:
        return f"the noise of {first.name}: {shown['greater']}."
    if "less" in shown:
        return f"the noise of {second.name}: {shown['less']}."
    if "equal" in shown:
        return f"equal: {shown['equal']}."
    if standing.strict and not standing.weaker_is_a_bound:
        weaker = first.name if standing.order == "weaker" else second.name
        return f"the noise of {weaker}: its advertised guarantee is weaker."
    if not pairs:
        return "not comparable, because the advertised guarantees have different privacy measures."
    return f"not proven: {shown[None]}. These upper bounds prove no order."


def relation_of(one: Bound, other: Bound) -> Relation | None:
    """Compare two nonnegative numbers, as far as their sides prove it.

    Returns:
        None if nothing is proven, for example for two upper bounds.
    """
    (low, high), (other_low, other_high) = _squares(one), _squares(other)
    if high < other_low:
        return "less"
    if other_high < low:
        return "greater"
    return "equal" if low == high == other_low == other_high else None


def _squares(bound: Bound) -> tuple[Fraction | float, Fraction | float]:
    if bound.squared is not None:
        return bound.squared, bound.squared
    square = bound.sharpest**2
    zero, infinite = Fraction(0), float("inf")
    match bound.side:
        case "exact":
            return square, square
        case "upper":
            return zero, square
        case "lower":
            return square, infinite
        case _:
            assert_never(bound.side)


def _text(bound: Bound) -> str:
    exact = bound.side == "exact" or bound.squared is not None
    return bound_text(bound) if exact else f"at most {bound_text(bound)}"


def _advertised(release: ComparedRelease) -> Numbers | None:
    rows = [row for row in release.rows if row.guarantee.framework == ADVERTISED]
    return rows[0].numbers if rows and rows[0].guarantee.measures else None
