"""Many verdicts as GitHub Actions annotations: the worst first, at most ten, then a summary."""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit.model.rules import RULES
from semiaudit.model.verdict import Verdict
from semiaudit.report.blocks.notices import (
    NoticeGroup,
    grouped,
    relative,
    severity,
    summary_of,
    worst_first,
)
from semiaudit.report.text.layout import Layout

MOST = 10
"""The most annotations that GitHub shows for one step."""

_COMMANDS = {0: "error", 1: "error", 2: "warning", 3: "notice"}


def to_github(verdicts: Sequence[Verdict], layout: Layout) -> str:
    """Render verdicts; equal notices of several specs are one annotation, with their number."""
    shown = [v for v in verdicts if v.exit_code] if layout.only_failures else verdicts
    groups = grouped(n for n in worst_first(shown) if n.rule not in layout.ignored)
    lines = [_annotation(group, layout.root) for group in groups[:MOST]]
    summary = f"semiaudit: {summary_of(verdicts, incomplete=layout.incomplete)}"
    more = len(groups) - MOST
    if more > 0:
        summary += f"; {more} more findings are not shown here"
    lines.append(" ".join(summary.split()))
    return "\n".join(line.replace("##[", "## [") for line in lines) + "\n"


def _annotation(group: NoticeGroup, root: str) -> str:
    notice, others = group.notice, len(group.files) - 1
    properties = {"file": relative(notice.file, root), "line": str(notice.line)}
    if notice.column:
        properties["col"] = str(notice.column)
    properties["title"] = f"{notice.rule} {RULES[notice.rule].name}"
    attributes = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = notice.message
    if notice.waived is not None:
        message += f" (waived: {notice.waived})"
    if others:
        message += f" (and of {others} other{'s' * (others > 1)})"
    return f"::{_COMMANDS[severity(notice)]} {attributes}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
