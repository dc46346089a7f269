"""Queries end: at the deadline, at a signal, and with what a full memory is called."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest

from semiaudit import deadline
from semiaudit.data import connection
from semiaudit.data.query_interrupts import interruptible, raise_interrupt
from semiaudit.data.tallies import tallies
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import SpecError
from semiaudit.model.data_source import Access, DataSource
from semiaudit.model.dataspace import Attribute
from semiaudit.process import interrupt_queries

ENDLESS = (
    "CREATE VIEW people AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT (x + 1) % 1000 "
    "FROM n) SELECT x % 2 AS a FROM n"
)
PRODUCT = (
    "CREATE VIEW people AS SELECT (p.a + q.a + r.a + s.a + t.a) % 2 AS a "
    "FROM base p, base q, base r, base s, base t"
)
BIT = (Attribute("a", ("0", "1")),)


def made(folder: Path, engine: str, *statements: str) -> DataSource:
    """A database with a table of 1000 numbers and what else the statements make."""
    pytest.importorskip("ibis")
    path = folder / f"p.{engine}"
    numbers = "CREATE TABLE base AS WITH RECURSIVE n(a) AS (SELECT 0 UNION ALL SELECT a + 1 FROM n "
    numbers += "WHERE a < 999) SELECT a FROM n"
    if engine == "sqlite":
        store = sqlite3.connect(path)
        for statement in (numbers, *statements):
            store.execute(statement)
        store.commit()
        store.close()
    else:
        duckdb = pytest.importorskip("duckdb")
        with duckdb.connect(str(path)) as store:
            for statement in (numbers, *statements):
                store.execute(statement)
    return DataSource("records", "people", f"{engine}://{path.name}")


def count(source: DataSource, folder: Path, *, show_values: bool = False) -> None:
    access = Access("", ("duckdb", "sqlite"), show_values)
    tallies(source, folder, BIT, [("a",)], access)


@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
@pytest.mark.parametrize("view", [ENDLESS, PRODUCT])
def test_a_view_without_an_end_ends_at_the_deadline(engine: str, view: str, tmp_path: Path) -> None:
    source = made(tmp_path, engine, view)
    begun = time.monotonic()
    with deadline.running(0.8), pytest.raises(OutOfTimeError):
        count(source, tmp_path)
    assert time.monotonic() - begun < 10


def test_an_interrupt_before_the_deadline_is_that_of_a_signal() -> None:
    error = RuntimeError("Query interrupted")
    with deadline.running(60), pytest.raises(KeyboardInterrupt):
        raise_interrupt(error)
    with deadline.running(0), pytest.raises(OutOfTimeError):
        raise_interrupt(error)


def test_nothing_is_interrupted_after_a_query_and_without_a_deadline(tmp_path: Path) -> None:
    source = made(tmp_path, "sqlite", "CREATE VIEW people AS SELECT a % 2 AS a FROM base")
    count(source, tmp_path)
    interrupt_queries()
    count(source, tmp_path)


def test_a_full_memory_of_sqlite_is_not_taken_for_a_wrong_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite's "out of memory" is a MemoryError in Python."""
    source = made(tmp_path, "sqlite", "CREATE VIEW people AS SELECT exhaust(a) AS a FROM base")
    usual = connection._sqlite

    def bounded(file: Path) -> sqlite3.Connection:
        found = usual(file)
        found.execute("PRAGMA trusted_schema = ON")
        found.create_function("exhaust", 1, exhaust)
        return found

    def exhaust(_: object) -> int:
        raise MemoryError

    monkeypatch.setattr(connection, "_sqlite", bounded)
    with pytest.raises(MemoryError, match="people: sqlite ran out of memory"):
        count(source, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "hex(zeroblob(300000000))",
        "replace(hex(zeroblob(100000)), '0', 'ab')",
        "group_concat(hex(zeroblob(1000)))",
        "'x' GLOB '*' || hex(zeroblob(5000))",
    ],
)
def test_one_step_of_sqlite_takes_little_memory_and_time(text: str, tmp_path: Path) -> None:
    source = made(tmp_path, "sqlite", f"CREATE VIEW people AS SELECT {text} AS a FROM base")
    with pytest.raises(SpecError, match="a text or a pattern that is too long"):
        count(source, tmp_path)


def test_long_values_in_other_columns_do_not_matter(tmp_path: Path) -> None:
    table = "CREATE TABLE people AS SELECT zeroblob(3000000) AS b, a % 2 AS a FROM base LIMIT 2"
    count(made(tmp_path, "sqlite", table), tmp_path)


SHOWING = {
    "a view": "CREATE VIEW people AS SELECT current_setting('temp_directory') AS a",
    "a view of databases": "CREATE VIEW people AS SELECT path AS a FROM duckdb_databases()",
    "a view in upper case": "CREATE VIEW PEOPLE AS SELECT current_setting('temp_directory') AS a",
    "an error of a view": "CREATE VIEW people AS SELECT error(current_setting('temp_directory'))"
    " AS a",
    "a generated column": "CREATE TABLE people(b INTEGER, a VARCHAR GENERATED ALWAYS AS "
    "(current_setting('temp_directory')) VIRTUAL); INSERT INTO people VALUES (1)",
}


@pytest.mark.parametrize("statements", SHOWING.values(), ids=SHOWING)
def test_values_that_a_view_computes_are_never_quoted(statements: str, tmp_path: Path) -> None:
    source = made(tmp_path, "duckdb", *statements.split(";"))
    with pytest.raises(SpecError) as caught:
        count(source, tmp_path, show_values=True)
    said = str(caught.value)
    assert "semiaudit-spill" not in said
    assert str(tmp_path) not in said


def test_values_of_tables_are_quoted_if_the_caller_wants_that(tmp_path: Path) -> None:
    source = made(tmp_path, "duckdb", "CREATE TABLE people AS SELECT 'seven' AS a")
    with pytest.raises(SpecError, match="'seven'"):
        count(source, tmp_path, show_values=True)


def test_nobody_interrupts_a_connection_that_is_left() -> None:
    """The request that is under way is waited for, and none follows."""
    asked: list[int] = []
    closed: list[int] = []
    late: list[int] = []

    def interrupt() -> None:
        asked.append(1)
        time.sleep(0.2)
        late.extend(closed)

    with deadline.running(0.01):
        with interruptible(interrupt):
            while not asked:
                time.sleep(0.01)
        closed.append(1)
        time.sleep(0.4)
    assert asked == [1]
    assert not late
