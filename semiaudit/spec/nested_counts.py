"""Counts nested by attribute, as lists or by the names of the levels."""

from __future__ import annotations

from collections.abc import Sequence

from semiaudit.model.dataspace import Attribute
from semiaudit.spec.scalars import LARGEST_SIZE, kind_of, whole
from semiaudit.spec.yaml12 import Document, Path_


def flat_counts(
    document: Document, path: Path_, attributes: Sequence[Attribute]
) -> list[int] | None:
    """Nested counts as a row-major list; every fault of shape or value is reported."""
    before = len(document.problems)
    result: list[int] = []
    _collect(document, path, document.at(path), attributes, result)
    return result if len(document.problems) == before else None


def check_count(document: Document, path: Path_, node: object) -> None:
    """Report a count that is none."""
    _collect(document, path, node, (), [])


def _collect(
    document: Document,
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
        document.report(path, f"is {what} where {need}", "give one entry a level, in order")
        return
    for index, item in enumerate(node):
        _collect(document, (*path, index), item, rest, result)


def _collect_named(
    document: Document,
    path: Path_,
    node: dict[str, object],
    attributes: Sequence[Attribute],
    result: list[int],
) -> None:
    """Counts by the names of the levels."""
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
        document.report(path, what, "give every level its count, 0 included")
        return
    for index in range(attribute.size):
        key = keys[index]
        _collect(document, (*path, key), node[key], attributes[1:], result)
