from __future__ import annotations

import numpy as np
import pytest

from semiaudit.mechanisms.sampling.hulls.direction_walk import DirectionWalk
from semiaudit.mechanisms.sampling.hulls.gauges import GaugeOfWalks
from semiaudit.mechanisms.sampling.hulls.hull_noise import Triangulated
from semiaudit.mechanisms.sampling.lattice import null_lattice
from tests.oracles.sampling import margin_moves, margin_rows


@pytest.mark.slow
def test_a_walk_meets_the_exact_sampler_where_there_is_one() -> None:
    lattice = null_lattice(margin_rows(3, 3), 9)
    points = margin_moves(3, 3, 3)
    exact = Triangulated(points, points[:, list(lattice.free)], (3, 3))
    generator = np.random.default_rng(1)
    drawn = exact.draw(20_000, generator)
    gauge = GaugeOfWalks(3, 3, 3)
    lengths = np.array([gauge.of(point) for point in drawn[:2_000][:, list(lattice.free)]])
    directions = drawn[:2_000] / lengths[:, None]
    walk = DirectionWalk(lattice, gauge, generator, thinning=8, burning=50)
    walked = lattice.vectors(np.array([walk.draw() for _ in range(1_000)]))
    one, other = (np.linalg.norm(found, axis=1) for found in (directions, walked))
    error = (one.var() / len(one) + 2 * other.var() / len(other)) ** 0.5
    assert one.mean() == pytest.approx(other.mean(), abs=4 * error)
    assert walk.measured.steps == 50 + 8 * 1_000
    assert 0.2 < walk.measured.accepted < 1


def test_directions_have_norm_1_and_keep_margins() -> None:
    lattice = null_lattice(margin_rows(3, 4), 12)
    gauge = GaugeOfWalks(3, 4, 2)
    walk = DirectionWalk(lattice, gauge, np.random.default_rng(2), thinning=2, burning=5)
    drawn = np.array([walk.draw() for _ in range(5)])
    assert [gauge.of(point) for point in drawn] == pytest.approx([1.0] * 5)
    tables = lattice.vectors(drawn).reshape(5, 3, 4)
    assert np.abs(tables.sum(axis=1)).max() < 1e-12
    assert walk.measured.correlation is None
    assert walk.measured.steps == 5 + 2 * 5
    assert 0 < walk.measured.accepted <= 1


def test_only_moves_of_2_or_3_records_have_this_gauge() -> None:
    with pytest.raises(ValueError, match="2 or 3"):
        GaugeOfWalks(3, 3, 4)
