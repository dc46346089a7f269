"""Elements of a page, escaped by construction: no text of a spec can become markup or a script.

A page is a tree of ``Element``; what stands in it as a text is escaped when it is written. Only
the elements and attributes that pages need are known, none of which loads or runs anything, and an
address is a type of its own, which only ``addresses`` makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from semiaudit.report.html.addresses import Address
from semiaudit.report.shield import visible

if TYPE_CHECKING:
    Value = str | int | float | Address | bool | None
    Child = "Element | str | Iterable[Child]"

_INLINE = frozenset(
    "a abbr bdi button code dd dt em h1 h2 h3 h4 input label li option output span strong summary "
    "td text th title tspan desc".split()
)
"""Elements between whose tags no line break is written."""
_EMPTY = frozenset({"input", "meta"})
_TAGS = _INLINE | _EMPTY | frozenset(
    "article aside body caption circle defs details div dl figcaption figure footer g head header "
    "html line main marker nav ol p path pre rect section svg table tbody thead tr ul".split()
)  # fmt: skip
_ATTRIBUTES = frozenset(
    "aria-current aria-describedby aria-hidden aria-label aria-labelledby aria-live aria-sort "
    "charset class colspan content cx cy d data-kind data-plot data-sort data-x data-y datetime "
    "dominant-baseline dx dy fill for height hidden href http-equiv id lang markerHeight "
    "markerUnits markerWidth max min name open orient points preserveAspectRatio r refX refY rel "
    "role rowspan rx scope step stroke-dasharray tabindex text-anchor transform type value viewBox "
    "width x x1 x2 y y1 y2".split()
)


@dataclass(frozen=True, slots=True)
class Element:
    """One element.

    Attributes:
        attributes: names and values, each known and each not yet escaped.
        children: elements, and texts that are not yet escaped.
    """

    tag: str
    attributes: tuple[tuple[str, str], ...]
    children: tuple[Element | str, ...]


def element(tag: str, attributes: Mapping[str, Value] | None = None, *children: Child) -> Element:
    """An element of a page.

    Args:
        attributes: with None or False an attribute is left out, and with True it has no value;
            ``href`` takes an ``Address`` and nothing else takes one.
        children: elements, texts, or several of them.

    Raises:
        ValueError: the element or an attribute is none that pages have.
    """
    if tag not in _TAGS:
        raise ValueError(f"pages have no element {tag}")
    named = []
    for name, value in (attributes or {}).items():
        if name not in _ATTRIBUTES or (name == "href") != isinstance(value, Address):
            raise ValueError(f"{tag} takes no {name} of this kind")
        if value is None or value is False:
            continue
        named.append((name, "" if value is True else str(value)))
    held = tuple(_flat(children))
    if held and tag in _EMPTY:
        raise ValueError(f"{tag} holds nothing")
    return Element(tag, tuple(named), held)


def _flat(children: Iterable[Child]) -> Iterator[Element | str]:
    for child in children:
        if isinstance(child, (Element, str)):
            yield child
        else:
            yield from _flat(child)


def written(root: Element) -> str:
    """An element and all that it holds, as HTML."""
    return "".join(_written(root))


def _written(node: Element | str) -> Iterator[str]:
    if isinstance(node, str):
        yield escaped(node)
        return
    attributes = "".join(f' {name}="{escaped(value)}"' for name, value in node.attributes)
    yield f"<{node.tag}{attributes}>"
    if node.tag in _EMPTY:
        yield "\n"
        return
    for child in node.children:
        yield from _written(child)
    yield f"</{node.tag}>" + ("" if node.tag in _INLINE else "\n")


def escaped(text: str) -> str:
    """A text as a page holds it: no markup, nothing invisible, and no command to a build's log."""
    return escape(visible(text)).replace("##[", "#&#35;[").replace("::", "&#58;:")
