"""Many verdicts as annotations of GitHub Actions: the worst first, ten at most, then a summary."""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit.model.rules import RULES
from semiaudit.model.verdict import Verdict
from semiaudit.report.notices import Notice, relative, severity, summary_of, worst_first

MOST = 10
"""Annotations that GitHub shows of one step."""

_COMMANDS = {0: "error", 1: "error", 2: "warning", 3: "notice"}


def to_github(verdicts: Sequence[Verdict], *, root: str = "", incomplete: bool = False) -> str:
    """Render verdicts.

    Args:
        root: the directory that absolute paths are made relative to.
        incomplete: the run was ended before every spec was audited.
    """
    notices = worst_first(verdicts)
    lines = [_annotation(notice, root) for notice in notices[:MOST]]
    summary = f"semiaudit: {summary_of(verdicts, incomplete=incomplete)}"
    more = len(notices) - MOST
    if more > 0:
        summary += f"; {more} more findings are not shown here"
    lines.append(" ".join(summary.split()))
    return "\n".join(lines) + "\n"


def _annotation(notice: Notice, root: str) -> str:
    properties = {"file": relative(notice.file, root), "line": str(notice.line)}
    if notice.column:
        properties["col"] = str(notice.column)
    properties["title"] = f"{notice.rule} {RULES[notice.rule].name}"
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = notice.message
    if notice.waived is not None:
        message += f" (waived: {notice.waived})"
    return f"::{_COMMANDS[severity(notice)]} {told}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
