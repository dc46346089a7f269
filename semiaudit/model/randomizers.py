"""Randomizers: mechanisms that act on records, and not on the answer to a query.

Source of swapping: Bailie, Gong and Meng, "Can Swapping Be Differentially Private?" (slides), the
listing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Randomizer:
    """A mechanism on records, not on the answer to a query; each kind adds its parameters."""

    mark: Mark = NOWHERE
    kind: ClassVar[str]
    home: ClassVar[str] = "randomizers"


@dataclass(frozen=True, slots=True)
class RandomizedResponse(Randomizer):
    """Every record answers for itself: one of ``levels`` values, its own with odds e^epsilon."""

    epsilon: Fraction
    levels: int
    kind: ClassVar[str] = "randomized_response"


Sampling = Literal["poisson", "fixed_size", "shuffle"]
"""How batches are sampled: each record enters each batch by chance; so many records of all, without
replacement; or every epoch divides all records, in a random order."""


@dataclass(frozen=True, slots=True)
class SubsampledGaussian(Randomizer):
    """Gaussian noise on a sum over a batch of records, again and again.

    Attributes:
        sigma_squared: of the noise, where one record adds a vector of length 1 at most.
        rate: the probability with which each record enters a batch.
        steps: how many batches are sampled; all epochs together.
        removals: 1 if a record of one neighbor of the metric enters or leaves (shuffled batches:
            or is an empty one), 2 where one leaves and another enters in its place.
        sampling: how batches are sampled; of a fixed size only where a record is replaced.
    """

    sigma_squared: Fraction
    rate: Fraction
    steps: int
    removals: int = 1
    sampling: Sampling = "poisson"
    kind: ClassVar[str] = "subsampled_gaussian"

    @property
    def participations(self) -> int:
        """Return the largest number of batches that one record is in."""
        return math.ceil(self.steps * self.rate) if self.sampling == "shuffle" else self.steps


@dataclass(frozen=True, slots=True)
class Shuffled(Randomizer):
    """The reports of an epsilon0-DP local randomizer, one a record, in a random order."""

    epsilon0: Fraction
    reports: int
    kind: ClassVar[str] = "shuffled"


SwapVariant = Literal["derangement", "uniform"]
"""The permutations of the selected records of a stratum, of which one is chosen uniformly: those
that leave none in its place, or all."""

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Swapping:
    """Records are selected by chance, and those of one stratum exchange some of their values.

    Inside each stratum of two records or more every record is selected independently with
    probability ``rate``; the values of the attributes ``swap`` are permuted among the selected
    ones. Which records there are of a stratum with each combination of values of ``swap``, and of
    all other attributes, stays as it is; their joint counts change.

    Attributes:
        rate: the swap rate p, above 0 and below 1; None if it is still to be calibrated.
        stratify_by: the attributes that the records of one stratum agree on. Empty where sizes tell
            the strata, and nothing else; without sizes too, all records are one stratum.
        strata: the sizes of the strata, where they are given; else empty.
        largest_stratum: the size of the largest stratum, where it is given; else None.
        swap: the attributes whose values are exchanged, together.
        variant: how the selected records are permuted.
        reselection: where exactly one record of a stratum was selected, that stratum is selected
            anew; without, nothing happens there.
    """

    rate: Annotated[Fraction | None, "the swap rate, as a fraction"]
    stratify_by: Annotated[Names, "the attributes that define the strata"] = ()
    strata: tuple[int, ...] = ()
    largest_stratum: int | None = None
    swap: Annotated[Names, "the exchanged attributes"] = ()
    variant: Annotated[SwapVariant, "the kind of permutation"] = "derangement"
    reselection: Annotated[
        bool, "whether records are selected again in strata with one selected record"
    ] = True
    mark: Mark = NOWHERE
    kind: ClassVar[str] = "swapping"
    home: ClassVar[str] = "swapping.swapping_kind"

    def __post_init__(self) -> None:
        if self.rate is not None and not 0 < self.rate < 1:
            raise ValueError("a swap rate must be above 0 and below 1")
        if self.strata and self.largest_stratum is not None:
            raise ValueError("give strata or largest_stratum, not both")
        if min((*self.strata, self.largest_stratum or 1)) < 1:
            raise ValueError("a stratum has a record")
        if set(self.swap) & set(self.stratify_by):
            raise ValueError("an attribute that defines the strata cannot be exchanged")

    @property
    def by_sizes(self) -> bool:
        """Return whether the sizes of the strata are known, but not what their records agree on."""
        return not self.stratify_by and bool(self.strata or self.largest_stratum is not None)

    def rest(self, attributes: Iterable[str]) -> Names:
        """Return the attributes of a dataspace that are neither exchanged nor define the strata."""
        known = {*self.swap, *self.stratify_by}
        return tuple(name for name in attributes if name not in known)

    def kept(self, attributes: Iterable[str]) -> tuple[Names, ...]:
        """The margins that swapping leaves as they are, of a table over these attributes.

        Returns:
            The strata by the exchanged attributes, and the strata by the rest; each in the order
            of the attributes. None if the strata are no attributes.
        """
        if self.by_sizes:
            return ()
        order = tuple(attributes)
        still = {*self.stratify_by, *self.rest(order)}
        changed = {*self.stratify_by, *self.swap}
        margins = (tuple(name for name in order if name in part) for part in (changed, still))
        return tuple(names for names in margins if names)
