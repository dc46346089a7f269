"""The figures of an audit hold its numbers, and steps stay where the curves are certified."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist
from typing import Any, cast

import mpmath
import numpy as np
import pytest

from semiaudit import audit
from semiaudit.auditing.curve_points import with_curves
from semiaudit.cli import main
from semiaudit.library.report import audit_of
from semiaudit.model.bound import Bound, exact
from semiaudit.model.figure import Figure
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.labels import label
from semiaudit.model.topdown import Semantic
from semiaudit.report import PlotForm
from semiaudit.report.blocks.curves import epsilon_line, on_logarithmic_axes
from semiaudit.report.plots.of_audit import figures_of, semantics_figure
from tests.places import CONFIGS

SPEC = {
    "semiaudit": 1,
    "title": "A table",
    "dataspace": {"size": 100, "attributes": {"a": 2, "b": 2}},
    "invariants": [{"margin": ["a"]}],
    "mechanism": {"gdp": {"mu": 1}},
    "report": {"deltas": ["1e-6", "1e-3"]},
}


@pytest.fixture(scope="module")
def figures() -> dict[str, Figure]:
    return {f.name: f for f in figures_of(with_curves(audit_of(audit(SPEC))))}


def test_tradeoff_lines_lie_on_or_below_the_function(figures: dict[str, Figure]) -> None:
    normal = NormalDist()
    series = {name: s for s in figures["tradeoff"].series for name in s.name.split(", ")}
    for name, mu in (("Advertised DP", 1), ("Semi-DP (effective)", 2)):
        drawn = series[name]
        assert (drawn.shape, drawn.points[0][0], drawn.points[-1]) == ("line", 0.0, (1.0, 0.0))
        at = np.linspace(0, 1, 500)[1:-1]
        true = np.array([normal.cdf(normal.inv_cdf(1 - x) - mu) for x in at])
        across, up = np.array(drawn.points).T
        found = np.interp(at, across, up)
        assert np.all(found <= true)
        assert np.all(found >= true - 0.001)


def test_a_line_on_logarithmic_axes_stays_on_its_segments() -> None:
    line = ((0.0, 1.0), (0.2, 0.3), (1.0, 0.0))
    image = on_logarithmic_axes(line)
    assert image[0] == line[0]
    assert image[-1] == line[-1]
    assert len(image) > 100
    across, up = np.array(line).T
    assert all(y == pytest.approx(float(np.interp(x, across, up))) for x, y in image)


def profile(mu: float, epsilon: float) -> Any:
    """The delta of G_mu, in 40 digits: doubles lose it in a difference."""
    with mpmath.workdps(40):
        half, other = mpmath.mpf(mu) / 2, mpmath.mpf(epsilon) / mu
        return mpmath.ncdf(half - other) - mpmath.exp(epsilon) * mpmath.ncdf(-half - other)


def test_epsilon_lines_lie_on_or_above_the_profile(figures: dict[str, Figure]) -> None:
    series = {name: s for s in figures["epsilon"].series for name in s.name.split(", ")}
    points = series["Semi-DP (effective)"].points
    for at, epsilon in points:
        assert at >= profile(2, epsilon) * (1 - 1e-12)
        assert not epsilon or at <= profile(2, epsilon) * 1.05
    assert len(points) > 250


def test_the_image_of_a_chord_is_not_a_straight_segment() -> None:
    # Of G_1 from epsilon 2 to 5: at every delta between, the image is above the profile, and the
    # segment on a logarithmic axis is up to 63% below it.
    ends = [(Fraction(float(profile(1, e))), exact(Fraction(e), "", "")) for e in (5, 2)]
    line = epsilon_line(tuple(ends))
    assert len(line) > 20
    assert all(at >= profile(1, epsilon) * (1 - 1e-12) for at, epsilon in line)
    middle = math.exp((math.log(float(ends[0][0])) + math.log(float(ends[1][0]))) / 2)
    assert middle < 0.5 * float(profile(1, 3.5))


def test_bars_are_the_epsilons_of_the_report(figures: dict[str, Figure]) -> None:
    report = audit(SPEC)
    comparison = figures["comparison"]
    assert [c[0] for c in comparison.categories] == [label(g.name) for g in report if not g.refused]
    deltas = {"δ = 1e-6": "1e-6", "δ = 0.001": "1e-3"}
    assert {series.name for series in comparison.series} == {*deltas}
    for series in comparison.series:
        delta = deltas[series.name]
        shown = {comparison.categories[int(at)][0]: up for at, up in series.points}
        assert shown == {label(g.name): float(g.epsilon(delta)) for g in report if not g.refused}
        for (_, up), text in zip(series.points, series.labels, strict=True):
            assert up <= float(text) <= up + 0.01


def secret(name: str, universe: UniverseName, rho: Bound | None) -> Semantic:
    return Semantic(name, universe, "two datasets", 1, "", rho, (), None)


def rho(value: str) -> Bound:
    return exact(Fraction(value), "zcdp", "x")


def test_kinds_of_secrets_stand_beside_each_other_by_universe() -> None:
    kinds = [
        secret("attribute:race", "D", rho("1/2")),
        secret("attribute:race", "D_t", rho("2")),
        secret("within_state", "D_t", rho("1")),
        secret("within_state", "D_t", rho("3/2")),
        secret("nothing", "D_t", None),
    ]
    found = semantics_figure(kinds)
    assert found.categories == (("attribute race",), ("within state",))
    assert [(s.name, s.points) for s in found.series] == [
        ("in D", ((0.0, 0.5),)),
        ("in Dₜ", ((0.0, 2.0), (1.0, 1.5))),
    ]
    assert semantics_figure([]).series == ()


def test_the_library_draws_what_is_asked_for_and_says_what_there_is() -> None:
    report = audit(SPEC)
    assert len(report.plot("tradeoff").axes) == 1
    assert len(report.plot().axes) == 3
    assert report.plotted("svg", "comparison") == report.plotted("svg", "comparison")
    with pytest.raises(ValueError, match="no figure 'pie'; there are tradeoff, epsilon"):
        report.plot("pie")
    with pytest.raises(ValueError, match="semantics: there is nothing to draw"):
        report.plot("semantics")
    with pytest.raises(ValueError, match="no format 'gif'"):
        report.plotted(cast(PlotForm, "gif"))


def test_the_command_writes_the_figures_that_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = str(CONFIGS / "example5_table.yaml")
    one, three = tmp_path / "one.svg", tmp_path / "three.svg"
    assert main(["analyze", spec, "-o", f"svg={one}", "--figure", "comparison"]) == 0
    assert main(["analyze", spec, "-o", f"svg={three}"]) == 0
    assert 0 < one.stat().st_size < three.stat().st_size
    capsys.readouterr()
    assert main(["analyze", spec, "--figure", "epsilon"]) == 2
    assert "no file is named" in capsys.readouterr().err
    assert main(["analyze", spec, "-o", f"svg={one}", "--figure", "semantics"]) == 2
    assert "semantics: there is nothing to draw" in capsys.readouterr().err
