"""Bounds on epsilon from the Renyi divergences of all pairs, for products beyond the engine.

The composed loss is at least as informative (docs/theory/conversions.md, *zCDP with privacy
losses*). This module is for products that the engine does not take, or not in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from semiaudit import deadline
from semiaudit.model.loss import (
    ApproxLoss,
    ConcentratedLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
    ShuffledLoss,
)
from semiaudit.numeric.intervals import ONE, Interval
from semiaudit.privacy.loss.pairs.pair_kinds import kind_of
from semiaudit.privacy.measures.joint_range import best_epsilon

_MOST_OUTCOMES = 200
"""The most outcomes of a listed pair; each is raised to the power of every order that is tried."""


def epsilon_of_renyi(loss: PrivacyLoss, delta: Fraction) -> Decimal:
    """Return the least epsilon over Renyi orders, the larger of both directions; possibly infinite.

    Args:
        loss: the product of pairs.
        delta: in (0, 1). Outright disclosure by the pairs is subtracted from it.

    Raises:
        OutOfTimeError: the time limit was reached.

    Rounding: up.
    """
    deadline.check()
    return max(_one_direction(loss, delta, swapped) for swapped in (False, True))


def _one_direction(loss: PrivacyLoss, delta: Fraction, swapped: bool) -> Decimal:
    unrevealed = ONE
    for pair, repeat in loss.parts:
        revealed = revealed_probability(pair, swapped)
        if revealed == 1:
            return Decimal("Infinity")
        if revealed:
            unrevealed = unrevealed * (Interval.of(repeat) * Interval.of(1 - revealed).ln()).exp()
    remaining = (Interval.of(delta) - (ONE - unrevealed)).lower_rational
    if remaining <= 0 or any(_has_none(pair) for pair, _ in loss.parts):
        return Decimal("Infinity")
    sizes = (kind_of(pair, _PLACE).gaussian_size * times for pair, times in loss.parts)

    def moment(excess: Fraction) -> Interval:
        total = Interval.of(0)
        for pair, repeat in loss.parts:
            pair_moment = log_moment(pair, excess, swapped)
            total = total if pair_moment is None else total + Interval.of(repeat) * pair_moment
        return total

    return best_epsilon(moment, float(sum(sizes, Fraction(0))) / 2, remaining, unrevealed)


_NO_LOSS = Fraction(1, 10**12)
"""Closed forms of smaller losses are differences of nearly equal numbers."""

_NO_NUMBER = 10**5
"""Exponentials of much larger numbers are not decimals."""

_PLACE = "the Renyi curve of a privacy loss"


def reveals_as_much(loss: PrivacyLoss, delta: Fraction) -> bool:
    """Return whether a pair reveals a mass of at least delta, and its other losses are unbounded.

    Then the pair's delta exceeds the given one at every epsilon, by too little for doubles to show.
    """
    return _revealed_with_unbounded_losses(loss) >= delta


@lru_cache
def _revealed_with_unbounded_losses(loss: PrivacyLoss) -> Fraction:
    """The largest mass that a pair reveals; 0 if all losses of the others have a bound."""
    if not any(isinstance(pair, ConcentratedLoss) and pair.rho for pair, _ in loss.parts):
        return Fraction(0)
    return max(
        revealed_probability(pair, swapped) for pair, _ in loss.parts for swapped in (False, True)
    )


@lru_cache(maxsize=8192)
def revealed_probability(pair: Loss, swapped: bool) -> Fraction:
    """Return the mass under P where Q has none; for a swapped pair, P and Q are exchanged."""
    match pair:
        case ApproxLoss():
            return pair.delta
        case FiniteLoss():
            first, second = _laws(pair, swapped)
            return sum((p for p, q in zip(first, second, strict=True) if not q), Fraction(0))
        case ShuffledLoss():
            return Fraction(0)
        case _:
            # Finite divergences in both directions: neither law has mass where the other has none.
            # For a kind without divergences, nothing is known, and all mass can be revealed.
            return Fraction(kind_of(pair, _PLACE).rho() is None)


def log_moment(pair: Loss, excess: Fraction, swapped: bool) -> Interval | None:
    """Return ln of the sum of p^a q^(1 - a) over common outcomes, with a = 1 + excess.

    This is (a - 1) D_a if nothing is revealed. For kinds without a closed form, and for tiny
    losses, it is bounded by their rho, as for Gaussian noise and zCDP; None if they have no rho.
    Shuffled reports are epsilon0-DP.

    Source: Mironov 2017, Propositions 5 to 7.
    """
    order = 1 + excess
    largest = _largest_loss(pair)
    if largest is not None and excess * largest > _NO_NUMBER:
        # No moment exceeds that of the largest loss alone.
        return Interval.of(excess * largest)
    match pair:
        case LaplaceLoss() if abs(pair.shift) > _NO_LOSS:
            return _laplace(abs(pair.shift), order)
        case DiscreteLaplaceLoss() if 1 / pair.scale > _NO_LOSS:
            return _discrete_laplace(abs(pair.shift), 1 / pair.scale, order)
        case RandomizedResponseLoss() if pair.epsilon > _NO_LOSS:
            return _response(pair.epsilon, order, pair.levels)
        case ApproxLoss():
            return _response(pair.epsilon, order, 2) + Interval.of(1 - pair.delta).ln()
        case FiniteLoss():
            return _listed(*_laws(pair, swapped), order)
        case ShuffledLoss():
            return _response(pair.epsilon0, order, 2)
        case _:
            rho = kind_of(pair, _PLACE).rho()
            return None if rho is None else Interval.of(excess * order * rho)


def _largest_loss(pair: Loss) -> Fraction | None:
    """Return an upper bound on the finite losses; None if there is none."""
    match pair:
        case LaplaceLoss():
            return abs(pair.shift)
        case DiscreteLaplaceLoss():
            return abs(pair.shift) / pair.scale
        case RandomizedResponseLoss() | ApproxLoss():
            return pair.epsilon
        case ShuffledLoss():
            return pair.epsilon0
        case _:
            return None


def _laws(pair: FiniteLoss, swapped: bool) -> tuple[Sequence[Fraction], Sequence[Fraction]]:
    return (pair.second, pair.first) if swapped else (pair.first, pair.second)


def _has_none(pair: Loss) -> bool:
    if isinstance(pair, FiniteLoss):
        return len(pair.first) > _MOST_OUTCOMES
    return log_moment(pair, Fraction(1), False) is None


def _listed(first: Sequence[Fraction], second: Sequence[Fraction], order: Fraction) -> Interval:
    total = Interval.of(0)
    for p, q in zip(first, second, strict=True):
        if p and q:
            ratio = Interval.of(p / q).ln()
            total = total + Interval.of(q) * (Interval.of(order) * ratio).exp()
    return total.ln()


def _response(epsilon: Fraction, order: Fraction, levels: int) -> Interval:
    """ln of (e^(a epsilon) + e^((1 - a) epsilon) + k - 2) / (e^epsilon + k - 1)."""
    up, down = Interval.of(order * epsilon).exp(), Interval.of((1 - order) * epsilon).exp()
    total = Interval.of(epsilon).exp() + Interval.of(levels - 1)
    return ((up + down + Interval.of(levels - 2)) / total).ln()


def _laplace(shift: Fraction, order: Fraction) -> Interval:
    """ln of (a e^((a - 1) s) + (a - 1) e^(-a s)) / (2 a - 1)."""
    twice = 2 * order - 1
    up = Interval.of(order / twice) * Interval.of((order - 1) * shift).exp()
    return (up + Interval.of((order - 1) / twice) * Interval.of(-order * shift).exp()).ln()


def _discrete_laplace(move: int, inverse_scale: Fraction, order: Fraction) -> Interval:
    """Three geometric sums: before both centers, between them, and after."""
    if not move:
        return Interval.of(0)
    rate, twice = Interval.of(-inverse_scale).exp(), 2 * order - 1
    far = Interval.of((order - 1) * move * inverse_scale).exp()
    near = Interval.of(-order * move * inverse_scale).exp()
    step = Interval.of(-twice * inverse_scale).exp()
    last = Interval.of(-twice * inverse_scale * (move - 1)).exp()
    between = far * step * (ONE - last) / (ONE - step)
    total = (far + near) / (ONE - rate) + between
    return (total * (ONE - rate) / (ONE + rate)).ln()
