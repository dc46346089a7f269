"""The grammar of a spec, version 1: every section as a pydantic model.

The models check form; ``build`` checks sense (what names what) and makes the domain objects.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    InstanceOf,
    WithJsonSchema,
    model_validator,
)

from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import Metric, Reading, Touched
from semiaudit.model.audit import UNTITLED
from semiaudit.model.dataspace import MOST_ATTRIBUTES, Level
from semiaudit.spec.mechanism.mechanism_schema import MechanismSection
from semiaudit.spec.mechanism.query import QuerySection
from semiaudit.spec.scalars import (
    LARGEST_LEVELS,
    Count,
    Levels,
    Number,
    OnDemand,
    OpenShare,
    RecordValue,
    Section,
    Size,
    Text,
    Whole,
    choice,
    kind_of,
    level,
    whole,
    within,
    word,
)
from semiaudit.spec.yaml12 import Scalar

MOST_TOUCHED = 1000

Touches = Annotated[Whole, AfterValidator(within(0, MOST_TOUCHED))]


class TouchesSection(Section):
    """The number of records of a release's own dataspace that one protected unit touches."""

    attribute: Annotated[Touches, Field(description="an attribute of the unit changes")] = 1
    geography: Annotated[Touches, Field(description="the place of the unit changes")] = 2
    within: Annotated[
        Touches,
        Field(description="the unit changes whole, inside one unit that the invariants fix"),
    ] = 2
    across: Annotated[Touches, Field(description="the unit changes whole, without limit")] = 2
    exchange: Annotated[
        Touches, Field(description="the unit exchanges its place with another; each of the two")
    ] = 2

    presence: Annotated[
        Touches | None,
        Field(
            description="the unit enters or leaves: at most so many records change, enter, or "
            "leave; required under symmetric_difference"
        ),
    ] = None

    def touched(self) -> Touched:
        """How many records each change of a unit touches."""
        return Touched(
            self.attribute, self.geography, self.within, self.across, self.exchange, self.presence
        )


MOST_RATES = 200
MOST_PRIORS = 20
MOST_BUDGETS = 50
MOST_WAIVERS = 200


@dataclass(frozen=True, slots=True)
class Nested:
    """An attribute that refines another one; ``levels`` are a file's name or (parent, levels)."""

    within: str
    levels: str | tuple[tuple[Level, tuple[Level, ...]], ...]


def _names(value: list[object]) -> tuple[Level, ...]:
    names = tuple(level(item) for item in value)
    texts = [str(name) for name in names]
    doubled = sorted(text for text, number in Counter(texts).items() if number > 1)
    if not names:
        raise ValueError("has no levels; name at least one")
    if doubled:
        raise ValueError(f"names the level {doubled[0]} twice; keep one of them")
    return names


def _nested(value: dict[str, object]) -> Nested:
    if value.keys() != {"within", "levels"}:
        raise ValueError("is not a nested attribute; write {within: parent, levels: {...}}")
    parent, levels_ = word(value["within"]), value["levels"]
    if isinstance(levels_, Scalar):
        return Nested(parent, word(levels_))
    if not isinstance(levels_, dict) or not all(isinstance(v, list) for v in levels_.values()):
        raise ValueError(
            "levels is neither a file nor a mapping of parent levels to lists; give one"
        )
    nesting = tuple(
        (word(Scalar(key, plain=True)), _names(names)) for key, names in levels_.items()
    )
    texts = Counter(str(name) for _, names in nesting for name in names)
    doubled = sorted(text for text, number in texts.items() if number > 1)
    if doubled:
        raise ValueError(f"names the level {doubled[0]} twice; give every level its own name")
    if not nesting:
        raise ValueError("has no levels; name at least one")
    return Nested(parent, nesting)


def _attribute(value: object) -> int | tuple[Level, ...] | Nested:
    if isinstance(value, list):
        return _names(value)
    if isinstance(value, dict):
        return _nested(value)
    if not isinstance(value, Scalar):
        raise ValueError(f"{kind_of(value)} is not a number of levels; give a number or a list")
    number = whole(value)
    within(1, LARGEST_LEVELS)(number)
    return number


AttributeLevels = Annotated[
    InstanceOf[Nested] | int | tuple[Level, ...],
    BeforeValidator(_attribute),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": LARGEST_LEVELS},
                {
                    "type": "array",
                    "minItems": 1,
                    "items": {"type": ["string", "number", "boolean"]},
                },
                {
                    "type": "object",
                    "description": "an attribute that refines another one",
                    "required": ["within", "levels"],
                    "additionalProperties": False,
                    "properties": {
                        "within": {"type": "string", "description": "the attribute it refines"},
                        "levels": {
                            "type": ["string", "object"],
                            "description": "its levels below each level of that one, or a file",
                        },
                    },
                },
            ]
        }
    ),
]


class ProductSection(Section):
    """All ordered datasets of a size over some values: for small examples."""

    size: Annotated[Size, Field(description="records in each dataset")]
    values: Annotated[list[RecordValue], Field(min_length=1)]


class DataspaceSection(Section):
    """The possible datasets."""

    unit: Annotated[Text, Field(description="the privacy unit, such as person")] = "record"
    size: Annotated[Size | None, Field(description="the number of records, if public")] = None
    attributes: Annotated[dict[str, AttributeLevels] | None, Field(max_length=MOST_ATTRIBUTES)] = (
        None
    )
    impossible: Annotated[
        list[Annotated[dict[str, Levels], Field(min_length=1)]] | None,
        Field(min_length=1, description="structural zeros: the combinations that no record has"),
    ] = None
    product: ProductSection | None = None
    datasets: Annotated[list[list[RecordValue]] | None, Field(min_length=1)] = None


class CountSection(Section):
    """A condition: each attribute with its level or levels."""

    where: Annotated[dict[str, Levels], Field(min_length=1)]


class BoundSection(Section):
    """A public bound on a count."""

    where: Annotated[dict[str, Levels], Field(min_length=1)]
    at_least: Count | None = None
    at_most: Count | None = None


class StatisticSection(Section):
    """A statistic that need not be a count; for enumerable dataspaces."""

    name: Annotated[
        Literal["min", "max", "sum", "mean", "median", "range"],
        choice("min", "max", "sum", "mean", "median", "range"),
    ]
    of: Text


Names = Annotated[list[Text], Field(min_length=1)]


class MarginSection(Section):
    """A list of attributes, or attributes and a condition on the records that are counted."""

    attributes: Annotated[Names, Field(description="counts of all combinations of their levels")]
    where: Annotated[
        dict[str, Levels] | None,
        Field(min_length=1, description="the level or levels of each attribute of these records"),
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _list(cls, value: object) -> object:
        return value if isinstance(value, dict) else {"attributes": value}


class InvariantSection(Section):
    """One exact publication: ``total``, or a mapping with exactly one of these keys."""

    total: Annotated[Literal[True] | None, Field(description="the number of records")] = None
    margin: Annotated[
        MarginSection | None, Field(description="counts of all level combinations")
    ] = None
    count: CountSection | None = None
    keys: Annotated[Names | None, Field(description="which combinations occur at all")] = None
    bound: BoundSection | None = None
    linear: Annotated[
        Any, Field(description="integer rows over cells: a CSV file, or a list of rows")
    ] = None
    statistic: StatisticSection | None = None
    partition: Annotated[
        Any,
        Field(description="the universes: a CSV file, or a list of lists of datasets"),
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _word(cls, value: object) -> object:
        if isinstance(value, dict) and value.keys() == {"total"}:
            value = Scalar("total", plain=True) if value["total"] in (None, "true") else value
        if isinstance(value, Scalar):
            if value == "total":
                return {"total": True}
            raise ValueError(f"{kind_of(value)} is not an invariant; write total, or margin: [...]")
        if isinstance(value, dict) and len(value) != 1:
            raise ValueError("needs exactly one kind; start each invariant with its own dash")
        return value

    @property
    def kind(self) -> str:
        """The one key that is there."""
        return next(iter(self.model_fields_set))


class DesignSection(Section):
    """The query that noise is to be designed for, instead of a mechanism."""

    query: QuerySection


class ReleaseSection(Section):
    """One of several releases of the same population."""

    dataspace: Annotated[
        DataspaceSection | None,
        Field(
            description="the dataspace of the records of the "
            "release, if they are not the protected "
            "units"
        ),
    ] = None
    touches: Annotated[
        TouchesSection | None,
        Field(
            description="with a dataspace: the number of its "
            "records that one protected unit touches"
        ),
    ] = None
    invariants: list[InvariantSection] = Field(default=[])
    mechanism: Annotated[
        MechanismSection | None,
        Field(description="may be left out if there are invariants: exact counts only"),
    ] = None


class AdjacencySection(Section):
    """The neighboring datasets: metric, definition of a(t), and distance."""

    metric: Annotated[Metric, choice(*get_args(Metric))] = "hamming"
    reading: Annotated[Reading, choice(*get_args(Reading))] = "covering"
    distance: Annotated[
        Size | None, Field(description="the largest distance inside D_t, instead of a(t)")
    ] = None


class ReportSection(Section):
    """Options of the report."""

    deltas: Annotated[
        list[OpenShare],
        Field(
            min_length=1,
            max_length=MOST_RATES,
            description="the values of δ at which reports show ε",
        ),
    ] = Field(default_factory=list, validate_default=False)
    alphas: Annotated[
        list[OpenShare],
        Field(min_length=1, max_length=MOST_RATES, description="type I errors of operating points"),
    ] = Field(default_factory=list, validate_default=False)
    priors: Annotated[
        list[Annotated[Number, AfterValidator(within(0, Fraction(1, 2), open_low=True))]],
        Field(
            min_length=1,
            max_length=MOST_PRIORS,
            description="for a hierarchical release: the prior probabilities of the less likely "
            "value of a secret, up to 1/2, at which reports show the success probability "
            "of a guess",
        ),
    ] = Field(default_factory=list, validate_default=False)


Texts = Text | list[Text]


class SpecSection(Section):
    """A semiaudit spec, version 1."""

    semiaudit: Annotated[Literal[1], BeforeValidator(whole), WithJsonSchema({"const": 1})]
    title: Text = UNTITLED
    reference: Annotated[Texts, Field(description="the sources of the facts")] = Field(default=[])
    leaves_out: Annotated[Texts, Field(description="what this audit leaves out")] = Field(
        default=[]
    )
    dataspace: DataspaceSection
    invariants: list[InvariantSection] = Field(default=[])
    data: OnDemand[Literal["data.data_schema.DataSection"]] | None = None
    adjacency: AdjacencySection | None = None
    mechanism: MechanismSection | None = None
    design: Annotated[
        DesignSection | None,
        Field(description="instead of mechanism, for `semiaudit mechanism calibrate`"),
    ] = None
    releases: Annotated[
        list[ReleaseSection] | None,
        Field(min_length=1, description="several releases of one population, instead of one"),
    ] = None
    report: ReportSection | None = None
    budgets: Annotated[
        list[OnDemand[Literal["policy.budget_schema.BudgetSection"]]],
        Field(max_length=MOST_BUDGETS),
    ] = Field(default=[])
    waivers: Annotated[
        list[OnDemand[Literal["policy.waiver_schema.WaiverSection"]]],
        Field(max_length=MOST_WAIVERS, description="accepted exceptions, for `semiaudit check`"),
    ] = Field(default=[])
