"""Very many parts at once, against sums in 40 digits and exact products of polynomials."""

from __future__ import annotations

import random
from typing import Any

import mpmath
import numpy as np
import pytest

from semiaudit.privacy.loss.laws.folded import (
    _side_by_side,
    _Sum,
    joined,
    log_bound_of_moments,
    product_of_all,
)
from semiaudit.privacy.loss.laws.rounding import Tilted
from semiaudit.privacy.loss.laws.spectrum import values_at
from tests.oracles.powers import product
from tests.privacy.instances import seeds
from tests.privacy.loss.laws.instances import law

mp: Any = mpmath.mp


def random_counts(chance: random.Random) -> list[int]:
    found = [chance.randint(0, 40) for _ in range(chance.randint(1, 30))]
    found[0], found[-1] = max(found[0], 1), max(found[-1], 1)
    found[len(found) // 2] += (1 << sum(found).bit_length()) - sum(found)
    return found


def random_laws(chance: random.Random) -> list[tuple[Tilted, int, list[int]]]:
    """Twenty laws or so, with their repeats and counts."""
    found = []
    for _ in range(chance.randint(18, 24)):
        counts = random_counts(chance)
        found.append((law(chance.randint(-50, 50), counts), chance.choice((1, 1, 1, 2)), counts))
    return found


def characteristic(counts: list[int], angle: Any) -> Any:
    """The mean of exp(-i angle p) for points counted from 0."""
    terms = (count * mp.expj(-angle * place) for place, count in enumerate(counts))
    return mp.fsum(terms) / sum(counts)


@pytest.mark.parametrize("seed", seeds(1, 40))
def test_the_product_of_all_is_within_its_bound_of_the_products_in_many_digits(seed: int) -> None:
    chance = random.Random(seed)
    laws, length = random_laws(chance), 1 << 14
    # Next to 0 the product is of the size of 1, further away of that of its errors.
    near, far = chance.sample(range(60), 6), chance.sample(range(60, length // 2), 6)
    frequencies = np.array(sorted(near + far))
    found = product_of_all([(t, k) for t, k, _ in laws], frequencies, length)
    assert found.frequencies.tolist() == frequencies.tolist()
    bounds = found.bound()
    times = sum(k for _, k, _ in laws)
    with mp.workdps(40):
        for frequency, value, bound in zip(frequencies, found.values, bounds, strict=True):
            angle = 2 * mp.pi * int(frequency) / length
            truth = mp.fprod(characteristic(counts, angle) ** k for _, k, counts in laws)
            assert abs(truth - mp.mpc(complex(value))) <= bound
            assert bound < times * 1e-12


@pytest.mark.parametrize("seed", seeds(4, 40))
def test_each_part_side_by_side_is_within_its_bound_of_its_sums_in_many_digits(seed: int) -> None:
    chance = random.Random(seed)
    laws, length = random_laws(chance), 1 << 14
    frequencies = np.array(sorted(chance.sample(range(length // 2), 12)))
    together, errors = _side_by_side([tilted for tilted, _, _ in laws], frequencies, length)
    with mp.workdps(40):
        for column, (tilted, _, counts) in enumerate(laws):
            alone, error = values_at(tilted, frequencies, length)
            assert max(error, errors[column]) < 1e-12
            for row, frequency in enumerate(frequencies):
                truth = characteristic(counts, 2 * mp.pi * int(frequency) / length)
                assert abs(truth - mp.mpc(complex(together[row, column]))) <= errors[column]
                assert abs(truth - mp.mpc(complex(alone[row]))) <= error


@pytest.mark.parametrize("seed", seeds(2, 40))
def test_moments_bound_the_size_of_the_product_between_all_angles(seed: int) -> None:
    chance = random.Random(seed)
    laws = random_laws(chance)
    angles = np.linspace(0.0, np.pi, 65)
    bounds = log_bound_of_moments([(t, k) for t, k, _ in laws], angles)
    assert bounds.min() < -1
    with mp.workdps(40):
        for cell, bound in enumerate(bounds):
            for share in (0.0, chance.random(), 1.0):
                angle = mp.mpf(float(angles[cell] + share * (angles[cell + 1] - angles[cell])))
                sizes = (abs(characteristic(counts, angle)) ** k for _, k, counts in laws)
                assert mp.fprod(sizes) <= mp.exp(mp.mpf(float(bound))) * (1 + mp.mpf(10) ** -12)


@pytest.mark.parametrize("seed", seeds(3, 200))
def test_joined_parts_have_the_weights_of_the_exact_product(seed: int) -> None:
    chance = random.Random(seed)
    laws = random_laws(chance)
    found = joined([(tilted, repeat) for tilted, repeat, _ in laws])
    assert sorted(repeat for _, repeat in found) == sorted({repeat for _, repeat, _ in laws})
    for tilted, repeat in found:
        run = [(t, counts) for t, k, counts in laws if k == repeat]
        exact = product(counts for _, counts in run)
        total = sum(exact)
        assert tilted.first == sum(t.first for t, _ in run)
        with mp.workdps(40):
            for weight, error, mass in zip(tilted.weights, tilted.errors, exact, strict=True):
                assert abs(mp.mpf(mass) / total - mp.mpf(float(weight))) <= float(error)
        assert float(tilted.errors.sum()) < 1e-12


def test_few_parts_stay_as_they_are() -> None:
    parts = [(law(0, [1, 2, 1]), 3), (law(5, [3, 5]), 1)]
    assert joined(parts) is parts


def test_absolute_errors_of_two_sums_add_up() -> None:
    """Weights that are all wrong by e make an entry of the convolution wrong by 2 e and more."""
    first, second = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    one, other = (_Sum(weights, 0, 0.0, 1e-3, 0.25) for weights in (first, second))
    both = one.plus(other)
    wrong = np.convolve(first - 1e-3, second - 1e-3) - np.convolve(first, second)
    assert both.weights == pytest.approx(np.convolve(first, second))
    assert (np.abs(wrong) <= both.absolute * (1 + 1e-2)).all()
    assert (both.first, both.variance) == (0, 0.5)
