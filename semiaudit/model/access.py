"""What an audit may reach and print in addition to its spec. The default is nothing."""

from __future__ import annotations

from dataclasses import dataclass

FILE_ENGINES = ("duckdb", "sqlite")
"""Engines that read a database file in this process."""

SERVER_ENGINES = (
    "bigquery",
    "clickhouse",
    "databricks",
    "exasol",
    "impala",
    "mssql",
    "mysql",
    "oracle",
    "postgres",
    "risingwave",
    "singlestoredb",
    "snowflake",
    "trino",
)
"""Engines that run elsewhere: nothing but their client runs in this process."""

ENGINES = (*FILE_ENGINES, *SERVER_ENGINES)


def engine_named(scheme: str) -> str:
    """The engine that the scheme of a URL names; empty if it is none that we know."""
    name = "postgres" if scheme == "postgresql" else scheme
    return name if name in ENGINES else ""


@dataclass(frozen=True, slots=True)
class Access:
    """What the caller of an audit allows its spec to reach.

    Attributes:
        root: a folder in which files may lie that specs name; empty for each spec's own alone.
        engines: the schemes of the URLs of engines that specs may read from, in order.
        show_values: whether messages quote values of data files and of engines.
    """

    root: str = ""
    engines: tuple[str, ...] = ()
    show_values: bool = False

    def __post_init__(self) -> None:
        named = {scheme: engine_named(scheme) for scheme in self.engines}
        unknown = [scheme for scheme, name in named.items() if not name]
        if unknown:
            raise ValueError(f"no engine {unknown[0]!r}; known are {', '.join(ENGINES)}")
        object.__setattr__(self, "engines", tuple(sorted(set(named.values()))))


CONFINED = Access()
"""The spec's own folder, no engine, no value in a message."""
