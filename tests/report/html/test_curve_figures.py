"""Curves on pages: coinciding ones once, differences, and nothing drawn where nothing is finite."""

from __future__ import annotations

import math
from fractions import Fraction

from semiaudit.model.bound import exact, upper
from semiaudit.model.guarantee import GuaranteeCurve
from semiaudit.report.blocks.curves import Points, are_in_corner
from semiaudit.report.html.curve_figures import curves_part
from semiaudit.report.html.markup import element, written
from tests.report.html.reading import Node, one_line, read

DELTAS = (Fraction(1, 10**6), Fraction(1, 10**3), Fraction(1, 10))


def epsilons(*values: float) -> Points:
    return tuple(
        (delta, upper(Fraction(value) if math.isfinite(value) else value, "", ""))
        for delta, value in zip(DELTAS, values, strict=True)
    )


def page_of(*curves: GuaranteeCurve, differences: bool = False) -> Node:
    named = {curve.name: curve.name.upper() for curve in curves}
    part = curves_part(curves, named, differences=differences)
    return read(written(element("div", {}, part.children if part is not None else ())))


def test_where_every_epsilon_is_infinite_nothing_is_drawn() -> None:
    infinite = GuaranteeCurve("a", (), epsilons(math.inf, math.inf, math.inf))
    assert list(page_of(infinite).every("figure")) == []
    finite = GuaranteeCurve("b", (), epsilons(3, 2, 1))
    (plot,) = page_of(infinite, finite).every("figure")
    assert [one_line(n.text) for n in plot.every("span")] == ["B"]


def test_a_figure_that_is_finite_at_its_right_edge_only_is_a_sentence() -> None:
    deltas = [Fraction(k, 100) for k in range(1, 100)]
    points = tuple(
        (delta, upper(Fraction(0) if delta >= Fraction(95, 100) else math.inf, "", ""))
        for delta in deltas
    )
    root = page_of(GuaranteeCurve("a", (), points))
    assert list(root.every("figure")) == []
    assert "no finite ε is known at a δ below 0.95" in root.text


def test_a_curve_is_first_read_where_it_is_finite() -> None:
    """It was read at 1e-6, and the legend had inf."""
    root = page_of(GuaranteeCurve("a", (), epsilons(math.inf, 2, 1)))
    assert [one_line(n.text) for n in root.every("output")] == ["0.001", "2"]
    root = page_of(GuaranteeCurve("a", (), epsilons(3, 2, 1)))
    assert [one_line(n.text) for n in root.every("output")] == ["1e-6", "3"]


def test_a_difference_is_that_of_both_numbers_at_every_place() -> None:
    first = GuaranteeCurve("a", (), epsilons(3, 2, 1))
    second = GuaranteeCurve("b", (), epsilons(5, 1.5, 1))
    root = page_of(first, second, differences=True)
    (view,) = (n for n in root.every("div") if n.attributes.get("data-view") == "difference")
    rows = [[cell.text for cell in row.children if isinstance(cell, Node)]
            for body in view.every("tbody") for row in body.every("tr")]  # fmt: skip
    assert rows == [["1e-6", "2"], ["0.001", "-0.5"], ["0.1", "0"]]
    marks = {text.text for text in view.every("text")}
    assert {"0", "2", "δ"} <= marks
    assert not [n for n in page_of(first, second).every("div") if "data-view" in n.attributes]


def test_a_curve_on_the_axes_asks_for_logarithmic_ones() -> None:
    def at_read(value: float) -> Points:
        return ((Fraction(1, 20), exact(Fraction(value), "", "")),)

    assert are_in_corner([at_read(0.5), at_read(0.001)])
    assert are_in_corner([at_read(0.05)])
    assert not are_in_corner([at_read(0.5), at_read(0.05)])
    assert not are_in_corner([at_read(0.5), at_read(0)])
    assert not are_in_corner([])
