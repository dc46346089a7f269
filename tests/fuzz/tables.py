"""Files and databases of counts and records, whole, spoiled, or endless."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.fuzz.chance import Chance
from tests.fuzz.specs import Space, csv_bytes

SECRET = "zqx-secret-7731"
"""Planted in data, in tables that nobody names, and outside: nothing that is printed has it."""

Rows = list[list[Any]]
Content = bytes | Callable[[str], None]
"""Bytes, or what writes a file of a name."""

COUNT_NAMES = ("count", "Freq", "n", "COUNT", "frequency")
NO_COUNTS = (-1, -7, 10**16, 2.5, "12,345", "*", "<5", "", "1e3", "\u0663")
"""Cells for which a column of whole numbers is no column of counts."""

ENDLESS = (
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT {columns} FROM c",
    "SELECT {columns} FROM cells a, cells b, cells c, cells d, cells e, cells f, cells g, cells h, "
    "cells i, cells j, cells k, cells l, cells m, cells n, cells o, cells p, cells q",
)
"""Queries of views that no engine answers in time."""


def rows_of(space: Space, *, table: bool, count: str = "count") -> Rows:
    """A table's rows, or a record's each; a column that nobody reads holds the secret."""
    head = [*space.levels, *([count] if table else []), "remark"]
    body: Rows = []
    for cell, number in zip(space.cells(), space.counts, strict=True):
        if table:
            body.append([*cell, number, SECRET])
        else:
            body += [[*cell, SECRET] for _ in range(number)]
    return [head, *body]


def spoiled_rows(chance: Chance, rows: Rows) -> Rows:
    found = [list(row) for row in rows]
    row = chance.randrange(len(found))
    match chance.choice(["value", "twice", "short", "none"]):
        case "value":
            found[row][chance.randrange(len(found[row]))] = SECRET
        case "twice":
            found.append(list(found[row]))
        case "short":
            found[row].pop()
        case _:
            del found[1:]
    return found


def csv_text(chance: Chance, rows: Rows) -> bytes:
    content = csv_bytes(rows)
    match chance.randrange(40):
        case 0:
            return b"\xef\xbb\xbf" + content
        case 1:
            return content.replace(b"\n", b"\r\n")
        case 2:
            return content.decode("utf-8", "replace").encode("utf-16")
        case 3:
            return content[: chance.randrange(len(content) + 1)]
        case _:
            return content


def _whole(rows: Rows) -> tuple[list[Any], Rows]:
    head, *body = rows
    return head, [row for row in body if len(row) == len(head)]


def parquet(rows: Rows) -> Content:
    def write(path: str) -> None:
        import pyarrow as pa
        from pyarrow import parquet as pq

        head, body = _whole(rows)
        columns = {}
        for place, name in enumerate(head):
            values = [row[place] for row in body]
            numbers = all(isinstance(value, int) and abs(value) < 2**62 for value in values)
            counts = name in COUNT_NAMES and numbers
            columns[str(name)] = pa.array(values if counts else list(map(str, values)))
        pq.write_table(pa.table(columns), path)

    return write


def database(engine: str, rows: Rows, view: str = "") -> Content:
    """A database file with the table ``cells``, and one that nobody may see.

    Args:
        view: the query of the view ``endless``; empty for none.
    """

    def write(path: str) -> None:
        head, body = _whole(rows)
        place = head.index("count") if "count" in head else -1
        counted = all(isinstance(row[place], int) for row in body)
        kinds = ["BIGINT" if name == "count" and counted else "TEXT" for name in head]
        values = [
            [v if kind == "BIGINT" else str(v) for v, kind in zip(row, kinds, strict=True)]
            for row in body
        ]
        quoted = ['"' + str(name).replace('"', '""') + '"' for name in head]
        names = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, kinds, strict=True))
        connection = _connection(engine, path)
        connection.execute(f"CREATE TABLE cells ({names})")
        if values:
            marks = ", ".join("?" for _ in head)
            connection.executemany(f"INSERT INTO cells VALUES ({marks})", values)
        connection.execute("CREATE TABLE salaries (who TEXT)")
        connection.execute(f"INSERT INTO salaries VALUES ('{SECRET}')")
        if view:
            first = "x" if "RECURSIVE" in view else "a.rowid"
            told = ", ".join(f"{first} % 2 AS {name}" for name in quoted)
            connection.execute(f"CREATE VIEW endless AS {view.format(columns=told)}")
        connection.commit()
        connection.close()

    return write


def _connection(engine: str, path: str) -> Any:
    if engine == "sqlite":
        import sqlite3

        return sqlite3.connect(path)
    import duckdb

    return duckdb.connect(path, config={"threads": "1"})
