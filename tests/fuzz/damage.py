"""What spoils an input: a value replaced, a key lost or misspelled, a byte flipped, an encoding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.fuzz.chance import Chance
from tests.fuzz.releases import written

ODD: list[Any] = [
    None, True, -1, 0, 10**400, 1e308, "NaN", ".inf", "1e400", "9" * 300, "", " ", "\x00", "\u202e",
    [], {}, [[]], {"": 0}, "../../etc/passwd", "/dev/stdin", "data.csv", "*", "a,b", "1e-400",
    "\ud7ff", "=1+1", "::error::", {"where": {}}, [[[[[[]]]]]], "0x10", "1/0", "🔒" * 50,
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    match value:
        case dict():
            for key in value:
                yield from places(value[key], (*path, key))
        case list():
            for index in range(len(value)):
                yield from places(value[index], (*path, index))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    if isinstance(value, dict):
        return {k: replaced(v, path[1:], new) if k == path[0] else v for k, v in value.items()}
    return [replaced(v, path[1:], new) if k == path[0] else v for k, v in enumerate(value)]


def damaged(chance: Chance, tree: Any) -> bytes:
    """The text of a tree, spoiled more often than not."""
    how = chance.choice(["value", "value", "key", "extra", "byte", "cut", "twice"])
    if how in ("value", "key", "extra"):
        path = chance.choice(sorted(places(tree), key=repr))
        if how == "value":
            new = chance.choice(ODD)
        elif how == "key":
            new = {}
        else:
            new = {chance.choice(["extra", "repeat", "a", "1"]): chance.choice(ODD)}
        return written(replaced(tree, path, new)).encode("utf-8", "surrogatepass")
    text = bytearray(written(tree), "utf-8", "surrogatepass")
    place = chance.randrange(max(len(text), 1))
    if how == "byte" and text:
        text[place] = chance.randrange(256)
    if how == "cut":
        del text[place:]
    if how == "twice":
        text += b"\n---\n" + text[:place]
    return bytes(text)


NEAR_KEYS = (
    "Semiaudit", "semiaudti", "semiaudit ", "SEMIAUDIT", "semi_audit", "semi-audit", "semiaudits",
    "semaudit", "ｓemiaudit", "semiaudıt", "\ufeffsemiaudit", "sémiaudit", "semiaudit\u200b",
)  # fmt: skip
"""What somebody may have written for the key of a spec."""


SECTIONS = frozenset({"dataspace", "invariants", "adjacency", "mechanism", "releases"})
"""Two of these make a mapping look like a spec."""


def misnamed(chance: Chance, tree: Any) -> bytes:
    """A spec that its own key does not show, though a person would take it for one."""
    rest = {key: value for key, value in tree.items() if key != "semiaudit"}
    text = written(tree)
    if len(SECTIONS & rest.keys()) < 2:
        return text.encode("utf-8", "surrogatepass")
    match chance.choice(["key", "key", "none", "list", "feed", "merge", "16", "32", "blanks"]):
        case "key":
            return written({chance.choice(NEAR_KEYS): 1, **rest}).encode("utf-8", "surrogatepass")
        case "none":
            return written(rest).encode("utf-8", "surrogatepass")
        case "list":
            return written([tree]).encode("utf-8", "surrogatepass")
        case "feed":
            return b"\x0csemiaudit: 1\n" + written(rest)[1:-1].encode("utf-8", "surrogatepass")
        case "merge":
            return b"<<: " + text.encode("utf-8", "surrogatepass") + b"\n"
        case "16":
            return text.encode(chance.choice(["utf-16-le", "utf-16-be"]), "surrogatepass")
        case "32":
            return text.encode(chance.choice(["utf-32", "utf-32-le", "utf-32-be"]), "surrogatepass")
        case _:
            key = chance.choice(["\t", "\u00a0", "\u2028", "  "]) + "semiaudit: 1\n"
            return (key + "dataspace: [}\n").encode()
