"""Mechanisms on records, such as randomized response: their loss at a distance.

Each function takes the mechanism and a distance of its metric, 1 or more, and returns every measure
that is then known to hold. None of them has a query, so the measures are the same in D_t as in D.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from semiaudit.frozen import dataclass
from semiaudit.mechanisms import declared
from semiaudit.mechanisms.kind import Asked, DatasetPairs, KnownLoss, Measures, MechanismKind
from semiaudit.model.invariants import fix_the_size
from semiaudit.model.loss import (
    FixedSizeGaussianLoss,
    GaussianLoss,
    Loss,
    PrivacyLoss,
    RandomizedResponseLoss,
    ShuffledLoss,
    SubsampledGaussianLoss,
    WorstLoss,
)
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, Measure, PureDP
from semiaudit.model.mechanism import RandomizedResponse, Randomizer, Shuffled, SubsampledGaussian
from semiaudit.model.randomizers import Sampling
from semiaudit.numeric.rationals import float_up
from semiaudit.privacy.conversion import zcdp_from_pure
from semiaudit.privacy.group import group, tradeoff_of_loss
from semiaudit.privacy.measures.zcdp import rho_of_randomized_response
from semiaudit.privacy.ordering.implication import strongest
from semiaudit.privacy.shuffled_batches import largest_answer_loss
from semiaudit.privacy.shuffling import tradeoff_of_shuffling
from semiaudit.privacy.tradeoff.polygon import (
    tradeoff_from_approx_dp,
)
from semiaudit.privacy.tradeoff.product import tensor_product

if TYPE_CHECKING:
    from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

R = TypeVar("R", bound=Randomizer)

_MOST_RECORDS = 16
"""The most records that differ for which an own pair is composed. If they enter or leave, each
number of entering ones is a composition of its own; if they are replaced, each adds two terms to
every mixture."""


BATCHES: Mapping[Sampling, str] = {
    "poisson": "Poisson samples",
    "fixed_size": "batches of a fixed size",
    "shuffle": "shuffled batches",
}

_LEAST_RATE = Fraction(sys.float_info.min)
"""Doubles next to smaller rates are not within units in their last place."""


@dataclass(frozen=True, slots=True)
class RandomizerKind(MechanismKind[R]):
    """A mechanism on records. Without a query, its measures are the same in D_t as in D.

    Attributes:
        at_distance: computes the loss of the mechanism at a distance of its metric, 1 or more.
    """

    at_distance: Callable[[R, int], Measures]
    standard: str

    def loss(self, part: R, pairs: DatasetPairs, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss by this many steps: projecting is post-processing."""
        stepwise = pairs.way in ("steps", "projected")
        return KnownLoss(self.at_distance(part, pairs.distance) if stepwise else ())

    def refusal(self, part: R, asked: Asked, spaces: SensitivitySpaces) -> str:
        """Refuse nothing: the loss is that of all neighbors in D."""
        return ""


class SampledKind(RandomizerKind[SubsampledGaussian]):
    """Gaussian noise on batches: its loss depends on how many records leave and enter."""

    __slots__ = ()

    def standard_of(self, part: SubsampledGaussian) -> str:
        """Name the batches, and zero-out where it replaces add/remove."""
        if part.sampling == "shuffle" and part.removals == 1:
            return f"{self.standard} on shuffled batches; zero-out: who leaves is an empty record"
        return f"{self.standard} on {BATCHES[part.sampling]}"

    def loss(
        self, part: SubsampledGaussian, pairs: DatasetPairs, spaces: SensitivitySpaces
    ) -> KnownLoss:
        """Return the loss at a distance; in D_t of one size, as many records leave as enter.

        Two such datasets at distance d under ``symmetric_difference`` differ by d/2 records that
        leave and d/2 that enter: by d/2 replaced records.
        """
        entering = part.removals == 1 and part.sampling == "poisson"
        balanced = entering and pairs.universe == "D_t" and pairs.distance > 1
        release = spaces.stated if balanced else None
        if release and (release.dataspace.size is not None or fix_the_size(release.invariants)):
            pairs = replace(pairs, distance=pairs.distance // 2)
            part = replace(part, removals=2)
        return super().loss(part, pairs, spaces)


def randomized_response(part: RandomizedResponse, distance: int) -> tuple[Measure, ...]:
    """Return one pair of responses for every record that differs: a product, not steps.

    Datasets that differ in a records differ in a responses, which are independent, so the pair is
    exactly f (x) f (x) ...: the responses of different records compose like independent releases.
    Group privacy's f o f o ... holds too, and is below it.

    Source: Warner 1965; Kairouz, Oh and Viswanath 2016 (k-ary); Dong, Roth and Su 2022,
    Definition 3.1 for the product.
    """
    epsilon, levels = part.epsilon, part.levels
    if not epsilon or levels == 1:
        return declared.pure_dp(PureDP(Fraction(0)))
    pair = RandomizedResponseLoss(epsilon, levels)
    return (
        PrivacyLoss(((pair, distance),), attained=True),
        PureDP(distance * epsilon),
        tensor_product([(tradeoff_from_approx_dp(ApproxDP(epsilon, Fraction(0))), distance)]),
        ZCDP(distance * rho_of_randomized_response(epsilon, levels), exact=False),
    )


def subsampled_gaussian(part: SubsampledGaussian, distance: int) -> tuple[Measure, ...]:
    """Return the pair of records that enter, leave, or are replaced, and that without sampling.

    Sampling is post-processing of the same noise without it (replace a record that was not sampled
    by an answer without the record), so mu^2 = steps / sigma^2 holds, and k mu for k records. For
    more records than those whose pair is listed, (epsilon, delta) pairs are extended by steps.

    The pair of one record that enters or leaves is that of two datasets.

    Rounding: a rate next to 0 or 1 is raised to a double with a known ln(1 - rate).

    Other batches have the loss of :func:`_batches`.

    Source: docs/theory/amplification.md, *Sampled Gaussian noise*; Zhu, Dong and Wang 2022,
    Proposition 30, for one record that enters or leaves.
    """
    records = distance * part.removals
    # A smaller mu does not hold for one record that enters or leaves (docs/theory/conversions.md),
    # but the function of the noise is G_mu only if every step samples every record.
    everyone = part.rate == 1
    least = everyone or (records == 1 and part.sampling == "poisson")
    mu_squared = Fraction(part.participations) / part.sigma_squared
    unsampled = group(declared.gdp(GDP(mu_squared, exact=least, attained=everyone)), records)
    # A larger rate loses no less (docs/theory/amplification.md).
    raised = Fraction(float_up(part.rate))
    if raised == 1:
        return unsampled
    if part.sampling != "poisson":
        return (*_batches(part, distance), *unsampled)
    exact, replaced = part.rate >= _LEAST_RATE, part.removals > 1
    part = part if exact else replace(part, rate=raised)
    if distance <= _MOST_RECORDS:
        loss = _sampled(part, distance, replaced=replaced)
        # One record whose vector has norm 1 in every step, among records whose vectors are 0.
        return (replace(loss, attained=exact and records == 1), *unsampled)
    groups = -(-distance // _MOST_RECORDS)
    size = -(-distance // groups)
    of_one, many = (tradeoff_of_loss(_sampled(part, k, replaced=replaced)) for k in (1, size))
    return strongest(unsampled, group((of_one,), distance), group((many,), groups))


def _sampled(part: SubsampledGaussian, distance: int, *, replaced: bool) -> PrivacyLoss:
    pair = SubsampledGaussianLoss(part.sigma_squared, part.rate, distance, replaced)
    return PrivacyLoss(((pair, part.steps),))


def _batches(part: SubsampledGaussian, distance: int) -> tuple[Measure, ...]:
    """Return the loss on shuffled batches, or batches of a fixed size, besides that of all records.

    Two datasets attain the first of two pairs. The second one dominates: that of C_p(G_mu) in each
    step, or, on shuffled batches, the noise of one batch an epoch.

    Source: docs/theory/amplification.md, *Batches of a fixed size, and shuffled ones*.
    """
    first: Loss
    second: Loss
    if part.sampling == "fixed_size":
        times = part.steps
        first = SubsampledGaussianLoss(part.sigma_squared / 4, part.rate)
        second = FixedSizeGaussianLoss(part.sigma_squared, part.rate)
        if distance > 1:
            return group((tradeoff_of_loss(PrivacyLoss(((second, times),))),), distance)
    else:
        times, other = part.participations, 2 - part.removals
        if distance > 1 or part.steps * part.rate != times:
            return ()
        first = largest_answer_loss(part.sigma_squared, int(1 / part.rate), other)
        second = GaussianLoss(part.removals**2 / part.sigma_squared)
    attained = PrivacyLoss(((first, times),), attained=True)
    return (WorstLoss((attained, PrivacyLoss(((second, times),)))),)


def shuffled(part: Shuffled, distance: int) -> tuple[Measure, ...]:
    """Return the pair of clones, epsilon0-DP, and a polygon of the pair, composed at distance k.

    Source: Feldman, McMillan and Talwar 2023 (Su's review, section 4.3); Dong, Roth and Su 2022,
    Theorem 2.14, for distance k.
    """
    if not part.epsilon0:
        return declared.pure_dp(PureDP(Fraction(0)))
    loss = PrivacyLoss(((ShuffledLoss(part.epsilon0, part.reports), 1),))
    polygon = tradeoff_of_shuffling(part.reports, part.epsilon0)
    pure = PureDP(part.epsilon0, exact=False)
    return group((loss, pure, polygon, zcdp_from_pure(pure)), distance)


KINDS: Mapping[type[Randomizer], RandomizerKind[Any]] = {
    RandomizedResponse: RandomizerKind(
        randomized_response,
        "pure differential privacy (multiplicative distance); every record answers for itself",
    ),
    SubsampledGaussian: SampledKind(
        subsampled_gaussian,
        "(ε, δ)-differential privacy (hockey-stick divergence); Gaussian noise",
    ),
    Shuffled: RandomizerKind(
        shuffled,
        "(ε, δ)-differential privacy (hockey-stick divergence); shuffled reports",
    ),
}
"""The record of every randomizer."""
