"""What spoils an input: a value replaced, a key lost, a byte flipped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

ODD: list[Any] = [
    None, True, -1, 0, 10**400, 1e308, "NaN", ".inf", "1e400", "9" * 300, "", " ", "\x00", "\u202e",
    [], {}, [[]], {"": 0}, "../../etc/passwd", "/dev/stdin", "data.csv", "*", "a,b", "1e-400",
    "\ud7ff", "=1+1", "::error::", {"where": {}}, [[[[[[]]]]]], "0x10", "1/0", "🔒" * 50,
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value in a tree."""
    yield path
    match value:
        case dict():
            for key in value:
                yield from places(value[key], (*path, key))
        case list():
            for index in range(len(value)):
                yield from places(value[index], (*path, index))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The tree with another value at a path."""
    if not path:
        return new
    if isinstance(value, dict):
        return {k: replaced(v, path[1:], new) if k == path[0] else v for k, v in value.items()}
    return [replaced(v, path[1:], new) if k == path[0] else v for k, v in enumerate(value)]


def written(tree: Any) -> str:
    """A tree as text: JSON, which is YAML."""
    return json.dumps(tree, ensure_ascii=False)


@st.composite
def damaged(draw: st.DrawFn, tree: Any) -> bytes:
    """The text of a tree, spoiled more often than not."""
    how = draw(st.sampled_from(["value", "value", "key", "extra", "byte", "cut", "twice"]))
    if how in ("value", "key", "extra"):
        path = draw(st.sampled_from(sorted(places(tree), key=repr)))
        if how == "value":
            new = draw(st.sampled_from(ODD))
        elif how == "key":
            new = {}
        else:
            new = {draw(st.sampled_from(["extra", "repeat", "a", "1"])): draw(st.sampled_from(ODD))}
        return written(replaced(tree, path, new)).encode("utf-8", "surrogatepass")
    text = bytearray(written(tree), "utf-8", "surrogatepass")
    place = draw(st.integers(0, max(len(text) - 1, 0)))
    if how == "byte" and text:
        text[place] = draw(st.integers(0, 255))
    if how == "cut":
        del text[place:]
    if how == "twice":
        text += b"\n---\n" + text[:place]
    return bytes(text)
