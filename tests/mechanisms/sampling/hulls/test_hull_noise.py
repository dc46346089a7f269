from __future__ import annotations

from math import comb, factorial

import numpy as np
import pytest

from semiaudit.mechanisms.sampling.hulls.gauges import GaugeOfPoints, GaugeOfWalks
from semiaudit.mechanisms.sampling.hulls.hull_noise import RootPolytope, Triangulated
from semiaudit.mechanisms.sampling.hulls.rejection import Rejection
from semiaudit.mechanisms.sampling.lattice import null_lattice
from tests.oracles.sampling import (
    LEVEL,
    Floats,
    Integers,
    gamma_law,
    ks_p,
    margin_moves,
    margin_rows,
)


def _hull(rows: int, columns: int, distance: int) -> tuple[Triangulated, Integers]:
    points = margin_moves(rows, columns, distance)
    lattice = null_lattice(margin_rows(rows, columns), rows * columns)
    weights = points[:, list(lattice.free)]
    return Triangulated(points, weights, (rows, columns)), weights


def _walls(found: Triangulated, weights: Integers) -> Floats:
    """All facets, from those of the orbits and the symmetries, by linear maps of the points."""
    walls = set()
    for facet in found.orbits:
        on = weights @ facet.normal == facet.offset
        for image in np.unique(on[found.images], axis=0):
            solved = np.linalg.lstsq(weights[image].astype(float), np.ones(image.sum()))[0]
            walls.add(tuple(solved.round(9).tolist()))
    return np.array(sorted(walls))


@pytest.mark.parametrize(
    ("rows", "distance", "elements", "facets", "accepted"),
    [
        (2, 3, 2, 2, 1.0),
        (3, 2, 18, 30, 0.171875),
        (3, 3, 30, 18, 0.328125),
        (4, 2, 72, 866, 0.000366254),
        pytest.param(4, 3, 264, 3818, 0.00575569, marks=pytest.mark.slow),
    ],
)
def test_hulls_have_the_facets_and_the_volume_that_are_known(
    rows: int, distance: int, elements: int, facets: int, accepted: float
) -> None:
    found, weights = _hull(rows, rows, distance)
    assert (len(weights), found.facets) == (elements, facets)
    assert found.volume / 2 ** weights.shape[1] == pytest.approx(accepted, rel=1e-6)


@pytest.mark.parametrize("rows", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_the_norm_of_the_noise_is_gamma_and_margins_stay(rows: int) -> None:
    found, weights = _hull(rows, rows, 3)
    drawn = found.draw(4_000, np.random.default_rng(4))
    tables = drawn.reshape(-1, rows, rows)
    assert np.abs(tables.sum(axis=1)).max() < 1e-12
    assert np.abs(tables.sum(axis=2)).max() < 1e-12
    rank = weights.shape[1]
    inner = tables[:, 1:, 1:].reshape(len(drawn), -1)
    norms = (inner @ _walls(found, weights).T).max(axis=1)
    assert ks_p(norms, gamma_law(rank)) > LEVEL
    assert ks_p(norms, gamma_law(rank + 1)) < LEVEL
    listed, walks = GaugeOfPoints(weights), GaugeOfWalks(rows, rows, 3)
    assert [listed.of(point) for point in inner[:10]] == pytest.approx(norms[:10].tolist())
    assert [walks.of(point) for point in inner[:10]] == pytest.approx(norms[:10].tolist())


@pytest.mark.parametrize(
    ("distance", "length"), [(2, 6.10), (3, 7.16)], ids=["printed", "corrected"]
)
def test_the_lengths_of_figure_3_are_met(distance: int, length: float) -> None:
    found, _ = _hull(3, 3, distance)
    drawn = np.linalg.norm(found.draw(40_000, np.random.default_rng(5)), axis=1)
    slack = 4 * drawn.std() / len(drawn) ** 0.5 + 0.005
    assert drawn.mean() == pytest.approx(length, abs=slack)


def test_rejection_draws_the_same_law_and_accepts_as_often_as_is_known() -> None:
    found, weights = _hull(3, 3, 3)
    walls = _walls(found, weights)
    assert len(walls) == 18
    rejection = Rejection(weights, walls)
    drawn = rejection.draw(20_000, np.random.default_rng(6))
    share = rejection.kept / rejection.tried
    assert share == pytest.approx(0.328125, abs=4 * (0.22 / rejection.tried) ** 0.5)
    norms = (drawn @ walls.T).max(axis=1)
    assert ks_p(norms, gamma_law(4)) > LEVEL
    both = found.draw(20_000, np.random.default_rng(7)).reshape(-1, 3, 3)[:, 1:, 1:].reshape(-1, 4)
    assert np.abs(np.cov(drawn.T) - np.cov(both.T)).max() < 0.25


def test_one_records_moves_in_closed_form_are_those_of_the_facets() -> None:
    unit = np.eye(4, dtype=np.int64)
    points = np.array([unit[i] - unit[j] for i in range(4) for j in range(4) if i != j])
    found = Triangulated(points, points[:, 1:], (4,))
    closed = RootPolytope(4)
    assert found.volume == pytest.approx(comb(6, 3) / factorial(3))
    assert sum(closed.parts) == comb(6, 3)
    drawn = closed.draw(20_000, np.random.default_rng(8))
    assert np.abs(drawn.sum(axis=1)).max() < 1e-12
    assert ks_p(np.abs(drawn).sum(axis=1) / 2, gamma_law(3)) > LEVEL
    other = found.draw(20_000, np.random.default_rng(9))
    assert np.abs(np.cov(drawn.T) - np.cov(other.T)).max() < 0.35
    shares = [(drawn > 0).sum(axis=1), (other > 0).sum(axis=1)]
    for share in shares:
        for p, part in enumerate(closed.parts, 1):
            assert (share == p).mean() == pytest.approx(part / 20, abs=4 * 0.5 / 20_000**0.5)


def test_a_facet_of_a_polygon_may_have_points_between_its_ends() -> None:
    # The corners are (2, 1), (1, 2), (-1, 2), (-2, 1) and their opposites; two more points lie on
    # walls. The area is 14: a square of 16 without four triangles of 1/2.
    half = [[2, 1], [2, 0], [1, 2], [-1, 2], [-2, 1]]
    points = np.array([*half, *([-x, -y] for x, y in half)], dtype=np.int64)
    found = Triangulated(points, points)
    assert (found.facets, found.volume) == (8, 14)
    drawn = found.draw(20_000, np.random.default_rng(3))
    # E|x|_K is 2 for noise of dimension 2; on every wall the largest of normal . x / offset.
    walls = np.array([[1 / 2, 0], [0, 1 / 2], [1 / 3, 1 / 3], [1 / 3, -1 / 3]])
    norms = np.abs(drawn @ walls.T).max(axis=1)
    assert norms.mean() == pytest.approx(2, abs=5 * 2**0.5 / 20_000**0.5)
