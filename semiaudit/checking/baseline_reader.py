"""Baselines: the guarantees of an earlier JSON report of `analyze` or `check`.

A number is an upper bound, as the double that the report prints; a delta or an FPR is what its text
says, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from semiaudit.errors import one_line
from semiaudit.model.bound import Bound
from semiaudit.model.building_blocks import Domain
from semiaudit.model.frameworks import LEADING
from semiaudit.model.guarantee import ApproxPoint, GuaranteeLine, Numbers
from semiaudit.model.policy import Earlier, EarlierBudget
from semiaudit.report.form.from_json import (
    Report,
    bytes_of_report,
    entries_of,
    exact,
    read_report,
    refused,
)

MOST_NAMED = 3
"""The most failed specs that are named; the others are counted."""


def load_baseline(path: str | Path) -> tuple[Earlier, ...]:
    """Read the guarantees of an earlier JSON report: from a run that passed and was complete.

    Raises:
        SpecError: the file cannot be read, is not a report, or contains no audited spec; or the run
            failed or was not complete, so that a later run would accept wrong results.
    """
    name = str(path)
    report = read_report(name, bytes_of_report(name), of_check=True)
    audited = [entry for _, entry in entries_of(report) if entry["semi_adjacency"] is not None]
    if not audited:
        raise refused(name, "contains no audited spec")
    failed = [*_failed(report)]
    if failed:
        named, more = "; ".join(failed[:MOST_NAMED]), len(failed) - MOST_NAMED
        others = f"; and {more} more" if more > 0 else ""
        message = f"cannot be a baseline, because its run did not pass: {named}{others}"
        raise refused(name, message, "use the report of a run that passed")
    return tuple(_earlier(entry, report["tool"]["version"]) for entry in audited)


def _failed(report: Report) -> Iterator[str]:
    """Yield what did not pass, or is not complete; a refused guarantee concerns only its spec."""
    for _, entry in entries_of(report):
        path = one_line(entry["spec"]["path"])
        if entry.get("outcome") == "exceeds":
            yield f"{path} failed"
        elif entry["semi_adjacency"] is None:
            yield f"{path} was not audited"
        elif "outcome" not in entry and not all(b["holds"] for b in entry["budgets"]):
            yield f"{path} failed"
        elif entry.get("building_blocks", ...) is None or (
            not entry["complete"] and "time" in entry.get("incomplete_because", ["time"])
        ):
            yield f"{path} reached the time limit"
    for waivers in report.get("waivers", ()):
        if any(finding["level"] == "error" for finding in waivers["findings"]):
            yield f"{one_line(waivers['path'])} failed"


def _earlier(entry: Report, version: str) -> Earlier:
    semi, guarantees = entry["semi_adjacency"], entry["guarantees"]
    established = semi["value"] is not None or semi["reading"] != "covering"
    domain = entry.get("building_blocks", entry)["domain"]
    attributes = tuple((one["name"], int(one["levels"])) for one in domain["attributes"])
    known = entry.get("disclosed", {"values": entry.get("values_given")})
    return Earlier(
        path=entry["spec"]["path"],
        metric=semi["metric"],
        reading=semi["reading"],
        covering=_whole(semi["covering"]["upper"]) if established else None,
        lines=tuple(_line(row) for row in guarantees if not row["refused"]),
        budgets=tuple(map(_budget, entry["budgets"])),
        refused=any(row["framework"] == LEADING and row["refused"] for row in guarantees),
        invariants=tuple(entry["invariants"]),
        unit=entry["unit"],
        values_given=any(value is not None for value in known.values()),
        domain=Domain(
            domain["kind"],
            _whole(domain["size"]),
            _whole(domain["datasets"]),
            attributes,
            tuple(domain["restrictions"]),
        ),
        version=version,
    )


def _line(row: Report) -> GuaranteeLine:
    tightest: dict[Fraction, tuple[float, str]] = {}
    for point in row["approx_dp"]:
        delta, found = exact(point["delta"]), (float(point["epsilon"]), point["conversion"])
        tightest[delta] = min(tightest.get(delta, found), found)
    numbers = Numbers(
        pure_dp=_printed(row["pure_dp"] and row["pure_dp"]["epsilon"]),
        zcdp=_printed(row["zcdp"] and row["zcdp"]["rho"]),
        gdp=_printed(row["gdp"] and row["gdp"]["mu"]),
        approx_dp=tuple(
            ApproxPoint(delta, _upper(epsilon), conversion)
            for delta, (epsilon, conversion) in tightest.items()
        ),
        tradeoff=(),
        advantage=_printed(row["advantage"]),
        tpr_at_fpr=tuple(
            (exact(point["fpr"]), _upper(point["tpr"])) for point in row["tpr_at_fpr"]
        ),
    )
    distance = _whole(row.get("adjacency", row)["distance"])
    return GuaranteeLine(row["framework"], "", distance, numbers)


def _budget(budget: Report) -> EarlierBudget:
    return EarlierBudget(
        framework=budget["framework"],
        measure=budget["measure"],
        at=None if budget["at"] is None else exact(budget["at"]),
        distance=_whole(budget["distance"]),
        limit=float(budget["limit"]),
        policy=budget.get("policy") is True,
    )


def _printed(value: float | str | None) -> Bound | None:
    return None if value is None else _upper(value)


def _upper(value: float | str) -> Bound:
    """Return an upper bound that is known only as the printed double of a report."""
    double = float(value)
    return Bound(double if math.isinf(double) else Fraction(double), "upper", "printed", "a report")


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
