"""Elements of a page, escaped by construction: no text of a spec can become markup or a script.

A page is a tree of ``Element``; texts in it are escaped when they are written. Only the elements
and attributes that pages need are allowed, none of which loads or runs anything. An address is a
separate type, which only ``addresses`` makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import TypeAlias, Union

from semiaudit.frozen import dataclass
from semiaudit.report.html.addresses import LinkTarget
from semiaudit.report.text.shield import visible

Value = str | int | float | LinkTarget | bool | None
Attributes = Mapping[str, Value]
Child: TypeAlias = Union["Element", str, Iterable["Child"]]

_INLINE = frozenset({
    "a", "code", "dd", "dt", "h1", "h2", "h3", "h4", "input", "label", "legend", "li", "output",
    "p", "span", "strong", "summary", "td", "text", "th", "title", "tspan", "desc",
})  # fmt: skip
"""Elements between whose tags no line break is written."""
_EMPTY = frozenset({"input", "meta"})
_BLOCKS = frozenset({
    "caption", "circle", "details", "div", "dl", "fieldset", "figcaption", "figure", "footer",
    "g", "header", "line", "main", "meta", "nav", "ol", "path", "pre", "rect", "section", "svg",
    "table", "tbody", "thead", "tr", "ul",
})  # fmt: skip
_PLAIN = re.compile(r"[A-Za-z0-9 .,;/()=+_-]*")
"""Texts without characters to escape."""
_TAGS = _INLINE | _BLOCKS | _EMPTY
_ATTRIBUTES = frozenset({
    "aria-describedby", "aria-hidden", "aria-label", "aria-labelledby", "autocomplete",
    "charset", "checked", "class", "content", "cx", "cy", "d", "data-held", "data-label",
    "data-plot",
    "data-sort", "data-status", "data-x", "data-x2", "data-y", "data-y2",
    "display", "dy", "fill", "font-family", "font-size", "for", "height", "hidden", "href",
    "http-equiv", "id", "inputmode", "max", "min", "name", "paint-order", "r", "role", "rx",
    "scope", "stroke", "stroke-dasharray", "stroke-linejoin", "stroke-width", "tabindex",
    "text-anchor", "transform", "type", "value", "viewBox", "width", "x",
    "x1", "x2", "xmlns", "y", "y1", "y2",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Element:
    """An HTML element.

    Attributes:
        attributes: names and values, each known and each not yet escaped.
        children: elements, and texts that are not yet escaped.
    """

    tag: str
    attributes: tuple[tuple[str, str], ...]
    children: tuple[Element | str, ...]


def element(tag: str, attributes: Attributes | None = None, *children: Child) -> Element:
    """Make an element of a page.

    Args:
        attributes: with None or False, an attribute is omitted; with True, it has no value;
            only ``href`` takes a ``LinkTarget``, and it takes nothing else.
        children: elements, texts, or several of them.

    Raises:
        ValueError: the element or an attribute is not allowed on pages.
    """
    if tag not in _TAGS:
        raise ValueError(f"pages have no element {tag}")
    named = []
    for name, value in (attributes or {}).items():
        if name not in _ATTRIBUTES or (name == "href") != isinstance(value, LinkTarget):
            raise ValueError(f"{tag} takes no {name} of this kind")
        if value is None or value is False:
            continue
        named.append((name, "" if value is True else str(value)))
    contents = tuple(_flat(children))
    if contents and tag in _EMPTY:
        raise ValueError(f"{tag} holds nothing")
    return Element(tag, tuple(named), contents)


def _flat(children: Iterable[Child]) -> Iterator[Element | str]:
    for child in children:
        if isinstance(child, (Element, str)):
            yield child
        else:
            yield from _flat(child)


def written(root: Element) -> str:
    """Return an element and its content as HTML."""
    pieces: list[str] = []
    _write(root, pieces)
    return "".join(pieces)


def _write(node: Element, pieces: list[str]) -> None:
    tag = node.tag
    attributes = "".join([f' {name}="{escaped(value)}"' for name, value in node.attributes])
    pieces.append(f"<{tag}{attributes}>")
    if tag in _EMPTY:
        pieces.append("\n")
        return
    for child in node.children:
        if isinstance(child, str):
            pieces.append(escaped(child))
        else:
            _write(child, pieces)
    pieces.append(f"</{tag}>" if tag in _INLINE else f"</{tag}>\n")


def escaped(text: str) -> str:
    """Escape a text for a page: no markup, no invisible characters, no command to a log."""
    if _PLAIN.fullmatch(text):
        return text
    return escape(visible(text)).replace("##[", "#&#35;[").replace("::", "&#58;:")
