"""An engine is read only where the caller says so, and then nothing but its database."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from semiaudit import audit
from semiaudit.errors import SpecError
from tests.fuzz.workers import one_process
from tests.security.attacks import MARGIN, SECRET, TABLE, environ, every_command, run, spec

ALLOWED = ("--allow-engine", "duckdb", "--allow-engine", "sqlite")


def engine_spec(folder: Path, url: str, table: str = "people") -> Path:
    return spec(folder, f'{TABLE}{MARGIN}data: {{engine: "{url}", records: {table}}}\n')


def database(path: Path, *statements: str) -> None:
    import duckdb

    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize("command", ["analyze", "check", "batch"])
def test_engines_are_off_unless_the_command_line_names_them(tmp_path: Path, command: str) -> None:
    database(tmp_path / "p.db", "CREATE TABLE people AS SELECT * FROM (VALUES (0,1),(1,1),"
             "(0,0),(1,0)) AS t(a, b)")  # fmt: skip
    engine_spec(tmp_path, "duckdb://p.db")
    what = "." if command == "batch" else "evil.semiaudit.yaml"
    with one_process():
        refused = run(tmp_path, command, what)
        assert run(tmp_path, command, what, "--allow-engine", "sqlite").returncode == 2
    assert refused.returncode == 2
    assert "--allow-engine duckdb" in refused.stdout + refused.stderr
    assert run(tmp_path, command, what, "--allow-engine", "duckdb").returncode == 0


def test_python_allows_engines_by_name(tmp_path: Path) -> None:
    database(tmp_path / "p.db", "CREATE TABLE people AS SELECT * FROM (VALUES (0,1),(1,1),"
             "(0,0),(1,0)) AS t(a, b)")  # fmt: skip
    path = engine_spec(tmp_path, "duckdb://p.db")
    with pytest.raises(SpecError, match="not allowed"):
        audit(path)
    assert audit(path, allow_engines=["duckdb"]).exit_code == 0
    with pytest.raises(ValueError, match="no engine 'mongo'"):
        audit(path, allow_engines=["mongo"])


def test_an_engine_that_is_not_known_cannot_be_allowed(tmp_path: Path) -> None:
    done = run(tmp_path, "analyze", "x.yaml", "--allow-engine", "motherduck")
    assert done.returncode == 2
    assert "no engine 'motherduck'" in done.stderr


@pytest.mark.parametrize(
    "url",
    [
        "duckdb://md:x?extension_directory=ext&allow_unsigned_extensions=true",
        "duckdb://p.db?custom_extension_repository=http://127.0.0.1:9",
        "duckdb://md:x",
        "duckdb://motherduck:x",
        "duckdb://:memory:",
        "duckdb://p.db#fragment",
        "sqlite://p.db?mode=rwc",
        "pyspark://x",
        "datafusion://",
        "polars://x",
        "flink://x",
    ],
)
def test_urls_have_no_options_and_lead_to_known_engines_only(tmp_path: Path, url: str) -> None:
    database(tmp_path / "p.db", "CREATE TABLE people (a INTEGER, b INTEGER)")
    engine_spec(tmp_path, url)
    done = run(tmp_path, "analyze", "evil.semiaudit.yaml", *ALLOWED)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    reasons = ("contains options", "not a connection URL of a known", "no such database file")
    assert any(reason in done.stderr for reason in reasons), done.stderr


ALL_OF_THEM = """\
import json, sys
from semiaudit.cli import main

codes = [main(line) for line in json.loads(sys.argv[1])]
sys.exit(codes[0] if len(set(codes)) == 1 else f"they end with {codes}")
"""


def planted(folder: Path, lines: list[tuple[str, ...]]) -> list[subprocess.CompletedProcess[str]]:
    """One process, which was started with a secret, and ends as all of its command lines do."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", ALL_OF_THEM, json.dumps(lines)],
        cwd=folder,
        env=environ(more={"PLANTED": SECRET}),
        capture_output=True,
        text=True,
        errors="backslashreplace",
        check=False,
        timeout=600,
    )
    return [done]


@pytest.mark.parametrize(
    "source",
    [
        "SELECT content AS a, 0 AS b FROM read_text('{secret}')",
        "SELECT CAST(content AS VARCHAR) AS a, 0 AS b FROM read_blob('{secret}')",
        "SELECT file AS a, 0 AS b FROM glob('{folder}/*')",
        "SELECT column0 AS a, 0 AS b FROM read_csv('{secret}', header = false)",
        "SELECT content AS a, 0 AS b FROM read_text('/proc/self/environ')",
    ],
)
def test_views_reach_no_file_and_no_environment(tmp_path: Path, source: str) -> None:
    import duckdb

    elsewhere = tmp_path / f"{SECRET}-folder"
    elsewhere.mkdir()
    secret = elsewhere / "secret.txt"
    secret.write_text(SECRET)
    folder = tmp_path / "here"
    folder.mkdir()
    view = source.format(secret=secret, folder=elsewhere)
    with duckdb.connect(str(folder / "p.db")) as connection:
        assert connection.execute(view).fetchall()  # the attack works where nothing is switched off
        connection.execute(f"CREATE VIEW people AS {view}")
    engine_spec(folder, "duckdb://p.db")
    # What a process was started with is in /proc; other sources need no process of their own.
    lines = [
        ("analyze", "evil.semiaudit.yaml", *options)
        for options in ((), ALLOWED, (*ALLOWED, "--show-values"))
    ]
    ended = planted(folder, lines) if "/proc/" in source else [run(folder, *line) for line in lines]
    for done in ended:
        told = (done.stdout + done.stderr).replace(str(elsewhere), "")
        assert SECRET not in told
        assert "PLANTED" not in told
        assert done.returncode == 2


def test_a_view_counts_no_records_of_another_file(tmp_path: Path) -> None:
    """The records would be valid: only that the view may not read them stops it."""
    rows = "(VALUES (0,1),(1,1),(0,0),(1,0)) AS t(a, b)"
    other = tmp_path / "other.csv"
    database(
        tmp_path / "p.db",
        f"COPY (SELECT * FROM {rows}) TO '{other}'",
        f"CREATE VIEW people AS SELECT * FROM read_csv('{other}')",
        f"CREATE TABLE own AS SELECT * FROM {rows}",
    )
    for table, code in (("own", 0), ("people", 2)):
        engine_spec(tmp_path, "duckdb://p.db", table)
        done = run(tmp_path, "analyze", "evil.semiaudit.yaml", *ALLOWED)
        assert done.returncode == code, done.stderr


def test_no_extension_is_fetched_from_a_host_of_the_specs_choice(tmp_path: Path) -> None:
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        repository = f"custom_extension_repository=http://127.0.0.1:{server.server_port}"
        engine_spec(tmp_path, f"duckdb://md:x?{repository}")
        assert run(tmp_path, "analyze", "evil.semiaudit.yaml").returncode == 2
        engine_spec(tmp_path, f"duckdb://md:x?{repository}")
        assert run(tmp_path, "check", ".").returncode == 2
        server.shutdown()
        thread.join()
    assert asked == []


def test_an_sqlite_file_is_only_read_and_its_views_load_nothing(tmp_path: Path) -> None:
    store = sqlite3.connect(tmp_path / "p.db")
    store.execute("CREATE TABLE t (a INTEGER, b INTEGER)")
    store.execute("INSERT INTO t VALUES (0, 1), (1, 0)")
    store.execute("CREATE VIEW people AS SELECT load_extension('./evil.so') AS a, b FROM t")
    store.commit()
    store.close()
    before = (tmp_path / "p.db").read_bytes()
    engine_spec(tmp_path, "sqlite://p.db")
    done = run(tmp_path, "analyze", "evil.semiaudit.yaml", *ALLOWED, "--show-values")
    assert done.returncode == 2
    assert "unsafe use of load_extension()" in done.stderr
    assert (tmp_path / "p.db").read_bytes() == before


def test_a_database_file_lies_beside_the_spec_and_not_in_the_working_directory(
    tmp_path: Path,
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    database(tmp_path / "p.db", "CREATE TABLE people (a INTEGER, b INTEGER)")
    engine_spec(inner, "duckdb://p.db")
    done = run(tmp_path, "analyze", "inner/evil.semiaudit.yaml", *ALLOWED)
    assert "there is no such database file" in done.stderr
    for url in ("duckdb://../p.db", f"duckdb://{tmp_path}/p.db"):
        engine_spec(inner, url)
        done = run(tmp_path, "analyze", "inner/evil.semiaudit.yaml", *ALLOWED)
        assert "leads out of the spec's folder" in done.stderr


def test_a_spec_sends_no_credentials_to_a_host_of_its_choice(tmp_path: Path) -> None:
    engine_spec(tmp_path, "postgres://evil.example/db")
    environment = {"SEMIAUDIT_ENGINE_POSTGRES": f"postgres://me:{SECRET}@db.example"}
    options = ("--allow-engine", "postgres", "--show-values")
    done = run(tmp_path, "analyze", "evil.semiaudit.yaml", *options, environment=environment)
    assert done.returncode == 2
    assert "names another server" in done.stderr
    assert SECRET not in done.stdout + done.stderr


def test_credentials_in_a_spec_are_refused_and_not_repeated(tmp_path: Path) -> None:
    engine_spec(tmp_path, f"postgres://me:{SECRET}@host/db")
    for text in every_command(tmp_path, "--allow-engine", "postgres", "--show-values").values():
        assert "exit 2" in text
        assert SECRET not in text


@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
@pytest.mark.parametrize("name", ["md:x", "postgres:host=evil", "sqlite:x", "plain.db", "y" * 300])
def test_the_name_and_the_bytes_of_a_file_choose_no_extension(
    tmp_path: Path, engine: str, name: str
) -> None:
    if len(name) < 200:
        (tmp_path / name).write_bytes(b"SQLite format 3\0" if engine == "duckdb" else b"DUCK" * 9)
    engine_spec(tmp_path, f"{engine}://{name}")
    done = run(tmp_path, "analyze", "evil.semiaudit.yaml", *ALLOWED, "--show-values")
    assert done.returncode == 2
    assert "extension" not in done.stderr
    assert "not a database file of" in done.stderr or "no such database" in done.stderr


def test_a_database_whose_name_is_an_address_is_read_as_a_file(tmp_path: Path) -> None:
    database(
        tmp_path / "x.db",
        "CREATE TABLE people AS SELECT * FROM (VALUES (0,1),(1,1),(0,0),(1,0)) AS t(a, b)",
    )
    (tmp_path / "x.db").rename(tmp_path / "md:x")
    engine_spec(tmp_path, "duckdb://md:x")
    assert run(tmp_path, "analyze", "evil.semiaudit.yaml", *ALLOWED).returncode == 0


@pytest.mark.parametrize(("engine", "end"), [("duckdb", ".wal"), ("sqlite", "-wal")])
def test_a_log_beside_a_database_is_not_replayed(tmp_path: Path, engine: str, end: str) -> None:
    if engine == "duckdb":
        database(tmp_path / "p.db", "CREATE TABLE people (a INTEGER, b INTEGER)")
    else:
        with sqlite3.connect(tmp_path / "p.db") as store:
            store.execute("CREATE TABLE people (a INTEGER, b INTEGER)")
        store.close()
    (tmp_path / f"p.db{end}").symlink_to("/nowhere/else")
    engine_spec(tmp_path, f"{engine}://p.db")
    done = run(tmp_path, "analyze", "evil.semiaudit.yaml", *ALLOWED)
    assert done.returncode == 2
    assert "it still has a log of changes" in done.stderr


def test_reading_an_sqlite_file_writes_nothing_beside_it(tmp_path: Path) -> None:
    store = sqlite3.connect(tmp_path / "p.db")
    store.execute("PRAGMA journal_mode = WAL")
    store.execute("CREATE TABLE people (a INTEGER, b INTEGER)")
    store.close()
    engine_spec(tmp_path, "sqlite://p.db")
    before = sorted(path.name for path in tmp_path.iterdir())
    done = run(tmp_path, "analyze", "evil.semiaudit.yaml", *ALLOWED)
    assert "is in WAL mode" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_the_database_of_a_server_is_a_name_and_no_option(tmp_path: Path) -> None:
    environment = {"SEMIAUDIT_ENGINE_MSSQL": "mssql://me:pw@host"}
    for path in ("db;Failover_Partner=evil/z", "db{x}", "db%3Bx", "db x"):
        engine_spec(tmp_path, f"mssql://host/{path}")
        options = ("--allow-engine", "mssql")
        done = run(tmp_path, "analyze", "evil.semiaudit.yaml", *options, environment=environment)
        assert "the URL of mssql is malformed" in done.stderr
