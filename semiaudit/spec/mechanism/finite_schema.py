"""The grammar of finite mechanisms: a law for each dataset or answer, and noise of few values.

The tables of finite mechanisms in a spec: which row is whose, and rows that sum to 1 exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from semiaudit.model.dataspace import (
    Dataset,
    Dataspace,
    ListedSpace,
    ProductSpace,
    TableSpace,
    Value,
    holds,
)
from semiaudit.model.mechanism import MOST_TOLERANCE, Finite, FiniteNoise, Rationals, is_law
from semiaudit.model.query import MatrixQuery, Query, width
from semiaudit.numeric.rationals import rational_text
from semiaudit.spec.matrix import RawRow, rows_at
from semiaudit.spec.mechanism.mechanism_reader import OptionalNeighbors, PartSection, SpecPlace
from semiaudit.spec.mechanism.mechanism_schema import MOST_SHIFTS, NO_NEIGHBORS
from semiaudit.spec.mechanism.query import QuerySection
from semiaudit.spec.scalars import Number, Whole, rational, record_value, whole, within
from semiaudit.spec.spec_files import Reporter
from semiaudit.spec.yaml12 import Node, Path_, Scalar

MOST_ROWS = 5_000
MOST_OUTCOMES = 2_000
MOST_ENTRIES = 200_000

DATASETS = "datasets"


def rows_of(place: SpecPlace, query: Query | None) -> tuple[Dataset, ...] | None:
    """The datasets or answers that the rows are of; empty for all datasets in their order.

    None with the problems in the document.
    """
    document, path = place.setting.document, (*place.path, "rows")
    space = place.setting.queries.space
    section = document.at(place.path)
    node: Node = section.get("rows") if isinstance(section, dict) else None
    if query is None and isinstance(space, TableSpace):
        what = (
            "has neither a query nor an explicit dataspace, so the dataset of each row is unknown"
        )
        place.report((), what, "give a query, or use dataspace.product or dataspace.datasets")
        return None
    if node is None or (isinstance(node, Scalar) and node == DATASETS):
        return _all_datasets(place, query)
    if not isinstance(node, list) or not node:
        what = f"is neither the word {DATASETS} nor a list"
        place.report(("rows",), what, "list the dataset or answer of each row of probabilities")
        return None
    before = len(document.problems)
    datasets: list[Dataset] = []
    known: set[Dataset] = set()
    columns = width(query, space) if query and isinstance(space, TableSpace) else None
    for index, item in enumerate(node[: MOST_ROWS + 1]):
        row = _row_of(place, (*path, index), item, whole_numbers=query is not None)
        if row is None:
            continue
        if columns is not None and len(row) != columns:
            what = f"has {len(row)} entries, but the query has {columns} coordinates"
            document.report((*path, index), what, "give one count for each coordinate")
        elif isinstance(space, ProductSpace | ListedSpace) and not holds(space, row):
            document.report(
                (*path, index), "is not a dataset of the dataspace", "correct its records"
            )
        elif row in known:
            document.report((*path, index), "is listed twice", "list each once")
        known.add(row)
        datasets.append(row)
    if len(node) > MOST_ROWS:
        place.report(("rows",), f"has more than {MOST_ROWS} entries", "list fewer")
    elif len(document.problems) == before and len(datasets) < _datasets_in(space):
        # Without a problem, the listed datasets are different and in the dataspace: if they are
        # fewer than it has, one is missing.
        what = f"lists {len(datasets)} of the {_datasets_in(space)} datasets"
        place.report(("rows",), what, "give a row for each dataset")
    return tuple(datasets) if len(document.problems) == before else None


def _all_datasets(place: SpecPlace, query: Query | None) -> tuple[Dataset, ...] | None:
    if query is not None:
        what = "is missing; with a query, each row is for an answer"
        place.report((), f"rows {what}", "list the answers, in the order of probabilities")
        return None
    space = place.setting.queries.space
    if space is None:
        what = "needs the dataset of each of its rows"
        place.report((), what, "list them under rows, or write the section into a spec")
        return None
    return ()


def _datasets_in(space: Dataspace | None) -> int:
    """How many datasets an explicit dataspace has; 0 for a table."""
    return space.count if isinstance(space, ProductSpace | ListedSpace) else 0


def _row_of(place: SpecPlace, path: Path_, item: Node, *, whole_numbers: bool) -> Dataset | None:
    document = place.setting.document
    entries = item if isinstance(item, list) else [item]
    values: list[Value] = []
    for entry in entries:
        try:
            values.append(Fraction(whole(entry)) if whole_numbers else record_value(entry))
        except ValueError as error:
            what, _, remedy = str(error).partition("; ")
            document.report(path, what, remedy)
            return None
    if not values:
        document.report(path, "is empty", "give its entries")
        return None
    return tuple(values)


def laws_of(place: SpecPlace, rtol: Fraction) -> Rationals | None:
    """The rows of probabilities, each of one length and with the sum 1; None with problems."""
    queries, path = place.setting.queries, (*place.path, "probabilities")
    document = queries.document
    before = len(document.problems)
    laws: list[tuple[Fraction, ...]] = []
    columns = 0
    rows = rows_at(document, queries.files, path, "rows of probabilities", "a list of numbers")
    for row in rows:
        if len(laws) >= MOST_ROWS or len(row.cells) > MOST_OUTCOMES:
            what = f"is beyond {MOST_ROWS} rows of {MOST_OUTCOMES} outcomes"
            row.report(what, "give fewer", what)
            return None
        columns = columns or len(row.cells)
        if len(row.cells) != columns:
            what = f"has {len(row.cells)} entries, but the first row has {columns}"
            row.report(what, "give one entry for each outcome in every row", what)
        laws.append(_law(row, row.cells, row.entries, rtol))
    number = _datasets_in(queries.space)
    if number and len(laws) != number and len(document.problems) == before:
        what = f"has {len(laws)} rows, but the dataspace has {number} datasets"
        place.report(("probabilities",), what, "give one row for each, in their order")
    if sum(map(len, laws)) > MOST_ENTRIES:
        place.report(("probabilities",), f"has more than {MOST_ENTRIES} entries", "give fewer")
    return tuple(laws) if len(document.problems) == before else None


def _law(
    row: RawRow, cells: Sequence[object], reporters: Sequence[Reporter], rtol: Fraction
) -> tuple[Fraction, ...]:
    law: list[Fraction] = []
    for cell, report in zip(cells, reporters, strict=True):
        try:
            value = rational(cell)
        except ValueError as error:
            quoted, _, remedy = str(error).partition("; ")
            report("is not a number", remedy, quoted)
            continue
        if not 0 <= value <= 1:
            report("is not a probability", "stay within 0 and 1", f"{value} is not a probability")
        law.append(value)
    if len(law) == len(cells) and min(law, default=-1) >= 0 and not is_law(law, rtol):
        row.report("does not sum to 1", _REMEDY, _total(law))
    return tuple(law)


_REMEDY = "correct it; fractions such as 1/3 are exact, and rtol: 1e-12 accepts rounded ones"


def _total(law: Sequence[Fraction]) -> str:
    return f"sums to {rational_text(sum(law, Fraction(0)))}, not to 1"


def _is_distribution(
    place: SpecPlace, values: tuple[Fraction, ...], law: tuple[Fraction, ...], rtol: Fraction
) -> bool:
    """Whether values and probabilities are a distribution; problems are reported."""
    if len(values) != len(law):
        what = f"has {len(law)} entries, but values has {len(values)}"
        place.report(("probabilities",), what, "give a probability for each value")
    elif len(set(values)) < len(values):
        place.report(("values",), "names a value twice", "name each once")
    elif not is_law(law, rtol):
        place.report(("probabilities",), _total(law), _REMEDY)
    else:
        return True
    return False


def noise_table(
    place: SpecPlace, query: Query | None, period: int, rtol: Fraction
) -> tuple[tuple[Fraction, ...], Rationals] | None:
    """The values, and the law of each count from 0 on; None with the problems in the document."""
    queries, path = place.setting.queries, (*place.path, "table")
    document = queries.document
    before = len(document.problems)
    if isinstance(query, MatrixQuery) and any(k < 0 for row in query.rows for k in row):
        what = "is for counts, but the matrix has negative entries"
        place.report(("table",), what, "use entries of 0 or more")
        return None
    values: tuple[Fraction, ...] = ()
    laws: list[tuple[Fraction, ...]] = []
    expected = "a first row with count and the values, and a row for each count from 0"
    for row in rows_at(document, queries.files, path, expected, "a list of a count and numbers"):
        if not values:
            values = _values(row)
            if not values:
                return None
            continue
        if len(row.cells) != len(values) + 1:
            what = f"has {len(row.cells)} entries, but the first row has {len(values) + 1}"
            row.report(what, "give the count, and a probability for each value", what)
            continue
        _check_count(row, len(laws))
        laws.append(_law(row, row.cells[1:], row.entries[1:], rtol))
        if len(laws) > MOST_ROWS:
            row.report(
                "is beyond the largest number of rows",
                f"give at most {MOST_ROWS}",
                "is beyond the largest number of rows",
            )
            return None
    if not laws and len(document.problems) == before:
        place.report(("table",), "has no counts", "give a row for each count from 0")
    elif not 1 <= period <= len(laws) and len(document.problems) == before:
        what = f"is {period}, but the table has {len(laws)} counts"
        place.report(
            ("period",), what, "use at most the number of counts: so many of the last rows repeat"
        )
    return (values, tuple(laws)) if len(document.problems) == before else None


def _values(row: RawRow) -> tuple[Fraction, ...]:
    """The values in the first row; empty if it is no such row."""
    head = row.cells[0] if row.cells else None
    values: list[Fraction] = []
    for cell, report in zip(row.cells[1:], row.entries[1:], strict=True):
        try:
            values.append(rational(cell))
        except ValueError as error:
            quoted, _, remedy = str(error).partition("; ")
            report("is not a number", remedy, quoted)
            return ()
    if head != "count" or not values or len(set(values)) < len(values):
        what = "is not a first row"
        row.report(what, "write count, and then each value once", what)
        return ()
    return tuple(values)


def _check_count(row: RawRow, expected: int) -> None:
    try:
        count = whole(row.cells[0])
    except ValueError:
        count = -1
    if count != expected:
        what = f"is not the row of the count {expected}"
        row.report(what, "give the counts 0, 1, 2, ... in their order", what)


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
_Tolerance = Annotated[
    Number | None,
    AfterValidator(lambda value: value if value is None else within(0, MOST_TOLERANCE)(value)),
    Field(
        description="the relative tolerance within which each probability is right; without it, "
        "probabilities are exact. What is missing in a sum is added to delta"
    ),
]


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
    rtol: _Tolerance = None

    def part(self, place: SpecPlace) -> Finite | None:
        """The mechanism, of which every dataset or answer of the list has one row."""
        query = None if self.query is None else place.query_of(self.query)
        if query is None and self.query is not None:
            return None
        rows = rows_of(place, query)
        rtol = self.rtol or Fraction(0)
        laws = laws_of(place, rtol)
        if rows is None or laws is None:
            return None
        if rows and len(rows) != len(laws):
            what = f"has {len(laws)} rows, but rows names {len(rows)}"
            place.report(("probabilities",), what, "give one row for each, in that order")
            return None
        return Finite(rows, laws, query, rtol, mark=place.mark)


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
    rtol: _Tolerance = None

    @model_validator(mode="after")
    def _one_way(self) -> FiniteNoiseSection:
        keys = self.model_fields_set
        if "table" in keys and keys & {"values", "probabilities"}:
            raise ValueError("has both table and values; give one of them")
        if "table" not in keys and not {"values", "probabilities"} <= keys:
            raise ValueError("has no distribution; give values and probabilities, or a table")
        if "period" in keys and "table" not in keys:
            raise ValueError("period is for a table only; remove it")
        if len(keys & {"query", "shifts"}) != 1:
            both = {"query", "shifts"} <= keys
            what = "has both query and shifts" if both else "has neither query nor shifts"
            raise ValueError(f"{what}; give exactly one, such as query: table")
        if "table" in keys and "shifts" in keys:
            raise ValueError("a table needs the counts of a query; give a query instead of shifts")
        if self.query is not None and self.neighbors is not None:
            raise ValueError(NO_NEIGHBORS)
        empty = sorted(key for key in keys if getattr(self, key) is None)
        if empty:
            raise ValueError(f"{empty[0]} is empty; fill it")
        return self

    def part(self, place: SpecPlace) -> FiniteNoise | None:
        """The noise on its query, or on coordinates that move by its shifts."""
        query = None if self.query is None else place.query_of(self.query)
        if query is None and self.query is not None:
            return None
        rtol = self.rtol or Fraction(0)
        if self.values is None or self.probabilities is None:
            table = noise_table(place, query, self.period or 1, rtol)
            if table is None:
                return None
            return FiniteNoise(*table, self.period or 1, rtol, query=query, mark=place.mark)
        law = tuple(self.probabilities)
        values = tuple(self.values)
        if not _is_distribution(place, values, law, rtol):
            return None
        shifts = tuple(self.shifts or ())
        noise = FiniteNoise(values, (law,), rtol=rtol, query=query, shifts=shifts, mark=place.mark)
        return replace(noise, neighbors=self.neighbors)
