"""Contradictions in a report that fits its schema: signs that it was edited.

A schema checks each number by itself. This module checks them against each other, so that a
comparison never uses rows that no audit writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from semiaudit.model.frameworks import FRAMEWORKS

_MEASURES = (("pure_dp", "epsilon"), ("zcdp", "rho"), ("gdp", "mu"), ("gdp", "regret"))

_STATED = (*dict.fromkeys(measure for measure, _ in _MEASURES), "approx_dp", "tradeoff",
           "tpr_at_fpr")  # fmt: skip
_ROUNDING = 1e-12


def contradiction_of(report: dict[str, Any]) -> str:
    """Return the first contradiction in a report, with its place; empty if there is none.

    Args:
        report: its parsed JSON, which fits the schema of reports.
    """
    return next(_contradictions(report), "")


def unit_of(report: dict[str, Any]) -> str:
    """Return the unit of a report; empty if it has none.

    The first versions wrote no key ``unit``, and began ``statement.unit`` with "one person, hamming
    distance;", regardless of the later wording.
    """
    if "unit" in report:
        return str(report["unit"])
    metric = report["semi_adjacency"]["metric"]
    before, separator, _ = report["statement"]["unit"].partition(f", {metric} distance;")
    return str(before[len("one ") :]) if separator and before.startswith("one ") else ""


def _contradictions(report: dict[str, Any]) -> Iterator[str]:
    semi = report["semi_adjacency"]
    for reading in ("covering", "definition_13"):
        lower, upper = semi[reading]["lower"], semi[reading]["upper"]
        if upper is not None and lower > upper:
            yield f"semi_adjacency.{reading}: the upper bound is below the lower bound"
    if semi["value"] not in (None, semi[semi["reading"]]["upper"]):
        yield "semi_adjacency.value is not the upper bound of its definition of a(t)"
    if "own" in semi and semi["value"] is not None:
        yield "semi_adjacency.value is known, and semi_adjacency.own claims no joint a(t)"
    yield from _blocks(report)
    names = [row["framework"] for row in report["guarantees"]]
    if len(set(names)) < len(names):
        yield "guarantees has a privacy definition twice"
    for place, row in enumerate(report["guarantees"]):
        where = f"guarantees[{place}]"
        if row["universe"] != FRAMEWORKS[row["framework"]].universe:
            yield f"{where}.universe is not that of {row['framework']}"
        if row["adjacency"]["metric"] != semi["metric"]:
            yield f"{where}.adjacency.metric is not that of semi_adjacency"
        if not row["refused"] and row["adjacency"]["distance"] == 0:
            yield f"{where}.adjacency.distance is 0, but there is a guarantee"
        yield from _numbers(where, row)
        yield from _points(where, row)


def _blocks(report: dict[str, Any]) -> Iterator[str]:
    """Yield contradictions between the five building blocks and the rest of the report."""
    if not unit_of(report):
        yield "unit is missing, and statement.unit does not begin with one"
    blocks = report["building_blocks"]
    if blocks is None:
        return
    if blocks["unit"]["metric"] != report["semi_adjacency"]["metric"]:
        yield "building_blocks.unit.metric is not that of semi_adjacency"
    if blocks["unit"]["unit"] != unit_of(report):
        yield "building_blocks.unit.unit is not that of the report"
    keys = [one["invariant"] for one in blocks["multiverse"]["invariants"]]
    # The first versions listed those of the protected unit's records there, which come first.
    own = len(report["invariants"] if "unit" in report else keys)
    if keys != report["invariants"][:own]:
        yield "building_blocks.multiverse.invariants are not those of the report"


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


def _points(where: str, row: dict[str, Any]) -> Iterator[str]:
    """Yield impossible operating points, such as a TPR below the FPR."""
    if row["refused"] and any(row[key] for key in _STATED):
        yield f"{where} is refused, but has numbers"
    for place, point in enumerate(row["tpr_at_fpr"]):
        if point["tpr"] < point["fpr"]:
            yield f"{where}.tpr_at_fpr[{place}].tpr is below fpr, which a guess by chance reaches"
    for place, point in enumerate(row["tradeoff"]):
        if point["type_i"] + point["type_ii"] > 1 + _ROUNDING:
            yield f"{where}.tradeoff[{place}] has more errors than a guess by chance"


def _negative(value: float | str | None) -> bool:
    return value is not None and _value(value) < 0


def _value(value: float | str) -> float:
    """Return a number, or the word for infinity."""
    return float(value)
