"""The interface of a kind of mechanism, with the defaults of operations that a kind lacks.

Each kind has one record, in the module that is the kind's home (``mechanisms.kind_of``). Operations
that a record does not define are refused: without a loss there is no number, a privacy definition
that it does not cover is refused, and without a sampler nothing is sampled.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    assert_never,
)

from semiaudit.errors import Mark, Refusal, RefusedError
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import (
    Neighbors,
    compares_sizes,
    steps_between,
)
from semiaudit.model.frameworks import FrameworkName, UniverseName
from semiaudit.model.invariants import fix_the_size
from semiaudit.model.labels import label
from semiaudit.model.loss import PrivacyLoss, WorstLoss
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    Measure,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.model.query import Spread

if TYPE_CHECKING:
    from semiaudit.mechanisms.sampling.sampling_methods import Drawing
    from semiaudit.universe.sensitivity.spaces import SensitivitySpaces


Measures = tuple[Measure, ...]


class Described(Protocol):
    """A part of a mechanism, of any kind."""

    @property
    def kind(self) -> str:
        """Return the name of the kind's key in a spec."""
        ...

    @property
    def mark(self) -> Mark:
        """Return the place of the object in the spec."""
        ...


P = TypeVar("P", bound=Described)

Way = Literal["change", "steps", "published", "projected"]
"""The method of a loss: ``change``, from the changes between the two datasets (section 4);
``steps``, from the loss of one unit of distance, repeated (Propositions 11 and 15); ``published``,
a bound from the literature, for comparison with a smaller one of ``steps``; ``projected``, the loss
of the output projected on null(C), T = C phi."""

Asked = FrameworkName | Literal["disagreeing"]
"""The subject of a refusal: a privacy definition; or all pairs of datasets with different
invariants, for any definition."""

Sampler: TypeAlias = "Callable[[SensitivitySpaces, tuple[int, ...] | None], Drawing]"
"""A function from the sensitivity spaces, and what the mechanism sees of the confidential dataset
(if known), to samples of a part's output."""

NOT_PROVEN = "no guarantee of {kind} is proven under this privacy definition"


COMPOSED = (
    "an upper bound on the loss per unit of distance, because every part has its own "
    "worst pair, or its own bound"
)
NO_PATHS = (
    "the metric is not an adjacency metric on this dataspace (Definition 1: some datasets are not "
    "linked by steps of distance 1), so nothing follows for distances above 1"
)
NO_SUBSPACE = "the invariants are not linear in the query, so there is no subspace to project on"
STILL = "a query that cannot change inside Dₜ up to this distance has no privacy loss (E15)"


@dataclass(frozen=True, slots=True)
class DatasetPairs:
    """The pairs of datasets of a loss, and the method of the loss.

    Attributes:
        universe: whether the datasets are anywhere in D, or both in D_t.
        distance: between them, 1 or more. With ``steps``, it is the number of units; other methods
            cover all pairs up to the distance.
        asked: what the loss is for; it is refused if a part can have no number for one of these.
    """

    universe: UniverseName = "D"
    distance: int = 1
    way: Way = "steps"
    asked: tuple[Asked, ...] = ()


NEIGHBORS = DatasetPairs()
"""Neighboring datasets: one step in D."""


@dataclass(frozen=True, slots=True)
class KnownLoss:
    """The loss of a part or a mechanism, or the reason why there is none.

    Attributes:
        measures: every measure that is known to hold; empty if none is proven.
        remark: what a reader must know of the loss inside D_t besides its numbers. By steps:
            whether it is a supremum or a bound; empty for the loss of one record in D. By change:
            that some query cannot change (E15); empty if all can.
        refused: why no number can hold; empty if one can.
    """

    measures: Measures = ()
    remark: str = ""
    refused: str = ""


SIZES = (
    "a guarantee for {relation} says nothing about datasets of different sizes, and the sizes are "
    "not fixed here"
)


def steps_of(neighbors: Neighbors | None, distance: int, spaces: SensitivitySpaces) -> int:
    """Return how many steps of a guarantee's neighboring relation link datasets at a distance."""
    if neighbors is None:
        return distance
    return steps_between(neighbors, spaces.release.adjacency.metric, distance)


def refusal_of_sizes(neighbors: Neighbors | None, asked: Asked, spaces: SensitivitySpaces) -> str:
    """Return why a guarantee does not cover datasets of different sizes; empty if it need not."""
    if neighbors is None or neighbors == "add_remove":
        return ""
    release = spaces.release
    if not compares_sizes(release.adjacency.metric):
        return ""
    inside = asked in ("semi_dp", "invariant_dp") and fix_the_size(release.invariants)
    if inside or release.dataspace.size is not None:
        return ""
    return SIZES.format(relation=label(neighbors))


@dataclass(frozen=True, slots=True)
class Deferred:
    """A function whose module is imported at its first call: an audit samples nothing."""

    module: str
    name: str

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Import the module, and call the function."""
        return getattr(import_module(self.module), self.name)(*arguments, **named)


class MechanismKind(ABC, Generic[P]):
    """One kind of mechanism.

    Attributes:
        standard: its sentence in the privacy specification: the standard of protection, and what is
            known.
        has_steps: whether the loss at a distance is, without a query, that of steps of distance 1
            (Definition 1); if not, every distance has its own worst pairs.
        not_sampled: why a part cannot be sampled, and what to do, if it has no sampler.
    """

    standard: str
    has_steps: ClassVar[bool] = True
    not_sampled: ClassVar[tuple[str, str]] = (
        "{kind} is not noise on the answer to a query, so it cannot be sampled",
        "use noise on a query, or a finite mechanism",
    )

    def known(self, part: P, pairs: DatasetPairs, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss, or why no number can hold for what the pairs are asked for."""
        reasons = (self.refusal(part, asked, spaces) for asked in pairs.asked)
        refused = next(filter(None, reasons), "")
        return KnownLoss(refused=refused) if refused else self.loss(part, pairs, spaces)

    @abstractmethod
    def loss(self, part: P, pairs: DatasetPairs, spaces: SensitivitySpaces) -> KnownLoss:
        """Return the loss between such datasets, with its remark, by one method.

        It has no measures if none is proven by that method, and is refused if the output has no
        projection, because T is not linear in the query.
        """

    def refusal(self, part: P, asked: Asked, spaces: SensitivitySpaces) -> str:
        """Return why no number holds, apart from other reasons; empty if one can hold."""
        return NOT_PROVEN.format(kind=part.kind)

    def standard_of(self, part: P) -> str:
        """Return the sentence of one part, if it depends on its parameters."""
        return self.standard

    def specified_rho(self, part: P) -> Fraction | None:
        """Return the rational rho at distance 1 that follows from the spec alone.

        None if none does.
        """
        return None

    def sampler(self, part: P) -> Sampler:
        """Return the sampler of the part.

        Raises:
            RefusedError: it has no sampler.
        """
        what, remedy = self.not_sampled
        raise refused(part, what.format(kind=part.kind), remedy)

    def spread(self, part: P, spaces: SensitivitySpaces) -> Spread | None:
        """Return the variances of noise that keeps the invariants.

        None for other noise, or if they are not known as rationals.
        """
        return None


def not_attained(measures: Measures) -> Measures:
    """Mark measures as not attained by a known pair of datasets."""
    return tuple(_not_attained(measure) for measure in measures)


def _not_attained(measure: Measure) -> Measure:
    match measure:
        case PrivacyLoss():
            return replace(measure, attained=False)
        case WorstLoss():
            return WorstLoss(tuple(replace(loss, attained=False) for loss in measure.losses))
        case GDP():
            return replace(measure, exact=False, attained=False)
        case PureDP() | ApproxDP() | ZCDP():
            return replace(measure, exact=False)
        case ApproxZCDP() | PiecewiseLinear():
            return measure
        case _:
            assert_never(measure)


def refused(part: Described, what: str, remedy: str) -> RefusedError:
    """Return the error that a part cannot be sampled, with its place in the spec."""
    mark = part.mark
    return RefusedError(Refusal(what, remedy, "mechanism", mark.line, mark.column))
