"""Sampled Gaussian noise inside D_t whose datasets have one size: as many leave as enter."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from math import comb
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from semiaudit import audit
from tests.samples import sampled

PLACES = [float(x) for x in range(-8, 14)]


def mixture(sigma: float, rate: float, records: int, sign: int) -> Callable[[float], float]:
    """The density of noise on the sum of the sampled ones of some records, each of norm 1."""
    scale = sigma * math.sqrt(2 * math.pi)

    def density(x: float) -> float:
        total = 0.0
        for j in range(records + 1):
            weight = comb(records, j) * math.pow(rate, j) * math.pow(1 - rate, records - j)
            total += weight * math.exp(-((x - sign * j) ** 2) / (2 * sigma * sigma)) / scale
        return total

    return density


def epsilon_of(sigma: float, rate: float, leaving: int, entering: int, delta: float) -> float:
    """One step: epsilon of records that leave and others that enter, in the opposite direction."""
    first, second = mixture(sigma, rate, leaving, 1), mixture(sigma, rate, entering, -1)

    def excess(epsilon: float) -> float:
        growth = math.exp(epsilon)
        mass, _ = quad(
            lambda x: max(0.0, first(x) - growth * second(x)),
            -14 * sigma,
            14 * sigma + leaving,
            limit=4000,
            epsabs=1e-13,
            points=PLACES,
        )
        return float(mass) - delta

    return float(brentq(excess, 0, 60, xtol=1e-10))


def semi_dp(
    folder: Path, sigma: float, rate: float, distance: int, more: str = "invariants: [total]"
) -> float:
    (folder / "s.yaml").write_text(
        f"semiaudit: 1\ndataspace: {{attributes: {{a: 2}}}}\n{more}\n"
        f"adjacency: {{metric: symmetric_difference, distance: {distance}}}\n"
        "data: {counts: [50, 50]}\nreport: {deltas: [1e-6]}\n"
        f"mechanism: {{subsampled_gaussian: {{noise_multiplier: {sigma}, sampling_rate: {rate}, "
        "steps: 1}}\n"
    )
    return float(audit(folder / "s.yaml").semi_dp.epsilon("1e-6"))


@pytest.mark.parametrize(
    ("sigma", "rate", "distance"),
    sampled(product([0.8, 1, 2], [0.01, 0.2], [2, 4, 5]), fast=(0, 4, 8, 9, 13, 17)),
)
def test_half_of_the_records_leave_and_half_enter(
    tmp_path: Path, sigma: float, rate: float, distance: int
) -> None:
    truth = epsilon_of(sigma, rate, distance // 2, distance // 2, 1e-6)
    found = semi_dp(tmp_path, sigma, rate, distance)
    assert truth - 1e-7 <= found <= truth * (1 + 1e-4) + 1e-7


def test_the_numbers_of_the_two_sizes(tmp_path: Path) -> None:
    assert semi_dp(tmp_path, 1, 0.01, 2) == pytest.approx(0.373930, abs=1e-6)
    # Ten of a are published, and nothing else: both records can then be ones that leave.
    one = "invariants: [count: {where: {a: 0}}]"
    assert semi_dp(tmp_path, 1, 0.01, 2, one) == pytest.approx(0.802015, abs=1e-6)
    assert epsilon_of(1, 0.01, 2, 0, 1e-6) == pytest.approx(0.802015, abs=1e-6)


@pytest.mark.lengthy
@pytest.mark.parametrize(("distance", "most"), [(10, 8.6108), (20, 48.1913)])
def test_many_records_that_enter_or_leave(tmp_path: Path, distance: int, most: float) -> None:
    """8.61 is the largest over all splits of 10; groups of 8 gave 48.1913 at 20."""
    (tmp_path / "s.yaml").write_text(
        "semiaudit: 1\ndataspace: {attributes: {a: 2}}\nreport: {deltas: [1e-5]}\n"
        f"adjacency: {{metric: symmetric_difference, distance: {distance}}}\n"
        "mechanism: {subsampled_gaussian: {noise_multiplier: 1, sampling_rate: 0.01, steps: 100}}\n"
    )
    found = float(audit(tmp_path / "s.yaml").group_privacy.epsilon("1e-5"))
    assert found <= most
    if distance == 10:
        assert found == pytest.approx(8.61, abs=0.01)


def epsilon_of_two(
    rates: tuple[float, float], sigmas: tuple[float, float], records: int, delta: float
) -> float:
    """Two independent steps, each with as many leaving as entering records, by a fine sum."""
    laws = []
    for rate, sigma in zip(rates, sigmas, strict=True):
        first, second = mixture(sigma, rate, records, 1), mixture(sigma, rate, records, -1)
        places = np.linspace(-9 * sigma - records, 9 * sigma + records, 1501)
        step = places[1] - places[0]
        laws.append([step * np.array([f(float(x)) for x in places]) for f in (first, second)])
    p, q = (np.outer(laws[0][side], laws[1][side]) for side in (0, 1))

    def excess(epsilon: float) -> float:
        return float(np.maximum(p - math.exp(epsilon) * q, 0).sum()) - delta

    return float(brentq(excess, 0, 60, xtol=1e-9))


PARTS = [
    f"{{subsampled_gaussian: {{noise_multiplier: {sigma}, sampling_rate: {rate}, steps: 1}}}}"
    for sigma, rate in ((1, 0.1), (2, 0.3))
]
COMPOSED = f"mechanism: {{compose: [{', '.join(PARTS)}]}}\n"


def two_releases(published: str) -> str:
    return (
        f"releases:\n  - mechanism: {PARTS[0]}\n"
        f"  - invariants: [{published}]\n    mechanism: {PARTS[1]}\n"
    )


@pytest.mark.parametrize(
    ("text", "distance"),
    sampled(
        [
            (two_releases("total"), 2),
            (two_releases("margin: [a]"), 4),
            ("invariants: [total]\n" + COMPOSED, 4),
            ("invariants: [count: {where: {a: 0}}, margin: [a]]\n" + COMPOSED, 5),
        ],
        fast=(0,),
    ),
)
def test_several_samples_of_one_size(tmp_path: Path, text: str, distance: int) -> None:
    (tmp_path / "s.yaml").write_text(
        "semiaudit: 1\ndataspace: {attributes: {a: 2, b: 2}}\n"
        "data: {counts: [[25, 25], [25, 25]]}\n"
        f"adjacency: {{metric: symmetric_difference, distance: {distance}}}\n"
        f"report: {{deltas: [1e-6]}}\n{text}"
    )
    found = float(audit(tmp_path / "s.yaml").semi_dp.epsilon("1e-6"))
    truth = epsilon_of_two((0.1, 0.3), (1, 2), distance // 2, 1e-6)
    assert truth * (1 - 1e-5) <= found <= truth * (1 + 1e-3)


@pytest.mark.parametrize("metric", ["hamming", "multiset_hamming"])
def test_replaced_records_have_the_same_pair_at_half_the_distance(
    tmp_path: Path, metric: str
) -> None:
    (tmp_path / "s.yaml").write_text(
        "semiaudit: 1\ndataspace: {attributes: {a: 2}}\ndata: {counts: [50, 50]}\n"
        f"adjacency: {{metric: {metric}, distance: 2}}\nreport: {{deltas: [1e-6]}}\n"
        "invariants: [total]\n"
        "mechanism: {subsampled_gaussian: {noise_multiplier: 1, sampling_rate: 0.2, steps: 1}}\n"
    )
    found = float(audit(tmp_path / "s.yaml").semi_dp.epsilon("1e-6"))
    assert found == pytest.approx(epsilon_of(1, 0.2, 2, 2, 1e-6), rel=1e-5)
