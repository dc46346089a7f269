"""The frame of every page: its title, verdict, list of parts, and footer.

The whole HTML page: its head, its policy, its style and its script.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from dataclasses import field
from functools import cache
from pathlib import Path

from semiaudit.frozen import dataclass
from semiaudit.report.html.addresses import place
from semiaudit.report.html.blocks import MARKS
from semiaudit.report.html.markup import Child, Element, element, escaped, written
from semiaudit.report.text.layout import Tone, tone_of
from semiaudit.version import __version__

_FOLDER = Path(__file__).resolve().parent


@cache
def resource(name: str) -> str:
    """Read the style or the script, files next to this module."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def hash_of(text: str) -> str:
    """Return the hash of a script or a style for a content security policy."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def policy() -> str:
    """Return what a page can use: its own style and script, and nothing else."""
    return (
        f"default-src 'none'; script-src {hash_of(resource('script.js'))}; "
        f"style-src {hash_of(resource('style.css'))}; base-uri 'none'; form-action 'none'"
    )


def document(title: str, *body: Child, wide: bool = False) -> str:
    """Return a complete page.

    Args:
        title: the title of the window.
        body: its elements, in order; the main part is an element ``main`` called ``main``.
        wide: whether it has a table of many columns.
    """
    metas: list[dict[str, str | int | float | None]] = [
        {"charset": "utf-8"},
        {"http-equiv": "Content-Security-Policy", "content": policy()},
        {"name": "viewport", "content": "width=device-width, initial-scale=1"},
        {"name": "color-scheme", "content": "light dark"},
        {"name": "referrer", "content": "no-referrer"},
        {"name": "generator", "content": f"semiaudit {__version__}"},
    ]
    head = "".join(written(element("meta", {**meta})) for meta in metas)
    skip = element("a", {"class": "skip", "href": place("main")}, "Skip to the answer")
    script, style = resource("script.js"), resource("style.css")
    shown = written(element("div", {"class": "page wide" if wide else "page"}, skip, *body))
    pieces = (
        '<!doctype html>\n<html lang="en">\n<head>\n',
        f"{head}<title>{escaped(title)}</title>\n<style>{style}</style>\n</head>\n",
        f"<body>\n{shown}<script>{script}</script>\n</body>\n</html>\n",
    )
    return "".join(pieces)


_SIDES = "Every number is rounded to the safe side: it can be loose, but never optimistic."


@dataclass(frozen=True, slots=True)
class PageSection:
    """A part of a page, with its address and its title."""

    name: str
    title: str
    children: tuple[Child, ...] = field(default=())


def part(name: str, title: str, *children: Child | None) -> PageSection | None:
    """Make a part; None if it is empty."""
    kept = tuple(child for child in children if child is not None and child != [])
    return PageSection(name, title, kept) if kept else None


def page(
    kicker: str,
    title: str,
    subtitle: str,
    verdict: Element,
    parts: Iterable[PageSection | None],
    *,
    wide: bool = False,
) -> str:
    """Make a whole page, the verdict first.

    Args:
        kicker: the kind of page. subtitle: the file and the version.
        parts: in order; None for parts that this page does not have.
        wide: whether it has a table of many columns.
    """
    kept = [one for one in parts if one is not None]
    links = [element("li", {}, element("a", {"href": place(p.name)}, p.title)) for p in kept]
    sections = [
        element(
            "section",
            {"id": one.name, "aria-labelledby": f"{one.name}-title"},
            element("h2", {"id": f"{one.name}-title"}, one.title),
            one.children,
        )
        for one in kept
    ]
    head = element(
        "header",
        {},
        element("p", {"class": "kicker"}, kicker),
        element("h1", {}, title),
        element("p", {"class": "path"}, subtitle),
    )
    contents = element("nav", {"aria-label": "Parts of this page"}, element("ul", {}, links))
    main = element("main", {"id": "main", "tabindex": -1}, verdict, contents, sections)
    foot = element("footer", {}, element("p", {}, f"semiaudit {__version__}. {_SIDES}"))
    return document(title, head, main, foot, wide=wide)


def verdict(tone: Tone, words: str, *children: Child, status: str = "") -> Element:
    """Make the card at the top: status, verdict, and the rest.

    Args:
        status: a word for the outcome; empty if there is none.
    """
    return element(
        "section",
        {"class": f"verdict {tone}", "aria-labelledby": "verdict-title"},
        status_mark(status) if status else (),
        element("h2", {"id": "verdict-title"}, words),
        children,
    )


def status_mark(word: str) -> Element:
    """Mark an outcome by its color and a symbol, so that color is not the only signal."""
    tone = tone_of(word) or "plain"
    mark = element("span", {"aria-hidden": "true"}, MARKS[tone])
    return element("p", {"class": f"status {tone}"}, mark, f" {word}")
