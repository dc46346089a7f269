"""The privacy loss of additive noise between datasets whose answers differ by a known sensitivity.

Each function takes the noise, the sensitivity of its query between the relevant datasets, and the
query's sensitivity in D at distance 1. It returns every measure that is then known to hold; none if
the sensitivity has no finite bound. A query that does not change has no privacy loss (E15).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, assert_never

from semiaudit.mechanisms import declared
from semiaudit.mechanisms.kind import Deferred, Measures, not_attained
from semiaudit.mechanisms.noise_kind import NoiseKind
from semiaudit.model.bound import Bound
from semiaudit.model.loss import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    LaplaceLoss,
    Loss,
    PrivacyLoss,
)
from semiaudit.model.measure import GDP, ZCDP, Measure, PureDP
from semiaudit.model.mechanism import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    KNorm,
    Laplace,
    Noise,
)
from semiaudit.model.query import DominatingMoves, Sensitivity
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import exact_sqrt, float_up
from semiaudit.privacy.conversion import zcdp_from_loss
from semiaudit.privacy.ordering.implication import strongest
from semiaudit.privacy.special.discrete_noise import gaussian_variance, laplace_variance

SAMPLERS = "semiaudit.mechanisms.sampling.noise_samplers"

PERFECT = declared.pure_dp(PureDP(Fraction(0)))


def gaussian(noise: Gaussian, moved: Sensitivity, _unit: Sensitivity) -> tuple[Measure, ...]:
    """Return mu-GDP with mu = Delta_2 / sigma, and the measures that follow from it.

    Source: Cho and Awan, Proposition 6 (as meant: E22); Su's review, section 3.2.
    """
    square, known = moved.l2_squared.value, moved.l2_squared.side == "exact"
    if not isinstance(square, Fraction):
        return ()
    return gaussian_moved_by(square, noise.sigma_squared, exact=known)


def gaussian_moved_by(
    l2_squared: Fraction, sigma_squared: Fraction, *, exact: bool
) -> tuple[Measure, ...]:
    """Return the measures of Gaussian noise between answers at a Euclidean distance (squared).

    Args:
        l2_squared: the square of the distance. sigma_squared: the variance.
        exact: whether two relevant datasets are at this distance.
    """
    measure = GDP(l2_squared / sigma_squared, exact, attained=exact)
    return declared.gdp(measure) if measure.mu_squared else (measure, *PERFECT)


def discrete_gaussian(
    noise: DiscreteGaussian, moved: Sensitivity, _unit: Sensitivity
) -> tuple[Measure, ...]:
    """Return the loss of the noise itself, and rho-zCDP with rho = Delta_2^2 / (2 sigma^2).

    The GDP profile does not hold (E5). rho holds on every lattice, and order 2 attains it.

    Source: Canonne, Kamath and Steinke 2020, section 2, for integer answers only; independent
    coordinates compose (Bun and Steinke 2016, Lemma 2.3).
    """
    square = moved.l2_squared.value
    if not isinstance(square, Fraction):
        return ()
    if not square:
        return PERFECT

    def pair(size: Fraction) -> Loss:
        return DiscreteGaussianLoss(size.numerator, noise.sigma_squared)

    rho = ZCDP(square / (2 * noise.sigma_squared), moved.l2_squared.side == "exact")
    # On the integer vectors of a subspace, the noise is not a product of noise on single
    # coordinates.
    losses = _loss_of_moves(moved, pair) if noise.support is None else ()
    return *losses, rho


def discrete_gaussian_at_length(noise: DiscreteGaussian, l2_squared: Fraction) -> Measures | None:
    """Return rho between answers on the integer vectors of a support, from their squared distance.

    None without a support: projected noise is not on the integers, so no rho is proven.
    """
    if noise.support is None:
        return None
    return (ZCDP(l2_squared / (2 * noise.sigma_squared), exact=False),) if l2_squared else PERFECT


def laplace(noise: Laplace, moved: Sensitivity, _unit: Sensitivity) -> tuple[Measure, ...]:
    """Return the loss of the noise with its rho, and epsilon-DP with epsilon = Delta_1 / scale.

    rho(s) = s + e^-s - 1 of one coordinate is convex and 0 at 0, so of all ways to divide an l1
    norm among coordinates, one coordinate with all of it loses most.

    Source: Dwork, McSherry, Nissim and Smith 2006; Cho and Awan, Proposition 7 and Algorithm 4.
    """

    def pair(size: Fraction) -> Loss:
        return LaplaceLoss(size / noise.scale)

    return _of_support(noise, _bounded(moved, pair, 1 / noise.scale))


def discrete_laplace(
    noise: DiscreteLaplace, moved: Sensitivity, _unit: Sensitivity
) -> tuple[Measure, ...]:
    """Return the measures of noise with mass proportional to exp(-|k| / scale).

    The answers must be integers.

    Its rho has another formula, which is convex in the move too.

    Source: Ghosh, Roughgarden and Sundararajan 2012 (the geometric mechanism).
    """

    def pair(size: Fraction) -> Loss:
        return DiscreteLaplaceLoss(size.numerator, noise.scale)

    return _bounded(moved, pair, 1 / noise.scale)


def k_norm(noise: KNorm, moved: Sensitivity, unit: Sensitivity) -> tuple[Measure, ...]:
    """Return Laplace's loss at epsilon times the K-norm of the change, over Delta_K in D.

    Datasets at distance 1 change the answer by at most 1, by definition. If only an upper bound on
    Delta_K is known, the noise itself is unknown, and nothing follows for other pairs. Nothing
    follows here for a hull of D_t, whose norm is not that of D.

    Rounding: the ratio of two l2 norms is raised to a double if it is irrational.
    Source: Cho and Awan, Propositions 7 and 9, Lemma 29; group privacy of tradeoff functions, Dong,
    Roth and Su 2022, Theorem 2.14.
    """
    if noise.hull_of == "D_t":
        return ()
    ratio = _k_norm_ratio(noise, moved, unit)
    if moved.distance == 1:
        ratio = Fraction(1) if ratio is None else min(ratio, Fraction(1))
    if ratio is None:
        return ()
    # In D, the noise is designed for the largest change at distance 1. Inside D_t, that is an upper
    # bound, unless the norm of the changes there is known.
    reached = moved == unit or _norm_of(noise, moved).side == "exact"
    stated = moved.distance == 1 and ratio == 1 and reached
    on_a_line = noise.norm == "hull" and unit.rank == 1 and moved.gauge.side == "exact"
    return _of_support(
        noise, k_norm_moved_by(noise.epsilon * ratio, exact=stated, on_a_line=on_a_line)
    )


def k_norm_moved_by(epsilon: Fraction, *, exact: bool, on_a_line: bool) -> tuple[Measure, ...]:
    """Return the loss of K-norm noise between answers whose norm times its own epsilon is epsilon.

    It is Laplace's loss, because a change of K-norm r is m changes of r / m along a line, each of
    which is (epsilon r / m, 0)-DP, so the tradeoff function is at least f_{epsilon r / m, 0}
    composed m times. That is the function of the discrete Laplace mechanism with step r / m and, as
    m grows, that of Laplace noise shifted by epsilon r. Along a line, the noise of the hull is
    Laplace noise, so the bound is tight there.

    Args:
        exact: whether two relevant datasets are at this distance.
        on_a_line: whether, in addition, all of the noise is on one line.
    """
    pure = declared.pure_dp(PureDP(epsilon, exact=exact))
    if not epsilon:
        return pure
    loss = PrivacyLoss(((LaplaceLoss(epsilon), 1),), on_a_line)
    return _with_rho((loss,), pure)


def _of_support(noise: Noise, measures: Measures) -> Measures:
    """Return measures of noise that is projected on a support: the plain noise's loss is an upper
    bound.
    """
    return measures if noise.support is None else not_attained(measures)


def _k_norm_ratio(noise: KNorm, moved: Sensitivity, unit: Sensitivity) -> Fraction | None:
    """Return an upper bound on the change relative to D at distance 1; None if unknown."""
    if noise.norm == "hull":
        return moved.gauge.value if isinstance(moved.gauge.value, Fraction) else None
    top, bottom = _norm_of(noise, moved), _norm_of(noise, unit)
    if top.value == 0 or bottom.value == 0:
        return Fraction(0)
    if not isinstance(top.value, Fraction) or not isinstance(bottom.value, Fraction):
        return None
    if bottom.side != "exact":
        return None
    ratio = top.value / bottom.value
    if noise.norm == "l2":
        return exact_sqrt(ratio) or Fraction(float_up(Interval.of(ratio).sqrt().high))
    return ratio


def _norm_of(noise: KNorm, moved: Sensitivity) -> Bound:
    """Return the norm of the change, by the norm of the noise; for l2, squared."""
    match noise.norm:
        case "hull":
            return moved.gauge
        case "l1":
            return moved.l1
        case "l2":
            return moved.l2_squared
        case "linf":
            return moved.linf
        case _:
            assert_never(noise.norm)


def _loss_of_moves(moved: Sensitivity, pair: Callable[[Fraction], Loss]) -> tuple[PrivacyLoss, ...]:
    """Return the product of the pairs of changes that dominate the change (E15).

    If nothing better is known, one coordinate that changes by the l1 norm dominates: joining
    coordinates only increases the loss of independent log-concave noise.
    """
    moves = moved.moves
    if moves is None:
        if not isinstance(moved.l1.value, Fraction):
            return ()
        moves = DominatingMoves(((moved.l1.value, 1),) if moved.l1.value else (), attained=False)
    parts = tuple((pair(size), number) for size, number in moves.sizes)
    return (PrivacyLoss(parts, moves.attained),) if parts else ()


def _bounded(
    moved: Sensitivity, pair: Callable[[Fraction], Loss], factor: Fraction
) -> tuple[Measure, ...]:
    """Return the loss of noise with bounded likelihood ratios, and epsilon = factor * l1 norm."""
    pure: tuple[Measure, ...] = ()
    if isinstance(moved.l1.value, Fraction):
        pure = declared.pure_dp(PureDP(moved.l1.value * factor, moved.l1.side == "exact"))
    return _with_rho(_loss_of_moves(moved, pair), pure)


def _with_rho(losses: tuple[PrivacyLoss, ...], others: tuple[Measure, ...]) -> tuple[Measure, ...]:
    rhos = (zcdp_from_loss(loss) for loss in losses)
    return strongest(losses, others, tuple(rho for rho in rhos if rho is not None))


KINDS: Mapping[type[Noise], NoiseKind[Any]] = {
    Gaussian: NoiseKind(
        gaussian,
        "Gaussian differential privacy (tradeoff function G_mu); the noise is Gaussian, so the "
        "exact profile applies",
        corners="all",
        at_length=lambda noise, l2_squared: gaussian_moved_by(
            l2_squared, noise.sigma_squared, exact=False
        ),
        states_rho=True,
        drawing=Deferred(SAMPLERS, "gaussian"),
        variance=lambda noise: noise.sigma_squared,
    ),
    DiscreteGaussian: NoiseKind(
        discrete_gaussian,
        "zero-concentrated differential privacy (Rényi divergences); the noise is discrete "
        "Gaussian, so its own loss applies and the Gaussian profile does not apply",
        corners="sums",
        at_length=discrete_gaussian_at_length,
        states_rho=True,
        drawing=Deferred(SAMPLERS, "discrete_gaussian"),
        series=lambda noise: gaussian_variance(noise.sigma_squared),
    ),
    Laplace: NoiseKind(
        laplace,
        "pure differential privacy (multiplicative distance); the noise is Laplace",
        corners="all",
        drawing=Deferred(SAMPLERS, "laplace"),
        variance=lambda noise: 2 * noise.scale * noise.scale,
    ),
    DiscreteLaplace: NoiseKind(
        discrete_laplace,
        "pure differential privacy (multiplicative distance); the noise is discrete Laplace",
        corners="sums",
        drawing=Deferred(SAMPLERS, "discrete_laplace"),
        series=lambda noise: laplace_variance(noise.scale),
    ),
}
"""The record of every kind of independent noise."""
