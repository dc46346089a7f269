"""Tables in an engine are counted there, and what is secret in a URL stays secret."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

from semiaudit.data.connection import EngineAddress
from semiaudit.data.ibis_engine import EngineReader
from semiaudit.data.tallies import Tallies, tallies
from semiaudit.errors import SpecError
from semiaudit.model.data_source import ENGINES, Access, DataSource, SourceKind
from semiaudit.model.dataspace import Attribute
from tests.data.counting import BOTH, MARGINS, QUOTING, counted, csv_file

FILES = ("duckdb", "sqlite")
Rows = list[tuple[object, ...]]


def database(folder: Path, engine: str, rows: Rows, types: str) -> str:
    """The URL of a new database that has one table ``people``."""
    marks = ", ".join("?" for _ in rows[0]) if rows else ""
    create = f"CREATE TABLE people ({types})"
    insert = f"INSERT INTO people VALUES ({marks})"
    path = folder / f"people.{engine}"
    if engine == "sqlite":
        store = sqlite3.connect(path)
        store.execute(create)
        if rows:
            store.executemany(insert, rows)
        store.commit()
        store.close()
    else:
        duckdb = pytest.importorskip("duckdb")
        with duckdb.connect(str(path)) as connection:
            connection.execute(create)
            if rows:
                connection.executemany(insert, rows)
    return f"{engine}://{path.name}"


def read(
    folder: Path,
    url: str,
    kind: SourceKind = "records",
    place: str = "people",
    attributes: tuple[Attribute, ...] = BOTH,
    groupings: list[tuple[str, ...]] = MARGINS,
) -> Tallies:
    pytest.importorskip("ibis")
    return tallies(DataSource(kind, place, url), folder, attributes, groupings, QUOTING)


def told(folder: Path, url: str, kind: SourceKind = "records", place: str = "people") -> list[str]:
    with pytest.raises(SpecError) as caught:
        read(folder, url, kind, place)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize("engine", FILES)
def test_records_in_an_engine_count_as_in_a_file(tmp_path: Path, engine: str) -> None:
    rows: Rows = [(i * i % 3, "mf"[i * 7 % 5 % 2]) for i in range(200)]
    text = "".join(f"{state},{sex}\n" for state, sex in rows)
    pytest.importorskip("duckdb")
    expected = counted(csv_file(tmp_path, f"state,sex\n{text}"), "records")
    url = database(tmp_path, engine, rows, "state INTEGER, sex TEXT")
    assert read(tmp_path, url) == expected
    assert read(tmp_path, f"{engine}://{tmp_path}/people.{engine}") == expected
    assert read(tmp_path, url, place="main.people") == expected
    assert read(tmp_path, url, groupings=[()]).counts == {(): {(): 200}}


@pytest.mark.parametrize("engine", FILES)
def test_a_table_in_an_engine_is_summed(tmp_path: Path, engine: str) -> None:
    rows: Rows = [("00", "m", 10**15), ("1", "m", 0), ("2", "f", 2), ("1", "f", 4)]
    url = database(tmp_path, engine, rows, "state TEXT, sex TEXT, count BIGINT")
    found = read(tmp_path, url, "table")
    assert found.size == 10**15 + 6
    assert found.counts[("sex", "state")] == {(0, 0): 10**15, (1, 2): 2, (1, 1): 4}


@pytest.mark.parametrize("engine", FILES)
def test_truth_values_are_true_and_false(tmp_path: Path, engine: str) -> None:
    rows: Rows = [(True,), (False,), (True,)]
    url = database(tmp_path, engine, rows, "hispanic BOOLEAN")
    hispanic = Attribute("hispanic", ("false", "true"))
    found = read(tmp_path, url, attributes=(hispanic,), groupings=[("hispanic",)])
    assert found.counts == {("hispanic",): {(0,): 1, (1,): 2}}


@pytest.mark.parametrize("engine", FILES)
def test_values_that_are_no_levels_are_named(tmp_path: Path, engine: str) -> None:
    rows: Rows = [("0", "m"), ("7", "x"), (None, "m"), ("01", "")]
    url = database(tmp_path, engine, rows, "state TEXT, sex TEXT")
    assert told(tmp_path, url) == [
        f"{url}: people: state: an empty value is not a level; its levels are 0 to 2",
        f"{url}: people: state: '7' is not a level; its levels are 0 to 2",
        f"{url}: people: sex: an empty value is not a level; its levels are 'm', 'f'",
        f"{url}: people: sex: 'x' is not a level; its levels are 'm', 'f'",
    ]


def test_counts_are_whole_numbers_whatever_sqlite_was_given(tmp_path: Path) -> None:
    rows: Rows = [(0, "m", 2.5), (0, "f", "abc"), (1, "m", None), (1, "f", -1), (2, "f", 3)]
    url = database(tmp_path, "sqlite", rows, "state INTEGER, sex TEXT, count INTEGER")
    assert [
        problem.removeprefix(f"{url}: people: ") for problem in told(tmp_path, url, "table")
    ] == [
        "count: '-1' is negative; store whole numbers from 0 to 10^15",
        "count: '2.5' is not a whole number; store whole numbers from 0 to 10^15",
        "count: 'abc' is not a count; store whole numbers from 0 to 10^15",
        "count: the count is missing; store whole numbers from 0 to 10^15",
    ]


def test_texts_and_numbers_in_one_column_of_sqlite_are_all_counted(tmp_path: Path) -> None:
    rows: Rows = [(1, "m"), ("1", "m"), ("01", "m"), (2, "f")]
    url = database(tmp_path, "sqlite", rows, "state, sex TEXT")
    assert read(tmp_path, url).size == 4
    assert read(tmp_path, url).counts[("sex", "state")] == {(0, 1): 3, (1, 2): 1}


def test_counts_of_floats_are_whole_numbers(tmp_path: Path) -> None:
    rows: Rows = [(0, "m", 2.5), (0, "f", float("nan")), (1, "f", 1e16), (2, "f", 3.0)]
    url = database(tmp_path, "duckdb", rows, "state INTEGER, sex TEXT, count DOUBLE")
    assert [problem.split("'")[1] for problem in told(tmp_path, url, "table")] == [
        "1e+16",
        "2.5",
        "nan",
    ]
    (tmp_path / "people.duckdb").unlink()
    url = database(tmp_path, "duckdb", rows[3:], "state INTEGER, sex TEXT, count DOUBLE")
    assert read(tmp_path, url, "table").size == 3


@pytest.mark.parametrize("engine", FILES)
def test_a_cell_that_is_listed_twice_is_no_sum(tmp_path: Path, engine: str) -> None:
    rows: Rows = [("1", "m", 1), ("01", "m", 1), ("2", "f", 1)]
    url = database(tmp_path, engine, rows, "state TEXT, sex TEXT, count INTEGER")
    once = "is listed twice; give each cell one row"
    assert told(tmp_path, url, "table") == [f"{url}: people: the cell state = 01, sex = m {once}"]


def test_sums_beyond_64_bits_are_refused(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT i AS state, 'm' AS sex, 1000000000000000 AS count "
            "FROM range(10000) AS t(i)"
        )
    with pytest.raises(SpecError, match="64 bits"):
        read(
            tmp_path,
            "duckdb://people.duckdb",
            "table",
            attributes=(Attribute("state", 10_000),),
            groupings=[()],
        )


@pytest.mark.parametrize("engine", FILES)
def test_what_is_not_there_is_named(tmp_path: Path, engine: str) -> None:
    url = database(tmp_path, engine, [], "state INTEGER, sex TEXT")
    assert told(tmp_path, url) == [f"{url}: people: has no rows; add rows"]
    (missing,) = told(tmp_path, url, "table")
    assert missing.startswith(f"{url}: people: count: the column is missing")
    (missing,) = told(tmp_path, url, place="persons")
    assert missing.startswith(f"{url}: persons: there is no such table that can be read")
    (missing,) = told(tmp_path, f"{engine}://none.db")
    assert missing == f"{engine}://none.db: there is no such database file; correct the path"
    assert not (tmp_path / "none.db").exists()


def test_a_file_that_is_no_database_cannot_be_connected_to(tmp_path: Path) -> None:
    csv_file(tmp_path, "state,sex\n" * 200, "people.db")
    for engine in FILES:
        (problem,) = told(tmp_path, f"{engine}://people.db")
        assert problem.startswith(f"{engine}://people.db: ")


SERVER = "postgres://host:5432/census"
CREDENTIALS = {"SEMIAUDIT_ENGINE_POSTGRES": "postgres://me:hunter22@host:5432?sslmode=require"}
ANY = Access(engines=ENGINES, show_values=True)


def test_an_engine_that_is_not_known(tmp_path: Path) -> None:
    (problem,) = told(tmp_path, "os://host/x")
    assert problem.startswith("data: the engine is not a connection URL of a known engine; ")


def test_missing_libraries_are_problems_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(*next(iter(CREDENTIALS.items())))
    monkeypatch.setitem(sys.modules, "ibis", None)
    with pytest.raises(SpecError) as caught:
        tallies(DataSource("records", "people", SERVER), tmp_path, BOTH, MARGINS, ANY)
    assert str(caught.value) == (
        f"{SERVER}: reading from an engine needs Ibis; pip install 'semiaudit[remote]'"
    )


def test_a_missing_driver_is_a_problem_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ibis")
    monkeypatch.setenv(*next(iter(CREDENTIALS.items())))
    monkeypatch.setitem(sys.modules, "psycopg", None)
    (problem,) = told(tmp_path, SERVER)
    remedy = "pip install 'ibis-framework[postgres]'"
    assert problem.endswith(f"the driver of the engine is not installed; {remedy}")


def test_host_and_credentials_are_the_callers_and_the_database_is_the_specs(
    tmp_path: Path,
) -> None:
    address = EngineAddress.of(SERVER, tmp_path, ANY, CREDENTIALS)
    assert address.url == "postgres://me:hunter22@host:5432/census?sslmode=require"
    assert address.shown == SERVER
    assert EngineAddress.of(
        SERVER.replace("postgres", "postgresql"), tmp_path, ANY, CREDENTIALS
    ).url
    with pytest.raises(SpecError, match="names another server"):
        EngineAddress.of("postgres://evil/census", tmp_path, ANY, CREDENTIALS)
    for url in ("postgres://host/census", "postgres://host:1/census"):
        with pytest.raises(SpecError, match="write the same port in both, or none"):
            EngineAddress.of(url, tmp_path, ANY, CREDENTIALS)
    with pytest.raises(SpecError, match="names no server; set SEMIAUDIT_ENGINE_POSTGRES"):
        EngineAddress.of(SERVER, tmp_path, ANY, {})


@pytest.mark.parametrize(
    ("url", "secrets"),
    [
        ("postgres://analyst:p%40ss@host:5", ["analyst", "p%40ss", "p@ss"]),
        ("databricks://t0kenabc@host:5", ["t0kenabc"]),
        ("trino://host:5?password=hunter22&a=b+c", ["hunter22", "b+c", "b c"]),
    ],
)
def test_secrets_of_the_environment_are_known_and_never_shown(
    tmp_path: Path, url: str, secrets: list[str]
) -> None:
    engine = url.partition(":")[0]
    environment = {f"SEMIAUDIT_ENGINE_{engine.upper()}": url}
    address = EngineAddress.of(f"{engine}://host:5/db", tmp_path, ANY, environment)
    assert set(secrets) <= set(address.secrets)
    assert not any(secret in address.shown + repr(address) for secret in secrets)
    said = address.scrubbed(RuntimeError(f"cannot reach {address.url}: {' '.join(secrets)}\nmore"))
    assert not any(secret in said for secret in (*secrets, "more"))


@pytest.mark.parametrize("mark", ["#", "/", "?"])
@pytest.mark.parametrize("start", ["hunter", "22"])
def test_a_password_that_is_not_percent_encoded_is_named_as_such(
    tmp_path: Path, mark: str, start: str
) -> None:
    environment = {"SEMIAUDIT_ENGINE_POSTGRES": f"postgres://me:{start}{mark}secret@host"}
    with pytest.raises(SpecError, match="SEMIAUDIT_ENGINE_POSTGRES is not a URL") as caught:
        EngineAddress.of("postgres://host/db", tmp_path, ANY, environment)
    assert "%2F" in str(caught.value)
    assert "secret" not in str(caught.value)
    with pytest.raises(SpecError, match="contains credentials"):
        EngineAddress.of(f"postgres://me:{start}{mark}pw@host/db", tmp_path, ANY, {})


def test_a_short_password_hides_all_that_a_driver_says(tmp_path: Path) -> None:
    environment = {"SEMIAUDIT_ENGINE_POSTGRES": "postgres://me:a@host"}
    address = EngineAddress.of("postgres://host/db", tmp_path, ANY, environment)
    assert address.scrubbed(RuntimeError("a wrong password")) == "RuntimeError"


@pytest.mark.parametrize(
    "url",
    [
        "people.db",
        "://x",
        "a b://c",
        "mysql://me:pw@host:port/x",
        "mysql://me:12/pw@host/x",
        "mysql://me:12?pw@host/x",
        "mysql://me:12#pw@host/x",
        "mysql://[me:pw@host/x",
    ],
)
def test_what_is_no_url_is_refused_without_echo(tmp_path: Path, url: str) -> None:
    with pytest.raises(SpecError) as caught:
        EngineAddress.of(url, tmp_path, ANY, {})
    assert "pw" not in str(caught.value)


def test_a_table_that_changes_between_two_groupings_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: Rows = [(0, "m"), (1, "f")]
    url = database(tmp_path, "sqlite", rows, "state INTEGER, sex TEXT")
    before = EngineReader._keyed

    def growing(self: EngineReader, names: list[str]) -> object:
        store = sqlite3.connect(tmp_path / "people.sqlite")
        store.execute("INSERT INTO people VALUES (1, 'm')")
        store.commit()
        store.close()
        return before(self, names)

    monkeypatch.setattr(EngineReader, "_keyed", growing)
    with pytest.raises(SpecError, match="changed while it was read"):
        read(tmp_path, url, groupings=[("state",), ("sex",)])
