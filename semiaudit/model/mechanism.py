"""The mechanism of a release, as data; ``mechanisms`` analyzes it.

A mechanism is one part or a composition of parts. The parts form a closed union of five families:
a guarantee that was declared, noise on the answer to a query, a randomizer of records
(``model.randomizers``), a finite mechanism given by its probabilities, swapping
(``model.swapping``), and a hierarchical release (``model.topdown``); or are on other records. Each
names its ``home``, the module under ``semiaudit.mechanisms`` with all that is known of its kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar, Literal, TypeVar, assert_never

from semiaudit.errors import NOWHERE, Mark
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import USUAL, Neighbors, Touched
from semiaudit.model.dataspace import Dataset, Dataspace
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.invariants import Invariant
from semiaudit.model.measure import (
    GDP,
    ZCDP,
    ApproxDP,
    DeclaredOrder,
    DeclaredPair,
    DeclaredPairs,
    PiecewiseLinear,
    PureDP,
)
from semiaudit.model.query import Query
from semiaudit.model.randomizers import RandomizedResponse as RandomizedResponse
from semiaudit.model.randomizers import Randomizer as Randomizer
from semiaudit.model.randomizers import Shuffled as Shuffled
from semiaudit.model.randomizers import SubsampledGaussian as SubsampledGaussian
from semiaudit.model.randomizers import Swapping as Swapping
from semiaudit.model.topdown import TopDown

P = TypeVar("P")

DeclaredMeasure = (
    PureDP | ApproxDP | ZCDP | GDP | PiecewiseLinear | DeclaredPairs | DeclaredOrder | DeclaredPair
)
"""The measures that a mechanism can declare."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A mechanism known only by the guarantee that it declares for neighboring datasets in D.

    Attributes:
        neighbors: which these are; None for datasets at distance 1 of the spec's metric.
    """

    measure: DeclaredMeasure
    mark: Mark = NOWHERE
    neighbors: Neighbors | None = None
    home: ClassVar[str] = "declared"

    @property
    def kind(self) -> str:
        """The name of the declared guarantee's kind."""
        match self.measure:
            case PureDP():
                return "pure_dp"
            case ApproxDP():
                return "approx_dp"
            case ZCDP():
                return "zcdp"
            case GDP():
                return "gdp"
            case PiecewiseLinear() | DeclaredOrder():
                return "tradeoff"
            case DeclaredPairs():
                return "profile"
            case DeclaredPair():
                return "pair"
            case _:
                assert_never(self.measure)


Support = Literal["sensitivity_space", "null_space"]
"""Where noise that keeps the invariants lives: in the span of what the query can change by between
semi-adjacent datasets, or in the null space of the invariants."""

Rationals = tuple[tuple[Fraction, ...], ...]
"""The rows of a matrix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """The part that all kinds of noise on a query's answer share; each adds its parameters.

    Attributes:
        query: what the noise is added to; or None if only ``shifts`` are known.
        shifts: by how much each affected coordinate moves between neighboring datasets; empty with
            a query.
        neighbors: which these datasets are; None for those at distance 1 of the spec's metric.
        support: the subspace that the noise is projected on (noise on the integers: drawn from,
            on the whole numbers that lie in it); None for noise on all coordinates.
        made_for: the distance of semi-adjacent datasets whose changes span the support or are the
            hull; the audit fills it in. None until then, and if that distance is not known.
        mark: its place in the spec.
        kind: the name of the kind's key in a spec.
        home: the module with the kind's record.
        whole: the noise takes whole numbers only, so that the answers must be whole too.
    """

    query: Query | None = None
    shifts: tuple[Fraction, ...] = ()
    neighbors: Neighbors | None = None
    support: Support | None = None
    made_for: int | None = None
    mark: Mark = NOWHERE
    kind: ClassVar[str]
    home: ClassVar[str]
    whole: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Gaussian(Noise):
    """Independent Gaussian noise of variance ``sigma_squared``."""

    sigma_squared: Fraction
    kind: ClassVar[str] = "gaussian"
    home: ClassVar[str] = "noise"


@dataclass(frozen=True, slots=True)
class CorrelatedGaussian(Noise):
    """Gaussian noise with a covariance matrix, which may be singular.

    Attributes:
        covariance: symmetric and positive semidefinite, a row and a column for each coordinate of
            the query (``model.query.width``).
    """

    covariance: Rationals
    kind: ClassVar[str] = "gaussian"
    home: ClassVar[str] = "subspace_noise"


@dataclass(frozen=True, slots=True)
class DiscreteGaussian(Noise):
    """Noise on the integers, mass proportional to exp(-k^2 / (2 sigma_squared)).

    Independent in every coordinate; with a support, |k|^2 of the whole vectors that lie in it.
    """

    sigma_squared: Fraction
    kind: ClassVar[str] = "discrete_gaussian"
    home: ClassVar[str] = "noise"
    whole: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Laplace(Noise):
    """Independent Laplace noise, density proportional to exp(-|x| / scale)."""

    scale: Fraction
    kind: ClassVar[str] = "laplace"
    home: ClassVar[str] = "noise"


@dataclass(frozen=True, slots=True)
class BasisLaplace(Noise):
    """B'z: independent Laplace variables z, each times its row of a matrix B.

    Attributes:
        basis: B, a row for each variable and a column for each coordinate of the query.
        scale: of every variable.
    """

    basis: Rationals
    scale: Fraction
    kind: ClassVar[str] = "laplace"
    home: ClassVar[str] = "subspace_noise"


@dataclass(frozen=True, slots=True)
class DiscreteLaplace(Noise):
    """Independent noise on the integers, mass proportional to exp(-|k| / scale)."""

    scale: Fraction
    kind: ClassVar[str] = "discrete_laplace"
    home: ClassVar[str] = "noise"
    whole: ClassVar[bool] = True


Norm = Literal["hull", "l1", "l2", "linf"]


@dataclass(frozen=True, slots=True)
class KNorm(Noise):
    """The K-norm mechanism on a query.

    Attributes:
        epsilon: what it loses at distance 1 in D, or at the semi-adjacent distance inside D_t
            where the norm is a hull of D_t.
        norm: whose unit ball K is (``hull``: that of the query's own sensitivity space, the
            optimal one of Proposition 9).
        hull_of: the universe of that space: D at distance 1, or D_t at the semi-adjacent
            distance. The second one's noise lives in the span of K.
    """

    epsilon: Fraction
    norm: Norm = "hull"
    hull_of: UniverseName = "D"
    kind: ClassVar[str] = "k_norm"
    home: ClassVar[str] = "subspace_noise"


MOST_TOLERANCE = Fraction(1, 1_000)
"""The largest relative tolerance of probabilities."""


def is_law(law: Sequence[Fraction], rtol: Fraction = Fraction(0)) -> bool:
    """Whether these are probabilities; with a tolerance, some of the mass may be missing."""
    total = sum(law)
    return bool(law) and min(law) >= 0 and (0 < total <= 1 + rtol if rtol else total == 1)


@dataclass(frozen=True, slots=True)
class FiniteNoise(Noise):
    """Independent noise with finitely many values: of one law, or of a law for each count.

    Attributes:
        values: what may be added, distinct.
        laws: the probabilities of the values: one row for every count, or row c for the count
            c. Each sums to 1.
        period: beyond the last row the last so many rows follow over and over.
        rtol: the relative tolerance of each probability; 0 if they are exact.
    """

    values: tuple[Fraction, ...]
    laws: Rationals
    period: int = 1
    rtol: Fraction = Fraction(0)
    kind: ClassVar[str] = "finite_noise"
    home: ClassVar[str] = "finite.finite_noise"

    def __post_init__(self) -> None:
        _require(len(set(self.values)) == len(self.values) > 0, "values are distinct")
        _require(bool(self.laws) and 1 <= self.period <= len(self.laws), "a period is that of rows")
        for law in self.laws:
            _require(len(law) == len(self.values), "every value has a probability")
            _require(is_law(law, self.rtol), "probabilities are 0 or more and sum to 1")

    @property
    def of_counts(self) -> bool:
        """Whether the law depends on the count."""
        return len(set(self.laws)) > 1

    def law(self, count: int) -> tuple[Fraction, ...]:
        """The probabilities of the values at a count.

        Raises:
            ValueError: the law depends on the count, and this one is below 0.
        """
        if not self.of_counts:
            return self.laws[0]
        _require(count >= 0, "a count is 0 or more")
        last = len(self.laws) - self.period
        return self.laws[count if count < last else last + (count - last) % self.period]


@dataclass(frozen=True, slots=True)
class Finite:
    """A mechanism with finitely many outcomes, by the exact law of each.

    Attributes:
        rows: what each row of probabilities is of: a dataset of an explicit D, or an answer of the
            query; empty for the datasets of D in their order.
        probabilities: of the outcomes, a row each; every row sums to 1.
        query: of which the rows are answers; None if they are datasets.
        rtol: the relative tolerance of each probability; 0 if they are exact.
    """

    rows: tuple[Dataset, ...]
    probabilities: Rationals
    query: Query | None = None
    rtol: Fraction = Fraction(0)
    mark: Mark = NOWHERE
    kind: ClassVar[str] = "finite"
    home: ClassVar[str] = "finite.finite_kind"

    def __post_init__(self) -> None:
        _require(bool(self.probabilities), "there is a row of probabilities")
        _require(not self.rows or len(self.rows) == len(self.probabilities), "each row has its law")
        _require(len({len(law) for law in self.probabilities}) == 1, "all rows have one length")
        for law in self.probabilities:
            _require(is_law(law, self.rtol), "a row is a law")


@dataclass(frozen=True, slots=True)
class Allocation:
    """The rho at distance 1 that the parts of a composition are said to add up to, and where.

    Attributes:
        path: of the sentence in the spec, as people write it.
    """

    rho: Fraction
    path: str = ""
    mark: Mark = NOWHERE


@dataclass(frozen=True, slots=True)
class Composition:
    """Mechanisms run on the same data, each as many times as its ``repeat`` says.

    Attributes:
        allocation: what the parts are said to add up to, which is checked; None if nothing is.
    """

    parts: tuple[tuple[Mechanism, int], ...]
    mark: Mark = NOWHERE
    allocation: Allocation | None = None

    def __hash__(self) -> int:
        """Hash the first part only: caches hash thousands of parts again and again."""
        return hash((len(self.parts), self.parts[:1]))


@dataclass(frozen=True, slots=True)
class OtherRecords:
    """A mechanism on other records of the same population, such as households in addition to
    persons.

    Attributes:
        dataspace: of these records. invariants: what is published of them exactly.
        touched: how many of them change with one protected unit.
    """

    mechanism: Mechanism
    dataspace: Dataspace
    invariants: tuple[Invariant, ...]
    touched: Touched = USUAL
    mark: Mark = NOWHERE
    kind: ClassVar[str] = "other_records"
    home: ClassVar[str] = "other_records"


NoisePart = (
    Gaussian
    | CorrelatedGaussian
    | DiscreteGaussian
    | Laplace
    | BasisLaplace
    | DiscreteLaplace
    | KNorm
)
RandomizerPart = RandomizedResponse | SubsampledGaussian | Shuffled
Part = (
    Declared | NoisePart | FiniteNoise | RandomizerPart | Finite | Swapping | TopDown | OtherRecords
)
Mechanism = Part | Composition


def parts_of(mechanism: Mechanism, kind: type[P]) -> tuple[P, ...]:
    """Every part of a kind, in their order."""
    if isinstance(mechanism, Composition):
        return tuple(leaf for part, _ in mechanism.parts for leaf in parts_of(part, kind))
    return (mechanism,) if isinstance(mechanism, kind) else ()


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)
