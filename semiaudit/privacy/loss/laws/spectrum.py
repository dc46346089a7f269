"""Products of characteristic functions at the frequencies of a circle, with error bounds.

The circle has ``length`` points; its frequency f is the angle 2 pi f / length, and a law has there
the value sum of w_p exp(-i angle p).

Errors. (1) Every number that a transform of length N = 2^m returns is a sum of the inputs, each
times at most m rounded twiddle factors and passed through at most m rounded additions; so it is
off by at most (1 + 8 u)^m - 1 times the sum of the inputs' sizes, of which a probability vector
has 1. (Higham, Accuracy and Stability of Numerical Algorithms, Theorem 24.2, has 6.7 u a level in
the Euclidean norm; 8 u covers twiddle factors within 2 u.) (2) The weights that go in are wrong by
a bounded sum of absolute values, which bounds every value of their transform. (3) A product of
powers with |X_i| known within e_i is known within
U min(1, sum k_i e_i / (|X_i| + e_i)), U = prod (|X_i| + e_i)^k_i, since it is off by at most
U - prod |X_i|^k_i. (4) A complex product is rounded
by at most sqrt(5) u (Brent, Percival and Zimmermann 2007).
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from semiaudit.privacy.loss.laws.rounding import Tilted
from semiaudit.privacy.loss.sources.loss_source import RAISED, UNIT, Floats

Spectrum = NDArray[np.complex128]
Integers = NDArray[np.int64]

_PRODUCT = 2.25 * UNIT
"""More than the relative rounding sqrt(5) u of a complex product."""
_FEW_POINTS = 256
"""Pieces of up to this many points are summed term by term."""
_BLOCK = 32
_LEVELS = 3
_PIECE = _BLOCK**_LEVELS
"""Neighbors that are summed in three levels of blocks of 32."""
_OVERFLOWS = 600.0
"""A value whose bound exceeds exp(600) may overflow."""
_LISTED, _REUSED = 1 << 18, 64
"""Up to this length, all turns of a circle are tabulated, if a call takes at least 1 of 64."""
_AT_ONCE = 512
"""Frequencies that are summed in one step: their sums stay in the processor's cache."""


class SpectrumProduct:
    """The product of X_i^k_i at some frequencies, with a bound on the error of each value.

    Attributes:
        frequencies: those not yet dropped, shape (n,). values: of the product there.
        log_size: logarithm of a bound on the size of each value.
    """

    def __init__(self, frequencies: Integers) -> None:
        self.frequencies = frequencies
        self.values: Spectrum = np.ones(len(frequencies), dtype=np.complex128)
        self.log_size: Floats = np.zeros(len(frequencies))
        self._relative: Floats = np.zeros(len(frequencies))
        self._factors = 0

    def multiply(self, own: Spectrum, error: float, repeat: int, silent: float = -math.inf) -> None:
        """Multiply by a factor that is known within ``error``, raised to the power ``repeat``.

        Frequencies at which the product is certified not to exceed exp(silent) are dropped. A value
        that can overflow counts as 0, with an infinite bound.
        """
        # Rounded at a size of about 1, so by some u, which a power multiplies.
        size = np.abs(own) + error + 8 * UNIT
        self.log_size = self.log_size + repeat * np.log(size)
        self._relative = self._relative + repeat * (error / size + _PRODUCT)
        self._factors += 1
        # Further factors have characteristic functions of at most 1, so dropped frequencies stay
        # negligible.
        active = self.log_size > silent
        if not active.all():
            own, self.frequencies = own[active], self.frequencies[active]
            self.values, self.log_size = self.values[active], self.log_size[active]
            self._relative = self._relative[active]
        with np.errstate(over="ignore", invalid="ignore"):
            self.values = self.values * _power(own, repeat)
        overflows = self.log_size > _OVERFLOWS
        self.values[overflows], self.log_size[overflows] = 0.0, math.inf

    def multiply_once(self, own: Spectrum, errors: Floats) -> None:
        """Multiply by several factors, each once, and drop no frequency.

        Args:
            own: frequencies x factors.
            errors: bounds on the errors of the values of each factor, so small that no product
                overflows.
        """
        size = np.abs(own) + errors + 8 * UNIT
        self.log_size = self.log_size + np.log(size).sum(axis=1)
        self._relative = self._relative + (errors / size + _PRODUCT).sum(axis=1)
        self._factors += own.shape[1]
        self.values = self.values * np.multiply.reduce(own, axis=1)

    def bound(self) -> Floats:
        """Return the bound on the absolute error of every value."""
        # The logarithms and the exponential are rounded too: some u times their size.
        size = np.exp(self.log_size + 16 * UNIT * self._factors * np.abs(self.log_size))
        bound: Floats = RAISED * size * np.minimum(1.0, self._relative)
        return bound


def transform_error(length: int) -> float:
    """Bound on the error of each output of a transform, for inputs of sizes that sum to 1."""
    return 8.5 * UNIT * max(length.bit_length() - 1, 1)


def weight_error(tilted: Tilted) -> float:
    """Bound the effect of the errors of the weights on any value of their transform."""
    return RAISED * tilted.error_sum + 4 * UNIT


def transformed(tilted: Tilted, length: int) -> tuple[Spectrum, float]:
    """Return the values at the frequencies 0 to length / 2, and a bound on the error of each."""
    points = (tilted.points - tilted.first) % length
    weights = np.bincount(points, weights=tilted.weights, minlength=length)
    # Weights of one point are added one by one.
    added = UNIT * int(np.bincount(points).max())
    return scipy.fft.rfft(weights), weight_error(tilted) + added + RAISED * transform_error(length)


def values_at(tilted: Tilted, frequencies: Integers, length: int) -> tuple[Spectrum, float]:
    """Return the values at some frequencies, and a bound on the error of each.

    Angles are reduced in integers, so that each factor is off by at most 8 u. The points are cut
    into pieces of ``_PIECE`` neighbors, empty ones left out. A piece with few points is summed in
    pairs, one with many in blocks of ``_BLOCK`` neighbors, the sums of blocks in blocks again, and
    so on. A level rotates its terms and adds them, in any order: 8 u for the factors, 2.25 u for
    the products, and _BLOCK u for each component. Pairwise sums of any number of terms are as
    precise as a level.
    """
    points = tilted.points - tilted.first
    ranks = np.argsort(points, kind="stable")
    points, weights = points[ranks], tilted.weights[ranks]
    places = points // _PIECE
    cuts = [0, *(np.flatnonzero(np.diff(places)) + 1).tolist(), len(points)]
    pieces = [(points[i:j] - places[i] * _PIECE, weights[i:j]) for i, j in pairwise(cuts)]
    firsts = places[cuts[:-1]] * _PIECE
    rows = []
    for group in np.array_split(frequencies, -(-len(frequencies) // _AT_ONCE) or 1):
        sums = np.stack([_piece(*piece, group, length) for piece in pieces], axis=1)
        rows.append((sums * turning(group, firsts, length)).sum(axis=1))
    # A single piece that begins at 0 is turned by 1 and added to nothing.
    levels = max(_levels(piece) for piece, _ in pieces) + bool(len(pieces) > 1 or firsts[0])
    added = 64 * levels + max(int(np.bincount(piece).max()) for piece, _ in pieces)
    return np.concatenate(rows), weight_error(tilted) + UNIT * added


def terms_of(tilted: Tilted) -> int:
    """Estimate the number of terms that one value of a transform costs."""
    return min(len(tilted.points), 2 * _BLOCK + (tilted.last - tilted.first) // _BLOCK)


def _levels(points: Integers) -> int:
    levels, blocks = 1, int(points[-1]) // _BLOCK + 1
    while len(points) > _FEW_POINTS and blocks > 1:
        levels, blocks = levels + 1, -(-blocks // _BLOCK)
    return levels


def _piece(points: Integers, weights: Floats, frequencies: Integers, length: int) -> Spectrum:
    if len(points) <= _FEW_POINTS:
        few: Spectrum = (turning(frequencies, points, length) * weights).sum(axis=1)
        return few
    rows = int(points[-1]) // _BLOCK + 1
    table = np.bincount(points, weights=weights, minlength=rows * _BLOCK).reshape(rows, _BLOCK).T
    within = turning(frequencies, np.arange(_BLOCK), length)
    sums: Spectrum = (within.real @ table) + 1j * (within.imag @ table)
    stride = _BLOCK
    while sums.shape[1] > 1:
        blocks = -(-sums.shape[1] // _BLOCK)
        filled = np.zeros((len(frequencies), blocks * _BLOCK), dtype=np.complex128)
        filled[:, : sums.shape[1]] = sums
        sums = filled.reshape(len(frequencies), blocks, _BLOCK)
        turned = turning(frequencies, stride * np.arange(_BLOCK), length)
        sums = (sums @ turned[:, :, None])[:, :, 0]
        stride *= _BLOCK
    spectrum: Spectrum = sums[:, 0]
    return spectrum


def turning(frequencies: Integers, points: Integers, length: int) -> Spectrum:
    """exp(-2 pi i f p / length) for every frequency (rows) and point (columns).

    Args:
        length: a power of two.
    """
    turns = (frequencies[:, None] * (points & (length - 1))[None, :]) & (length - 1)
    if length <= _LISTED and length <= _REUSED * turns.size:
        turned: Spectrum = _all_turns(length)[turns]
        return turned
    return _turned(turns, length)


def _turned(turns: Integers, length: int) -> Spectrum:
    """exp(-2 pi i t / length) for turns t from 0 to length - 1; angles are below pi in size."""
    turns = np.where(turns > length // 2, turns - length, turns)
    angle = (-2 * math.pi / length) * turns
    phases = np.empty(angle.shape, dtype=np.complex128)
    np.cos(angle, out=phases.real)
    np.sin(angle, out=phases.imag)
    return phases


@lru_cache(maxsize=4)
def _all_turns(length: int) -> Spectrum:
    """``_turned`` for all turns: to look one up takes a fraction of the time."""
    return _turned(np.arange(length), length)


def _power(base: Spectrum, exponent: int) -> Spectrum:
    if exponent < 1:
        raise ValueError("a power is at least 1")
    while not exponent & 1:
        base, exponent = base * base, exponent >> 1
    result = base.copy()
    while exponent := exponent >> 1:
        base = base * base
        if exponent & 1:
            result = result * base
    return result
