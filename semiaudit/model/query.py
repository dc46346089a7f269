"""What a mechanism with known noise counts before it adds the noise."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import assert_never

from semiaudit.model.dataspace import TableSpace
from semiaudit.model.source import NOWHERE, Mark


@dataclass(frozen=True, slots=True)
class TableQuery:
    """The whole table: one count a cell."""

    mark: Mark = NOWHERE

    def __str__(self) -> str:
        return "table"


@dataclass(frozen=True, slots=True)
class MarginsQuery:
    """The counts of every combination of levels, for several sets of attributes."""

    margins: tuple[tuple[str, ...], ...]
    mark: Mark = NOWHERE

    def __str__(self) -> str:
        return f"margins {', '.join('[' + ', '.join(names) + ']' for names in self.margins)}"


@dataclass(frozen=True, slots=True)
class MatrixQuery:
    """Integer rows over the cells of the table, row-major in the order of the attributes."""

    rows: tuple[tuple[int, ...], ...]
    name: str = "matrix"
    mark: Mark = NOWHERE

    def __str__(self) -> str:
        return self.name


Query = TableQuery | MarginsQuery | MatrixQuery


def width(query: Query, space: TableSpace) -> int:
    """How many coordinates the answer has.

    They are the cells of the table (structural zeros too) or of each margin in turn, row-major in
    the order of the dataspace's attributes, or the rows of the matrix.
    """
    match query:
        case TableQuery():
            return space.cells
        case MarginsQuery():
            sizes = [attribute.size for attribute in space.attributes]
            return sum(
                prod(sizes[space.position(name)] for name in names) for names in query.margins
            )
        case MatrixQuery():
            return len(query.rows)
        case _:
            assert_never(query)
