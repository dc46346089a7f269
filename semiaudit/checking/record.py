"""Frozen dataclasses as plain JSON data and back, without a loss: for journals and processes.

Nothing is executed when a record is read, so a journal may come from a file.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import date
from fractions import Fraction
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


def text_of_record(value: object) -> str:
    """One line of JSON: dataclasses as lists of their fields, rationals as texts."""
    return json.dumps(_plain(value), separators=(",", ":"), allow_nan=False)


def record_of_text(kind: type[T], text: str | bytes) -> T:
    """The record that a line holds.

    Raises:
        ValueError: it holds no such record.
    """
    try:
        return cast(T, _reader(cast(Any, kind))(json.loads(text)))
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except (TypeError, KeyError, ZeroDivisionError, AttributeError) as error:
        raise ValueError(f"no {kind.__name__}: {error}") from None


def _plain(value: object) -> object:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Fraction):
        return f"{value.numerator:x}/{value.denominator:x}"
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return [_plain(getattr(value, field.name)) for field in fields(value)]
    raise TypeError(f"{type(value).__name__} has no place in a record")


def _number(text: str) -> Fraction | float:
    numerator, slash, denominator = text.partition("/")
    if slash:
        return Fraction(int(numerator, 16), int(denominator, 16))
    return float.fromhex(text)


def _simple(kind: type) -> Callable[[Any], Any]:
    def read(plain: Any) -> Any:
        if type(plain) is not kind:
            raise TypeError(f"{plain!r} is no {kind.__name__}")
        return plain

    return read


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Literal:
        return _one_of(frozenset(inside))
    if origin in (Union, types.UnionType):
        return _optional_or_number(inside)
    if origin is tuple:
        return _tuple(inside)
    if kind in (Fraction, float):
        return _number
    if kind is date:
        return date.fromisoformat
    if is_dataclass(kind):
        return _dataclass(kind)
    return _simple(kind)


def _one_of(words: frozenset[Any]) -> Callable[[Any], Any]:
    def read(plain: Any) -> Any:
        if plain not in words:
            raise TypeError(f"{plain!r} is none of {sorted(words)}")
        return plain

    return read


def _optional_or_number(inside: tuple[Any, ...]) -> Callable[[Any], Any]:
    kinds = [kind for kind in inside if kind is not type(None)]
    read = _number if set(kinds) <= {Fraction, float} else _reader(kinds[0])
    if len(kinds) > 1 and read is not _number:
        raise TypeError(f"{inside} cannot be distinguished")
    if len(kinds) == len(inside):
        return read
    return lambda plain: None if plain is None else read(plain)


def _tuple(inside: tuple[Any, ...]) -> Callable[[Any], Any]:
    if inside[-1] is Ellipsis:
        item = _reader(inside[0])
        return lambda plain: tuple([item(part) for part in plain])
    items = [_reader(kind) for kind in inside]
    return lambda plain: tuple([r(part) for r, part in zip(items, plain, strict=True)])


def _dataclass(kind: Any) -> Callable[[Any], Any]:
    hints = get_type_hints(kind)
    readers = [_reader(hints[field.name]) for field in fields(kind)]

    def read(plain: Any) -> Any:
        if not isinstance(plain, list):
            raise TypeError(f"{plain!r} is no {kind.__name__}")
        return kind(*[r(part) for r, part in zip(readers, plain, strict=True)])

    return read
