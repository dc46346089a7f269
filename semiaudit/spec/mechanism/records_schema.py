"""The grammar of mechanisms that act on records, against the metric and the size of the data."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, assert_never, get_args

from pydantic import AfterValidator, Field

from semiaudit.model.adjacency import assumed_neighbors
from semiaudit.model.mechanism import RandomizedResponse, Shuffled, SubsampledGaussian
from semiaudit.model.randomizers import Sampling
from semiaudit.spec.mechanism.mechanism_reader import OptionalNeighbors, PartSection, SpecPlace
from semiaudit.spec.scalars import (
    LARGEST_LEVELS,
    Loss,
    Number,
    Repeat,
    Scale,
    Whole,
    choice,
    within,
)

MOST_REPORTS = 10**8
LARGEST_LOCAL_LOSS = 170


class RandomizedResponseSection(PartSection):
    """Every record reports on its own: its true value, with odds e^epsilon to each other value."""

    epsilon: Loss
    levels: Annotated[
        Whole,
        AfterValidator(within(2, LARGEST_LEVELS)),
        Field(description="the number of values that an answer can have"),
    ]

    def part(self, place: SpecPlace) -> RandomizedResponse | None:
        """Randomized response, which needs records in their places."""
        metric = place.setting.metric
        if metric != "hamming":
            what = f"every record reports in its own place, but {metric} does not compare places"
            place.report((), what, "use the metric hamming")
            return None
        return RandomizedResponse(self.epsilon, self.levels, mark=place.mark)


class SubsampledGaussianSection(PartSection):
    """Gaussian noise on sums over batches, as in private gradient descent."""

    noise_multiplier: Annotated[
        Scale,
        Field(
            description="the standard deviation, divided by the largest contribution of one record"
        ),
    ]
    sampling: Annotated[
        Sampling,
        choice(*get_args(Sampling)),
        Field(
            description="how batches are sampled: poisson, each record enters each batch by chance "
            "(default); fixed_size, so many records without replacement; shuffle, each epoch "
            "divides all records in a random order"
        ),
    ] = "poisson"
    sampling_rate: Annotated[
        Annotated[Number, AfterValidator(within(0, 1, open_low=True))] | None,
        Field(description="the probability that a record is in a batch; not for shuffle"),
    ] = None
    steps: Annotated[
        Repeat | None, Field(description="the number of batches, of all epochs; not for shuffle")
    ] = None
    steps_per_epoch: Annotated[
        Repeat | None, Field(description="the number of batches in an epoch; only for shuffle")
    ] = None
    epochs: Annotated[
        Repeat | None, Field(description="the number of epochs; only for shuffle")
    ] = None
    neighbors: OptionalNeighbors = None

    def part(self, place: SpecPlace) -> SubsampledGaussian | None:
        """The noise, where a record of the metric enters, leaves, or is replaced by another."""
        square = self.noise_multiplier * self.noise_multiplier
        removals = self._removals(place)
        shuffle = self.sampling == "shuffle"
        needed = _OF_SHUFFLE if shuffle else _OF_OTHERS
        missing = [key for key in needed if getattr(self, key) is None]
        for key in _OF_OTHERS if shuffle else _OF_SHUFFLE:
            if getattr(self, key) is not None:
                what = f"{key} does not describe batches with the sampling {self.sampling}"
                place.report((key,), what, f"use {' and '.join(needed)}")
                missing.append(key)
        if any(getattr(self, key) is None for key in needed):
            what = f"batches with the sampling {self.sampling} need {' and '.join(needed)}"
            place.report((), what, "add the missing key")
        if missing or not removals:
            return None
        rate, steps = self.sampling_rate or Fraction(1), self.steps or 1
        if self.steps_per_epoch and self.epochs:
            rate, steps = Fraction(1, self.steps_per_epoch), self.steps_per_epoch * self.epochs
        return SubsampledGaussian(square, rate, steps, removals, self.sampling, mark=place.mark)

    def _removals(self, place: SpecPlace) -> int:
        """Return 1 or 2, or 0 with a problem in the document if the relation is another one."""
        match place.setting.metric:
            case "symmetric_difference":
                removals = 1
            case "hamming" | "multiset_hamming":
                removals = 2
            case _:
                assert_never(place.setting.metric)
        metric, stated = place.setting.metric, self.neighbors
        if removals == 1 and self.sampling == "fixed_size":
            what = f"batches of a fixed size are proven for replace-one, not for {metric}"
            place.report(("sampling",), what, "use the metric hamming or multiset_hamming")
            return 0
        if removals == 1 and self.sampling == "shuffle":
            if stated == "zero_out":
                return removals
            what = f"a record that leaves would move the others to other batches under {metric}"
            remedy = (
                "add neighbors: zero_out if it leaves an empty record in its place, or use the "
                "metric hamming"
            )
            place.report(("sampling",), what, remedy)
            return 0
        if stated not in (None, assumed_neighbors(metric)):
            what = f"{stated} is not the relation of the metric {metric}"
            place.report(("neighbors",), what, f"use {assumed_neighbors(metric)}")
            return 0
        return removals


_OF_SHUFFLE, _OF_OTHERS = ("steps_per_epoch", "epochs"), ("sampling_rate", "steps")


class ShuffledSection(PartSection):
    """Reports of an epsilon0-DP local randomizer, one for each record, in a random order."""

    epsilon0: Annotated[Number, AfterValidator(within(0, LARGEST_LOCAL_LOSS))]
    reports: Annotated[
        Whole,
        AfterValidator(within(1, MOST_REPORTS)),
        Field(description="the number of records, each with one report"),
    ]

    def part(self, place: SpecPlace) -> Shuffled | None:
        """The shuffled reports, one a record, whose number is public."""
        metric, size = place.setting.metric, place.setting.size
        if metric == "symmetric_difference":
            what = "the number of reports is public, but under symmetric_difference it can change"
            place.report((), what, "use the metric hamming or multiset_hamming")
            return None
        if size is not None and self.reports != size:
            what = f"is not the number of records, {size}"
            place.report(("reports",), what, "use the number of records: every record reports once")
            return None
        return Shuffled(self.epsilon0, self.reports, mark=place.mark)
