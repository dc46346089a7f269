"""An entry as YAML: texts in quotes or as blocks, which no reader takes for something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Context, Decimal, Inexact, localcontext
from fractions import Fraction
from typing import assert_never

from semiaudit.model.results.registry import PLACEHOLDER, Node, Placeholder
from semiaudit.spec.drafts.draft import quoted

_STEP = "  "

_DIGITS = 400
"""The most digits of a number."""

_PLAIN = 20
"""Numbers below 10 to this power, and not too small, are written without an exponent."""


def entry_text(entry: Mapping[str, Node], remark: str) -> str:
    """An entry as the registry's files have it.

    Args:
        remark: a line of comment above it.

    Raises:
        ValueError: a number has no finite decimal form.
    """
    return "".join(f"{line}\n" for line in [f"# {remark}", *_mapping(entry, "")])


def _mapping(node: Mapping[str, Node], indent: str) -> Iterator[str]:
    for key, value in node.items():
        match value:
            case Placeholder():
                yield f"{indent}{key}: {quoted(value.value)}  # {PLACEHOLDER}: {value.remark}"
            case str():
                yield from _text(key, value, indent)
            case int() | Fraction():
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
    lines = text.split("\n")
    plain = all(line.isprintable() and line == line.rstrip() for line in lines)
    if len(lines) == 1 or not plain or not lines[0] or lines[0][0] == " " or lines[-1]:
        yield f"{indent}{key}: {quoted(text)}"
        return
    yield f"{indent}{key}: |"
    yield from (f"{indent}{_STEP}{line}" if line else "" for line in lines[:-1])


def _number(value: int | Fraction) -> str:
    """A number that readers of YAML 1.1 and of 1.2 take for the same one, exactly."""
    if isinstance(value, int):
        return str(value)
    with localcontext(Context(prec=_DIGITS, traps=[Inexact])):
        try:
            exact = Decimal(value.numerator) / Decimal(value.denominator)
        except Inexact:
            raise ValueError(f"{value} has no finite decimal form") from None
    sign, digits, _ = exact.as_tuple()
    power = exact.adjusted()
    if -_PLAIN < power < _PLAIN:
        text = format(exact, "f")
        return text if "." in text else f"{text}.0"
    shown = "".join(map(str, digits))
    return f"{'-' * sign}{shown[0]}.{shown[1:] or '0'}e{'-' if power < 0 else '+'}{abs(power)}"
