"""Published results that need a procedure of their own: rows.csv, in the form of `reproduce`.

The rows that are a spec or a call of the library are those of ``semiaudit reproduce``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from semiaudit.commands.reproduce.model import Published
from semiaudit.commands.reproduce.published_results import published_results, reproduced
from semiaudit.commands.reproduce.results import ours_of

FOLDER = Path(__file__).parent / "procedures"
ROWS = published_results(FOLDER / "rows.csv")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.entry}: {row.name}")
def test_a_row_is_equal_or_differs_as_its_erratum_says(row: Published) -> None:
    found = reproduced(row, ours_of(row, "tests.commands.reproduce.procedures"))
    assert found.verdict == (row.difference or "equal"), found.ours


def test_all_446_results_are_rows_here_or_of_reproduce() -> None:
    names = {(row.entry, row.name) for row in (*ROWS, *published_results())}
    assert len(names) == len(ROWS) + len(published_results()) == 446
