"""An entry as YAML: texts in quotes or as blocks, so that no reader takes one for something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from math import isfinite
from typing import assert_never

from semiaudit.model.registry import PLACEHOLDER, Node, Placeholder
from semiaudit.spec.draft import quoted

_STEP = "  "


def entry_text(entry: Mapping[str, Node], remark: str) -> str:
    """An entry as the registry's files have it.

    Args:
        remark: a line of comment above it.

    Raises:
        ValueError: a number is not finite.
    """
    return "".join(f"{line}\n" for line in [f"# {remark}", *_mapping(entry, "")])


def _mapping(node: Mapping[str, Node], indent: str) -> Iterator[str]:
    for key, value in node.items():
        match value:
            case Placeholder():
                yield f"{indent}{key}: {quoted(value.value)}  # {PLACEHOLDER}: {value.remark}"
            case str():
                yield from _text(key, value, indent)
            case int() | float():
                yield f"{indent}{key}: {_number(value)}"
            case dict():
                yield f"{indent}{key}:"
                yield from _mapping(value, indent + _STEP)
            case list():
                yield f"{indent}{key}:"
                yield from (f"{indent}{_STEP}- {quoted(item)}" for item in value)
            case _:
                assert_never(value)


def _text(key: str, text: str, indent: str) -> Iterator[str]:
    """Several lines as a block, which a reader gets back with a line break at the end."""
    lines = text.split("\n")
    plain = all(line.isprintable() and line == line.rstrip() for line in lines)
    if len(lines) == 1 or not plain or not lines[0] or lines[0][0] == " " or lines[-1]:
        yield f"{indent}{key}: {quoted(text)}"
        return
    yield f"{indent}{key}: |"
    yield from (f"{indent}{_STEP}{line}" if line else "" for line in lines[:-1])


def _number(value: float) -> str:
    """A number that readers of YAML 1.1 and of 1.2 take for the same one.

    Raises:
        ValueError: it is not finite.
    """
    if isinstance(value, int):
        return str(value)
    if not isfinite(value):
        raise ValueError(f"{value} is no number that an entry can have")
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    if not isinstance(exponent, int):
        raise ValueError(f"{value} is no number that an entry can have")
    if -20 < exponent <= 0 or 0 <= exponent < 20:
        text = format(Decimal(repr(value)), "f")
        return text if "." in text else f"{text}.0"
    shown = "".join(map(str, digits))
    power = exponent + len(shown) - 1
    return f"{'-' * sign}{shown[0]}.{shown[1:] or '0'}e{'-' if power < 0 else '+'}{abs(power)}"
