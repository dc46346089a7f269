"""docs/formats.md: its commands print what it shows, and it names every format of every command."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest

from semiaudit.cli import cli, main
from semiaudit.commands.schema.command import SCHEMAS
from semiaudit.report import FORMATS, RENDERERS, VERDICT_RENDERERS
from semiaudit.report.form.to_csv import COLUMNS
from semiaudit.spec.policy.policy_reader import load_policy
from semiaudit.version import schema_address
from tests.gate.specs import spec
from tests.places import ROOT

PAGE = (ROOT / "docs" / "formats.md").read_text("utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = re.compile(r"^\$ semiaudit (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def blocks(form: str) -> list[str]:
    return [text for name, text in BLOCK.findall(PAGE) if name == form]


def table(below: str) -> list[list[str]]:
    """The rows of the first table behind a text, without its header."""
    lines = PAGE.partition(below)[2].split("\n| ---", 1)[1].split("\n\n", 1)[0].splitlines()[1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def choices(command: str) -> set[str]:
    known = cli.get_command(click.Context(cli), command)
    assert known is not None
    parameter: Any = next(p for p in known.params if p.name == "form")
    assert isinstance(parameter.type, click.Choice)
    return set(parameter.type.choices)


def test_every_command_of_the_page_prints_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "release.yaml").write_text(blocks("yaml")[0], "utf-8")
    monkeypatch.chdir(tmp_path)
    runs = [run for block in blocks("console") for run in RUN.findall(block)]
    assert len(runs) == 4
    for line, shown in runs:
        assert main(shlex.split(line)) == 0, line
        out = capsys.readouterr().out.splitlines()
        told = [text for text in shown.splitlines() if text != "..."]
        assert told
        assert [text for text in out if text in told] == told, line
    assert {path.name for path in tmp_path.iterdir()} == {
        f"release.{ending}" for ending in ("yaml", "tex", "csv", "json")
    }
    with (tmp_path / "release.csv").open(encoding="utf-8", newline="") as stream:
        found = list(csv.DictReader(stream))
    # a(t) is 2, and mu 1/2 at distance 2 is 1 (group privacy of GDP); the budget holds.
    assert ("semi_dp", "mu", "1") in {(r["framework"], r["measure"], r["value"]) for r in found}
    assert [r["value"] for r in found if r["side"] == "holds"] == ["1"]


def test_the_page_names_every_format_of_every_command() -> None:
    told: dict[str, set[str]] = {"analyze": set(), "check": set(), "batch": set()}
    for names, *cells, _ in table("# Output formats"):
        for command, cell in zip(told, cells, strict=True):
            if cell == "yes":
                told[command] |= set(re.findall(r"`(\w+)`", names))
    assert told == {command: choices(command) for command in told}
    assert told["analyze"] == set(RENDERERS)
    assert told["check"] == told["batch"] == set(VERDICT_RENDERERS)
    assert set(FORMATS) == told["analyze"] | told["check"]


def test_the_page_names_every_column_and_every_schema() -> None:
    rows = table("## CSV")
    columns = [name for row in rows for name in re.findall(r"`(\w+)`", row[0])]
    assert tuple(columns) == COLUMNS
    named = {name for row in table("## Schemas") for name in re.findall(r"`(\w+)`", row[0])}
    assert named == set(SCHEMAS)


def test_the_policy_of_the_page_is_read_and_names_its_schema(tmp_path: Path) -> None:
    text = blocks("yaml")[1]
    assert load_policy(spec(tmp_path, text)).budgets
    assert schema_address("policy") in text.splitlines()[0]
