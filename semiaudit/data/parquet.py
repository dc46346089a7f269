"""A table of CSV text as a Parquet file, written by an embedded DuckDB."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping

from semiaudit.data.column import identifier, literal
from semiaudit.data.files import start_duckdb
from semiaudit.errors import OutputError
from semiaudit.private_folders import private_folder

TYPES = {"text": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "truth": "BOOLEAN"}


def require_duckdb() -> None:
    """Fail early if Parquet cannot be written.

    Raises:
        OutputError: DuckDB is not installed.
    """
    try:
        import duckdb  # noqa: F401
    except ModuleNotFoundError:
        raise OutputError("writing Parquet needs DuckDB; pip install 'semiaudit[data]'") from None


def parquet_from_csv(source: str, target: str, columns: Mapping[str, str]) -> None:
    """Write a Parquet file from a CSV file with a header, where an empty cell is a missing value.

    Args:
        columns: every column's kind, in order: text, integer, number or truth; or its type, one
            of those that ``kept_types`` gives.

    Raises:
        OSError: the target cannot be written.
    """
    import duckdb

    kinds = ", ".join(f"{literal(n)}: {literal(TYPES.get(k, k))}" for n, k in columns.items())
    names = ", ".join(identifier(name) for name in columns)
    scan = (
        f"read_csv({literal(source)}, auto_detect = false, header = true, delim = ',', "
        f"quote = '\"', escape = '\"', nullstr = '', columns = {{{kinds}}}, "
        "null_padding = false, parallel = false, max_line_size = 10000000)"
    )
    copy = f"COPY (SELECT {names} FROM {scan}) TO {literal(target)}"
    with private_folder() as spill, start_duckdb(spill) as connection:
        try:
            connection.execute(f"{copy} (FORMAT parquet, USE_TMP_FILE false)")
        except duckdb.Error as error:
            full = os.strerror(errno.ENOSPC)
            reason = full if full in str(error) else str(error).partition("\n")[0]
            raise OSError(None, reason) from None
