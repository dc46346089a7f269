"""Connection URLs: what they lead to, and how they are shown without what is secret in them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from semiaudit.data.files import settings
from semiaudit.data.findings import Finding, data_error
from semiaudit.errors import SemiauditError

if TYPE_CHECKING:
    from ibis import BaseBackend

_FILE_ENGINES = frozenset({"duckdb", "sqlite"})
_CLOUD_DATABASES = ("md:", "motherduck:")
_SHORTEST_SCRUBBED = 4


@dataclass(frozen=True, slots=True, repr=False)
class Address:
    """Where an engine is.

    Attributes:
        url: the whole URL, with its secrets; never printed.
        engine: the name that Ibis has for the engine.
        file: the database file, where the engine is one that reads a file.
        shown: the URL without user, password and options.
        secrets: the parts that no message may hold.
    """

    url: str
    engine: str
    file: Path | None
    shown: str
    secrets: tuple[str, ...]

    @classmethod
    def of(cls, url: str, folder: Path) -> Address:
        """Take a connection URL apart.

        Args:
            url: ``scheme://...`` as Ibis reads it.
            folder: what the path of a database file is relative to.

        Raises:
            SpecError: it is no URL, or names a database file that is not there.
        """
        engine, separator, rest = url.partition("://")
        if not separator or not engine.isidentifier():
            message = "the engine is no connection URL"
            raise data_error("data", [Finding(message, "write it as duckdb://path.db")])
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
            if engine not in _FILE_ENGINES and parts.port:
                host = f"{host}:{parts.port}"
            behind = (parts.path, parts.query, parts.fragment)
            if engine not in _FILE_ENGINES and any("@" in part for part in behind):
                raise ValueError("a part of the password stands behind the host")
        except ValueError:
            message = f"the connection URL of {engine} is malformed"
            remedy = (
                "correct its host and port; write @ : / ? # in a password as %40 %3A %2F %3F %23"
            )
            raise data_error("data", [Finding(message, remedy)]) from None
        path = rest.partition("?")[0].partition("#")[0]
        local = engine in _FILE_ENGINES
        in_file = local and not path.startswith(_CLOUD_DATABASES)
        shown = f"{engine}://{path if local else host + parts.path}"
        user = parts.username if parts.password is None else parts.password
        raw = [value for value in (user, *(v for _, v in parse_qsl(parts.query))) if value]
        raw += [pair.partition("=")[2] for pair in parts.query.split("&")]
        secrets = {form for text in raw for form in (text, unquote(text), quote(text, safe=""))}
        ordered = tuple(sorted(secrets - {""}, key=len, reverse=True))
        engine = engine.replace("postgresql", "postgres")
        file = folder / path if in_file else None
        if file is not None and not (path and file.is_file()):
            message = "there is no such database file"
            raise data_error(shown, [Finding(message, "correct the path")])
        return cls(url, engine, file, shown, ordered)

    def scrubbed(self, error: BaseException) -> str:
        """The first line of what a driver says, without anything secret."""
        said = str(error).strip().partition("\n")[0] or type(error).__name__
        if any(len(secret) < _SHORTEST_SCRUBBED for secret in self.secrets):
            return type(error).__name__
        for text in (self.url, *self.secrets):
            said = said.replace(text, "***")
        return said


class Told:
    """A context that turns whatever a driver raises into a problem without the URL's secrets.

    Libraries below Ibis warn each other of what they will remove; nobody can act on it here.

    Args:
        address: where the engine is.
        where: what the problem names as its file.
        what: what is wrong, as far as we can tell.
        remedy: what to do about it.
    """

    def __init__(self, address: Address, where: str, what: str, remedy: str) -> None:
        self._address, self._where, self._what, self._remedy = address, where, what, remedy
        self._quiet = warnings.catch_warnings(action="ignore")

    def __enter__(self) -> None:
        self._quiet.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._quiet.__exit__(kind, error, trace)
        if isinstance(error, ImportError):
            remedy = f"pip install 'ibis-framework[{self._address.engine}]'"
            raise data_error(
                self._where, [Finding("the driver of the engine is not installed", remedy)]
            ) from None
        if isinstance(error, Exception) and not isinstance(error, SemiauditError):
            message = f"{self._what} ({self._address.scrubbed(error)})"
            raise data_error(self._where, [Finding(message, self._remedy)]) from None


@contextmanager
def connected(address: Address, spill: str) -> Iterator[BaseBackend]:
    """A connection of Ibis to an engine, closed at the end; a database file is only read.

    Args:
        address: where the engine is.
        spill: a folder for what an embedded engine cannot keep in memory.

    Raises:
        SpecError: Ibis or the driver is not installed, Ibis knows no such engine, or the
            connection fails.
    """
    backend = _connect(address, spill)
    try:
        yield backend
    finally:
        with suppress(AttributeError, NotImplementedError):
            backend.disconnect()


def _connect(address: Address, spill: str) -> BaseBackend:
    try:
        import ibis
    except ModuleNotFoundError:
        finding = Finding("reading from an engine needs Ibis", "pip install 'semiaudit[remote]'")
        raise data_error(address.shown, [finding]) from None
    known = {entry.name for entry in entry_points(group="ibis.backends")}
    if address.engine not in known:
        names = ", ".join(sorted(known))
        finding = Finding("Ibis knows no such engine", f"name one of {names}")
        raise data_error(address.shown, [finding])
    with Told(address, address.shown, "cannot connect", "correct the URL, or start the engine"):
        if address.file is None:
            return ibis.connect(address.url)
        if address.engine == "sqlite":
            return ibis.sqlite.connect(address.file)
        return ibis.duckdb.connect(address.file, read_only=True, **settings(spill))
