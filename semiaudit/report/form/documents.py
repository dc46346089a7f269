"""Documents: the answer of a command for programs, declared once.

One ``Document`` gives the JSON of an answer, its JSON Schema, and its CSV.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any

from semiaudit.frozen import dataclass
from semiaudit.report.form.forms import JsonForm, Keys, object_of
from semiaudit.report.text.shield import cell, json_text
from semiaudit.schemas import DIALECT, described
from semiaudit.version import schema_address


@dataclass(frozen=True, slots=True)
class Document:
    """The output of a command for programs.

    Attributes:
        name: of the schema, as ``semiaudit schema`` lists it.
        title, description: of the schema.
        form: the whole answer.
        defined: the forms under ``$defs``.
        csv: the answer as CSV; None if it has none.
    """

    name: str
    title: str
    description: str
    form: JsonForm
    defined: Mapping[str, JsonForm] = field(default_factory=dict)
    csv: Callable[[Any], str] | None = None

    def plain(self, answer: Any) -> dict[str, Any]:
        """Return the answer as plain data, which fits the schema."""
        record: dict[str, Any] = self.form.of(answer)
        return record

    def text(self, answer: Any) -> str:
        """Return the answer as JSON: the same answer gives the same bytes."""
        return json_text(self.plain(answer))

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the answer."""
        return described(
            {
                "$schema": DIALECT,
                "$id": schema_address(self.name),
                "title": self.title,
                "description": self.description,
                "$defs": {key: form.schema for key, form in self.defined.items()},
                **self.form.schema,
            }
        )


def rows_of(items: Callable[[Any], Iterable[Any]], columns: Keys) -> Callable[[Any], str]:
    """Return the CSV of an answer that has a row for each item.

    Args:
        items: the items of an answer.
        columns: the columns in their order; each form is a text, a number, or a truth value.
    """
    row = object_of(columns)

    def csv_of(answer: Any) -> str:
        return csv_text(columns, (map(cell_of, row.of(item).values()) for item in items(answer)))

    return csv_of


def csv_text(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return CSV: the header, and a line for each row."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue()


def cell_of(value: str | float | None) -> str:
    """Return a value of JSON as a cell. A text that a spreadsheet would evaluate is quoted."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return cell(value)
    return "" if value is None else str(value)
