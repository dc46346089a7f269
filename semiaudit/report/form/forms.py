"""Forms of JSON: the allowed shape of a value in a report, and its construction.

One description of an object gives the JSON Schema that is published and the data that is printed,
so neither has a key that the other lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import attrgetter, itemgetter
from typing import Any, get_args

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric, Reading
from semiaudit.model.audit import BUDGET_MEASURES, LEVELS
from semiaudit.model.bound import CAUSES
from semiaudit.model.frameworks import NAMES
from semiaudit.report.blocks.meanings import with_meaning
from semiaudit.report.blocks.numbers import (
    bound_number,
    from_below,
    number,
    printed_bound,
    printed_rational,
)
from semiaudit.version import __version__

Value = Callable[[Any], Any]


def itself(value: Any) -> Any:
    """Return the value unchanged."""
    return value


@dataclass(frozen=True, slots=True)
class JsonForm:
    """One form of JSON.

    Attributes:
        schema: its JSON Schema.
        of: makes the JSON from a domain object.
        read: makes the domain value from JSON that fits the schema; an object as a dictionary.
    """

    schema: dict[str, Any]
    of: Value = itself
    read: Value = itself

    def read_as(self, made: Value) -> JsonForm:
        """Return the form with a further step of reading: ``made`` turns what it reads into another
        value.
        """
        read = self.read
        return replace(self, read=lambda value: made(read(value)))

    def described(self, description: str) -> JsonForm:
        """Return the form with a description."""
        return replace(self, schema=self.schema | {"description": description})


FIRST, SECOND, THIRD = itemgetter(0), itemgetter(1), itemgetter(2)

Keys = Mapping[str, JsonForm | tuple[JsonForm, str | Value]]
"""Every key of an object with its form and the place of its value: the name of an attribute (or a
dotted path), or a function; by default, the attribute of the key's name."""


def _read(key: str, entry: JsonForm | tuple[JsonForm, str | Value]) -> tuple[JsonForm, Value]:
    form, where = entry if isinstance(entry, tuple) else (entry, key)
    return form, attrgetter(where) if isinstance(where, str) else where


def inside(where: str | Value, keys: Keys) -> Keys:
    """Return keys of an object whose values belong to a part of it."""
    outer = attrgetter(where) if isinstance(where, str) else where

    def behind(value: Value) -> Value:
        return lambda subject: value(outer(subject))

    read = {key: _read(key, entry) for key, entry in keys.items()}
    return {key: (form, behind(value)) for key, (form, value) in read.items()}


def picked(keys: Keys, *names: str) -> Keys:
    """Return some of the keys, in this order."""
    return {name: keys[name] for name in names}


def object_of(keys: Keys, **optional: JsonForm | tuple[JsonForm, str | Value]) -> JsonForm:
    """Make an object with exactly these keys; an optional key is present if its value is true."""
    read = {key: _read(key, entry) for key, entry in keys.items()}
    maybe = {key: _read(key, form) for key, form in optional.items()}

    def of(subject: Any) -> dict[str, Any]:
        shown = read | {key: at for key, at in maybe.items() if at[1](subject)}
        return {key: form.of(value(subject)) for key, (form, value) in shown.items()}

    schema = {
        "type": "object",
        "properties": {
            key: with_meaning(key, form.schema) for key, (form, _) in (read | maybe).items()
        },
        "required": [*read],
        "additionalProperties": False,
    }
    forms = {key: form for key, (form, _) in read.items()}
    return JsonForm(schema, of, lambda value: {key: f.read(value[key]) for key, f in forms.items()})


def list_of(item: JsonForm) -> JsonForm:
    """Make a list of items of one form."""
    return JsonForm(
        {"type": "array", "items": item.schema},
        lambda items: [item.of(element) for element in items],
        lambda values: tuple(map(item.read, values)),
    )


def or_null(form: JsonForm) -> JsonForm:
    """Allow null in addition to a form."""
    return JsonForm(
        {"anyOf": [form.schema, {"type": "null"}]},
        lambda subject: None if subject is None else form.of(subject),
        lambda value: None if value is None else form.read(value),
    )


def refer(name: str, form: JsonForm) -> JsonForm:
    """Refer to a form under ``$defs``."""
    return JsonForm({"$ref": f"#/$defs/{name}"}, form.of, form.read)


def always(constant: object) -> tuple[JsonForm, Value]:
    """Make a constant for any object."""
    return JsonForm({"const": constant}), lambda _: constant


def one_of(*words: object) -> JsonForm:
    """Allow one of some words."""
    return JsonForm({"enum": [*words]})


def plain(text: object) -> object:
    """Return a text as a plain string, for any type of text in the program."""
    return str(text) if isinstance(text, str) else text


_SHARE = {"type": "number", "minimum": 0, "maximum": 1}

TEXT = JsonForm({"type": "string"}, plain)
AS_TEXT = JsonForm(TEXT.schema, str)
TRUTH = JsonForm({"type": "boolean"})
WHOLE = JsonForm({"type": "integer", "minimum": 0})
POSITIVE = JsonForm({"type": "integer", "minimum": 1})
NUMBER = JsonForm({"anyOf": [{"type": "number"}, {"const": "inf"}]}, bound_number, printed_bound)
REAL = JsonForm({"type": "number"})
LIMIT = JsonForm({"type": "number"}, number)
SHARE = JsonForm(_SHARE, bound_number, printed_bound)
DELTA = JsonForm(_SHARE, number, printed_rational)
AT = JsonForm({"type": "number", "minimum": 0}, number, printed_rational)
RATE = JsonForm(_SHARE, lambda type_i: number(type_i, up=False), printed_rational)
METRIC = one_of(*get_args(Metric))
READING = one_of(*get_args(Reading))
FRAMEWORK = one_of(*NAMES)
MEASURE = one_of(*BUDGET_MEASURES)
LEVEL = one_of(*LEVELS)
CONVERSION = one_of(
    "declared",
    "pure",
    "tradeoff_duality",
    "tradeoff_merged",
    "gaussian_exact",
    "cks20",
    "bs16",
    "joint_range",
    "loss_distribution",
    "renyi_curve",
)
POINT: Keys = {
    "delta": DELTA,
    "epsilon": NUMBER.described("upper bound, rounded up"),
    "epsilon_lower": or_null(NUMBER.read_as(from_below)),
    "conversion": CONVERSION,
}
"""An epsilon at a delta."""

TOOL = object_of({"name": always("semiaudit"), "version": (TEXT, lambda _: __version__)}), itself
"""The tool that wrote the document."""
BECAUSE = list_of(one_of(*CAUSES)).described(
    "why some bound is looser than requested; only present if complete is false"
)
"""The reasons why a report is incomplete."""
