"""Randomizers: mechanisms that act on records, and not on the answer to a query."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from semiaudit.model.source import NOWHERE, Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Randomizer:
    """What acts on records, and not on the answer to a query; each kind adds its parameters."""

    mark: Mark = NOWHERE
    kind: ClassVar[str]
    home: ClassVar[str] = "randomizers"


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
        removals: 1 if a record of one neighbor of the metric enters or leaves, 2 where one
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
