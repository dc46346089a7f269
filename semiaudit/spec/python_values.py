"""Plain Python values as a document, for specs that are written in a program and not in a file.

A number is its own text, so that nothing is rounded on the way: an int, a Fraction and a Decimal
exactly, a float by the shortest decimal that names it, as YAML would read it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from semiaudit.errors import NOWHERE, Problem, SpecError
from semiaudit.model.bound import Bound
from semiaudit.model.data_source import HELD, HeldTable
from semiaudit.numeric.rationals import MAX_NUMBER_LENGTH
from semiaudit.spec.scalars import is_plain_whole, rational
from semiaudit.spec.yaml12 import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_NODES,
    HeldScalar,
    Node,
    Path_,
    Scalar,
    YamlDocument,
    path_text,
)

_TABLES = {("data", "table"), ("data", "records")}
_LONGEST = 10**MAX_NUMBER_LENGTH
_TOO_LONG = "9" * (MAX_NUMBER_LENGTH + 1)
_REMEDY = "write an int, a float, a Fraction, a Decimal or a text"
_EXACT = "use its `.value`, the exact number without the direction of rounding"


@dataclass(slots=True)
class _Room:
    nodes: int = MAX_NODES
    characters: int = MAX_BYTES


def document_of_values(values: object, file: str) -> YamlDocument:
    """A document with the paths of all values, and no lines.

    Args:
        values: a mapping of words to numbers, words, truth values, None, sequences and mappings;
            also what has a method ``to_mapping``, ``tolist``, or ``to_list``, such as an array; a
            table or records can also be anything with an Arrow stream.
        file: what stands for its name in messages.

    Raises:
        SpecError: it is too large, or too deep, as it is where a mapping holds itself.
    """
    document = YamlDocument(file)
    document.root = _node(values, (), document, _Room())
    return document


def document_of_nodes(root: Node, file: str) -> YamlDocument:
    """Make a document of nodes of other documents."""
    document = YamlDocument(file)
    waiting: list[tuple[Path_, Node]] = [((), root)]
    while waiting:
        path, node = waiting.pop()
        document.marks[path] = document.key_marks[path] = NOWHERE
        if isinstance(node, dict):
            waiting += [((*path, key), below) for key, below in node.items()]
        elif isinstance(node, list):
            waiting += [((*path, place), below) for place, below in enumerate(node)]
    document.root = root
    return document


def node_of_values(values: object, file: str, key: str) -> Node:
    """Return the node of one section. Problems name its key.

    Raises:
        SpecError: something in it is no value of a spec.
    """
    document = YamlDocument(file)
    node = _node(values, (key,), document, _Room())
    if document.problems:
        raise SpecError(list(document.problems))
    return node


def values_of_node(node: Node) -> object:
    """Plain Python values again: whole numbers as int, what was quoted or is a word as text.

    Another number stays its text, which names it exactly.
    """
    if isinstance(node, dict):
        return {key: values_of_node(below) for key, below in node.items()}
    if isinstance(node, list):
        return [values_of_node(below) for below in node]
    if node is None:
        return None
    if isinstance(node, HeldScalar):
        return node.held.table
    return int(node) if is_plain_whole(node) else str(node)


def bytes_of_node(node: Node) -> bytes:
    """One text for all ways to write the same document, to be digested."""
    return json.dumps(_tagged(node), sort_keys=True, ensure_ascii=True).encode()


def _tagged(node: Node) -> object:
    if isinstance(node, dict):
        return {key: _tagged(below) for key, below in node.items()}
    if isinstance(node, list):
        return [_tagged(below) for below in node]
    return None if node is None else [str(node), node.plain]


def _node(value: object, path: Path_, document: YamlDocument, room: _Room) -> Node:
    room.nodes -= 1
    if room.nodes < 0:
        raise _beyond(document, path, f"has more than {MAX_NODES} values", "publish margins")
    if len(path) > MAX_DEPTH:
        raise _beyond(document, path, f"is nested deeper than {MAX_DEPTH} levels", "flatten it")
    document.marks[path] = document.key_marks[path] = NOWHERE
    if value is None:
        return None
    if path in _TABLES and hasattr(type(value), "__arrow_c_stream__"):
        try:
            return HeldScalar(HeldTable(value))
        except ValueError as error:
            what, _, remedy = str(error).partition("; ")
            document.report(path, what, remedy)
            return Scalar(HELD, plain=False)
    if isinstance(value, Mapping):
        return _mapping(value, path, document, room)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return [_node(item, (*path, place), document, room) for place, item in enumerate(value)]
    scalar = _scalar(value)
    for method in ("to_mapping", "tolist", "to_list"):
        if scalar is None and callable(plainer := getattr(value, method, None)):
            return _node(plainer(), path, document, room)
    if scalar is None:
        document.report(
            path, f"is a {type(value).__name__}, which no spec can contain", _remedy(value)
        )
        return None
    room.characters -= len(scalar)
    if room.characters < 0:
        raise _beyond(document, path, "has more than 1 MB", "publish margins instead")
    return scalar


def _mapping(
    value: Mapping[object, object], path: Path_, document: YamlDocument, room: _Room
) -> dict[str, Node]:
    mapping: dict[str, Node] = {}
    for key, below in value.items():
        name = _scalar(key) if isinstance(key, str | int) else None
        if name is None:
            document.report(path, "has a key that is not a word", "use a text as the key")
        elif name in mapping:
            document.report((*path, str(name)), "is a duplicate key", "keep one of them")
        else:
            mapping[str(name)] = _node(below, (*path, str(name)), document, room)
    return mapping


def _scalar(value: object) -> Scalar | None:
    if isinstance(value, Scalar):
        return value
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        return Scalar(str(value), plain=False)
    if isinstance(value, bool):
        return Scalar("true" if value else "false", plain=True)
    if isinstance(value, int):
        return Scalar(int.__repr__(value) if abs(value) < _LONGEST else _TOO_LONG, plain=True)
    if isinstance(value, float):
        return Scalar(_finite(float.__repr__(value)), plain=True)
    if isinstance(value, Decimal):
        return Scalar(_finite(str(value)), plain=True)
    if isinstance(value, Fraction):
        long = max(abs(value.numerator), value.denominator) >= _LONGEST
        return Scalar(_TOO_LONG if long else str(value), plain=True)
    return None


def _remedy(value: object) -> str:
    return _EXACT if isinstance(value, Bound) else _REMEDY


def _finite(text: str) -> str:
    """Write a non-finite number as YAML does, so that it is refused in the same way."""
    word = text.lower().lstrip("+-")
    if word.startswith("inf"):
        return f"{'-' * text.startswith('-')}.inf"
    return ".nan" if "nan" in word else text


def _beyond(document: YamlDocument, path: Path_, message: str, remedy: str) -> SpecError:
    return SpecError([Problem(document.file, 0, 0, path_text(path[:3]), message, remedy)])


def exact_number(value: int | float | str | Fraction | Decimal) -> Fraction:
    """The number that a value names, as a spec would read it.

    Raises:
        ValueError: it names none, or is out of range; the message says which.
    """
    scalar = None if isinstance(value, bool) else _scalar(value)
    if scalar is None and callable(listed := getattr(value, "tolist", None)):
        scalar = _scalar(listed())
    if scalar is None:
        raise ValueError(f"{type(value).__name__} is not a number; {_remedy(value)}")
    return rational(scalar)
