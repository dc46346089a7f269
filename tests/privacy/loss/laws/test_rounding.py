"""What is left out of a law: atoms below its precision, and the weight outside of a window."""

from __future__ import annotations

import math

import numpy as np
import pytest

from semiaudit.privacy.loss.laws.rounding import connected, pruned
from semiaudit.privacy.loss.laws.window import outside, reach
from semiaudit.privacy.loss.sources.loss_source import Atoms
from tests.privacy.loss.laws.instances import law


def weight(position: float, below: float, above: float, log_mass: float, rate: float) -> float:
    """ln of what an atom weighs under a tilt once it is split between two points of a grid.

    With the step 1/4: its masses under P and Q stay, so that the upper point gets the share
    (1 - e^-(position - below)/4) / (1 - e^-(above - below)/4) of the mass under P.
    """
    share = math.expm1(-(position - below) / 4) / math.expm1(-(above - below) / 4)
    return log_mass + math.log(
        (1 - share) * math.exp(rate * below) + share * math.exp(rate * above)
    )


@pytest.mark.parametrize("tilt", [0.0, 4.0, 80.0])
@pytest.mark.parametrize("width", [1.0, 6.0])
@pytest.mark.parametrize("known", [-math.inf, -30.0])
def test_pruned_atoms_count_as_omitted_however_they_would_be_split(
    tilt: float, width: float, known: float
) -> None:
    # The first atom has nearly all the weight; the second one, at the lower point of its cell but
    # for a little, just less than e^-100 of it.
    step = 0.25
    rate = tilt * step
    positions = np.array([0.5, 3.01])
    log_mass = np.array([0.0, -100.01 - rate * (3.01 - 0.5)])
    ends = np.array([0.0, 3.0]), np.array([1.0, 3.0 + width])
    atoms = Atoms(positions, log_mass, 0.0, log_omitted=known, ends=None if width == 1 else ends)
    found = pruned(atoms, step, tilt)
    assert found.positions.tolist() == [0.5]
    truth = weight(3.01, 3.0, 3.0 + width, float(log_mass[1]), rate)
    before = math.exp(known)
    assert math.exp(found.log_omitted) >= before + math.exp(truth)
    # The same by the atoms themselves: what the grid has less is omitted.
    whole, rest = connected(atoms, step, tilt), connected(found, step, tilt)
    assert whole.log_total >= rest.log_total
    assert found.log_omitted <= np.logaddexp(known, truth + 5 + rate * width)


def test_atoms_that_matter_are_all_kept() -> None:
    atoms = Atoms(np.array([0.5, 3.0]), np.array([0.0, -99.0]), 0.0, log_omitted=-70.0)
    assert pruned(atoms, 0.25, 0.0) is atoms


def tails(number: int, first: int, length: int) -> float:
    """The share of coins, of 2^number, with fewer heads than first, or first + length or more."""
    inside = range(first, first + length)
    beyond = [math.comb(number, k) for k in range(number + 1) if k not in inside]
    return math.ldexp(sum(beyond), -number)


@pytest.mark.parametrize(
    ("first", "length"), [(0, 101), (30, 64), (0, 64), (40, 64), (40, 16), (60, 64), (-20, 64)]
)
def test_the_bound_covers_both_tails_and_nothing_that_no_sum_reaches(
    first: int, length: int
) -> None:
    coins = [(law(0, [1, 1]), 100)]
    truth, found = tails(100, first, length), outside(coins, first, length)
    assert truth <= found
    # Chernoff's bound of a binomial tail is off by a small power of the number of coins.
    assert found <= 40 * truth


def test_the_reach_leaves_out_less_than_the_rounding_of_its_sums() -> None:
    coins = [(law(0, [1, 1]), 1000), (law(-3, [1, 2, 1]), 500)]
    low, high = reach(coins)
    assert outside(coins, low, high - low + 1) < 1e-20
    assert -1500 <= low < high <= 1000
    assert high - low < 1000
