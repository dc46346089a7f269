"""A design before it is audited: the section that states it, its costs, and how it grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal, assert_never

import numpy as np
import numpy.typing as npt

from semiaudit.frozen import dataclass
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
from semiaudit.model.results.design import Cost, Named
from semiaudit.numeric.intervals import Interval
from semiaudit.numeric.rationals import decimal_text_up, float_up
from semiaudit.universe.sensitivity.answer_null_space import AnswerNullSpace

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Rows = tuple[tuple[Fraction, ...], ...]

MAX_OPTIMAL = 64
"""Dimensions of an optimal design at most: its covariance is proven in fractions."""

MAX_PAIRS = 20_000_000
"""Vectors times their squared dimension for an optimum at most: each step takes that long."""

Strength = Literal["gdp", "pure_dp", "zcdp"]
"""The measure in which the loss of a kind of noise falls with its scale: mu and epsilon as the
scale grows, rho as its square does."""


Parameter = Literal["sigma", "sigma_squared", "scale", "epsilon", ""]
"""The parameter by which a design's noise is made longer; empty for a covariance."""


@dataclass(frozen=True, slots=True)
class Subspace:
    """A subspace of the answers, in which noise lives.

    Attributes:
        rows: a basis of whole numbers, over the coordinates of the answer.
    """

    rows: tuple[tuple[int, ...], ...]

    @property
    def rank(self) -> int:
        """The dimension of the subspace."""
        return len(self.rows)

    @property
    def orthonormal(self) -> Floats:
        """An orthonormal basis in floating point: rank x coordinates."""
        return np.asarray(np.linalg.qr(np.array(self.rows, dtype=float).T)[0].T)

    @property
    def largest_share(self) -> float:
        """The largest entry on the diagonal of the projector, under its root."""
        return float(np.sqrt((self.orthonormal**2).sum(axis=0).max()))


@dataclass(frozen=True, slots=True)
class Facts:
    """What a design is made from.

    Attributes:
        framework: whose guarantee the target limits.
        coordinates: of the answer.
        steps: as many steps of distance 1 lead from one of its datasets to the other, at most.
        unit: by how much the query moves in D at distance 1. moved: between the datasets that
            agree on the invariants, up to the semi-adjacent distance.
        span: of what it moves by between these; None if it is not known.
        enclosing: where the span is not known, a space that holds it; None if none is known.
        null: the null space of the invariants among the answers; None if there is none.
        sized: null([C; 1']), if the size of the datasets is known and is no combination of the
            rows of C; None otherwise, or if the null space of C is not known.
        sized_step: the largest squared length of one record's change, projected on ``sized``; None
            if it is not known.
        vectors: what it moves by, one of each pair of opposite signs; None if not listed.
        hull_noise: sets up the sampler of K-norm noise at epsilon 1, K the hull of what it moves
            by; raises ``RefusedError`` if there is none.
    """

    framework: FrameworkName
    coordinates: int
    steps: int
    unit: Sensitivity
    moved: Sensitivity
    span: Subspace | None
    enclosing: Subspace | None
    null: Subspace | None
    sized: AnswerNullSpace | None
    sized_step: Fraction | None
    vectors: Whole | None
    hull_noise: Callable[[], Drawing]

    def null_space(self) -> Subspace:
        """The null space of the invariants.

        Raises:
            NoDesignError: there is none, or it is 0.
        """
        if self.null is None:
            raise NoDesignError(
                "the invariants are not known to be a linear function of the query's answer, so "
                "there is no null space to keep the noise in"
            )
        if not self.null.rank:
            raise NoDesignError(
                "the invariants determine the whole answer: no noise is left to add"
            )
        return self.null

    def span_of_changes(self) -> Subspace:
        """The span of what the query moves by.

        Raises:
            NoDesignError: it is not known, or it is 0.
        """
        if self.vectors is None or self.span is None:
            raise NoDesignError("what the query moves by is too much to be listed")
        if not len(self.vectors):
            raise NoDesignError("the query does not move inside D_t: it needs no noise")
        return self.span

    def optimum(self, goal: Goal) -> OptimalGaussian:
        """The optimal Gaussian noise for mu = 1.

        Raises:
            NoDesignError: what the query moves by is not listed, or is too much.
        """
        space, vectors = self.span_of_changes(), self.vectors
        number = 0 if vectors is None else len(vectors)
        if vectors is None or space.rank > MAX_OPTIMAL or number * space.rank**2 > MAX_PAIRS:
            raise NoDesignError(
                f"its covariance has rank {space.rank} and {number} vectors to hold, which takes "
                "too long"
            )
        rows = tuple(tuple(row) for row in vectors.tolist())
        return optimal_gaussian(rows, np.ascontiguousarray(space.orthonormal), goal)


@dataclass(frozen=True, slots=True)
class DesignDraft:
    """A design with a value of its parameter.

    Attributes:
        kind: of the mechanism. parameter: its name in the section.
        value: of the parameter; of a covariance the square of what it was multiplied by.
        strength: the measure by which it is made stronger or weaker. wanted: its least number
            that meets the target.
        more: the other keys of the section, as plain values.
        matrix: of the section, before a covariance is multiplied.
        sized_step: of a design whose covariance is a projector on null([C; 1']), as in ``Facts``.
        sharp: it is made to meet the target exactly; otherwise it stays as its source has it,
            unless that does not meet the target.
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
        """The notes, and what holds for a projection with the known size as a row."""
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

        Rounding: the parameter to a short decimal, so that the noise is longer rather than shorter.
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
        """The matrix as the section has it."""
        if self.matrix is None:
            return ()
        factor = Fraction(1) if self.parameter else self.value
        return tuple(tuple(entry * factor for entry in row) for row in self.matrix.rows)


def finite(bound_value: Fraction | float, what: str) -> Fraction:
    """A sensitivity that noise can be set against.

    Raises:
        NoDesignError: it has no finite bound, or nothing moves.
    """
    if not isinstance(bound_value, Fraction):
        raise NoDesignError(f"the query's {what} has no finite bound")
    if not bound_value:
        raise NoDesignError("the query does not move: it needs no noise")
    return bound_value


def rounded_rows(rows: Floats, places: int) -> Rows:
    """Floats as decimals of so many places."""
    unit = 10**places
    return tuple(tuple(Fraction(round(float(x) * unit), unit) for x in row) for row in rows)


def product(left: Sequence[Sequence[Fraction]], right: Sequence[Sequence[int | Fraction]]) -> Rows:
    """The product of two matrices, exactly."""
    columns = list(zip(*right, strict=True))
    return tuple(
        tuple(
            sum((a * b for a, b in zip(row, column, strict=True) if a and b), Fraction(0))
            for column in columns
        )
        for row in left
    )


def wanted(value: Fraction | None, why: str) -> Fraction:
    """The strength that meets a target.

    Raises:
        NoDesignError: none does.
    """
    if value is None:
        raise NoDesignError(why)
    return value
