"""What a report that fits its schema cannot say: nobody but an editor made it so.

A schema looks at each number by itself. Here they are held to each other, so that a comparison is
never made of rows that no audit writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from semiaudit.model.frameworks import FRAMEWORKS

_MEASURES = (("pure_dp", "epsilon"), ("zcdp", "rho"), ("gdp", "mu"), ("gdp", "regret"))


def contradiction_of(report: dict[str, Any]) -> str:
    """The first contradiction in a report, with its place; empty where there is none.

    Args:
        report: as its JSON is read; it fits the schema of reports.
    """
    return next(_contradictions(report), "")


def _contradictions(report: dict[str, Any]) -> Iterator[str]:
    semi = report["semi_adjacency"]
    for reading in ("covering", "definition_13"):
        lower, upper = semi[reading]["lower"], semi[reading]["upper"]
        if upper is not None and lower > upper:
            yield f"semi_adjacency.{reading} ends below its lower end"
    if semi["value"] not in (None, semi[semi["reading"]]["upper"]):
        yield "semi_adjacency.value is not the upper end of the reading"
    names = [row["framework"] for row in report["guarantees"]]
    if len(set(names)) < len(names):
        yield "guarantees has a notion twice"
    for place, row in enumerate(report["guarantees"]):
        where = f"guarantees[{place}]"
        if row["universe"] != FRAMEWORKS[row["framework"]].universe:
            yield f"{where}.universe is not that of {row['framework']}"
        if row["adjacency"]["metric"] != semi["metric"]:
            yield f"{where}.adjacency.metric is not that of semi_adjacency"
        if not row["refused"] and row["adjacency"]["distance"] == 0:
            yield f"{where}.adjacency.distance is 0, and a guarantee is stated"
        yield from _numbers(where, row)


def _numbers(where: str, row: dict[str, Any]) -> Iterator[str]:
    for measure, key in _MEASURES:
        if row[measure] is not None and _negative(row[measure][key]):
            yield f"{where}.{measure}.{key} is below 0"
    for place, point in enumerate(row["approx_dp"]):
        lower, upper = point["epsilon_lower"], point["epsilon"]
        if _negative(upper):
            yield f"{where}.approx_dp[{place}].epsilon is below 0"
        if lower is not None and _value(lower) > _value(upper):
            yield f"{where}.approx_dp[{place}].epsilon_lower is above epsilon"


def _negative(value: float | str | None) -> bool:
    return value is not None and _value(value) < 0


def _value(value: float | str) -> float:
    """A number, or the word for infinity."""
    return float(value)
