"""The error bounds of transforms and cells, against sums in many digits."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.fft

from semiaudit.model.loss import DiscreteGaussianLoss
from semiaudit.privacy.loss.laws import spectrum
from semiaudit.privacy.loss.laws.folded import convolve
from semiaudit.privacy.loss.laws.rounding import (
    Tilted,
    connected,
    merged,
    on_lattice,
    pruned,
    variance_to_neighbours,
)
from semiaudit.privacy.loss.laws.spectrum import transform_error, transformed, turning, values_at
from semiaudit.privacy.loss.pairs.discrete_gaussian import DiscreteGaussianSource
from semiaudit.privacy.loss.pairs.gaussian import GaussianSource
from semiaudit.privacy.loss.pairs.laplace import LaplaceSource
from semiaudit.privacy.loss.pairs.subsampled_gaussian import SubsampledGaussianSource
from semiaudit.privacy.loss.sources.loss_source import UNIT, Source

mp: Any = mpmath.mp


def law(points: list[int], weights: list[float]) -> Tilted:
    array = np.array(weights)
    return Tilted(
        np.array(points), array, np.zeros(len(points)), 0.0, -np.inf, 0.0, 0.0, float(len(points))
    )


@pytest.mark.parametrize("length", [64, 4096])
def test_a_transform_is_within_its_bound_of_the_sum_in_many_digits(length: int) -> None:
    random.seed(length)
    weights = np.array([random.random() ** 8 for _ in range(length)])
    weights /= weights.sum()
    found = scipy.fft.rfft(weights)
    bound = transform_error(length)
    with mp.workdps(40):
        for frequency in random.sample(range(length // 2 + 1), 8):
            truth = mp.mpc(0)
            for place, weight in enumerate(weights):
                truth += mp.mpf(float(weight)) * mp.expjpi(mp.mpf(-2 * place * frequency) / length)
            assert abs(truth - mp.mpc(complex(found[frequency]))) <= bound * float(weights.sum())


@pytest.mark.parametrize("seed", range(20))
def test_small_convolutions_are_within_their_bound_of_the_exact_one(seed: int) -> None:
    random.seed(seed)
    parts = []
    for _ in range(random.randint(1, 3)):
        count = random.randint(1, 4)
        points = sorted(random.sample(range(-6, 7), count))
        shares = [random.randint(1, 2**20) / 2**26 for _ in range(count)]
        shares[0] = 1 - sum(shares[1:])
        parts.append((law(points, shares), random.randint(1, 3)))
    exact: dict[int, Fraction] = {0: Fraction(1)}
    for tilted, repeat in parts:
        for _ in range(repeat):
            grown: dict[int, Fraction] = {}
            for (total, mass), (point, weight) in itertools.product(
                exact.items(), zip(tilted.points, tilted.weights, strict=True)
            ):
                place = total + int(point)
                grown[place] = grown.get(place, Fraction(0)) + mass * Fraction(float(weight))
            exact = grown
    found = convolve(parts, -64, 128)
    for place in range(-64, 64):
        truth = exact.get(place, Fraction(0))
        assert abs(Fraction(float(found.weights[place + 64])) - truth) <= Fraction(found.error)
    assert found.error < 1e-12


def test_parts_with_gaps_and_without_give_the_law_of_their_sum_in_any_order() -> None:
    random.seed(35)
    parts = [
        (law([0, 90, 200], [0.25, 0.5, 0.25]), 2),
        (law(list(range(-3, 5)), [0.125] * 8), 6),
        (law([0, 60], [0.5, 0.5]), 3),
        (law([0, 1, 2, 3], [0.25] * 4), 2),
    ]
    exact = np.ones(1)
    for tilted, repeat in parts:
        weights = np.bincount(tilted.points - tilted.first, weights=tilted.weights)
        for _ in range(repeat):
            exact = np.convolve(exact, weights)
    for _ in range(6):
        random.shuffle(parts)
        found = convolve(parts, -18, 1024)
        # Direct sums of positive terms: each is off by far less than 1e-15.
        assert np.abs(found.weights[: len(exact)] - exact).max() <= found.error + 1e-15
        assert found.weights[len(exact) :].max() <= found.error
        assert found.error < 1e-12


def test_weights_beyond_the_window_are_folded_into_it() -> None:
    found = convolve([(law([0, 40], [0.25, 0.75]), 1)], 0, 32)
    assert found.weights[0] == pytest.approx(0.25, abs=1e-14)
    assert found.weights[8] == pytest.approx(0.75, abs=1e-14)


SOURCES: list[Source] = [
    GaussianSource(Fraction(2)),
    GaussianSource(Fraction(1, 1000)),
    LaplaceSource(Fraction(3, 2)),
    SubsampledGaussianSource(Fraction(1), Fraction(1, 10), own=1, other=0),
    SubsampledGaussianSource(Fraction(4), Fraction(1, 1000), own=0, other=1),
    DiscreteGaussianSource(DiscreteGaussianLoss(1000, Fraction(10**12))),
    DiscreteGaussianSource(DiscreteGaussianLoss(2, Fraction(3))),
]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: type(source).__name__)
@pytest.mark.parametrize("step", [0.1, 0.003])
def test_the_cells_of_a_source_are_two_probability_distributions(
    source: Source, step: float
) -> None:
    """Masses under P and under Q = P exp(-loss) each sum to 1, but for omitted tails."""
    atoms = source.atoms(step, 0.0)
    losses = float(source.offset) + step * atoms.positions
    assert float(np.exp(atoms.log_mass).sum()) == pytest.approx(1, abs=1e-11)
    assert float(np.exp(atoms.log_mass - losses).sum()) == pytest.approx(1, abs=1e-11)


@pytest.mark.parametrize("variance", [Fraction(1, 50), Fraction(99, 100), Fraction(1), Fraction(7)])
def test_the_normalizer_of_the_discrete_gaussian_is_exact(variance: Fraction) -> None:
    found = DiscreteGaussianSource(DiscreteGaussianLoss(1, variance)).log_normalizer()
    with mp.workdps(50):
        scale = 2 * mp.mpf(variance.numerator) / variance.denominator
        truth = mp.log(mp.nsum(lambda k: mp.exp(-k * k / scale), [-mp.inf, mp.inf]))
        assert abs(mp.mpf(found) - truth) <= mp.mpf(2) ** -49 * (1 + abs(truth))


def test_merging_keeps_the_masses_of_both_laws() -> None:
    atoms = GaussianSource(Fraction(1)).atoms(0.05, 0.0)
    merging = merged(atoms, 0.05, 0.0)
    first, second = merging.first, merging.second
    assert first.log_total == pytest.approx(0, abs=1e-12)
    # Q has the factor exp(-offset) = exp(-1/2) beside, and a tilt of 1.
    points = second.points * 0.05
    total = float((second.weights * np.exp(second.log_total - points)).sum())
    assert total == pytest.approx(np.exp(0.5), rel=1e-12)


@pytest.mark.parametrize("counts", [(0, 1), (1, 0), (1, 1), (0, 3), (1, 2)])
@pytest.mark.parametrize(("step", "tilt"), [(0.1, 0.0), (1e-3, 3.0), (2e-5, 0.5), (2e-5, 12.0)])
def test_wide_cells_keep_both_masses_and_hardly_widen_the_law(
    counts: tuple[int, int], step: float, tilt: float
) -> None:
    source = SubsampledGaussianSource(Fraction(1), Fraction(1, 100), *counts)
    atoms = pruned(source.atoms(step, tilt), step, tilt)
    assert atoms.ends is not None
    below, above = atoms.ends
    assert (below == np.floor(below)).all()
    assert (above == np.floor(above)).all()
    assert (below < above).all()
    assert (atoms.positions >= below - 1e-6).all()
    assert (atoms.positions <= above + 1e-6).all()
    found = connected(atoms, step, tilt)
    # Undoing the tilt, the masses under P; times exp(-loss), those under Q.
    masses = found.weights * np.exp(found.log_total - tilt * step * found.points)
    assert float(masses.sum()) == pytest.approx(1, abs=1e-9)
    assert float((masses * np.exp(-step * found.points)).sum()) == pytest.approx(1, abs=1e-9)
    next_points = variance_to_neighbours(replace(atoms, ends=None), step, tilt)
    assert variance_to_neighbours(atoms, step, tilt) <= 1.5 * next_points


def test_what_lies_off_a_lattice_is_not_rounded_silently() -> None:
    atoms = DiscreteGaussianSource(DiscreteGaussianLoss(1, Fraction(3))).atoms(0.3, 0.0)
    with pytest.raises(ValueError, match="off the lattice"):
        on_lattice(atoms, 0.3, 0.0)


LENGTH = 1 << 17


def law_of(points: list[int]) -> Tilted:
    """Random weights that add up to 1, but for rounding."""
    array = np.array([random.random() ** 4 for _ in points])
    weights = array / array.sum()
    return Tilted(np.array(points), weights, np.zeros(len(points)), 0.0, -np.inf, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("points", "levels"),
    [
        ([-7], 1),
        (list(range(0, 9_000, 150)), 1),
        (list(range(40, 70_000, 1_000)), 2),
        ([3 * k // 2 for k in range(600)], 2),
        ([k // 3 for k in range(600)], 2),
        (list(range(-5, 1_400)), 3),
        (list(range(0, 40_000, 50)), 4),
    ],
)
def test_values_are_within_their_bound_of_the_sum_in_many_digits(
    points: list[int], levels: int
) -> None:
    random.seed(len(points))
    tilted = law_of(points)
    frequencies = np.array([0, 1, 2, 77, 4_097, LENGTH // 3, LENGTH // 2 - 1, LENGTH // 2])
    found, bound = values_at(tilted, frequencies, LENGTH)
    assert bound <= UNIT * (64 * levels + 16)
    with mp.workdps(40):
        for frequency, value in zip(frequencies.tolist(), found.tolist(), strict=True):
            truth = mp.mpc(0)
            for point, weight in zip(points, tilted.weights.tolist(), strict=True):
                turn = frequency * (point - points[0]) % LENGTH
                truth += mp.mpf(weight) * mp.expjpi(mp.mpf(-2 * turn) / LENGTH)
            assert abs(truth - mp.mpc(value)) <= bound


@pytest.mark.parametrize("length", [2, 16])
def test_a_transform_is_within_its_bound_where_many_small_weights_meet_a_large_one(
    length: int,
) -> None:
    """On a circle, weights far apart share a point, and their sum loses every small one."""
    small = UNIT * 0.49  # less than half of a unit of 1/2 in its last place
    points = [length * turn for turn in range(1_000)] + [1]
    weights = np.array([0.5] + [small] * 999 + [0.5 - 999 * small])
    tilted = Tilted(np.array(points), weights, np.zeros(1_001), 0.0, -np.inf, 0.0, 0.0, 1.0)
    found, bound = transformed(tilted, length)
    assert len(found) == length // 2 + 1
    with mp.workdps(40):
        at_0, at_1 = mp.fsum(map(mp.mpf, weights[:-1].tolist())), mp.mpf(float(weights[-1]))
        for frequency, value in enumerate(found.tolist()):
            truth = at_0 + at_1 * mp.expjpi(mp.mpf(-2 * frequency) / length)
            assert abs(truth - mp.mpc(value)) <= bound


@pytest.mark.parametrize("length", [2, 16, 1 << 13, 1 << 18, 1 << 19, 1 << 32])
def test_turns_that_are_looked_up_are_those_that_are_computed(length: int) -> None:
    rng = np.random.default_rng(length)
    frequencies, points = rng.integers(0, length // 2 + 1, 150), rng.integers(-length, length, 90)
    turns = [[f * p % length for p in points.tolist()] for f in frequencies.tolist()]
    direct = spectrum._turned(np.array(turns), length)
    assert np.array_equal(turning(frequencies, points, length), direct)
    for row in range(0, 150, 10):
        alone = turning(frequencies[row : row + 1], points[:3], length)
        assert np.array_equal(alone, direct[row : row + 1, :3])
        with mp.workdps(40):
            truth = complex(mp.expjpi(mp.mpf(-2 * turns[row][0]) / length))
        assert abs(truth - direct[row, 0]) <= 8 * UNIT
