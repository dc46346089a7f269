"""What was done to the data: only described here, analysed in ``mechanisms``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from semiaudit.model.measure import Measure
from semiaudit.model.query import Query
from semiaudit.model.source import NOWHERE, Mark


@dataclass(frozen=True, slots=True)
class Declared:
    """A mechanism known only by the guarantee it declares for neighbours at distance 1 in D."""

    kind: str
    measure: Measure
    mark: Mark = NOWHERE


NoiseKind = Literal["gaussian", "discrete_gaussian", "laplace", "discrete_laplace", "k_norm"]
Norm = Literal["hull", "l1", "l2", "linf"]


@dataclass(frozen=True, slots=True)
class Noise:
    """A query plus independent noise of a known distribution.

    Attributes:
        scale: sigma^2 of a (discrete) Gaussian, the scale b of a (discrete) Laplace, or the
            epsilon that a K-norm mechanism has at distance 1 in D.
        query: what the noise is added to; or None where only ``shifts`` are known.
        shifts: by how much each affected coordinate moves at distance 1; empty with a query.
        norm: of a K-norm mechanism: whose unit ball K is (``hull``: that of the query's own
            sensitivity space in D at distance 1, the optimal one of Proposition 9).
    """

    kind: NoiseKind
    scale: Fraction
    query: Query | None
    shifts: tuple[Fraction, ...] = ()
    norm: Norm = "hull"
    mark: Mark = NOWHERE


@dataclass(frozen=True, slots=True)
class RandomizedResponse:
    """Every record answers for itself: one of ``levels`` values, its own with odds e^epsilon."""

    epsilon: Fraction
    levels: int
    mark: Mark = NOWHERE
    kind: ClassVar[str] = "randomized_response"


@dataclass(frozen=True, slots=True)
class SubsampledGaussian:
    """Gaussian noise on a sum over a Poisson sample, again and again.

    Attributes:
        sigma_squared: of the noise, where one record adds a vector of length 1 at most.
        rate: the probability with which each record enters a sample.
        steps: how many samples are drawn.
        removals: by how many records that enter or leave two neighbours of the metric differ: 1
            where one enters or leaves, 2 where one is replaced.
    """

    sigma_squared: Fraction
    rate: Fraction
    steps: int
    removals: int = 1
    mark: Mark = NOWHERE
    kind: ClassVar[str] = "subsampled_gaussian"


@dataclass(frozen=True, slots=True)
class Shuffled:
    """The reports of an epsilon0-DP local randomizer, one a record, in a random order."""

    epsilon0: Fraction
    reports: int
    mark: Mark = NOWHERE
    kind: ClassVar[str] = "shuffled"


Randomizer = RandomizedResponse | SubsampledGaussian | Shuffled
"""What acts on records, and not on the answer to a query."""


@dataclass(frozen=True, slots=True)
class Composition:
    """Mechanisms run on the same data, each as many times as its ``repeat`` says."""

    parts: tuple[tuple[Mechanism, int], ...]
    mark: Mark = NOWHERE


Part = Declared | Noise | Randomizer
Mechanism = Part | Composition
