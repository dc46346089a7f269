from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, fsum

import mpmath
import numpy as np
import pytest

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import RefusedError
from semiaudit.mechanisms.sampling.lattice import everything, null_lattice
from semiaudit.mechanisms.sampling.lattice_gaussian import (
    LatticeGaussian,
    _chained,
    _kept,
    _mass,
    _orthogonal,
)
from semiaudit.mechanisms.sampling.randomness import Randomness
from tests.oracles.sampling import LEVEL, chi_square_p, margin_rows

TOTAL = [{0: 1, 1: 1, 2: 1}]
STATES = [{1: 1, 3: 1}, {0: 1, 4: 1}, {2: 1}]
SKEWED = [{0: 2, 1: 3, 2: 5}]


@pytest.mark.parametrize(
    ("rows", "width", "sigma_squared"),
    [
        (TOTAL, 3, Fraction(1, 6)),
        (TOTAL, 3, Fraction(3)),
        (STATES, 5, Fraction(1)),
        (SKEWED, 3, Fraction(2)),
        (margin_rows(2, 3), 6, Fraction(1, 2)),
        (margin_rows(2, 2), 4, Fraction(1)),
    ],
)
def test_the_whole_vectors_of_a_null_space_have_the_discrete_gaussian_law(
    rows: list[dict[int, int]], width: int, sigma_squared: Fraction
) -> None:
    lattice = null_lattice(rows, width)
    law, source = LatticeGaussian(lattice, sigma_squared), Randomness(1)
    drawn = [tuple(law.draw(source)) for _ in range(2_000)]
    weights = {}
    for chosen in product(range(-12, 13), repeat=lattice.rank):
        vector = tuple((np.array(chosen) @ lattice.dense).tolist())
        weights[vector] = exp(-sum(k * k for k in vector) / (2 * sigma_squared))
    assert chi_square_p(drawn, weights) > LEVEL


def test_margins_of_a_10_by_10_table_stay_as_they_are() -> None:
    law = LatticeGaussian(null_lattice(margin_rows(10, 10), 100), Fraction(9))
    source = Randomness(2)
    drawn = np.array([law.draw(source) for _ in range(30)]).reshape(-1, 10, 10)
    assert not drawn.sum(axis=1).any()
    assert not drawn.sum(axis=2).any()
    # variance 9 * 81/100, within four standard errors of 30 * 81 squares
    assert drawn.var() == pytest.approx(7.29, rel=4 * (2 / (30 * 81)) ** 0.5)


def test_a_lattice_of_high_rank_is_refused() -> None:
    with pytest.raises(RefusedError, match=r"has 300 dimensions.* limited to 250"):
        LatticeGaussian(everything(300), Fraction(1))


def test_totals_are_drawn_at_every_size() -> None:
    """3,100 counts in 31 totals: rank 3,069, in closed form."""
    totals = [{31 * i + at: 1 for i in range(100)} for at in range(31)]
    law, source = LatticeGaussian(null_lattice(totals, 3_100), Fraction(4)), Randomness(3)
    drawn = np.array([law.draw(source) for _ in range(20)]).reshape(20, 100, 31)
    assert not drawn.sum(axis=1).any()
    # variance 4 * 99/100, within four standard errors of 20 * 3,069 squares
    assert drawn.var() == pytest.approx(3.96, rel=4 * (2 / (20 * 3_069)) ** 0.5)
    # Neighbours in the chain are no nearer to each other than the others: -4/100 for all.
    near = (drawn[:, 1:] * drawn[:, :-1]).mean()
    assert near == pytest.approx(-0.04, abs=4 * 4 / (20 * 31 * 99) ** 0.5)


def test_differences_of_neighbours_are_orthogonal_in_closed_form() -> None:
    chain, lengths, after = _chained([[4, 0, 2, 1], [3], [6, 5]], 7)
    expected_lengths, expected_after = _orthogonal(chain)
    assert lengths == expected_lengths
    for (divisor, row), (other, expected) in zip(after, expected_after, strict=True):
        assert [(j, Fraction(k, divisor)) for j, k in row] == [
            (j, Fraction(k, other)) for j, k in expected
        ]


def test_a_basis_that_keeps_no_draw_stops_at_the_time_limit() -> None:
    # Its last vector is nearly in the span of the others: centres far from whole numbers follow,
    # around which a draw of the first weight would be waited for without end.
    row = dict(enumerate([1000003, 999983, 1299709, 15485863]))
    law = LatticeGaussian(null_lattice([row], 4), Fraction(3))
    source = Randomness(1)
    with deadline.running(0.1), pytest.raises(OutOfTimeError):
        _ = [law.draw(source) for _ in range(10**6)]


@pytest.mark.parametrize("sigma_squared", ["1/10", "3"])
@pytest.mark.parametrize("center", ["3/10", "-7/10", "10003/10", "-9997/10"])
def test_a_center_is_kept_as_often_as_the_same_one_near_0(sigma_squared: str, center: str) -> None:
    """The sum over all whole numbers has the period 1; all these centers are 3/10 off."""
    s = float(Fraction(sigma_squared))

    def mass(offset: float) -> float:
        return fsum(exp(-((k - offset) ** 2) / (2 * s)) for k in range(-30, 31))

    low, high = _kept(Fraction(sigma_squared), Fraction(center), 20)
    assert float(low) == pytest.approx(mass(0.3) / mass(0), rel=1e-12)
    assert 0 <= high - low < Fraction(1, 10**15)


@pytest.mark.parametrize("center", [Fraction(0), Fraction(1, 3), Fraction(1, 2)])
@pytest.mark.parametrize("sigma_squared", [Fraction(1, 9), Fraction(2), Fraction(77, 2)])
def test_a_mass_is_enclosed_as_closely_as_its_digits_say(
    sigma_squared: Fraction, center: Fraction
) -> None:
    with mpmath.workdps(40):
        truth = mpmath.fsum(
            mpmath.exp(-mpmath.mpf(square.numerator) / square.denominator)
            for square in ((k - center) ** 2 / (2 * sigma_squared) for k in range(-200, 201))
        )
        for digits in (4, 6, 15):
            low, high = (
                mpmath.mpf(end.numerator) / end.denominator
                for end in _mass(sigma_squared, center, digits)
            )
            assert low < truth < high
            assert high - low < 100 * mpmath.mpf(10) ** -digits * (1 + truth)
