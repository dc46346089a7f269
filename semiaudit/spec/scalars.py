"""The types of a spec's values: sections, exact numbers, whole numbers, words, levels."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from typing import Annotated, Any, Generic, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from semiaudit.model.dataspace import Level, Value
from semiaudit.numeric.rationals import rational_from_text, shortest_float
from semiaudit.spec.yaml12 import NON_FINITE, Scalar

LARGEST_SIZE = 10**15
LARGEST_LEVELS = 10**9
LARGEST_REPEAT = 10**9
LARGEST_LOSS = 10_000
LEAST_SCALE = Fraction(1, 10**6)
LARGEST_SCALE = 10**12
LARGEST_MU = 100
LARGEST = Fraction(10) ** 300

_WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,199})")
_NUMERIC = re.compile(
    r"(?![-+]?0[0-9]+$)[-+]?(?:[0-9.]+(?:[eE][-+]?[0-9]+)?|[0-9]+\s*/\s*[0-9]+)|0[ox][0-9a-fA-F]+"
)
_WITH_COMMAS = re.compile(r"\s*[-+]?[0-9]+(,[0-9]+)+([.eE][-+0-9eE]*)?\s*")
_BASED = re.compile(r"0o[0-7]{1,60}|0x[0-9a-fA-F]{1,60}")
_NUMBER_PATTERN = r"^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$|^[-+]?[0-9]+ */ *[0-9]+$"


def rational(value: object) -> Fraction:
    """A number, quoted or not, exactly."""
    if not isinstance(value, Scalar):
        raise ValueError(f"{kind_of(value)} is not a number; give one, such as 2.56 or 1/3")
    if value.plain and value in NON_FINITE:
        raise ValueError(f"{value} is not a finite number; give a number")
    if value.plain and _BASED.fullmatch(value):
        return Fraction(int(value, 0))
    try:
        number = rational_from_text(value)
    except ValueError as error:
        remedy = "give a number such as 2.56, 1e-10 or 1/3"
        if _WITH_COMMAS.fullmatch(value):
            remedy = without_commas(value)
        raise ValueError(f"{shown(value)} {error}; {remedy}") from None
    if abs(number) > LARGEST or 0 < abs(number) < 1 / LARGEST:
        raise ValueError(f"{shown(value)} is out of range; stay between 1e-300 and 1e300")
    return number


def without_commas(text: str) -> str:
    """Return the remedy for a number with a decimal comma, or with separators of thousands."""
    text = text.strip()
    head, *groups = re.split(r"[,.eE]", text)
    thousands = "." in text or text.count(",") > 1
    if thousands:
        return f"write {text.replace(',', '')} without separators"
    if len(groups[0]) == 3 and 0 < len(head.lstrip("+-")) <= 3 and head.lstrip("+-") != "0":
        forms = text.replace(",", ""), text.replace(",", ".")
        return f"write {forms[0]} without separators, or {forms[1]} with a decimal point"
    return f"write {text.replace(',', '.')} with a decimal point"


def whole(value: object) -> int:
    """A whole number."""
    if isinstance(value, Scalar) and len(value) <= 18 and value.isascii() and value.isdigit():
        return int(value)
    number = rational(value)
    if number.denominator != 1:
        raise ValueError(f"{shown(value)} is not a whole number; give one, such as 500")
    return number.numerator


def word(value: object) -> str:
    """Text that is not empty."""
    if not isinstance(value, Scalar):
        raise ValueError(f"{kind_of(value)} is not text; give a word")
    if not value.strip():
        raise ValueError("is empty; give a word")
    if not value.isprintable():
        raise ValueError("contains a control character or a line break; remove it")
    return str(value)


def level(value: object) -> Level:
    """The name of a level: a plain whole number, or a word, such as a code with leading zeros."""
    text = word(value)
    return int(text) if is_plain_whole(value) else text


def is_plain_whole(value: object) -> bool:
    """Return whether a value is a plain whole number whose digits the number alone gives back."""
    return isinstance(value, Scalar) and value.plain and _WHOLE.fullmatch(value) is not None


def record_value(value: object) -> Value:
    """A record of an explicit dataspace: a number if it is plain and reads as one, or a word."""
    text = word(value)
    if isinstance(value, Scalar) and value.plain and _NUMERIC.fullmatch(text):
        return rational(value)
    return text


def levels(value: object) -> tuple[Level, ...]:
    """The texts of one level or a list of them; ``condition_of`` finds what they name."""
    if isinstance(value, list):
        if not value:
            raise ValueError("is an empty list; name a level")
        return tuple(word(item) for item in value)
    return (word(value),)


def kind_of(value: object) -> str:
    """Name the kind of a node."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, list) else shown(value)


def shown(value: object) -> str:
    """A value as an error message quotes it, cut if it is long."""
    text = str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _decimal(number: Fraction | int) -> str:
    nearest = shortest_float(Fraction(number))
    if nearest is None:
        return str(number)
    return repr(nearest).removesuffix(".0").replace("e+", "e").replace("e-0", "e-")


def within(
    low: Fraction | int, high: Fraction | int, *, open_low: bool = False, open_high: bool = False
) -> Callable[[Any], Any]:
    """A validator of a range; the message names the range."""

    def check(number: Any) -> Any:
        too_low = number <= low if open_low else number < low
        too_high = number >= high if open_high else number > high
        if too_low or too_high:
            left = "above" if open_low else "at least"
            right = "below" if open_high else "at most"
            value, least, most = (shown(_decimal(one)) for one in (number, low, high))
            raise ValueError(f"{value} is out of range; give {left} {least} and {right} {most}")
        return number

    return check


_NUMBER_SCHEMA = WithJsonSchema(
    {"anyOf": [{"type": "number"}, {"type": "string", "pattern": _NUMBER_PATTERN}]}
)
_WHOLE_SCHEMA = WithJsonSchema({"type": "integer"})
_TEXT_SCHEMA = WithJsonSchema({"type": ["string", "number", "boolean"]})
_LEVEL_SCHEMA = {"type": ["string", "number", "boolean"]}

Number = Annotated[Fraction, BeforeValidator(rational), _NUMBER_SCHEMA]
Loss = Annotated[Number, AfterValidator(within(0, LARGEST_LOSS)), _NUMBER_SCHEMA]
Scale = Annotated[Number, AfterValidator(within(LEAST_SCALE, LARGEST_SCALE))]
Mu = Annotated[Number, AfterValidator(within(0, LARGEST_MU)), _NUMBER_SCHEMA]
Share = Annotated[Number, AfterValidator(within(0, 1)), _NUMBER_SCHEMA]
ShareBelowOne = Annotated[Number, AfterValidator(within(0, 1, open_high=True)), _NUMBER_SCHEMA]
OpenShare = Annotated[
    Number, AfterValidator(within(0, 1, open_low=True, open_high=True)), _NUMBER_SCHEMA
]
Whole = Annotated[int, BeforeValidator(whole), _WHOLE_SCHEMA]
Count = Annotated[Whole, AfterValidator(within(0, LARGEST_SIZE)), _WHOLE_SCHEMA]
Size = Annotated[Whole, AfterValidator(within(1, LARGEST_SIZE)), _WHOLE_SCHEMA]
Repeat = Annotated[Whole, AfterValidator(within(1, LARGEST_REPEAT)), _WHOLE_SCHEMA]
Text = Annotated[str, BeforeValidator(word), _TEXT_SCHEMA]
Levels = Annotated[
    tuple[Level, ...],
    BeforeValidator(levels),
    WithJsonSchema({"anyOf": [_LEVEL_SCHEMA, {"type": "array", "items": _LEVEL_SCHEMA}]}),
]
RecordValue = Annotated[Value, BeforeValidator(record_value), WithJsonSchema(_LEVEL_SCHEMA)]


class Section(BaseModel):
    """A mapping that knows all its keys."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        arbitrary_types_allowed=True,
        defer_build=True,
        protected_namespaces=(),  # no key is asked whether it is like a method's name
    )


def choice(*names: str) -> Any:
    """A validator of a word that must be one of a few."""

    def check(value: object) -> str:
        if not isinstance(value, Scalar) or value not in names:
            raise ValueError(f"{kind_of(value)} is not one of {', '.join(names)}; choose one")
        return str(value)

    return BeforeValidator(check)


Place = TypeVar("Place")


class OnDemand(Generic[Place]):
    """The type of a key whose section is in another module: ``OnDemand[Literal["module.Name"]]``.

    The value of the key is the section itself. Its errors and its schema are those of a key that
    has the section as its type.
    """

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate a value with the section."""
        (place,) = get_args(get_args(source)[0])

        def validated(value: Any) -> Section:
            return _section(place).model_validate(value)

        return core_schema.no_info_plain_validator_function(validated, ref=f"{place}:")

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Describe the section, under its own name."""
        section = _section(schema["ref"].removesuffix(":"))
        section.model_rebuild()
        return handler.resolve_ref_schema(handler(section.__pydantic_core_schema__))


def _section(place: str) -> type[Section]:
    module, _, name = place.rpartition(".")
    section: type[Section] = getattr(import_module(f"semiaudit.spec.{module}"), name)
    return section
