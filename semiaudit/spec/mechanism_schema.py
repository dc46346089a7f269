"""The grammar of the mechanism section: noise on a query, and a kind or a composition of parts."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Annotated, Generic, TypedDict, TypeVar, get_args

from pydantic import AfterValidator, Field, model_validator

from semiaudit.model.mechanism import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    KNorm,
    Laplace,
    NoisePart,
    Norm,
)
from semiaudit.model.query import Query
from semiaudit.model.source import Mark
from semiaudit.spec.declared_schema import (
    ApproxDPSection,
    GDPSection,
    PureDPSection,
    TradeoffSection,
    ZCDPSection,
)
from semiaudit.spec.grammar import Section, choice
from semiaudit.spec.part import PartSection, Place
from semiaudit.spec.query_schema import QuerySection
from semiaudit.spec.records_schema import (
    RandomizedResponseSection,
    ShuffledSection,
    SubsampledGaussianSection,
)
from semiaudit.spec.scalars import (
    LARGEST_LOSS,
    LARGEST_SCALE,
    LEAST_SCALE,
    Loss,
    Number,
    Repeat,
    Scale,
    Whole,
    within,
)

BESIDE = {"repeat", "total_rho"}
"""Keys that stand beside a kind."""

MOST_SHIFTS = 1000
LARGEST_SHIFT = 10**9

SquaredScale = Annotated[Number, AfterValidator(within(LEAST_SCALE**2, LARGEST_SCALE**2))]
PositiveLoss = Annotated[Number, AfterValidator(within(0, LARGEST_LOSS, open_low=True))]
_IN_RANGE = AfterValidator(within(-LARGEST_SHIFT, LARGEST_SHIFT))
_MOVES = Field(
    min_length=1,
    max_length=MOST_SHIFTS,
    description="by how much each affected coordinate moves at distance 1, instead of a query",
)
Shift = TypeVar("Shift", bound=Fraction | int)
AnyShift = Annotated[Number, _IN_RANGE]
WholeShift = Annotated[Whole, _IN_RANGE]


class OnQuery(TypedDict):
    """What every kind of noise has beside its own parameters."""

    query: Query | None
    shifts: tuple[Fraction, ...]
    mark: Mark


class NoiseSection(PartSection, Generic[Shift]):
    """Noise on a query, or on coordinates of which only the movement is known."""

    query: QuerySection | None = None
    shifts: Annotated[list[Shift], _MOVES] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> NoiseSection[Shift]:
        given = sorted(self.model_fields_set & {"query", "shifts"})
        if len(given) != 1:
            what = "has both query and shifts" if given else "has neither query nor shifts"
            raise ValueError(f"{what}; give exactly one, such as query: table")
        if getattr(self, given[0]) is None:
            raise ValueError(f"{given[0]} is empty; fill it")
        return self

    def part(self, place: Place) -> NoisePart | None:
        """The noise on its query, or on coordinates that move by its shifts."""
        shifts = tuple(Fraction(shift) for shift in self.shifts or ())
        query = None if self.query is None else place.query_of(self.query)
        if query is None and self.query is not None:
            return None
        return self.noise({"query": query, "shifts": shifts, "mark": place.mark})

    @abstractmethod
    def noise(self, on: OnQuery) -> NoisePart:
        """The noise of the section's parameters on what all kinds have in common."""


class GaussianSection(NoiseSection[AnyShift]):
    """Independent Gaussian noise of standard deviation sigma."""

    sigma: Scale

    def noise(self, on: OnQuery) -> Gaussian:
        """The noise."""
        return Gaussian(self.sigma * self.sigma, **on)


class DiscreteGaussianSection(NoiseSection[WholeShift]):
    """Independent discrete Gaussian noise, mass proportional to exp(-k^2 / (2 sigma_squared))."""

    sigma_squared: SquaredScale

    def noise(self, on: OnQuery) -> DiscreteGaussian:
        """The noise."""
        return DiscreteGaussian(self.sigma_squared, **on)


class LaplaceSection(NoiseSection[AnyShift]):
    """Independent Laplace noise, density proportional to exp(-|x| / scale)."""

    scale: Scale

    def noise(self, on: OnQuery) -> Laplace:
        """The noise."""
        return Laplace(self.scale, **on)


class DiscreteLaplaceSection(NoiseSection[WholeShift]):
    """Independent discrete Laplace noise, mass proportional to exp(-|k| / scale)."""

    scale: Scale

    def noise(self, on: OnQuery) -> DiscreteLaplace:
        """The noise."""
        return DiscreteLaplace(self.scale, **on)


class KNormSection(PartSection):
    """The K-norm mechanism that loses epsilon at distance 1 in D."""

    epsilon: PositiveLoss
    norm: Annotated[
        Norm,
        choice(*get_args(Norm)),
        Field(description="the unit ball K; hull: of the query's sensitivity space"),
    ] = "hull"
    query: QuerySection

    def part(self, place: Place) -> KNorm | None:
        """The mechanism on its query, which it cannot do without."""
        query = place.query_of(self.query)
        if query is None:
            return None
        return KNorm(self.epsilon, self.norm, query=query, mark=place.mark)


class MechanismSection(Section):
    """What was done to the data: exactly one kind."""

    pure_dp: PureDPSection | None = None
    approx_dp: ApproxDPSection | None = None
    zcdp: ZCDPSection | None = None
    gdp: GDPSection | None = None
    tradeoff: TradeoffSection | None = None
    gaussian: GaussianSection | None = None
    discrete_gaussian: DiscreteGaussianSection | None = None
    laplace: LaplaceSection | None = None
    discrete_laplace: DiscreteLaplaceSection | None = None
    k_norm: KNormSection | None = None
    randomized_response: RandomizedResponseSection | None = None
    subsampled_gaussian: SubsampledGaussianSection | None = None
    shuffled: ShuffledSection | None = None
    compose: Annotated[list[MechanismSection] | None, Field(min_length=1)] = None
    repeat: Annotated[Repeat, Field(description="how often it runs on the same data")] = 1
    total_rho: Annotated[
        Loss | None,
        Field(description="the rho that the parts of compose add up to, which is checked exactly"),
    ] = None

    @model_validator(mode="after")
    def _one_kind(self) -> MechanismSection:
        found = sorted(self.model_fields_set - BESIDE)
        if len(found) != 1:
            what = f"has {len(found)} kinds ({', '.join(found)})" if found else "has no kind"
            raise ValueError(f"{what}; give exactly one, such as zcdp: {{rho: 2.56}}")
        if getattr(self, found[0]) is None:
            raise ValueError(f"{found[0]} is empty; give its parameters")
        if "total_rho" in self.model_fields_set and self.compose is None:
            raise ValueError("total_rho stands beside compose only; leave it out")
        return self

    @property
    def kind(self) -> str:
        """The one kind that is there."""
        return next(iter(self.model_fields_set - BESIDE))

    @property
    def parameters(self) -> PartSection:
        """Those of the one kind that is there, which is no composition."""
        found: PartSection = getattr(self, self.kind)
        return found
