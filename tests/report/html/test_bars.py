"""Bars on one scale with their numbers beside them, axes, and the marks on them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semiaudit.model.bound import exact, upper
from semiaudit.report.html.bars import Bar, bars
from semiaudit.report.html.curve_figures import AxisScale, step_of, up_to
from semiaudit.report.html.markup import written
from tests.report.html.reading import Node, read


def drawn(*found: Bar) -> Node:
    return read(written(bars("What it costs", "published", "rho", found)))


def widths(root: Node) -> list[str]:
    return [rect.attributes["width"] for rect in root.every("rect")]


def test_bars_are_as_long_as_their_numbers() -> None:
    root = drawn(Bar("a", exact(1, "", "")), Bar("b", exact(4, "", "")), Bar("c", exact(2, "", "")))
    assert widths(root) == ["25.00%", "100.00%", "50.00%"]
    assert [cell.text for cell in root.every("td") if cell.has("class", "number")] == [
        "1",
        "4",
        "2",
    ]


def test_no_number_has_no_bar_and_says_why() -> None:
    root = drawn(Bar("a", None, "refused"), Bar("b", exact(0, "", "")))
    assert widths(root) == ["0.40%"]
    assert "refused" in root.text


def test_an_infinite_number_is_drawn_to_the_end_and_open() -> None:
    root = drawn(Bar("a", upper(math.inf, "", "")), Bar("b", exact(3, "", "")))
    assert widths(root) == ["100.00%", "100.00%"]
    assert [rect.attributes["class"] for rect in root.every("rect")] == ["bar infinite", "bar"]
    assert "inf" in root.text


def test_only_what_a_page_is_about_stands_out() -> None:
    root = drawn(Bar("a", exact(1, "", ""), leading=True), Bar("b", exact(1, "", "")))
    (table,) = root.every("table")
    assert table.has("class", "ranked")
    assert [row.attributes.get("class") for row in root.every("tr")] == [None, "leading", None]
    (plain,) = drawn(Bar("a", exact(1, "", ""))).every("table")
    assert not plain.has("class", "ranked")


def test_fifty_bars_are_fifty_rows() -> None:
    """As of every attribute and every level of a hierarchy."""
    found = [Bar(f"attribute:{k}", exact(k, "", ""), leading=k == 7) for k in range(50)]
    root = drawn(*found)
    assert len(widths(root)) == 50
    assert widths(root)[49] == "100.00%"


def test_an_even_axis_has_its_ends_and_its_middle() -> None:
    scale = AxisScale(0.0, 10.0, 100.0, 300.0)
    assert [scale.place(v) for v in (0, 5, 10, -1, 11)] == [100, 200, 300, 100, 300]
    assert [text for _, text in scale.marks()] == ["0", "2", "4", "6", "8", "10"]


def test_a_logarithmic_axis_has_equal_factors_equally_far_apart() -> None:
    scale = AxisScale(1e-4, 1.0, 0.0, 400.0, logarithmic=True)
    assert [scale.place(v) for v in (1e-4, 1e-3, 1e-2, 1e-1, 1)] == [0, 100, 200, 300, 400]
    assert [text for _, text in scale.marks()] == ["1", "1e-1", "1e-2", "1e-3", "1e-4"]


def test_an_axis_without_a_width_has_its_number_in_the_middle() -> None:
    assert AxisScale(1e-6, 1e-6, 0.0, 100.0, logarithmic=True).place(1e-6) == 50


@pytest.mark.parametrize(("most", "end"), [(39.82, 40), (0.7, 0.8), (1, 1), (134.4, 150)])
def test_an_axis_ends_at_a_round_number(most: float, end: float) -> None:
    assert up_to([0.0, most, math.inf]) == pytest.approx(end)


@given(st.floats(1e-300, 1e300))
def test_no_number_lies_beyond_the_end_of_its_axis(most: float) -> None:
    end = up_to([most])
    assert most <= end * (1 + 1e-9)
    assert 1 <= end / step_of(most) <= 11


def test_an_axis_of_nothing_still_has_an_end() -> None:
    assert up_to([]) == up_to([0.0]) == up_to([math.inf]) == 1.0
