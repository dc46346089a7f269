"""Additive noise: its kinds, and its privacy loss at a known sensitivity of the answers.

Each function takes the noise, the sensitivity of its query between the relevant datasets, and the
query's sensitivity in D at distance 1. It returns every measure that is then known to hold; none if
the sensitivity has no finite bound. A query that does not change has no privacy loss (E15).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, assert_never

from semiaudit.frozen import dataclass
from semiaudit.mechanisms import declared, supports
from semiaudit.mechanisms.declared import rho_of
from semiaudit.mechanisms.kind import (
    Asked,
    DatasetPairs,
    Deferred,
    KnownLoss,
    Measures,
    MechanismKind,
    Sampler,
    not_attained,
    refusal_of_sizes,
    refused,
    steps_of,
)
from semiaudit.mechanisms.spread import spread_of_discrete, spread_of_projection
from semiaudit.model.bound import Bound, exact
from semiaudit.model.frameworks import UniverseName
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
from semiaudit.model.query import DominatingMoves, Query, Sensitivity, Spread
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import exact_sqrt, float_up
from semiaudit.privacy.conversion import zcdp_from_loss
from semiaudit.privacy.group import group
from semiaudit.privacy.ordering.implication import strongest
from semiaudit.privacy.special.discrete_noise import gaussian_variance, laplace_variance
from semiaudit.universe.per_unit import unit_l2_squared
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    from semiaudit.mechanisms.sampling.sampling_methods import Drawing


SOURCE = "the spec's shifts; norms are homogeneous and satisfy the triangle inequality"


def sensitivity_of_shifts(shifts: Sequence[Fraction], distance: int) -> Sensitivity:
    """Return the norms of ``distance`` steps in the same direction: no other steps lead further.

    The gauge is not used: a K-norm mechanism needs a query.
    """
    sizes = [abs(shift) * distance for shift in shifts]
    largest = max(sizes, default=Fraction(0))
    moving = sorted(Counter(size for size in sizes if size).items(), reverse=True)
    return Sensitivity(
        distance=distance,
        l1=exact(sum(sizes, Fraction(0)), "shifts", SOURCE),
        l2_squared=exact(sum((size * size for size in sizes), Fraction(0)), "shifts", SOURCE),
        linf=exact(largest, "shifts", SOURCE),
        gauge=exact(distance if largest else 0, "shifts", SOURCE),
        rank=None,
        elements=None,
        method="shifts",
        moves=DominatingMoves(tuple(moving), attained=True),
    )


Corners = Literal["all", "sums", "none"]

N = TypeVar("N", bound=Noise)


@dataclass(frozen=True, slots=True)
class NoiseKind(MechanismKind[N]):
    """Noise on the answer to a query.

    Attributes:
        against: a function of the noise, the sensitivity of its query between the relevant
            datasets, and the query's sensitivity in D at distance 1. It returns every measure that
            is then known to hold; empty if the sensitivity has no finite bound.
        corners: which losses are worst at a corner of a convex set of answers: ``all`` if its
            density is log-concave on R^d, and rho and epsilon are convex in the move; ``sums`` if
            only rho and epsilon are; ``none`` if neither is known.
        at_length: the measures between answers at a distance (a squared Euclidean length) on
            null(C), or inside D_t if the noise has a support; None if lengths alone bound nothing.
        states_rho: whether, with shifts, its rho is a rational that follows from the spec alone.
        drawing: the sampler of the noise on its query; None if there is none.
        variance: of one coordinate of the noise without a support; None if no rational is known.
        series: the same, enclosed, of noise on the integers; None for other noise.
    """

    against: Callable[[N, Sensitivity, Sensitivity], Measures]
    standard: str
    corners: Corners = "none"
    at_length: Callable[[N, Fraction], Measures | None] = lambda *_: None
    states_rho: bool = False
    drawing: Callable[[N, Query, SensitivitySpaces], Drawing] | None = None
    variance: Callable[[N], Fraction] | None = None
    series: Callable[[N], Interval] | None = None
    not_sampled: ClassVar[tuple[str, str]] = (
        "{kind} cannot be sampled, because there is no sampler for it",
        "use another kind of noise",
    )

    def loss(self, part: N, pairs: DatasetPairs, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss of the noise for the changes of its query, or for a number of steps."""
        match pairs.way:
            case "change":
                return KnownLoss(self.by_change(part, pairs.distance, pairs.universe, spaces))
            case "steps" if pairs.universe == "D":
                return KnownLoss(self.by_steps(part, pairs.distance, spaces))
            case "steps":
                return self.by_units(part, pairs.distance, spaces)
            case "projected":
                return self.projected(part, spaces)
            case "published":
                return KnownLoss()
            case _:
                assert_never(pairs.way)

    def unit(self, part: N, spaces: SensitivitySpaces) -> Measures:
        """Return the loss for the changes of the query, or the shifts, at distance 1 in D."""
        if part.query is None:
            return self.by_steps(part, 1, spaces)
        moved = spaces.everywhere(part.query, 1)
        return self.against(part, moved, moved)

    def by_steps(self, part: N, distance: int, spaces: SensitivitySpaces) -> Measures:
        """Return the loss by group privacy; bare shifts are multiplied, each coordinate separately.

        Its own f is composed, and the coordinates after that (Proposition 21's better order).
        """
        if part.query is not None:
            further = group(self.unit(part, spaces), distance)
            # Steps add up to an upper bound: no two datasets are known in which the query changes
            # by as much in every step.
            return further if distance == 1 else not_attained(further)
        steps = steps_of(part.neighbors, distance, spaces)
        if not steps:
            return ()
        known = _moved_by_shifts(self.against, part, steps)
        # The two steps that replace a record may cancel each other.
        return known if steps == distance else not_attained(known)

    def by_change(
        self, part: N, distance: int, universe: UniverseName, spaces: SensitivitySpaces
    ) -> Measures:
        """Return the loss for the changes of the query; pairs inside D_t are pairs in D too."""
        if part.query is None:
            return ()
        unit = spaces.everywhere(part.query, 1)
        anywhere = self.against(part, spaces.everywhere(part.query, distance), unit)
        if universe == "D":
            return anywhere
        inside = self.against(part, spaces.within(part.query, distance), unit)
        return strongest(inside, not_attained(anywhere))

    def by_units(self, part: N, distance: int, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss per unit, by steps of the plain noise.

        A support shows only projections of steps.

        Two datasets of D_t differ by a sum of the projections of the steps between them, so a
        difference over its distance is at most as long as the longest of these. If D_t is listed,
        the longest such difference is known. With a support, the remark says which of these it is.
        """
        known = self.by_steps(part, distance, spaces)
        if part.query is None or part.support is None:
            return KnownLoss(known)
        if self.at_length(part, Fraction(0)) is None:
            return KnownLoss(known, supports.UNPROJECTED)
        longest = unit_l2_squared(spaces.release, part.query)
        square = spaces.projected_l2_squared(part.query) if longest is None else longest
        if square is None:
            return KnownLoss(known, supports.UNPROJECTED)
        at_distance = self.at_length(part, square * distance * distance) or ()
        listed = longest is not None
        remark = supports.supremum(at_distance, attained=True) if listed else supports.PROJECTED
        return KnownLoss(strongest(at_distance, known), remark)

    def projected(self, part: N, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss for the projected sensitivity, if it is known what that shows."""
        nominal = self.unit(part, spaces)
        if part.query is None:
            return KnownLoss(nominal)
        square = spaces.projected_l2_squared(part.query)
        if square is None:
            return KnownLoss(refused=supports.no_subspace(part.query, spaces))
        projected_loss = self.at_length(part, square)
        return KnownLoss(nominal if projected_loss is None else strongest(projected_loss, nominal))

    def refusal(self, part: N, asked: Asked, spaces: SensitivitySpaces) -> str:
        """Say what a support leaves unchanged, publishes, or leaves unknown.

        Noise without a support refuses only datasets that its shifts are not for.
        """
        if part.query is None:
            return refusal_of_sizes(part.neighbors, asked, spaces)
        if part.support is None:
            return ""
        if asked == "disagreeing":
            return supports.shows(part.query, spaces)
        return supports.refusal(part, part.query, asked, spaces)

    def specified_rho(self, part: N) -> Fraction | None:
        """Return the rho of bare shifts, which follows from the spec alone."""
        if part.query is not None or not self.states_rho:
            return None
        unit = sensitivity_of_shifts(part.shifts, 1)
        return rho_of(self.against(part, unit, unit))

    def sampler(self, part: N) -> Sampler:
        """Sample the noise on its query, by ``drawing``."""
        query, drawing = asked_query(part), self.drawing
        if drawing is None:
            return MechanismKind.sampler(self, part)
        return lambda spaces, _: drawing(part, query, spaces)

    def spread(self, part: N, spaces: SensitivitySpaces) -> Spread | None:
        """Return the variances: for noise with a support, those of the projector times the
        variance; for plain noise on the integers, the sum of a series.
        """
        if self.series is not None and part.support is None:
            return spread_of_discrete(part, self.series(part), spaces)
        if self.variance is None:
            return None
        return spread_of_projection(part, self.variance(part), spaces)


def asked_query(part: Noise) -> Query:
    """Return the query to which the noise is added.

    Raises:
        RefusedError: there is none, so the noise cannot be sampled.
    """
    if part.query is None:
        what = "has shifts and no query, so the answer that it is added to is unknown"
        raise refused(part, what, "add its query: table, margins, or matrix")
    return part.query


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
    Delta_K is known, the noise itself is unknown, and no measure follows for other pairs. This
    function returns none for a hull of D_t, whose norm is not that of D.

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
    attained = moved == unit or _norm_of(noise, moved).side == "exact"
    is_exact = moved.distance == 1 and ratio == 1 and attained
    on_a_line = noise.norm == "hull" and unit.rank == 1 and moved.gauge.side == "exact"
    return _of_support(
        noise, k_norm_moved_by(noise.epsilon * ratio, exact=is_exact, on_a_line=on_a_line)
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


@lru_cache(maxsize=4096)
def _moved_by_shifts(
    against: Callable[[N, Sensitivity, Sensitivity], Measures], part: N, steps: int
) -> Measures:
    """Return the loss for shifts that are multiplied; every row of an audit asks for it again."""
    unit, moved = (sensitivity_of_shifts(part.shifts, k) for k in (1, steps))
    alone = against(part, unit, unit)
    return alone if steps == 1 else strongest(against(part, moved, unit), group(alone, steps))


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
        "Gaussian differential privacy (Gaussian noise; ε is computed from its exact tradeoff "
        "function)",
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
        "zCDP (discrete Gaussian noise; ε is computed from its exact loss distribution)",
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
