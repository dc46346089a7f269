"""The grammar of the data section: where t comes from, and what columns stand for."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, InstanceOf, WithJsonSchema

from semiaudit.frozen import dataclass
from semiaudit.model.data_source import COUNT
from semiaudit.spec.scalars import RecordValue, Section, Text, kind_of, rational, word
from semiaudit.spec.yaml12 import Scalar


@dataclass(frozen=True, slots=True)
class ColumnRole:
    """What a column stands for: an attribute, or where ``is_count`` the counts of a table.

    Without an ``attribute`` the column has the attribute's name. ``bins`` are from and to.
    """

    attribute: str | None
    is_count: bool
    bins: dict[str, tuple[Fraction | None, Fraction | None]]


def _column(value: object) -> ColumnRole:
    if isinstance(value, Scalar):
        name = word(value)
        return ColumnRole(name, name == COUNT, {})
    if not isinstance(value, dict):
        raise ValueError(
            f"{kind_of(value)} is not an attribute; give its name, or {{attribute, bins}}"
        )
    unknown = [key for key in value if key not in ("attribute", "bins")]
    if unknown or not value:
        what = f"{unknown[0]} is not a known key" if unknown else "is empty"
        raise ValueError(f"{what}; known are attribute, bins")
    attribute = word(value["attribute"]) if "attribute" in value else None
    bins = value.get("bins", {})
    if not isinstance(bins, dict) or ("bins" in value and not bins):
        raise ValueError("bins is not a mapping; write {level: [from, to]}")
    return ColumnRole(attribute, False, {key: _interval(key, pair) for key, pair in bins.items()})


def _interval(key: str, value: object) -> tuple[Fraction | None, Fraction | None]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"the bin {key} is not a pair; write [from, to], null for no end")
    low, high = (None if end is None else rational(end) for end in value)
    if low is not None and high is not None and low > high:
        raise ValueError(f"the bin {key} ends before it begins; write [from, to]")
    return low, high


_END_SCHEMA = {"anyOf": [{"type": "number"}, {"type": "string"}, {"type": "null"}]}

Columns = Annotated[
    dict[
        str,
        Annotated[
            InstanceOf[ColumnRole],
            BeforeValidator(_column),
            WithJsonSchema(
                {
                    "anyOf": [
                        {
                            "type": ["string", "number", "boolean"],
                            "description": "an attribute, or `count` for the counts of a table",
                        },
                        {
                            "type": "object",
                            "additionalProperties": False,
                            "minProperties": 1,
                            "properties": {
                                "attribute": {
                                    "type": ["string", "number", "boolean"],
                                    "description": "the attribute; without it the column's name",
                                },
                                "bins": {
                                    "type": "object",
                                    "description": "for each level, the "
                                    "first and the last number of "
                                    "its bin; null for no limit",
                                    "minProperties": 1,
                                    "additionalProperties": {
                                        "type": "array",
                                        "minItems": 2,
                                        "maxItems": 2,
                                        "items": _END_SCHEMA,
                                    },
                                },
                            },
                        },
                    ]
                }
            ),
        ],
    ],
    Field(min_length=1),
]


class DataSection(Section):
    """The published values t; without them, a(t) is the largest over all t."""

    counts: Annotated[Any, Field(description="the table, nested in the order of attributes")] = None
    margins: Annotated[
        dict[str, Any] | None,
        Field(description="the published counts of each margin, by its attributes"),
    ] = None
    table: Annotated[
        Text | None, Field(description="a CSV or Parquet file of attributes and `count`")
    ] = None
    records: Annotated[
        Text | None, Field(description="microdata in a CSV or Parquet file, a row a record")
    ] = None
    engine: Annotated[
        Text | None, Field(description="the URL of an engine that holds the table or records")
    ] = None
    columns: Annotated[
        Columns | None,
        Field(description="columns of the table or records, and the attribute or count of each"),
    ] = None
    dataset: Annotated[
        list[RecordValue] | None, Field(description="one dataset of an explicit dataspace")
    ] = None
