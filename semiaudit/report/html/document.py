"""The whole HTML page: its head, its policy, its style and its script."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path

from semiaudit.report.html.addresses import place
from semiaudit.report.html.markup import Child, element, escaped, written
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


def policy(*, pictures: bool = False) -> str:
    """Return what a page can use: its own style, script and pictures, and nothing else."""
    shown = " img-src data:;" if pictures else ""
    return (
        f"default-src 'none';{shown} script-src {hash_of(resource('script.js'))}; "
        f"style-src {hash_of(resource('style.css'))}; base-uri 'none'; form-action 'none'"
    )


def document(title: str, *body: Child, wide: bool = False, pictures: bool = False) -> str:
    """Return a complete page.

    Args:
        title: the title of the window.
        body: its elements, in order; the main part is an element ``main`` called ``main``.
        wide: whether it has a table of many columns.
        pictures: whether it contains pictures.
    """
    metas: list[dict[str, str | int | float | None]] = [
        {"charset": "utf-8"},
        {"http-equiv": "Content-Security-Policy", "content": policy(pictures=pictures)},
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
