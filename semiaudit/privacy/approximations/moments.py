"""Moments of the privacy loss, in floats.

With f = T(P, Q) the loss is ln Q/P = ln |f'|. Under P it has mean -kl.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import assert_never

from semiaudit.frozen import dataclass
from semiaudit.model.loss import LaplaceLoss
from semiaudit.model.measure import GDP, ApproxDP, PiecewiseLinear, PureDP
from semiaudit.privacy.tradeoff.function import TradeoffBracket, TradeoffFunction

_PANELS = 4000
"""Panels of Simpson's rule for the moments of a density: twelve digits."""
_WIDTH = 14.0
"""Standard deviations on either side that are integrated over: the mass further out is 1e-44."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean, variance and third central moments of the loss under one hypothesis.

    Attributes:
        mean: of ln Q/P. variance: of it. third: its third central moment.
        absolute: its third absolute central moment.
    """

    mean: float
    variance: float
    third: float
    absolute: float


@dataclass(frozen=True, slots=True)
class LossMoments:
    """The loss under the null P and under the alternative Q."""

    null: Moments
    alternative: Moments

    def reversed(self) -> LossMoments:
        """Return the moments of the pair in the other order: the loss changes its sign."""
        return LossMoments(_negated(self.alternative), _negated(self.null))


def moments_of(function: TradeoffFunction) -> LossMoments:
    """Compute the moments of the privacy loss of a tradeoff function.

    Raises:
        ValueError: a loss that is infinite with positive probability, as wherever delta > 0.

    Rounding: floats, to about twelve digits; a bracket is represented by its lower polygon.
    Source: Dong, Roth and Su 2022, section 3.2 (Su's review, section 3.3): kl, kappa_2, kappa_3.
    """
    match function:
        case GDP():
            square = float(function.mu_squared)
            absolute = 2 * math.sqrt(2 / math.pi) * square**1.5
            return LossMoments(
                Moments(-square / 2, square, 0.0, absolute),
                Moments(square / 2, square, 0.0, absolute),
            )
        case LaplaceLoss():
            return _laplace(float(abs(function.shift)))
        case PureDP():
            return _randomized_response(ApproxDP(function.epsilon, Fraction(0)))
        case ApproxDP():
            return _randomized_response(function)
        case PiecewiseLinear():
            return _polygon(function)
        case TradeoffBracket():
            return _polygon(function.below)
        case _:
            assert_never(function)


def subsampled_gaussian_moments(rate: float, sigma: float) -> LossMoments:
    """Compute the moments of N(0, 1) against (1 - rate) N(0, 1) + rate N(1/sigma, 1).

    The integrals use the trapezoidal rule.

    Args:
        rate: of Poisson sampling, in (0, 1]. sigma: the noise multiplier.
    """
    mu = 1 / sigma

    def loss(x: float) -> float:
        return math.log1p(rate * math.expm1(mu * x - mu * mu / 2))

    def null(x: float) -> float:
        return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)

    def alternative(x: float) -> float:
        return null(x) * (1 + rate * math.expm1(mu * x - mu * mu / 2))

    low, high = -_WIDTH, _WIDTH + mu
    return LossMoments(_moments(loss, null, low, high), _moments(loss, alternative, low, high))


def _moments(
    loss: Callable[[float], float], density: Callable[[float], float], low: float, high: float
) -> Moments:
    step = (high - low) / _PANELS
    points = [low + step * i for i in range(_PANELS + 1)]
    atoms = [(loss(x), density(x) * step) for x in points]
    return _of_atoms(atoms)


def _negated(m: Moments) -> Moments:
    return Moments(-m.mean, m.variance, -m.third, m.absolute)


def _of_atoms(atoms: list[tuple[float, float]]) -> Moments:
    mean = math.fsum(value * mass for value, mass in atoms)
    return Moments(
        mean,
        math.fsum((value - mean) ** 2 * mass for value, mass in atoms),
        math.fsum((value - mean) ** 3 * mass for value, mass in atoms),
        math.fsum(abs(value - mean) ** 3 * mass for value, mass in atoms),
    )


def _randomized_response(measure: ApproxDP) -> LossMoments:
    if measure.delta:
        raise ValueError("the privacy loss is infinite with probability delta")
    epsilon = float(measure.epsilon)
    keep = 1 / (1 + math.exp(-epsilon))
    return LossMoments(
        _of_atoms([(epsilon, 1 - keep), (-epsilon, keep)]),
        _of_atoms([(epsilon, keep), (-epsilon, 1 - keep)]),
    )


def _laplace(shift: float) -> LossMoments:
    """The loss is s with mass e^-s / 2, -s with mass 1/2, and 2u - s with density e^-u / 2."""
    step = shift / _PANELS
    null = [(shift, math.exp(-shift) / 2), (-shift, 0.5)]
    for i in range(_PANELS + 1):
        u = step * i
        weight = (1 if i in (0, _PANELS) else 2 + 2 * (i % 2)) / 3
        null.append((2 * u - shift, weight * step * math.exp(-u) / 2))
    return LossMoments(_of_atoms(null), _of_atoms([(-value, mass) for value, mass in null]))


def _polygon(f: PiecewiseLinear) -> LossMoments:
    vertices = f.vertices
    if vertices[0][1] < 1 or any(y0 == y1 for (_, y0), (_, y1) in pairwise(vertices)):
        raise ValueError("the privacy loss is infinite with positive probability")
    pieces = [(x1 - x0, y0 - y1) for (x0, y0), (x1, y1) in pairwise(vertices)]
    losses = [_log(q / p) for p, q in pieces]
    return LossMoments(
        _of_atoms([(v, float(p)) for v, (p, _) in zip(losses, pieces, strict=True)]),
        _of_atoms([(v, float(q)) for v, (_, q) in zip(losses, pieces, strict=True)]),
    )


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)
