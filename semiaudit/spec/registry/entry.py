"""An entry of the registry, read: every value with its place, or every problem with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from semiaudit.errors import Mark, SpecError
from semiaudit.model.results.registry import PLACEHOLDER, Place, RegistryEntry
from semiaudit.spec.registry.entry_grammar import EntrySection
from semiaudit.spec.registry.values import number_of
from semiaudit.spec.validation import Validation
from semiaudit.spec.yaml12 import (
    Node,
    Scalar,
    YamlDocument,
    parse_document,
    read_file,
    text_of,
    within_size,
)

_UNFILLED = re.compile(rf"\b{PLACEHOLDER}\b")


def load_entry(path: str | Path, text: bytes | None = None) -> RegistryEntry:
    """Read an entry.

    Args:
        text: what the file holds, where it is not to be opened.

    Raises:
        SpecError: it cannot be read, or does not fit the registry's schema; with every problem.
    """
    document, root, content = opened(path, "write one with `semiaudit registry export`", text)
    Validation(document).whole(EntrySection, root)
    raise_problems(document)
    texts: dict[Place, str] = {}
    numbers: dict[Place, Fraction] = {}
    for place, scalar in _scalars(root, ()):
        number = number_of(scalar) if place[-1:] != ("tier",) else None
        if number is None:
            texts[place] = str(scalar)
        else:
            numbers[place] = number
    marks = {tuple(map(str, path)): mark for path, mark in document.marks.items()}
    return RegistryEntry(document.file, texts, numbers, marks, tuple(_placeholders(content)))


def opened(
    path: str | Path, remedy: str, text: bytes | None = None
) -> tuple[YamlDocument, dict[str, Node], str]:
    """A document that is a mapping, the mapping, and the text.

    Raises:
        SpecError: it is none.
    """
    file = str(path)
    data = read_file(path) if text is None else within_size(text, file)
    content = text_of(data, file, remedy)
    document = parse_document(content, file)
    if not isinstance(document.root, dict):
        document.report((), "is not a mapping", remedy)
        raise SpecError(list(document.problems))
    return document, document.root, content


def raise_problems(document: YamlDocument) -> None:
    """Stop where a document has problems.

    Raises:
        SpecError: with all of them.
    """
    if document.problems:
        raise SpecError(list(dict.fromkeys(document.problems)))


def _scalars(node: Node, place: Place) -> Iterator[tuple[Place, Scalar]]:
    if isinstance(node, Scalar):
        yield place, node
    elif isinstance(node, dict):
        for key, value in node.items():
            yield from _scalars(value, (*place, key))
    elif isinstance(node, list):
        for index, item in enumerate(node):
            yield from _scalars(item, (*place, str(index)))


def _placeholders(text: str) -> Iterator[Mark]:
    for number, line in enumerate(text.splitlines(), start=1):
        placeholder = _UNFILLED.search(line)
        if placeholder is not None:
            yield Mark(number, placeholder.start() + 1)
