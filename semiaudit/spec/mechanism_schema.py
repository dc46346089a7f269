"""The grammar of the mechanism section: declared guarantees, noise on a query, compositions."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from semiaudit.spec.grammar import Section, choice
from semiaudit.spec.scalars import (
    LARGEST_LEVELS,
    LARGEST_LOSS,
    Loss,
    Mu,
    Number,
    Repeat,
    Share,
    ShareBelowOne,
    Text,
    Whole,
    kind_of,
    within,
)
from semiaudit.spec.yaml12 import Scalar

BESIDE = {"repeat", "total_rho"}
"""Keys that stand beside a kind."""

MOST_POINTS = 500
MOST_REPORTS = 10**8
LARGEST_LOCAL_LOSS = 170
MOST_SHIFTS = 1000
LARGEST_SHIFT = 10**9
LEAST_SCALE = Fraction(1, 10**6)
LARGEST_SCALE = 10**12

Scale = Annotated[Number, AfterValidator(within(LEAST_SCALE, LARGEST_SCALE))]
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


class PureDPSection(Section):
    """epsilon-DP."""

    epsilon: Loss


class ApproxDPSection(Section):
    """(epsilon, delta)-DP."""

    epsilon: Loss
    delta: ShareBelowOne


class ZCDPSection(Section):
    """rho-zCDP."""

    rho: Loss


class GDPSection(Section):
    """mu-GDP."""

    mu: Mu


class TradeoffSection(Section):
    """A tradeoff function as a polygon, from type I error 0 to type II error 0."""

    points: Annotated[
        list[Annotated[list[Share], Field(min_length=2, max_length=2)]],
        Field(min_length=2, max_length=MOST_POINTS, description="[type_i, type_ii] pairs"),
    ]


class QuerySection(Section):
    """What noise is added to: ``table``, or a mapping with exactly one of these keys."""

    table: Literal[True] | None = None
    margins: Annotated[
        list[Annotated[list[Text], Field(min_length=1)]] | None,
        Field(min_length=1, description="lists of attributes: counts of all level combinations"),
    ] = None
    matrix: Annotated[
        Any,
        Field(description="whole-number rows over all cells, row-major: a CSV file, or a list"),
        WithJsonSchema(
            {
                "anyOf": [
                    {"type": "string"},
                    {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
                ]
            }
        ),
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _one_form(cls, value: object) -> object:
        forms = "write table, {margins: [[...]]} or {matrix: file.csv}"
        if isinstance(value, Scalar) and value == "table":
            return {"table": True}
        if not isinstance(value, dict):
            raise ValueError(f"{kind_of(value)} is no query; {forms}")
        if len(value) != 1 or "table" in value:
            raise ValueError(f"has not exactly one form; {forms}")
        (form,) = value
        if value[form] is None:
            raise ValueError(f"{form} is empty; {forms}")
        return value


class NoiseSection(Section, Generic[Shift]):
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

    @property
    @abstractmethod
    def parameter(self) -> Fraction:
        """The parameter of the noise as the model keeps it."""


class GaussianSection(NoiseSection[AnyShift]):
    """Independent Gaussian noise of standard deviation sigma."""

    sigma: Scale

    @property
    def parameter(self) -> Fraction:
        """sigma squared."""
        return self.sigma * self.sigma


class DiscreteGaussianSection(NoiseSection[WholeShift]):
    """Independent discrete Gaussian noise, mass proportional to exp(-k^2 / (2 sigma_squared))."""

    sigma_squared: SquaredScale

    @property
    def parameter(self) -> Fraction:
        """sigma squared."""
        return self.sigma_squared


class LaplaceSection(NoiseSection[AnyShift]):
    """Independent Laplace noise, density proportional to exp(-|x| / scale)."""

    scale: Scale

    @property
    def parameter(self) -> Fraction:
        """The scale."""
        return self.scale


class DiscreteLaplaceSection(NoiseSection[WholeShift]):
    """Independent discrete Laplace noise, mass proportional to exp(-|k| / scale)."""

    scale: Scale

    @property
    def parameter(self) -> Fraction:
        """The scale."""
        return self.scale


class KNormSection(Section):
    """The K-norm mechanism that loses epsilon at distance 1 in D."""

    epsilon: PositiveLoss
    norm: Annotated[
        Literal["hull", "l1", "l2", "linf"],
        choice("hull", "l1", "l2", "linf"),
        Field(description="the unit ball K; hull: of the query's sensitivity space"),
    ] = "hull"
    query: QuerySection


class RandomizedResponseSection(Section):
    """Every record answers for itself: its own value with odds e^epsilon to each other one."""

    epsilon: Loss
    levels: Annotated[
        Whole,
        AfterValidator(within(2, LARGEST_LEVELS)),
        Field(description="how many values an answer can have"),
    ]


class SubsampledGaussianSection(Section):
    """Gaussian noise on sums over Poisson samples, as in private gradient descent."""

    noise_multiplier: Annotated[
        Scale, Field(description="the standard deviation over the most that one record adds")
    ]
    sampling_rate: Annotated[
        Number,
        AfterValidator(within(0, 1, open_low=True)),
        Field(description="the probability with which a record enters a sample"),
    ]
    steps: Annotated[Repeat, Field(description="how many samples are drawn")]


class ShuffledSection(Section):
    """Reports of an epsilon0-DP local randomizer, one a record, in a random order."""

    epsilon0: Annotated[Number, AfterValidator(within(0, LARGEST_LOCAL_LOSS))]
    reports: Annotated[
        Whole,
        AfterValidator(within(1, MOST_REPORTS)),
        Field(description="how many records report"),
    ]


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
