"""Guarantees of a report answer for any argument, with the numbers that the report has."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist
from typing import Any

import mpmath
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import semiaudit
from semiaudit import (
    GDP,
    ZCDP,
    ApproxDP,
    Bound,
    Finite,
    Gaussian,
    GaussianTradeoff,
    Guarantee,
    Laplace,
    PureDP,
    RefusedError,
    Report,
    audit,
    compose,
)
from tests.audits import shipped_report
from tests.places import CONFIGS, ROOT

SPECS: dict[str, dict[str, object]] = {
    "zcdp": {"zcdp": {"rho": 0.5}},
    "gaussian": {"gaussian": {"sigma": 2, "query": "table"}},
    "laplace": {"laplace": {"scale": 3, "query": {"margins": [["b"]]}}},
    "composed": (Gaussian(2, shifts=[1]) * 3 + Laplace(1, shifts=[1])).to_mapping(),
    "approx": {"approx_dp": {"epsilon": 1, "delta": "1e-7"}},
}


def spec(mechanism: object, **sections: object) -> dict[str, object]:
    return {
        "semiaudit": 1,
        "dataspace": {"size": 20, "attributes": {"a": 2, "b": 3}},
        "invariants": [{"margin": ["a"]}],
        "adjacency": {"metric": "multiset_hamming"},
        "mechanism": mechanism,
        "report": {"deltas": ["1e-10", "1e-6"], "alphas": [0.01, 0.05]},
        **sections,
    }


@pytest.fixture(scope="module", params=list(SPECS))
def report(request: pytest.FixtureRequest) -> Report:
    return audit(spec(SPECS[request.param]))


def test_every_number_of_the_report_is_answered_again(report: Report) -> None:
    for row, guarantee in zip(report.as_dict()["guarantees"], report, strict=True):
        assert guarantee.name == row["framework"]
        assert (guarantee.universe, guarantee.distance) == (
            row["universe"],
            row["adjacency"]["distance"],
        )
        if guarantee.refused:
            continue
        for delta in ("1e-10", "1e-6"):
            told = [p["epsilon"] for p in row["approx_dp"] if p["delta"] == float(delta)]
            found = guarantee.epsilon(delta)
            least = min(float("inf") if e == "inf" else e for e in told)
            assert (float(found), found.side in ("upper", "exact")) == (least, True)
        for point in row["tradeoff"]:
            assert float(guarantee.type_ii(point["type_i"])) == point["type_ii"]
        for point in row["tpr_at_fpr"]:
            assert float(guarantee.tpr(point["fpr"])) == point["tpr"]
        assert float(guarantee.advantage) == row["advantage"]
        for name, kind, key in (("rho", "zcdp", "rho"), ("mu", "gdp", "mu")):
            own: Bound | None = getattr(guarantee, name)
            assert (None if own is None else float(own)) == (row[kind] and row[kind][key])


def test_delta_and_epsilon_are_inverse_and_curves_fall(report: Report) -> None:
    guarantee = report.semi_dp
    found = guarantee.delta(1)
    assert found.side == "upper"
    if 0 < found.value < 1:
        assert float(guarantee.epsilon(Fraction(found.value))) <= 1 + 1e-6
    curve = guarantee.tradeoff(3)
    assert list(curve.type_i) == [0, 0.5, 1]
    assert (np.diff(curve.type_ii) <= 0).all()
    assert (curve.type_i + curve.type_ii <= 1).all()
    at = [float(guarantee.type_ii(Fraction(a))) for a in curve.type_i]
    assert (curve.type_ii >= at).all()
    assert curve.type_ii[1] == at[1]
    profile = guarantee.profile([1, 0])
    assert list(profile.epsilon) == [0, 1]
    assert (np.diff(profile.delta) <= 0).all()


def test_a_refused_guarantee_gives_its_reason_and_no_number() -> None:
    found = audit(spec({"zcdp": {"rho": 1}}, invariants=[{"margin": ["a", "b"]}]))
    guarantee = found["semi_dp"]
    assert "one dataset" in guarantee.refused
    assert repr(guarantee).startswith("<semi_dp: refused: Dₜ has only one dataset")
    asked: Any
    for asked in (
        lambda: guarantee.epsilon(1e-6),
        lambda: guarantee.delta(1),
        lambda: guarantee.type_ii(0.5),
        lambda: guarantee.tpr(0.5),
        lambda: guarantee.tradeoff(),
        lambda: guarantee.rho,
        lambda: guarantee.mu,
        lambda: guarantee.advantage,
        lambda: guarantee.pure_epsilon,
    ):
        with pytest.raises(
            RefusedError, match="semi_dp: no guarantee is proven: Dₜ has only one dataset"
        ):
            asked()
    with pytest.raises(KeyError):
        found["semi"]


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda g: g.epsilon(1), "delta: 1 is out of range; give at least 0 and below 1"),
        (lambda g: g.epsilon(-1e-9), "delta"),
        (lambda g: g.delta(-1), "epsilon: -1 is out of range"),
        (lambda g: g.type_ii(1.5), "type_i: 1.5 is out of range"),
        (lambda g: g.tpr("half"), "fpr: half is not a number"),
        (lambda g: g.tradeoff(1), "points: 1 is not a whole number of at least 2"),
        (lambda g: g.tradeoff([2]), "points: 2 is out of range"),
        (lambda g: g.profile([-1]), "epsilons: -1 is out of range"),
    ],
)
def test_arguments_have_ranges(ask: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        ask(PureDP(1).guarantee())


def test_the_ends_of_a_tradeoff_function() -> None:
    for mechanism in SPECS.values():
        if "gaussian" not in mechanism and "laplace" not in mechanism:
            found = audit(spec(mechanism)).nominal_dp
            assert float(found.type_ii(1)) == 0
            assert float(found.type_ii(0)) >= 1 - 1.1e-7
    assert PureDP(1).guarantee().epsilon(0).value == 1
    assert str(Gaussian(1).guarantee().epsilon(0)) == "inf (upper, none)"


def test_published_numbers_of_the_census() -> None:
    found = shipped_report(CONFIGS / "census2020_pl94.yaml").semi_dp
    assert repr(found.epsilon("1e-10")) == "39.822574 (upper, cks20)"
    assert repr(found.rho) == "10.24 (upper, zcdp)"
    assert isinstance(found, Guarantee)
    assert found.covers_joint_release


def test_a_guarantee_names_the_metric_of_its_distance() -> None:
    for metric in ("hamming", "symmetric_difference"):
        found = semiaudit.GDP(1).guarantee(distance=2, metric=metric)
        assert f"D up to {metric} distance 2" in repr(found)


@pytest.mark.parametrize("kind", [np.array, list, tuple, pl.Series, pa.array])
def test_arrays_lists_and_series_are_answered_by_arrays_in_their_order(kind: Any) -> None:
    guarantee = (Gaussian(5) * 20 + Laplace(3) * 20).guarantee()
    deltas = [1e-3, 1e-9, 1e-6, 1e-3, 1e-2, 1e-4, 1e-5, 1e-7, 1e-8, 1e-10]
    found = guarantee.epsilon(kind(deltas))
    assert found.dtype == np.float64
    assert found[0] == found[3]
    for delta, epsilon in zip(deltas, found, strict=True):
        assert epsilon == pytest.approx(float(guarantee.epsilon(delta)), rel=2e-6)
        # Both are upper bounds: each is at least the other one less its own bracket.
        assert float(guarantee.delta(epsilon * (1 - 3e-6))) >= delta * (1 - 1e-4)


def test_an_array_has_the_safe_side_of_a_closed_form() -> None:
    mu, epsilons = 1.5, np.linspace(0, 9, 40)
    guarantee = semiaudit.GDP("1.5").guarantee()
    deltas = guarantee.delta(epsilons)
    for epsilon, delta in zip(epsilons, deltas, strict=True):
        with mpmath.workdps(40):
            at, size = mpmath.mpf(str(epsilon)), mpmath.mpf(mu)
            truth = mpmath.ncdf(size / 2 - at / size)
            truth -= mpmath.exp(at) * mpmath.ncdf(-size / 2 - at / size)
            assert truth <= delta <= truth * (1 + mpmath.mpf("1e-13"))
    rates = np.linspace(0.01, 0.99, 40)
    for rate, missed, power in zip(
        rates, guarantee.type_ii(rates), guarantee.tpr(rates), strict=True
    ):
        truth = mpmath.ncdf(mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf(rate)) - mu)
        assert missed <= truth * (1 + 1e-13)
        assert power >= (1 - truth) * (1 - 1e-13)


def test_a_smaller_tolerance_is_kept_and_a_larger_one_holds_too() -> None:
    guarantee = (Gaussian(5) * 20 + Laplace(3) * 20).guarantee()
    epsilons = np.linspace(0.5, 5, 10)
    coarse, usual, fine = (guarantee.delta(epsilons, tolerance=t) for t in (1e-2, 1e-4, 1e-6))
    assert (fine <= usual * (1 + 1e-6)).all()
    assert (usual <= fine * (1 + 1.1e-4)).all()
    assert (coarse <= fine * (1 + 1.1e-2)).all()
    assert (fine <= coarse * (1 + 1e-6)).all()
    with pytest.raises(ValueError, match="between 0 and 1"):
        guarantee.delta(1, tolerance=2)
    assert guarantee.profile(epsilons, tolerance=1e-3).delta[0] >= fine[0] * (1 - 1e-6)
    assert guarantee.tradeoff(9, tolerance=1e-3).type_ii[0] <= 1


def test_no_numbers_are_an_empty_array() -> None:
    assert Gaussian(1).guarantee().epsilon([]).shape == (0,)


@pytest.mark.parametrize("values", [None, (x for x in "1"), {"delta": 1}])
def test_what_is_not_a_list_of_numbers_is_an_error_with_advice(values: Any) -> None:
    with pytest.raises(ValueError, match="give a list or an array"):
        Gaussian(1).guarantee().epsilon(values)


def test_no_array_has_a_negative_zero() -> None:
    profile = semiaudit.PureDP(1).guarantee(distance=1).profile([0, 1, 2])
    curve = semiaudit.PureDP(1).guarantee(distance=1).tradeoff(3)
    for array in (profile.epsilon, profile.delta, curve.type_i, curve.type_ii):
        assert "-0." not in str(array)


def test_python_reads_specs_as_the_command_line_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    name = "configs/example5_table.yaml"
    assert semiaudit.audit(name).a_t == 3
    assert semiaudit.audit(Path(name)).a_t == 3
    assert semiaudit.audit(semiaudit.Spec.from_file(name)).a_t == 3
    assert semiaudit.ablate(name).a_t["all"] == 3
    assert semiaudit.compare(name, name).order("A", "B") == "equal"
    with pytest.raises(semiaudit.SpecError):
        semiaudit.audit("configs/no_such_example.yaml")


def test_every_conversion_of_zcdp_has_its_name() -> None:
    """Rows 59 and 60: Lemma 40 is rho + 2 sqrt(rho ln(1/delta))."""
    found = ZCDP("2.56").guarantee().conversions("1e-10")
    assert {*found} == {"cks20", "bs16"}
    by_hand = 2.56 + 2 * math.sqrt(2.56 * math.log(1e10))
    assert float(found["bs16"]) == pytest.approx(by_hand, abs=1e-12)
    assert repr(found["cks20"]) == "17.158309 (upper, cks20)"
    assert ZCDP("2.56").guarantee().epsilon("1e-10") == found["cks20"]
    for delta in (-1, 0, 1, 2):
        whole_range = f"delta: {delta} is out of range; give a number above 0 and below 1"
        with pytest.raises(ValueError, match=whole_range):
            ZCDP("2.56").guarantee().conversions(delta)


def test_a_report_has_the_upper_bound_of_a_t_and_the_example_pair() -> None:
    """Example 5: rows of 2 and 1, columns of 2 and 1, before and after."""
    report = semiaudit.audit("configs/example5_table.yaml")
    assert report.a_t == 3
    start = [
        {"cell": [1, 1], "count": 1},
        {"cell": [1, 2], "count": 1},
        {"cell": [2, 1], "count": 1},
    ]
    end = [{"cell": [1, 1], "count": 2}, {"cell": [2, 2], "count": 1}]
    assert report.example_pair == {
        "record_from": [1, 1],
        "record_to": [2, 2],
        "distance": 3,
        "start": start,
        "end": end,
    }
    with pytest.raises(KeyError, match="no privacy definition 'semidp'; there are nominal_dp"):
        report["semidp"]


def test_epsilon_is_enclosed_by_the_closed_forms_of_noise() -> None:
    """delta(epsilon) of G_1 falls, and Laplace noise of scale 1 has epsilon 1 + 2 ln(1 - delta)."""

    def delta(epsilon: float) -> float:
        normal = NormalDist()
        return normal.cdf(0.5 - epsilon) - math.exp(epsilon) * normal.cdf(-0.5 - epsilon)

    low, high = Gaussian(1).guarantee().epsilon_enclosure("1e-3")
    assert (low.side, high.side) == ("lower", "upper")
    assert delta(float(low) - 1e-9) > 1e-3 > delta(float(high) + 1e-9)
    assert float(high) - float(low) < 1e-9
    low, high = Laplace(1).guarantee().epsilon_enclosure("0.01", tolerance=1e-3)
    assert float(low) <= 1 + 2 * math.log(0.99) <= float(high) <= float(low) * 1.002


def test_an_enclosure_has_the_bounds_of_the_report(report: Report) -> None:
    for row, guarantee in zip(report.as_dict()["guarantees"], report, strict=True):
        known = [p["epsilon_lower"] or 0 for p in row["approx_dp"] if p["delta"] == 1e-6]
        if guarantee.refused:
            with pytest.raises(RefusedError):
                guarantee.epsilon_enclosure("1e-6")
            continue
        low, high = guarantee.epsilon_enclosure("1e-6")
        assert float(low) == pytest.approx(max(known), rel=1e-12)
        assert high == guarantee.epsilon("1e-6")
        assert low.value <= high.value


@pytest.mark.parametrize("distance", [1, 2])
def test_a_composition_of_gaussian_and_other_noise_has_the_lower_bound_of_its_pair(
    distance: int,
) -> None:
    guarantee = (Gaussian(2) + Laplace(3)).guarantee(distance)
    low, high = guarantee.epsilon_enclosure("1e-6")

    def delta(epsilon: float) -> float:
        return delta_of_gaussian_and_laplace(distance / 2, distance / 3, epsilon)

    assert delta(float(low) - 1e-9) > 1e-6 > delta(float(high) + 1e-9)
    assert float(high) - float(low) <= 1e-6 * float(high)


def delta_of_gaussian_and_laplace(mu: float, shift: float, epsilon: float) -> float:
    """The profile of G_mu times the Laplace pair: Gaussian profiles over all Laplace losses."""

    def gaussian(at: mpmath.mpf) -> mpmath.mpf:
        return mpmath.ncdf(mu / 2 - at / mu) - mpmath.exp(at) * mpmath.ncdf(-mu / 2 - at / mu)

    between = mpmath.quad(
        lambda loss: mpmath.exp((loss - shift) / 2) / 4 * gaussian(epsilon - loss), [-shift, shift]
    )
    atoms = gaussian(epsilon - shift) / 2 + math.exp(-shift) / 2 * gaussian(epsilon + shift)
    return float(between + atoms)


def test_a_composition_with_a_declared_part_has_no_lower_bound_above_0() -> None:
    for declared in (GDP(1), PureDP(1)):
        low, _ = (Gaussian(2) + Laplace(3) + declared).guarantee().epsilon_enclosure("1e-6")
        assert low.value == 0


def test_a_declared_guarantee_has_no_lower_bound_above_0() -> None:
    for declared in (GDP(1), ZCDP(1), PureDP(1), ApproxDP(1, "1e-6")):
        low, high = declared.guarantee().epsilon_enclosure("1e-6")
        assert (low.value, low.side) == (0, "lower")
        assert high.value > 0
    with pytest.raises(ValueError, match="delta: 0 is out of range"):
        GDP(1).guarantee().epsilon_enclosure(0)


@pytest.mark.slow
def test_a_slow_delta_does_not_loosen_the_other_numbers() -> None:
    rows = [["40/83", "40/83", "1/83", "1/83", "1/83"],
            ["1/507", "1/169", "500/507", "2/507", "1/507"]]  # fmt: skip
    both = Gaussian("28.0", shifts=["0.26"]) * 20 + Finite([[0], [1]], rows)
    deltas = ["1e-1", "1e-10", "1e-40", "1e-120", "1e-200", "1e-275"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = both.guarantee(time_limit=20).epsilon(deltas)
        alone = [both.guarantee(time_limit=3).epsilon(delta).value for delta in deltas]
    assert found == pytest.approx([float(value) for value in alone], rel=1e-5)
    assert max(found) < 7


def test_a_guarantee_gives_a_function_that_is_never_above_it() -> None:
    """Two of N(0, 1) against N(1, 1) are N(0, 1) against N(sqrt(2), 1)."""
    function = Gaussian(1).guarantee().tradeoff_function(501)
    both, normal = compose(function, function), NormalDist()
    for at in (0.05, 0.3, 0.7):
        assert (
            0 <= float(GaussianTradeoff(1).from_above(at)) - float(function(at)) < 3 / 500
        )  # a step, and a slope
        assert 0 <= normal.cdf(normal.inv_cdf(1 - at) - 2**0.5) - float(both(at)) < 0.02
    assert float(function.group(2)(0.3)) <= normal.cdf(normal.inv_cdf(0.7) - 2) + 1e-15
