"""The formats of a command's answer, by the modules that its folder has.

A folder has ``view.view_of`` and ``document.DOCUMENT``; it may have ``page.page_of``. Each is
imported when its format is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from semiaudit.report.layout import Layout
from semiaudit.report.terminal import for_terminal

Renderer = Callable[[Any, Layout], str]


def renderers(folder: str, *, rows: bool = False, page: bool = False) -> dict[str, Renderer]:
    """A function for each format, in the order in which the command lists them.

    Args:
        folder: the package of the command.
        rows: its document has CSV, and its tables are for LaTeX, too.
        page: it has a page.
    """

    def of(module: str, name: str) -> Any:
        return getattr(import_module(f"{folder}.{module}"), name)

    def text(found: Any, layout: Layout) -> str:
        from semiaudit.report.fit import fitted

        return for_terminal(fitted(of("view", "view_of")(found), layout.width), layout)

    def json(found: Any, layout: Layout) -> str:
        return str(of("document", "DOCUMENT").text(found))

    def markdown(found: Any, layout: Layout) -> str:
        from semiaudit.report.to_markdown import to_markdown

        return to_markdown(of("view", "view_of")(found))

    def html(found: Any, layout: Layout) -> str:
        return str(of("page", "page_of")(found, layout))

    def csv(found: Any, layout: Layout) -> str:
        return str(of("document", "DOCUMENT").csv(found))

    def latex(found: Any, layout: Layout) -> str:
        from semiaudit.report.to_latex import ROUNDED, to_latex

        return to_latex(of("view", "view_of")(found), ROUNDED)

    known: dict[str, Renderer] = {"text": text, "json": json, "markdown": markdown}
    if page:
        known["html"] = html
    return {**known, "csv": csv, "latex": latex} if rows else known
