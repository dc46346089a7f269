"""The grammar of mechanisms that act on records, against the metric and the size of the data."""

from __future__ import annotations

from typing import Annotated, assert_never

from pydantic import AfterValidator, Field

from semiaudit.model.mechanism import RandomizedResponse, Shuffled, SubsampledGaussian
from semiaudit.spec.mechanism.mechanism_reader import PartSection, SpecPlace
from semiaudit.spec.scalars import LARGEST_LEVELS, Loss, Number, Repeat, Scale, Whole, within

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
    """Gaussian noise on sums over Poisson samples, as in private gradient descent."""

    noise_multiplier: Annotated[
        Scale,
        Field(
            description="the standard deviation, divided by the largest contribution of one record"
        ),
    ]
    sampling_rate: Annotated[
        Number,
        AfterValidator(within(0, 1, open_low=True)),
        Field(description="the probability that a record is in a sample"),
    ]
    steps: Annotated[Repeat, Field(description="the number of samples")]

    def part(self, place: SpecPlace) -> SubsampledGaussian:
        """The noise, where a record of the metric enters, leaves, or is replaced by another."""
        match place.setting.metric:
            case "symmetric_difference":
                removals = 1
            case "hamming" | "multiset_hamming":
                removals = 2
            case _:
                assert_never(place.setting.metric)
        square = self.noise_multiplier * self.noise_multiplier
        return SubsampledGaussian(square, self.sampling_rate, self.steps, removals, mark=place.mark)


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
