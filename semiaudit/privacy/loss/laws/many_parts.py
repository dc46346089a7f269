"""Characteristic functions of very many parts at once: their values, and a bound of their product.

Matrices. The values of many short parts at the same frequencies are one matrix product: all
rotations once, times a column of weights for each part. A sum of n terms, in any order, is off by
at most n u in each component. Where all points of a window are wanted, short parts are convolved
before they are transformed.

Moments. With D the difference of two independent points of a part, |phi(a)|^2 = E cos(a D), and
1 - cos y >= y^2 / 2 - y^4 / 24. So with v the variance of a point and m = E D^4

    |phi(a)|^2 <= 1 - a^2 v + a^4 m / 24,

which decreases while a^2 <= 12 v / m. If a part's weights have a total error of at most e, its own
|phi| is at most sqrt(1 - f) + e <= exp(-f / 2 + 1.65 e), f = a^2 v - a^4 m / 24 <= 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.privacy.loss.laws.rounding import Tilted
from semiaudit.privacy.loss.laws.spectrum import (
    Integers,
    Spectrum,
    SpectrumProduct,
    turning,
    values_at,
    weight_error,
)
from semiaudit.privacy.loss.sources.loss_source import RAISED, UNDERFLOW, UNIT, Floats

SHORT = 2048
"""Parts that span at most this many points are processed together."""

_FEWEST = 16
"""Fewer short parts are processed one by one."""

_JOINED = 512
"""Parts that span at most this many points are convolved directly, one after another."""

_PRODUCTS = 1 << 18
"""A convolution of more products than this costs as much as a transform."""

_TINY = 1e-290
"""A weight below it is negligible compared with other errors."""

_WHOLE = 1.001
"""An upper bound on the sum of weights that add up to 1 except for rounding."""

_COLUMNS = 256
"""Parts that are summed in one step: the matrix of their weights stays small."""

_SMALL = 1e-3
"""If values are known within this, the product of any number of them does not overflow."""

_ROWS = 512
"""Frequencies that are summed in one step: the matrix of their weights stays small."""

_GROWTH = 1.65
"""exp(1/2), rounded up."""

_LOWERED, _WIDENED = 0.999, 1.01
"""Factors for moments that exceed their rounding by far, to the safe side."""


def product_of_all(
    parts: Sequence[tuple[Tilted, int]], frequencies: Integers, length: int
) -> SpectrumProduct:
    """Return the product of all parts' values at the frequencies, with repetitions."""
    product = SpectrumProduct(frequencies)
    short = [part for part in parts if part[0].last - part[0].first < SHORT]
    if len(short) < _FEWEST:
        short = []
    together = {id(tilted) for tilted, _ in short}
    for tilted, repeat in parts:
        if id(tilted) not in together:
            deadline.check()
            product.multiply(*values_at(tilted, frequencies, length), repeat)
    short.sort(key=lambda part: part[0].last - part[0].first)
    for place in range(0, len(short), _COLUMNS):
        deadline.check()
        run = short[place : place + _COLUMNS]
        values, errors = _side_by_side([tilted for tilted, _ in run], frequencies, length)
        repeats = [repeat for _, repeat in run]
        once = [at for at, repeat in enumerate(repeats) if repeat == 1 and errors[at] < _SMALL]
        product.multiply_once(values[:, once], np.array([errors[at] for at in once]))
        for at in sorted(set(range(len(run))) - set(once)):
            product.multiply(values[:, at], errors[at], repeats[at])
    return product


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
    values = np.empty((len(frequencies), len(run)), dtype=np.complex128)
    for start in range(0, len(frequencies), _ROWS):
        turns = turning(frequencies[start : start + _ROWS], np.arange(span), length)
        values.real[start : start + _ROWS] = turns.real @ table
        values.imag[start : start + _ROWS] = turns.imag @ table
    return values, errors


def log_bound_of_moments(parts: Sequence[tuple[Tilted, int]], angles: Floats) -> Floats:
    """Return ln of a bound on the product's size, from each angle to the next one.

    Args:
        parts: tilted weights, and how often each occurs.
        angles: rising from 0, shape (n + 1,).

    Returns:
        Shape (n,). A part contributes while its bound decreases.
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
    bound: Floats = start**4 * quartics[place] / 48 - start**2 * squares[place] / 2
    return np.minimum(bound, 0.0) + _GROWTH * known


def _fourth(tilted: Tilted) -> float:
    """Return E D^4 of two independent points: 2 fourth central moments plus 6 variances^2."""
    distance = (tilted.points - tilted.mean) ** 2
    return 2 * float(tilted.weights @ distance**2) + 6 * tilted.variance**2


def _from_the_end(values: Floats, ranks: Integers) -> Floats:
    """Return sums of the ranked values from each place on, and 0 after the last."""
    return np.append(np.cumsum(values[ranks][::-1])[::-1], 0.0)


@dataclass(frozen=True, slots=True)
class _Sum:
    """Weights of neighboring points, each with a relative error and an absolute error.

    Attributes:
        first: the point of the first weight.
        variance: an estimate.
    """

    weights: Floats
    first: int
    relative: float
    absolute: float
    variance: float

    @classmethod
    def of(cls, tilted: Tilted) -> _Sum:
        points = tilted.points - tilted.first
        counts = np.bincount(points)
        weights: Floats = np.bincount(points, weights=tilted.weights).astype(np.float64)
        absolute = _TINY * int(counts.max())
        beyond = np.maximum(np.bincount(points, weights=tilted.errors) - absolute, 0.0)
        relative = float((beyond / np.maximum(weights, _TINY)).max())
        added = UNIT * (int(counts.max()) + 4)
        return cls(weights, tilted.first, relative + added, absolute, tilted.variance)

    def plus(self, other: _Sum) -> _Sum:
        """Convolve two sums; an entry adds at most n positive products, rounded n + 1 times."""
        weights = np.convolve(self.weights, other.weights)
        rounded = UNIT * (min(len(self.weights), len(other.weights)) + 2)
        both = self.relative + other.relative + self.relative * other.relative
        # The weights of each sum add up to 1, except for their errors.
        absolute = _WHOLE * (self.absolute + other.absolute) + UNDERFLOW
        variance = self.variance + other.variance
        return _Sum(weights, self.first + other.first, both + rounded, absolute, variance)

    @property
    def tilted(self) -> Tilted:
        """Return the sum as a part, without its losses and its divisor."""
        points = self.first + np.arange(len(self.weights))
        errors = RAISED * (self.relative * self.weights + self.absolute)
        mean = float(self.weights @ points)
        return Tilted(points, self.weights, errors, math.nan, math.inf, 0.0, mean, self.variance)


def joined(parts: Sequence[tuple[Tilted, int]]) -> Sequence[tuple[Tilted, int]]:
    """Convolve short parts that occur equally often, so that fewer parts are transformed.

    Only the points and the weights of the results are meaningful.
    """
    short = [part for part in parts if part[0].last - part[0].first < _JOINED]
    if len(short) < _FEWEST:
        return parts
    kept = [part for part in parts if part[0].last - part[0].first >= _JOINED]
    by_repeat: dict[int, list[_Sum]] = {}
    for tilted, repeat in short:
        by_repeat.setdefault(repeat, []).append(_Sum.of(tilted))
    for repeat, run in by_repeat.items():
        run.sort(key=lambda part: len(part.weights))
        total = run[0]
        for part in run[1:]:
            if len(total.weights) * len(part.weights) >= _PRODUCTS:
                kept.append((total.tilted, repeat))
                total = part
            else:
                total = total.plus(part)
        kept.append((total.tilted, repeat))
    return kept
