"""The location of the confidential data from which t is counted, and an audit's access to it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass

SourceKind = Literal["table", "records"]

COUNT = "count"
"""The column of a table that holds the counts, unless the spec names another one."""


@dataclass(frozen=True, slots=True)
class Bin:
    """All numbers from ``low`` to ``high``, both included, are one level; None: no end.

    Attributes:
        level: the place of the level among those of its attribute, from 0.
    """

    level: int
    low: Fraction | None
    high: Fraction | None


@dataclass(frozen=True, slots=True)
class DataColumn:
    """The meaning of a column of the data.

    Attributes:
        name: as the data have it.
        attribute: the attribute that it holds; None for the counts of a table.
        bins: disjoint; numbers in them are levels. Levels without a bin are found by their text.
    """

    name: str
    attribute: str | None
    bins: tuple[Bin, ...] = ()


HELD = "<table>"
"""The place of a table that Python holds, instead of the name of a file."""


class HeldTable:
    """A table that Python holds: its Arrow stream, read once, or a table of Ibis.

    Attributes:
        table: a table of pyarrow; or of Ibis, which its engine counts.
        in_engine: whether it is a table of Ibis.
    """

    __slots__ = ("in_engine", "table")

    def __init__(self, table: Any) -> None:
        """Read the Arrow stream of a table.

        Raises:
            ValueError: it has none that can be read, or pyarrow is not installed.
        """
        self.in_engine = type(table).__module__.startswith("ibis.") and hasattr(table, "columns")
        self.table = table if self.in_engine else _read(table)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HeldTable):
            return NotImplemented
        return self.in_engine == other.in_engine and bool(self.table.equals(other.table))

    def __hash__(self) -> int:
        return hash(self.in_engine)

    def __str__(self) -> str:
        return HELD


def _read(table: Any) -> Any:
    try:
        from pyarrow import RecordBatchReader

        return RecordBatchReader.from_stream(table).read_all()
    except ImportError:
        raise ValueError("reading a table needs pyarrow; pip install pyarrow") from None
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - libraries raise errors of every kind
        what = f"{type(table).__name__} is not a table of Arrow ({type(error).__name__})"
        raise ValueError(f"{what}; give a table whose columns have one type each") from None


@dataclass(frozen=True, slots=True)
class DataSource:
    """A table of counts or microdata: in a file, in an engine, or held by Python.

    Attributes:
        kind: ``table`` has a row a cell and a column of counts, ``records`` a row a record.
        place: the path of a file as the spec writes it, or the table's name.
        engine: the connection URL of an engine, or None if ``place`` is a file.
        mark: where the spec says so.
        folder: the spec's own, which paths are relative to.
        columns: what the spec says of columns; the others are attributes by their own names.
        held: the table that Python holds, if it is one.
    """

    kind: SourceKind
    place: str
    engine: str | None = None
    mark: Mark = NOWHERE
    folder: str = ""
    columns: tuple[DataColumn, ...] = ()
    held: HeldTable | None = None

    @property
    def count(self) -> str:
        """The name of the column of counts; empty if a row is a record."""
        if self.kind == "records":
            return ""
        return next((column.name for column in self.columns if column.attribute is None), COUNT)

    def columns_of(self, attributes: Sequence[str]) -> list[DataColumn]:
        """The column that holds each attribute."""
        by_attribute = {column.attribute: column for column in self.columns}
        return [by_attribute.get(name) or DataColumn(name, name) for name in attributes]


FILE_ENGINES = ("duckdb", "sqlite")
"""Engines that read a database file in this process."""

SERVER_ENGINES = (
    "bigquery",
    "clickhouse",
    "databricks",
    "exasol",
    "impala",
    "mssql",
    "mysql",
    "oracle",
    "postgres",
    "risingwave",
    "singlestoredb",
    "snowflake",
    "trino",
)
"""Engines that run elsewhere: nothing but their client runs in this process."""

ENGINES = (*FILE_ENGINES, *SERVER_ENGINES)


def engine_named(scheme: str) -> str:
    """The engine that the scheme of a URL names; empty if it is none that we know."""
    name = "postgres" if scheme == "postgresql" else scheme
    return name if name in ENGINES else ""


@dataclass(frozen=True, slots=True)
class Access:
    """The files and engines that the caller of an audit allows its spec to read.

    Attributes:
        root: a folder in which files may lie that specs name; empty for each spec's own alone.
        engines: the schemes of the URLs of engines that specs may read from, in order.
        show_values: whether messages quote values of data files and of engines.
    """

    root: str = ""
    engines: tuple[str, ...] = ()
    show_values: bool = False

    def __post_init__(self) -> None:
        named = {scheme: engine_named(scheme) for scheme in self.engines}
        unknown = [scheme for scheme, name in named.items() if not name]
        if unknown:
            raise ValueError(f"no engine {unknown[0]!r}; known are {', '.join(ENGINES)}")
        object.__setattr__(self, "engines", tuple(sorted(set(named.values()))))


CONFINED = Access()
"""The spec's own folder, no engine, no value in a message."""
