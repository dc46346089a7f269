"""The law of a sum of many independent losses, by fast Fourier transforms with a bounded error.

Errors. (1) Every number that a transform of length N = 2^m returns is a sum of the inputs, each
times at most m rounded twiddle factors and passed through at most m rounded additions; so it is
off by at most (1 + 8 u)^m - 1 times the sum of the inputs' sizes, of which a probability vector
has 1. (Higham, Accuracy and Stability of Numerical Algorithms, Theorem 24.2, has 6.7 u a level in
the Euclidean norm; 8 u covers twiddle factors within 2 u.) (2) The weights that go in are wrong by
a bounded sum of absolute values, which bounds every value of their transform. (3) A product of
powers with |X_i| known within e_i is known within
U min(1, sum k_i e_i / (|X_i| + e_i)), U = prod (|X_i| + e_i)^k_i. (4) A complex product is rounded
by at most sqrt(5) u (Brent, Percival and Zimmermann 2007). (5) The inverse transform averages: all
of this enters the result with its mean over the frequencies, and is rounded once more by (1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from semiaudit.privacy.loss.rounding import Tilted
from semiaudit.privacy.loss.sources import UNIT, Floats

Spectrum = NDArray[np.complex128]

_PRODUCT = 2.25 * UNIT
_SILENT = -80.0
"""Frequencies at which the product is certified below exp(-80) are not followed further."""

_DIRECT = 2
_MATRIX = 1 << 20
"""Up to so many terms for each point of the window, and in all, sums are taken directly."""


@dataclass(frozen=True, slots=True)
class Convolved:
    """The tilted law of the sum, folded onto ``length`` points.

    Attributes:
        weights: entry i is the weight of the points congruent to ``start`` + i, shape (length,).
        start: the first point of the window.
        error: bound on the absolute error of every entry.
    """

    weights: Floats
    start: int
    error: float


def transform_error(length: int) -> float:
    """Bound on the error of each output of a transform, for inputs of sizes that sum to 1."""
    return 8.5 * UNIT * max(length.bit_length() - 1, 1)


def convolve(parts: Sequence[tuple[Tilted, int]], start: int, length: int) -> Convolved:
    """The folded law of the sum of the parts, each taken as often as it says.

    Args:
        parts: tilted weights, and how often each occurs.
        start: the first point of the window that is wanted.
        length: of the window, a power of two.
    """
    frequencies = np.arange(length // 2 + 1)
    spectrum = np.ones(length // 2 + 1, dtype=np.complex128)
    log_size = np.zeros(length // 2 + 1)
    relative = np.zeros(length // 2 + 1)
    shift = 0
    for tilted, repeat in sorted(parts, key=lambda part: -part[1] * part[0].variance):
        own, error = _transform(tilted, frequencies, length)
        size = np.abs(own) + error
        log_size += repeat * np.log(size)
        relative += repeat * (error / size + _PRODUCT)
        shift += repeat * tilted.first
        active = log_size > _SILENT
        if not active.all():
            frequencies, spectrum, own = frequencies[active], spectrum[active], own[active]
            log_size, relative = log_size[active], relative[active]
        spectrum *= _power(own, repeat)
    # The logarithms and the exponential are rounded as well: some u times their size.
    bound = np.exp(log_size * (1 - 16 * UNIT * len(parts))) * np.minimum(1.0, 1.01 * relative)
    total = 2 * float(np.abs(spectrum).sum() + bound.sum()) / length
    error = 2 * float(bound.sum()) / length + transform_error(length) * total
    whole = np.zeros(length // 2 + 1, dtype=np.complex128)
    whole[frequencies] = spectrum
    weights = np.roll(scipy.fft.irfft(whole, n=length), (shift - start) % length)
    return Convolved(np.maximum(weights, 0.0), start, 1.01 * (error + math.exp(_SILENT)))


def _transform(
    tilted: Tilted, frequencies: NDArray[np.int64], length: int
) -> tuple[Spectrum, float]:
    """Values at some frequencies, and a bound on the error of each.

    Few values are summed directly: every term is off by at most 16 u of its weight, and n terms
    are added.
    """
    points = (tilted.points - tilted.first) % length
    count = len(frequencies)
    known = 1.01 * float(tilted.errors.sum()) + 4 * UNIT
    if count * len(points) > min(_DIRECT * length, _MATRIX):
        weights = np.bincount(points, weights=tilted.weights, minlength=length)
        # Weights of one point are added one by one.
        known += UNIT * int(np.bincount(points).max())
        return scipy.fft.rfft(weights)[frequencies], known + 1.01 * transform_error(length)
    turns = (frequencies[:, None] * points[None, :]) % length
    angle = (-2 * math.pi / length) * turns
    values = np.cos(angle) @ tilted.weights + 1j * (np.sin(angle) @ tilted.weights)
    return values, known + UNIT * (16 + 2 * len(points))


def _power(base: Spectrum, exponent: int) -> Spectrum:
    """By repeated squaring: fewer products than ``exponent``, whatever their order."""
    result: Spectrum | None = None
    while True:
        if exponent & 1:
            result = base.copy() if result is None else result * base
        exponent >>= 1
        if not exponent:
            break
        base = base * base
    assert result is not None
    return result
