"""Many verdicts as annotations of GitHub Actions: ten at most, then a summary.

Every spec that failed has one before any has two, as far as ten reach. The worst are first.
"""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit.model.rules import RULES
from semiaudit.model.verdict import Verdict
from semiaudit.report.blocks.notices import (
    Notice,
    NoticeGroup,
    grouped,
    in_repository,
    most_severe_first,
    notices_of,
    severity,
    summary_of,
    worst_first,
)
from semiaudit.report.text.layout import Layout

MOST = 10
"""The most annotations that GitHub shows for one step."""

MOST_NAMED = 100
"""Specs that did not pass and have no annotation, before they are only counted."""

_COMMANDS = {0: "error", 1: "error", 2: "warning", 3: "notice"}


def to_github(verdicts: Sequence[Verdict], layout: Layout) -> str:
    """Render verdicts; what is said of several specs alike is one annotation, with their number."""
    failing = [v for v in most_severe_first(verdicts) if v.exit_code]
    shown = failing if layout.only_failures else verdicts
    groups = grouped(n for n in worst_first(shown) if n.rule not in layout.ignored)
    place = {group.same: index for index, group in enumerate(groups)}
    own = [sorted(place[n.same] for n in _open(v) if n.same in place) for v in failing]
    leads = [places[0] for places in own if places]
    chosen = [*dict.fromkeys((*leads, *range(len(groups))))][:MOST]
    annotations = sorted((groups[index] for index in chosen), key=lambda g: severity(g.notice))
    lines = [_annotation(group, layout) for group in annotations]
    summary = f"semiaudit: {summary_of(verdicts, incomplete=layout.incomplete)}"
    more = len(groups) - MOST
    if more > 0:
        summary += f"; {more} more findings are not shown here"
    pairs = zip(failing, own, strict=True)
    without = [v.path for v, places in pairs if not places or places[0] not in chosen]
    if without:
        summary += f"; not passed, and without an annotation: {', '.join(without[:MOST_NAMED])}"
        summary += f" and {len(without) - MOST_NAMED} more" * (len(without) > MOST_NAMED)
    lines.append(" ".join(summary.split()))
    return "\n".join(line.replace("##[", "## [") for line in lines) + "\n"


def _open(verdict: Verdict) -> list[Notice]:
    return [notice for notice in notices_of(verdict) if notice.waived is None]


def _annotation(group: NoticeGroup, layout: Layout) -> str:
    notice, others = group.notice, len(group.files) - 1
    properties = {"file": in_repository(notice.file, layout), "line": str(notice.line)}
    if notice.column:
        properties["col"] = str(notice.column)
    properties["title"] = f"{notice.rule} {RULES[notice.rule].name}"
    attributes = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = notice.message
    if notice.waived is not None:
        message += f" (waived: {notice.waived})"
    if others:
        message += f" (also in {others} other spec{'s' * (others > 1)})"
    return f"::{_COMMANDS[severity(notice)]} {attributes}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
