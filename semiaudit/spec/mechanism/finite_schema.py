"""The grammar of finite mechanisms: a law for each dataset or answer, and noise of few values."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from semiaudit.model.mechanism import Finite, FiniteNoise
from semiaudit.spec.mechanism.finite_rows import is_law, laws_of, noise_table, rows_of
from semiaudit.spec.mechanism.mechanism_reader import OptionalNeighbors, PartSection, SpecPlace
from semiaudit.spec.mechanism.mechanism_schema import MOST_SHIFTS, NO_NEIGHBORS
from semiaudit.spec.mechanism.query import QuerySection
from semiaudit.spec.scalars import Number, Whole, within

MOST_VALUES = 1_000
"""Values that noise takes."""

LARGEST_VALUE = 10**9

_ROWS = WithJsonSchema(
    {
        "anyOf": [
            {"type": "string"},
            {"type": "array", "items": {"type": "array", "items": {"type": ["number", "string"]}}},
        ]
    }
)
_LISTED = WithJsonSchema(
    {
        "anyOf": [
            {"const": "datasets"},
            {"type": "array", "items": {"type": ["array", "number", "string", "boolean"]}},
        ]
    }
)
_Value = Annotated[Number, AfterValidator(within(-LARGEST_VALUE, LARGEST_VALUE))]
_Chance = Annotated[Number, AfterValidator(within(0, 1))]


class FiniteSection(PartSection):
    """Finitely many outcomes: a row of probabilities for each dataset, or each answer."""

    rows: Annotated[
        Any,
        Field(
            description="the word datasets: those of the explicit dataspace in their order; or a "
            "list: of datasets, or of answers of the query"
        ),
        _LISTED,
    ] = "datasets"
    probabilities: Annotated[
        Any,
        Field(description="a row for each, of as many numbers as outcomes: a CSV file, or a list"),
        _ROWS,
    ]
    query: QuerySection | None = None

    def part(self, place: SpecPlace) -> Finite | None:
        """The mechanism, of which every dataset or answer of the list has one row."""
        query = None if self.query is None else place.query_of(self.query)
        if query is None and self.query is not None:
            return None
        rows = rows_of(place, query)
        laws = laws_of(place)
        if rows is None or laws is None:
            return None
        if rows and len(rows) != len(laws):
            what = f"has {len(laws)} rows, but rows names {len(rows)}"
            place.report(("probabilities",), what, "give one row for each, in that order")
            return None
        return Finite(rows, laws, query, mark=place.mark)


class FiniteNoiseSection(PartSection):
    """Noise of finitely many values, independent in every coordinate."""

    values: Annotated[
        list[_Value] | None,
        Field(
            min_length=1, max_length=MOST_VALUES, description="the values that the noise can have"
        ),
    ] = None
    probabilities: Annotated[
        list[_Chance] | None, Field(min_length=1, description="of each value; they sum to 1")
    ] = None
    table: Annotated[
        Any,
        Field(
            description="a distribution for each count, as in the cell key method, instead of one "
            "distribution: a "
            "CSV file, or a list of rows; the first row is count and the values, then a row for "
            "each count from 0 on"
        ),
        _ROWS,
    ] = None
    period: Annotated[
        Whole | None,
        Field(description="the number of last rows of the table that repeat for larger counts; 1"),
    ] = None
    query: QuerySection | None = None
    shifts: Annotated[
        list[_Value] | None,
        Field(
            min_length=1,
            max_length=MOST_SHIFTS,
            description="the change of each affected coordinate between neighboring datasets, "
            "instead of a query",
        ),
    ] = None
    neighbors: OptionalNeighbors = None

    @model_validator(mode="after")
    def _one_way(self) -> FiniteNoiseSection:
        given = self.model_fields_set
        if "table" in given and given & {"values", "probabilities"}:
            raise ValueError("has both table and values; give one of them")
        if "table" not in given and not {"values", "probabilities"} <= given:
            raise ValueError("has no distribution; give values and probabilities, or a table")
        if "period" in given and "table" not in given:
            raise ValueError("period is for a table only; remove it")
        if len(given & {"query", "shifts"}) != 1:
            both = {"query", "shifts"} <= given
            what = "has both query and shifts" if both else "has neither query nor shifts"
            raise ValueError(f"{what}; give exactly one, such as query: table")
        if "table" in given and "shifts" in given:
            raise ValueError("a table needs the counts of a query; give a query instead of shifts")
        if self.query is not None and self.neighbors is not None:
            raise ValueError(NO_NEIGHBORS)
        empty = sorted(key for key in given if getattr(self, key) is None)
        if empty:
            raise ValueError(f"{empty[0]} is empty; fill it")
        return self

    def part(self, place: SpecPlace) -> FiniteNoise | None:
        """The noise on its query, or on coordinates that move by its shifts."""
        query = None if self.query is None else place.query_of(self.query)
        if query is None and self.query is not None:
            return None
        if self.values is None or self.probabilities is None:
            table = noise_table(place, query, self.period or 1)
            if table is None:
                return None
            return FiniteNoise(*table, self.period or 1, query=query, mark=place.mark)
        law = tuple(self.probabilities)
        values = tuple(self.values)
        if not is_law(place, values, law):
            return None
        shifts = tuple(self.shifts or ())
        noise = FiniteNoise(values, (law,), query=query, shifts=shifts, mark=place.mark)
        return replace(noise, neighbors=self.neighbors)
