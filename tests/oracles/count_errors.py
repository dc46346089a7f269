"""Errors of counts by their definitions, one count at a time.

Shares no code with the program. An error is given by its law, or by what it was in some runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, erfc, exp, sqrt
from typing import Any

import numpy as np
from scipy.special import gammaincc, roots_genlaguerre

Cell = tuple[int, ...]


@dataclass(frozen=True)
class Error:
    """The error of one count: its mean square, mean absolute value, and mean; P(|error| > x)."""

    square: float
    absolute: float
    bias: float
    beyond: Callable[[float], float]


def normal(variance: float) -> Error:
    """A normal error."""
    sd = sqrt(max(variance, 0.0))
    if variance < 1e-9:
        return Error(0, 0, 0, lambda x: 0)
    return Error(sd**2, sd * sqrt(2 / np.pi), 0, lambda x: erfc(x / sd / sqrt(2)))


def laplaces(number: int, scale: float) -> Error:
    """A sum of Laplace variables, as a difference of Gamma variables, by quadrature."""
    points, weights = roots_genlaguerre(60, number - 1)
    weights = weights / weights.sum()

    def beyond(x: float) -> float:
        return float(2 * weights @ gammaincc(number, x / scale + points))

    return Error(
        2 * number * scale**2, scale * 2 * number * comb(2 * number, number) / 4**number, 0, beyond
    )


def listed(values: Sequence[float], masses: Sequence[float]) -> Error:
    """An error with some values."""
    pairs = list(zip(values, masses, strict=True))
    return Error(
        sum(m * v * v for v, m in pairs),
        sum(m * abs(v) for v, m in pairs),
        sum(m * v for v, m in pairs),
        lambda x: sum(m for v, m in pairs if abs(v) > x),
    )


def wholes(number: int, mass: Callable[[int], float]) -> Error:
    """A sum of variables on the integers from -80 to 80, by convolution."""
    one = np.array([mass(k) for k in range(-80, 81)])
    one /= one.sum()
    law = one
    for _ in range(number - 1):
        law = np.convolve(law, one)
    reach = len(law) // 2
    return listed(range(-reach, reach + 1), law.tolist())


def discrete_gaussians(number: int, sigma_squared: float) -> Error:
    """A sum of discrete Gaussian variables."""
    return wholes(number, lambda k: exp(-k * k / 2 / sigma_squared))


def discrete_laplaces(number: int, scale: float) -> Error:
    """A sum of discrete Laplace variables."""
    return wholes(number, lambda k: exp(-abs(k) / scale))


def projected(sums: Sequence[Sequence[int]], rows: Sequence[Sequence[int]], sigma: float) -> Any:
    """Variances of sums of Gaussian noise, projected on the null space of rows, densely."""
    noise = np.eye(len(sums[0]))
    if rows:
        matrix = np.array(rows, dtype=float)
        noise = noise - np.linalg.pinv(matrix) @ matrix
    covariance = sigma**2 * noise @ noise.T
    return [float(np.array(s) @ covariance @ np.array(s)) for s in sums]


def of_margin(
    cells: Sequence[Cell],
    true: Sequence[int],
    by: Sequence[int],
    error_of: Callable[[list[int]], Error],
) -> dict[str, Any]:
    """All numbers of one margin.

    Args:
        by: the places of its attributes.
        error_of: the error of the sum of some cells, by their places.
    """
    groups = sorted({tuple(cell[p] for p in by) for cell in cells})
    members = [
        [at for at, cell in enumerate(cells) if tuple(cell[p] for p in by) == group]
        for group in groups
    ]
    counts = [sum(true[at] for at in inside) for inside in members]
    errors = [error_of(inside) for inside in members]
    number = len(groups)
    positive = [at for at in range(number) if counts[at] > 0]
    zeros = [at for at in range(number) if counts[at] == 0]
    sizes = []
    for digits in range(1, 8):
        inside = [at for at in positive if len(str(counts[at])) == digits]
        if inside:
            relative = sum(errors[at].absolute / counts[at] for at in inside) / len(inside)
            sizes.append((10 ** (digits - 1), 10**digits - 1, len(inside), relative))
    smallest = []
    for place, p in enumerate(by):
        levels = sorted({cell[p] for cell in cells})
        total = {v: sum(t for t, c in zip(true, cells, strict=True) if c[p] == v) for v in levels}
        least = min(levels, key=lambda level: (total[level], level))
        mine = [errors[at].bias for at, group in enumerate(groups) if group[place] == least]
        smallest.append((p, least, sum(mine) / len(mine)))
    return {
        "counts": number,
        "standard_deviation": sqrt(sum(error.square for error in errors) / number),
        "mean_absolute_error": sum(error.absolute for error in errors) / number,
        "beyond": lambda x: sum(error.beyond(x) for error in errors) / number,
        "sizes": sizes,
        "above_10_percent": (
            sum(errors[at].beyond(counts[at] / 10) for at in positive) / len(positive)
            if positive
            else None
        ),
        "zeros": sum(errors[at].bias for at in zeros) / len(zeros) if zeros else None,
        "smallest": smallest,
    }
