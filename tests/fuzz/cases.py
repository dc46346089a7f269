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
from tests.fuzz.specs import Space, budgets, explicit_specs, rarely, spaces, table_specs

SECRET = "zqx-secret-7731"
"""Planted in data, in tables that nobody names, and outside: nothing that is printed has it."""

SPEC = "release.semiaudit.yaml"
Files = dict[str, bytes | Callable[[str], None]]
"""Contents by name, relative to a new folder; a callable writes the file itself."""

LIMITS = (0.1, 0.2, 0.05)
"""Seconds for the computations of a spec."""

LIMITS_WITH_DATA = (0.5, 1.0)
"""The same, where data are counted first."""

SPOILED = 3
"""One input in so many is spoiled."""

SPOILED_ROWS = 5
"""One data file in so many: its name, its place and its spec may be wrong besides."""

MOST_RECORDS = 50
"""Of one cell, where every record is a row."""


@dataclass(frozen=True)
class Case:
    """One use.

    Attributes:
        arguments: of the command line, run in the folder ``work``.
        limit: the seconds that ``--time-limit`` of the command line gives.
        secrets: what may not be printed.
    """

    kind: str
    files: Files
    arguments: tuple[str, ...]
    limit: float
    secrets: tuple[str, ...] = field(default=(SECRET,))


@st.composite
def text_of(draw: st.DrawFn, tree: Any) -> bytes:
    if rarely(draw, SPOILED):
        return draw(damaged(tree))
    return written(tree).encode()


def formats(command: str) -> st.SearchStrategy[tuple[str, ...]]:
    names = ["text", "json", "json", "markdown", "csv", "latex"]
    if command != "analyze":
        names += ["sarif", "junit", "github"]
    return st.sampled_from([("--format", name) for name in names])


@st.composite
def used(
    draw: st.DrawFn,
    kind: str,
    files: Files,
    command: str,
    arguments: tuple[str, ...] = (),
    limits: tuple[float, ...] = LIMITS,
) -> Case:
    """A command on the spec, with a time limit and a format."""
    limit = draw(st.sampled_from(limits))
    written_as = draw(formats(command))
    line = (command, SPEC, "--time-limit", f"{limit:g}", *arguments, *written_as)
    return Case(kind, files, line, limit)


@st.composite
def plain(draw: st.DrawFn) -> Case:
    """`analyze` of a spec that needs no file."""
    tree = draw(explicit_specs()) if rarely(draw, 4) else draw(table_specs(draw(spaces()), None))
    return draw(used("spec", {f"work/{SPEC}": draw(text_of(tree))}, "analyze"))


def rows_of(space: Space, table: bool) -> list[list[Any]]:
    """A table's rows, or a record's each; a column that nobody reads holds the secret."""
    head = [*space.levels, *(["count"] if table else []), "remark"]
    body: list[list[Any]] = []
    for cell, count in zip(space.cells(), space.counts, strict=True):
        if table:
            body.append([*cell, count, SECRET])
        else:
            body += [[*cell, SECRET] for _ in range(count)]
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
    table = form in ("duckdb", "sqlite") or draw(st.booleans())
    space = draw(spaces(8) if table else spaces(8, MOST_RECORDS))
    rows = rows_of(space, table)
    if rarely(draw, SPOILED_ROWS):
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
        extra = () if rarely(draw, 20) else ("--allow-engine", form)
        if rarely(draw, 20):
            data[key] = draw(st.sampled_from(["salaries", "none", "main.cells", "a;b"]))
    if rarely(draw, 30):
        data[key] = f"../{name}"
    tree = draw(table_specs(space, data))
    files: Files = {
        f"work/{SPEC}": written(tree).encode(),
        f"work/{name}": content,
        f"{name}": csv_bytes([[*space.levels, "count"], [SECRET, SECRET]]),
    }
    return draw(used(form, files, "analyze", extra, LIMITS_WITH_DATA))


@st.composite
def gated(draw: st.DrawFn) -> Case:
    """`check` with a policy, waivers and a baseline, of which one is spoiled now and then."""
    tree = draw(table_specs(draw(spaces()), None))
    spec = written(tree).encode()
    files: Files = {f"work/{SPEC}": spec}
    arguments: tuple[str, ...] = ()
    beside = draw(st.lists(st.sampled_from(["policy", "waivers", "baseline"]), unique=True))
    spoiled = draw(st.sampled_from(beside)) if beside and rarely(draw, SPOILED) else None
    for option in beside:
        match option:
            case "policy":
                content, name = draw(policies()), "policy.yaml"
            case "waivers":
                content, name = draw(waivers(spec)), "waivers.yaml"
            case _:
                content, name = draw(earlier(tree)), "earlier.json"
        text = draw(damaged(content)) if option == spoiled else written(content).encode()
        files[f"work/{name}"] = text
        arguments += (f"--{option}", name)
    return draw(used("check", files, "check", arguments))


@st.composite
def policies(draw: st.DrawFn) -> dict[str, Any]:
    least = draw(st.sampled_from([{}, {"metric": "hamming"}, {"reading": "covering"}]))
    found = {"semiaudit_policy": 1, "least": least, "budgets": draw(budgets(0 if least else 1))}
    return {key: value for key, value in found.items() if value}


@st.composite
def waivers(draw: st.DrawFn, spec: bytes) -> dict[str, Any]:
    """One waiver: of a failing budget, of drift, or of a finding."""
    rule = draw(st.sampled_from(["SA013", "SA014", "SA027", "SA001"]))
    waiver = {
        "rule": rule,
        "spec": SPEC,
        "sha256": hashlib.sha256(spec).hexdigest(),
        "reason": "agreed",
        "approver": "board",
        "expires": draw(st.sampled_from(["2030-01-31", "2030-01-31", "2001-01-31"])),
    }
    if rule != "SA001" or rarely(draw, 10):
        waiver |= {"framework": "semi_dp", "measure": "rho", "accepted": "100"}
    return {"semiaudit_waivers": 1, "waivers": [waiver]}


@st.composite
def earlier(draw: st.DrawFn, tree: dict[str, Any]) -> dict[str, Any]:
    """A report of an earlier audit of the spec, as far as `check` reads it."""
    rho = draw(st.sampled_from([{"rho": 0.5}, {"rho": 1e9}, {"rho": "inf"}, None]))
    row = {
        "framework": draw(st.sampled_from(["semi_dp", "nominal_dp"])),
        "distance": draw(st.integers(1, 4)),
        "refused": False,
        "pure_dp": None,
        "zcdp": rho,
        "gdp": None,
        "approx_dp": [],
        "advantage": draw(st.sampled_from([None, 0.5, 1])),
        "tpr_at_fpr": [],
    }
    return {
        "schema_version": 1,
        "tool": {"name": "semiaudit"},
        "spec": {"path": SPEC},
        "semi_adjacency": {
            "covering": {"upper": 2},
            "value": 2,
            "metric": tree["adjacency"]["metric"],
            "reading": tree["adjacency"]["reading"],
        },
        "guarantees": [row],
        "budgets": [],
        "invariants": [],
    }


@st.composite
def batches(draw: st.DrawFn) -> Case:
    """`batch` of some specs, of which some are spoiled."""
    files: Files = {}
    for number in range(draw(st.integers(1, 3))):
        tree = draw(table_specs(draw(spaces()), None))
        files[f"work/specs/{number}.semiaudit.yaml"] = draw(text_of(tree))
    name = draw(st.sampled_from(["json", "csv", "text", "sarif"]))
    limit = draw(st.sampled_from(LIMITS))
    arguments = ("batch", "specs", "--jobs", "1", "--time-limit", f"{limit:g}", "--format", name)
    return Case("batch", files, arguments, limit)


KINDS: dict[str, st.SearchStrategy[Case]] = {
    "spec": plain(),
    "csv": with_data("csv"),
    "parquet": with_data("parquet"),
    "duckdb": with_data("duckdb"),
    "sqlite": with_data("sqlite"),
    "check": gated(),
    "batch": batches(),
}
