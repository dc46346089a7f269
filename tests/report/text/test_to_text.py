"""Tables keep every word whole."""

from __future__ import annotations

import pytest

from semiaudit.report.text.layout import Grid, View
from semiaudit.report.text.to_text import to_text

DEEP = f"releases/2027/{'statistics-on-households-and-persons-' * 3}by-county"


@pytest.mark.parametrize("width", [40, 80, 100, 120, 200])
@pytest.mark.parametrize("folder", [DEEP, f"{DEEP} and block", "a b c d e f g h/" * 9 + DEEP])
def test_no_end_of_a_path_is_cut_so_that_specs_of_one_folder_differ(
    folder: str, width: int
) -> None:
    names = [f"{folder}/{name}.semiaudit.yaml" for name in ("first", "second")]
    rows = tuple(("passed", "1", "1 of 1 passed", name) for name in names)
    columns = ("verdict", "a(t)", "budgets", "spec")
    grid = Grid("Specs", columns, rows, (False, True, False, False))
    text = to_text(View("", "", (grid,)), width=width, color=False)
    for name in names:
        assert set(name.split()) <= set(text.split())
