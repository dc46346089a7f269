"""The grid of noise along a basis: fine enough for the smallest coefficient."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from semiaudit.mechanisms.sampling import noise_samplers
from semiaudit.mechanisms.sampling.lattice import null_lattice
from semiaudit.mechanisms.sampling.randomness import Randomness
from semiaudit.mechanisms.sampling.sampling_methods import OnGrid, Still
from semiaudit.model.mechanism import CorrelatedGaussian

F = Fraction


@pytest.mark.parametrize(
    ("basis", "scale"),
    [(((1, 0), (0, Fraction(1, 4))), 0.5), (((8, 0), (-3, 5)), 2.0), (((0, 0), (0, -1)), 2.0)],
)
def test_a_grid_has_the_scale_of_the_smallest_coefficient_or_that_of_the_noise(
    basis: tuple[tuple[Fraction, ...], ...], scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noise_samplers, "width", lambda *_: 2)
    part: Any = SimpleNamespace(basis=basis, scale=Fraction(2))
    spaces: Any = SimpleNamespace(table=None)
    query: Any = None
    found = noise_samplers.basis_laplace(part, query, spaces)
    assert isinstance(found, OnGrid)
    assert (found.scale, found.factor) == (scale, 2.0)


@pytest.mark.parametrize(("rows", "rank"), [([], 2), ([{0: 1}], 1), ([{0: 1}, {1: 1}], 0)])
def test_laplace_noise_on_a_support_of_rank_0_is_still(
    rows: list[dict[int, int]], rank: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lattice = null_lattice(rows, 2)
    monkeypatch.setattr(noise_samplers, "width", lambda *_: 2)
    monkeypatch.setattr(noise_samplers, "support_of", lambda *_: lattice)
    monkeypatch.setattr(noise_samplers, "method_of", lambda *_: "variables")
    part: Any = SimpleNamespace(scale=Fraction(2))
    spaces: Any = SimpleNamespace(table=None)
    query: Any = None
    found = noise_samplers.laplace(part, query, spaces)
    assert lattice.rank == rank
    assert isinstance(found, OnGrid if rank else Still)


def test_correlated_noise_has_its_covariance_and_keeps_what_has_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(noise_samplers, "width", lambda *_: 3)
    spaces: Any = SimpleNamespace(table=None)
    query: Any = None
    covariance = ((F(2), F(-1), F(-1)), (F(-1), F(2), F(-1)), (F(-1), F(-1), F(2)))
    found = noise_samplers.correlated_gaussian(CorrelatedGaussian(covariance), query, spaces)
    number = 20_000
    drawn = found.draw(number, Randomness(5))
    assert (drawn.sum(axis=1) == 0).all()
    # The variance of a product of two of the coordinates is at most 2 times 2^2.
    off = np.abs(drawn.T @ drawn / number - np.array(covariance, dtype=float))
    assert off.max() < 5 * (8 / number) ** 0.5
    none = CorrelatedGaussian(((F(0),) * 3,) * 3)
    assert isinstance(noise_samplers.correlated_gaussian(none, query, spaces), Still)
