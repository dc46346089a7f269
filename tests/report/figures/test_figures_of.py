"""Figures hold the numbers of audits: on the safe side, and only comparable ones share axes."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import mpmath
import numpy as np
import pytest
from matplotlib.figure import Figure as MatplotlibFigure

from semiaudit import ablate, audit, compare
from semiaudit.auditing.curve_points import with_curves
from semiaudit.library.report import audit_of
from semiaudit.model.bound import Bound, exact, lower, upper
from semiaudit.model.figure import Figure
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.guarantee import GuaranteeCurve
from semiaudit.model.topdown import Semantic
from semiaudit.report.blocks.curves import epsilon_line, on_logarithmic_axes
from semiaudit.report.figures.drawing import axes_of
from semiaudit.report.figures.figures_of import curve_figures, dots_of_semantics, figures_of
from tests.places import CONFIGS

F = Fraction

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
    series = {s.name: s for s in figures["tradeoff"].series}
    for name, mu in (("Advertised DP", 1), ("Semi-DP (effective)", 2)):
        drawn = series[name]
        assert (drawn.points[0][0], drawn.points[-1]) == (0.0, (1.0, 0.0))
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
    series = {s.name: s for s in figures["epsilon"].series}
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
    (found,) = dots_of_semantics(kinds)
    assert found.categories == ("attribute race", "within state")
    both = [*kinds, secret("across_state", "D", rho("3")), secret("across_state", "D_t", rho("3"))]
    (third, *_) = dots_of_semantics(both)[0].series
    assert (third.name, third.points) == ("in D and Dₜ", ((2.0, 3.0),))
    assert [(s.name, s.points) for s in found.series] == [
        ("in D", ((0.0, 0.5),)),
        ("in Dₜ", ((0.0, 2.0), (1.0, 1.5))),
    ]
    assert dots_of_semantics([]) == ()


def attack_of(spec: Any) -> Figure:
    return next(f for f in figures_of(with_curves(audit_of(audit(spec)))) if f.name == "attack")


def test_the_picture_has_the_power_of_the_optimal_attack() -> None:
    """Of G_1 and G_2 at 5%: 25.95 and 63.88 percent."""
    figure = attack_of(SPEC)
    advertised, effective, nothing = figure.series
    assert [s.labels for s in figure.series] == [("at most 25.96%",), ("at most 63.88%",), ("5%",)]
    normal = NormalDist()
    for series, mu in ((advertised, 1), (effective, 2)):
        truth = 100 * normal.cdf(normal.inv_cdf(0.05) + mu)
        assert truth <= series.points[0][1] <= truth + 0.01
    assert nothing.points[0][1] == 5
    assert (axes_of(figure).across.low, axes_of(figure).across.high) == (0, 100)
    assert (advertised.role, effective.role) == ("reference", "leading")


def test_the_picture_of_the_census_states_its_assumption() -> None:
    """A mechanism with one rho is worse than Gaussian noise (issue: 93.44 and 99.999 percent)."""
    figure = attack_of(CONFIGS / "census2020_pl94.yaml")
    labels = [series.labels[0] for series in figure.series]
    assert labels == ["at most 93.44%", "at most 99.999%", "5%"]
    assert "Only ρ is known" in figure.note
    assert "73.17% and 99.81%" in figure.note


def test_without_an_effective_guarantee_there_is_no_picture() -> None:
    cycle = [{"margin": pair} for pair in (["a", "b"], ["b", "c"], ["c", "d"], ["a", "d"])]
    space = {"attributes": dict.fromkeys("abcd", 4)}
    refused = audit({**SPEC, "dataspace": space, "invariants": cycle})
    assert refused.semi_dp.refused
    names = [figure.name for figure in figures_of(with_curves(audit_of(refused)))]
    assert names == ["tradeoff", "tradeoff_logarithmic", "epsilon"]


def test_only_the_effective_and_the_advertised_guarantee_share_axes(
    figures: dict[str, Figure],
) -> None:
    for name in ("tradeoff", "tradeoff_logarithmic", "epsilon"):
        shown = [(series.name, series.role) for series in figures[name].series]
        assert shown == [("Advertised DP", "reference"), ("Semi-DP (effective)", "leading")]
    assert not figures["tradeoff"].logarithmic
    assert figures["tradeoff_logarithmic"].logarithmic == {*"xy"}


def test_without_lines_a_curve_is_the_next_certified_number() -> None:
    points = tuple((F(k, 4), lower(F(4 - k, 8), "", "")) for k in range(5))
    figure, _ = curve_figures([GuaranteeCurve("a", points, ())], {"a": "A"})
    across, up = np.array(figure.series[0].points).T
    for at in np.linspace(0.01, 0.99, 99):
        least = min(float(bound) for place, bound in points if place - F(1, 4) < at)
        assert np.interp(at, across, up) <= least + 1e-9
    assert figure.name == "tradeoff"


def test_an_epsilon_that_is_finite_at_its_right_edge_only_has_no_figure() -> None:
    def curve(first: int) -> GuaranteeCurve:
        values = [math.inf] * (first - 1) + [F(1)] * (100 - first)
        points = ((F(k, 100), upper(value, "", "")) for k, value in enumerate(values, 1))
        return GuaranteeCurve("a", (), tuple(points))

    def names(first: int) -> list[str]:
        return [figure.name for figure in curve_figures([curve(first)], {"a": "A"})]

    assert "epsilon" not in names(95)
    assert "epsilon" in names(50)


TABLE = {**SPEC, "invariants": [{"margin": ["a"]}, {"margin": ["b"]}]}
HEAVY = {**TABLE, "title": "The same with less noise", "mechanism": {"gdp": {"mu": 2}}}


def test_releases_with_the_same_datasets_share_axes_with_their_titles() -> None:
    figures = compare(TABLE, HEAVY)._figures_named(())
    assert [figure.name for figure in figures] == ["tradeoff", "epsilon"]
    for figure in figures:
        assert [s.name for s in figure.series] == ["A table", "The same with less noise"]
        assert not figure.note
    low, high = (np.array(series.points).T for series in figures[0].series)
    at = np.linspace(0, 1, 200)
    assert np.all(np.interp(at, high[0], high[1]) <= np.interp(at, low[0], low[1]))


def test_titles_that_are_the_same_are_told_apart_by_letters_and_equal_curves_are_one() -> None:
    for figure in compare(TABLE, HEAVY, TABLE)._figures_named(()):
        assert [series.name for series in figure.series] == ["A, C", "B"]
        assert figure.note.splitlines() == [
            "A: A table",
            "B: The same with less noise",
            "C: A table",
        ]


def test_releases_about_other_datasets_have_no_common_axes() -> None:
    households = {**HEAVY, "dataspace": {**SPEC["dataspace"], "unit": "household"}}  # type: ignore[dict-item]
    figures = compare(TABLE, households)._figures_named(("tradeoff",))
    assert [len(figure.series) for figure in figures] == [1, 1]
    assert [figure.title.rpartition(": ")[2] for figure in figures] == [
        "A table",
        "The same with less noise",
    ]


def test_curves_of_an_ablation_are_its_variants() -> None:
    figure, *_ = ablate(TABLE)._figures_named(("tradeoff",))
    assert [(series.name, series.role) for series in figure.series] == [
        ("all", "leading"),
        ("all but I1, all but I2, I1 only, I2 only", ""),
        ("none", ""),
    ]
    assert figure.note == "I1: margin [a]\nI2: margin [b]"


def test_matplotlib_draws_the_same_numbers_on_given_axes(figures: dict[str, Figure]) -> None:
    report = audit(SPEC)
    axes = MatplotlibFigure().subplots()
    assert report.plot("epsilon", ax=axes) is axes
    for line, series in zip(axes.lines, figures["epsilon"].series, strict=True):
        drawn: Any = line
        assert drawn.get_xydata().tolist() == [[*point] for point in series.points]
        assert line.get_label() == series.name
    assert axes.get_xscale() == "log"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("δ", "ε, at most")
    attack = report.plot("attack")
    dots: Any = attack.lines[0]
    assert dots.get_xdata().tolist() == [figures["attack"].series[0].points[0][1]]
    with pytest.raises(ValueError, match="no figure 'pie'"):
        report.plot("pie")
