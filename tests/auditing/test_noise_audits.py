"""Whole audits of specs with noise, from the spec to the report."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path

import pytest

from tests.audits import report, rows
from tests.samples import sampled

TWO_BY_TWO = (
    "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\n"
    "invariants: [{margin: [a]}, {margin: [b]}]\n"
    "data: {margins: {a: [2, 2], b: [2, 2]}}\n"
)
BITS = "semiaudit: 1\ndataspace: {product: {size: 3, values: [0, 1]}}\n"
FAR = "semiaudit: 1\ndataspace: {size: 999999999999}\nadjacency: {distance: 999999999999}\n"
ONES = "invariants: [count: {where: {value: 1}}]\n"


EXTREME = (
    "{gaussian: {sigma: 1e-6, shifts: [1e9, -1e9]}, repeat: 1000000000}",
    "{gaussian: {sigma: 1e12, shifts: [1e-290]}}",
    "{gaussian: {sigma: 1, shifts: [0]}}",
    "{discrete_gaussian: {sigma_squared: 1e-12, shifts: [1000000000]}, repeat: 1000000000}",
    "{laplace: {scale: 1e-6, shifts: [1e9]}, repeat: 1000000000}",
    "{laplace: {scale: 1e12, shifts: [1e-290]}}",
    "{discrete_laplace: {scale: 1/3, shifts: [1, 2, 3]}, repeat: 1000}",
    "{discrete_gaussian: {sigma_squared: 1e24, shifts: [1]}}",
    "{compose: [{gaussian: {sigma: 1, shifts: [1]}}, {laplace: {scale: 1, shifts: [1]}}]}",
)
CASES = [*product((BITS + ONES, FAR), EXTREME)]
DEAR = {*product((BITS + ONES, FAR), EXTREME[-2:])}
"""What takes several seconds."""


@pytest.mark.parametrize(
    ("universe", "mechanism"),
    sampled(CASES, fast=[place for place, case in enumerate(CASES) if case not in DEAR]),
)
def test_extreme_noise_ends_in_bounds_and_not_in_errors(
    mechanism: str, universe: str, tmp_path: Path
) -> None:
    found = report(
        tmp_path,
        universe
        + f"mechanism: {mechanism}\n"
        + "report:\n  deltas: [1e-300, 1e-6, 0.999]\n  alphas: [1e-300, 0.5]\n",
    )
    for guarantee in found["guarantees"]:
        assert not guarantee["refused"]
        for point in guarantee["approx_dp"]:
            assert point["epsilon"] == "inf" or point["epsilon"] >= 0
        assert 0 <= guarantee["advantage"] <= 1


def test_shifts_are_the_same_in_d_and_in_d_t(tmp_path: Path) -> None:
    found = rows(tmp_path, BITS + ONES + "mechanism: {gaussian: {sigma: 2, shifts: [1, -1]}}\n")
    assert found["nominal_dp"]["zcdp"]["rho"] == 0.25
    assert found["semi_dp"]["zcdp"]["rho"] == found["group_privacy"]["zcdp"]["rho"] == 1
    assert found["semi_dp"]["alternatives"] == []
    assert found["invariant_dp"]["zcdp"]["rho"] == 0.25


@pytest.mark.parametrize(
    ("kind", "standard"),
    [
        ("gaussian: {sigma: 1", "Gaussian noise; "),
        ("discrete_gaussian: {sigma_squared: 1", "discrete Gaussian noise; "),
        ("laplace: {scale: 1", "the noise is Laplace"),
        ("discrete_laplace: {scale: 1", "the noise is discrete Laplace"),
    ],
)
def test_the_standard_says_what_the_noise_is(kind: str, standard: str, tmp_path: Path) -> None:
    found = report(tmp_path, BITS + f"mechanism: {{{kind}, shifts: [1]}}}}\n")
    assert standard in found["statement"]["standard"]
    exact = {p["conversion"] for g in found["guarantees"] for p in g["approx_dp"]}
    assert ("gaussian_exact" in exact) == kind.startswith("gaussian")


def test_the_standard_of_a_mixed_composition_names_its_kinds(tmp_path: Path) -> None:
    mixed = "{compose: [{zcdp: {rho: 1}}, {gdp: {mu: 1}}, {laplace: {scale: 1, shifts: [1]}}]}"
    found = report(tmp_path, BITS + f"mechanism: {mixed}\n")
    assert "zcdp, gdp and laplace parts" in found["statement"]["standard"]
    nominal = found["guarantees"][0]
    assert (nominal["gdp"], nominal["pure_dp"]) == (None, None)
    # rho 1, mu 1 and Laplace noise moved by its scale (docs/theory/conversions.md): 1 + 1/2 + 1/e.
    assert nominal["zcdp"]["rho"] == pytest.approx(1.5 + math.exp(-1), rel=1e-15)
