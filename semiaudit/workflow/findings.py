"""What a reader must know beside the numbers. Rule ids are stable."""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit.model.audit import Finding, Level, Release
from semiaudit.model.guarantee import Row
from semiaudit.model.semi_adjacency import Universe
from semiaudit.model.source import NOWHERE


def findings_of(release: Release, universe: Universe, rows: Sequence[Row]) -> tuple[Finding, ...]:
    """Every finding of an audit, errors first, then in the order of their rules."""
    found = [
        *_disclosure(release, universe),
        *_coverage(release, universe),
        *_distance(release, universe),
        *_refusals(release, universe, rows),
    ]
    severity = {"error": 0, "warning": 1, "note": 2}
    return tuple(sorted(found, key=lambda finding: (severity[finding.level], finding.rule)))


def _disclosure(release: Release, universe: Universe) -> list[Finding]:
    mark = release.invariants[0].mark if release.invariants else NOWHERE
    disclosed = universe.disclosed
    if universe.semi_adjacency.covering.upper == 0:
        message = "the invariants disclose the whole dataset: D_t holds one dataset only"
        return [Finding("SA003", "error", message, mark)]
    found = []
    if disclosed.table_is_public:
        message = (
            "the invariants disclose the whole table; what remains hidden is only which record "
            "is whose"
        )
        found.append(Finding("SA002", "error", message, mark))
    for name, level in disclosed.constant_attributes or ():
        attributes = getattr(release.dataspace, "attributes", ())
        if any(attribute.name == name and attribute.size > 1 for attribute in attributes):
            message = f"the invariants show that everyone has {name} = {level}"
            found.append(Finding("SA004", "warning", message, mark))
    return found


def _coverage(release: Release, universe: Universe) -> list[Finding]:
    if not universe.restricts:
        return []
    message = (
        "the advertised guarantee does not cover the invariants: neighbours in D that disagree on "
        "them are told apart with certainty"
    )
    return [Finding("SA001", "warning", message, release.invariants[0].mark)]


def _distance(release: Release, universe: Universe) -> list[Finding]:
    adjacency, semi = release.adjacency, universe.semi_adjacency
    found = []
    if adjacency.reading == "definition_13":
        message = (
            "the reading definition_13 is used: some dataset in D_t may have no counterpart at "
            "this distance (erratum E1)"
        )
        found.append(Finding("SA005", "warning", message, adjacency.mark))
    upper = semi.covering.upper
    if adjacency.distance is not None and (upper is None or adjacency.distance < upper):
        message = (
            f"adjacency.distance {adjacency.distance} lies below covering a(t) "
            f"({'unknown' if upper is None else upper}): some changes of a record are not covered"
        )
        found.append(Finding("SA006", "error", message, adjacency.mark))
    if semi.covering.lower != upper:
        message = (
            f"covering a(t) is known to lie in [{semi.covering.lower}, {upper}] only; "
            "the upper end is used"
        )
        mark = release.invariants[0].mark if release.invariants else NOWHERE
        found.append(Finding("SA007", "warning", message, mark))
    return found


def _refusals(release: Release, universe: Universe, rows: Sequence[Row]) -> list[Finding]:
    if universe.semi_adjacency.covering.upper == 0:
        return []
    found = []
    for row in rows:
        guarantee = row.guarantee
        if guarantee.refused:
            level: Level = "error" if guarantee.framework == "semi_dp" else "note"
            message = f"{guarantee.framework} is not stated: {guarantee.refused}"
            mark = getattr(release.dataspace, "mark", NOWHERE)
            found.append(Finding("SA008", level, message, mark))
    return found
