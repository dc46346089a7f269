"""Presentations of answers, and renderers: functions from an answer to a text, one for each format.

Audits, verdicts, and the answers of all commands share them. Each is made of a view for readers or
a document for programs, whose code is imported when a format is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from operator import attrgetter
from typing import Any

from semiaudit.frozen import dataclass
from semiaudit.report.text.layout import Layout, View
from semiaudit.report.text.shield import shielded

Renderer = Callable[[Any, Layout], str]
Arranged = Callable[[Any, Layout], View]
"""A function from an answer to its view."""


def late(module: str, name: str) -> Callable[..., Any]:
    """Return a function that is imported at its first call: its module, and its name there."""

    def called(*arguments: Any) -> Any:
        return attrgetter(name)(import_module(module))(*arguments)

    return called


def text_of(arranged: Arranged) -> Renderer:
    """Return a renderer of a view as text."""

    def text(answer: Any, layout: Layout) -> str:
        from semiaudit.report.text.fit import fitted

        return for_terminal(fitted(arranged(answer, layout), layout.width), layout)

    return text


def markdown_of(arranged: Arranged) -> Renderer:
    """Return a renderer of a view as Markdown."""

    def markdown(answer: Any, layout: Layout) -> str:
        from semiaudit.report.markup.to_markdown import to_markdown

        return to_markdown(arranged(answer, layout))

    return markdown


def latex_of(arranged: Arranged, units: Callable[[Any], str] | None = None) -> Renderer:
    """Return a renderer of a view as LaTeX.

    Args:
        units: gives the caption of an answer; None for only the rounding of numbers.
    """

    def latex(answer: Any, layout: Layout) -> str:
        from semiaudit.report.markup.to_latex import ROUNDED, to_latex

        caption = ROUNDED if units is None else units(answer)
        return to_latex(arranged(answer, layout), caption)

    return latex


def json_of(module: str) -> Renderer:
    """Return a renderer of a module's document as JSON."""
    text = late(module, "DOCUMENT.text")
    return lambda answer, layout: str(text(answer))


def csv_of(module: str) -> Renderer:
    """Return a renderer of a module's document as CSV."""
    csv = late(module, "DOCUMENT.csv")
    return lambda answer, layout: str(csv(answer))


def page_of(kind: str, arranged: Arranged) -> Renderer:
    """Return a renderer of a view as a page.

    Args:
        kind: of answer, above the title.
    """

    def html(answer: Any, layout: Layout) -> str:
        from semiaudit.report.html.view_page import view_page

        return view_page(kind, arranged(answer, layout))

    return html


@dataclass(frozen=True, slots=True)
class Presentation:
    """How an answer is shown, in all formats.

    Attributes:
        view_of: arranges it for readers.
        plain_of: returns its JSON as plain data.
        renderers: of its formats, in the order in which a command lists them.
    """

    view_of: Callable[[Any], View]
    plain_of: Callable[[Any], dict[str, Any]]
    renderers: Mapping[str, Renderer]


def presentation(
    view: str, document: str = "", kind: str = "", *, rows: bool = False, page: str = ""
) -> Presentation:
    """Return how a command shows its answer, by modules that are imported when they are used.

    Args:
        view: the module with ``view_of``.
        document: the module with ``DOCUMENT``; empty if it is that of the view.
        kind: the kind of answer, above the title of its page.
        rows: whether its document has CSV, and its tables have LaTeX too.
        page: the module with ``page_of``; empty if the page is made from the view.
    """
    document = document or view
    view_of = late(view, "view_of")

    def arranged(answer: Any, layout: Layout) -> View:
        view: View = view_of(answer)
        return view

    renderers = {
        "text": text_of(arranged),
        "json": json_of(document),
        "markdown": markdown_of(arranged),
        "html": late(page, "page_of") if page else page_of(kind, arranged),
    }
    if rows:
        renderers |= {"csv": csv_of(document), "latex": latex_of(arranged)}
    return Presentation(view_of, late(document, "DOCUMENT.plain"), renderers)


def for_terminal(view: View, layout: Layout) -> str:
    """Return the lines of a view."""
    from semiaudit.report.text.to_text import to_text

    return shielded(to_text(view, width=layout.width, color=layout.color))
