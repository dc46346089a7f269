"""The law of a sum of many independent losses on every point of a window, by fast transforms.

In addition to the errors of ``spectrum``: the inverse transform averages, so that the errors at the
frequencies enter the result with their mean, and is rounded once more as any transform.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy.fft

from semiaudit import deadline
from semiaudit.frozen import dataclass
from semiaudit.privacy.loss.laws.many_parts import joined
from semiaudit.privacy.loss.laws.rounding import Tilted
from semiaudit.privacy.loss.laws.spectrum import (
    Integers,
    SpectrumProduct,
    transform_error,
    transformed,
    values_at,
)
from semiaudit.privacy.loss.sources.loss_source import RAISED, UNDERFLOW, UNIT, Floats

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
