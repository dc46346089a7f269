"""Arrays, series, and tables as arguments; the checker of types reads this file too."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import semiaudit as sa

pd: Any = pytest.importorskip("pandas")

PLACES = [0.05, 0.25, 0.5]
FORMS: dict[str, Callable[[list[float]], sa.Array]] = {
    "numpy": np.array,
    "pandas": pd.Series,
    "polars": pl.Series,
}


@pytest.mark.parametrize("form", FORMS)
def test_canonical_noise_of_several_places_is_above_the_normal_distribution(form: str) -> None:
    noise, normal = sa.CanonicalNoise(sa.GaussianTradeoff(1), "normal"), NormalDist()
    given = FORMS[form](PLACES)
    below: NDArray[np.float64] = noise.cdf(given)
    above: NDArray[np.float64] = noise.upper_tail(given)
    points: NDArray[np.float64] = noise.quantile(given)
    assert below == pytest.approx([normal.cdf(x) for x in PLACES], abs=1e-12)
    assert above == pytest.approx([1 - normal.cdf(x) for x in PLACES], abs=1e-12)
    assert points == pytest.approx([normal.inv_cdf(x) for x in PLACES], abs=1e-12)
    one: sa.Bound = noise.cdf(0.25)
    assert float(one) == below[1]


@pytest.mark.parametrize("form", FORMS)
def test_approximations_of_several_places_do_not_compare(form: str) -> None:
    limit = sa.CentralLimit(sa.GaussianTradeoff(1))
    found = limit.type_ii(FORMS[form](PLACES))
    normal = NormalDist()
    expected = [normal.cdf(normal.inv_cdf(1 - a) - 1) for a in PLACES]
    assert [one.estimate for one in found] == pytest.approx(expected, abs=1e-9)
    with pytest.raises(TypeError):
        _ = found[0] < 1  # type: ignore[operator]
    single: sa.Approximation = limit.delta(1)
    assert limit.delta([1, 2])[0] == single
    edgeworth = sa.Edgeworth(sa.GaussianTradeoff(1))
    assert edgeworth.epsilon(["1e-2", "1e-3"])[1] == edgeworth.epsilon("1e-3")
    assert edgeworth.type_ii([0.5])[0] == edgeworth.type_ii(0.5)
    assert edgeworth.delta([1])[0] == edgeworth.delta(1)


def test_mechanisms_are_summed_and_bounds_are_sorted_and_written() -> None:
    total = sum([sa.Gaussian(1), sa.Gaussian(1)])
    assert isinstance(total, sa.Mechanism)  # for checkers of types: the sum of nothing is 0
    assert total.guarantee().rho == (sa.Gaussian(1) * 2).guarantee().rho
    bounds = [sa.Gaussian(sigma).guarantee().epsilon("1e-6") for sigma in (1, 3, 2)]
    least: sa.Bound = min(bounds)
    assert sorted(bounds) == [least, bounds[2], max(bounds)]
    assert json.loads(json.dumps(least.as_dict()))["side"] == "upper"


def test_a_curve_is_a_data_frame_with_a_row_for_each_point() -> None:
    curve = sa.GaussianTradeoff(1).tradeoff(5)
    frame = pd.DataFrame(curve)
    assert list(frame.columns) == ["type_i", "type_ii"]
    assert frame["type_i"].tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert frame["type_ii"].tolist() == curve.type_ii.tolist()


def test_accountants_of_several_deltas_are_those_of_each() -> None:
    deltas = FORMS["pandas"]([1e-5, 1e-3])
    run = sa.DPSGD(1, 1, 4)  # without sampling: G_2
    gaussian = sa.GaussianTradeoff(2)
    expected = gaussian.epsilon([1e-5, 1e-3]).tolist()
    for found in (run.limit_epsilon(deltas), run.edgeworth_epsilon(deltas)):
        assert len(found) == 2
    assert [one.estimate for one in run.grid_epsilon(deltas)] == pytest.approx(expected, rel=1e-3)
    assert run.limit_epsilon(deltas)[1] == run.limit_epsilon(1e-3)
    last = sa.LastIterate("2/3", 40, "0.9999")
    several: tuple[sa.Approximation, ...] = last.epsilon(20, deltas, "f_dp")
    assert several == (last.epsilon(20, 1e-5, "f_dp"), last.epsilon(20, 1e-3, "f_dp"))


@pytest.mark.parametrize("form", FORMS)
def test_masses_of_several_integers_enclose_the_geometric_ones(form: str) -> None:
    noise = sa.DiscreteLaplace(scale=2, shifts=[1])
    found: sa.Enclosures = noise.pmf(FORMS[form]([-1.0, 0.0, 3.0]))
    a = math.exp(-1 / 2)
    masses = [(1 - a) / (1 + a) * a**k for k in (1, 0, 3)]
    assert found.lower == pytest.approx(masses, abs=1e-14)
    assert found.upper == pytest.approx(masses, abs=1e-14)
    assert (found.lower < found.upper).all()
    assert len(noise.pmf([])) == 0
    table = sa.NoncentralHypergeometric(3, 3, 2, 1)
    counts = table.pmf(FORMS[form]([0.0, 1.0, 2.0, 7.0]))
    assert counts.upper == pytest.approx([3 / 15, 9 / 15, 3 / 15, 0], abs=1e-14)
    assert counts[1] == tuple(map(float, table.pmf(1)))
