"""The query that noise is added to: grammar and reader, which looks up names and checks rows."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema, model_validator

from semiaudit.frozen import dataclass
from semiaudit.model.dataspace import Dataspace, TableSpace
from semiaudit.model.query import MarginsQuery, MatrixQuery, Query, TableQuery
from semiaudit.spec.conditions import names_fit
from semiaudit.spec.matrix import matrix_rows
from semiaudit.spec.scalars import Section, Text, kind_of
from semiaudit.spec.spec_files import SpecFiles
from semiaudit.spec.yaml12 import Path_, Scalar, YamlDocument


@dataclass(frozen=True, slots=True)
class QueryReader:
    """Reads the queries of one spec.

    Attributes:
        files: the files that it may name.
        space: the dataspace, or None if it is not valid.
    """

    document: YamlDocument
    files: SpecFiles
    space: Dataspace | None

    def query_of(self, section: QuerySection, path: Path_) -> Query | None:
        """The query at a path, or None with its problems in the document."""
        if self.space is not None and not self._has_attributes(self.space, path):
            return None
        mark = self.document.mark(path)
        if section.table is not None:
            return TableQuery(mark)
        if section.margins is not None:
            margins = tuple(tuple(names) for names in section.margins)
            good = self._known(margins, (*path, "margins"))
            return MarginsQuery(margins, mark) if good else None
        if section.matrix is None:
            raise ValueError("a query has one of the forms table, margins and matrix")
        columns = self.space.cells if isinstance(self.space, TableSpace) else None
        rows = matrix_rows(self.document, self.files, (*path, "matrix"), columns)
        return None if rows is None else MatrixQuery(*rows, mark)

    def _has_attributes(self, space: Dataspace, path: Path_) -> bool:
        if not isinstance(space, TableSpace):
            what = "needs a table over attributes, but the dataspace lists its datasets"
        elif not space.attributes:
            what = "needs a table over attributes, but the dataspace has no attributes"
        else:
            return True
        remedy = "add dataspace.attributes, or use shifts instead of a query"
        self.document.report(path, what, remedy)
        return False

    def _known(self, margins: tuple[tuple[str, ...], ...], path: Path_) -> bool:
        """Every name is an attribute, once in its margin; every margin is new."""
        before = len(self.document.problems)
        for place, names in enumerate(margins):
            names_fit(self.document, self.space, names, (*path, place))
            if sorted(names) in [sorted(other) for other in margins[:place]]:
                what = "repeats an earlier margin"
                self.document.report((*path, place), what, "list it once, and use repeat")
        return len(self.document.problems) == before


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
