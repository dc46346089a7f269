"""Mechanisms as values: they are what a spec says, and lose what an audit of it says."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import semiaudit
from semiaudit import (
    FDP,
    GDP,
    ZCDP,
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    DominatingPair,
    FiniteNoise,
    Gaussian,
    Laplace,
    Mechanism,
    PrivacyProfile,
    PureDP,
    RandomizedResponse,
    Shuffled,
    Spec,
    SubsampledGaussian,
    audit,
    sample,
)
from semiaudit.errors import RefusedError
from semiaudit.library.mechanisms import _CLASSES
from semiaudit.spec.mechanism.mechanism_schema import NOT_KINDS, MechanismSection

NO_METRIC: Any = "l2"
ANY: Any = semiaudit
"""The library with arguments of any type."""

KINDS: list[Mechanism] = [
    PureDP(1),
    ApproxDP(1, 1e-6),
    ZCDP("0.5"),
    GDP(Fraction(1, 2)),
    FDP([(0, 1), (0.25, "1/4"), (1, 0)], orders="both"),
    PrivacyProfile([(0.5, "1e-3"), (1, "1e-6")]),
    DominatingPair(replace={"p": ["1/2", "1/3"], "q": ["1/3", "1/2"]}),
    Gaussian(sigma=2, shifts=[1, -1]),
    DiscreteGaussian(sigma_squared=4, shifts=[1]),
    Laplace(scale=Decimal("1.5"), shifts=[1]),
    DiscreteLaplace(scale=2, shifts=[2]),
    RandomizedResponse(1, levels=3),
    SubsampledGaussian(noise_multiplier=1, sampling_rate=0.1, steps=3),
    Shuffled(1, 100),
    FiniteNoise([-1, 0, 1], ["1/4", "1/2", "1/4"], shifts=[1]),
]
"""Of every kind but ``finite``, which is of a dataspace that lists its datasets."""

ROWS: dict[str, Any] = {"rows": [[0], [1]], "probabilities": [[1, 0], [0, 1]]}
"""Of a mechanism that prints what it sees."""


def kind(mechanism: Mechanism) -> str:
    return next(iter(mechanism.to_mapping()))


def test_every_kind_that_needs_no_query_has_a_class() -> None:
    needs_a_spec = {"k_norm", "swapping", "topdown"}
    known = set(MechanismSection.model_fields) - NOT_KINDS - {"compose"} - needs_a_spec
    assert {kind(mechanism) for mechanism in KINDS} | {"finite"} == known == set(_CLASSES)
    assert {cls.__name__ for cls in _CLASSES.values()} < set(semiaudit.__all__)


@pytest.mark.parametrize("mechanism", KINDS, ids=kind)
def test_the_guarantee_is_that_of_an_audit(mechanism: Mechanism) -> None:
    distance = 1 if isinstance(mechanism, SubsampledGaussian | Shuffled) else 2
    found = mechanism.guarantee(distance)
    spec = {
        "semiaudit": 1,
        "dataspace": {},
        "adjacency": {"distance": distance},
        "mechanism": mechanism,
        "report": {"deltas": ["1e-6"], "alphas": [0.05]},
    }
    row = next(r for r in audit(spec).as_dict()["guarantees"] if r["framework"] == "group_privacy")
    assert found.distance == row["adjacency"]["distance"] == distance
    assert float(found.epsilon(1e-6)) == min(float(p["epsilon"]) for p in row["approx_dp"])
    assert float(found.type_ii(0.05)) == row["tradeoff"][0]["type_ii"]
    assert (found.rho is None) == (row["zcdp"] is None)
    if found.rho is not None:
        assert float(found.rho) == row["zcdp"]["rho"]


@pytest.mark.parametrize("mechanism", KINDS, ids=kind)
def test_a_mechanism_is_its_repr_and_its_mapping(mechanism: Mechanism) -> None:
    names = {name: getattr(semiaudit, name) for name in semiaudit.__all__}
    assert eval(repr(mechanism), names) == mechanism
    assert Mechanism(mechanism.to_mapping()) == mechanism
    assert hash(Mechanism(mechanism.to_mapping())) == hash(mechanism)


def test_mechanisms_compose_as_those_of_a_spec() -> None:
    both = Gaussian(sigma=2) * 10 + PureDP(1)
    gaussian = {"gaussian": {"sigma": 2}, "repeat": 10}
    assert both.to_mapping() == {"compose": [gaussian, {"pure_dp": {"epsilon": 1}}]}
    assert repr(both) == "Gaussian(sigma=2) * 10 + PureDP(epsilon=1)"
    assert (both + ZCDP(1)).to_mapping()["compose"][2] == {"zcdp": {"rho": 1}}
    assert repr(2 * both) == "(Gaussian(sigma=2) * 10 + PureDP(epsilon=1)) * 2"
    assert (both * 2) * 3 == both * 6
    assert both != both * 2
    # ten Gaussians of sigma 2 are one of sigma 2 / sqrt(10), mu^2 = 10/4, and rho = mu^2/2
    rho = (Gaussian(sigma=2) * 10 + GDP(1)).guarantee(3).rho
    assert rho is not None
    assert (rho.value, rho.side) == (9 * (Fraction(10, 4) + 1) / 2, "exact")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Gaussian(sigma=-1), "sigma: -1 is out of range"),
        (lambda: Gaussian(sigma=2, shifts=[]), "shifts"),
        (lambda: ApproxDP(1, 1), "delta: 1 is out of range"),
        (lambda: RandomizedResponse(1, levels=1), "levels: 1 is out of range"),
        (
            lambda: Mechanism({"gaussian": {"sigma": 2, "query": "table"}}),
            "because it has a query",
        ),
        (lambda: Mechanism({"finite": {**ROWS, "query": "table"}}), "because it has a query"),
        (lambda: Mechanism({"gausian": {"sigma": 2}}), "did you mean gaussian"),
        (lambda: PureDP(float("nan")), "not a finite number"),
        (lambda: PureDP(1) * 0, "times: 0 is not a whole number of at least 1"),
        (lambda: Gaussian(2) * 10**9 * 10, "repeat"),
        (lambda: PureDP(1).guarantee(0), "distance: 0 is not a whole number"),
        (
            lambda: PureDP(1).guarantee(metric=NO_METRIC),
            "metric: there is no l2; known are",
        ),
        (lambda: Shuffled(1, 100).guarantee(metric="symmetric_difference"), "reports is public"),
    ],
)
def test_faults_are_told_with_their_place(make: object, told: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=told):
        make()


def test_noise_on_a_query_is_refused_with_the_way_to_give_one() -> None:
    named: dict[str, Any] = {"query": "table"}
    way = r'spec\.with_\(mechanism=\{"gaussian": \{"sigma": 4, "query": "table"\}\}\)'
    kinds: Any = (Gaussian, Laplace, DiscreteGaussian)
    for kind in kinds:
        with pytest.raises(TypeError, match=f"query: .*{way}"):
            kind(4, **named)
    spec = semiaudit.Spec.from_file("configs/example5_table.yaml")
    asked = spec.with_(mechanism={"gaussian": {"sigma": 4, "query": "table"}})
    assert asked.to_mapping()["mechanism"]["gaussian"]["query"] == "table"


def test_what_cannot_be_stated_is_refused() -> None:
    wrong = Mechanism({"compose": [ZCDP(1), ZCDP(2)], "total_rho": 4})
    with pytest.raises(RefusedError, match="add up to rho 3, not to 4"):
        wrong.guarantee()


def test_a_mechanism_takes_the_place_of_a_spec_s(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text("semiaudit: 1\ndataspace: {}\nmechanism: {zcdp: {rho: 1}}\n")
    changed = Spec.from_file(path).with_(mechanism=ZCDP(2) * 2)
    rho = audit(changed).nominal_dp.rho
    assert rho is not None
    assert rho.value == 4


def test_rows_57_and_58_rho_of_a_gaussian_and_at_a_distance() -> None:
    rho = semiaudit.GDP(1).guarantee().rho
    assert rho is not None
    assert float(rho) == 0.5
    at_two = semiaudit.ZCDP("2.56").guarantee(2).rho
    assert repr(at_two) == "10.24 (exact, zcdp)"


def test_row_83_the_probabilities_and_the_variance_of_noise_on_the_integers() -> None:
    gaussian, laplace = semiaudit.DiscreteGaussian(sigma_squared=1), semiaudit.DiscreteLaplace(1)
    total = 1 + 2 * sum(math.exp(-k * k / 2) for k in range(1, 40))
    assert float(gaussian.pmf(0).lower) == pytest.approx(1 / total, rel=1e-14)
    assert float(gaussian.pmf(-2).upper) == pytest.approx(math.exp(-2) / total, rel=1e-14)
    assert f"{float(gaussian.variance.upper):.6f}" == "1.000000"
    assert gaussian.variance.upper < 1
    assert semiaudit.DiscreteGaussian(sigma_squared="1/4").variance.upper < Fraction(1, 4)
    rate = math.exp(-1)
    assert float(laplace.pmf(3).lower) == pytest.approx(
        (1 - rate) / (1 + rate) * rate**3, rel=1e-14
    )
    assert float(laplace.variance.upper) == pytest.approx(2 * rate / (1 - rate) ** 2, rel=1e-14)
    for noise in (gaussian, laplace):
        assert (noise.pmf(1).lower.side, noise.pmf(1).upper.side) == ("lower", "upper")
        assert noise.pmf(1).lower.sharpest <= noise.pmf(1).upper.sharpest
        half: Any = 0.5
        with pytest.raises(ValueError, match=r"value: 0.5 is not a whole number"):
            noise.pmf(half)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ANY.Gaussian(-1), "sigma: -1 is out of range"),
        (lambda: ANY.Gaussian(True), "sigma: True is not a number"),
        (lambda: ANY.Gaussian(float("nan")), "sigma: nan is not a finite number"),
        (lambda: ANY.Gaussian(2, shifts=[]), "shifts: has too few items"),
        (lambda: ANY.ApproxDP(1, 2), "delta: 2 is out of range"),
        (lambda: ANY.Mechanism({"gausian": {}}), "gausian: gausian is not a known key"),
        (lambda: ANY.Mechanism({"gaussian": {"sigma": 0}}), r"gaussian\.sigma: 0 is out of range"),
        (
            lambda: ANY.Mechanism({"gaussian": {"sigma": 1, "query": "table"}}),
            "needs the dataspace",
        ),
        (
            lambda: ANY.RandomizedResponse(1).guarantee(metric="symmetric_difference"),
            "every record reports in its own place",
        ),
    ],
)
def test_errors_name_the_arguments_and_no_place_of_a_spec(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(ValueError, match=rf"\A{message}") as error:
        make()
    assert "mechanism." not in str(error.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ANY.Mechanism("gaussian"), "section: str is not a Mapping; give such as"),
        (
            lambda: ANY.FDP(semiaudit.GaussianTradeoff(1), orders="both"),
            "points: GaussianTradeoff is not a list; give such as",
        ),
        (
            lambda: ANY.FDP(GDP(1).guarantee(), orders="both"),
            "points: Guarantee is not a list; .* or a Curve such as",
        ),
        (lambda: ANY.FDP([0.1, 0.2], orders="both"), r"points\[0\]: float is not a list"),
        (
            lambda: ANY.DiscreteGaussian(2),
            "give sigma_squared by its name; sigma = 2 is sigma_squared=4",
        ),
        (lambda: ANY.DiscreteGaussian(sigma=2), "give sigma_squared by its name"),
    ],
)
def test_another_type_than_asked_for_is_named(make: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=rf"\A{message}"):
        make()


def test_sum_composes_a_list_of_mechanisms() -> None:
    parts: list[Mechanism] = [Gaussian(1), Laplace(2), PureDP(1)]
    assert sum(parts) == parts[0] + parts[1] + parts[2]
    with pytest.raises(TypeError):
        _ = 1 + ANY.Gaussian(1)


def test_sampled_noise_has_other_numbers_for_records_that_are_added_or_removed() -> None:
    noise = SubsampledGaussian(1, "0.1", 2)
    replaced = noise.guarantee().epsilon("1e-6")
    added = noise.guarantee(metric="symmetric_difference").epsilon("1e-6")
    assert float(added) < float(replaced)


def test_what_is_shown_as_help_is_about_the_mechanism_itself() -> None:
    for kind in _CLASSES.values():
        assert "section of a spec" not in (inspect.getdoc(kind.__init__) or "")
    assert "symmetric_difference" in (inspect.getdoc(SubsampledGaussian) or "")
    gap = "It does not protect what is learned from more records together than its distance."
    assert Gaussian(1).guarantee(2).not_protected == gap
    with pytest.raises(TypeError, match="mechanism: int is not a Mechanism; give a Finite"):
        ANY.satisfies(3, 1)


NOISES: dict[str, tuple[Any, float]] = {
    "gaussian": (Gaussian(2, shifts=[1, -1]), 4.0),
    "laplace": (Laplace("1.5"), 4.5),
    "discrete_gaussian": (DiscreteGaussian(sigma_squared=4), 4.0),
    "discrete_laplace": (DiscreteLaplace(2), 7.835),  # 2 q / (1 - q)^2 for q = exp(-1/2)
    "finite_noise": (FiniteNoise([-1, 0, 1], ["1/4", "1/2", "1/4"], shifts=[1]), 0.5),
}


@pytest.mark.parametrize("kind", NOISES)
def test_samples_of_noise_are_those_of_a_spec_with_the_same_query(kind: str) -> None:
    noise, variance = NOISES[kind]
    section = {key: value for key, value in noise.to_mapping()[kind].items() if key != "shifts"}
    spec = {
        "semiaudit": 1,
        "dataspace": {"attributes": {"a": 5}},
        "data": {"counts": [3, 0, 7, 1, 9]},
        "mechanism": {kind: section | {"query": "table"}},
    }
    drawn = [float(value) for value in sample(spec, seed=4).to_columns()["answer"]]
    assert noise.sample([3, 0, 7, 1, 9], seed=4).tolist() == drawn
    alone = noise.sample(shape=5, seed=4)
    assert (alone + np.array([3, 0, 7, 1, 9])).tolist() == drawn
    many = noise.sample(shape=(100, 40), seed=1)
    assert many.shape == (100, 40)
    assert many.var() == pytest.approx(variance, rel=0.1)
    assert noise.sample(3).shape == ()
    assert noise.sample(shape=0).shape == (0,)
    assert not np.array_equal(noise.sample(shape=200), noise.sample(shape=200))


def test_an_answer_whose_digits_would_show_through_the_noise_is_refused() -> None:
    with pytest.raises(ValueError, match=r"answer: 2.5 is not a whole number.*; round it"):
        Gaussian(1).sample([1, 2.5])
    with pytest.raises(ValueError, match="seed: -1"):
        Gaussian(1).sample(1, seed=-1)
