"""Moves that dominate: every pattern must fall into bins that hold it, by trying all ways."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from semiaudit.model.bound import exact, upper
from semiaudit.universe.sensitivity.dominating_moves import (
    best_moves,
    dominating,
    packed,
    patterns_of,
    runs,
)
from semiaudit.universe.sensitivity.profiles import Profiles, dominates, undominated

Pattern = tuple[int, ...]


def fits(pattern: Pattern, bins: Pattern) -> bool:
    """Whether some way to put each value in a bin overfills none."""
    for chosen in product(range(len(bins)), repeat=len(pattern)):
        sums = [0] * len(bins)
        for value, place in zip(pattern, chosen, strict=True):
            sums[place] += value
        if all(sum_ <= size for sum_, size in zip(sums, bins, strict=True)):
            return True
    return False


def drawn(seed: int) -> list[Pattern]:
    rng = random.Random(seed)
    return [
        tuple(sorted((rng.randint(1, 5) for _ in range(rng.randint(1, 4))), reverse=True))
        for _ in range(rng.randint(1, 5))
    ]


@pytest.mark.parametrize("seed", range(30))
def test_bins_hold_what_they_grew_over_and_are_listed_from_the_largest(seed: int) -> None:
    bins: Pattern = ()
    patterns = drawn(seed)
    for number, pattern in enumerate(patterns):
        bins = packed(pattern, bins)
        assert list(bins) == sorted(bins, reverse=True)
        assert all(fits(one, bins) for one in patterns[: number + 1])
    best = dominating(patterns)
    assert all(fits(one, best) for one in patterns)
    squares = [sum(size**2 for size in one) for one in (best, bins, (max(map(sum, patterns)),))]
    assert squares[0] <= squares[2]
    assert squares[0] >= max(sum(k**2 for k in one) for one in patterns)


def test_one_pattern_dominates_itself() -> None:
    assert packed((4, 2, 1), ()) == (4, 2, 1)
    assert dominating([(4, 2, 1), (4, 2), (2, 1)]) == (4, 2, 1)
    assert packed((2,), (1, 5)) == (5, 1)
    assert dominating([]) == ()


def test_patterns_are_absolute_values_without_zeros_from_the_largest() -> None:
    vectors = np.array([(0, -3, 1), (1, 0, 3), (2, 2, -5), (0, 0, 0)], dtype=np.int64)
    patterns = patterns_of(vectors)
    assert patterns is not None
    assert set(patterns) == {(), (3, 1), (5, 2, 2)}


def test_the_best_moves_have_the_least_squares_and_are_attained_at_an_exact_norm() -> None:
    candidates = [[(3, 1)], runs((2, 1, 1)), [(2, 1), (0, 4), (2, 0), (1, 2)]]
    found = best_moves(candidates, exact(Fraction(6), "a method", "a source"))
    assert [(int(size), number) for size, number in found.sizes] == [(2, 1), (1, 2)]
    assert found.squared == 6
    assert found.attained
    assert not best_moves(candidates, exact(Fraction(5), "a method", "a source")).attained
    assert not best_moves(candidates, upper(Fraction(6), "a method", "a source")).attained


def test_a_move_fills_the_bin_with_the_least_room() -> None:
    assert packed((2, 3), (3, 2)) == (3, 2)
    assert packed((2, 2, 3), (3, 2, 2)) == (3, 2, 2)


def test_the_bin_that_grows_by_the_smallest_square_grows() -> None:
    """From 2 to 3 adds 5 to the sum of squares, from 1 to 3 adds 8, and a new bin of 3 adds 9."""
    assert packed((3,), (2, 1)) == (3, 1)
    assert packed((1, 1), (1,)) == (1, 1)


@pytest.mark.parametrize(
    ("largest", "between", "smallest"),
    [((5, 4, 1), (4, 3, 2, 1), (3, 2, 2, 2)), ((5, 4), (4, 3, 2), (3, 2, 2, 2))],
)
def test_what_fits_into_a_dropped_element_is_dropped_with_it(
    largest: tuple[int, ...], between: tuple[int, ...], smallest: tuple[int, ...]
) -> None:
    """Packing misses that 3 + 2 and 2 + 2 fit into 5 and 4, but not the two steps to it."""
    assert fits(smallest, largest)
    assert not dominates((largest,), (smallest,))
    assert dominates((largest,), (between,))
    assert dominates((between,), (smallest,))
    assert undominated([(smallest,), (between,), (largest,)]) == [(largest,)]


def test_stacked_vectors_are_kept_as_patterns_that_no_other_one_exceeds_value_by_value() -> None:
    """The first query has three counts, the second one two; (1, 1), (1, 1) is below the first."""
    answers: Any = SimpleNamespace(blocks=((0,), (1,)))
    profiles = Profiles(answers, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)])
    profiles.add(np.array([[2, -2, 0, 1, -1], [0, 1, -1, -1, 1], [1, -1, 1, 0, 0]]))
    profiles.add(np.array([[-1, 0, 1, 2, -2], [0, -2, 2, 1, -1]]))
    found = profiles.elements()
    assert found is not None
    assert sorted(found) == [((1, 1), (2, 2)), ((1, 1, 1), ()), ((2, 2), (1, 1))]
