"""Figures as files: in greys, told apart by lines and marks, the same bytes again, and inert."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from semiaudit.cli import main
from semiaudit.model.figure import Figure, Series
from semiaudit.report import PLOT_FORMS, PlotForm
from semiaudit.report.plots.matplotlib_figures import LINES, MARKS, drawn, plotted
from tests.places import CONFIGS

EVIL = "</text><script>alert(1)</script> $\\frac{1}{0}$ \x1b[31m"


def curves(number: int, title: str = "a title") -> Figure:
    series = tuple(
        Series(f"curve {n}", tuple((x / 10, x / 10 + n) for x in range(1, 11)))
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


def test_bars_with_many_or_long_names_lie_on_their_sides_with_readable_names() -> None:
    for number, series, name, lies in ((4, 1, "short", False), (12, 2, "a long name", True)):
        (axes,) = drawn([bars_of(number, series, name)]).axes
        numbers = [text for text in axes.texts if text.get_text() == "1.00"]
        assert len(numbers) == number * series
        labels = axes.get_yticklabels() if lies else axes.get_xticklabels()
        assert [label.get_text() for label in labels] == [f"{name} {n}" for n in range(number)]
        assert {label.get_rotation() for label in (*labels, *numbers)} == {0}
        limits = axes.get_ylim()[::-1] if lies else axes.get_xlim()
        assert limits == (-0.6, number - 0.4)
        bars = [patch for box in axes.containers for patch in box]
        lengths = {bar.get_width() if lies else bar.get_height() for bar in bars}
        assert lengths == {1.0}


def test_figures_grow_with_bars_that_lie_on_their_sides() -> None:
    few, many = (drawn([bars_of(number, 2, "a long name")]) for number in (8, 40))
    assert few.get_figheight() < many.get_figheight()


def test_a_paper_has_columns_of_3_3_inches_with_serifs_and_formulas() -> None:
    epsilon = replace(curves(2, "a $title$"), formulas=("$\\delta$", "$\\varepsilon(\\delta)$"))
    whole = drawn([epsilon, BARS], "paper")
    assert whole.get_figwidth() == 3.3
    first, second = whole.axes
    assert (first.get_xlabel(), first.get_ylabel()) == ("$\\delta$", "$\\varepsilon(\\delta)$")
    assert first.yaxis.label.get_parse_math()
    assert first.yaxis.label.get_fontfamily()[0] == "STIXGeneral"
    assert second.get_ylabel() == "epsilon"
    assert not second.yaxis.label.get_parse_math()
    assert first.get_title() == first.get_title("left") == ""
    assert "A note." not in {text.get_text() for text in first.texts}
    assert plotted([epsilon], "pdf", "paper") == plotted([epsilon], "pdf", "paper")
    (plain,) = drawn([epsilon]).axes
    assert plain.get_ylabel() == "up"


def test_a_logarithmic_square_shows_every_curve_where_it_is_read() -> None:
    points = ((0.0, 1.0), (1e-6, 0.3), (0.05, 1e-5), (1.0, 0.0))
    figure = Figure("f", "f", "x", "y", (Series("a", points),),
                    logarithmic=frozenset("xy"), unit_square=True)  # fmt: skip
    (axes,) = drawn([figure]).axes
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert axes.get_xlim() == (1e-6, 1)
    assert axes.get_ylim()[0] == pytest.approx(1e-7)
    labels = {text.get_text() for text in axes.get_xticklabels()}
    assert {"10⁻⁶", "10⁻³", "0.1", "1"} <= labels


def test_lines_of_a_note_stay_lines_and_counts_have_whole_ticks() -> None:
    (axes,) = drawn([bars_of(3, 1, "x")]).axes
    assert "one\ntwo" in {text.get_text() for text in axes.texts}
    assert all(float(tick).is_integer() for tick in axes.get_yticks())


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
