"""The matrices of correlated noise in a spec, over the coordinates of its query."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from semiaudit.model.dataspace import TableSpace
from semiaudit.model.mechanism import Rationals
from semiaudit.model.query import Query, width
from semiaudit.spec.matrix import covariance_rows, rational_rows
from semiaudit.spec.spec_place import SpecPlace

MOST_COORDINATES = 128
"""Coordinates of a query whose noise has a matrix, and rows of a basis: what is proven of the
matrix is computed in fractions."""

Matrix = Annotated[
    Any,
    Field(description="rows of numbers over the query's coordinates: a CSV file, or a list"),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "array",
                    "items": {"type": "array", "items": {"type": ["number", "string"]}},
                },
            ]
        }
    ),
]
"""The key of a matrix, as the spec has it: what it holds is read once its query is known."""


def covariance_of(place: SpecPlace, query: Query | None) -> Rationals | None:
    """The covariance matrix of a part, or None with the problems in the document.

    Empty if there is no dataspace to read it against; that problem is reported elsewhere.
    """
    columns = _columns(place, query, "covariance")
    if not columns:
        return () if columns == 0 else None
    queries, path = place.setting.queries, (*place.path, "covariance")
    return covariance_rows(queries.document, queries.files, path, columns)


def basis_of(place: SpecPlace, query: Query | None) -> Rationals | None:
    """The basis of a part, as ``covariance_of``."""
    columns = _columns(place, query, "basis")
    if not columns:
        return () if columns == 0 else None
    queries, path = place.setting.queries, (*place.path, "basis")
    return rational_rows(queries.document, queries.files, path, columns, MOST_COORDINATES)


def _columns(place: SpecPlace, query: Query | None, key: str) -> int | None:
    """How many coordinates the query has; 0 if that is not known, None if too many."""
    space = place.setting.queries.space
    if query is None or not isinstance(space, TableSpace):
        return 0
    coordinates = width(query, space)
    if coordinates > MOST_COORDINATES:
        what = f"is for a query of {coordinates} coordinates"
        place.report((key,), what, f"use at most {MOST_COORDINATES}, or use a support")
        return None
    return coordinates
