"""Norms, hulls, and volumes of K-norm densities against sums by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import get_args

import pytest

from semiaudit.mechanisms.k_norm_density import Hull, Norm, NormBall

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


@pytest.mark.parametrize(
    ("vector", "gauge"),
    [
        ((HALF, QUARTER), Fraction(3, 4)),
        ((Fraction(-2), Fraction(1, 3)), Fraction(7, 3)),
        ((Fraction(0), Fraction(0)), Fraction(0)),
    ],
)
def test_the_gauge_of_the_hull_of_unit_vectors_is_the_l1_norm(
    vector: tuple[Fraction, ...], gauge: Fraction
) -> None:
    found = Hull(((1, 0), (0, 1))).gauge(vector)
    assert found is not None
    assert found.low <= gauge <= found.high
    assert found.high - found.low <= 1e-20


def test_a_vector_outside_of_the_span_of_a_hull_has_no_gauge() -> None:
    assert Hull(((1, -1, 0),)).gauge((HALF, HALF, Fraction(0))) is None


@pytest.mark.parametrize("norm", get_args(Norm))
def test_unit_balls_have_their_norms_and_volumes(norm: Norm) -> None:
    ball = NormBall(norm, 2)
    length = {"l1": 7 / 12, "l2": 5 / 12, "linf": 1 / 3}[norm]
    area = {"l1": 2.0, "l2": 3.141592653589793, "linf": 4.0}[norm]
    assert float(ball.gauge((QUARTER, Fraction(-1, 3))).high) == pytest.approx(length)
    volume = ball.volume
    assert float(volume.rational) * float(volume.other.high) == pytest.approx(area)
