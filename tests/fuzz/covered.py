"""What of the schema of specs, and of the command line, some cases use."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import click

from tests.fuzz.cases import Case
from tests.fuzz.options import NOT_HERE, choices, commands, flags, written_as
from tests.places import ROOT

SCHEMA: dict[str, Any] = json.loads((ROOT / "docs" / "spec.schema.json").read_text("utf-8"))
TYPES = {dict: "object", list: "array", str: "string", bool: "boolean"}
FORMS = frozenset({"object", "array", "string"})
"""Types that are forms of their own where a key has several of them; numbers are texts too."""


def of_the_schema() -> set[str]:
    """Every key, every word of a choice, and every form of a key that the schema has."""
    return {found for name, node in _sections() for found in _possible(name, node)}


def _sections() -> Iterator[tuple[str, Any]]:
    yield "spec", SCHEMA
    yield from SCHEMA["$defs"].items()


def _possible(name: str, node: Any) -> Iterator[str]:
    for key, value in node.get("properties", {}).items():
        yield f"{name}.{key}"
        yield from _possible(f"{name}.{key}", value)
    branches = [branch for branch in _branches(node) if branch is not node]
    forms = {form for branch in branches for form in _forms(branch)} & FORMS
    if len(forms) > 1:
        yield from (f"{name} as {form}" for form in forms)
    for branch in branches:
        yield from _possible(name, branch)
    yield from (f"{name} = {word}" for word in node.get("enum", ()))
    for inner in ("items", "additionalProperties"):
        if isinstance(node.get(inner), dict):
            yield from _possible(name, node[inner])


def _branches(node: Any) -> Iterator[Any]:
    """The node, or the ways in which a value may fit it, with references kept."""
    ways = [way for key in ("anyOf", "oneOf") for way in node.get(key, ()) if "required" not in way
            or "type" in way]  # fmt: skip
    if not ways:
        yield node
    for way in ways:
        yield from _branches(way)


def _forms(node: Any) -> set[str]:
    if "$ref" in node:
        return set()
    if "const" in node:
        return {"string"}
    told = node.get("type", ())
    return {told} if isinstance(told, str) else set()


def used(value: Any) -> set[str]:
    """What a spec uses of the schema."""
    return set(_used("spec", SCHEMA, value))


def _used(name: str, node: Any, value: Any) -> Iterator[str]:
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        yield from _used(name, SCHEMA["$defs"][name], value)
        return
    branches = [branch for branch in _branches(node) if branch is not node]
    form = TYPES.get(type(value), "number")
    for branch in branches:
        if "$ref" in branch or form in _allowed(branch):
            yield f"{name} as {form}"
            yield from _used(name, branch, value)
    if value in node.get("enum", ()):
        yield f"{name} = {value}"
    if isinstance(value, dict):
        for key, inner in value.items():
            known = node.get("properties", {}).get(key)
            if known is not None:
                yield f"{name}.{key}"
                yield from _used(f"{name}.{key}", known, inner)
            elif isinstance(node.get("additionalProperties"), dict):
                yield from _used(name, node["additionalProperties"], inner)
    if isinstance(value, list) and isinstance(node.get("items"), dict):
        for inner in value:
            yield from _used(name, node["items"], inner)


def _allowed(node: Any) -> set[str]:
    if "const" in node:
        return {"string"}
    told = node.get("type", ())
    return {told} if isinstance(told, str) else set(told)


def specs_in(cases: Iterable[Case]) -> Iterator[Any]:
    """The specs of some cases, as far as they are whole."""
    for case in cases:
        for name, content in case.files.items():
            if name.endswith((".yaml", ".yml")) and isinstance(content, bytes):
                try:
                    found = json.loads(content)
                except ValueError:
                    continue
                if isinstance(found, dict) and "dataspace" in found:
                    yield found
                elif isinstance(found, dict) and "semiaudit_waivers" in found:
                    yield {"waivers": found["waivers"]}  # the same section, in a file of its own


def of_the_command_line() -> set[str]:
    """Every command, every option, every word of a choice, and every format of a file."""
    found = set()
    for words, command in commands().items():
        told = " ".join(words)
        found.add(told)
        for flag in flags(command):
            if flag in NOT_HERE or flag == "--help":
                continue
            found.add(f"{told} {flag}")
            found |= {f"{told} {flag} {choice}" for choice in choices(command, flag)}
        found |= {f"{told} -o {form}" for form in written_as(words)}
    return found


def given(case: Case) -> Iterator[str]:
    """What of the command line a case uses."""
    for line in case.lines:
        words = next((words for words in commands() if line[: len(words)] == words), None)
        if words is None:
            continue
        told = " ".join(words)
        yield told
        names = _names(commands()[words])
        for place, word in enumerate(line):
            if word in names:
                value = line[place + 1] if place + 1 < len(line) else ""
                yield f"{told} {names[word]}"
                yield f"{told} {names[word]} {value}"
                yield f"{told} -o {value.partition('=')[0]}"


def _names(command: click.Command) -> dict[str, str]:
    """The long name of every option, by each of its names."""
    return {
        name: flag
        for flag, option in flags(command).items()
        for name in (*option.opts, *option.secondary_opts)
    }
