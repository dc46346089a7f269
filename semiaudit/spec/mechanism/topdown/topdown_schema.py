"""The grammar of hierarchical releases: a spine, recodes, queries by name, and their allocation."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from semiaudit.model.topdown import MAIN, TopDown
from semiaudit.spec.mechanism.mechanism_reader import PartSection, SpecPlace
from semiaudit.spec.mechanism.topdown.topdown_reader import topdown_of
from semiaudit.spec.scalars import LARGEST_LOSS, Levels, Number, Section, Text, kind_of, within
from semiaudit.spec.yaml12 import Scalar

MOST_LEVELS = 40
MOST_QUERIES = 500
MOST_RECODES = 500
MOST_GROUPS = 2_000

_PositiveRho = Annotated[Number, AfterValidator(within(0, LARGEST_LOSS, open_low=True))]
_PositiveScale = Annotated[Number, AfterValidator(within(0, 10**6, open_low=True))]
_LEVEL = {"type": ["string", "number", "boolean"]}
_CONDITION = {
    "type": "object",
    "additionalProperties": {"anyOf": [_LEVEL, {"type": "array", "items": _LEVEL}]},
}


def _names(value: object) -> list[object]:
    if isinstance(value, Scalar):
        return [value]
    if isinstance(value, list):
        return value
    raise ValueError(f"{kind_of(value)} is not a list of names; give names of attributes")


Names = Annotated[
    list[Text],
    BeforeValidator(_names),
    WithJsonSchema({"anyOf": [_LEVEL, {"type": "array", "items": _LEVEL}]}),
]


class SpineLevelSection(Section):
    """A level of geography, from the top down."""

    level: Annotated[Text, Field(description="its name, as the allocation writes it")]
    attribute: Annotated[
        Text | None,
        Field(
            description="the attribute of the dataspace whose levels are its units; without it "
            "every unit of the level above holds several units of this one"
        ),
    ] = None
    split: Annotated[
        Levels | None,
        Field(
            description="levels of the attribute whose unit is split in several that the "
            "dataspace does not distinguish; `all` for all of them"
        ),
    ] = None

    @model_validator(mode="after")
    def _of_an_attribute(self) -> SpineLevelSection:
        if self.split is not None and self.attribute is None:
            raise ValueError("split names levels of an attribute, and there is none; give it")
        return self


class RecodeSection(Section):
    """A partition of the levels of one attribute, or of the combinations of several."""

    of: Annotated[Names, Field(min_length=1, description="the attributes that it uses")]
    groups: Annotated[
        list[Any] | None,
        Field(
            min_length=1,
            max_length=MOST_GROUPS,
            description="its groups: lists of levels, with 0..17 for a range of numbered ones, or "
            "conditions on several attributes; the rest is one more group. Leave it out "
            "if the groups are unknown",
        ),
        WithJsonSchema(
            {
                "type": "array",
                "items": {"anyOf": [_LEVEL, {"type": "array", "items": _LEVEL}, _CONDITION]},
            }
        ),
    ] = None


class TopDownQuerySection(Section):
    """A query: what it distinguishes, in which histogram, of which records."""

    tells: Annotated[
        Names,
        Field(description="the attributes and recodes that it distinguishes; [] for the total"),
    ]
    histogram: Annotated[Text, Field(description="the table that it belongs to")] = MAIN
    where: Annotated[
        dict[str, Levels] | None,
        Field(min_length=1, description="which records it counts, instead of all"),
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return {"tells": value} if isinstance(value, list | Scalar) else value


class _OrNames:
    """Says in the JSON Schema what ``TopDownQuerySection`` takes besides: names alone."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        description = "the attributes and recodes that it distinguishes; [] for the total"
        name = {"type": ["string", "number", "boolean"], "description": description}
        names = {"type": "array", "items": name, "description": description}
        return {"anyOf": [handler(schema), name, names], "description": "a query, or its names"}


class TopDownSection(PartSection):
    """Discrete Gaussian noise on queries at every level of a spine of geography."""

    spine: Annotated[
        list[SpineLevelSection],
        Field(min_length=1, max_length=MOST_LEVELS, description="the levels from the top down"),
    ]
    recodes: Annotated[
        dict[str, RecodeSection],
        Field(
            max_length=MOST_RECODES, description="the recodes by name, which queries distinguish"
        ),
    ] = Field(default_factory=dict)
    queries: Annotated[
        dict[str, Annotated[TopDownQuerySection, _OrNames]],
        Field(
            min_length=1,
            max_length=MOST_QUERIES,
            description="by the name that the allocation writes: the attributes and recodes that "
            "each distinguishes",
        ),
    ]
    allocation: Annotated[
        Any,
        Field(
            description="a CSV file, or rows with the heading first: level, query, and "
            "level_share and query_share, or share, or rho; histogram is an optional column"
        ),
        WithJsonSchema(
            {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "array"}}]}
        ),
    ]
    global_scale: Annotated[
        _PositiveScale | None,
        Field(description="with shares: the scale of the noise, so that rho is 1 over its square"),
    ] = None
    rho: Annotated[
        _PositiveRho | None,
        Field(description="of the whole: divided by the shares, or what the rhos add up to"),
    ] = None

    @model_validator(mode="after")
    def _one_scale(self) -> TopDownSection:
        if self.global_scale is not None and self.rho is not None:
            raise ValueError("has both global_scale and rho; leave one out")
        return self

    def part(self, place: SpecPlace) -> TopDown | None:
        """The mechanism, whose names and shares are checked against the dataspace."""
        return topdown_of(self, place)
