"""Privacy losses as descriptions: a pair of output distributions that bounds all others.

A description names a pair (P, Q) exactly and computes nothing; ``privacy.loss`` evaluates it. A
mechanism's loss is *dominated* by a pair if its tradeoff function is nowhere below that of the
pair, in either direction; parts that are dominated one by one are dominated together by the product
of their pairs, adaptively chosen or not (Zhu, Dong and Wang 2022, Theorem 27).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from semiaudit.frozen import cached_property, dataclass


@dataclass(frozen=True, slots=True)
class GaussianLoss:
    """N(0, 1) against N(mu, 1), with mu squared kept exact."""

    mu_squared: Fraction

    def __post_init__(self) -> None:
        _require(self.mu_squared >= 0, "mu squared is at least 0")


@dataclass(frozen=True, slots=True)
class LaplaceLoss:
    """Laplace noise of scale 1 against itself moved by ``shift`` (the move over the scale)."""

    shift: Fraction


@dataclass(frozen=True, slots=True)
class DiscreteGaussianLoss:
    """The discrete Gaussian with parameter ``sigma_squared`` against itself moved by ``shift``."""

    shift: int
    sigma_squared: Fraction

    def __post_init__(self) -> None:
        _require(self.sigma_squared > 0, "sigma squared is positive")


@dataclass(frozen=True, slots=True)
class DiscreteLaplaceLoss:
    """Mass proportional to exp(-|k| / scale) on the integers against itself moved by ``shift``."""

    shift: int
    scale: Fraction

    def __post_init__(self) -> None:
        _require(self.scale > 0, "a scale is positive")


@dataclass(frozen=True, slots=True)
class RandomizedResponseLoss:
    """One of ``levels`` values, kept with odds e^epsilon to each other one; two true values.

    With two levels it is the pair of the tradeoff function f_{epsilon,0}.
    """

    epsilon: Fraction
    levels: int = 2

    def __post_init__(self) -> None:
        _require(self.epsilon >= 0, "epsilon is at least 0")
        _require(self.levels >= 2, "there are two levels or more")


@dataclass(frozen=True, slots=True)
class ApproxLoss:
    """The pair of the tradeoff function f_{epsilon,delta}."""

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        _require(self.epsilon >= 0, "epsilon is at least 0")
        _require(0 <= self.delta <= 1, "delta must be in [0, 1]")


@dataclass(frozen=True, slots=True)
class FiniteLoss:
    """Two distributions on finitely many outcomes, as exact probabilities that each sum to 1."""

    first: tuple[Fraction, ...]
    second: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        equal_length = len(self.first) == len(self.second)
        _require(equal_length, "both distributions must have the same outcomes")
        for masses in (self.first, self.second):
            _require(all(mass >= 0 for mass in masses), "a probability must be at least 0")
            what = 'probabilities must sum to 1 exactly; give fractions as text, such as "1/3"'
            _require(sum(masses) == 1, what)

    def __hash__(self) -> int:
        # A fraction is hashed by a power: one outcome is enough to find a pair again.
        middle = len(self.first) // 2
        return hash((len(self.first), self.first[middle:][:1], self.second[middle:][:1]))


@dataclass(frozen=True, slots=True)
class SubsampledGaussianLoss:
    """Gaussian noise on a Poisson sample, where two datasets differ in some records.

    With a records that only the first dataset has and b that only the second has, it is the law of
    N(-A, sigma^2) against that of N(B, sigma^2), with A ~ Bin(a, rate) and B ~ Bin(b, rate). If
    ``replaced``, a = b = ``records``. Else a + b = ``records``, and what the datasets are decides
    on a: every a from 0 to ``records`` counts.
    """

    sigma_squared: Fraction
    rate: Fraction
    records: int = 1
    replaced: bool = False

    def __post_init__(self) -> None:
        _require(self.sigma_squared > 0, "sigma squared is positive")
        _require(0 <= self.rate <= 1, "a sampling rate must be in [0, 1]")
        _require(self.records >= 1, "there is a record in which the datasets differ")


@dataclass(frozen=True, slots=True)
class FixedSizeGaussianLoss:
    """Gaussian noise on a batch of a fixed size, where one record is replaced.

    The pair of C_p(G_mu), with mu = 2 / sigma and p = ``rate``: the largest convex function below
    f = p G_mu + (1 - p) Id and its inverse.
    """

    sigma_squared: Fraction
    rate: Fraction

    def __post_init__(self) -> None:
        _require(self.sigma_squared > 0, "sigma squared is positive")
        _require(0 <= self.rate <= 1, "a sampling rate must be in [0, 1]")


@dataclass(frozen=True, slots=True)
class ShuffledLoss:
    """The pair of clones: so many shuffled reports of one epsilon0-DP randomizer."""

    epsilon0: Fraction
    reports: int

    def __post_init__(self) -> None:
        _require(self.epsilon0 >= 0, "epsilon0 is at least 0")
        _require(self.reports >= 1, "there is a report or more")


@dataclass(frozen=True, slots=True)
class ConcentratedLoss:
    """The pair that dominates every rho-zCDP mechanism; several are one with the sum of the rhos.

    If only the zCDP of some parts of a composition is known, this pair replaces all of them.
    """

    rho: Fraction

    def __post_init__(self) -> None:
        _require(self.rho >= 0, "rho is at least 0")


Loss = (
    GaussianLoss
    | LaplaceLoss
    | DiscreteGaussianLoss
    | DiscreteLaplaceLoss
    | RandomizedResponseLoss
    | ApproxLoss
    | FiniteLoss
    | ShuffledLoss
    | ConcentratedLoss
    | SubsampledGaussianLoss
    | FixedSizeGaussianLoss
)


@dataclass(frozen=True)
class PrivacyLoss:
    """A product of pairs, each with how often it occurs: a measure like any other.

    Attributes:
        parts: (pair, repeat), every repeat 1 or more; empty if nothing is lost.
        attained: the product is the pair of two datasets that the guarantee speaks of, so that
            what it loses is lost, and its lower bounds are those of the mechanism.
    """

    parts: tuple[tuple[Loss, int], ...]
    attained: bool = False

    def __post_init__(self) -> None:
        _require(all(repeat >= 1 for _, repeat in self.parts), "a part occurs at least once")

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Every number of a product is kept by it, and a product may have thousands of parts.
        return hash((self.parts, self.attained))


@dataclass(frozen=True, slots=True)
class WorstLoss:
    """Several products of pairs: for any two datasets, one of the products loses no less.

    At every type I error the type II error between two datasets is at least the least one of the
    products. In the loss of one part of a mechanism, two datasets have one of the products in all
    runs, so that each product is composed with the other parts. Its steps are not known. In the
    loss of all parts together, the worst product may also depend on the type I error (corners of a
    hull), and this loss is not composed.

    Attributes:
        losses: two or more; each is attained by two datasets where it says so.
    """

    losses: tuple[PrivacyLoss, ...]

    def __post_init__(self) -> None:
        _require(len(self.losses) >= 2, "of one product there is no worst one")


def products_of(measure: PrivacyLoss | WorstLoss) -> tuple[PrivacyLoss, ...]:
    """The products of pairs of which one decides; of one loss that itself."""
    return measure.losses if isinstance(measure, WorstLoss) else (measure,)


@lru_cache
def plain_products_of(measure: PrivacyLoss | WorstLoss) -> tuple[PrivacyLoss, ...]:
    """The products of which one decides: a number does not depend on who attains a product."""
    return tuple(
        PrivacyLoss(loss.parts) if loss.attained else loss for loss in products_of(measure)
    )


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)
