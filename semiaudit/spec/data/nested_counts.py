"""Counts nested by attribute, as lists or by the names of the levels, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import Attribute
from semiaudit.spec.scalars import LARGEST_SIZE, kind_of, whole
from semiaudit.spec.yaml12 import Node, Path_, Scalar, YamlDocument


@dataclass(frozen=True, slots=True)
class Nesting:
    """Where nested counts stand, and in which order of attributes they are nested.

    Attributes:
        path: of the outermost list or mapping.
        attributes: from the outermost to the innermost.
        in_spec: the spec tells the order.
    """

    path: Path_
    attributes: tuple[Attribute, ...]
    in_spec: bool


def table_of(document: YamlDocument, path: Path_) -> Path_:
    """Return the counts themselves: with an ``order``, they are under ``table``."""
    node = document.at(path)
    if isinstance(node, dict) and "order" in node and node.keys() <= {"order", "table"}:
        return (*path, "table")
    return path


def nesting_of(
    document: YamlDocument, path: Path_, attributes: Sequence[Attribute]
) -> Nesting | None:
    """Return the order in which counts are nested; None, with the problem reported, if it is wrong.

    A mapping of ``order`` and ``table`` tells it, unless the first attribute has such levels.
    Without it the counts are nested in the order of the attributes.
    """
    inner = table_of(document, path)
    if inner == path or None not in attributes[0].indices(["order", "table"]):
        return Nesting(path, tuple(attributes), in_spec=False)
    order, known = document.at((*path, "order")), {one.name: one for one in attributes}
    names = [str(name) for name in order] if isinstance(order, list) else []
    if sorted(names) != sorted(known) or not all(isinstance(n, Scalar) for n in order or ()):
        what = "is not an order of the attributes"
        document.report((*path, "order"), what, f"list each of {', '.join(known)} once")
        return None
    if inner[-1] not in (document.at(path) or {}):
        document.report(path, "has an order, but no table", "add `table`: the nested counts")
        return None
    return Nesting(inner, tuple(known[name] for name in names), in_spec=True)


def fits_another_order(node: Node, attributes: Sequence[Attribute]) -> bool:
    """Whether counts that are nested in one order have the shape of another one too.

    Then there are two attributes that can be exchanged: with as many levels, and with levels of
    the same names if a level of nesting goes by names.
    """
    named = [False] * len(attributes)
    layer: list[Node] = [node]
    for depth in range(len(attributes)):
        named[depth] = any(isinstance(one, dict) for one in layer)
        layer = [
            inner
            for one in layer
            if isinstance(one, list | dict)
            for inner in (one if isinstance(one, list) else one.values())
        ]
    return any(
        first.size == second.size
        and (not (named[i] or named[j]) or _names(first) == _names(second))
        for (i, first), (j, second) in combinations(enumerate(attributes), 2)
        if first.size > 1
    )


def _names(attribute: Attribute) -> set[str]:
    return {str(attribute.label(index)) for index in range(attribute.size)}


def flat_counts(
    document: YamlDocument, path: Path_, attributes: Sequence[Attribute]
) -> list[int] | None:
    """Nested counts as a row-major list; every fault of shape or value is reported."""
    before = len(document.problems)
    result: list[int] = []
    _collect(document, path, document.at(path), attributes, result)
    return result if len(document.problems) == before else None


def check_count(document: YamlDocument, path: Path_, node: object) -> None:
    """Report a count that is none."""
    _collect(document, path, node, (), [])


def _collect(
    document: YamlDocument,
    path: Path_,
    node: object,
    attributes: Sequence[Attribute],
    result: list[int],
) -> None:
    if not attributes:
        try:
            number = whole(node)
            if number < 0:
                raise ValueError(f"{number} is negative; a count is at least 0")
            if number > LARGEST_SIZE:
                raise ValueError(f"{number} is too large; a count is at most {LARGEST_SIZE}")
            result.append(number)
        except ValueError as error:
            message, _, remedy = str(error).partition("; ")
            document.report(path, message, remedy)
        return
    attribute, rest = attributes[0], attributes[1:]
    if isinstance(node, dict):
        _collect_named(document, path, node, attributes, result)
        return
    if not isinstance(node, list) or len(node) != attribute.size:
        what = f"a list of {len(node)}" if isinstance(node, list) else kind_of(node)
        need = f"{attribute.name} has {attribute.size} levels"
        document.report(path, f"is {what}, but {need}", "give one entry for each level, in order")
        return
    for index, item in enumerate(node):
        _collect(document, (*path, index), item, rest, result)


def _collect_named(
    document: YamlDocument,
    path: Path_,
    node: dict[str, object],
    attributes: Sequence[Attribute],
    result: list[int],
) -> None:
    attribute = attributes[0]
    indices = attribute.indices(node)
    keys = dict(zip(indices, node, strict=True))
    unknown = [key for index, key in zip(indices, node, strict=True) if index is None]
    for key in unknown:
        what = f"{key} is not a level of {attribute.name}"
        document.report((*path, key), what, "name one of its levels", key=True)
    if unknown:
        return
    if len(keys) != attribute.size:
        what = f"names {len(keys)} of the {attribute.size} levels of {attribute.name}"
        document.report(path, what, "give a count for each level, even if it is 0")
        return
    for index in range(attribute.size):
        key = keys[index]
        _collect(document, (*path, key), node[key], attributes[1:], result)
