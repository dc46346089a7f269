"""Rows of noise that keeps the invariants, and of finite mechanisms, have tests that exist."""

from __future__ import annotations

import ast
import re

import pytest

from tests.places import ROOT

ROW = re.compile(r"^\| ([0-9, ]+) \|.*\| `(\S+)::(\S+)` \|$", re.MULTILINE)
WANTED = {3, 9, 14, 17, 19, 127, *range(33, 57), *range(87, 116)}


def listed() -> list[tuple[str, str, str]]:
    return ROW.findall((ROOT / "tests" / "golden" / "README.md").read_text("utf-8"))


def test_all_rows_are_listed_once() -> None:
    found = [int(number) for rows, _, _ in listed() for number in rows.split(",")]
    assert sorted(found) == sorted(WANTED)


@pytest.mark.parametrize(("rows", "file", "name"), listed())
def test_the_test_of_a_row_exists(rows: str, file: str, name: str) -> None:
    tree = ast.parse((ROOT / "tests" / file).read_text("utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, rows
