"""Containment of balls, against theory.md's row 14 and points that are gone through."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from semiaudit.mechanisms.designs.balls import Ball, HullBall, RoundBall, contains


def test_row_14_the_l1_ball_is_in_the_l2_ball_and_that_is_in_the_cube() -> None:
    l1, l2, linf = (RoundBall(norm, 1.0, 2) for norm in ("l1", "l2", "linf"))
    assert contains(l2, l1)
    assert contains(linf, l2)
    assert contains(linf, l1)
    assert not contains(l1, l2)
    assert not contains(l2, linf)
    wide = RoundBall("l2", 2**0.5, 2)
    assert contains(wide, linf)
    assert not contains(linf, wide)


def test_the_hull_of_axes_is_the_l1_ball() -> None:
    hull, l1 = HullBall(np.eye(3)), RoundBall("l1", 1.0, 3)
    assert contains(hull, l1)
    assert contains(l1, hull)


def test_a_hull_of_less_dimensions_holds_no_ball_of_all() -> None:
    line = HullBall(np.array([[1.0, -1.0]]))
    assert contains(RoundBall("l1", 2.0, 2), line)
    assert not contains(line, RoundBall("l1", 0.01, 2))


def test_a_round_ball_contains_the_segment_to_a_point_of_its_euclidean_length() -> None:
    segment = HullBall(np.array([[3.0, 4.0]]))
    assert contains(RoundBall("l2", 5.0, 2), segment)
    assert not contains(RoundBall("l2", 4.99, 2), segment)


def radii(ball: Ball, grid: np.ndarray) -> np.ndarray:
    """How far a ball of the plane reaches, in some directions."""
    if isinstance(ball, RoundBall):
        return 1 / ball.norms(grid)
    both = np.concatenate([ball.vectors, -ball.vectors])
    found = np.zeros(len(grid))
    for one, other in itertools.combinations(both, 2):
        matrix = np.array([one, other]).T
        if abs(np.linalg.det(matrix)) > 1e-12:
            weights = np.linalg.solve(matrix, grid.T)
            able = (weights >= -1e-12).all(axis=0)
            found[able] = np.maximum(found[able], 1 / weights.sum(axis=0)[able])
    return found


@pytest.mark.parametrize("seed", range(12))
def test_containment_in_the_plane_is_that_of_the_surfaces(seed: int) -> None:
    generator = np.random.default_rng(seed)
    angles = np.linspace(0, np.pi, 721)
    grid = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    hull = HullBall(generator.integers(-3, 4, size=(3, 2)) + np.eye(3, 2) * 0.5)
    balls: list[Ball] = [hull]
    for norm in ("l1", "l2", "linf"):
        balls.append(RoundBall(norm, float(generator.uniform(0.5, 3)), 2))
    for one, other in itertools.permutations(balls, 2):
        reach, other_reach = radii(one, grid), radii(other, grid)
        inside = bool((other_reach <= reach * (1 + 1e-4)).all())
        if isinstance(one, HullBall) and getattr(other, "norm", "") == "l2":
            assert not contains(one, other)  # not shown
        elif abs((other_reach / reach).max() - 1) > 1e-3:
            assert contains(one, other) == inside
