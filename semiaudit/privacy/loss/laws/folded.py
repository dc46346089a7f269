"""The interface of a composed law: sums over a window of points, each with a bound on its error.

The law of a sum of many independent losses on every point of a window, by fast transforms.

In addition to the errors of ``spectrum``: the inverse transform averages, so that the errors at the
frequencies enter the result with their mean, and is rounded once more as any transform.

The law of a sum of many losses, from the few frequencies that matter.

The characteristic function of a sum of k losses is a k-th power. Away from frequency 0 it soon is
below any accuracy, so that only some hundred of the millions of frequencies of a fine grid matter.
The law is only summed against g(x) = exp(-t x) (1 - exp(-x)) or exp(-t x), cut off at a point, and
by Parseval's identity

    sum of w_p g(x_p) = 1/N sum over f of W(f) G(f),     G(f) = sum of g(x_p) exp(i angle_f p),

where G is a sum of geometric series. So neither the law nor g is ever listed.

Samples certify which frequencies matter. |phi|^2 of one part is sum w_p w_q cos(angle (p - q)); its
second derivative is at most 2 variances in size, so that between two samples it exceeds the larger
one by at most (distance^2 / 8) 2 variances. A transform of the part, folded onto a circle of
``count`` points, gives exact samples. A frequency that is left out changes a sum by |W G| / N at
most, and |G| is at most the total variation of g, which is twice its maximum, over |1 - exp(i
angle)| = 2 sin(angle / 2).

Rounding. With r_s = exp(-s step + i angle) and d_s = 1 - r_s, whose real part is a sum of positive
terms, each d_s is known to a few u, relatively. The series of exp(-t x) (1 - exp(-x)) from x on is
exp(-t x) (1 / d_t - exp(-x) / d_(t+1)), or, where that cancels, exp(-t x) n / (d_t d_(t+1)) with
n = (1 - exp(-x)) + r_t (exp(-x) - exp(-step)). Its error is taken from the sizes of its two terms.
The series that begins behind the window is subtracted.

Characteristic functions of very many parts at once: their values, and a bound of their product.

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
from typing import Protocol

import numpy as np
import scipy.fft

from semiaudit import deadline
from semiaudit.frozen import cached_property, dataclass
from semiaudit.privacy.loss.laws.rounding import Tilted
from semiaudit.privacy.loss.laws.spectrum import (
    Integers,
    Spectrum,
    SpectrumProduct,
    terms_of,
    transform_error,
    transformed,
    turning,
    values_at,
    weight_error,
)
from semiaudit.privacy.loss.sources.loss_source import (
    RAISED,
    UNDERFLOW,
    UNIT,
    Floats,
    TooLong,
    highest,
)

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
    joinable = [part for part in parts if part[0].last - part[0].first >= _JOINED]
    by_repeat: dict[int, list[_Sum]] = {}
    for tilted, repeat in short:
        by_repeat.setdefault(repeat, []).append(_Sum.of(tilted))
    for repeat, run in by_repeat.items():
        run.sort(key=lambda part: len(part.weights))
        total = run[0]
        for part in run[1:]:
            if len(total.weights) * len(part.weights) >= _PRODUCTS:
                joinable.append((total.tilted, repeat))
                total = part
            else:
                total = total.plus(part)
        joinable.append((total.tilted, repeat))
    return joinable


_SHORTEST = 1 << 16
"""A shorter window is transformed as a whole: that is faster than to bound its frequencies."""
LONGEST = 1 << 32
"""The longest window: for longer ones, products of points and frequencies are not exact
integers."""

_SAMPLES = 64
_FEWEST_SAMPLES = 6
"""Samples on the circle for each standard deviation of the widest part: the target, and the
minimum. With few samples, the bound of one part is wide, and that of many parts is small anyway."""
_MOST_SAMPLES = 1 << 22
"""The most samples on the circle: the length of the longest window that is listed."""
_LEAST_OWN = 64.0
"""The least number of samples on the circle for a part with hardly any spread."""
_CELL, _CELLS = 64, 1 << 15
_LARGEST_CELL = 1024
"""The most frequencies for one sample: 64, or up to this if 64 would need more than 2^15
samples."""
_FACTORS = 8
"""Parts that are examined for the bound; if there are many more, some others and the moments of the
rest are used too."""
_MORE_FACTORS = 56
"""Further parts that are examined, evenly spaced: away from 0, moments do not bound anything."""
_MOST = 8192
"""The most frequencies that can matter: each tail is a sum over all of them."""
_POINTS = 256
"""If more than one frequency matters for this many points, transforms are as fast."""
_POINTS_AT_ONCE = 64
"""Tails that are summed in one step: a matrix of them has a row for each frequency."""
_TERMS = 1 << 25
"""The most terms that are summed for one part, over all frequencies."""
_OFTEN = 10**12
"""Logarithms of powers up to this one are precise enough."""
_ROUNDING = 128 * UNIT
"""An upper bound on the relative rounding of a geometric series of known terms."""
_NO_DECAY = 1e-200
"""A smaller rate does not decay in any window: the series is its number of terms."""
_LARGEST_SHARE, _SHARE, _NORMAL_SHARE = 0.5, 0.4, 0.8
"""Limits on the change of a sum by omitted frequencies, in units of the precision: at most 0.5, and
0.4 over the size of the sum, because a normal law's sum of exp(-d p) is about 0.4 / (spread d)."""


@dataclass(frozen=True)
class FewFrequencies:
    """See :class:`semiaudit.privacy.loss.laws.folded.FoldedLaw`.

    Attributes:
        shift: the point of the circle that the values count from.
        frequencies: the relevant ones above 0, shape (n,).
        values: of the characteristic function there. errors: bounds on their absolute errors.
        total: its value at frequency 0, and a bound on the error of that.
        omitted: the change of a sum whose g is at most 1, caused by the omitted frequencies.
    """

    start: int
    length: int
    shift: int
    frequencies: Integers
    values: Spectrum
    errors: Floats
    total: tuple[float, float]
    omitted: float

    @property
    def everywhere(self) -> bool:
        """Return False: each tail is a separate sum."""
        return False

    @cached_property
    def _angles(self) -> Floats:
        angles: Floats = (2 * math.pi / self.length) * self.frequencies.astype(np.float64)
        return angles

    def discounted(self, first: int, x: float, step: float, tilt: float) -> tuple[float, float]:
        """See :class:`semiaudit.privacy.loss.laws.folded.FoldedLaw`."""
        return self._discounted(first, x, step, tilt, self._complements(step, tilt))

    def _discounted(
        self, first: int, x: float, step: float, tilt: float, complements: tuple[Spectrum, Spectrum]
    ) -> tuple[float, float]:
        count = self.start + self.length - first
        if count <= 0:
            return 0.0, 0.0
        behind = x + step * count
        d_0, d_1 = complements
        here, here_size = _series(x, step, tilt, d_0, d_1)
        beyond, beyond_size = _series(behind, step, tilt, d_0, d_1)
        places = np.array([(first - self.shift) % self.length, count])
        turned = np.conj(turning(self.frequencies, places, self.length))
        series = turned[:, 0] * (here - turned[:, 1] * beyond)
        size = (np.abs(self.values) + self.errors) * (here_size + beyond_size)
        constant, constant_error = _constant(x, step, tilt, count)
        value, error = self.total
        total = value * constant + 2 * float((self.values * series).real.sum())
        wrong = error * constant + (value + error) * constant_error
        wrong += 2 * float((self.errors * np.abs(series)).sum() + _ROUNDING * size.sum())
        # The step can be a rounded rational, which moves x by u x.
        wrong = wrong / self.length + self.omitted * highest(tilt) + 4 * UNIT / (1 + tilt)
        return max(total / self.length, 0.0), RAISED * wrong

    def tails(self, firsts: Integers, x: Floats, step: float, tilt: float) -> tuple[Floats, Floats]:
        """See :class:`semiaudit.privacy.loss.laws.folded.FoldedLaw`."""
        counts = self.start + self.length - firsts
        rate = tilt * step
        d = self._complement(rate)
        ratio = self.values / d
        whole = np.conj(turning(self.frequencies, firsts - self.shift, self.length))
        last = np.conj(turning(self.frequencies, np.array([self.start - self.shift]), self.length))
        cut = np.exp(-rate * counts)
        sums = 2 * (ratio @ whole).real - 2 * cut * float((ratio * last[:, 0]).real.sum())
        constant = counts.astype(np.float64)
        if rate > _NO_DECAY:
            constant = np.expm1(-rate * counts) / math.expm1(-rate)
        value, error = self.total
        sums += value * constant
        size = (np.abs(self.values) + self.errors) / np.abs(d)
        terms = _ROUNDING + 4 * UNIT * len(self.frequencies)
        wrong = (error + _ROUNDING * value) * constant
        wrong += 4 * float((self.errors / np.abs(d)).sum() + terms * size.sum())
        scale = np.exp(-tilt * x)
        relative = _ROUNDING * (1 + np.abs(tilt * x))
        tails = np.maximum(sums, 0.0) * scale / self.length
        bound = scale * (wrong / self.length + self.omitted + 4 * UNIT)
        return tails, RAISED * (bound + relative * tails) + UNDERFLOW

    def tails_at(self, firsts: Integers, step: float, tilt: float) -> tuple[Floats, Floats]:
        """See :class:`semiaudit.privacy.loss.laws.folded.FoldedLaw`."""
        runs = np.array_split(firsts, -(-len(firsts) // _POINTS_AT_ONCE))
        tails = [self.tails(run, np.zeros(len(run)), step, tilt) for run in runs]
        return np.concatenate([f[0] for f in tails]), np.concatenate([f[1] for f in tails])

    def discounted_at(
        self, firsts: Integers, x: Floats, step: float, tilt: float
    ) -> tuple[Floats, Floats]:
        """See :class:`semiaudit.privacy.loss.laws.folded.FoldedLaw`."""
        places = zip(firsts.tolist(), x.tolist(), strict=True)
        both = self._complements(step, tilt)
        sums = np.array([self._discounted(*place, step, tilt, both) for place in places])
        return sums[:, 0], sums[:, 1]

    def _complements(self, step: float, tilt: float) -> tuple[Spectrum, Spectrum]:
        """Return the complements at both rates of ``discounted``: tilt and tilt + 1, times step."""
        return self._complement(tilt * step), self._complement((tilt + 1) * step)

    def _complement(self, rate: float) -> Spectrum:
        """1 - exp(-rate + i angle)."""
        shrink = math.exp(-rate)
        real = 2 * shrink * np.sin(self._angles / 2) ** 2 - math.expm1(-rate)
        spectrum: Spectrum = real - 1j * (shrink * np.sin(self._angles))
        return spectrum


def few_frequencies(
    parts: Sequence[tuple[Tilted, int]],
    start: int,
    length: int,
    decay: float,
    precision: float,
) -> FewFrequencies | None:
    """Compute the law, if few frequencies give the requested precision; else return None.

    Args:
        parts: tilted weights, and how often each occurs.
        start, length: the window, of a power of two of points.
        decay: tilt times step.
        precision: relative, of the sums with exp(-decay p) in a nearly normal law.
    """
    # Every None below is sound: the caller then convolves all points of the window, or refuses it.
    if not _SHORTEST <= length <= LONGEST or sum(repeat for _, repeat in parts) > _OFTEN:
        return None
    widest = math.sqrt(max(tilted.variance for tilted, _ in parts))
    least = max(_SAMPLES * widest, min(length // _CELL, _CELLS), length // _LARGEST_CELL)
    count = min(1 << min(math.ceil(math.log2(least)), length.bit_length() - 3), _MOST_SAMPLES)
    if count < _FEWEST_SAMPLES * widest:
        return None
    spread = math.sqrt(sum(repeat * tilted.variance for tilted, repeat in parts))
    normal = max(spread * -math.expm1(-decay), _NORMAL_SHARE)
    allowed = precision * min(_LARGEST_SHARE, _SHARE / normal)
    chosen = _chosen(_log_bounds(parts, count), length // count, length, allowed)
    if chosen is None:
        return None
    frequencies, omitted = chosen
    # Weights with a total error of e sum to at most 1 + e, which scales the omitted part.
    grown = sum(repeat * weight_error(tilted) for tilted, repeat in parts)
    if grown > 1:
        return None
    omitted *= math.exp(grown)
    if len(frequencies) * max(terms_of(tilted) for tilted, _ in parts) > _TERMS:
        return None
    product = product_of_all(parts, frequencies, length)
    # Position on the circle, as a small integer.
    shift = sum(repeat * tilted.first for tilted, repeat in parts) % length
    errors = product.bound()
    total = float(product.values[0].real), float(errors[0])
    return FewFrequencies(
        start, length, shift, frequencies[1:], product.values[1:], errors[1:], total, omitted
    )


def _log_bounds(parts: Sequence[tuple[Tilted, int]], count: int) -> Floats:
    """Bound ln |W| between each two of the ``count`` samples, over half of the circle.

    At any frequency between two samples, the square of one part exceeds the larger of the two
    samples by at most (pi / n)^2 variances, where n is the number of samples on the circle (see the
    module). Parts without a bound are at most 1.
    """
    bounds = np.zeros(count // 2)
    ranked = sorted(parts, key=lambda part: -part[1] * part[0].variance)
    sampled, others = ranked[:_FACTORS], ranked[_FACTORS:]
    if len(others) > _FACTORS:
        stride = -(-len(others) // _MORE_FACTORS)
        sampled += others[::stride]
        others = [part for place, part in enumerate(others) if place % stride]
        angles: Floats = (2 * math.pi / count) * np.arange(count // 2 + 1, dtype=np.float64)
        bounds += log_bound_of_moments(others, angles)
    for tilted, repeat in sampled:
        bounds += repeat * np.repeat(*_log_bound(tilted, repeat, count))
    return bounds


def _log_bound(tilted: Tilted, repeat: int, count: int) -> tuple[Floats, int]:
    """Return ln of a bound on one part between samples, and how many of ``count`` each covers.

    A part that spreads much less than the widest one, with all its repeats, is sampled on a circle
    of fewer points: as many samples to its own standard deviation bound it as well.
    """
    own = max(_SAMPLES * math.sqrt(min(repeat, count) * tilted.variance), _LEAST_OWN)
    fewer = min(1 << math.ceil(math.log2(min(own, count))), count)
    values, error = transformed(tilted, fewer)
    size = np.abs(values) + error
    square = np.maximum(size[:-1], size[1:]) ** 2
    square += 1.02 * (math.pi / fewer) ** 2 * tilted.variance
    return 0.5 * np.log(np.minimum(square, 1.0)), count // fewer


def _chosen(
    log_bounds: Floats, ratio: int, length: int, allowed: float
) -> tuple[Integers, float] | None:
    """Return the relevant frequencies and the effect of the others; None if there are too many.

    The cells with the smallest bounds are omitted while the sum of their bounds is allowed: the sum
    of the bounds is a bound on their sum.
    """
    cells = np.arange(1, len(log_bounds))
    share = np.exp(log_bounds[1:]) / np.sin((math.pi / (length // ratio)) * cells)
    share *= 2.02 * (ratio + 1) / length
    # Cells below the mean of what is allowed can all be left out: only the few others are sorted.
    larger = np.flatnonzero(share > allowed / max(len(share), 1))
    others = float(np.delete(share, larger).sum())
    ranks = larger[np.argsort(share[larger])]
    sums = others + np.cumsum(share[ranks])
    left_out = int(np.searchsorted(sums, allowed))
    omitted = float(sums[left_out - 1]) if left_out else others
    chosen = np.sort(np.append(cells[ranks[left_out:]], 0))
    if len(chosen) * ratio > min(_MOST, length // _POINTS) or chosen[-1] == len(log_bounds) - 1:
        return None
    frequencies: Integers = (chosen[:, None] * ratio + np.arange(ratio)).ravel()
    return frequencies, omitted


def _series(
    x: float, step: float, tilt: float, d_0: Spectrum, d_1: Spectrum
) -> tuple[Spectrum, Floats]:
    """Return the infinite series from x on, and the size of its terms."""
    scale = math.exp(-tilt * x)
    size_0, size_1 = np.abs(d_0), np.abs(d_1)
    if x > 2 * step:
        factor = math.exp(-x)
        size = scale * (1 + tilt * x) * (1 / size_0 + factor / size_1)
        return scale * (1 / d_0 - factor / d_1), size
    constant, slope = -math.expm1(-x), math.exp(-step) * math.expm1(step - x)
    size = scale * (1 + tilt * x) * (constant + abs(slope)) / (size_0 * size_1)
    return scale * (constant + slope * (1 - d_0)) / (d_0 * d_1), size


def _constant(x: float, step: float, tilt: float, count: int) -> tuple[float, float]:
    """Return the series of ``count`` terms at frequency 0, and a bound on its error."""
    rate = tilt * step
    if rate * count < 1:
        # The difference of two geometric series, the first of which is about ``count``.
        first = math.expm1(-rate * count) / math.expm1(-rate) if rate > _NO_DECAY else count
        second = math.expm1(-(tilt + 1) * step * count) / math.expm1(-(tilt + 1) * step)
        scale, factor = math.exp(-tilt * x), math.exp(-x)
        size = scale * (1 + tilt * x) * (first + factor * second)
        return scale * (first - factor * second), _ROUNDING * size
    d_0, d_1 = (
        np.array([-math.expm1(-rate * step)], dtype=np.complex128) for rate in (tilt, tilt + 1)
    )
    here, here_size = _series(x, step, tilt, d_0, d_1)
    beyond, beyond_size = _series(x + step * count, step, tilt, d_0, d_1)
    constant = float((here - beyond)[0].real)
    return constant, _ROUNDING * float((here_size + beyond_size)[0])


_SILENT = -80.0
"""Frequencies at which the product is certified below exp(-80) are not followed further; the error
of every entry counts that."""
_TO_EACH = 64
"""The frequencies are many if they are more than one for every 64 points of the window."""
_DIRECT = 2
_MATRIX = 1 << 20
"""Up to 2 terms for each point of the window, and 2^20 in total, sums are computed directly."""
_NEGLIGIBLE_NATS = 80.0
"""Points whose factor exp(-tilt x) is below exp(-80) are not summed; the error includes them."""


@dataclass(frozen=True, slots=True)
class Convolved:
    """See :class:`semiaudit.privacy.loss.laws.folded.FoldedLaw`.

    Attributes:
        weights: entry i is the weight of the points congruent to ``start`` + i, shape (length,).
        error: bound on the absolute error of every entry.
    """

    weights: Floats
    start: int
    error: float

    @property
    def length(self) -> int:
        """The length of the window."""
        return len(self.weights)

    @property
    def everywhere(self) -> bool:
        """Return True: tails from every point of the window cost no more than one."""
        return True

    def discounted(self, first: int, x: float, step: float, tilt: float) -> tuple[float, float]:
        """See :class:`semiaudit.privacy.loss.laws.folded.FoldedLaw`."""
        index = first - self.start
        count = self.length - index
        if count <= 0:
            return 0.0, 0.0
        if tilt * step * count > _NEGLIGIBLE_NATS:
            count = math.ceil(_NEGLIGIBLE_NATS / (tilt * step))
        kept = self.weights[index : index + count]
        distance = x + step * np.arange(len(kept), dtype=np.float64)
        shape = -np.expm1(-distance) * np.exp(-tilt * distance)
        product = kept * shape
        # ``sum`` adds in pairs, so that its error stays below 64 u of a sum of positive terms.
        total, moment = float(product.sum()), float((product * distance).sum())
        # Points that are left out weigh less than exp(-80).
        beyond = math.exp(-_NEGLIGIBLE_NATS)
        rounding = UNIT * (96 * total + 8 * tilt * moment) + beyond
        return total, rounding + self.error * (float(shape.sum()) + self.length * beyond)

    def tails(self, firsts: Integers, x: Floats, step: float, tilt: float) -> tuple[Floats, Floats]:
        """See :class:`semiaudit.privacy.loss.laws.folded.FoldedLaw`; for neighboring points."""
        index = int(firsts[0]) - self.start
        shape = np.exp(-tilt * x)
        sums = _suffix_sums(self.weights[index : index + len(firsts)] * shape)
        # Adding one by one is off by at most n u.
        added = 2 * UNIT * len(firsts)
        return sums, added * sums + _suffix_sums(shape) * (self.error * (1 + added)) + UNDERFLOW

    def tails_at(self, firsts: Integers, step: float, tilt: float) -> tuple[Floats, Floats]:
        """See :class:`semiaudit.privacy.loss.laws.folded.FoldedLaw`."""
        points, places = np.unique(firsts, return_inverse=True)
        (tails, errors), _ = self._running(points, step, tilt)
        return tails[places], errors[places]

    def discounted_at(
        self, firsts: Integers, x: Floats, step: float, tilt: float
    ) -> tuple[Floats, Floats]:
        """See :class:`semiaudit.privacy.loss.laws.folded.FoldedLaw`."""
        points, places = np.unique(firsts, return_inverse=True)
        running = np.array(self._running(points, step, tilt))[:, :, places]
        (tails, tail_errors), (gains, gain_errors) = running
        here, kept = -np.expm1(-x), np.exp(-x)
        scale = np.exp(-tilt * x)
        sums = scale * (kept * gains + here * tails)
        errors = scale * (kept * gain_errors + here * tail_errors)
        return sums, RAISED * errors + UNIT * (16 + 4 * tilt * x) * sums + UNDERFLOW

    def _running(
        self, firsts: Integers, step: float, tilt: float
    ) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """Sum w exp(-tilt d) and w exp(-tilt d) (1 - exp(-d)) from each point on, with errors.

        The window is summed once, in the pieces between neighboring points. With d = m + d' behind
        a piece of length m, 1 - exp(-d) = (1 - exp(-m)) + exp(-m) (1 - exp(-d')): the sums of a
        point follow from its piece and from those of the next point, all terms positive. So every
        term passes through one sum of a piece, and no more than a few roundings a piece. Factors
        below exp(-80) are known less well, and have a bound of their own.
        """
        starts = firsts - firsts[0]
        weights = self.weights[int(firsts[0]) - self.start :]
        lengths = np.diff(np.append(starts, len(weights)))
        places = np.arange(len(weights)) - np.repeat(starts, lengths)
        distance = step * places.astype(np.float64)
        shape = np.exp(-tilt * distance)
        gaining = shape * -np.expm1(-distance)
        pieces = np.stack([weights * shape, weights * gaining, shape, gaining])
        tails, gains, all_tails, all_gains = np.add.reduceat(pieces, starts, axis=1)
        moved = step * lengths[:-1].astype(np.float64)
        fall, lost = np.exp(-tilt * moved), -np.expm1(-moved)
        tails, gains = _from_behind(tails, gains, fall, lost)
        all_tails, all_gains = _from_behind(all_tails, all_gains, fall, lost)
        rounding = UNIT * (int(lengths.max()) + 8 * len(firsts) + 8 * _NEGLIGIBLE_NATS)
        beyond = 2 * math.exp(-_NEGLIGIBLE_NATS) + UNDERFLOW
        return (
            (tails, rounding * tails + RAISED * self.error * all_tails + beyond),
            (gains, rounding * gains + RAISED * self.error * all_gains + beyond),
        )


def convolve(parts: Sequence[tuple[Tilted, int]], start: int, length: int) -> Convolved:
    """Return the folded law of the sum of the parts, each with its number of repetitions.

    Args:
        parts: tilted weights, and how often each occurs.
        start: the first point of the requested window.
        length: of the window, a power of two.
    """
    if len(parts) == 1 and parts[0][1] == 1:
        return _listed(parts[0][0], start, length)
    parts = joined(parts)
    product = SpectrumProduct(np.arange(length // 2 + 1))
    shift = 0
    waiting = sorted(parts, key=lambda part: part[1] * part[0].variance)
    while waiting:
        deadline.check()
        followed = len(product.frequencies)
        tilted, repeat = waiting.pop(_next_of(waiting, many=followed > length // _TO_EACH))
        if followed * len(tilted.points) > min(_DIRECT * length, _MATRIX):
            own, error = transformed(tilted, length)
            own = own[product.frequencies] if followed < len(own) else own
        else:
            own, error = values_at(tilted, product.frequencies, length)
        product.multiply(own, error, repeat, _SILENT)
        shift += repeat * tilted.first
    bound = product.bound()
    total = 2 * float(np.abs(product.values).sum() + bound.sum()) / length
    error = 2 * float(bound.sum()) / length + transform_error(length) * total
    spectrum = np.zeros(length // 2 + 1, dtype=np.complex128)
    spectrum[product.frequencies] = product.values
    weights = np.roll(scipy.fft.irfft(spectrum, n=length), (shift - start) % length)
    return Convolved(np.maximum(weights, 0.0), start, RAISED * (error + math.exp(_SILENT)))


def _next_of(waiting: Sequence[tuple[Tilted, int]], *, many: bool) -> int:
    """The place of the part after which the fewest frequencies are followed, probably.

    Args:
        waiting: the parts that are left, the one that spreads most at the end.
        many: many frequencies are followed. Then it is the last part without gaps: the transform of
            points with gaps is large again far from frequency 0, however far they spread.
    """
    last = len(waiting) - 1
    if not many:
        return last
    dense = (place for place in range(last, -1, -1) if _is_dense(waiting[place][0]))
    return next(dense, last)


def _is_dense(tilted: Tilted) -> bool:
    return len(tilted.points) > tilted.last - tilted.first


def _listed(tilted: Tilted, start: int, length: int) -> Convolved:
    """Return the law of a single part without a transform; weights of one point are added up."""
    places = (tilted.points - start) % length
    weights = np.bincount(places, weights=tilted.weights, minlength=length)
    errors = np.bincount(places, weights=tilted.errors, minlength=length)
    added = UNIT * int(np.bincount(places).max()) * float(weights.max())
    return Convolved(weights.astype(np.float64), start, RAISED * (float(errors.max()) + added))


def _from_behind(tails: Floats, gains: Floats, fall: Floats, lost: Floats) -> tuple[Floats, Floats]:
    """The sums from each point on, of the sums of the pieces: see ``Convolved._running``."""
    tail, gain = float(tails[-1]), float(gains[-1])
    sums = [(tail, gain)]
    pieces = zip(
        *(values[::-1].tolist() for values in (tails[:-1], gains[:-1], fall, lost)), strict=True
    )
    # One follows from the next; plain floats are ten times as quick here as those of arrays.
    for own_tail, own_gain, rest, gone in pieces:
        gain = own_gain + rest * ((1 - gone) * gain + gone * tail)
        tail = own_tail + rest * tail
        sums.append((tail, gain))
    both = np.array(sums[::-1])
    return both[:, 0], both[:, 1]


def _suffix_sums(values: Floats) -> Floats:
    sums: Floats = np.cumsum(values[::-1])[::-1]
    return sums


class FoldedLaw(Protocol):
    """The tilted law of a sum, folded onto ``length`` points from ``start`` on.

    Point p of the window has the weight w_p of all points congruent to it.
    """

    @property
    def start(self) -> int:
        """Return the first point of the window."""

    @property
    def length(self) -> int:
        """Return the number of points of the window, a power of two."""

    @property
    def everywhere(self) -> bool:
        """Return whether tails from every point of the window cost no more than one."""

    def discounted(self, first: int, x: float, step: float, tilt: float) -> tuple[float, float]:
        """Return the sum of w_p exp(-tilt x_p) (1 - exp(-x_p)) from a point on, and its error.

        Args:
            first: the point, at ``start`` or later.
            x: x_p at that point, positive; each later one is ``step`` more.
        """

    def tails(self, firsts: Integers, x: Floats, step: float, tilt: float) -> tuple[Floats, Floats]:
        """Return the sums of w_p exp(-tilt x_p) from each point to a common end, with errors.

        Args:
            firsts: increasing points of the window, shape (n,); neighboring points if
                ``everywhere`` holds. The common end is after the last one, or the end of the
                window.
            x: x_p at these points, shape (n,), in the same steps.
        """

    def tails_at(self, firsts: Integers, step: float, tilt: float) -> tuple[Floats, Floats]:
        """Return the sums of w_p exp(-tilt d_p) from each point to the window's end, with errors.

        Args:
            firsts: nondecreasing points of the window, shape (n,). d_p is the distance of p.
        """

    def discounted_at(
        self, firsts: Integers, x: Floats, step: float, tilt: float
    ) -> tuple[Floats, Floats]:
        """Return the results of ``discounted`` at many points, at little more than the cost of one.

        Args:
            firsts: nondecreasing points of the window, shape (n,).
            x: as in ``discounted``, shape (n,).
        """


def folded_laws(
    families: Sequence[tuple[Sequence[tuple[Tilted, int]], int]],
    length: int,
    *,
    decay: float,
    precision: float,
    most: int,
) -> list[FoldedLaw]:
    """Return the law of the sum of each family of parts, all by the method that is fastest for all.

    Args:
        families: tilted weights with their numbers of repetitions, and the start of the window.
        length: of all windows, a power of two.
        decay: tilt times step, the decay of the functions that the laws are summed against.
        precision: allowed relative error of the sums.
        most: the longest window whose points can all be listed.

    Raises:
        TooLong: the windows are longer, and too many frequencies matter.
        OutOfTimeError: the time limit was reached between two of them.
    """
    laws: list[FoldedLaw] = []
    for parts, start in families:
        deadline.check()
        law = few_frequencies(parts, start, length, decay, precision)
        if law is None:
            break
        laws.append(law)
    else:
        return laws
    if length > most:
        raise TooLong(length)
    return [convolve(parts, start, length) for parts, start in families]
