"""Points of curves: on their safe side, as good as the report's own numbers, and in time."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import pytest

import semiaudit
from semiaudit.auditing.curve_points import RATES, curves_of, with_curves
from semiaudit.auditing.run import audit_file
from semiaudit.commands.ablate.ablation import ablated
from semiaudit.library.report import audit_of
from semiaudit.model.audit import Audit
from tests.audits import shipped_report
from tests.clocks import Ticks
from tests.places import CONFIGS, SPECS

NORMAL = NormalDist()


@cache
def audit(name: str) -> Audit:
    """The audit of a config, made once: no test changes it."""
    return audit_of(shipped_report(CONFIGS / f"{name}.yaml"))


def gaussian(mu: float, type_i: float) -> float:
    """The tradeoff function of two unit normals mu apart."""
    return NORMAL.cdf(NORMAL.inv_cdf(1 - type_i) - mu) if 0 < type_i < 1 else 1.0 - type_i


def delta_of(mu: float, epsilon: float) -> float:
    """The privacy profile of two unit normals mu apart (Balle and Wang 2018)."""
    above = math.erfc((epsilon / mu - mu / 2) / math.sqrt(2)) / 2
    return above - math.exp(epsilon) * math.erfc((epsilon / mu + mu / 2) / math.sqrt(2)) / 2


def test_the_curves_of_gaussian_noise_are_those_of_normals() -> None:
    """Example 5 has mu 1, and mu 3 at a(t) = 3."""
    curves = {curve.name: curve for curve in with_curves(audit("example5_table")).curves}
    for name, mu in (("nominal_dp", 1.0), ("semi_dp", 3.0)):
        curve = curves[name]
        assert curve.complete
        assert {type_i for type_i, _ in curve.tradeoff} >= set(RATES)
        for type_i, bound in curve.tradeoff:
            truth = gaussian(mu, float(type_i))
            assert bound.side != "upper"
            assert truth - 1e-9 <= float(bound) <= truth * (1 + 1e-9) + 1e-12
        for delta, bound in curve.epsilons:
            assert bound.side != "lower"
            epsilon = float(bound)
            assert delta_of(mu, epsilon) <= float(delta) * (1 + 1e-6)
            assert delta_of(mu, epsilon * (1 - 1e-6)) >= float(delta) * (1 - 1e-4) or epsilon == 0


@pytest.mark.parametrize("name", ["census2020_pl94", "israel_live_births_2014", "cell_key_census"])
@pytest.mark.parametrize("most", [None, 5])
def test_curves_fall_and_are_nowhere_looser_than_the_report(name: str, most: int | None) -> None:
    made = with_curves(audit(name), most=most)
    rows = {str(row.guarantee.framework): row for row in made.rows}
    assert {curve.name for curve in made.curves} == {"nominal_dp", "semi_dp"}
    for curve in made.curves:
        for (x1, y1), (x2, y2) in pairwise(curve.tradeoff):
            assert x1 < x2
            assert y1.value >= y2.value
        for (x1, y1), (x2, y2) in pairwise(curve.epsilons):
            assert x1 < x2
            assert y1.value >= y2.value
        numbers = rows[curve.name].numbers
        tradeoff, epsilons = dict(curve.tradeoff), dict(curve.epsilons)
        for type_i, bound in numbers.tradeoff:
            assert tradeoff[type_i].value >= bound.value
        for point in numbers.tightest:
            assert epsilons[point.delta].value <= point.epsilon.value
        assert len(tradeoff) <= (most or 2 * len(RATES)) + len(numbers.tradeoff)


def test_no_curve_is_drawn_of_what_is_refused() -> None:
    made = with_curves(audit("example3_all_zero"))
    refused = {row.guarantee.framework for row in made.rows if row.guarantee.refused}
    assert not refused & {curve.name for curve in made.curves}


def test_curves_are_made_once() -> None:
    made = with_curves(audit("example5_table"), most=3)
    assert with_curves(made) is made


def test_without_time_the_reports_own_numbers_are_the_curve() -> None:
    made = audit("example5_table")
    named = [(row.guarantee.framework, row) for row in made.rows]
    for curve, (_, row) in zip(curves_of(named, time_limit=0.0), named, strict=True):
        assert not curve.complete
        assert [type_i for type_i, _ in curve.tradeoff] == [a for a, _ in row.numbers.tradeoff]
        assert len(curve.epsilons) == len(row.numbers.tightest)


def test_an_audit_is_as_it_was_but_for_its_curves() -> None:
    made = audit("example5_table")
    assert made.curves == ()
    assert replace(with_curves(made, most=2), curves=()) == made


def test_variants_of_an_ablation_have_their_places_as_names() -> None:
    release = audit_file(CONFIGS / "example5_table.yaml").release
    found = with_curves(ablated(release), most=20)
    names = [curve.name for curve in found.curves]
    assert names == [str(place) for place in range(len(found.variants))]
    at = Fraction(1, 20)
    values = [dict(curve.tradeoff)[at] for curve in found.curves]
    # mu 3 with both margins, 2 with one, 1 with none: the effective mu is a(t) times 1.
    for value, mu in zip(values, (3, 2, 2, 2, 2, 1), strict=True):
        assert float(value) == pytest.approx(gaussian(mu, 0.05), abs=1e-9)


def test_only_a_format_that_draws_asks_for_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    from semiaudit.auditing import curve_points

    asked: list[object] = []

    def points(*arguments: object) -> tuple[tuple[()], tuple[()], tuple[()]]:
        asked.append(arguments)
        return (), (), ()

    monkeypatch.setattr(curve_points, "_points", points)
    report = semiaudit.audit(SPECS / "exceeds/rho.yaml")
    for form in ("text", "json", "markdown", "csv", "latex"):
        report.render(form)
    assert asked == []
    report.render("html")
    assert asked


SAMPLED = """
semiaudit: 1
dataspace: {unit: person}
mechanism:
  subsampled_gaussian: {noise_multiplier: 1, sampling_rate: 1e-300, steps: 1}
  repeat: 3
"""
"""Whose curves would take 20 seconds of the processor."""


def test_the_curves_of_a_page_and_of_figures_share_the_time_limit_of_their_run() -> None:
    before = time.process_time()
    found = semiaudit.audit(SAMPLED, time_limit=0.5)
    page = found.render("html")
    found.plotted("svg")
    assert "<svg" in page
    assert time.process_time() - before < 6


def test_pages_and_figures_draw_the_same_curves_which_are_computed_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    computed: list[float] = []

    def counted(named: Any, time_limit: float, most: Any) -> Any:
        computed.append(time_limit)
        return curves_of(named, time_limit, most)

    found = semiaudit.audit(CONFIGS / "example5_table.yaml", time_limit=30)
    monkeypatch.setattr("semiaudit.auditing.curve_points.curves_of", counted)
    assert found.render("html") == found.render("html")
    found.plotted("svg", "tradeoff")
    (left,) = computed
    assert 0 < left < 30


def test_curves_end_with_the_time_that_is_left_however_idle_the_processor_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A clock on the wall that moves by a second whenever somebody looks."""
    made = audit("example5_table")
    monkeypatch.setattr("semiaudit.auditing.curve_points.time.monotonic", Ticks(1.0))
    for seconds, whole in ((50.0, False), (math.inf, True)):
        curves = with_curves(made, seconds).curves
        assert all(curve.complete is whole for curve in curves)


def test_a_curve_has_twenty_points_in_every_power_of_ten() -> None:
    """Of both axes: a far fall between two type I errors has points of its own."""
    (curve,) = (c for c in with_curves(audit("census2020_pl94")).curves if c.name == "semi_dp")
    rates = [float(rate) for rate, _ in curve.tradeoff if 0 < rate <= Fraction(1, 10)]
    deltas = [float(delta) for delta, _ in curve.epsilons]
    for places, last in ((rates, 0.1), (deltas, 0.9)):
        assert places[-1] == last
        assert all(after / before < 10 ** (1 / 15) for before, after in pairwise(places))
        for power in range(-6, -1):
            assert sum(10**power <= place < 10 ** (power + 1) for place in places) >= 20
    errors = [float(bound) for rate, bound in curve.tradeoff if Fraction(1, 10**6) < rate]
    assert all(before / after < 3.2 for before, after in pairwise(errors) if after > 1e-9)
