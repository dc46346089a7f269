"""Noise on the answer to a query, with any distribution.

A kind of noise is a record of its loss, its sentence and, if known, its sampler and its variances.
Group privacy, D_t, and projections follow.

The sensitivity of bare shifts: the change of each coordinate, without a query.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal, TypeVar, assert_never

from semiaudit.frozen import dataclass
from semiaudit.mechanisms import supports
from semiaudit.mechanisms.declared import rho_of
from semiaudit.mechanisms.kind import (
    Asked,
    DatasetPairs,
    Measures,
    MechanismKind,
    Sampler,
    not_attained,
    refusal_of_sizes,
    refused,
    steps_of,
)
from semiaudit.mechanisms.spread import spread_of_discrete, spread_of_projection
from semiaudit.model.bound import exact
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.mechanism import Noise
from semiaudit.model.query import DominatingMoves, Query, Sensitivity, Spread
from semiaudit.numeric.intervals import Interval
from semiaudit.privacy.group import group
from semiaudit.privacy.ordering.implication import strongest
from semiaudit.universe.per_unit import unit_l2_squared
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    from semiaudit.mechanisms.sampling.sampling_methods import Drawing


SOURCE = "the spec's shifts; norms are homogeneous and satisfy the triangle inequality"


def sensitivity_of_shifts(shifts: Sequence[Fraction], distance: int) -> Sensitivity:
    """Return the norms of ``distance`` steps in the same direction: no other steps lead further.

    The gauge is not used: a K-norm mechanism needs a query.
    """
    sizes = [abs(shift) * distance for shift in shifts]
    largest = max(sizes, default=Fraction(0))
    moving = sorted(Counter(size for size in sizes if size).items(), reverse=True)
    return Sensitivity(
        distance=distance,
        l1=exact(sum(sizes, Fraction(0)), "shifts", SOURCE),
        l2_squared=exact(sum((size * size for size in sizes), Fraction(0)), "shifts", SOURCE),
        linf=exact(largest, "shifts", SOURCE),
        gauge=exact(distance if largest else 0, "shifts", SOURCE),
        rank=None,
        elements=None,
        method="shifts",
        moves=DominatingMoves(tuple(moving), attained=True),
    )


Corners = Literal["all", "sums", "none"]

N = TypeVar("N", bound=Noise)


@dataclass(frozen=True, slots=True)
class NoiseKind(MechanismKind[N]):
    """Noise on the answer to a query.

    Attributes:
        against: a function of the noise, the sensitivity of its query between the relevant
            datasets, and the query's sensitivity in D at distance 1. It returns every measure that
            is then known to hold; empty if the sensitivity has no finite bound.
        corners: which losses are worst at a corner of a convex set of answers: ``all`` if its
            density is log-concave on R^d, and rho and epsilon are convex in the move; ``sums`` if
            only rho and epsilon are; ``none`` if neither is known.
        at_length: the measures between answers at a distance (a squared Euclidean length) on
            null(C), or inside D_t if the noise has a support; None if lengths alone bound nothing.
        states_rho: whether, with shifts, its rho is a rational that follows from the spec alone.
        drawing: the sampler of the noise on its query; None if there is none.
        variance: of one coordinate of the noise without a support; None if no rational is known.
        series: the same, enclosed, of noise on the integers; None for other noise.
    """

    against: Callable[[N, Sensitivity, Sensitivity], Measures]
    standard: str
    corners: Corners = "none"
    at_length: Callable[[N, Fraction], Measures | None] = lambda *_: None
    states_rho: bool = False
    drawing: Callable[[N, Query, SensitivitySpaces], Drawing] | None = None
    variance: Callable[[N], Fraction] | None = None
    series: Callable[[N], Interval] | None = None
    not_sampled: ClassVar[tuple[str, str]] = (
        "{kind} cannot be sampled, because there is no sampler for it",
        "use another kind of noise",
    )

    def loss(self, part: N, pairs: DatasetPairs, spaces: SensitivitySpaces) -> Measures:
        """Return the loss of the noise for the changes of its query, or for a number of steps."""
        match pairs.way:
            case "change":
                return self.by_change(part, pairs.distance, pairs.universe, spaces)
            case "steps" if pairs.universe == "D":
                return self.by_steps(part, pairs.distance, spaces)
            case "steps":
                return self.by_units(part, pairs.distance, spaces)
            case "published":
                return ()
            case _:
                assert_never(pairs.way)

    def unit(self, part: N, spaces: SensitivitySpaces) -> Measures:
        """Return the loss for the changes of the query, or the shifts, at distance 1 in D."""
        if part.query is None:
            return self.by_steps(part, 1, spaces)
        moved = spaces.everywhere(part.query, 1)
        return self.against(part, moved, moved)

    def by_steps(self, part: N, distance: int, spaces: SensitivitySpaces) -> Measures:
        """Return the loss by group privacy; bare shifts are multiplied, each coordinate separately.

        Its own f is composed, and the coordinates after that (Proposition 21's better order).
        """
        if part.query is not None:
            further = group(self.unit(part, spaces), distance)
            # Steps add up to an upper bound: no two datasets are known in which the query changes
            # by as much in every step.
            return further if distance == 1 else not_attained(further)
        steps = steps_of(part.neighbors, distance, spaces)
        if not steps:
            return ()
        unit, moved = (sensitivity_of_shifts(part.shifts, k) for k in (1, steps))
        further = group(self.against(part, unit, unit), steps)
        known = strongest(self.against(part, moved, unit), further)
        # The two steps that replace a record may cancel each other.
        return known if steps == distance else not_attained(known)

    def by_change(
        self, part: N, distance: int, universe: UniverseName, spaces: SensitivitySpaces
    ) -> Measures:
        """Return the loss for the changes of the query; pairs inside D_t are pairs in D too."""
        if part.query is None:
            return ()
        unit = spaces.everywhere(part.query, 1)
        anywhere = self.against(part, spaces.everywhere(part.query, distance), unit)
        if universe == "D":
            return anywhere
        inside = self.against(part, spaces.within(part.query, distance), unit)
        return strongest(inside, not_attained(anywhere))

    def by_units(self, part: N, distance: int, spaces: SensitivitySpaces) -> Measures:
        """Return the loss per unit, by steps of the plain noise.

        A support shows only projections of steps.

        Two datasets of D_t differ by a sum of the projections of the steps between them, so a
        difference over its distance is at most as long as the longest of these. If D_t is listed,
        the longest such difference is known.
        """
        known = self.by_steps(part, distance, spaces)
        lengths = part.support is not None and self.at_length(part, Fraction(0)) is not None
        if part.query is None or not lengths:
            return known
        square = unit_l2_squared(spaces.release, part.query)
        if square is None:
            square = spaces.projected_l2_squared(part.query)
        if square is None:
            return known
        apart = self.at_length(part, square * distance * distance)
        return known if apart is None else strongest(apart, known)

    def projected(self, part: N, spaces: SensitivitySpaces) -> Measures | None:
        """Return the loss for the projected sensitivity, if it is known what that shows."""
        nominal = self.unit(part, spaces)
        if part.query is None:
            return nominal
        square = spaces.projected_l2_squared(part.query)
        if square is None:
            return None
        moved = self.at_length(part, square)
        return nominal if moved is None else strongest(moved, nominal)

    def refusal(self, part: N, asked: Asked, spaces: SensitivitySpaces) -> str:
        """Say what a support leaves unchanged, publishes, or leaves unknown.

        Noise without a support refuses only datasets that its shifts are not for.
        """
        if part.query is None:
            return refusal_of_sizes(part.neighbors, asked, spaces)
        if part.support is None:
            return ""
        if asked == "disagreeing":
            return supports.shows(part.query, spaces)
        return supports.refusal(part, part.query, asked, spaces)

    def remark(self, part: N, pairs: DatasetPairs, spaces: SensitivitySpaces) -> str:
        """For noise with a support, say whether all pairs of D_t were compared."""
        if pairs.way != "steps" or part.query is None or part.support is None:
            return ""
        if self.at_length(part, Fraction(0)) is None:
            return supports.UNPROJECTED
        square = unit_l2_squared(spaces.release, part.query)
        if square is not None:
            return supports.supremum(self.at_length(part, square) or (), attained=True)
        known = spaces.projected_l2_squared(part.query) is not None
        return supports.PROJECTED if known else supports.UNPROJECTED

    def needs_steps(self, part: N) -> bool:
        """Return whether the noise has bare shifts: only these need steps."""
        return part.query is None

    def specified_rho(self, part: N) -> Fraction | None:
        """Return the rho of bare shifts, which follows from the spec alone."""
        if part.query is not None or not self.states_rho:
            return None
        unit = sensitivity_of_shifts(part.shifts, 1)
        return rho_of(self.against(part, unit, unit))

    def sampler(self, part: N) -> Sampler:
        """Sample the noise on its query, by ``drawing``."""
        query, drawing = asked_query(part), self.drawing
        if drawing is None:
            return MechanismKind.sampler(self, part)
        return lambda spaces, _: drawing(part, query, spaces)

    def spread(self, part: N, spaces: SensitivitySpaces) -> Spread | None:
        """Return the variances: for noise with a support, those of the projector times the
        variance; for plain noise on the integers, the sum of a series.
        """
        if self.series is not None and part.support is None:
            return spread_of_discrete(part, self.series(part), spaces)
        if self.variance is None:
            return None
        return spread_of_projection(part, self.variance(part), spaces)


def asked_query(part: Noise) -> Query:
    """Return the query to which the noise is added.

    Raises:
        RefusedError: there is none, so the noise cannot be sampled.
    """
    if part.query is None:
        what = "has shifts and no query, so the answer that it is added to is unknown"
        raise refused(part, what, "add its query: table, margins, or matrix")
    return part.query
