"""A page read back, strictly: what does not close, or stands twice, is an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"img", "input", "meta"})
RAW = frozenset({"script", "style"})


@dataclass
class Node:
    """An element as it was read; children are nodes and texts."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    def every(self, tag: str = "") -> Iterator[Node]:
        """This and all nodes below, of a tag."""
        if not tag or self.tag == tag:
            yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.every(tag)

    @property
    def text(self) -> str:
        """All texts below but those of scripts and styles."""
        if self.tag in RAW:
            return ""
        return "".join(c if isinstance(c, str) else c.text for c in self.children)

    def has(self, name: str, word: str) -> bool:
        """Whether an attribute holds a word."""
        return word in self.attributes.get(name, "").split()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, names)
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag, tag

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")


def read(text: str) -> Node:
    """The root of a page or of a part of one."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == [reader.root]
    return reader.root


def one_line(text: str) -> str:
    """A text without its line breaks and double blanks."""
    return re.sub(r"\s+", " ", text).strip()
