"""Designs of noise that are calibrated to one target, side by side."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal, assert_never, get_args

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
            return f"pure_dp:{text_of(target.epsilon)}"
        case ApproxDP():
            return f"approx_dp:{text_of(target.epsilon)},{text_of(target.delta)}"
        case ZCDP():
            return f"zcdp:{text_of(target.rho)}"
        case GDP():
            return f"gdp:{text_of(limit_of(target))}"
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
        name: by which it is chosen.
        told: the design in words, with its source.
        mechanism: the section of a spec that states it, as plain values; None if there is none.
        matrix: the part of the section that a file may hold; None if there is none.
        scale: the parameter that was calibrated, and ``parameter`` its name.
        rank: of the covariance, or an upper bound of it; None if neither is known.
        expected_l2: the expected Euclidean length of the noise.
        max_sd: the largest standard deviation of one coordinate of the answer.
        met: what an audit of the section finds, in the target's measure; None if it finds no
            finite number.
        meets: the audit's number is no larger than the target.
        ratio: ``expected_l2`` over that of the naive design; None if one of them is unknown.
        total_variance: the expected squared length of the noise.
        of_least_total, of_least_largest: ``total_variance`` and the square of ``max_sd``, each over
            a proven lower bound on that of all Gaussian noise that meets the target; None if no
            bound is known.
        preferred_over: K-norm designs whose balls strictly contain this one's (Definition 8).
        sampling: how `semiaudit mechanism sample` samples it; None if it does not meet the target.
        not_sampled: why it cannot be sampled; empty if it can.
        notes: what a reader must know of it.
        refused: why there is no such design, or why it does not meet the target; empty if it does.
        late: it is refused because the time limit was reached.
        errors: of the counts, for each margin that was named.
    """

    name: AnyDesign
    told: str
    mechanism: dict[str, Any] | None = None
    matrix: Named | None = None
    parameter: str = ""
    scale: Fraction | None = None
    rank: int | None = None
    expected_l2: Cost | None = None
    max_sd: Cost | None = None
    met: Bound | None = None
    meets: bool = False
    tight: bool = False
    ratio: float | None = None
    total_variance: Cost | None = None
    of_least_total: float | None = None
    of_least_largest: float | None = None
    preferred_over: tuple[AnyDesign, ...] = ()
    sampling: SamplingWay | None = None
    not_sampled: str = ""
    notes: tuple[str, ...] = ()
    refused: str = ""
    late: bool = False
    errors: tuple[CountErrors, ...] = ()


@dataclass(frozen=True, slots=True)
class Calibration(CanBeIncomplete):
    """All designs for one query, or of one swapping, and one target.

    Attributes:
        path, title: of the spec. query: what the noise is added to, or what is exchanged.
        framework: the notion whose guarantee the target limits. distance: of its pairs.
        naive: the name of the design that ratios are taken to; empty if none is known.
        notes: what holds for all designs.
        own: the design that is the mechanism of the spec with another scale; None if there is none.
        incomplete_because: why some numbers are less narrow than was asked for; empty if
            none is.
    """

    path: str
    title: str
    query: str
    framework: FrameworkName
    distance: int | None
    target: Target
    designs: tuple[Design, ...]
    naive: str = ""
    notes: tuple[str, ...] = ()
    own: AnyDesign | None = None
    incomplete_because: Causes = ()
