"""From an audit to text. ``RENDERERS`` maps a format to a function of the audit."""

from __future__ import annotations

from collections.abc import Callable

from semiaudit.model.audit import Audit


def _text(audit: Audit, width: int, color: bool) -> str:
    from semiaudit.report.to_table import to_table
    from semiaudit.report.view import view_of

    return to_table(view_of(audit), width=width, color=color)


def _json(audit: Audit, width: int, color: bool) -> str:
    from semiaudit.report.to_json import to_json

    return to_json(audit)


def _markdown(audit: Audit, width: int, color: bool) -> str:
    from semiaudit.report.to_markdown import to_markdown
    from semiaudit.report.view import view_of

    return to_markdown(view_of(audit))


RENDERERS: dict[str, Callable[[Audit, int, bool], str]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
}
