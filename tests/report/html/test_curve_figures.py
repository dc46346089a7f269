"""Curves on pages: read as their table says, first where they are finite."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import pytest

from semiaudit.model.bound import Bound, exact, lower, upper
from semiaudit.model.figure import Figure, Series
from semiaudit.model.guarantee import GuaranteeCurve
from semiaudit.report.blocks.curves import Points
from semiaudit.report.figures.drawing import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH
from semiaudit.report.figures.figures_of import curve_figures, logarithmic
from semiaudit.report.html.curve_figures import figures_of_page
from semiaudit.report.html.markup import element, written
from tests.report.html.reading import Node, one_line, read

F = Fraction


def point(place: Fraction, value: Fraction | float) -> tuple[Fraction, Bound]:
    if isinstance(value, Fraction):
        return place, exact(value, "", "")
    return place, lower(value, "", "")


def errors(name: str, *points: tuple[Fraction, Bound]) -> Series:
    line = tuple((float(place), float(bound)) for place, bound in points)
    return Series(name, line, certified=points)


def drawn(*series: Series) -> Node:
    figure = Figure("tradeoff", "Errors", "type I", "type II", series, unit_square=True)
    figures = figures_of_page([figure, logarithmic(figure)])
    return read(written(element("div", {}, figures)))


RATES = [F(0), F(1, 100), F(1, 20), F(1, 5), F(1, 2), F(4, 5), F(1)]


def test_a_curve_without_a_point_stands_at_the_one_that_holds_there() -> None:
    """Of errors that of a larger type I error, of epsilon that of a smaller delta."""
    one = errors("one", *(point(F(k, 4), 1 - k / 4) for k in range(5)))
    few = errors("few", point(F(1, 4), 0.5), point(F(3, 4), 0.25))
    root = drawn(one, few)
    rows = [[c.text for c in row.children if isinstance(c, Node)] for row in root.every("tr")][1:]
    assert rows == [
        ["0", "1", "0.5"],
        ["0.25", "0.75", "0.5"],
        ["0.5", "0.5", "0.25"],
        ["0.75", "0.25", "0.25"],
        ["1", "0", "-"],
    ]


def test_what_is_read_before_anybody_looks_is_what_the_table_says() -> None:
    root = drawn(errors("one", *(point(x, 1 - x) for x in RATES)))
    told = [node.text for node in root.every("output")]
    assert told == ["0.05", "0.95"]
    (slider,) = (n for n in root.every("input") if n.attributes["type"] == "range")
    assert slider.attributes["value"] == "2"
    assert slider.attributes["max"] == "6"


def test_a_plot_has_a_name_a_description_and_a_table() -> None:
    root = drawn(errors("<b>one</b>", point(F(0), 1.0), point(F(1), 0.0)))
    for svg in root.every("svg"):
        if svg.has("class", "sample"):
            continue
        assert svg.attributes["role"] == "img"
        ids = {node.attributes.get("id") for node in svg.every()}
        assert svg.attributes["aria-labelledby"] in ids
        assert svg.attributes["aria-describedby"] in ids
    (table,) = root.every("table")
    heads = [one_line(head.text) for head in table.every("th")]
    assert heads[:2] == ["false-positive rate", "<b>one</b>"]


@pytest.mark.parametrize("number", range(1, 9))
def test_every_place_of_the_table_lies_inside_of_the_drawing(number: int) -> None:
    draw = Random(number)
    places = sorted({F(draw.randint(0, 10**9), 10**9) ** draw.randint(1, 9) for _ in range(number)})
    series = errors("one", *(point(x, draw.random() ** 20) for x in places))
    for row in drawn(series).every("tr"):
        for name in {"data-x", "data-x2"} & row.attributes.keys():
            value = row.attributes[name]
            assert LEFT <= float(value) <= WIDTH - RIGHT, name
        for cell in row.every("td"):
            for name in {"data-y", "data-y2"} & cell.attributes.keys():
                assert TOP <= float(cell.attributes[name]) <= HEIGHT - BOTTOM


DELTAS = (Fraction(1, 10**6), Fraction(1, 10**3), Fraction(1, 10))


def epsilons(*values: float) -> Points:
    return tuple(
        (delta, upper(Fraction(value) if math.isfinite(value) else value, "", ""))
        for delta, value in zip(DELTAS, values, strict=True)
    )


def page_of(*curves: GuaranteeCurve) -> Node:
    figures = curve_figures(curves, {curve.name: curve.name.upper() for curve in curves})
    shown = [figure for figure in figures if figure.name == "epsilon"]
    return read(written(element("div", {}, figures_of_page(shown))))


def test_where_every_epsilon_is_infinite_nothing_is_drawn() -> None:
    infinite = GuaranteeCurve("a", (), epsilons(math.inf, math.inf, math.inf))
    assert list(page_of(infinite).every("figure")) == []
    finite = GuaranteeCurve("b", (), epsilons(3, 2, 1))
    (plot,) = page_of(infinite, finite).every("figure")
    assert [one_line(n.text) for n in plot.every("span")] == ["B"]


def test_a_curve_is_first_read_where_it_is_finite() -> None:
    """It was read at 1e-6, and the legend had inf."""
    root = page_of(GuaranteeCurve("a", (), epsilons(math.inf, 2, 1)))
    assert [one_line(n.text) for n in root.every("output")] == ["0.001", "2"]
    root = page_of(GuaranteeCurve("a", (), epsilons(3, 2, 1)))
    assert [one_line(n.text) for n in root.every("output")] == ["1e-6", "3"]


def test_linear_axes_come_first_and_the_limits_of_the_place_are_on_the_page() -> None:
    root = drawn(errors("one", *(point(x, 1 - x) for x in RATES)))
    frames = [node for node in root.every("div") if node.has("class", "drawing")]
    assert ["hidden" in frame.attributes for frame in frames] == [False, True]
    (wrong,) = (node for node in root.every("p") if node.has("class", "wrong"))
    assert one_line(wrong.text) == "Enter a number from 0 to 1."
    (field,) = (n for n in root.every("input") if n.attributes["type"] == "text")
    assert field.attributes["aria-describedby"] == wrong.attributes["id"]
    (wrong,) = (
        node
        for node in page_of(GuaranteeCurve("a", (), epsilons(3, 2, 1))).every("p")
        if node.has("class", "wrong")
    )
    assert one_line(wrong.text) == "Enter a number from 1e-6 to 1."
