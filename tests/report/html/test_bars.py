"""Bars: on one scale, with their numbers beside them."""

from __future__ import annotations

import math

from semiaudit.model.bound import exact, upper
from semiaudit.report.html.bars import Bar, bars
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
