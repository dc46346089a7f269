"""Lower bounds on delta and epsilon from tests: achievable by an attacker.

An attacker sees only the sum of the nearest grid points of the outcomes; A_i is the set of all sums
from the i-th point on. P(A_i) is bounded from below, Q(A_i) from above, so

    delta(epsilon) >= P(A_i) - exp(epsilon) Q(A_i)      for every i.

The gap of the best A_i is of second order in the step: an outcome is misjudged only if its loss is
within its rounding error of epsilon, and then it matters little.
"""

from __future__ import annotations

import math

import numpy as np

from semiaudit.frozen import dataclass
from semiaudit.privacy.loss.laws.folded import FoldedLaw
from semiaudit.privacy.loss.laws.spectrum import Integers
from semiaudit.privacy.loss.profile import AbovePoint, GridScale, points_above
from semiaudit.privacy.loss.sources.loss_source import LEAST, UNDERFLOW, UNIT, Floats

_NATS = 300.0
"""Tests further from the reference than this over (1 + tilt) have masses that underflow."""

_LARGEST = 700.0
"""The exponential of a much larger number is not a double."""

_NONE: Floats = np.empty(0)

_NEAREST, _RATIO, _FURTHER = 16, 1.2, 118
"""Tests at the 16 nearest points on either side, then at 118 in a geometric series, up to 3e10."""

_NEAR = np.unique(
    np.concatenate(
        (np.arange(_NEAREST + 1), (_NEAREST * _RATIO ** np.arange(_FURTHER)).astype(np.int64))
    )
)
_SPACED = np.concatenate((-_NEAR[:0:-1], _NEAR))
"""The points of the tests, counted from the nearest one to the reference."""

_FEW = np.array([-64, -24, -9, -4, -2, -1, 0, 1, 2, 4, 9, 24, 64])
"""The tests that are used if many epsilons are computed together."""

_NO_POINTS: Integers = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class MergedLaw:
    """A composed law of merged outcomes, under P and under Q.

    Attributes:
        scale: the grid, the tilt t and the errors of losses.
        under_first: weights of P under the tilt t. under_second: those of Q, under t + 1.
        log_first: logarithm of the factor of the weights of P; log_second: of Q, without the factor
            exp(-offset).
        scale_error: bound on the absolute error of both logarithms.
        outside: bound on the tilted weight of P outside of the window.
        ahead: the mean of (sum of merged points - loss / step), rounded: the number of points by
            which the test for an epsilon begins later. No bound depends on it.
    """

    scale: GridScale
    under_first: FoldedLaw
    under_second: FoldedLaw
    log_first: float
    log_second: float
    scale_error: float
    outside: float
    ahead: int = 0

    def tests(self, reference: float) -> Tests:
        """Return the tests A_i around a reference epsilon; more of the nearest ones if few."""
        scale, law = self.scale, self.under_first
        (place,) = self._places(np.array([reference]))
        low, high = self._window(place)
        if low >= high:
            return Tests(reference, _NONE, _NONE, _NONE, scale.infinite[0])
        if law.everywhere:
            firsts = np.arange(low, high)
        else:
            firsts = np.unique(np.clip(place.point + _SPACED, low, high - 1))
        x: Floats = place.near + scale.step * (firsts - place.point).astype(np.float64)
        p, wrong = self._first_tails(firsts, x)
        q, q_wrong = self.under_second.tails(firsts, x, scale.step, scale.tilt + 1)
        behind = self._behind(int(firsts[-1]) + 1, float(x[-1])) if law.everywhere else 0.0
        return self._tests(reference, place, x, p - wrong, q + q_wrong + behind)

    def _behind(self, first: int, x: float) -> float:
        """Bound the sum under Q from a point on, all of whose points are further out than x."""
        law, tilt = self.under_second, self.scale.tilt + 1
        points = np.arange(max(first, law.start), law.start + law.length)
        if not len(points):
            return 0.0
        weights, wrong = law.tails(points, np.zeros(len(points)), self.scale.step, 0.0)
        return float(weights[0] + wrong[0]) * math.exp(-tilt * x) * (1 + 16 * UNIT * _NATS)

    def tests_at(self, references: Floats) -> list[Tests]:
        """Return the nearest tests around each of many epsilons, for about the cost of one."""
        if len(references) == 1:
            return [self.tests(float(references[0]))]
        scale = self.scale
        places = self._places(references)
        windows = [self._window(place) for place in places]
        firsts = [
            np.unique(np.clip(place.point + _FEW, low, high - 1)) if low < high else _NO_POINTS
            for place, (low, high) in zip(places, windows, strict=True)
        ]
        points = np.unique(np.concatenate([*firsts, _NO_POINTS]))
        tests: list[Tests] = []
        if len(points):
            p, wrong = self.under_first.tails_at(points, scale.step, scale.tilt)
            q, q_wrong = self.under_second.tails_at(points, scale.step, scale.tilt + 1)
        for reference, place, own in zip(references.tolist(), places, firsts, strict=True):
            if not len(own):
                tests.append(Tests(reference, _NONE, _NONE, _NONE, scale.infinite[0]))
                continue
            x: Floats = place.near + scale.step * (own - place.point).astype(np.float64)
            at = np.searchsorted(points, own)
            rounded = 1 + 8 * UNIT * _NATS
            with np.errstate(over="ignore", invalid="ignore"):
                below = (p[at] - wrong[at]) * np.exp(-scale.tilt * x) / rounded
                above = (q[at] + q_wrong[at]) * np.exp(-(scale.tilt + 1) * x) * rounded
            above += UNDERFLOW
            tests.append(self._tests(reference, place, x, below, above))
        return tests

    def _places(self, references: Floats) -> list[AbovePoint]:
        # Any number may stand for the loss of point 0, so long as P and Q keep their masses.
        scale = self.scale
        offset = scale.offset - self.ahead * scale.exact_step
        return points_above(references, 0.0, offset, scale.exact_step)

    def _window(self, place: AbovePoint) -> tuple[int, int]:
        """The points at which tests may begin: factors further out overflow."""
        law = self.under_first
        reach = _NATS / (self.scale.tilt + 1)
        behind = math.floor((reach + place.near) / self.scale.step)
        return (
            max(place.point - behind, law.start),
            min(place.point + math.ceil(reach / self.scale.step), law.start + law.length),
        )

    def _tests(self, reference: float, place: AbovePoint, x: Floats, p: Floats, q: Floats) -> Tests:
        """Compute tests from the tails near a point: lower bounds under P, upper bounds under Q."""
        scale = self.scale
        moved = scale.tilt * place.distance
        error = self.scale_error + UNIT * (16 + 8 * abs(moved) + 16 * _NATS)
        first = _root_of_exp(min(self.log_first - moved - error, _LARGEST))
        ahead = float(self.ahead * scale.exact_step)
        exponent = self.log_second - moved - ahead + 4 * UNIT * abs(ahead) + error + scale.slack
        second = _root_of_exp(exponent) if exponent < _LARGEST else math.inf
        with np.errstate(over="ignore", invalid="ignore"):
            p = p - self.outside * np.exp(-scale.tilt * x) * (1 + 8 * UNIT * _NATS)
            p = p * first * first - 2 * LEAST
            q = q * second * second + 2 * LEAST
        # An overflow is not a bound.
        p[~np.isfinite(p)], q[np.isnan(q)] = 0.0, math.inf
        return Tests(reference, x, np.maximum(p, 0.0), q, scale.infinite[0])

    def _first_tails(self, firsts: Integers, x: Floats) -> tuple[Floats, Floats]:
        """Return the tails under P; if they end after the last test, as far out as doubles allow.

        Otherwise nearly all of P can be after the tests, for example if delta is close to 1.
        """
        scale, law = self.scale, self.under_first
        last = int(firsts[-1]) + 1
        behind = law.start + law.length - last
        if scale.tilt:
            behind = min(behind, math.floor((_NATS / scale.tilt - float(x[-1])) / scale.step))
        if not law.everywhere or behind <= 0:
            return law.tails(firsts, x, scale.step, scale.tilt)
        following = float(x[-1]) + scale.step * np.arange(1, behind + 1, dtype=np.float64)
        points = np.concatenate((firsts, np.arange(last, last + behind)))
        p, wrong = law.tails(points, np.concatenate((x, following)), scale.step, scale.tilt)
        return p[: len(firsts)], wrong[: len(firsts)]


def _root_of_exp(exponent: float) -> float:
    """Return the square root of exp(exponent), to multiply by twice without early underflow."""
    return math.exp(exponent / 2)


@dataclass(frozen=True, slots=True)
class Tests:
    """Lower bounds on P(A_i) and upper bounds on exp(reference) Q(A_i), for finite losses.

    Attributes:
        thresholds: the start of each A_i relative to the reference, increasing.
        infinite: lower bound on the mass under P at an infinite loss, which every test may add.
    """

    reference: float
    thresholds: Floats
    first: Floats
    second: Floats
    infinite: float

    def delta(self, epsilon: float) -> float:
        """Return the largest certified P(A) - exp(epsilon) Q(A), a lower bound on delta."""
        if not len(self.first):
            return self.infinite
        factor = math.exp(epsilon - self.reference)
        best = float((self.first * (1 - 4 * UNIT) - factor * self.second * (1 + 8 * UNIT)).max())
        return min(self.infinite + max(best, 0.0) * (1 - 4 * UNIT), 1.0)

    def epsilon(self, delta: float) -> float:
        """Return the largest certified epsilon at which a test still reaches delta; 0 if none.

        Args:
            delta: rounded up.
        """
        excess = (self.first + self.infinite) * (1 - 4 * UNIT) - delta
        usable = (excess > 0) & (self.second > 0)
        if not usable.any():
            return 0.0
        with np.errstate(divide="ignore"):
            # At this epsilon, P(A) - exp(epsilon) Q(A) is delta; at smaller ones, it is larger.
            ratio = np.log(excess[usable] / self.second[usable])
        best = self.reference + float(ratio.max())
        if math.isinf(best):
            return 0.0
        return max(best - 16 * UNIT * (abs(best) + abs(self.reference) + 1), 0.0)

    @property
    def errors(self) -> tuple[Floats, Floats]:
        """Return upper bounds (Q(A), 1 - P(A)) on both errors of all tests."""
        # Logarithms of doubles are below 750 in size, so the error is at most 2400 u, or an
        # underflow.
        with np.errstate(divide="ignore"):
            q = np.exp(np.minimum(np.log(self.second) - self.reference, 0.0)) * (1 + 4000 * UNIT)
        return q + 2 * LEAST, 1.0 - (self.first + self.infinite) * (1 - 8 * UNIT) + 2 * UNIT

    def type_ii(self, type_i: float) -> tuple[float, float, float]:
        """Return the type II error of two neighboring tests, randomized between, and their power.

        As tests of Q against P they have the errors (Q(A), 1 - P(A)); their complements, as tests
        of P against Q, have (1 - P(A), Q(A)).

        Args:
            type_i: the type I error, rounded down.

        Returns:
            A certified upper bound of an achievable type II error, the threshold of the tests as
            an epsilon, and a lower bound of an achievable power, which is not rounded at 1.
        """
        q, missed = self.errors
        best, place = min(1.0 - type_i, 1.0 - self.infinite) + 2 * UNIT, 0.0
        power = max(type_i, self.infinite)
        if not len(q):
            return min(best, 1.0), place, power
        for firsts, seconds, mirrored in ((q, missed, False), (missed[::-1], q[::-1], True)):
            rate, index = _interpolated(firsts, seconds, type_i)
            if rate < best:
                index = len(q) - 1 - index if mirrored else index
                best, place = rate, self.reference + float(self.thresholds[index])
        return min(best, 1.0), place, max(power, self._power(q, type_i))

    def _power(self, q: Floats, type_i: float) -> float:
        """Return a lower bound on the power of two neighboring tests, randomized between them.

        A test that is too large can also be used alone, with a smaller probability to reject;
        outcomes with an infinite loss are always rejected.
        """
        powers = (self.first + self.infinite) * (1 - 8 * UNIT)
        inside = np.flatnonzero(q <= type_i)
        index = int(inside[0]) if len(inside) else len(q)
        alone = self.first[:index] * (type_i / q[:index])
        power = self.infinite + float(alone.max()) if index else self.infinite
        if len(inside):
            power = max(power, float(powers[index]))
        if len(inside) and index:
            left, right = float(q[index]), float(q[index - 1])
            low, high = float(powers[index]), float(powers[index - 1])
            power = max(power, low + (type_i - left) / (right - left) * (high - low))
        return min(power * (1 - 16 * UNIT), 1.0)


def _interpolated(firsts: Floats, seconds: Floats, type_i: float) -> tuple[float, int]:
    """Return the chord between neighboring points at a type I error; first entries decrease.

    Args:
        firsts: type I errors of tests. seconds: their type II errors.
        type_i: the type I error of the chord.

    Every point is on the safe side of an achievable one, and so is every chord that spans the
    error.
    """
    inside = np.flatnonzero(firsts <= type_i)
    if not len(inside):
        return 1.0, 0
    index = int(inside[0])
    missed = float(seconds[index])
    if index > 0:
        left, right, other = float(firsts[index]), float(firsts[index - 1]), seconds[index - 1]
        chord = missed + (type_i - left) / (right - left) * (float(other) - missed)
        missed = min(missed, chord + 8 * UNIT * missed)
    return missed, index
