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
from semiaudit.mechanisms.sampling.integers import (
    DiscreteGaussianSampler,
    SizeTable,
    bernoulli_exp,
    discrete_laplace,
    integers,
)
from semiaudit.mechanisms.sampling.lattice import (
    LatticeGaussian,
    _chained,
    _kept,
    _mass,
    _orthogonal,
    everything,
    null_lattice,
    span_lattice,
)
from semiaudit.mechanisms.sampling.randomness import SYSTEM, Randomness
from semiaudit.numeric.lattices import MAX_ENTRIES
from tests.oracles.sampling import LEVEL, chi_square_p, margin_moves, margin_rows

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


def test_a_null_lattice_holds_exactly_the_whole_vectors_of_the_null_space() -> None:
    generator = np.random.default_rng(0)
    for _ in range(25):
        width = int(generator.integers(2, 5))
        matrix = generator.integers(-3, 4, (int(generator.integers(1, width)), width))
        lattice = null_lattice([dict(enumerate(row)) for row in matrix.tolist()], width)
        assert lattice.rank == width - np.linalg.matrix_rank(matrix)
        assert not (matrix @ lattice.dense.T).any()
        for vector in product(range(-2, 3), repeat=width):
            inside = not (matrix @ vector).any()
            weights = lattice.weights(vector)
            assert (weights is not None) == inside
            if weights is not None:
                assert (np.array(weights) @ lattice.dense == vector).all()


def test_the_span_of_a_tables_moves_is_the_null_space_of_its_margins() -> None:
    moves = margin_moves(3, 4, 3)
    span = span_lattice([dict(enumerate(move)) for move in moves.tolist()], 12)
    null = null_lattice(margin_rows(3, 4), 12)
    assert (span.rank, span.free) == (6, null.free)
    assert (span.dense == null.dense).all()


def test_sums_on_a_power_of_2_are_exact() -> None:
    lattice = null_lattice(margin_rows(5, 5), 25)
    weights = np.random.default_rng(1).integers(-(2**40), 2**40, (10, 16)).astype(np.float64)
    weights *= 2.0**-20
    vectors = lattice.vectors(weights).reshape(10, 5, 5)
    assert not vectors.sum(axis=1).any()
    assert not vectors.sum(axis=2).any()
    assert everything(2).vectors(weights[:, :2]).tolist() == weights[:, :2].tolist()


def test_noise_is_projected_where_only_a_reduced_basis_is_straight_enough_for_doubles() -> None:
    """The vectors (a v + b w, v, w) of a plane: (a, 1, 0) and (b, 0, 1) are almost parallel."""
    normal = np.array([1.0, -1_000_000.0, -1_000_001.0])
    lattice = null_lattice([{place: int(k) for place, k in enumerate(normal)}], 3)
    vectors = np.random.default_rng(2).standard_normal((20, 3))
    expected = vectors - np.outer(vectors @ normal, normal) / (normal @ normal)
    found = lattice.vectors(lattice.projected(vectors))
    assert np.abs(found - expected).max() < 1e-6
    # b - a = 1
    weights = lattice.weights((1, -1, 1))
    assert weights is not None
    assert (np.array(weights) @ lattice.dense == (1, -1, 1)).all()


def test_a_basis_that_is_too_large_to_be_reduced_is_used_as_it_is() -> None:
    """The first of 202 coordinates is 2^15 times the sum of the others."""
    width, factor = 202, 2**15
    assert (width - 1) * width > MAX_ENTRIES
    row = {0: 1} | dict.fromkeys(range(1, width), -factor)
    lattice = null_lattice([row], width)
    assert lattice.rank == width - 1
    others = list(range(width - 1))
    assert lattice.weights([factor * sum(others), *others]) == tuple(others)
    assert lattice.weights([factor * sum(others) + 1, *others]) is None


NUMBER = 4_000


@pytest.mark.parametrize("exponent", [Fraction(1, 3), Fraction(1), Fraction(5, 2)])
def test_a_coin_falls_with_the_probability_of_its_exponential(exponent: Fraction) -> None:
    source, p = Randomness(1), exp(-exponent)
    coins = [bernoulli_exp(exponent.numerator, exponent.denominator, source) for _ in range(NUMBER)]
    assert chi_square_p(coins, {True: p, False: 1 - p}) > LEVEL
    assert all(bernoulli_exp(0, 3, source) for _ in range(20))


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(3), Fraction(7, 3)])
def test_discrete_laplace_numbers_have_their_law(scale: Fraction) -> None:
    source = Randomness(2)
    drawn = [discrete_laplace(scale, source) for _ in range(NUMBER)]
    assert chi_square_p(drawn, {k: exp(-abs(k) / scale) for k in range(-80, 81)}) > LEVEL


@pytest.mark.parametrize("sigma_squared", [Fraction(1, 4), Fraction(2), Fraction(50, 3)])
@pytest.mark.parametrize("centre", [Fraction(0), Fraction(1, 3), Fraction(-7, 2)])
def test_discrete_gaussian_numbers_have_their_law_around_any_centre(
    sigma_squared: Fraction, centre: Fraction
) -> None:
    source, law = Randomness(3), DiscreteGaussianSampler(sigma_squared)
    drawn = [law.draw(source, centre) for _ in range(NUMBER)]
    weights = {k: exp(-((k - centre) ** 2) / (2 * sigma_squared)) for k in range(-60, 61)}
    assert chi_square_p(drawn, weights) > LEVEL


LAWS = [
    (Fraction(1, 3), Fraction(0)),
    (Fraction(3, 2), Fraction(3)),
    (Fraction(1, 40), Fraction(1, 20)),
]


@pytest.mark.parametrize(("first", "growth"), LAWS)
def test_a_table_of_sizes_encloses_their_distribution_closely(
    first: Fraction, growth: Fraction
) -> None:
    table = SizeTable(first, growth, 64)
    with mpmath.workdps(60):

        def weight(size: int) -> mpmath.mpf:
            exponent = size * first + growth * size * (size - 1) / 2
            return mpmath.exp(-mpmath.mpf(exponent.numerator) / exponent.denominator)

        whole = mpmath.fsum([1, *(2 * weight(k) for k in range(1, 1_000))])
        for size, (low, high) in enumerate(zip(table.low, table.high, strict=False)):
            within = mpmath.fsum([1, *(2 * weight(k) for k in range(1, size + 1))]) / whole * 2**64
            assert (low or within - 2) <= within <= high <= within + 2
            assert not low or low >= within - 2


@pytest.mark.parametrize(("first", "growth"), LAWS)
@pytest.mark.parametrize("bits", [2, 6, 64])
def test_integers_from_a_table_have_their_law_however_few_bits_decide_first(
    first: Fraction, growth: Fraction, bits: int
) -> None:
    drawn = SizeTable(first, growth, bits).draw(NUMBER // 2, Randomness(4)).tolist()
    weights = {
        k: exp(-(abs(k) * first + growth * abs(k) * (abs(k) - 1) / 2)) for k in range(-90, 91)
    }
    assert chi_square_p(drawn, weights) > LEVEL


@pytest.mark.parametrize("sigma_squared", [Fraction(10**9), Fraction(9)])
def test_many_integers_come_from_a_table_where_that_is_short(sigma_squared: Fraction) -> None:
    one_by_one: list[int] = []

    def draw(source: Randomness) -> int:
        one_by_one.append(1)
        return 0

    law = 1 / sigma_squared / 2, 1 / sigma_squared
    drawn = integers(2_000, law, draw, Randomness(4))
    assert bool(one_by_one) == (sigma_squared > 9)
    assert drawn.std() == pytest.approx(3 * (sigma_squared == 9), rel=0.1)


def test_a_test_of_fit_rejects_the_wrong_law() -> None:
    source, law = Randomness(3), DiscreteGaussianSampler(Fraction(2))
    drawn = [law.draw(source) for _ in range(NUMBER)]
    weights = {k: exp(-(k**2) / (2 * 2.4)) for k in range(-60, 61)}
    assert chi_square_p(drawn, weights) < LEVEL


def test_a_seed_repeats_and_the_operating_system_does_not() -> None:
    assert [Randomness(5).bits(64) for _ in range(2)] == [Randomness(5).bits(64)] * 2
    first, second = Randomness(), Randomness()
    assert first.origin == SYSTEM
    assert first.bits(200) != second.bits(200)
    assert {first.below(3) for _ in range(200)} == {0, 1, 2}
    assert first.generator.random() != second.generator.random()
