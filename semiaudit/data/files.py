"""Files and Arrow tables, read by an embedded DuckDB without access to anything else.

Parsing the text of a CSV file itself: its header, its faults, the lines of its rows.

Counting does not use this module; only the header and error messages do.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semiaudit.data.column import FileColumn, identifier, literal
from semiaudit.data.data_faults import MOST_PROBLEMS, DataFault, data_error, no_lines
from semiaudit.data.query_interrupts import interruptible
from semiaudit.data.sql import SqlReader
from semiaudit.errors import SpecError, raise_full_memory
from semiaudit.model.data_source import CONFINED, HELD, Access, DataSource, HeldTable
from semiaudit.paths import opened, wrong_kind
from semiaudit.private_folders import private_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


_LONGEST_HEADER = 1 << 20
_UTF8 = "save it as UTF-8"


def header_of(path: Path) -> list[str]:
    """Return the names of the columns in the first record of a CSV file.

    Raises:
        SpecError: the file has no such record, or cannot be read.
    """
    name = str(path)
    with _still_there(path) as file:
        start = file.read(_LONGEST_HEADER)
    if start.startswith(b"PAR1"):
        raise data_error(
            name, [DataFault("is a Parquet file", "rename it so that its name ends in .parquet")]
        )
    if b"\0" in start:
        raise data_error(
            name, [DataFault("contains NUL bytes, as UTF-16 and binary files do", _UTF8)]
        )
    try:
        text = start.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start < len(start) - 3 or len(start) < _LONGEST_HEADER:
            line = start.count(b"\n", 0, error.start) + 1
            raise data_error(name, [DataFault("is not UTF-8", _UTF8, line=line)]) from None
        text = start[: error.start].decode("utf-8-sig")
    try:
        header = next(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (StopIteration, csv.Error):
        header = []
    if not header:
        what = "does not begin with the names of the columns"
        finding = DataFault(what, "write them in the first line, separated by commas", line=1)
        raise data_error(name, [finding])
    if len(header) == 1 and any(mark in header[0] for mark in ";\t|"):
        finding = DataFault("does not separate its columns by commas", "use commas", line=1)
        raise data_error(name, [finding])
    return header


@contextmanager
def _still_there(path: Path) -> Iterator[BufferedReader]:
    """Open the file for reading; it was checked before, and can have been replaced since."""
    try:
        stream = opened(path)
    except OSError as error:
        what = f"cannot be read ({error.strerror}), though it was there before"
        raise data_error(
            str(path), [DataFault(what, "wait until no program changes it, and audit again")]
        ) from None
    with stream:
        yield stream


def faults_of(path: Path, width: int) -> tuple[list[DataFault], int]:
    """Return the first faults in the form of a CSV file, and how many more there are.

    Args:
        path: a file that can be read and has a header.
        width: the number of columns in its header.
    """
    findings: list[DataFault] = []
    more = 0
    ends: set[str] = set()
    try:
        for line, row in _records(path, width, ends):
            fault = _fault(row, width)
            if fault and len(findings) < MOST_PROBLEMS:
                findings.append(DataFault(*fault, line=line))
            elif fault:
                more += 1
    except _BrokenRecordError as broken:
        message = f"is not a CSV record ({broken})"
        findings.append(
            DataFault(
                message,
                "put values that contain quotes in quotes, and double the quotes inside",
                line=broken.line,
            )
        )
    if not findings and len(ends) > 1:
        return [DataFault("mixes different line endings", "use the same line ending everywhere")], 0
    return findings, more


def lines_of_rows(path: Path, width: int, rows: Collection[int]) -> Mapping[int, int]:
    """Return the lines at which some data rows begin, as far as known.

    Args:
        path: a file that can be read and has a header.
        width: the number of columns in its header.
        rows: numbers of data rows, from 1.
    """
    lines: dict[int, int] = {}
    last = max(rows, default=0)
    try:
        for row, (line, _) in enumerate(_records(path, width, set()), start=1):
            if row > last:
                break
            if row in rows:
                lines[row] = line
    except _BrokenRecordError:
        pass
    return lines


class _BrokenRecordError(Exception):
    def __init__(self, error: csv.Error, line: int) -> None:
        self.line = line
        super().__init__(str(error))


def _fault(row: list[str], width: int) -> tuple[str, str] | None:
    if len(row) != width:
        what = f"has {len(row)} value{'' if len(row) == 1 else 's'} where the header has {width}"
        return what, "add or remove values; values with commas need quotes"
    if not "".join(row).isprintable() and any("\udc80" <= c <= "\udcff" for c in "".join(row)):
        return "is not UTF-8", _UTF8
    return None


def _records(path: Path, width: int, ends: set[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the data rows with the lines at which they begin; ``ends`` collects the line ends."""
    with (
        _still_there(path) as stream,
        io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="") as file,
    ):
        current = ""

        def lines() -> Iterator[str]:
            nonlocal current
            while current := file.readline():
                yield current

        reader = csv.reader(lines(), strict=True)
        line, header = 1, True
        try:
            for row in reader:
                end = current[len(current.rstrip("\r\n")) :]
                ends |= {end} if end else set()
                if (row or width == 1) and not header:
                    yield line, row or [""]
                line, header = reader.line_num + 1, False
        except csv.Error as error:
            raise _BrokenRecordError(error, line) from error


MEMORY = "512MB"
MOST_THREADS = 16
_PATTERN_CHARACTERS = frozenset("*?[")


@contextmanager
def opened_file(source: DataSource, folder: Path, access: Access = CONFINED) -> Iterator[SqlReader]:
    """Open a reader of a CSV or Parquet file, for the duration of the context.

    Args:
        source: a data source without an engine.
        folder: the base folder of its path.
        access: whether messages can quote values of the file.

    Raises:
        SpecError: there is no such file, it cannot be read, its kind is unknown, or DuckDB is not
            installed.
    """
    path = folder / source.place
    form = _form(path)
    count = source.count
    with _confined(path) as (connection, address):
        if form == ".csv":
            yield _csv_reader(connection, path, address, count, access.show_values)
        else:
            yield _parquet_reader(connection, path, address, count, access.show_values)


@contextmanager
def opened_held(held: HeldTable, count: str, access: Access = CONFINED) -> Iterator[SqlReader]:
    """Open a reader of an Arrow table that Python holds, for the duration of the context.

    Raises:
        SpecError: a type cannot be read, or DuckDB is not installed.
    """

    def failed(reason: str) -> SpecError:
        return _unreadable(HELD, "a table of Arrow", reason, access.show_values)

    columns = [f"c{i}" for i in range(held.table.num_columns)]
    with _started(HELD) as (connection, _):
        # Filters are DuckDB's own: those of pyarrow treat NaN in another way.
        connection.execute("SET disabled_optimizers = 'filter_pushdown'")
        _confine(connection, [])
        connection.register("held", held.table.rename_columns(columns))
        reader = SqlReader(
            connection, "held", [], HELD, access.show_values, count, failed, no_lines
        )
        described = reader.fetched("DESCRIBE SELECT * FROM held")
        for name, (unique, form, *_) in zip(held.table.column_names, described, strict=True):
            reader.known.append(FileColumn(name, str(unique), str(form)))
        yield reader


def rows_of_file(path: Path, access: Access = CONFINED) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the names of the columns of a CSV or Parquet file, and all its rows.

    Raises:
        SpecError: it cannot be read.
    """
    form = _form(path)
    with _confined(path) as (connection, address):
        import duckdb

        scan = "read_csv" if form == ".csv" else "read_parquet"
        try:
            found = connection.execute(f"SELECT * FROM {scan}({literal(address)})")
            names = [str(column[0]) for column in found.description or ()]
            return names, found.fetchall()
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0]
            raise _unreadable(path, form, reason, access.show_values) from None


def settings(spill: str) -> dict[str, str | bool | int | float | list[str]]:
    """Return the settings of every DuckDB: limits, a private folder for spills, no network."""
    return {
        "memory_limit": MEMORY,
        "temp_directory": spill,
        "extension_directory": spill,
        "threads": str(min(os.cpu_count() or 1, MOST_THREADS)),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "allow_persistent_secrets": "false",
        "python_enable_replacements": "false",
    }


def start_duckdb(spill: str) -> DuckDBPyConnection:
    """Start a DuckDB in memory.

    Raises:
        OSError: it cannot start, for example because the process may open no more files.
        MemoryError: there is not enough memory.
    """
    import duckdb

    try:
        return duckdb.connect(":memory:", config=settings(spill))
    except duckdb.Error as error:
        raise_full_memory(error)
        raise OSError(None, f"DuckDB cannot start: {str(error).partition(chr(10))[0]}") from None


def _form(path: Path) -> str:
    form = path.suffix.lower()
    try:
        if not path.exists():
            finding = DataFault("there is no such file", "correct the path")
        elif path.is_dir():
            finding = DataFault("is a directory", "name a file in it")
        elif wrong := wrong_kind(path):
            finding = DataFault(str(wrong.strerror), wrong.remedy)
        elif form not in {".csv", ".parquet"}:
            what = "its name does not end in .csv or .parquet"
            finding = DataFault(what, "convert the data to CSV or Parquet")
        elif path.stat().st_size == 0:
            finding = DataFault("is empty", "add a header and rows")
        else:
            with opened(path):
                return form
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        finding = DataFault(f"cannot be read ({why})", "correct the path or its permissions")
    raise data_error(str(path), [finding])


@contextmanager
def _confined(path: Path) -> Iterator[tuple[DuckDBPyConnection, str]]:
    """Open a DuckDB that can read only one file, and return the file's address."""
    with _started(str(path)) as (connection, private):
        address = _address(path, private)
        _confine(connection, [address])
        yield connection, address


@contextmanager
def _started(where: str) -> Iterator[tuple[DuckDBPyConnection, Path]]:
    """Open a DuckDB, and return the folder of its own files."""
    try:
        import duckdb  # noqa: F401
    except ModuleNotFoundError:
        remedy = "pip install 'semiaudit[data]'"
        raise data_error(where, [DataFault("reading it needs DuckDB", remedy)]) from None
    with private_folder() as private:
        spill = Path(private) / "spill"
        spill.mkdir()
        try:
            database = start_duckdb(str(spill))
        except OSError as error:
            finding = DataFault(f"cannot be read ({error.strerror})", "close files or programs")
            raise data_error(where, [finding]) from None
        with database as connection, interruptible(connection.interrupt):
            yield connection, Path(private)


def _confine(connection: DuckDBPyConnection, files: list[str]) -> None:
    connection.execute(f"SET allowed_paths = [{', '.join(map(literal, files))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _address(path: Path, private: Path) -> str:
    real = path.resolve()
    if _PATTERN_CHARACTERS.isdisjoint(str(real)):
        return str(real)
    link = private / f"data{path.suffix.lower()}"
    try:
        link.symlink_to(real)
    except OSError:
        finding = DataFault("has one of the characters * ? [ in its path", "rename it")
        raise data_error(str(path), [finding]) from None
    return str(link)


def _csv_reader(
    connection: DuckDBPyConnection, path: Path, address: str, count: str, show_values: bool
) -> SqlReader:
    header = header_of(path)
    names = [f"c{i}" for i in range(len(header))]
    types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    scan = (
        f"read_csv({literal(address)}, auto_detect = false, header = true, delim = ',', "
        f"quote = '\"', escape = '\"', nullstr = '', columns = {{{types}}}, "
        "null_padding = false, ignore_errors = false, compression = 'none', "
        "hive_partitioning = false, filename = false)"
    )
    columns = [
        FileColumn(given, identifier(name), "VARCHAR")
        for given, name in zip(header, names, strict=True)
    ]

    def failed(reason: str) -> SpecError:
        faults, more = faults_of(path, len(header))
        if faults:
            return data_error(str(path), faults, more)
        return _unreadable(path, "a CSV file", reason.replace(address, str(path)), show_values)

    lines = partial(lines_of_rows, path, len(header))
    return SqlReader(connection, scan, columns, str(path), show_values, count, failed, lines)


def _parquet_reader(
    connection: DuckDBPyConnection, path: Path, address: str, count: str, show_values: bool
) -> SqlReader:
    scan = (
        f"read_parquet({literal(address)}, binary_as_string = true, union_by_name = false, "
        "hive_partitioning = false, filename = false)"
    )

    def failed(reason: str) -> SpecError:
        if "UTF8" in reason:
            finding = DataFault("contains text that is not UTF-8", "write its text as UTF-8")
            return data_error(str(path), [finding])
        reason = reason.replace(address, str(path))
        return _unreadable(path, "a Parquet file", reason, show_values)

    reader = SqlReader(connection, scan, [], str(path), show_values, count, failed, no_lines)
    described = reader.fetched(f"DESCRIBE SELECT * FROM {scan}")
    names = _top_names(reader.fetched, address)
    if len(names) != len(described):
        names = [str(name) for name, *_ in described]
    for name, (unique, form, *_) in zip(names, described, strict=True):
        reader.known.append(FileColumn(name, identifier(str(unique)), str(form)))
    return reader


def _top_names(fetched: Callable[[str], list[tuple[object, ...]]], address: str) -> list[str]:
    """Return the column names as in the file; DuckDB renames those that differ only by case."""
    rows = fetched(f"SELECT name, num_children FROM parquet_schema({literal(address)})")
    names = []
    inside = 0
    for name, children in rows[1:]:
        if inside:
            inside -= 1
        else:
            names.append(str(name))
        inside += int(str(children or 0))
    return names


def _unreadable(path: str | Path, form: str, reason: str, show_values: bool) -> SpecError:
    what, remedy = f"cannot be read as {form}", "check whether the file is complete"
    finding = DataFault(what, remedy, quoted=f"{what} ({reason})")
    return data_error(str(path), [finding], show_values=show_values)
