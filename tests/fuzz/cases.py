"""Files and a command line: one use of the program, with secrets where it must not quote."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.damage import damaged, written
from tests.fuzz.specs import Space, budgets, explicit_specs, spaces, table_specs

SECRET = "zqx-secret-7731"
"""Planted in data, in tables that nobody names, and outside: nothing that is printed has it."""

SPEC = "release.semiaudit.yaml"
LIMITS = ("--time-limit", "2")
SPOILED = 5
"""One input in so many is spoiled."""


@dataclass(frozen=True)
class Case:
    """One use.

    Attributes:
        files: contents by name, relative to a new folder; a callable writes the file itself.
        arguments: of the command line, run in the folder ``work``.
        seconds: that it may take beyond the limits that stand in the arguments.
    """

    kind: str
    files: dict[str, bytes | Callable[[str], None]]
    arguments: tuple[str, ...]
    secrets: tuple[str, ...] = field(default=(SECRET,))


@st.composite
def text_of(draw: st.DrawFn, tree: Any) -> bytes:
    if draw(st.integers(1, SPOILED)) == 1:
        return draw(damaged(tree))
    return written(tree).encode()


def formats(command: str) -> st.SearchStrategy[tuple[str, ...]]:
    names = ["text", "json", "json", "markdown", "csv", "latex"]
    if command != "analyze":
        names += ["sarif", "junit", "github"]
    return st.sampled_from([("--format", name) for name in names])


@st.composite
def plain(draw: st.DrawFn) -> Case:
    """`analyze` of a spec that needs no file."""
    tree = draw(st.one_of(table_specs(draw(spaces()), None), explicit_specs()))
    arguments = ("analyze", SPEC, *LIMITS, *draw(formats("analyze")))
    return Case("spec", {f"work/{SPEC}": draw(text_of(tree))}, arguments)


def rows_of(space: Space, table: bool) -> list[list[Any]]:
    """A table's rows, or a record's each; a column that nobody reads holds the secret."""
    head = [*space.levels, *(["count"] if table else []), "remark"]
    body: list[list[Any]] = []
    for cell, count in zip(space.cells(), space.counts, strict=True):
        if table:
            body.append([*cell, count, SECRET])
        else:
            body += [[*cell, SECRET] for _ in range(min(count, 50))]
    return [head, *body]


def csv_bytes(rows: list[list[Any]]) -> bytes:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue().encode()


@st.composite
def spoiled_rows(draw: st.DrawFn, rows: list[list[Any]]) -> list[list[Any]]:
    """Rows with the secret in the place of a level or a count, a row too many, or one too short."""
    found = [list(row) for row in rows]
    row = draw(st.integers(0, len(found) - 1))
    match draw(st.sampled_from(["value", "twice", "short", "none"])):
        case "value":
            found[row][draw(st.integers(0, len(found[row]) - 1))] = SECRET
        case "twice":
            found.append(list(found[row]))
        case "short":
            found[row].pop()
        case _:
            del found[1:]
    return found


def parquet(rows: list[list[Any]]) -> Callable[[str], None]:
    def write(path: str) -> None:
        import pyarrow as pa
        from pyarrow import parquet as pq

        head, *body = rows
        whole = [row for row in body if len(row) == len(head)]
        columns = {
            str(name): pa.array([str(row[k]) if name != "count" else row[k] for row in whole])
            for k, name in enumerate(head)
            if name != "count" or all(isinstance(row[k], int) for row in whole)
        }
        pq.write_table(pa.table(columns), path)

    return write


def database(engine: str, rows: list[list[Any]]) -> Callable[[str], None]:
    """A database file with the table ``cells``, and one that nobody may see."""

    def write(path: str) -> None:
        head, *body = rows
        marks = ", ".join("?" for _ in head)
        whole = [row for row in body if len(row) == len(head)]
        place = head.index("count") if "count" in head else -1
        counted = all(isinstance(row[place], int) for row in whole)
        kinds = ["BIGINT" if name == "count" and counted else "TEXT" for name in head]
        whole = [
            [
                value if kind == "BIGINT" else str(value)
                for value, kind in zip(row, kinds, strict=True)
            ]
            for row in whole
        ]
        quoted = ['"' + str(name).replace('"', '""') + '"' for name in head]
        names = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, kinds, strict=True))
        connection: Any
        if engine == "sqlite":
            import sqlite3

            connection = sqlite3.connect(path)
        else:
            import duckdb

            connection = duckdb.connect(path)
        connection.execute(f"CREATE TABLE cells ({names})")
        if whole:
            connection.executemany(f"INSERT INTO cells VALUES ({marks})", whole)
        connection.execute("CREATE TABLE salaries (who TEXT)")
        connection.execute(f"INSERT INTO salaries VALUES ('{SECRET}')")
        connection.commit()
        connection.close()

    return write


@st.composite
def with_data(draw: st.DrawFn, form: str) -> Case:
    """`analyze` of a spec whose counts lie in a file or in a database."""
    space = draw(spaces(8))
    table = form in ("duckdb", "sqlite") or draw(st.booleans())
    rows = rows_of(space, table)
    if draw(st.integers(1, SPOILED)) == 1:
        rows = draw(spoiled_rows(rows))
    key = "table" if table else "records"
    name = f"data.{form}"
    extra: tuple[str, ...] = ()
    content: bytes | Callable[[str], None]
    if form == "csv":
        content, data = csv_bytes(rows), {key: name}
    elif form == "parquet":
        content, data = parquet(rows), {key: name}
    else:
        content, data = database(form, rows), {key: "cells", "engine": f"{form}://{name}"}
        extra = ("--allow-engine", form) if draw(st.integers(0, 19)) else ()
        if draw(st.integers(0, 19)) == 0:
            data[key] = draw(st.sampled_from(["salaries", "none", "main.cells", "a;b"]))
    outside = draw(st.integers(0, 29)) == 0
    if outside:
        data[key] = f"../{name}"
    tree = draw(table_specs(space, data))
    files = {
        f"work/{SPEC}": written(tree).encode(),
        f"work/{name}": content,
        f"{name}": csv_bytes([[*space.levels, "count"], [SECRET, SECRET]]),
    }
    return Case(form, files, ("analyze", SPEC, *LIMITS, *extra, *draw(formats("analyze"))))


@st.composite
def gated(draw: st.DrawFn) -> Case:
    """`check` with a policy, waivers and a baseline."""
    tree = draw(table_specs(draw(spaces()), None))
    spec = written(tree).encode()
    files: dict[str, bytes | Callable[[str], None]] = {f"work/{SPEC}": spec}
    arguments: tuple[str, ...] = ("check", SPEC, *LIMITS, *draw(formats("check")))
    if draw(st.booleans()):
        least = draw(st.sampled_from([{}, {"metric": "hamming"}, {"reading": "covering"}]))
        policy = {"semiaudit_policy": 1, "least": least, "budgets": draw(budgets())}
        policy = {key: value for key, value in policy.items() if value}
        files["work/policy.yaml"] = draw(text_of(policy))
        arguments += ("--policy", "policy.yaml")
    if draw(st.booleans()):
        waiver = {
            "rule": draw(st.sampled_from(["SA013", "SA014", "SA027"])),
            "framework": "semi_dp",
            "measure": "rho",
            "accepted": "100",
            "spec": SPEC,
            "sha256": hashlib.sha256(spec).hexdigest(),
            "reason": "agreed",
            "approver": "board",
            "expires": draw(st.sampled_from(["2030-01-31", "2001-01-31"])),
        }
        files["work/waivers.yaml"] = draw(text_of({"semiaudit_waivers": 1, "waivers": [waiver]}))
        arguments += ("--waivers", "waivers.yaml")
    if draw(st.integers(0, 4)) == 0:
        row = {"framework": "semi_dp", "zcdp": {"rho": draw(st.sampled_from([0.5, 1e9, None]))}}
        files["work/earlier.json"] = draw(text_of({"spec": {"path": SPEC}, "guarantees": [row]}))
        arguments += ("--baseline", "earlier.json")
    return Case("check", files, arguments)


@st.composite
def batches(draw: st.DrawFn) -> Case:
    """`batch` of some specs, of which some are spoiled."""
    files: dict[str, bytes | Callable[[str], None]] = {}
    for number in range(draw(st.integers(1, 3))):
        tree = draw(st.one_of(table_specs(draw(spaces()), None), explicit_specs()))
        files[f"work/specs/{number}.semiaudit.yaml"] = draw(text_of(tree))
    name = draw(st.sampled_from(["json", "csv", "text", "sarif"]))
    return Case("batch", files, ("batch", "specs", "--jobs", "1", *LIMITS, "--format", name))


KINDS: dict[str, st.SearchStrategy[Case]] = {
    "spec": plain(),
    "csv": with_data("csv"),
    "parquet": with_data("parquet"),
    "duckdb": with_data("duckdb"),
    "sqlite": with_data("sqlite"),
    "check": gated(),
    "batch": batches(),
}
