"""Tables in DuckDB, SQLite, and a server of PostgreSQL: one suite, and what only a server has."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from semiaudit import audit, deadline
from semiaudit.data.tallies import Tallies, tallies
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import SpecError
from semiaudit.model.data_source import DataSource, SourceKind
from semiaudit.model.dataspace import Attribute
from tests.data.counting import BOTH, MARGINS, QUOTING
from tests.data.postgres import PASSWORD, Server, running
from tests.places import ROOT

ENGINES = ("duckdb", "sqlite", "postgres")
Made = Callable[..., str]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as started:
        yield started


@pytest.fixture
def named(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("SEMIAUDIT_ENGINE_POSTGRES", server.url())
    return server


@pytest.fixture
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Made:
    """Make a database in the engine of the test by some statements; returns its URL."""

    def make(engine: str, *statements: str) -> str:
        pytest.importorskip("ibis")
        if engine == "postgres":
            found: str = request.getfixturevalue("named").database(*statements)
            return found
        path = tmp_path / f"people.{engine}"
        if engine == "sqlite":
            with sqlite3.connect(path) as store:
                for statement in statements:
                    store.execute(statement)
        else:
            with pytest.importorskip("duckdb").connect(str(path)) as connection:
                for statement in statements:
                    connection.execute(statement)
        return f"{engine}://{path.name}"

    return make


def read(
    folder: Path,
    url: str,
    kind: SourceKind = "records",
    attributes: tuple[Attribute, ...] = BOTH,
    groupings: list[tuple[str, ...]] = MARGINS,
) -> Tallies:
    return tallies(DataSource(kind, "people", url), folder, attributes, groupings, QUOTING)


@pytest.mark.parametrize("engine", ENGINES)
def test_records_are_counted(tmp_path: Path, made: Made, engine: str) -> None:
    url = made(
        engine,
        "CREATE TABLE people (state INTEGER, sex TEXT)",
        "INSERT INTO people VALUES (0, 'm'), (0, 'm'), (2, 'f'), (1, 'm')",
    )
    found = read(tmp_path, url)
    assert found.counts[()] == {(): 4}
    assert found.counts[("sex", "state")] == {(0, 0): 2, (1, 2): 1, (0, 1): 1}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("form", "values", "attribute"),
    [
        ("BOOLEAN", "(true), (false), (true)", Attribute("a", ("false", "true"))),
        ("SMALLINT", "(1), (0), (1)", Attribute("a", 2)),
        ("BIGINT", "(1), (0), (1)", Attribute("a", 2)),
        ("VARCHAR(9)", "('y'), ('x'), ('y')", Attribute("a", ("x", "y"))),
        ("CHAR(1)", "('y'), ('x'), ('y')", Attribute("a", ("x", "y"))),
        (
            "DATE",
            "('2020-04-01'), ('2010-04-01'), ('2020-04-01')",
            Attribute("a", ("2010-04-01", "2020-04-01")),
        ),
    ],
)
def test_types_are_levels(
    tmp_path: Path, made: Made, engine: str, form: str, values: str, attribute: Attribute
) -> None:
    url = made(engine, f"CREATE TABLE people (a {form})", f"INSERT INTO people VALUES {values}")
    found = read(tmp_path, url, attributes=(attribute,), groupings=[("a",)])
    assert found.counts == {("a",): {(0,): 1, (1,): 2}}


@pytest.mark.parametrize("engine", ENGINES)
def test_nulls_and_other_values_are_named(tmp_path: Path, made: Made, engine: str) -> None:
    url = made(
        engine,
        "CREATE TABLE people (state INTEGER, sex TEXT)",
        "INSERT INTO people VALUES (NULL, 'm'), (7, 'm'), (0, '')",
    )
    with pytest.raises(SpecError) as caught:
        read(tmp_path, url)
    assert [str(problem).removeprefix(f"{url}: people: ") for problem in caught.value.problems] == [
        "state: an empty value is not a level; its levels are 0 to 2",
        "state: '7' is not a level; its levels are 0 to 2",
        "sex: an empty value is not a level; its levels are 'm', 'f'",
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_null_count_is_no_count(tmp_path: Path, made: Made, engine: str) -> None:
    url = made(
        engine,
        "CREATE TABLE people (state INTEGER, sex TEXT, count BIGINT)",
        "INSERT INTO people VALUES (0, 'm', 5), (1, 'f', NULL), (2, 'f', -1)",
    )
    with pytest.raises(SpecError) as caught:
        read(tmp_path, url, "table")
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_a_million_rows_are_counted_in_the_engine(tmp_path: Path, made: Made, engine: str) -> None:
    """Only the counts come back: 6 of 10^6 rows."""
    rows = (
        "SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 999999"
        if engine == "sqlite"
        else "SELECT * FROM generate_series(0, 999999) AS s(i)"
    )
    prefix = "WITH RECURSIVE n(i) AS" if engine == "sqlite" else "WITH n(i) AS"
    url = made(
        engine,
        "CREATE TABLE people (state INTEGER, sex TEXT)",
        f"INSERT INTO people {prefix} ({rows}) "
        "SELECT i % 3, CASE WHEN i % 2 = 0 THEN 'm' ELSE 'f' END FROM n",
    )
    found = read(tmp_path, url)
    assert found.counts[("sex",)] == {(0,): 500_000, (1,): 500_000}
    assert sum(found.counts[("sex", "state")].values()) == 10**6
    assert found.counts[("sex", "state")][(0, 0)] == 166_667


SLOW = (
    "CREATE VIEW people AS SELECT 0 AS state, CASE WHEN pg_sleep(60) IS NULL THEN 'm' ELSE 'f' END "
    "AS sex"
)


def slow_spec(folder: Path, url: str) -> Path:
    spec = folder / "slow.yaml"
    spec.write_text(
        "semiaudit: 1\ndataspace: {attributes: {state: 3, sex: [m, f]}}\n"
        f"invariants: [margin: [sex]]\ndata: {{records: people, engine: '{url}'}}\n"
        "mechanism: {zcdp: {rho: 1, neighbors: replace_one}}\n",
        "utf-8",
    )
    return spec


def settles(server: Server, seconds: float) -> bool:
    """Return whether no query of the reader is left within some seconds."""
    end = time.monotonic() + seconds
    while server.active():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def test_a_slow_view_ends_with_the_time_limit(tmp_path: Path, made: Made, named: Server) -> None:
    url = made("postgres", SLOW)
    began = time.monotonic()
    with pytest.raises(OutOfTimeError), deadline.running(2):
        read(tmp_path, url)
    assert time.monotonic() - began < 15
    assert settles(named, 3)


@pytest.mark.parametrize("options", [["--kill-after", "3"], []], ids=["kill-after", "killed"])
def test_nothing_stays_active_in_the_server(
    tmp_path: Path, made: Made, named: Server, options: list[str]
) -> None:
    """Whether the command ends itself, or somebody kills it without warning."""
    spec = slow_spec(tmp_path, made("postgres", SLOW))
    command = [sys.executable, "-m", "semiaudit", "analyze", str(spec)]
    command += ["--allow-engine", "postgres", "--time-limit", "50", *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        end, seen = time.monotonic() + 60, 0
        # The first queries are short; the one that sleeps is seen again and again.
        while seen < 5 and process.poll() is None and time.monotonic() < end:
            seen = seen + 1 if named.active() else 0
            time.sleep(0.1)
        if not options:
            assert seen == 5, process.poll()
            process.send_signal(signal.SIGKILL)
        _, errors = process.communicate(timeout=60)
    assert options == [] or "took longer than 3 s" in errors
    assert settles(named, 5)


def test_a_lost_connection_is_a_problem_of_the_table(
    tmp_path: Path, made: Made, named: Server
) -> None:
    url = made("postgres", SLOW)

    def end() -> None:
        while not named.active():
            time.sleep(0.1)
        with named.owner() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'"
            )

    ending = threading.Thread(target=end)
    ending.start()
    try:
        with pytest.raises(SpecError, match="cannot be read") as caught:
            read(tmp_path, url)
    finally:
        ending.join()
    assert PASSWORD not in str(caught.value)


@pytest.mark.parametrize("wrong", [{"password": "not-the-word"}, {"role": "nobody-known"}])
def test_wrong_credentials_appear_in_no_message(
    tmp_path: Path,
    made: Made,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    wrong: dict[str, str],
) -> None:
    url = made("postgres", "CREATE TABLE people (state INTEGER, sex TEXT)")
    monkeypatch.setenv("SEMIAUDIT_ENGINE_POSTGRES", server.url(**wrong))
    with pytest.raises(SpecError, match="cannot connect") as caught:
        read(tmp_path, url)
    (secret,) = wrong.values()
    for text in (str(caught.value), *map(str, caught.value.problems)):
        assert secret not in text
        assert PASSWORD not in text
        assert str(server.folder) not in text


def test_the_reader_cannot_write_through_a_view(tmp_path: Path, made: Made, named: Server) -> None:
    """A function that its owner gave more rights is refused in a transaction that only reads."""
    url = made(
        "postgres",
        "CREATE TABLE log (i INTEGER)",
        "CREATE FUNCTION noted() RETURNS INTEGER SECURITY DEFINER LANGUAGE sql AS "
        "'INSERT INTO log VALUES (1) RETURNING 1'",
        "CREATE VIEW people AS SELECT noted() AS state, 'm' AS sex",
    )
    with pytest.raises(SpecError, match="cannot be read"):
        read(tmp_path, url)
    with named.owner(url.rpartition("/")[2]) as connection:
        assert connection.execute("SELECT count(*) FROM log").fetchone() == (0,)


def test_a_release_is_audited_from_the_server(
    tmp_path: Path, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = made(
        "postgres",
        "CREATE TABLE people (state INTEGER, sex TEXT)",
        "INSERT INTO people VALUES (0, 'm'), (1, 'f'), (2, 'f')",
    )
    found = audit(slow_spec(tmp_path, url), allow_engines=["postgres"])
    assert found.a_t == 2
