"""A single pair in closed form: no composition, no transform, no grid."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from semiaudit.model.loss import DiscreteGaussianLoss, LaplaceLoss, PrivacyLoss
from semiaudit.numeric import HALF, ONE, TWO, Interval, float_down, float_up
from semiaudit.privacy.loss.bracket import Accuracy, Bracket
from semiaudit.privacy.loss.normal_form import only_part
from semiaudit.privacy.loss.single.discrete_gaussian import SingleDiscreteGaussian
from semiaudit.privacy.loss.single.tested import tested

LARGEST_LOSS = 10**6
"""Beyond it the exponentials of a closed form are left to the engine, which has its own limits."""

Ends = tuple[float, float]


class SinglePair(Protocol):
    """Certified ends of one pair's numbers; None where the closed form does not reach."""

    def delta(self, epsilon: Fraction) -> Ends | None:
        """The larger one of both orders' delta at an epsilon from 0 to ``LARGEST_LOSS``."""

    def epsilon(self, delta: Fraction) -> Ends | None:
        """The smallest epsilon at a delta in [0, 1)."""

    def type_ii(self, alpha: Fraction) -> Ends | None:
        """The symmetrised tradeoff function at a type I error in (0, 1)."""


@dataclass(frozen=True, slots=True)
class SingleLaplace:
    """Laplace noise of scale 1, moved by ``shift``: all in closed form, in decimal intervals.

    The most powerful tests reject beyond a threshold between the two centres; delta and the type
    II error follow from the two tails.
    """

    shift: Fraction

    def delta(self, epsilon: Fraction) -> Ends:
        """1 - exp((epsilon - shift) / 2)."""
        if epsilon >= self.shift:
            return 0.0, 0.0
        return probability(ONE - Interval.of((epsilon - self.shift) / 2).exp())

    def epsilon(self, delta: Fraction) -> Ends:
        """Shift + 2 ln(1 - delta), or 0."""
        found = Interval.of(self.shift) + TWO * Interval.of(1 - delta).ln()
        return max(float_down(found.low), 0.0), max(float_up(found.high), 0.0)

    def type_ii(self, alpha: Fraction) -> Ends:
        """1 - e^s alpha, then e^-s / (4 alpha), then e^-s (1 - alpha): tangent to each other."""
        growth = Interval.of(self.shift).exp()
        type_i, shrink = Interval.of(alpha), ONE / growth
        if 2 * alpha >= 1:
            return probability(shrink * Interval.of(1 - alpha))
        bend = HALF * shrink
        steep = ONE - growth * type_i
        flat = HALF * bend / type_i
        if type_i.high < bend.low:
            return probability(steep)
        if type_i.low > bend.high:
            return probability(flat)
        return probability(Interval(min(steep.low, flat.low), max(steep.high, flat.high)))


def probability(found: Interval) -> Ends:
    """The doubles around an enclosure, within [0, 1]."""
    clipped = found.clip(0, 1)
    return max(float_down(clipped.low), 0.0), min(float_up(clipped.high), 1.0)


def single_pair(loss: PrivacyLoss) -> SinglePair | None:
    """The closed form of a product that is one pair, once; else None.

    Raises:
        ValueError: a parameter outside of its range.
    """
    part = only_part(loss)
    if part is None:
        return None
    if isinstance(part, LaplaceLoss):
        return SingleLaplace(part.shift) if part.shift <= LARGEST_LOSS else None
    if isinstance(part, DiscreteGaussianLoss):
        return SingleDiscreteGaussian.of(part)
    return tested(part, LARGEST_LOSS)


def delta_bracket(loss: PrivacyLoss, epsilon: Fraction, accuracy: Accuracy) -> Bracket | None:
    """Delta by a closed form; None where there is none, or not as narrow as asked."""
    if not 0 <= epsilon <= LARGEST_LOSS:
        return None
    pair = single_pair(loss)
    return _bracket(pair.delta(epsilon), accuracy) if pair else None


def epsilon_bracket(loss: PrivacyLoss, delta: Fraction, accuracy: Accuracy) -> Bracket | None:
    """Epsilon by a closed form; None where there is none, or not as narrow as asked."""
    if not 0 <= delta.numerator < delta.denominator:
        return None
    pair = single_pair(loss)
    return _bracket(pair.epsilon(delta), accuracy) if pair else None


def type_ii_bracket(loss: PrivacyLoss, alpha: Fraction, accuracy: Accuracy) -> Bracket | None:
    """A type II error by a closed form; None where there is none, or not as narrow as asked."""
    if not 0 < alpha < 1:
        return None
    pair = single_pair(loss)
    return _bracket(pair.type_ii(alpha), accuracy) if pair else None


def _bracket(ends: Ends | None, accuracy: Accuracy) -> Bracket | None:
    if ends is None:
        return None
    found = Bracket(*ends, "exact", True)
    return found if found.within(accuracy.tolerance) else None
