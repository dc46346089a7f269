"""Two different tables with the same published values print the same bytes, whatever is asked."""

from __future__ import annotations

import os
import random
from itertools import product
from pathlib import Path

import pytest
from pyarrow import parquet

from semiaudit.cli import main
from semiaudit.cli.output import FORMATS, VERDICT_FORMATS
from semiaudit.commands.batch import TABLE, WRITTEN
from tests.fuzz.workers import one_process
from tests.samples import sampled

PAIRS = 50
SAMPLE = 3
"""Pairs of the fast suite: each kind of margins, and each of data."""

LEVELS = (("north", "south"), ("a", "b", "c"), ("no", "yes"))
NAMES = ("region", "age", "sex")
MARGINS = (
    ("[region]", "[age]", "[sex]"),
    ("[region, age]", "[sex]"),
    ("[region, age]", "[age, sex]"),
)
SPEC = """\
semiaudit: 1
dataspace: {{unit: person, attributes: {{region: [north, south], age: [a, b, c], sex: [no, yes]}}}}
invariants: [{margins}]
data: {{{kind}: data.csv}}
mechanism: {{gaussian: {{sigma: 2, query: table}}}}
budgets: [{{framework: semi_dp, rho: 1}}, {{framework: semi_dp, a_t: 3}}]
"""
COMMANDS = {"analyze": FORMATS, "check": VERDICT_FORMATS, "batch": WRITTEN}
"""Every format that a command writes."""

Cell = tuple[str, ...]
Table = dict[Cell, int]
Pair = tuple[tuple[Table, Table], str, str]
"""Two tables, a spec, and the key under which it names their file."""


def different_tables(rng: random.Random) -> tuple[Table, Table]:
    """A random table, and another one: in one age, two records exchange their sex across regions.

    The exchange keeps every count of two of the attributes that the margins above tell, but for
    region by sex, which none of them does.
    """
    first: Table = {cell: rng.randrange(4) for cell in product(*LEVELS)}
    age, sex = rng.choice(LEVELS[1]), rng.choice((("no", "yes"), ("yes", "no")))
    second = dict(first)
    for region, here in zip(("north", "south"), sex, strict=True):
        there = "yes" if here == "no" else "no"
        first[region, age, here] += 1
        second[region, age, there] += 1
    return first, second


def counted(table: Table, attributes: tuple[int, ...]) -> dict[tuple[str, ...], int]:
    found: dict[tuple[str, ...], int] = {}
    for cell, count in table.items():
        key = tuple(cell[place] for place in attributes)
        found[key] = found.get(key, 0) + count
    return found


def written(folder: Path, table: Table, spec: str, kind: str) -> None:
    folder.mkdir(parents=True)
    lines = []
    for cell, count in table.items():
        row = ",".join(cell)
        lines += [f"{row},{count}"] if kind == "table" else [row] * count
    head = ",".join(NAMES) + (",count" if kind == "table" else "")
    (folder / "data.csv").write_text("\n".join([head, *lines]) + "\n")
    (folder / "release.semiaudit.yaml").write_text(spec)


def printed(
    folder: Path,
    arguments: tuple[str, ...],
    forms: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
) -> tuple[object, ...]:
    """The exit code, what is printed, and every file that is written."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        code = main([*arguments, *(f"-o{form}=../out.{form}" for form in forms)])
    finally:
        os.chdir(before)
    files = [content(folder.parent / f"out.{form}", form) for form in forms]
    return code, *capsys.readouterr(), *files


def content(path: Path, form: str) -> object:
    """What a report says: the rows of a Parquet file, and the bytes of others."""
    return parquet.read_table(path).to_pylist() if form == TABLE else path.read_bytes()


@pytest.fixture(scope="module", params=sampled([SAMPLE, PAIRS], fast=(0,)))
def pairs(request: pytest.FixtureRequest) -> list[Pair]:
    rng = random.Random(20260814)
    found: list[Pair] = []
    for number in range(request.param):
        first, second = different_tables(rng)
        for told in ((0, 1), (1, 2)):
            assert counted(first, told) == counted(second, told)
        assert first != second
        items = ", ".join(f"margin: {margin}" for margin in MARGINS[number % len(MARGINS)])
        kind = "table" if number % 2 else "records"
        found.append(((first, second), SPEC.format(margins=items, kind=kind), kind))
    return found


@pytest.mark.parametrize("command", ["analyze", "check"])
def test_reports_tell_no_more_than_the_published_values(
    command: str, pairs: list[Pair], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, (tables, spec, kind) in enumerate(pairs):
        told = []
        for name, table in zip(("one", "two"), tables, strict=True):
            folder = tmp_path / str(number) / name / "work"
            written(folder, table, spec, kind)
            arguments = (command, "release.semiaudit.yaml")
            told.append(printed(folder, arguments, COMMANDS[command], capsys))
        assert told[0][0] in (0, 1), told[0]
        assert told[0] == told[1], spec


def test_a_batch_tells_no_more_than_the_published_values(
    pairs: list[Pair], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for place, name in enumerate(("one", "two")):
        work = tmp_path / name / "work"
        for number, (tables, spec, kind) in enumerate(pairs):
            written(work / "specs" / str(number), tables[place], spec, kind)
        arguments = ("batch", "specs", "--quiet")
        with one_process():
            told.append(printed(work, arguments, COMMANDS["batch"], capsys))
    assert told[0][0] in (0, 1), told[0]
    assert told[0] == told[1]


def test_a_spec_made_of_data_tells_their_levels_and_no_count(
    pairs: list[Pair], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, (tables, spec, kind) in enumerate(pairs):
        told = []
        for name, table in zip(("one", "two"), tables, strict=True):
            folder = tmp_path / str(number) / name / "work"
            written(folder, table, spec, kind)
            counts = ("--count-column", "count") if kind == "table" else ()
            arguments = ("init", "made.yaml", "--from", "data.csv", "--margin", "age", *counts)
            told.append(
                (printed(folder, arguments, (), capsys), (folder / "made.yaml").read_bytes())
            )
        assert told[0][0][0] == 0
        assert told[0] == told[1]
