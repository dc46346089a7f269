"""Rows have a public name or a command, and a test; every row is reproduced, or has a reason."""

from __future__ import annotations

import ast
import re

import pytest

from semiaudit.commands.reproduce.published_results import published_results, tasks
from tests.places import ROOT

ROW = re.compile(r"^\| ([0-9, ]+) \|.*\| `(\S+)::(\S+)` \|$", re.MULTILINE)
CALCULUS = {*range(4, 9), 24, 30, 31, *range(57, 61), 65, *range(67, 72), 75, 76, *range(78, 86)}
WANTED = CALCULUS | {3, 9, 10, 11, 13, 14, 17, 19, 127, *range(33, 57), *range(87, 116)}


def listed() -> list[tuple[str, str, str]]:
    return ROW.findall((ROOT / "tests" / "golden" / "README.md").read_text("utf-8"))


def test_all_rows_are_listed_once() -> None:
    found = [int(number) for rows, _, _ in listed() for number in rows.split(",")]
    assert sorted(found) == sorted(WANTED)


@pytest.mark.parametrize(("rows", "file", "name"), listed())
def test_the_test_of_a_row_exists(rows: str, file: str, name: str) -> None:
    tree = ast.parse((ROOT / "tests" / file).read_text("utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, rows


SHOWN = re.compile(r"^\| ([0-9, ]+) \| ([^|]+) \|$", re.MULTILINE)
"""A row of the table of what `reproduce` shows: two columns, entries or a reason."""

OF_TESTS = published_results(ROOT / "tests/commands/reproduce/procedures/rows.csv")
"""The published results that need a procedure of the tests."""

ROWS, ERRATA = range(1, 135), range(1, 43)


def reproduced() -> str:
    whole = (ROOT / "tests" / "golden" / "README.md").read_text("utf-8")
    return whole.partition("## What `reproduce` shows")[2]


def test_every_row_has_an_entry_of_reproduce_or_a_reason() -> None:
    listed = SHOWN.findall(reproduced())
    numbers = [int(number) for rows, _ in listed for number in rows.split(",")]
    assert sorted(numbers) == [*ROWS]
    for rows, told in listed:
        entries = re.findall("`([^`]+)`", told)
        assert entries or told.startswith("not there: "), rows
        assert {*entries} <= {*tasks()} | {row.entry for row in OF_TESTS}, rows


def test_every_erratum_explains_a_published_number_or_has_none() -> None:
    cited = {row.erratum for row in (*published_results(), *OF_TESTS)} - {""}
    without = {*re.findall(r"\bE\d+\b", reproduced().rpartition("These have none:")[2])}
    assert cited.isdisjoint(without)
    assert cited | without == {f"E{number}" for number in ERRATA}
