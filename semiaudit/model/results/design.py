"""Designs of noise that are calibrated to one target, side by side."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal, assert_never, get_args

from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound, CanBeIncomplete, Causes
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.measure import GDP, ZCDP, ApproxDP, PureDP
from semiaudit.model.results.errors import CountErrors
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import decimal_text_up, exact_sqrt

Target = PureDP | ApproxDP | ZCDP | GDP
"""A guarantee that a design must provide."""

DesignName = Literal[
    "naive_gaussian",
    "algorithm_1",
    "projected_gaussian",
    "extended_gaussian",
    "sized_gaussian",
    "correlated_gaussian",
    "minimax_gaussian",
    "discrete_gaussian",
    "integer_lattice",
    "naive_l1",
    "naive_l2",
    "naive_linf",
    "algorithm_2",
    "algorithm_4",
    "algorithm_5",
    "algorithm_6",
    "projected_laplace",
    "extended_laplace",
]
DESIGN_NAMES: tuple[DesignName, ...] = get_args(DesignName)
"""Every design of noise by its name, in the order in which they are shown."""

SwapRate = Literal["smaller_swap_rate", "larger_swap_rate"]
SWAP_RATES: tuple[SwapRate, ...] = get_args(SwapRate)
"""The designs of a swapping: both ends of the rates that meet a target."""

AnyDesign = DesignName | SwapRate

MAX_PLACES = 120
"""Decimals that an exact text has at most."""


def limit_of(target: Target) -> Fraction:
    """The number that is not to be exceeded, in the target's own measure; of a mu that is no
    rational, the number below it."""
    match target:
        case PureDP() | ApproxDP():
            return target.epsilon
        case ZCDP():
            return target.rho
        case GDP():
            root = exact_sqrt(target.mu_squared)
            return root or Interval.of(target.mu_squared).sqrt().lower_rational
        case _:
            assert_never(target)


def target_text(target: Target) -> str:
    """A target as it is given to the command."""
    match target:
        case PureDP():
            return f"epsilon={text_of(target.epsilon)}"
        case ApproxDP():
            return f"epsilon={text_of(target.epsilon)},delta={text_of(target.delta)}"
        case ZCDP():
            return f"rho={text_of(target.rho)}"
        case GDP():
            return f"mu={text_of(limit_of(target))}"
        case _:
            assert_never(target)


def text_of(value: Fraction) -> str:
    """A rational exactly: as a decimal where it has an end, else as a ratio."""
    rest, places = value.denominator, 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        places = max(places, count)
    if rest != 1 or places > MAX_PLACES:
        return str(value)
    return decimal_text_up(value, places)


CostSide = Literal["exact", "upper", "estimate"]

SamplingWay = Literal["exact", "floating_point", "approximate", "impossible"]
"""The method that samples the noise of a design: whole numbers, its formula on a grid, a walk whose
distribution is not proven, or none."""


@dataclass(frozen=True, slots=True)
class Cost:
    """A length of noise: what a design costs its users.

    Attributes:
        value: in units of the answer.
        side: ``exact`` (a closed form in floating point), ``upper`` (it is no larger), or
            ``estimate`` (from random draws).
        error: of an estimate, its standard error; of others 0.
    """

    value: float
    side: CostSide = "exact"
    error: float = 0.0


@dataclass(frozen=True, slots=True)
class Named:
    """A matrix that a mechanism section names as a file.

    Attributes:
        key: of the mechanism's kind, such as ``covariance``.
        rows: exact rationals over the coordinates of the answer.
    """

    key: str
    rows: tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True, slots=True)
class Design:
    """One design, calibrated and audited.

    Attributes:
        mechanism: as plain values.
        matrix: the part of the section that a file may hold; None if there is none.
        expected_l2: the expected Euclidean length of the noise.
        max_sd: the largest standard deviation of one coordinate of the answer.
        met: None if the audit finds no finite number.
        total_variance: the expected squared length of the noise.
        notes: what a reader must know of it.
        late: it is refused because the time limit was reached.
    """

    name: Annotated[AnyDesign, "the name of the design, for `--design`"]
    description: Annotated[str, "the design in words, with its source"]
    mechanism: Annotated[
        dict[str, Any] | None, "the mechanism section of a spec; null if the target is not met"
    ] = None
    matrix: Named | None = None
    parameter: Annotated[str, "the parameter that was calibrated; empty for a covariance"] = ""
    scale: Annotated[
        Fraction | None, "its value, rounded to the safe side; null for a covariance"
    ] = None
    rank: Annotated[
        int | None, "the rank of the covariance of the noise, or an upper bound; null: unknown"
    ] = None
    expected_l2: Cost | None = None
    max_sd: Cost | None = None
    met: Annotated[
        Bound | None,
        "the number that an audit of the section finds in the privacy measure of the "
        "target, rounded up; null if none",
    ] = None
    meets: Annotated[bool, "whether that number is at most the target"] = False
    tight: Annotated[bool, "whether that number is within a millionth of the target"] = False
    ratio: Annotated[
        float | None, "expected_l2, divided by that of the naive design; null if unknown"
    ] = None
    total_variance: Cost | None = None
    of_least_total: Annotated[
        float | None,
        "total_variance, divided by a proven lower bound for all Gaussian noise that "
        "meets the target; null if no bound is known",
    ] = None
    of_least_largest: Annotated[
        float | None,
        "the square of max_sd, divided by such a bound on the largest variance; null if "
        "none is known",
    ] = None
    preferred_over: Annotated[
        tuple[AnyDesign, ...],
        "K-norm designs whose balls strictly contain this one's (Cho and Awan, Definition 8)",
    ] = ()
    sampling: Annotated[
        SamplingWay | None,
        "how `semiaudit mechanism sample` samples it: in whole numbers, by its formula in floating "
        "point, by a walk whose distribution is not proven, or not at all; null: target not met",
    ] = None
    not_sampled: Annotated[str, "why it cannot be sampled; empty if it can"] = ""
    notes: Annotated[tuple[str, ...], "notes on the design"] = ()
    refused: Annotated[str, "the reason that it does not meet the target; empty if it does"] = ""
    late: bool = False
    errors: Annotated[
        tuple[CountErrors, ...],
        "the errors of the cells, and of each margin that was named; empty if it cannot be sampled",
    ] = ()


@dataclass(frozen=True, slots=True)
class Calibration(CanBeIncomplete):
    """All designs for one query, or of one swapping, and one target.

    Attributes:
        framework: the notion whose guarantee the target limits. distance: of its pairs.
        own: the design that is the mechanism of the spec with another scale; None if there is none.
        incomplete_because: why some numbers are less narrow than was asked for; empty if
            none is.
    """

    path: Annotated[str, "the path of the spec"]
    title: Annotated[str, "the title of the spec"]
    query: Annotated[str, "the query that noise is added to, or the exchanged attributes"]
    framework: FrameworkName
    distance: int | None
    target: Target
    designs: Annotated[tuple[Design, ...], "the designs; in each family, naive designs are first"]
    naive: Annotated[str, "the design that the ratios compare with; empty if there is none"] = ""
    notes: Annotated[tuple[str, ...], "notes on all designs"] = ()
    own: AnyDesign | None = None
    incomplete_because: Causes = ()
