"""The grammar of a query, which noise is added to."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema, model_validator

from semiaudit.spec.grammar import Section
from semiaudit.spec.scalars import Text, kind_of
from semiaudit.spec.yaml12 import Scalar


class QuerySection(Section):
    """The query that noise is added to: ``table``, or a mapping with exactly one of these keys."""

    table: Literal[True] | None = None
    margins: Annotated[
        list[Annotated[list[Text], Field(min_length=1)]] | None,
        Field(min_length=1, description="lists of attributes: counts of all level combinations"),
    ] = None
    matrix: Annotated[
        Any,
        Field(description="whole-number rows over all cells, row-major: a CSV file, or a list"),
        WithJsonSchema(
            {
                "anyOf": [
                    {"type": "string"},
                    {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
                ]
            }
        ),
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _one_form(cls, value: object) -> object:
        forms = "write table, {margins: [[...]]} or {matrix: file.csv}"
        if isinstance(value, Scalar) and value == "table":
            return {"table": True}
        if not isinstance(value, dict):
            raise ValueError(f"{kind_of(value)} is not a query; {forms}")
        if len(value) != 1 or "table" in value:
            raise ValueError(f"needs exactly one form; {forms}")
        (form,) = value
        if value[form] is None:
            raise ValueError(f"{form} is empty; {forms}")
        return value
