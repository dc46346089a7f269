"""Sections of a spec's grammar whose modules are loaded when a spec has them."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Generic, TypeVar, get_args

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from semiaudit.spec.scalars import Section

Place = TypeVar("Place")


class OnDemand(Generic[Place]):
    """The type of a key whose section is in another module: ``OnDemand[Literal["module.Name"]]``.

    The value of the key is the section itself. What the section rejects is reported as if it were
    the type of the key, and so is its schema.
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
    module, _, name = place.partition(".")
    section: type[Section] = getattr(import_module(f"semiaudit.spec.{module}"), name)
    return section
