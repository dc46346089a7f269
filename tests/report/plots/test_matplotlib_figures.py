"""Figures as files: in greys, told apart by lines and marks, the same bytes again, and inert."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from semiaudit.cli import main
from semiaudit.model.figure import Figure, Series
from semiaudit.report import PLOT_FORMS, PlotForm
from semiaudit.report.plots import drawn, plotted
from semiaudit.report.plots.matplotlib_figures import LINES, MARKS
from tests.places import CONFIGS

EVIL = "</text><script>alert(1)</script> $\\frac{1}{0}$ \x1b[31m"


def curves(number: int, title: str = "a title") -> Figure:
    series = tuple(
        Series(f"curve {n}", tuple((x / 10, x / 10 + n) for x in range(1, 11)), "held_after")
        for n in range(number)
    )
    return Figure("a", title, "across", "up", series, logarithmic=frozenset("x"), note="A note.")


BARS = Figure(
    "b",
    "bars",
    "",
    "epsilon",
    (
        Series("delta 1", ((0.0, 1.0), (1.0, 2.0)), "bars", ("1", "2")),
        Series("delta 2", ((1.0, 3.0),), "bars", ("3",)),
    ),
    categories=(("nominal_dp", "up to 1"), ("semi_dp", "up to 3")),
)


@pytest.mark.parametrize("form", PLOT_FORMS)
def test_the_same_figures_give_the_same_bytes(form: PlotForm) -> None:
    first = plotted([curves(2), BARS], form)
    assert first == plotted([curves(2), BARS], form)
    assert first != plotted([curves(3), BARS], form)
    beginnings = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    assert first.startswith(beginnings[form])


def test_every_colour_is_a_grey() -> None:
    text = plotted([curves(6), BARS], "svg").decode("utf-8")
    colours = set(re.findall(r"#[0-9a-f]{6}", text))
    assert len(colours) > 3
    assert all(colour[1:3] == colour[3:5] == colour[5:7] for colour in colours), colours


def test_curves_have_lines_and_marks_of_their_own() -> None:
    (axes,) = drawn([curves(6)]).axes
    shown = [(line.get_linestyle(), line.get_marker()) for line in axes.lines]
    assert len({marker for _, marker in shown}) == 6
    assert len({*map(str, LINES)}) == len(LINES)
    assert len({*MARKS}) == len(MARKS)
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [f"curve {n}" for n in range(6)]


def test_bars_have_the_numbers_that_they_are_given() -> None:
    (axes,) = drawn([BARS]).axes
    heights = [patch.get_height() for box in axes.containers for patch in box]
    assert heights == [1.0, 2.0, 3.0]
    assert {"1", "2", "3"} <= {text.get_text() for text in axes.texts}
    assert [label.get_text() for label in axes.get_xticklabels()] == [
        "nominal_dp\nup to 1",
        "semi_dp\nup to 3",
    ]


def bars_of(number: int, series: int, name: str) -> Figure:
    points = tuple((float(place), 1.0) for place in range(number))
    drawn = tuple(Series(str(n), points, "bars", ("1.00",) * number) for n in range(series))
    names = tuple((f"{name} {place}",) for place in range(number))
    return Figure("c", "c", "", "up", drawn, categories=names, note="one\ntwo", counts=True)


def test_many_names_below_bars_are_slanted_and_many_numbers_above_are_turned() -> None:
    cases = ((4, 1, "short", 0, 0), (12, 1, "a long name", 50, 0), (9, 2, "a long name", 50, 90))
    for number, series, name, slant, turn in cases:
        (axes,) = drawn([bars_of(number, series, name)]).axes
        assert {label.get_rotation() for label in axes.get_xticklabels()} == {slant}
        numbers = [text for text in axes.texts if text.get_text() == "1.00"]
        assert len(numbers) == number * series
        assert {text.get_rotation() for text in numbers} == {turn}
        assert axes.get_xlim() == (-0.6, number - 0.4)


def test_lines_of_a_note_stay_lines_and_counts_have_whole_ticks() -> None:
    (axes,) = drawn([bars_of(3, 1, "x")]).axes
    assert "one\ntwo" in {text.get_text() for text in axes.texts}
    assert all(float(tick).is_integer() for tick in axes.get_yticks())


def test_steps_run_the_way_they_are_told() -> None:
    points = ((0.0, 1.0), (1.0, 0.0))
    before, after = Series("a", points, "held_before"), Series("b", points, "held_after")
    (axes,) = drawn([Figure("f", "f", "x", "y", (before, after))]).axes
    assert [line.get_drawstyle() for line in axes.lines] == ["steps-pre", "steps-post"]


def test_words_of_a_spec_are_inert() -> None:
    text = plotted([curves(1, EVIL)], "svg").decode("utf-8")
    assert "<script" not in text
    assert "\x1b" not in text
    ElementTree.fromstring(text)


def test_no_setting_of_the_user_is_changed() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    with matplotlib.rc_context({"font.size": 30.0}):
        loud = plotted([curves(2)], "svg")
        assert matplotlib.rcParams["font.size"] == 30.0
    assert loud == plotted([curves(2)], "svg")
    assert dict(matplotlib.rcParams) == before


def test_without_the_extra_the_error_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    spec = str(CONFIGS / "example5_table.yaml")
    assert main(["analyze", spec, "-o", f"svg={tmp_path / 'a.svg'}"]) == 2
    captured = capsys.readouterr()
    assert "pip install 'semiaudit[plot]'" in captured.err
    assert captured.out == ""
    assert not list(tmp_path.iterdir())
    assert main(["reproduce", "su-table-1", "--reports", str(tmp_path / "r")]) == 2
    assert not list(tmp_path.iterdir())
