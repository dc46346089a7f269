"""The grid of noise along a basis: fine enough for the smallest coefficient."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from semiaudit.mechanisms.sampling import noise_samplers
from semiaudit.mechanisms.sampling.sampling_methods import OnGrid


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
