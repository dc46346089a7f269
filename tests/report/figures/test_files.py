"""Files of figures: the same bytes again, fonts inside, inert, and without matplotlib."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast
from xml.etree import ElementTree

import pytest

from semiaudit import audit
from semiaudit.cli import main
from semiaudit.model.figure import Figure, Series
from semiaudit.report import PLOT_FORMS, PlotForm, PlotStyle
from semiaudit.report.figures.files import plotted
from tests.own_process import run_python
from tests.places import CONFIGS

EVIL = "</text><script>alert(1)</script> $\\frac{1}{0}$ \x1b[31m"
BEGINNINGS = {"svg": b"<svg xmlns=", "png": b"\x89PNG", "pdf": b"%PDF"}


def curves(number: int, title: str = "a title") -> Figure:
    series = tuple(
        Series(f"curve {n} ε(δ) ≤ μ ρ", tuple((x / 10, x / 10 + n) for x in range(1, 11)))
        for n in range(number)
    )
    return Figure("a", title, "δ", "up", series, logarithmic=frozenset("x"), note="A note in Dₜ.")


DOTS = Figure(
    "b",
    "dots",
    "",
    "ρ, at most",
    (Series("in D", ((0.0, 1.0),), ("1",)), Series("in Dₜ", ((0.0, 3.0), (1.0, 2.0)), ("3", "2"))),
    categories=("attribute race", "within state"),
)


@pytest.mark.parametrize("style", ["plain", "paper"])
@pytest.mark.parametrize("form", PLOT_FORMS)
def test_the_same_figures_give_the_same_bytes(form: PlotForm, style: PlotStyle) -> None:
    first = plotted([curves(2), DOTS], form, style)
    assert {plotted([curves(2), DOTS], form, style) for _ in range(6)} == {first}
    assert first != plotted([curves(3), DOTS], form, style)
    assert first.startswith(BEGINNINGS[form])


def test_another_process_gives_the_same_bytes() -> None:
    code = (
        "import hashlib, sys; from semiaudit import audit; "
        f"report = audit({str(CONFIGS / 'example5_table.yaml')!r}); "
        "print([hashlib.sha256(report.plotted(form)).hexdigest() for form in ('svg', 'pdf')])"
    )
    assert run_python(code).stdout == run_python(code).stdout


def test_fonts_are_inside_and_dates_are_not() -> None:
    pdf = plotted([curves(2), DOTS], "pdf")
    fonts = {*re.findall(rb"/FontName /\w+\+([\w-]+)", pdf)}
    assert fonts == {b"LiberationSans"}
    assert b"/FontFile" in pdf
    assert b"Date" not in pdf


def test_a_drawing_needs_no_style_of_a_page() -> None:
    text = plotted([curves(2), DOTS], "svg").decode("utf-8")
    root = ElementTree.fromstring(text)
    assert "var(" not in text
    assert not [n for n in root.iter() if n.tag.rpartition("}")[2] in ("style", "script", "image")]
    lines = [n for n in root.iter() if n.tag.endswith("path")]
    assert all("stroke" in line.attrib for line in lines)
    assert all("fill" in n.attrib for n in root.iter() if n.tag.endswith("}text"))


def test_a_figure_of_a_paper_is_grey_and_has_no_title_and_no_note() -> None:
    text = plotted([curves(6), DOTS], "svg", "paper").decode("utf-8")
    root = ElementTree.fromstring(text)
    assert float(root.attrib["width"]) == pytest.approx(3.3 * 96)
    shown = [n.text for n in root.iter() if n.tag.endswith("}text")]
    assert not {"a title", "dots"} & {*shown}
    strokes = {n.attrib["stroke"] for n in root.iter() if n.get("class", "").startswith("line")}
    assert len(strokes) == 6
    assert all(color[1:3] == color[3:5] == color[5:7] for color in strokes)


def test_words_of_a_spec_are_inert() -> None:
    text = plotted([curves(1, EVIL)], "svg").decode("utf-8")
    assert "<script" not in text
    assert "\x1b" not in text
    ElementTree.fromstring(text)


def test_no_command_imports_matplotlib_and_svg_needs_no_converter(tmp_path: Path) -> None:
    spec, file = str(CONFIGS / "example5_table.yaml"), str(tmp_path / "a.svg")
    code = (
        "import sys; from semiaudit.cli import main; "
        f"assert main(['analyze', {spec!r}, '-o', 'svg=' + {file!r}]) == 0; "
        "print('matplotlib' in sys.modules, 'vl_convert' in sys.modules, file=sys.stderr)"
    )
    assert run_python(code).stderr.split()[-2:] == ["False", "False"]
    assert Path(file).read_bytes().startswith(BEGINNINGS["svg"])


def test_without_the_extra_the_error_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    spec = str(CONFIGS / "example5_table.yaml")
    for form in ("png", "pdf"):
        assert main(["analyze", spec, "-o", f"{form}={tmp_path / 'a'}"]) == 2
        captured = capsys.readouterr()
        assert "pip install 'semiaudit[plot]'" in captured.err
        assert captured.out == ""
    assert main(["reproduce", "su-table-1", "--reports", str(tmp_path / "r")]) == 2
    assert not list(tmp_path.iterdir())
    assert main(["analyze", spec, "-o", f"svg={tmp_path / 'a'}"]) == 0


def test_the_command_writes_the_figures_that_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = str(CONFIGS / "example5_table.yaml")
    one, three = tmp_path / "one.svg", tmp_path / "three.svg"
    assert main(["analyze", spec, "-o", f"svg={one}", "--figure", "attack"]) == 0
    assert main(["analyze", spec, "-o", f"svg={three}"]) == 0
    assert 0 < one.stat().st_size < three.stat().st_size
    capsys.readouterr()
    assert main(["analyze", spec, "--figure", "epsilon"]) == 2
    assert "no file is named" in capsys.readouterr().err
    assert main(["analyze", spec, "-o", f"svg={one}", "--figure", "semantics"]) == 2
    assert "semantics: there is nothing to draw" in capsys.readouterr().err


def test_the_library_writes_what_is_asked_for_and_says_what_there_is() -> None:
    report = audit(CONFIGS / "example5_table.yaml")
    titles = [
        ElementTree.fromstring(report.plotted("svg", *names))[0].text
        for names in ((), ("tradeoff_logarithmic",))
    ]
    assert titles == [
        "What an attacker detects at a 5% false-positive rate; Tradeoff functions; ε over δ",
        "Tradeoff functions, logarithmic axes",
    ]
    with pytest.raises(ValueError, match="no figure 'pie'; there are attack, tradeoff"):
        report.plotted("svg", "pie")
    with pytest.raises(ValueError, match="semantics: there is nothing to draw"):
        report.plotted("svg", "semantics")
    with pytest.raises(ValueError, match="no format 'gif'"):
        report.plotted(cast(PlotForm, "gif"))
    with pytest.raises(ValueError, match="no style 'loud'"):
        report.plotted("svg", style=cast(PlotStyle, "loud"))
