"""A server of PostgreSQL on a local socket, with a role that only reads; it ends with the tests."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

PASSWORD = "hidden-word"
PORT = 5432
_NAMES = count()
_PACKAGED = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
"""Where Debian has the programs of a server."""


class Server:
    """A running server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def url(self, password: str = PASSWORD, role: str = "reader") -> str:
        """What the environment of semiaudit names."""
        return f"postgres://{role}:{password}@localhost:{PORT}/?host={self.folder}"

    def owner(self, database: str = "postgres") -> Any:
        """A connection that may do everything."""
        import psycopg

        return psycopg.connect(
            host=str(self.folder),
            port=PORT,
            user="owner",
            password=PASSWORD,
            dbname=database,
            autocommit=True,
        )

    def database(self, *statements: str) -> str:
        """The URL for a spec of a new database, which the reader can read."""
        name = f"test{next(_NAMES)}"
        with self.owner() as connection:
            connection.execute(f"CREATE DATABASE {name}")
        with self.owner(name) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        return f"postgres://localhost:{PORT}/{name}"

    def active(self) -> list[str]:
        """The queries of the reader that run now."""
        with self.owner() as connection:
            found = connection.execute(
                "SELECT query FROM pg_stat_activity WHERE usename = 'reader' AND state = 'active'"
            ).fetchall()
        return [query for (query,) in found]


def _program(name: str) -> str | None:
    path = os.pathsep.join([*map(str, reversed(_PACKAGED)), os.environ.get("PATH", "")])
    return shutil.which(name, path=path)


@contextmanager
def running() -> Iterator[Server]:
    """Start a server for the duration of the context; skip if there is none on this machine."""
    pytest.importorskip("psycopg", reason="the driver psycopg is not installed")
    initdb, control = _program("initdb"), _program("pg_ctl")
    if initdb is None or control is None:
        pytest.skip("no server of PostgreSQL is installed (initdb and pg_ctl)")
    user: dict[str, Any] = {}
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    if os.getuid() == 0:  # which the server refuses
        names = [entry.pw_name for entry in pwd.getpwall()]
        entry = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}

    def run(*command: str) -> None:
        done = subprocess.run(
            command, cwd=folder, text=True, timeout=120, check=False, stdout=log, stderr=log, **user
        )
        assert done.returncode == 0, Path(log.name).read_text("utf-8")

    try:
        (folder / "password").write_text(PASSWORD, "utf-8")
        data = str(folder / "data")
        with (folder / "log").open("w", encoding="utf-8") as log:
            passwords = ["--auth=scram-sha-256", f"--pwfile={folder / 'password'}"]
            run(initdb, "-D", data, "-U", "owner", "-N", "-E", "UTF8", "--no-locale", *passwords)
            options = f"-k {folder} -c listen_addresses='' -c port={PORT} -c fsync=off"
            run(control, "-D", data, "-w", "-o", options, "-l", f"{data}/log", "start")
            try:
                server = Server(folder)
                with server.owner() as connection:
                    connection.execute(f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'")
                yield server
            finally:
                run(control, "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
