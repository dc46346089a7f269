from __future__ import annotations

from fractions import Fraction
from math import comb, factorial
from typing import Any, Literal

import numpy as np
import pytest

from semiaudit.errors import RefusedError
from semiaudit.mechanisms.sampling.hulls import rejection
from semiaudit.mechanisms.sampling.hulls.direction_walk import DirectionWalk
from semiaudit.mechanisms.sampling.hulls.gauges import GaugeOfPoints, GaugeOfWalks
from semiaudit.mechanisms.sampling.hulls.hull_noise import RootPolytope, Triangulated
from semiaudit.mechanisms.sampling.hulls.hull_samplers import _round_hull, _walks
from semiaudit.mechanisms.sampling.hulls.rejection import Rejection
from semiaudit.mechanisms.sampling.lattice import null_lattice
from semiaudit.model.adjacency import Metric
from semiaudit.model.dataspace import Attribute, TableSpace
from semiaudit.model.invariants import Count, Invariant, Margin
from semiaudit.model.mechanism import KNorm, Support
from semiaudit.model.query import TableQuery
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
from tests.oracles.sampling import (
    LEVEL,
    Floats,
    Integers,
    gamma_law,
    ks_p,
    margin_moves,
    margin_rows,
)
from tests.universe.instances import release_of


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


BOTH: list[Invariant] = [Margin(("a",)), Margin(("b",))]


@pytest.mark.parametrize(
    ("invariants", "distance", "metric", "known"),
    [
        (BOTH, 2, "hamming", True),
        (BOTH, 3, "multiset_hamming", True),
        (BOTH, 4, "hamming", False),
        (BOTH, None, "hamming", False),
        (BOTH, 2, "symmetric_difference", False),
        (BOTH[:1], 2, "hamming", False),
        ([*BOTH, Count((("a", (0,)), ("b", (1,))))], 2, "hamming", False),
    ],
)
def test_walks_are_for_both_margins_of_a_table_and_two_or_three_records(
    invariants: list[Invariant], distance: int | None, metric: Metric, known: bool
) -> None:
    """Tables of 4 x 5 cells with margins 0 have 3 x 4 dimensions."""
    space = TableSpace("record", 9, (Attribute("a", 4), Attribute("b", 5)))
    spaces = SensitivitySpaces(release_of(space, invariants, None, metric))
    found = _walks(TableQuery(), spaces, distance)
    assert (found is not None) is known
    if found is not None:
        assert (found[0].rank, found[0].width) == (12, 20)


@pytest.mark.parametrize(
    ("hull_of", "support", "distance"),
    [("D", None, 2), ("D_t", "null_space", 2), ("D_t", None, None)],
)
def test_no_ball_replaces_a_hull_in_d_or_on_a_support_or_without_a_distance(
    hull_of: Literal["D", "D_t"], support: Support | None, distance: int | None
) -> None:
    part = KNorm(
        query=TableQuery(), support=support, made_for=distance, epsilon=Fraction(1), hull_of=hull_of
    )
    spaces: Any = None
    with pytest.raises(RefusedError, match="corners"):
        _round_hull(part, TableQuery(), spaces)
