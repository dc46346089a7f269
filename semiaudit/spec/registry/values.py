"""The scalars of an entry, with the types that the registry's own reader gives them.

The registry reads its files as YAML 1.1, where ``2021-08-12`` is a date, ``no`` a truth value,
``1e-10`` a text and ``12:30`` a number. Such a value does not fit a field of text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from functools import cache
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from semiaudit.numeric.rationals import rational_from_text
from semiaudit.spec.scalars import kind_of, shown
from semiaudit.spec.yaml12 import Scalar

_TAG = "tag:yaml.org,2002:"
_NUMBERS = ("int", "float")
_WORDS = {
    "int": "a number",
    "float": "a number",
    "bool": "a truth value",
    "timestamp": "a date",
    "null": "nothing",
}
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@cache
def _resolver() -> Callable[..., str]:
    resolve: Callable[..., str] = yaml.resolver.Resolver().resolve
    return resolve


def type_of(value: Scalar) -> str:
    """Return the YAML 1.1 type of a scalar: ``str``, ``int``, ``float``, ``bool``, ..."""
    if not value.plain:
        return "str"
    return _resolver()(yaml.ScalarNode, str(value), (True, False)).removeprefix(_TAG)


def number_of(value: Scalar) -> Fraction | None:
    """The number that a valid scalar is to the registry, exactly; None if it is text."""
    return _number(value) if type_of(value) in _NUMBERS else None


def _text(value: object) -> str:
    if not isinstance(value, Scalar):
        raise ValueError(f"{kind_of(value)} is not text; write text, or leave the key out")
    kind = type_of(value)
    if kind != "str":
        what = f"{shown(value)} is {_WORDS.get(kind, 'not text')} in the registry, not text"
        raise ValueError(f"{what}; put it in quotes")
    return str(value)


def _number(value: object) -> Fraction:
    if not isinstance(value, Scalar):
        raise ValueError(f"{kind_of(value)} is not a number; give one, such as 2.56")
    if type_of(value) not in _NUMBERS:
        what = f"{shown(value)} is text in the registry, not a number"
        raise ValueError(f"{what}; write it without quotes, as 2.56 or 1.0e-10")
    try:
        return rational_from_text(value)
    except ValueError as error:
        raise ValueError(f"{shown(value)} {error}; write it as 2.56 or 1.0e-10") from None


def _number_or_text(value: object) -> Fraction | str:
    is_number = isinstance(value, Scalar) and type_of(value) in _NUMBERS
    return _number(value) if is_number else _text(value)


def _day(text: str) -> str:
    try:
        is_date = bool(_DATE.fullmatch(text)) and bool(date.fromisoformat(text))
    except ValueError:
        is_date = False
    if not is_date:
        raise ValueError(f"{shown(text)} is not a date; write it as '2027-01-31', in quotes")
    return text


def maybe(description: str = "") -> Any:
    """A key that may be left out; given, it is of its kind and not null."""
    return Field(default=None, description=description)


def among(*words: str) -> Callable[[str], str]:
    """A validator of a text that is one of a few."""

    def check(text: str) -> str:
        if text not in words:
            raise ValueError(f"{shown(text)} is not one of {', '.join(words)}; choose one")
        return text

    return check


def _tier(value: object) -> int:
    number = _number(value)
    if number not in (1, 2, 3):
        raise ValueError(f"{shown(value)} is not a tier; give 1, 2 or 3")
    return int(number)


Text = Annotated[str, BeforeValidator(_text), WithJsonSchema({"type": "string"})]
Day = Annotated[Text, AfterValidator(_day), WithJsonSchema({"type": "string", "format": "date"})]
Texts = Annotated[list[Text], Field(min_length=1)]
Number = Annotated[Fraction, BeforeValidator(_number), WithJsonSchema({"type": "number"})]
NumberOrText = Annotated[
    Fraction | str,
    BeforeValidator(_number_or_text),
    WithJsonSchema({"type": ["number", "string"]}),
]
Tier = Annotated[int, BeforeValidator(_tier), WithJsonSchema({"enum": [1, 2, 3]})]
