"""What was done to the data: only described here, analysed in ``mechanisms``.

A mechanism is one part or a composition of parts. The parts form a closed union of three families:
a guarantee that was declared, noise on the answer to a query, and a randomizer of records.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, assert_never

from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PiecewiseLinear, PureDP
from semiaudit.model.query import Query
from semiaudit.model.source import NOWHERE, Mark

DeclaredMeasure = PureDP | ApproxDP | ZCDP | GDP | PiecewiseLinear
"""What a mechanism can declare."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A mechanism known only by the guarantee it declares for neighbours at distance 1 in D."""

    measure: DeclaredMeasure
    mark: Mark = NOWHERE

    @property
    def kind(self) -> str:
        """The name of the declared guarantee's kind."""
        match self.measure:
            case PureDP():
                return "pure_dp"
            case ApproxDP():
                return "approx_dp"
            case ZCDP():
                return "zcdp"
            case GDP():
                return "gdp"
            case PiecewiseLinear():
                return "tradeoff"
            case _:
                assert_never(self.measure)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """What every kind of noise on the answer to a query has; each kind adds its parameters.

    Attributes:
        query: what the noise is added to; or None where only ``shifts`` are known.
        shifts: by how much each affected coordinate moves at distance 1; empty with a query.
        kind: the name of the kind.
        whole: the noise takes whole numbers only, so that the answers must be whole too.
    """

    query: Query | None = None
    shifts: tuple[Fraction, ...] = ()
    mark: Mark = NOWHERE
    kind: ClassVar[str]
    whole: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Gaussian(Noise):
    """Independent Gaussian noise of variance ``sigma_squared``."""

    sigma_squared: Fraction
    kind: ClassVar[str] = "gaussian"


@dataclass(frozen=True, slots=True)
class DiscreteGaussian(Noise):
    """Independent noise on the integers, mass proportional to exp(-k^2 / (2 sigma_squared))."""

    sigma_squared: Fraction
    kind: ClassVar[str] = "discrete_gaussian"
    whole: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Laplace(Noise):
    """Independent Laplace noise, density proportional to exp(-|x| / scale)."""

    scale: Fraction
    kind: ClassVar[str] = "laplace"


@dataclass(frozen=True, slots=True)
class DiscreteLaplace(Noise):
    """Independent noise on the integers, mass proportional to exp(-|k| / scale)."""

    scale: Fraction
    kind: ClassVar[str] = "discrete_laplace"
    whole: ClassVar[bool] = True


Norm = Literal["hull", "l1", "l2", "linf"]


@dataclass(frozen=True, slots=True)
class KNorm(Noise):
    """The K-norm mechanism on a query.

    Attributes:
        epsilon: what it loses at distance 1 in D.
        norm: whose unit ball K is (``hull``: that of the query's own sensitivity space in D at
            distance 1, the optimal one of Proposition 9).
    """

    epsilon: Fraction
    norm: Norm = "hull"
    kind: ClassVar[str] = "k_norm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Randomizer:
    """What acts on records, and not on the answer to a query; each kind adds its parameters."""

    mark: Mark = NOWHERE
    kind: ClassVar[str]


@dataclass(frozen=True, slots=True)
class RandomizedResponse(Randomizer):
    """Every record answers for itself: one of ``levels`` values, its own with odds e^epsilon."""

    epsilon: Fraction
    levels: int
    kind: ClassVar[str] = "randomized_response"


@dataclass(frozen=True, slots=True)
class SubsampledGaussian(Randomizer):
    """Gaussian noise on a sum over a Poisson sample, again and again.

    Attributes:
        sigma_squared: of the noise, where one record adds a vector of length 1 at most.
        rate: the probability with which each record enters a sample.
        steps: how many samples are drawn.
        removals: 1 where a record of one neighbour of the metric enters or leaves, 2 where one
            leaves and another enters in its place.
    """

    sigma_squared: Fraction
    rate: Fraction
    steps: int
    removals: int = 1
    kind: ClassVar[str] = "subsampled_gaussian"


@dataclass(frozen=True, slots=True)
class Shuffled(Randomizer):
    """The reports of an epsilon0-DP local randomizer, one a record, in a random order."""

    epsilon0: Fraction
    reports: int
    kind: ClassVar[str] = "shuffled"


@dataclass(frozen=True, slots=True)
class Allocation:
    """The rho at distance 1 that the parts of a composition are said to add up to, and where.

    Attributes:
        path: of the sentence in the spec, as people write it.
    """

    rho: Fraction
    path: str = ""
    mark: Mark = NOWHERE


@dataclass(frozen=True, slots=True)
class Composition:
    """Mechanisms run on the same data, each as many times as its ``repeat`` says.

    Attributes:
        allocation: what the parts are said to add up to, which is checked; None if nothing is.
    """

    parts: tuple[tuple[Mechanism, int], ...]
    mark: Mark = NOWHERE
    allocation: Allocation | None = None


NoisePart = Gaussian | DiscreteGaussian | Laplace | DiscreteLaplace | KNorm
RandomizerPart = RandomizedResponse | SubsampledGaussian | Shuffled
Part = Declared | NoisePart | RandomizerPart
Mechanism = Part | Composition
