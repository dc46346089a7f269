"""What samplers are held to: tests of goodness of fit, moves of tables, laws by enumeration."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, permutations, product
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy.special import gammaincc, gdtr, kolmogorov, ndtr

T = TypeVar("T")

LEVEL = 1e-4
"""A test with a fixed seed fails by chance with this probability, when the seed is chosen."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def ks_p(sample: Floats, law: Callable[[Floats], Floats]) -> float:
    """The p-value of Kolmogorov and Smirnov's test that a sample has a distribution function."""
    sample = np.sort(sample)
    expected = law(sample)
    steps = np.arange(len(sample) + 1) / len(sample)
    distance = max((steps[1:] - expected).max(), (expected - steps[:-1]).max())
    return float(kolmogorov(distance * math.sqrt(len(sample))))


def gamma_law(shape: float) -> Callable[[Floats], Floats]:
    """The distribution function of Gamma(shape) with scale 1."""
    return lambda x: np.asarray(gdtr(1.0, shape, x), dtype=float)


def normal_law(x: Floats) -> Floats:
    """The distribution function of a standard Gaussian."""
    return np.asarray(ndtr(x), dtype=float)


def chi_square_p(sample: Sequence[T], weights: Mapping[T, float]) -> float:
    """The p-value of Pearson's test; values expected less than 5 times are one."""
    seen, total = Counter(sample), sum(weights.values())
    number = len(sample)
    expected = {value: number * w / total for value, w in weights.items()}
    large = [value for value, e in expected.items() if e >= 5]
    statistic = sum((seen[value] - expected[value]) ** 2 / expected[value] for value in large)
    rest = number - sum(expected[value] for value in large)
    freedom = len(large) - 1
    if rest >= 5:
        others = number - sum(seen[value] for value in large)
        statistic, freedom = statistic + (others - rest) ** 2 / rest, freedom + 1
    return float(gammaincc(freedom / 2, statistic / 2))


def margin_moves(rows: int, columns: int, distance: int) -> Integers:
    """All changes of a table, 0 left out, by 2 or 3 records that keep both margins: by brute force.

    Records at ``distance`` cells turn into records at as many cells.
    """
    cells = list(product(range(rows), range(columns)))
    found = set()
    for size in range(2, distance + 1):
        for start in combinations(range(len(cells)), size):
            taken = [cells[at] for at in start]
            for order in permutations(range(size)):
                change = np.zeros((rows, columns), dtype=int)
                for at, (i, j) in enumerate(taken):
                    change[i, j] -= 1
                    change[i, taken[order[at]][1]] += 1
                if change.any():
                    found.add(tuple(change.ravel().tolist()))
    return np.array(sorted(found), dtype=np.int64)


def margin_rows(rows: int, columns: int) -> list[dict[int, int]]:
    """The rows of both margins of a table over its row-major cells."""
    found = [{i * columns + j: 1 for j in range(columns)} for i in range(rows)]
    return found + [{i * columns + j: 1 for i in range(rows)} for j in range(columns)]
