"""A JSON report of `analyze` as one of several releases: held to its schema, and taken as it is.

Only numbers that the report holds are used, each as it is written there: an upper bound, since a
report does not tell which of its numbers are exact.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

from semiaudit.commands.compare.model import Compared
from semiaudit.model.audit import Statement
from semiaudit.model.bound import Bound, Side
from semiaudit.model.guarantee import NO_NUMBERS, ApproxPoint, Guarantee, Numbers, Row
from semiaudit.model.incomplete import Causes, joined
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PureDP
from semiaudit.model.semi_adjacency import Parameter, SemiAdjacency
from semiaudit.numeric.rationals import rational_from_text
from semiaudit.report.contradictions import contradiction_of, unit_of
from semiaudit.report.from_json import NoNumberError, Written, json_of, refused
from semiaudit.report.to_json import report_json_schema
from semiaudit.report.valid import fault_of

SOURCE = "a report"

_VERSION = b'"schema_version"'
_AS_WRITTEN = "name a report as `semiaudit analyze -o json=FILE` wrote it"

SHORT = 15
"""Digits up to which every text is told apart by the double that stands for it."""

_OF_ITS_OWN = (
    "declared",
    "tradeoff_duality",
    "tradeoff_merged",
    "loss_distribution",
    "renyi_curve",
)
"""Conversions of an epsilon that follows from no rho, mu or epsilon at delta 0 of the report."""


def looks_like_a_report(data: bytes) -> bool:
    """Whether a file is meant to be JSON of this program, and no spec."""
    if not data.lstrip().startswith(b"{"):
        return False
    try:
        # NaN is let through: the reader of reports says what is wrong with it.
        found = json.loads(data)
    except (ValueError, RecursionError):
        return _VERSION in data
    return isinstance(found, dict) and "schema_version" in found


def compared_from_report(path: str, data: bytes, name: str) -> Compared:
    """The release that a report of `analyze` speaks of.

    Args:
        path: of the file. data: what stands in it. name: of the release in the comparison.

    Raises:
        SpecError: it is no report of `analyze`, or does not fit the schema.
    """
    try:
        report = json_of(data)
    except NoNumberError as error:
        told = f"holds {error}, which is not a number of JSON, and no report has it"
        raise refused(path, told, _AS_WRITTEN) from None
    except json.JSONDecodeError as error:
        what = f"is no JSON report of `semiaudit analyze`: {error.msg.lower()}"
        raise refused(path, what, _AS_WRITTEN, (error.lineno, error.colno)) from None
    except (ValueError, RecursionError):
        raise refused(path, "is no JSON report of `semiaudit analyze`") from None
    fault = fault_of(report, report_json_schema())
    if fault:
        what = f"does not fit the schema of reports: {fault}"
        raise refused(
            path, what, "name one that `semiaudit analyze -o json=FILE` of this version wrote"
        )
    wrong = contradiction_of(report)
    if wrong:
        raise refused(path, f"contradicts itself: {wrong}", _AS_WRITTEN)
    spec = report["spec"]
    semi = _semi_adjacency(report["semi_adjacency"])
    return Compared(
        name=name,
        path=path,
        title=spec["title"],
        sha256=spec["sha256"],
        from_report=True,
        statement=Statement(**report["statement"]),
        unit=unit_of(report),
        invariants=tuple(report["invariants"]),
        semi_adjacency=semi,
        rows=tuple(map(_row, report["guarantees"])),
        incomplete_because=_causes(report),
        example=bool(spec.get("example")),
    )


def _causes(report: dict[str, Any]) -> Causes:
    """Reports of earlier versions name no cause: the time limit was the one that they knew."""
    return () if report["complete"] else joined(report.get("incomplete_because") or ["time"])


def _semi_adjacency(found: dict[str, Any]) -> SemiAdjacency:
    established = found["value"] is not None

    def parameter(reading: str) -> Parameter:
        told = found[reading]
        trivial = reading == found["reading"] and not established
        return Parameter(
            int(told["lower"]),
            None if told["upper"] is None else int(told["upper"]),
            told["method"],
            told["source"],
            None,
            trivial and told["upper"] is not None,
        )

    return SemiAdjacency(
        found["metric"],
        found["reading"],
        parameter("covering"),
        parameter("definition_13"),
        found["theorem_16_bound"],
        found["a_min"],
        found["a_maxmin"],
    )


def _row(found: dict[str, Any]) -> Row:
    place = found["adjacency"]
    numbers = NO_NUMBERS if found["refused"] else _numbers(found)
    distance = place["distance"]
    guarantee = Guarantee(
        framework=found["framework"],
        universe=found["universe"],
        metric=place["metric"],
        distance=None if distance is None else int(distance),
        measures=_measures(numbers),
        covers_joint_release=found["covers_joint_release"],
        not_protected=found["not_protected"],
        note="" if found["refused"] else found["note"],
        refused=found["note"] or "the report says no more" if found["refused"] else "",
    )
    return Row(guarantee, numbers)


def _numbers(found: dict[str, Any]) -> Numbers:
    gdp = found["gdp"]
    return Numbers(
        pure_dp=_inside(found["pure_dp"], "epsilon"),
        zcdp=_inside(found["zcdp"], "rho"),
        gdp=_inside(gdp, "mu"),
        gdp_regret=_inside(gdp, "regret"),
        approx_dp=tuple(
            ApproxPoint(
                _rational(point["delta"]),
                _bound(point["epsilon"]),
                point["conversion"],
                None
                if point["epsilon_lower"] is None
                else _bound(point["epsilon_lower"], side="lower"),
            )
            for point in found["approx_dp"]
        ),
        tradeoff=tuple(
            (_rational(point["type_i"]), _bound(point["type_ii"], side="lower"))
            for point in found["tradeoff"]
        ),
        advantage=None if found["advantage"] is None else _bound(found["advantage"]),
        tpr_at_fpr=tuple(
            (_rational(point["fpr"]), _bound(point["tpr"])) for point in found["tpr_at_fpr"]
        ),
        operating_points_from=found["operating_points_from"] or "",
    )


def _measures(numbers: Numbers) -> tuple[Measure, ...]:
    """What the numbers state together: none of them is known to be the least one."""
    found: list[Measure] = []
    if numbers.pure_dp is not None and isinstance(numbers.pure_dp.value, Fraction):
        found.append(PureDP(numbers.pure_dp.value, exact=False))
    if numbers.zcdp is not None and isinstance(numbers.zcdp.value, Fraction):
        found.append(ZCDP(numbers.zcdp.value, exact=False))
    if numbers.own_gdp is not None and isinstance(numbers.own_gdp.value, Fraction):
        found.append(GDP(numbers.own_gdp.value**2, exact=False))
    for point in numbers.tightest:
        told = point.conversion in _OF_ITS_OWN or not found
        if told and isinstance(point.epsilon.value, Fraction) and point.delta < 1:
            found.append(ApproxDP(point.epsilon.value, point.delta, exact=False))
    return tuple(found)


def _inside(measure: dict[str, Any] | None, key: str) -> Bound | None:
    found = None if measure is None else measure[key]
    return None if found is None else _bound(found)


def _bound(value: float | str, side: Side = "upper") -> Bound:
    """A number of a report, which says on which side it stands and no more."""
    if isinstance(value, str):
        return Bound(math.inf, side, "printed", SOURCE)
    return Bound(_rational(value), side, "printed", SOURCE)


def _rational(value: float) -> Fraction:
    """A number as its text says; one of more digits than a text keeps apart as the double it is.

    A short text is a number that was printed as it is. A long one is a double that was rounded to
    its safe side, and its text may lie on the other side of it.
    """
    if isinstance(value, Written):
        told = rational_from_text(value.text)
        digits = value.text.lower().partition("e")[0].replace(".", "").strip("-0")
        return told if len(digits) <= SHORT else Fraction(float(value))
    return Fraction(value)
