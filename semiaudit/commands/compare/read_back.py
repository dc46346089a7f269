"""Use a JSON report of `analyze` as a release: validated against its schema, with its own numbers.

Only numbers of the report are used, each as an upper bound, because a report does not show which of
its numbers are exact.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from semiaudit.commands.compare.model import ComparedRelease
from semiaudit.model.audit import Statement
from semiaudit.model.bound import joined
from semiaudit.model.guarantee import NO_NUMBERS, FrameworkGuarantee, GuaranteeRow, Numbers
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PureDP
from semiaudit.model.rules import PLACEHOLDER
from semiaudit.model.semi_adjacency import Parameter, SemiAdjacency
from semiaudit.report.form.forms import object_of
from semiaudit.report.form.from_json import read_report
from semiaudit.report.form.to_json import NUMBERS

_NUMBERS = object_of(NUMBERS)

_OF_ITS_OWN = (
    "declared",
    "tradeoff_duality",
    "tradeoff_merged",
    "loss_distribution",
    "renyi_curve",
)
"""Conversions of an epsilon that does not follow from rho, mu or epsilon at delta 0 of the
report."""


def looks_like_a_report(data: bytes) -> bool:
    """Return whether a file is meant as JSON of this program, and not as a spec."""
    return data.lstrip().startswith(b"{") and b'"schema_version"' in data


def compared_from_report(path: str, data: bytes, name: str) -> ComparedRelease:
    """Return the release of a report of `analyze`.

    Args:
        path: the path of the file. data: its content. name: the name of the release in the
            comparison.

    Raises:
        SpecError: it is not a report of `analyze` that passes every check.
    """
    report = read_report(path, data)
    spec = report["spec"]
    causes = report.get("incomplete_because") or ["time"]
    return ComparedRelease(
        name=name,
        path=path,
        title=spec["title"],
        sha256=spec["sha256"],
        from_report=True,
        statement=Statement(**report["statement"]),
        unit=report["unit"],
        invariants=tuple(report["invariants"]),
        semi_adjacency=_semi_adjacency(report["semi_adjacency"]),
        rows=tuple(map(_row, report["guarantees"])),
        incomplete_because=() if report["complete"] else joined(causes),
        example=bool(spec.get("example")),
        placeholder=_placeholder(report),
    )


def _placeholder(report: dict[str, Any]) -> str:
    """The place of a placeholder in the spec; empty if the report found none."""
    lines = (f["line"] for f in report["findings"] if f["rule"] == PLACEHOLDER)
    return next((f"{report['spec']['path']}:{line}" for line in lines), "")


def _semi_adjacency(section: dict[str, Any]) -> SemiAdjacency:
    established = section["value"] is not None

    def parameter(reading: str) -> Parameter:
        interval = section[reading]
        trivial = reading == section["reading"] and not established
        return Parameter(
            int(interval["lower"]),
            None if interval["upper"] is None else int(interval["upper"]),
            interval["method"],
            interval["source"],
            None,
            trivial and interval["upper"] is not None,
        )

    return SemiAdjacency(
        section["metric"],
        section["reading"],
        parameter("covering"),
        parameter("definition_13"),
        section["theorem_16_bound"],
        section["a_min"],
        section["a_maxmin"],
    )


def _row(section: dict[str, Any]) -> GuaranteeRow:
    place = section["adjacency"]
    numbers = NO_NUMBERS if section["refused"] else _numbers(section)
    distance = place["distance"]
    guarantee = FrameworkGuarantee(
        framework=section["framework"],
        universe=section["universe"],
        metric=place["metric"],
        distance=None if distance is None else int(distance),
        measures=_measures(numbers),
        covers_joint_release=section["covers_joint_release"],
        not_protected=section["not_protected"],
        note="" if section["refused"] else section["note"],
        refused=section["note"] or "the report gives no reason" if section["refused"] else "",
    )
    return GuaranteeRow(guarantee, numbers)


def _numbers(section: dict[str, Any]) -> Numbers:
    read = _NUMBERS.read(section)
    gdp = read.pop("gdp") or {"mu": None, "regret": None}
    source = read.pop("operating_points_from") or ""
    return Numbers(**read, gdp=gdp["mu"], gdp_regret=gdp["regret"], operating_points_from=source)


def _measures(numbers: Numbers) -> tuple[Measure, ...]:
    """Return the measures that follow from the numbers; none is known to be the least one."""
    measures: list[Measure] = []
    if numbers.pure_dp is not None and isinstance(numbers.pure_dp.value, Fraction):
        measures.append(PureDP(numbers.pure_dp.value, exact=False))
    if numbers.zcdp is not None and isinstance(numbers.zcdp.value, Fraction):
        measures.append(ZCDP(numbers.zcdp.value, exact=False))
    if numbers.own_gdp is not None and isinstance(numbers.own_gdp.value, Fraction):
        measures.append(GDP(numbers.own_gdp.value**2, exact=False))
    for point in numbers.tightest:
        independent = point.conversion in _OF_ITS_OWN or not measures
        if independent and isinstance(point.epsilon.value, Fraction) and point.delta < 1:
            measures.append(ApproxDP(point.epsilon.value, point.delta, exact=False))
    return tuple(measures)
