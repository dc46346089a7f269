"""Curves on pages: coinciding ones once, differences, and nothing drawn where nothing is finite.

Curves are drawn on their safe side, and read as their table says.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace
from fractions import Fraction
from random import Random
from statistics import NormalDist

import pytest

from semiaudit.model.bound import Bound, exact, lower, upper
from semiaudit.model.guarantee import GuaranteeCurve
from semiaudit.report.blocks.curves import Points, are_in_corner
from semiaudit.report.html.curve_figures import HEIGHT, Plot, PlotSeries, curves_part, figure
from semiaudit.report.html.markup import element, written
from tests.report.html.reading import Node, one_line, read

F = Fraction
ERRORS = Plot("errors", "Errors", "words", "type I error", "type II error", "is at least",
              "a lower bound", "next", F(1, 20), unit_square=True)  # fmt: skip
LOSSES = Plot("losses", "Losses", "words", "delta", "epsilon", "is at most",
              "an upper bound", "before", F(1, 100), logarithmic=True)  # fmt: skip
STEP = re.compile(r"([MHV])([-0-9.e]+)(?: ([-0-9.e]+))?")


def point(place: Fraction, value: Fraction | float, *, up: bool = False) -> tuple[Fraction, Bound]:
    if isinstance(value, Fraction):
        return place, exact(value, "", "")
    return place, (upper if up else lower)(value, "", "")


def drawn(plot: Plot, *series: PlotSeries) -> Node:
    return read(written(figure(plot, series)))


def line_of(root: Node, style: int, drawing: int = 0) -> list[list[tuple[float, float]]]:
    """The corners of a curve, a list for each unbroken piece."""
    frame = [node for node in root.every("div") if node.has("class", "drawing")][drawing]
    paths = [
        p for p in frame.every("path") if p.has("class", "line") and p.has("class", f"s{style}")
    ]
    pieces: list[list[tuple[float, float]]] = []
    for path in paths:
        for kind, first, second in STEP.findall(path.attributes["d"]):
            if kind == "M":
                pieces.append([(float(first), float(second))])
            else:
                x, y = pieces[-1][-1]
                pieces[-1].append((float(first), y) if kind == "H" else (x, float(first)))
    return pieces


def squared(x: float, y: float) -> tuple[float, float]:
    """A place in the drawing of errors as two errors: the marks of its even axes tell."""
    return (x - 70) / (706 - 70), (360 - y) / (360 - 14)


RATES = [F(0), F(1, 100), F(1, 20), F(1, 5), F(1, 2), F(4, 5), F(1)]


@pytest.mark.parametrize("mu", [0.2, 1.0, 3.0])
def test_no_step_of_a_tradeoff_function_lies_above_the_function(mu: float) -> None:
    normal = NormalDist()

    def truth(x: float) -> float:
        return normal.cdf(normal.inv_cdf(1 - x) - mu) if 0 < x < 1 else 1.0 - x

    root = drawn(ERRORS, PlotSeries("one", 2, tuple(point(x, truth(float(x))) for x in RATES)))
    assert HEIGHT == 430
    (corners,) = line_of(root, 2)
    for (x1, y1), (x2, y2) in itertools.pairwise(corners):
        assert x1 <= x2
        assert y1 <= y2
        assert x1 == x2 or y1 == y2
    for share in range(1, 200, 2):
        x = share / 200
        place = 70 + x * (706 - 70)
        heights = [
            squared(x1, y1)[1]
            for (x1, y1), (x2, _) in itertools.pairwise(corners)
            if x1 < place < x2
        ]
        assert all(height <= truth(x) + 0.001 for height in heights), x
        assert heights


def test_no_step_of_epsilon_lies_below_the_function() -> None:
    """epsilon = -log10(delta): between two deltas the smaller one's holds."""
    deltas = [F(1, 10**k) for k in range(6, 0, -1)]
    series = PlotSeries("one", 0, tuple(point(d, -math.log10(d), up=True) for d in deltas))
    (corners,) = line_of(drawn(LOSSES, series), 0)
    ticks = {-6.0: 70.0, -1.0: 706.0}
    for (x1, y1), (x2, _) in itertools.pairwise(corners):
        if x1 < x2:
            power = -6 + 5 * (x1 - ticks[-6.0]) / (ticks[-1.0] - ticks[-6.0])
            assert 6 * (360 - y1) / (360 - 14) == pytest.approx(-power, abs=0.01)


def test_a_curve_has_a_gap_where_nothing_finite_is_known() -> None:
    values = [3.0, math.inf, 2.0, 1.0]
    points = tuple(
        point(F(1, 10**k), value, up=True) for k, value in zip((4, 3, 2, 1), values, strict=True)
    )
    root = drawn(LOSSES, PlotSeries("one", 0, points))
    assert len(line_of(root, 0)) == 2
    assert "inf" in [cell.text for cell in root.every("td")]


def test_an_error_that_a_logarithmic_axis_does_not_reach_is_not_drawn_on_it() -> None:
    points = (point(F(0), 1.0), point(F(1, 2), 1e-30), point(F(1), 0.0))
    root = drawn(ERRORS, PlotSeries("one", 0, points))
    assert line_of(root, 0, 0)
    assert line_of(root, 0, 1) == []


def test_a_logarithmic_axis_reaches_every_curve_at_the_place_that_is_read() -> None:
    """No step of a curve is left out there, however small its errors are; zero has no place."""
    small = PlotSeries("one", 0, (point(F(1, 20), 1e-16), point(F(1, 2), 1e-30), point(F(1), 0.0)))
    large = PlotSeries("two", 1, (point(F(1, 20), 0.5), point(F(1), 0.0)))
    root = drawn(ERRORS, small, large)
    (corners,) = line_of(root, 0, 1)
    assert all(14 <= y <= 360 for _, y in corners)
    marks = {text.text for text in list(root.every("svg"))[1].every("text")}
    assert {"1e-18", "1e-15", "1e-12"} & marks
    none = PlotSeries("none", 3, (point(F(1, 20), 0.0), point(F(1), 0.0)))
    assert line_of(drawn(ERRORS, large, none), 3, 1) == []


def test_logarithmic_axes_come_first_where_linear_ones_would_show_a_corner() -> None:
    series = PlotSeries("one", 0, (point(F(1, 20), 0.5), point(F(1), 0.0)))
    for corner in (False, True):
        root = drawn(replace(ERRORS, corner=corner), series)
        frames = [node for node in root.every("div") if node.has("class", "drawing")]
        assert ["hidden" in frame.attributes for frame in frames] == [corner, not corner]
        radios = [n for n in root.every("input") if n.attributes["type"] == "radio"]
        assert ["checked" in radio.attributes for radio in radios] == [not corner, corner]


def test_a_curve_without_a_point_stands_at_the_one_that_holds_there() -> None:
    """Of errors that of a larger type I error, of epsilon that of a smaller delta."""
    one = PlotSeries("one", 0, tuple(point(F(k, 4), 1 - k / 4) for k in range(5)))
    few = PlotSeries("few", 1, (point(F(1, 4), 0.5), point(F(3, 4), 0.25)))
    root = drawn(ERRORS, one, few)
    rows = [[c.text for c in row.children if isinstance(c, Node)] for row in root.every("tr")][1:]
    assert rows == [
        ["0", "1", "0.5"],
        ["0.25", "0.75", "0.5"],
        ["0.5", "0.5", "0.25"],
        ["0.75", "0.25", "0.25"],
        ["1", "0", "-"],
    ]


def test_what_is_read_before_anybody_looks_is_what_the_table_says() -> None:
    root = drawn(ERRORS, PlotSeries("one", 0, tuple(point(x, 1 - x) for x in RATES)))
    told = [node.text for node in root.every("output")]
    assert told == ["0.05", "0.95"]
    (slider,) = (n for n in root.every("input") if n.attributes["type"] == "range")
    assert slider.attributes["value"] == "2"
    assert slider.attributes["max"] == "6"


def test_a_plot_has_a_name_a_description_and_a_table() -> None:
    root = drawn(ERRORS, PlotSeries("<b>one</b>", 0, (point(F(0), 1.0), point(F(1), 0.0))))
    for svg in root.every("svg"):
        if svg.has("class", "sample"):
            continue
        assert svg.attributes["role"] == "img"
        ids = {node.attributes.get("id") for node in svg.every()}
        assert svg.attributes["aria-labelledby"] in ids
        assert svg.attributes["aria-describedby"] in ids
    (table,) = root.every("table")
    heads = [one_line(head.text) for head in table.every("th")]
    assert heads[:2] == ["type I error", "<b>one</b>"]


@pytest.mark.parametrize("number", range(1, 9))
def test_every_place_of_the_table_lies_inside_of_the_drawing(number: int) -> None:
    draw = Random(number)
    places = sorted({F(draw.randint(0, 10**9), 10**9) ** draw.randint(1, 9) for _ in range(number)})
    series = PlotSeries("one", 0, tuple(point(x, draw.random() ** 20) for x in places))
    for row in drawn(ERRORS, series).every("tr"):
        for name, value in row.attributes.items():
            assert 70 <= float(value) <= 706, name
        for cell in row.every("td"):
            for name in {"data-y", "data-y2"} & cell.attributes.keys():
                assert 14 <= float(cell.attributes[name]) <= 360


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
