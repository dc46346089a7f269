"""Connections to engines: which ones a spec can use, and whose host and credentials apply."""

from __future__ import annotations

import math
import os
import re
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from semiaudit import deadline
from semiaudit.data.data_faults import DataFault, data_error
from semiaudit.data.files import settings
from semiaudit.data.query_interrupts import interruptible, raise_interrupt
from semiaudit.errors import OutOfMemoryError, SemiauditError, raise_full_memory
from semiaudit.frozen import dataclass
from semiaudit.model.data_source import CONFINED, ENGINES, FILE_ENGINES, Access, engine_named
from semiaudit.paths import REMEDY, KindError, OutsideError, opened, path_inside

if TYPE_CHECKING:
    from ibis import BaseBackend

ENVIRONMENT = "SEMIAUDIT_ENGINE_"
"""The prefix of the variables with a server's URL and credentials."""

_SHORTEST_SCRUBBED = 4

_SERVER_PATH = re.compile(r"(/[\w.$-]*)*", re.ASCII)
"""A database and a schema, without anything that a driver could parse as an option."""

STEPS_BETWEEN_LOOKS = 100_000
"""The steps of SQLite's virtual machine between Python's checks for signals in a long query."""

_LOOKS_FOR_CLIENT, _AFTER_DEADLINE = 1000, 1000
"""Milliseconds between a server's looks for its client in a query, and of a query after the
deadline."""

LIMITS_OF_SQLITE = {
    sqlite3.SQLITE_LIMIT_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
}
"""Bytes of a text that a query computes or reads, and of a pattern: one step of SQLite's virtual
machine is not interrupted, and takes at most a time that grows with the square of them."""

NO_DATABASE = DataFault("there is no such database file", "correct the path")

_MAGIC = {"duckdb": (8, b"DUCK"), "sqlite": (0, b"SQLite format 3\0")}
"""The signature of a database file of each engine; DuckDB loads extensions for others."""

_HEAD = 32
"""The bytes at the beginning of a database file that are checked."""

_LOGS = {"duckdb": (".wal",), "sqlite": ("-wal", "-journal")}
"""Suffixes of the files next to a database that was not closed."""


def engine_of(url: str) -> str:
    """Return the engine of a connection URL by its scheme; empty if it is unknown."""
    scheme, separator, _ = url.partition("://")
    return engine_named(scheme) if separator else ""


def _refusal_of(url: str, access: Access) -> DataFault | None:
    """The finding never quotes the URL, which can contain a password."""
    engine = engine_of(url)
    if not engine:
        names = ", ".join(ENGINES)
        what = "the engine is not a connection URL of a known engine"
        return DataFault(what, f"write it as duckdb://path.db; known are {names}")
    if engine not in access.engines:
        what = f"reading from the engine {engine} is not allowed"
        return DataFault(what, f"allow it with --allow-engine {engine}, if you trust the spec")
    return None


@dataclass(frozen=True, slots=True, repr=False)
class EngineAddress:
    """The address of an engine.

    Attributes:
        url: the whole URL of a server, with its secrets; never printed.
        engine: the name that Ibis has for the engine.
        file: the database file, if the engine reads a file.
        shown: the URL in the spec, which contains no secret.
        secrets: the parts that no message can contain.
        access: the caller's permissions.
    """

    url: str
    engine: str
    file: Path | None
    shown: str
    secrets: tuple[str, ...]
    access: Access

    @classmethod
    def of(
        cls,
        url: str,
        folder: Path,
        access: Access = CONFINED,
        environment: Mapping[str, str] = os.environ,
    ) -> EngineAddress:
        """Parse a connection URL.

        Args:
            url: ``scheme://...``; for a server, only its host and database.
            folder: the base folder of the path of a database file.
            access: the caller's permissions.
            environment: contains the URL with the credentials of each allowed server.

        Raises:
            SpecError: it names an unknown engine, one that is not allowed, options, credentials, a
                server that the environment does not name, or a missing file.
        """
        refusal = _refusal_of(url, access)
        if refusal is not None:
            raise data_error("data", [refusal])
        engine = engine_of(url)
        rest = url.partition("://")[2]
        if "@" in rest and engine not in FILE_ENGINES:
            what = f"the URL of {engine} contains credentials"
            remedy = f"remove them, and set them in the variable {ENVIRONMENT}{engine.upper()}"
            raise data_error("data", [DataFault(what, remedy)])
        if any(mark in rest for mark in "?#"):
            what = f"the URL of {engine} contains options"
            remedy = "remove them: a spec cannot configure an engine"
            raise data_error("data", [DataFault(what, remedy)])
        if engine in FILE_ENGINES:
            return cls._of_file(engine, rest, folder, access)
        return cls._of_server(engine, url, access, environment)

    @classmethod
    def _of_file(cls, engine: str, path: str, folder: Path, access: Access) -> EngineAddress:
        shown = f"{engine}://{path}"
        try:
            file = path_inside(folder, path, access.root)
        except OutsideError as error:
            raise data_error(shown, [DataFault(str(error), REMEDY)]) from None
        finding = _fault_of_database(engine, file) if path else NO_DATABASE
        if finding is not None:
            raise data_error(shown, [finding])
        return cls("", engine, file.resolve(), shown, (), access)

    @classmethod
    def _of_server(
        cls, engine: str, url: str, access: Access, environment: Mapping[str, str]
    ) -> EngineAddress:
        variable = ENVIRONMENT + engine.upper()
        ours, theirs = environment.get(variable, ""), _parts(url)
        if theirs is None or not _SERVER_PATH.fullmatch(theirs.path):
            finding = DataFault(
                f"the URL of {engine} is malformed", "write host, port, and database"
            )
            raise data_error("data", [finding])
        shown = f"{engine}://{_host(theirs)}{theirs.path}"
        own = _parts(ours)
        if own is None or own.fragment or not own.scheme or _host(own) != _host(theirs):
            what = (
                "the environment names another server"
                if ours
                else "the environment names no server"
            )
            remedy = f"set {variable} to {engine}://USER:PASSWORD@HOST with the spec's host"
            if ours and (own is None or own.fragment or "@" in own.path + own.query):
                what = f"{variable} is not a URL"
                remedy = "in the user name and the password, write % as %25, # as %23, / as %2F, "
                remedy += "? as %3F, @ as %40, and : as %3A"
            elif own is not None and own.hostname == theirs.hostname and ours:
                what = f"the spec and {variable} name different ports, or only one names a port"
                remedy = "write the same port in both, or none"
            raise data_error(shown, [DataFault(what, remedy)])
        whole = theirs._replace(netloc=own.netloc, query=own.query).geturl()
        named = (own.username, own.password, *(value for _, value in parse_qsl(own.query)))
        raw = [value for value in named if value]
        raw += [pair.partition("=")[2] for pair in own.query.split("&")]
        secrets = {form for text in raw for form in (text, unquote(text), quote(text, safe=""))}
        ordered = tuple(sorted(secrets - {""}, key=len, reverse=True))
        return cls(whole, engine, None, shown, ordered, access)

    def scrubbed(self, error: BaseException) -> str:
        """Return the first line of a driver's message, without secrets."""
        message = str(error).strip().partition("\n")[0] or type(error).__name__
        if any(len(secret) < _SHORTEST_SCRUBBED for secret in self.secrets):
            return type(error).__name__
        for text in (self.url, *self.secrets):
            message = message.replace(text, "***") if text else message
        return message if self.file is None else message.replace(str(self.file), self.shown)


def _fault_of_database(engine: str, file: Path) -> DataFault | None:
    """Return why a file is not a database that can be read alone; None if it is one."""
    try:
        place, magic = _MAGIC[engine]
        with opened(file) as stream:
            head = stream.read(_HEAD)
    except KindError as error:
        return DataFault(str(error.strerror), error.remedy)
    except (OSError, ValueError):
        return NO_DATABASE
    if engine == "sqlite" and head[18:20] == b"\2\2":
        what = "is in WAL mode, in which reading writes other files"
        return DataFault(what, "switch it: PRAGMA journal_mode = DELETE")
    if head[place : place + len(magic)] != magic:
        return DataFault(f"is not a database file of {engine}", "name one, or use another engine")
    real = file.resolve()
    if any(os.path.lexists(f"{name}{end}") for name in (file, real) for end in _LOGS[engine]):
        what = "was not closed: it still has a log of changes"
        return DataFault(
            what,
            "close the programs that write to it, so that the log is written into the database",
        )
    return None


def _parts(url: str) -> SplitResult | None:
    """Parse a URL; None if it is malformed."""
    try:
        parts = urlsplit(url)
        return parts if parts.port is None or parts.port >= 0 else None
    except ValueError:
        return None


def _host(parts: SplitResult) -> str:
    return f"{parts.hostname or ''}{'' if parts.port is None else f':{parts.port}'}"


@contextmanager
def engine_errors(address: EngineAddress, where: str, what: str, remedy: str) -> Iterator[None]:
    """Turn every error of a driver into a problem without the URL's secrets.

    Deprecation warnings of libraries below Ibis are suppressed: users cannot act on them.

    Args:
        address: the address of the engine.
        where: the file that the problem names.
        what: a description of the problem.
        remedy: what to do about it.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    except SemiauditError:
        raise
    except ImportError as error:
        _raise_full_memory(error, address, where)
        missing = "the driver of the engine is not installed"
        needed = f"pip install 'ibis-framework[{address.engine}]'"
        raise data_error(where, [DataFault(missing, needed)]) from None
    except Exception as error:  # noqa: BLE001 - drivers raise errors of every kind
        raise_interrupt(error)
        _raise_full_memory(error, address, where)
        if type(error).__name__ == "OutOfMemoryException":  # DuckDB keeps a limit of its own
            what, remedy = (
                "the engine has too little memory or disk space for it",
                "read a smaller table",
            )
        elif "too big" in str(error) or "pattern too complex" in str(error):  # SQLite's limits
            what, remedy = "it has a text or a pattern that is too long", "shorten its texts"
        quoted = f"{what} ({address.scrubbed(error)})"
        finding = DataFault(f"{what} ({type(error).__name__})", remedy, quoted=quoted)
        raise data_error(where, [finding], show_values=address.access.show_values) from None


def _raise_full_memory(error: Exception, address: EngineAddress, where: str) -> None:
    try:
        raise_full_memory(error)
    except MemoryError:
        raise OutOfMemoryError(f"{where}: {address.engine} ran out of memory") from None


def is_plain_table(address: EngineAddress, backend: BaseBackend, schema: str, name: str) -> bool:
    """Return whether a table contains only stored values, so that messages can quote them.

    A view or a generated column of DuckDB can compute a folder of this machine, from the engine's
    settings. DuckDB before 2.0 does not say which columns are generated; there each column with an
    expression counts. SQLite does not allow such functions in views, and a server knows only its
    own machine.
    """
    if address.engine != "duckdb":
        return True
    table = (schema.lower() or "main", name.lower())
    tables = backend.raw_sql(
        "SELECT table_schema, table_name FROM system.information_schema.tables "
        "WHERE table_type = 'BASE TABLE'"
    ).fetchall()
    generated = backend.raw_sql(
        "SELECT table_schema, table_name FROM system.information_schema.columns "
        "WHERE is_generated IS DISTINCT FROM 'NEVER' AND column_default IS NOT NULL"
    ).fetchall()
    return table in _lowered(tables) and table not in _lowered(generated)


def _lowered(names: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    return {(schema.lower(), name.lower()) for schema, name in names}


@contextmanager
def connected(address: EngineAddress, spill: str) -> Iterator[BaseBackend]:
    """Open a connection of Ibis to an engine, and close it at the end.

    A database file is only read.

    The views of a file can reach only the database: no other file, no network, no extension.

    Args:
        address: the address of the engine.
        spill: a folder for data that an embedded engine cannot keep in memory.

    Raises:
        SpecError: Ibis or the driver is not installed, or the connection fails.
    """
    backend = _connect(address, spill)
    try:
        with interruptible(ending_query(address, backend)):
            yield backend
    finally:
        # Some backends of Ibis have nothing to close, and show this in one of these ways.
        with suppress(AttributeError, NotImplementedError):
            backend.disconnect()


def ending_query(address: EngineAddress, backend: BaseBackend) -> Callable[[], object]:
    """Return what ends a running query of DuckDB, SQLite, or PostgreSQL; of others, nothing."""
    connection = getattr(backend, "con", None)
    name = "cancel" if address.engine == "postgres" else "interrupt"
    interrupt = getattr(connection, name, None)

    def end() -> None:
        with suppress(Exception):  # a lost connection has no query, and the query reports it
            if callable(interrupt):
                interrupt()

    return end


def _limit_statements(backend: BaseBackend) -> None:
    """Let PostgreSQL end a statement soon after the deadline, or once this process is gone.

    The client cancels at the deadline, so the server's own limit comes later; a shorter one of the
    role stays. Older servers than 14 do not look for clients that are gone.
    """
    limits = {"client_connection_check_interval": _LOOKS_FOR_CLIENT}
    left = deadline.current().left
    if math.isfinite(left):
        limits["statement_timeout"] = math.ceil(1000 * left) + _AFTER_DEADLINE
    for name, limit in limits.items():
        backend.con.execute(
            "SELECT set_config(name, %s::text, false) FROM pg_settings WHERE name = %s "
            "AND (setting::bigint = 0 OR setting::bigint > %s)",
            (limit, name, limit),
        )
    backend.con.execute("SET default_transaction_read_only = on")


def _connect(address: EngineAddress, spill: str) -> BaseBackend:
    try:
        import ibis
    except ModuleNotFoundError:
        finding = DataFault("reading from an engine needs Ibis", "pip install 'semiaudit[remote]'")
        raise data_error(address.shown, [finding]) from None
    with engine_errors(
        address, address.shown, "cannot connect", "correct the URL, or start the engine"
    ):
        if address.file is None:
            backend = ibis.connect(address.url)
            if address.engine == "postgres":
                _limit_statements(backend)
            return backend
        if address.engine == "sqlite":
            return ibis.sqlite.from_connection(_sqlite(address.file))
        backend = ibis.duckdb.connect(address.file, read_only=True, **settings(spill))
        backend.raw_sql("SET enable_external_access = false")
        backend.raw_sql("SET lock_configuration = true")
        return backend


def _sqlite(file: Path) -> sqlite3.Connection:
    """Open one database file for reading; its views can call only SQLite's own functions."""
    connection = sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)
    connection.execute("PRAGMA trusted_schema = OFF")
    for limit, most in LIMITS_OF_SQLITE.items():
        connection.setlimit(limit, most)
    # Signal handlers run between Python's own instructions, of which a long query has none.
    connection.set_progress_handler(lambda: 0, STEPS_BETWEEN_LOOKS)
    return connection
