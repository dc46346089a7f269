"""A spec's text with another mechanism: all other lines stay as they are, comments too."""

from __future__ import annotations

import json
import re
from typing import Any

from semiaudit.errors import Problem, SpecError
from semiaudit.spec.drafts.draft import scalar
from semiaudit.spec.yaml12 import Node, YamlDocument, parse_document

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")

REPLACED = ("design", "mechanism")
"""The top-level sections whose place the new one takes."""


def with_mechanism(text: str, file: str, section: dict[str, Any]) -> str:
    """The text of a spec in which a section states the mechanism.

    Args:
        text: a spec that holds a mechanism or a design. file: its name, for messages.
        section: plain values: mappings, lists, whole numbers and texts.

    Raises:
        SpecError: the section does not begin a line of its own, as where the whole spec is written
            in braces.
    """
    document = parse_document(text, file)
    root = document.root if isinstance(document.root, dict) else {}
    key = next((key for key in REPLACED if key in root), None)
    lines = text.splitlines()
    if key is None or not _begins_a_line(document, key, lines):
        what = "has no mechanism or design that begins a line of its own"
        raise SpecError([Problem(file, 0, 0, "", what, "write each section on lines of its own")])
    first = document.mark((key,), key=True).line - 1
    starts = [document.mark((other,), key=True).line - 1 for other in root]
    last = min((start for start in starts if start > first), default=len(lines))
    while last > first + 1 and _says_nothing(lines[last - 1]):
        last -= 1
    changed = "\n".join([*lines[:first], *_lines_of(section), *lines[last:]]) + "\n"
    _check(changed, file, root)
    return changed


def _check(text: str, file: str, before: dict[str, Node]) -> None:
    """Every other section must be what it was."""
    after = parse_document(text, file).root
    if not isinstance(after, dict) or _others(after) != _others(before):
        what = "cannot be rewritten without changes in its other sections"
        raise SpecError([Problem(file, 0, 0, "", what, "write each section on lines of its own")])


def _others(root: dict[str, Node]) -> dict[str, Node]:
    return {key: node for key, node in root.items() if key not in REPLACED}


def _begins_a_line(document: YamlDocument, key: str, lines: list[str]) -> bool:
    mark = document.mark((key,), key=True)
    is_first = 0 < mark.line <= len(lines) and mark.column == 1
    return is_first and lines[mark.line - 1].startswith((f"{key}:", f'"{key}"', f"'{key}'"))


def _says_nothing(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _lines_of(section: dict[str, Any]) -> list[str]:
    lines = ["mechanism:"]
    for kind, parameters in section.items():
        lines.append(f"  {scalar(kind)}:")
        lines += [f"    {scalar(key)}: {_flow(value)}" for key, value in parameters.items()]
    return lines


def _flow(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(key)}: {_flow(v)}" for key, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, str):
        return value if _NUMBER.fullmatch(value) else scalar(value)
    return json.dumps(value)
