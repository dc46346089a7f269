"""Points of a box that are kept: as many as are asked for, however few a batch has."""

from __future__ import annotations

import numpy as np
import pytest

from semiaudit.mechanisms.sampling.hulls import rejection
from semiaudit.mechanisms.sampling.hulls.rejection import Rejection


@pytest.mark.parametrize("batch", [1, 2, 100])
@pytest.mark.parametrize("number", [1, 2, 5])
def test_as_many_points_are_drawn_as_are_asked_for(
    batch: int, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rejection, "_BATCH", batch)
    diamond = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)])
    walls = np.array([(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)])
    sampler = Rejection(diamond, walls)
    assert sampler.draw(number, np.random.default_rng(1)).shape == (number, 2)
    assert number <= sampler.kept <= sampler.tried
