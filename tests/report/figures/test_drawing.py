"""Axes with round marks, labels that cover nothing, and looks of which no two are the same."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semiaudit.model.bound import lower, upper
from semiaudit.model.figure import Figure, Role, Series
from semiaudit.report.figures.drawing import (
    BOTTOM,
    HEIGHT,
    LEFT,
    LETTER,
    RIGHT,
    TOP,
    WIDTH,
    AxisScale,
    axes_of,
    drawing,
    looks_of,
    step_of,
    up_to,
)
from semiaudit.report.html.markup import element, written
from tests.report.html.reading import Node, one_line, read

Points = tuple[tuple[float, float], ...]


def curve(slope: float) -> Points:
    """A convex curve from (0, 1) to (1, 0)."""
    return tuple((k / 64, (1 - k / 64) ** slope) for k in range(65))


def errors(*series: Series, logarithmic: bool = False) -> Figure:
    axes = frozenset("xy") if logarithmic else frozenset("")
    return Figure("tradeoff", "a", "x", "y", series, logarithmic=axes, unit_square=True)


def drawn(figure: Figure) -> Node:
    return read(written(element("svg", {}, drawing(figure))))


def boxes(root: Node) -> list[tuple[str, float, float, float, float]]:
    """The name of each label, and about where it is: left, right, top, bottom."""
    found = []
    for text in root.every("text"):
        if text.has("class", "label"):
            words, x = one_line(text.text), float(text.attributes["x"])
            size, y = float(text.attributes["font-size"]), float(text.attributes["y"])
            width = len(words) * size * LETTER
            left = x - width if text.attributes.get("text-anchor") == "end" else x
            found.append((words, left, left + width, y - 0.7 * size, y))
    return found


@pytest.mark.parametrize("slopes", [(1.5, 4), (2, 2.2), (40, 400), (1.2, 2, 3, 5, 9, 30)])
@pytest.mark.parametrize("logarithmic", [False, True])
def test_labels_cover_neither_each_other_nor_the_edge(
    slopes: tuple[float, ...], logarithmic: bool
) -> None:
    first = ((Fraction(1, 10**6), lower(Fraction(0), "", "")),)
    series = [Series(f"Definition {slope}", curve(slope), certified=first) for slope in slopes]
    found = boxes(drawn(errors(*series, logarithmic=logarithmic)))
    assert {f"Definition {slope}" for slope in slopes} <= {name for name, *_ in found}
    for place, (_, left, right, top, bottom) in enumerate(found):
        assert left >= LEFT
        assert right <= WIDTH - RIGHT
        assert top >= TOP
        assert bottom <= HEIGHT - BOTTOM
        for _, left2, right2, top2, bottom2 in found[:place]:
            assert right < left2 or right2 < left or bottom < top2 or bottom2 < top


def test_the_names_of_two_curves_are_next_to_them_and_cover_none() -> None:
    series = Series("weak", curve(4)), Series("strong", curve(1.5))
    axes = axes_of(errors(*series))
    found = {name: box for name, *box in boxes(drawn(errors(*series)))}
    for one in series:
        line = [(axes.across.place(x), axes.up.place(y)) for x, y in one.points]
        left, right, top, bottom = found[one.name]
        near = min(
            math.hypot(max(left - x, x - right, 0), max(top - y, y - bottom, 0)) for x, y in line
        )
        assert near < 25
        for *_, box_left, box_right, box_top, box_bottom in boxes(drawn(errors(*series))):
            assert not [1 for x, y in line if box_left < x < box_right and box_top < y < box_bottom]


@given(st.integers(1, 64), st.booleans())
def test_no_two_curves_have_the_same_color_and_dashes(number: int, emphasis: bool) -> None:
    """Nor, of up to eight, the same color or the same dashes."""
    roles: list[Role] = ["leading", "reference"] if emphasis else []
    none: list[Role] = [""] * number
    roles = [*roles, *none][:number]
    looks = looks_of([Series(str(k), curve(2), role=role) for k, role in enumerate(roles)])
    assert len({(look.color, look.dash) for look in looks}) == number
    if number <= 8:
        assert len({look.color for look in looks}) == len({look.dash for look in looks}) == number


def test_the_effective_guarantee_is_the_thickest_line_and_unbroken() -> None:
    roles: tuple[Role, ...] = ("reference", "leading", "")
    reference, leading, other = looks_of([Series("a", (), role=role) for role in roles])
    assert leading.dash is None
    assert reference.dash is not None
    assert leading.width > reference.width >= other.width


def test_a_subscript_is_a_lowered_letter() -> None:
    """Fonts that have ₜ are rare."""
    dots = Series("in Dₜ", ((0.0, 2.0),), ("2",))
    root = drawn(Figure("a", "a", "", "ρ", (dots,), categories=("race",)))
    assert "ₜ" not in root.text
    assert "2 in Dt" in [one_line(text.text) for text in root.every("text")]


def test_dots_are_at_their_numbers_with_their_labels() -> None:
    points = ((0.0, 25.0), (1.0, 100.0))
    figure = Figure(
        "a", "a", "", "percent", (Series("", points, ("25%", "100%")),), categories=("one", "two")
    )
    across = axes_of(figure).across
    assert (across.low, across.high) == (0, 100)
    circles = list(drawn(figure).every("circle"))
    assert [float(c.attributes["cx"]) for c in circles] == [
        pytest.approx(across.begin + share * (across.end - across.begin), abs=0.1)
        for share in (0.25, 1)
    ]
    words = [one_line(text.text) for text in drawn(figure).every("text")]
    assert {"one", "two", "25%", "100%", "percent"} <= {*words}


def test_a_logarithmic_axis_includes_every_curve_at_the_place_that_is_read() -> None:
    small = ((0.0, 1.0), (0.05, 1e-16), (1.0, 0.0))
    certified = ((Fraction(1, 20), lower(Fraction(1, 10**16), "", "")),)
    figure = errors(Series("one", small, certified=certified), logarithmic=True)
    axes = axes_of(figure)
    assert axes.up.low == pytest.approx(1e-18)
    path = next(p for p in drawn(figure).every("path") if p.has("class", "line"))
    heights = [float(y) for _, y in re.findall(r"[ML]([-0-9.]+) ([-0-9.]+)", path.attributes["d"])]
    assert min(heights) >= TOP
    assert max(heights) <= HEIGHT - BOTTOM
    assert axes.y(upper(math.inf, "", "")) is None


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
