"""The grammar of the mechanism section: noise on a query, and a kind or a composition of parts."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from fractions import Fraction
from typing import Annotated, ClassVar, Generic, Literal, TypeVar, get_args

from pydantic import AfterValidator, Field, PlainValidator, WithJsonSchema, model_validator

from semiaudit.model.frameworks import UniverseName
from semiaudit.model.mechanism import (
    BasisLaplace,
    CorrelatedGaussian,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    KNorm,
    Laplace,
    NoisePart,
    Norm,
    Support,
)
from semiaudit.model.query import Query
from semiaudit.spec.matrix import Matrix, basis_of, covariance_of
from semiaudit.spec.mechanism.mechanism_reader import OptionalNeighbors, PartSection, SpecPlace
from semiaudit.spec.mechanism.query import QuerySection
from semiaudit.spec.scalars import (
    LARGEST_LOSS,
    LARGEST_SCALE,
    LEAST_SCALE,
    Loss,
    Number,
    OnDemand,
    Repeat,
    Scale,
    Section,
    Whole,
    choice,
    kind_of,
    within,
)

NOT_KINDS = {"repeat", "total_rho"}
"""Keys that a mechanism has in addition to its kind."""

NO_NEIGHBORS = (
    "neighbors is for shifts only, because the loss of noise on a query is computed from the "
    "changes of the answer; remove it"
)

MOST_SHIFTS = 1000
LARGEST_SHIFT = 10**9

SquaredScale = Annotated[Number, AfterValidator(within(LEAST_SCALE**2, LARGEST_SCALE**2))]
PositiveLoss = Annotated[Number, AfterValidator(within(0, LARGEST_LOSS, open_low=True))]
_IN_RANGE = AfterValidator(within(-LARGEST_SHIFT, LARGEST_SHIFT))
_MOVES = Field(
    min_length=1,
    max_length=MOST_SHIFTS,
    description="the change of each affected coordinate between neighboring datasets, instead of a "
    "query",
)
Shift = TypeVar("Shift", bound=Fraction | int)
AnyShift = Annotated[Number, _IN_RANGE]
WholeShift = Annotated[Whole, _IN_RANGE]

OptionalSupport = Annotated[
    Support | None,
    choice(*get_args(Support)),
    Field(
        description="the subspace of the noise: the span of all changes of the query between "
        "semi-adjacent datasets, or the null space of the invariants"
    ),
]


class NoiseSection(PartSection, Generic[Shift]):
    """Noise on a query, or on coordinates of which only the movement is known."""

    query: Annotated[
        QuerySection | None, Field(description="what the noise is added to, instead of shifts")
    ] = None
    shifts: Annotated[
        Annotated[list[Shift], _MOVES] | None,
        Field(
            description="the change of each affected coordinate at distance 1, instead of a query"
        ),
    ] = None
    neighbors: OptionalNeighbors = None

    @model_validator(mode="after")
    def _one_way(self) -> NoiseSection[Shift]:
        present = sorted(self.model_fields_set & {"query", "shifts"})
        if len(present) != 1:
            what = "has both query and shifts" if present else "has neither query nor shifts"
            raise ValueError(f"{what}; give exactly one, such as query: table")
        if getattr(self, present[0]) is None:
            raise ValueError(f"{present[0]} is empty; fill it")
        if self.query is not None and self.neighbors is not None:
            raise ValueError(NO_NEIGHBORS)
        for key in sorted(self.model_fields_set & {"support", *self._matrices}):
            if self.query is None:
                raise ValueError(f"{key} needs a query; give a query instead of shifts")
        self._check_matrices()
        return self

    _matrices: ClassVar[tuple[str, ...]] = ()
    """Keys that hold a matrix over the coordinates of the query."""

    def _check_matrices(self) -> None:
        """Say what is wrong with keys that do not go together."""

    def part(self, place: SpecPlace) -> NoisePart | None:
        """The noise on its query, or on coordinates that move by its shifts."""
        query = None if self.query is None else place.query_of(self.query)
        noise = None if query is None and self.query is not None else self.noise(place, query)
        if noise is None:
            return None
        return replace(
            noise,
            query=query,
            shifts=tuple(Fraction(shift) for shift in self.shifts or ()),
            neighbors=self.neighbors,
            support=getattr(self, "support", None),
            mark=place.mark,
        )

    @abstractmethod
    def noise(self, place: SpecPlace, query: Query | None) -> NoisePart | None:
        """The noise with its own parameters, or None with the problems of its files."""


def _one_of(section: Section, *keys: str) -> None:
    present = [key for key in keys if key in section.model_fields_set]
    if len(present) != 1:
        what = f"has both {' and '.join(keys)}" if present else f"{keys[0]} is missing"
        raise ValueError(f"{what}; {'leave one out' if present else 'add it'}")
    if getattr(section, present[0]) is None:
        raise ValueError(f"{present[0]} is empty; fill it")


class GaussianSection(NoiseSection[AnyShift]):
    """Gaussian noise: independent of standard deviation sigma, or with a covariance matrix."""

    sigma: Scale | None = None
    covariance: Matrix = None
    support: OptionalSupport = None

    _matrices = ("covariance",)

    def _check_matrices(self) -> None:
        _one_of(self, "sigma", "covariance")
        if "covariance" in self.model_fields_set:
            _one_of(self, "covariance", "support")

    def noise(self, place: SpecPlace, query: Query | None) -> Gaussian | CorrelatedGaussian | None:
        """The noise."""
        if self.sigma is not None:
            return Gaussian(self.sigma * self.sigma)
        rows = covariance_of(place, query)
        return None if rows is None else CorrelatedGaussian(rows)


class DiscreteGaussianSection(NoiseSection[WholeShift]):
    """Independent discrete Gaussian noise, mass proportional to exp(-k^2 / (2 sigma_squared))."""

    sigma_squared: SquaredScale
    support: OptionalSupport = None

    def noise(self, place: SpecPlace, query: Query | None) -> DiscreteGaussian:
        """The noise."""
        return DiscreteGaussian(self.sigma_squared)


class LaplaceSection(NoiseSection[AnyShift]):
    """Independent Laplace noise, density proportional to exp(-|x| / scale).

    With a basis, each of its rows is multiplied with a variable of its own, and the rows are added.
    """

    scale: Scale
    basis: Matrix = None
    support: OptionalSupport = None

    _matrices = ("basis",)

    def _check_matrices(self) -> None:
        if "basis" in self.model_fields_set:
            _one_of(self, "basis", "support")

    def noise(self, place: SpecPlace, query: Query | None) -> Laplace | BasisLaplace | None:
        """The noise."""
        if self.basis is None:
            return Laplace(self.scale)
        rows = basis_of(place, query)
        return None if rows is None else BasisLaplace(rows, self.scale)


class DiscreteLaplaceSection(NoiseSection[WholeShift]):
    """Independent discrete Laplace noise, mass proportional to exp(-|k| / scale)."""

    scale: Scale

    def noise(self, place: SpecPlace, query: Query | None) -> DiscreteLaplace:
        """The noise."""
        return DiscreteLaplace(self.scale)


def _norm(value: object) -> tuple[Norm, UniverseName]:
    norms: tuple[Norm, ...] = get_args(Norm)
    universes: tuple[UniverseName, ...] = get_args(UniverseName)
    for norm in norms:
        if isinstance(value, str) and value == norm:
            return norm, "D"
    for universe in universes:
        if isinstance(value, dict) and value == {"hull": universe}:
            return "hull", universe
    choices = f"{', '.join(norms)}, {{hull: D_t}}"
    raise ValueError(f"{kind_of(value)} is not one of {choices}; choose one")


_NORM_SCHEMA = WithJsonSchema(
    {
        "anyOf": [
            {"enum": [*get_args(Norm)], "type": "string"},
            {
                "type": "object",
                "properties": {
                    "hull": {
                        "enum": [*get_args(UniverseName)],
                        "type": "string",
                        "description": "the sensitivity space of the hull: in D at distance 1, or "
                        "inside D_t at the semi-adjacent distance",
                    }
                },
                "required": ["hull"],
                "additionalProperties": False,
            },
        ]
    }
)


class KNormSection(PartSection):
    """The K-norm mechanism that loses epsilon at distance 1 in D, or at a(t) for a hull of D_t."""

    epsilon: PositiveLoss
    norm: Annotated[
        tuple[Norm, UniverseName],
        PlainValidator(_norm),
        _NORM_SCHEMA,
    ] = Field(
        default="hull",
        validate_default=True,
        description="the unit ball K; hull: of the query's sensitivity space",
    )
    query: QuerySection
    support: OptionalSupport = None

    @model_validator(mode="after")
    def _one_subspace(self) -> KNormSection:
        if self.norm[1] == "D_t" and self.support is not None:
            what = "the noise of a hull of Dₜ is in its span already"
            raise ValueError(f"has a support, and {what}; leave support out")
        return self

    def part(self, place: SpecPlace) -> KNorm | None:
        """The mechanism on its query, which it cannot do without."""
        query = place.query_of(self.query)
        if query is None:
            return None
        return KNorm(self.epsilon, *self.norm, query=query, support=self.support, mark=place.mark)


class MechanismSection(Section):
    """The mechanism: exactly one kind."""

    pure_dp: OnDemand[Literal["mechanism.declared_schema.PureDPSection"]] | None = None
    approx_dp: OnDemand[Literal["mechanism.declared_schema.ApproxDPSection"]] | None = None
    zcdp: OnDemand[Literal["mechanism.declared_schema.ZCDPSection"]] | None = None
    gdp: OnDemand[Literal["mechanism.declared_schema.GDPSection"]] | None = None
    tradeoff: OnDemand[Literal["mechanism.declared_schema.TradeoffSection"]] | None = None
    profile: OnDemand[Literal["mechanism.declared_schema.ProfileSection"]] | None = None
    pair: OnDemand[Literal["mechanism.pair_schema.PairSection"]] | None = None
    gaussian: GaussianSection | None = None
    discrete_gaussian: DiscreteGaussianSection | None = None
    laplace: LaplaceSection | None = None
    discrete_laplace: DiscreteLaplaceSection | None = None
    k_norm: KNormSection | None = None
    finite_noise: OnDemand[Literal["mechanism.finite_schema.FiniteNoiseSection"]] | None = None
    randomized_response: (
        OnDemand[Literal["mechanism.records_schema.RandomizedResponseSection"]] | None
    ) = None
    subsampled_gaussian: (
        OnDemand[Literal["mechanism.records_schema.SubsampledGaussianSection"]] | None
    ) = None
    shuffled: OnDemand[Literal["mechanism.records_schema.ShuffledSection"]] | None = None
    finite: OnDemand[Literal["mechanism.finite_schema.FiniteSection"]] | None = None
    swapping: OnDemand[Literal["mechanism.swapping_schema.SwappingSection"]] | None = None
    topdown: OnDemand[Literal["mechanism.topdown_schema.TopDownSection"]] | None = None
    compose: Annotated[list[MechanismSection] | None, Field(min_length=1)] = None
    repeat: Annotated[Repeat, Field(description="the number of runs on the same data")] = 1
    total_rho: Annotated[
        Loss | None,
        Field(description="the sum of the rho of all parts of compose, which is checked exactly"),
    ] = None

    @model_validator(mode="after")
    def _one_kind(self) -> MechanismSection:
        kinds = sorted(self.model_fields_set - NOT_KINDS)
        if len(kinds) != 1:
            what = f"has {len(kinds)} kinds ({', '.join(kinds)})" if kinds else "has no kind"
            raise ValueError(f"{what}; give exactly one, such as zcdp: {{rho: 2.56}}")
        if getattr(self, kinds[0]) is None:
            raise ValueError(f"{kinds[0]} is empty; give its parameters")
        if "total_rho" in self.model_fields_set and self.compose is None:
            raise ValueError("total_rho is only for compose; remove it")
        return self

    @property
    def kind(self) -> str:
        """The one kind that is there."""
        return next(iter(self.model_fields_set - NOT_KINDS))

    @property
    def parameters(self) -> PartSection:
        """Return the parameters of the section's only kind, which is not a composition."""
        section: PartSection = getattr(self, self.kind)
        return section
