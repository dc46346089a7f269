"""Characteristic functions of very many parts at once: their values, and a bound of their product.

Matrices. The values of many short parts at the same frequencies are one matrix product: all turns
once, times a column of weights for each part. A sum of n terms, in any order, is
off by at most n u in each component. Where all points of a window are wanted, short parts are
convolved before they are transformed.

Moments. With D the difference of two independent points of a part, |phi(a)|^2 = E cos(a D), and
1 - cos y >= y^2 / 2 - y^4 / 24. So with v the variance of a point and m = E D^4

    |phi(a)|^2 <= 1 - a^2 v + a^4 m / 24,

which falls as long as a^2 <= 12 v / m. Where a part's weights are known within e in all, its own
|phi| is at most sqrt(1 - f) + e <= exp(-f / 2 + 1.65 e), f = a^2 v - a^4 m / 24 <= 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from semiaudit.privacy.loss.laws.rounding import Tilted
from semiaudit.privacy.loss.laws.spectrum import (
    Integers,
    Spectrum,
    turning,
    values_at,
    weight_error,
)
from semiaudit.privacy.loss.sources.source import RAISED, UNIT, Floats

SHORT = 2048
"""Parts that span at most so many points are taken together."""

_FEWEST = 16
"""Fewer short parts are taken one by one."""

_JOINED = 512
"""Parts that span at most so many points are convolved directly, one after another."""

_PRODUCTS = 1 << 18
"""A convolution of more products than this costs as much as a transform."""

_TINY = 1e-250
"""A weight below it, and what its products amount to, is nothing beside other errors; added to the
bounds of all entries."""

_COLUMNS = 256
"""So many parts at once: the matrix of their weights stays small."""

_ROWS = 512
"""So many frequencies at once, likewise."""

_GROWTH = 1.65
"""exp(1/2), rounded up."""

_LOWERED, _WIDENED = 0.999, 1.01
"""What moments are multiplied by: far more than their rounding, to the safe side."""


def values_of_all(
    parts: Sequence[tuple[Tilted, int]], frequencies: Integers, length: int
) -> Iterator[tuple[Tilted, int, Spectrum, float]]:
    """Each part with its repeats, its values at the frequencies, and a bound on their errors."""
    short = [part for part in parts if part[0].last - part[0].first < SHORT]
    if len(short) < _FEWEST:
        for tilted, repeat in parts:
            yield tilted, repeat, *values_at(tilted, frequencies, length)
        return
    for tilted, repeat in parts:
        if tilted.last - tilted.first >= SHORT:
            yield tilted, repeat, *values_at(tilted, frequencies, length)
    short.sort(key=lambda part: part[0].last - part[0].first)
    for place in range(0, len(short), _COLUMNS):
        run = short[place : place + _COLUMNS]
        values, errors = _side_by_side([tilted for tilted, _ in run], frequencies, length)
        for column, (tilted, repeat) in enumerate(run):
            yield tilted, repeat, values[:, column], errors[column]


def _side_by_side(
    run: Sequence[Tilted], frequencies: Integers, length: int
) -> tuple[Spectrum, list[float]]:
    span = max(tilted.last - tilted.first for tilted in run) + 1
    table = np.zeros((span, len(run)))
    errors = []
    for column, tilted in enumerate(run):
        points = tilted.points - tilted.first
        counts = np.bincount(points)
        table[:, column] = np.bincount(points, weights=tilted.weights, minlength=span)
        # 8 u for a turn, span u a component for the sum, and the weights of one point.
        errors.append(weight_error(tilted) + UNIT * (64 + 2 * span + int(counts.max())))
    found = np.empty((len(frequencies), len(run)), dtype=np.complex128)
    for start in range(0, len(frequencies), _ROWS):
        turns = turning(frequencies[start : start + _ROWS], np.arange(span), length)
        found.real[start : start + _ROWS] = turns.real @ table
        found.imag[start : start + _ROWS] = turns.imag @ table
    return found, errors


def log_bound_of_moments(parts: Sequence[tuple[Tilted, int]], angles: Floats) -> Floats:
    """ln of a bound on the product's size, from each angle to the next one.

    Args:
        parts: tilted weights, and how often each occurs.
        angles: rising from 0, shape (n + 1,).

    Returns:
        Of shape (n,). A part counts where its bound still falls.
    """
    spread = [part for part in parts if part[0].variance > 0]
    variances = _LOWERED * np.array([tilted.variance for tilted, _ in spread])
    fourths = _WIDENED * np.array([_fourth(tilted) for tilted, _ in spread])
    repeats = np.array([float(repeat) for _, repeat in spread])
    known = sum(repeat * weight_error(tilted) for tilted, repeat in parts)
    reach = np.sqrt(12 * variances / fourths)
    ranks = np.argsort(reach)
    squares = _from_the_end(repeats * variances, ranks)
    quartics = _from_the_end(repeats * fourths, ranks)
    place = np.searchsorted(reach[ranks], angles[1:])
    start = angles[:-1]
    found: Floats = start**4 * quartics[place] / 48 - start**2 * squares[place] / 2
    return np.minimum(found, 0.0) + _GROWTH * known


def _fourth(tilted: Tilted) -> float:
    """E D^4 of two independent points: twice the fourth central moment, and 6 variances^2."""
    distance = (tilted.points - tilted.mean) ** 2
    return 2 * float(tilted.weights @ distance**2) + 6 * tilted.variance**2


def _from_the_end(values: Floats, ranks: Integers) -> Floats:
    """Sums of the ranked values from each place on, and 0 behind the last."""
    return np.append(np.cumsum(values[ranks][::-1])[::-1], 0.0)


def joined(parts: Sequence[tuple[Tilted, int]]) -> Sequence[tuple[Tilted, int]]:
    """The parts with short ones that occur equally often convolved, so that fewer are transformed.

    Of what results only the points and their weights mean anything.

    Rounding: an entry is a sum of n positive products or fewer, so it is rounded by a relative
    (n + 1) u beside the relative errors of both; ``_TINY`` covers what underflows.
    """
    short = [part for part in parts if part[0].last - part[0].first < _JOINED]
    if len(short) < _FEWEST:
        return parts
    found = [part for part in parts if part[0].last - part[0].first >= _JOINED]
    by_repeat: dict[int, list[Tilted]] = {}
    for tilted, repeat in short:
        by_repeat.setdefault(repeat, []).append(tilted)
    for repeat, run in by_repeat.items():
        run.sort(key=lambda tilted: tilted.last - tilted.first)
        sums = run[0]
        for tilted in run[1:]:
            if (sums.last - sums.first) * (tilted.last - tilted.first) >= _PRODUCTS:
                found.append((sums, repeat))
                sums = tilted
            else:
                sums = _sum_of(sums, tilted)
        found.append((sums, repeat))
    return found


def _sum_of(left: Tilted, right: Tilted) -> Tilted:
    (a, a_error), (b, b_error) = _dense(left), _dense(right)
    weights = np.convolve(a, b)
    relative = a_error + b_error + a_error * b_error + UNIT * (min(len(a), len(b)) + 2)
    return Tilted(
        left.first + right.first + np.arange(len(weights)),
        weights,
        RAISED * relative * weights + _TINY,
        left.log_total + right.log_total,
        math.inf,
        left.loss_error + right.loss_error,
        left.mean + right.mean,
        left.variance + right.variance,
    )


def _dense(tilted: Tilted) -> tuple[Floats, float]:
    """The weight of every point, and a bound on the relative error of those that are not tiny."""
    points = tilted.points - tilted.first
    weights = np.bincount(points, weights=tilted.weights)
    errors = np.bincount(points, weights=tilted.errors)
    told = weights > _TINY
    added = UNIT * int(np.bincount(points).max())
    return weights, float((errors[told] / weights[told]).max()) + added
