"""Plain text is that of the table renderer, and tables keep every word whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semiaudit import audit
from semiaudit.library.report import audit_of
from semiaudit.report.blocks.view import view_of
from semiaudit.report.text.fit import fitted
from semiaudit.report.text.layout import Block, Grid, Head, Lines, Said, View
from semiaudit.report.text.to_plain import to_plain
from semiaudit.report.text.to_table import to_table

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))

LETTERS = "ab -.(,1) ·é世εₜ×\t\n"
texts = st.text(LETTERS, max_size=60)
plain_texts = st.text("ab -.(,1) ·ερₜ×≤", max_size=60)


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    number = draw(st.integers(1, 4))
    cells = st.text("ab -1", max_size=12).filter(str.strip)
    row = st.tuples(*[cells] * number)
    return Grid(
        draw(plain_texts),
        draw(row),
        tuple(draw(st.lists(row, max_size=4))),
        draw(st.tuples(*[st.booleans()] * number)),
        tuple(draw(st.lists(plain_texts, max_size=2))),
    )


def lists(words: st.SearchStrategy[str]) -> st.SearchStrategy[Lines]:
    labels = st.text("ab ", max_size=20)
    items = st.lists(st.tuples(labels, words), min_size=1, max_size=3).map(tuple)
    return st.builds(Lines, words, items)


def views(words: st.SearchStrategy[str]) -> st.SearchStrategy[View]:
    said = st.builds(Said, st.sampled_from(["rho", "a(t)", "findings"]), words)
    heads = st.builds(Head, st.lists(said, max_size=3).map(tuple), st.just("a"))
    blocks: st.SearchStrategy[Block] = st.one_of(grids(), lists(words), heads)
    return st.builds(View, words, words, st.lists(blocks, max_size=3).map(tuple))


@given(st.one_of(views(texts), views(plain_texts)), st.integers(20, 120))
@settings(max_examples=300)
def test_plain_text_is_what_the_table_renderer_says(view: View, width: int) -> None:
    plain = to_plain(view, width=width)
    assert plain is None or plain == to_table(view, width=width, color=False)


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_reports_are_the_same_both_ways(width: int) -> None:
    found = [fitted(view_of(audit_of(audit(path))), width) for path in CONFIGS[:4]]
    plain = [to_plain(view, width=width) for view in found]
    tables = [to_table(view, width=width, color=False) for view in found]
    assert all(one in (None, table) for one, table in zip(plain, tables, strict=True))
    assert width < 80 or all(plain)


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
    text = to_table(View("", "", (grid,)), width=width, color=False)
    for name in names:
        assert set(name.split()) <= set(text.split())
