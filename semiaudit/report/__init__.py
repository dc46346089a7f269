"""From an audit to text. ``RENDERERS`` maps a format to a function of the audit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from semiaudit.model.audit import Audit


@dataclass(frozen=True, slots=True)
class Layout:
    """How a readable report is laid out: columns, styles, and whether the witness is told."""

    width: int = 80
    color: bool = False
    explain: bool = False


def _text(audit: Audit, layout: Layout) -> str:
    from semiaudit.report.to_table import to_table
    from semiaudit.report.view import view_of

    view = view_of(audit, explain=layout.explain)
    return to_table(view, width=layout.width, color=layout.color)


def _json(audit: Audit, layout: Layout) -> str:
    from semiaudit.report.to_json import to_json

    return to_json(audit)


def _markdown(audit: Audit, layout: Layout) -> str:
    from semiaudit.report.to_markdown import to_markdown
    from semiaudit.report.view import view_of

    return to_markdown(view_of(audit, explain=layout.explain))


RENDERERS: dict[str, Callable[[Audit, Layout], str]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
}
