"""The sketch of a terminal: no letter above its curve, and none where it would disturb."""

from __future__ import annotations

from statistics import NormalDist

import pytest

from semiaudit import audit
from semiaudit.cli import main
from semiaudit.report.blocks.sketch import COLUMNS, LEAST_WIDTH, ROWS, TITLE, sketch
from tests.places import CONFIGS

SPEC = str(CONFIGS / "example5_table.yaml")


def square(text: str) -> list[str]:
    lines = text.splitlines()[2 : 2 + ROWS]
    return [line.partition("|")[2].ljust(COLUMNS)[:COLUMNS] for line in lines]


def test_no_letter_stands_above_its_function() -> None:
    rows = square(audit(SPEC).sketch())
    normal = NormalDist()
    seen = {"A": 0, "B": 0}
    for row, text in enumerate(rows):
        for column, letter in enumerate(text):
            if letter in seen:
                seen[letter] += 1
                mu = {"A": 1, "B": 3}[letter]
                at = min(max(column / (COLUMNS - 1), 1e-12), 1 - 1e-12)
                shown = (ROWS - 1 - row) / (ROWS - 1)
                assert shown <= normal.cdf(normal.inv_cdf(1 - at) - mu) + 1e-6
    assert seen["A"] == COLUMNS
    assert seen["B"] > COLUMNS // 2


def test_names_of_equal_curves_stand_together() -> None:
    unit = {"dataspace": {"unit": "person"}, "mechanism": {"gdp": {"mu": 1}}}
    text = audit({"semiaudit": 1, "title": "Without invariants", **unit}).sketch()
    assert "A Advertised DP" in text
    assert "  Semi-DP (effective)" in text
    assert max(map(len, text.splitlines())) < LEAST_WIDTH
    assert sketch([]) == ""


@pytest.mark.parametrize(
    ("interactive", "columns", "arguments", "shown"),
    [
        (True, "80", [], True),
        (True, "79", [], False),
        (False, "200", [], False),
        (True, "200", ["--format", "json"], False),
    ],
)
def test_it_is_drawn_on_wide_terminals_only(
    interactive: bool,
    columns: str,
    arguments: list[str],
    shown: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("semiaudit.commands.analyze.is_interactive", lambda: interactive)
    monkeypatch.setenv("COLUMNS", columns)
    assert main(["analyze", SPEC, *arguments]) == 0
    assert (TITLE in capsys.readouterr().out) is shown
