"""A design before its audit: its spec section, its costs, and its scaling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm, sqrt
from typing import Any, Literal, assert_never

import numpy as np
import numpy.typing as npt

from semiaudit.frozen import cached_property, dataclass
from semiaudit.mechanisms.designs.intensity import NoDesignError, down, up
from semiaudit.mechanisms.designs.optimal_gaussian import (
    Goal,
    OptimalGaussian,
    optimal_gaussian,
)
from semiaudit.mechanisms.designs.sampled_directions import times
from semiaudit.mechanisms.sampling.sampling_methods import Drawing
from semiaudit.model.frameworks import FrameworkName
from semiaudit.model.query import Sensitivity
from semiaudit.model.results.design import Cost, DesignName, Named
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import decimal_text_up, float_up
from semiaudit.universe.sensitivity.answer_null_space import AnswerNullSpace

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Rows = tuple[tuple[Fraction, ...], ...]

MAX_OPTIMAL = 64
"""The most dimensions of an optimal design: its covariance is proven in fractions."""

MAX_BASIS = 128
"""The most coordinates of a query whose noise has a basis or a covariance: it is proven in
fractions."""

MAX_LINKED = 2_000
"""The most rows of C that share coordinates, and whose Gram matrix is inverted in doubles."""

MAX_ENTRY = 1 << 50
"""The largest entry of an integer basis."""

MAX_PAIRS = 20_000_000
"""The most vectors times squared dimension for an optimum: the time of each step."""

Strength = Literal["gdp", "pure_dp", "zcdp"]
"""The measure in which the loss of a kind of noise falls with its scale: mu and epsilon as the
scale grows, rho as its square grows."""


Parameter = Literal["sigma", "sigma_squared", "scale", "epsilon", ""]
"""The parameter that makes a design's noise longer; empty for a covariance."""


@dataclass(frozen=True, slots=True)
class Subspace:
    """A subspace of the answers that contains the noise.

    Attributes:
        rows: an integer basis, over the coordinates of the answer.
    """

    rows: tuple[tuple[int, ...], ...]

    @property
    def rank(self) -> int:
        """Return the dimension of the subspace."""
        return len(self.rows)

    @property
    def orthonormal(self) -> Floats:
        """Return an orthonormal basis in floating point: rank x coordinates."""
        return np.asarray(np.linalg.qr(np.array(self.rows, dtype=float).T)[0].T)

    @property
    def largest_share(self) -> float:
        """Return the square root of the largest diagonal entry of the projector."""
        return float(np.sqrt((self.orthonormal**2).sum(axis=0).max()))


@dataclass(frozen=True)
class NullSpace:
    """The null space of rows over the coordinates of the answer, which contains the noise.

    Its rank and the variances of projected noise follow from these rows, for large tables too.
    """

    null: AnswerNullSpace

    @property
    def rank(self) -> int:
        """Return the dimension of the space."""
        return self.null.dimension

    @cached_property
    def largest_share(self) -> float:
        """Return the square root of the largest diagonal entry of the projector.

        Raises:
            NoDesignError: the rows are too many.
        """
        if self.null.shares is not None:
            return sqrt(max(self.null.shares, default=0))
        number = len(self.null.rows)
        if number > MAX_LINKED:
            raise NoDesignError(
                f"size limit: the invariants publish {number} independent numbers of linked cells, "
                f"and variances are computed for at most {MAX_LINKED}"
            )
        kinds = Counter(tuple(self.null.columns[place].items()) for place in self.null.active)
        columns = np.zeros((number, len(kinds)))
        for at, kind in enumerate(kinds):
            for row, k in kind:
                columns[row, at] = float(k)
        gram = (columns * np.array(list(kinds.values()))) @ columns.T
        outside = (columns * np.linalg.solve(gram, columns)).sum(axis=0)
        return sqrt(1 - float(outside.min()))

    @cached_property
    def basis(self) -> Subspace:
        """Return the space by an integer basis: the projections of units, scaled to integers.

        Raises:
            NoDesignError: there are too many coordinates, or the integers are too large.
        """
        null, whole = self.null, []
        check_size("a basis of the null space", len(null.active))
        for row in null.units:
            common = lcm(*(value.denominator for value in row))
            whole.append([int(value * common) for value in row])
        if max((abs(k) for row in whole for k in row), default=0) <= MAX_ENTRY:
            rows = np.array(whole, dtype=np.int64).reshape(len(whole), null.width)
            basis = independent(rows)
            if len(basis) == null.dimension:
                return Subspace(basis)
        raise NoDesignError("size limit: the null space has no basis of small whole numbers")


def check_size(what: str, coordinates: int) -> None:
    """Check that a matrix over the coordinates of an answer is small enough to be proven.

    Raises:
        NoDesignError: it is not.
    """
    if coordinates > MAX_BASIS:
        raise NoDesignError(
            f"size limit: {what} is computed for at most {MAX_BASIS} coordinates, and the query "
            f"has {coordinates:,}"
        )


def independent(vectors: Whole) -> tuple[tuple[int, ...], ...]:
    """Return a maximal set of independent rows, the longest remainders first (Gram and Schmidt)."""
    residuals: Floats = vectors.astype(float)
    size = np.sqrt((residuals**2).sum(axis=1))
    residuals, chosen = residuals[size > 0] / size[size > 0, None], []
    places = np.flatnonzero(size > 0)
    while len(residuals):
        lengths = (residuals**2).sum(axis=1)
        at = int(lengths.argmax())
        if lengths[at] < 1e-9:
            break
        chosen.append(int(places[at]))
        axis = residuals[at] / np.sqrt(lengths[at])
        residuals = residuals - np.outer(residuals @ axis, axis)
    return tuple(tuple(int(k) for k in vectors[at]) for at in sorted(chosen))


@dataclass(frozen=True, slots=True)
class Facts:
    """The input of a design.

    Attributes:
        framework: the privacy definition whose guarantee the target limits.
        active: the coordinates of the answer that some possible record changes.
        steps: the most steps of distance 1 from one of its datasets to the other.
        unit: the sensitivity of the query in D at distance 1. moved: its sensitivity between
            datasets with equal invariants, up to the semi-adjacent distance.
        span: the span of the changes between these datasets; None if unknown.
        enclosing: if the span is unknown, a space that contains it; None if none is known.
        null: the null space of the invariants among the answers; None if it is not known.
        no_null: why it is not known.
        sized: null([C; 1']), if the size of the datasets is known and is no combination of the rows
            of C; None otherwise, or if the null space of C is not known.
        no_sized: why ``sized`` is None.
        sized_step: computes the largest squared length of one record's change, projected on
            ``sized``; None if unknown.
        vectors: the changes of the query, one of each pair of opposite signs; None if not listed.
        hull_noise: sets up the sampler of K-norm noise at epsilon 1, with K the hull of the
            changes; raises ``RefusedError`` if there is none.
        named: whether designs are asked for by name; else those that take long are left out.
    """

    framework: FrameworkName
    active: tuple[int, ...]
    steps: int
    unit: Sensitivity
    moved: Sensitivity
    span: Subspace | None
    enclosing: NullSpace | None
    null: NullSpace | None
    no_null: str
    sized: AnswerNullSpace | None
    no_sized: str
    sized_step: Callable[[], Fraction | None]
    vectors: Whole | None
    hull_noise: Callable[[], Drawing]
    named: bool = False

    def leave_out(self, name: DesignName, why: str) -> None:
        """Leave out a design that takes long, unless it is asked for by name.

        Raises:
            NoDesignError: it is not.
        """
        if not self.named:
            raise NoDesignError(
                f"{why}, which takes long: ask for it by name, with --design {name} "
                f'(design="{name}" in Python)'
            )

    @property
    def coordinates(self) -> int:
        """Return the number of coordinates of the answer that some possible record changes."""
        return len(self.active)

    def null_space(self) -> NullSpace:
        """Return the null space of the invariants.

        Raises:
            NoDesignError: there is none, or it is 0.
        """
        if self.null is None:
            raise NoDesignError(self.no_null)
        if not self.null.rank:
            raise NoDesignError(
                "the invariants determine the whole answer: no noise is left to add"
            )
        return self.null

    def span_of_changes(self) -> Subspace:
        """Return the span of the changes of the query.

        Raises:
            NoDesignError: it is unknown, or it is 0.
        """
        if self.vectors is None or self.span is None:
            raise NoDesignError(
                "size limit: the changes of the query inside Dₜ are too many to be listed"
            )
        if not len(self.vectors):
            raise NoDesignError("the query does not move inside Dₜ: it needs no noise")
        return self.span

    def optimum(self, goal: Goal) -> OptimalGaussian:
        """Return the optimal Gaussian noise for mu = 1.

        Raises:
            NoDesignError: the changes of the query are not listed, or are too many.
        """
        space, vectors = self.span_of_changes(), self.vectors
        number = 0 if vectors is None else len(vectors)
        if vectors is None or space.rank > MAX_OPTIMAL or number * space.rank**2 > MAX_PAIRS:
            raise NoDesignError(
                f"size limit: its covariance has rank {space.rank} (at most {MAX_OPTIMAL}) and "
                f"{number} changes to cover (rank² times changes at most {MAX_PAIRS})"
            )
        rows = tuple(tuple(row) for row in vectors.tolist())
        return optimal_gaussian(rows, np.ascontiguousarray(space.orthonormal), goal)


@dataclass(frozen=True, slots=True)
class DesignDraft:
    """A design with a value of its parameter.

    Attributes:
        kind: of the mechanism. parameter: its name in the section.
        value: the value of the parameter; for a covariance, the square of its factor.
        strength: the measure that makes it stronger or weaker. wanted: the least number of this
            measure that meets the target.
        more: the other keys of the section, as plain values.
        matrix: of the section, before a covariance is multiplied.
        sized_step: of a design whose covariance is a projector on null([C; 1']), as in ``Facts``.
        sharp: whether it is tuned to meet the target exactly; otherwise it stays as in its source,
            unless that fails the target.
        length: expected l2 length of the noise. deviation: largest standard deviation of a
            coordinate. total: expected squared length. All at this value.
    """

    kind: str
    parameter: Parameter
    value: Fraction
    strength: Strength
    wanted: Fraction
    rank: int | None
    length: Cost
    deviation: Cost
    total: Cost
    sharp: bool
    more: tuple[tuple[str, Any], ...] = ()
    matrix: Named | None = None
    notes: tuple[str, ...] = ()
    sized_step: Fraction | None = None

    def all_notes(self) -> tuple[str, ...]:
        """Return the notes, and the note on a projection with the known size as a row."""
        if self.sized_step is None:
            return self.notes
        mu = float_up(Interval.of(self.sized_step / self.value).sqrt().upper_rational)
        claim = (
            "with the known size as a row of C, the projection on null([C; 1ᵀ]) is subspace DP "
            f"with μ {decimal_text_up(Fraction(mu), 6)}; subspace_dp, on null(C), is refused"
        )
        return (*self.notes, claim)

    def stretched(self, factor: Fraction) -> DesignDraft:
        """Return the noise stretched by at least a factor above 0.

        Rounding: the parameter is rounded to a short decimal, so that the noise is never shorter.
        """
        if factor <= 0:
            raise ValueError("noise is stretched by a factor above 0")
        match self.parameter:
            case "epsilon":
                value = down(self.value / factor)
            case "sigma_squared" | "":
                value = up(self.value * factor * factor)
            case "sigma" | "scale":
                value = up(self.value * factor)
            case _:
                assert_never(self.parameter)
        return replace(
            self,
            value=value,
            length=times(self.length, float(factor)),
            deviation=times(self.deviation, float(factor)),
            total=times(self.total, float(factor) ** 2),
        )

    def rows(self) -> Rows:
        """Return the matrix of the section."""
        if self.matrix is None:
            return ()
        factor = Fraction(1) if self.parameter else self.value
        return tuple(tuple(entry * factor for entry in row) for row in self.matrix.rows)


def finite(bound_value: Fraction | float, what: str) -> Fraction:
    """Return a sensitivity as a finite positive number.

    Raises:
        NoDesignError: it has no finite bound, or it is 0.
    """
    if not isinstance(bound_value, Fraction):
        raise NoDesignError(f"the query's {what} has no finite bound")
    if not bound_value:
        raise NoDesignError("the query does not move: it needs no noise")
    return bound_value


def rounded_rows(rows: Floats, places: int) -> Rows:
    """Return floats as decimals with this many places."""
    unit = 10**places
    return tuple(tuple(Fraction(round(float(x) * unit), unit) for x in row) for row in rows)


def product(left: Sequence[Sequence[Fraction]], right: Sequence[Sequence[int | Fraction]]) -> Rows:
    """Return the product of two matrices, exactly."""
    columns = list(zip(*right, strict=True))
    return tuple(
        tuple(
            sum((a * b for a, b in zip(row, column, strict=True) if a and b), Fraction(0))
            for column in columns
        )
        for row in left
    )


def wanted(value: Fraction | None, why: str) -> Fraction:
    """Return the strength that meets a target.

    Raises:
        NoDesignError: none does.
    """
    if value is None:
        raise NoDesignError(why)
    return value
