"""Figures of releases side by side and of an ablation hold the numbers that each audit has."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from semiaudit import Ablation, Comparison, Spec, ablate, audit, compare
from semiaudit.cli import main
from semiaudit.model.figure import Figure
from semiaudit.report import ANSWER_FIGURES, PLOT_FORMS, PlotForm
from semiaudit.report.plots.side_by_side import TITLE
from tests.places import CONFIGS

Capture = pytest.CaptureFixture[str]

TABLE = {
    "semiaudit": 1,
    "title": "A table",
    "dataspace": {"size": 100, "attributes": {"a": 2, "b": 2}},
    "invariants": [{"margin": ["a"]}, {"margin": ["b"]}],
    "mechanism": {"gdp": {"mu": 1}},
    "report": {"deltas": ["1e-6", "1e-3"]},
}
HEAVY = {**TABLE, "title": "The same with less noise", "mechanism": {"gdp": {"mu": 2}}}
BEGINNINGS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}


def by_name(figures: tuple[Figure, ...]) -> dict[str, Figure]:
    return {figure.name: figure for figure in figures}


@pytest.fixture(scope="module")
def compared() -> dict[str, Figure]:
    return by_name(compare(TABLE, HEAVY, TABLE)._figures_named(()))


@pytest.fixture(scope="module")
def ablated() -> dict[str, Figure]:
    return by_name(ablate(TABLE)._figures_named(()))


def test_bars_of_a_comparison_are_the_epsilons_of_each_audit(compared: dict[str, Figure]) -> None:
    assert [*compared] == [*ANSWER_FIGURES]
    figure = compared["comparison"]
    assert figure.categories == (("A",), ("B",), ("C",))
    audits = [audit(spec).semi_dp for spec in (TABLE, HEAVY, TABLE)]
    assert [series.name for series in figure.series] == ["δ = 0.001", "δ = 1e-6"]
    for series, delta in zip(figure.series, ("1e-3", "1e-6"), strict=True):
        assert [up for _, up in series.points] == [float(g.epsilon(delta)) for g in audits]
        for (_, up), label in zip(series.points, series.labels, strict=True):
            assert up <= float(label) <= up + 0.01
    assert [up for _, up in compared["distance"].series[0].points] == [3, 3, 3]
    assert compared["distance"].counts


def test_equal_curves_are_one_with_the_names_of_their_releases(compared: dict[str, Figure]) -> None:
    for name in ("tradeoff", "epsilon"):
        assert [series.name for series in compared[name].series] == ["A, C", "B"]
        assert compared[name].note.splitlines()[1:] == [
            "A: A table",
            "B: The same with less noise",
            "C: A table",
        ]
    low, high = (np.array(series.points).T for series in compared["tradeoff"].series)
    at = np.linspace(0, 1, 200)
    assert np.all(np.interp(at, high[0], high[1]) <= np.interp(at, low[0], low[1]))


def test_bars_of_an_ablation_are_its_variants(ablated: dict[str, Figure]) -> None:
    names = ("all", "all but I1", "all but I2", "I1 only", "I2 only", "none")
    assert ablated["distance"].categories == tuple((name,) for name in names)
    # Three records for both margins, two for one, one where nothing is exact.
    assert [up for _, up in ablated["distance"].series[0].points] == [3, 2, 2, 2, 2, 1]
    assert ablated["distance"].series[0].labels == ("3", "2", "2", "2", "2", "1")
    assert ablated["distance"].note == "I1: margin [a]\nI2: margin [b]"
    found = [float(audit({**TABLE, "invariants": i}).semi_dp.epsilon("1e-6")) for i in (
        TABLE["invariants"], [{"margin": ["a"]}], [])]  # fmt: skip
    (series,) = [s for s in ablated["comparison"].series if s.name == "δ = 1e-6"]
    assert [series.points[place][1] for place in (0, 2, 5)] == found
    assert [s.name for s in ablated["tradeoff"].series] == [
        "all",
        "all but I1, all but I2, I1 only, I2 only",
        "none",
    ]


def test_what_is_not_stated_has_no_bar_and_a_word() -> None:
    alone, other = CONFIGS / "example3_all_zero.yaml", CONFIGS / "example2_three_bits.yaml"
    found = by_name(compare(alone, other)._figures_named(("comparison", "distance")))
    assert found["comparison"].categories == (("A", "one dataset"), ("B",))
    assert [at for at, _ in found["comparison"].series[0].points] == [1.0]
    assert found["distance"].series[0].labels == ("0", "2")


def test_one_delta_stands_beside_the_axis() -> None:
    one = {**TABLE, "report": {"deltas": ["1e-6"]}}
    (figure,) = compare(one, one)._figures_named(("comparison",))
    assert figure.up == "ε at δ = 1e-6, at most"


def test_long_titles_are_cut_and_many_are_counted() -> None:
    long = {**TABLE, "title": "word " * 60, "report": {"deltas": ["1e-6"]}}
    (figure,) = compare(*[long] * 8)._figures_named(("distance",))
    lines = figure.note.splitlines()
    assert lines[-1] == "2 more"
    assert all(len(line) <= TITLE + 3 for line in lines)
    assert len(figure.categories) == 8


def test_both_draw_in_every_form_the_same_bytes_again() -> None:
    spec = Spec.from_mapping(TABLE)
    forms: tuple[tuple[PlotForm, ...], ...] = (PLOT_FORMS, ("svg",))
    answers: tuple[Comparison | Ablation, ...] = (compare(spec, spec), ablate(spec))
    for found, own in zip(answers, forms, strict=True):
        for form in own:
            picture = found.plotted(form, "distance")
            assert picture.startswith(BEGINNINGS[form])
            assert picture == found.plotted(form, "distance")
        assert len(found.plot("distance", "comparison").axes) == 2
        with pytest.raises(ValueError, match="no figure 'semantics'; there are tradeoff, epsilon"):
            found.plot("semantics")


def test_words_of_a_spec_are_inert_below_figures_too() -> None:
    evil = {**TABLE, "title": "</text><script>alert(1)</script> $\\frac{1}{0}$ B: no"}
    (figure,) = compare(evil, TABLE)._figures_named(("distance",))
    assert [line[:2] for line in figure.note.splitlines()] == ["A:", "B:"]
    text = compare(evil, TABLE).plotted("svg", "distance").decode("utf-8")
    assert "<script" not in text
    ElementTree.fromstring(text)


@pytest.mark.parametrize("command", ["compare", "ablate"])
def test_the_commands_write_figures_beside_their_report(
    command: str, tmp_path: Path, capsys: Capture
) -> None:
    spec = str(CONFIGS / "example5_table.yaml")
    given = [spec, spec] if command == "compare" else [spec]
    paths = {form: tmp_path / f"a.{form}" for form in PLOT_FORMS}
    outputs = [part for form in PLOT_FORMS for part in ("-o", f"{form}={paths[form]}")]
    table = tmp_path / "a.csv"
    chosen = ["--figure", "comparison", "--figure", "distance"]
    asked = [command, *given, "--format", "csv"]
    assert main([*asked, *outputs, "-o", f"csv={table}", *chosen]) == 0
    printed = capsys.readouterr().out
    assert table.read_text("utf-8") == printed
    assert len(list(csv.reader(io.StringIO(printed)))) > 10
    for form, path in paths.items():
        assert path.read_bytes().startswith(BEGINNINGS[form])
    ElementTree.fromstring(paths["svg"].read_bytes())


@pytest.mark.parametrize("command", ["compare", "ablate"])
def test_nothing_is_written_where_a_figure_or_a_place_is_wrong(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    spec = str(CONFIGS / "example5_table.yaml")
    asked = [command, *([spec, spec] if command == "compare" else [spec])]
    target, table = tmp_path / "a.svg", tmp_path / "a.csv"
    assert main([*asked, "--figure", "distance"]) == 2
    assert "no file is named" in capsys.readouterr().err
    assert main([*asked, "-o", f"svg={target}", "--figure", "semantics"]) == 2
    assert "semantics" in capsys.readouterr().err
    assert main([*asked, "-o", f"svg={tmp_path / 'no' / 'a.svg'}"]) == 2
    assert main([*asked, "-o", f"gif={target}"]) == 2
    assert main([*asked, "-o", f"svg={spec}"]) == 2
    capsys.readouterr()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main([*asked, "-o", f"csv={table}", "-o", f"svg={target}"]) == 2
    captured = capsys.readouterr()
    assert "pip install 'semiaudit[plot]'" in captured.err
    assert captured.out == ""
    assert not list(tmp_path.iterdir())


def test_a_figure_without_anything_to_draw_is_told_and_nothing_is_written(
    tmp_path: Path, capsys: Capture
) -> None:
    spec, target = str(CONFIGS / "example3_all_zero.yaml"), tmp_path / "a.svg"
    table = tmp_path / "a.csv"
    asked = ["compare", spec, spec, "-o", f"csv={table}", "-o", f"svg={target}"]
    assert main([*asked, "--figure", "comparison"]) == 2
    assert "comparison: there is nothing to draw" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
