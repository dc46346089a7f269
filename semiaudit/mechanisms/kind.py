"""The interface of a kind of mechanism, and the base classes of the three families of kinds.

Each kind has a record of one of the three families. It stands in the kind's own module, with the
kind's loss and its sentence for the statement; ``mechanisms.KINDS`` lists them all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Generic, Literal, TypeVar, assert_never

from semiaudit.mechanisms import supports
from semiaudit.mechanisms.shifts import sensitivity_of_shifts
from semiaudit.model.frameworks import FrameworkName, UniverseName
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
from semiaudit.model.mechanism import Declared, DeclaredMeasure, Noise, Randomizer
from semiaudit.model.sensitivity import Sensitivity
from semiaudit.privacy.group import group
from semiaudit.privacy.ordering.strongest import strongest
from semiaudit.universe.per_unit import unit_l2_squared
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

Measures = tuple[Measure, ...]

Corners = Literal["all", "sums", "none"]

P = TypeVar("P")
M = TypeVar("M", bound=DeclaredMeasure)
N = TypeVar("N", bound=Noise)
R = TypeVar("R", bound=Randomizer)


class Kind(ABC, Generic[P]):
    """One kind of mechanism.

    Attributes:
        standard: its sentence in the statement: the standard of protection, and what is known.
    """

    standard: str

    @abstractmethod
    def nominal(self, part: P, spaces: SensitivitySpaces) -> Measures:
        """The measures that hold at distance 1 in D; empty where none does."""

    @abstractmethod
    def by_steps(self, part: P, distance: int, spaces: SensitivitySpaces) -> Measures:
        """The measures that hold in D after so many steps of distance 1."""

    def directly(
        self, part: P, distance: int, universe: UniverseName, spaces: SensitivitySpaces
    ) -> Measures:
        """The measures inside D_t up to a distance, from what the query can change by there; empty
        without a query."""
        return ()

    def by_units(self, part: P, distance: int, spaces: SensitivitySpaces) -> Measures:
        """The measures inside D_t at so many units of distance, by the loss of one unit.

        By the steps in D that lead there, unless the output shows on which side of an invariant a
        step falls.
        """
        return self.by_steps(part, distance, spaces)

    def published(self, part: P, distance: int, spaces: SensitivitySpaces) -> Measures:
        """What a published bound says inside D_t at so many units of distance, where ``by_units``
        says more; else empty."""
        return ()

    def unit_told(self, part: P, spaces: SensitivitySpaces) -> str:
        """What the loss of one unit is, where it is not that of one record in D: the supremum over
        the pairs of D_t, or a bound of it. Empty for the loss of one record."""
        return ""

    def projected(self, part: P, spaces: SensitivitySpaces) -> Measures | None:
        """What holds at distance 1 in D for the output projected on null(C), where T = C phi.

        Projecting is post-processing, so that the nominal loss carries over. None where T is not
        linear in what the mechanism is added to.
        """
        return self.nominal(part, spaces)

    def shows_invariants(self, part: P, spaces: SensitivitySpaces) -> str:
        """Why no number holds between datasets that disagree on the invariants: the output agrees
        with them. Empty where numbers may hold."""
        return ""

    def unstated(self, part: P, notion: FrameworkName, spaces: SensitivitySpaces) -> str:
        """Why a notion states nothing of the part, whatever its other reasons; empty where it may.

        Datasets that disagree on the invariants are the matter of ``shows_invariants``.
        """
        return ""

    def unmoved(self, part: P, distance: int, spaces: SensitivitySpaces) -> bool:
        """Whether some query of the part cannot move inside D_t up to a distance (E15)."""
        return False

    def stated_rho(self, part: P) -> Fraction | None:
        """rho at distance 1, where it is a rational that the spec alone tells."""
        return None

    def needs_steps(self, part: P) -> bool:
        """Whether the part is known at distance 1 only, and further by steps (Definition 1)."""
        return True


@dataclass(frozen=True, slots=True)
class DeclaredKind(Kind[Declared], Generic[M]):
    """A declared guarantee.

    Attributes:
        loss: every measure that follows from the declared one, at distance 1.
        states_rho: its rho is a rational that follows from the declaration.
    """

    loss: Callable[[M], Measures]
    standard: str
    states_rho: bool = False

    def nominal(self, part: Declared, spaces: SensitivitySpaces) -> Measures:
        """The measures that follow from the declaration."""
        return self._follows(part)

    def by_steps(self, part: Declared, distance: int, spaces: SensitivitySpaces) -> Measures:
        """Group privacy, and nothing else."""
        return group(self._follows(part), distance)

    def stated_rho(self, part: Declared) -> Fraction | None:
        """The declared rho, or what follows from it."""
        return _rho(self._follows(part)) if self.states_rho else None

    def _follows(self, part: Declared) -> Measures:
        loss: Callable[..., Measures] = self.loss
        return loss(part.measure)


@dataclass(frozen=True, slots=True)
class NoiseKind(Kind[N]):
    """Noise on the answer to a query.

    Attributes:
        loss: of the noise, the sensitivity of its query between the datasets in question, and the
            query's sensitivity in D at distance 1: every measure that is then known to hold;
            empty where the sensitivity has no finite bound.
        moved_by: what holds between answers whose projections on null(C) are so far apart, as the
            square of a Euclidean length; None where projecting shows no more than nothing.
        apart: what holds inside D_t, of noise with a support, between answers so far apart, as the
            square of a Euclidean length; None where lengths do not tell.
        states_rho: with shifts, its rho is a rational that the spec alone tells.
        corners: what of the noise is worst at a corner of a convex set of answers: ``all`` where
            its density is log-concave on R^d, and rho and epsilon are convex in the move;
            ``sums`` where only rho and epsilon are; ``none`` where neither is known.
    """

    loss: Callable[[N, Sensitivity, Sensitivity], Measures]
    standard: str
    corners: Corners = "none"
    moved_by: Callable[[N, Fraction], Measures] | None = None
    apart: Callable[[N, Fraction], Measures] | None = None
    states_rho: bool = False

    def nominal(self, part: N, spaces: SensitivitySpaces) -> Measures:
        """The noise against what its query, or its shifts, can change at distance 1."""
        if part.query is None:
            unit = sensitivity_of_shifts(part.shifts, 1)
        else:
            unit = spaces.everywhere(part.query, 1)
        return self.loss(part, unit, unit)

    def by_steps(self, part: N, distance: int, spaces: SensitivitySpaces) -> Measures:
        """Group privacy; bare shifts move so many times as far, each coordinate for itself.

        Its own f is composed, and the coordinates after that (Proposition 21's better order).
        """
        further = group(self.nominal(part, spaces), distance)
        if part.query is not None:
            # Steps add up to an upper bound: nobody knows two datasets in which the query moves
            # as far in every step.
            return further if distance == 1 else not_attained(further)
        unit, moved = (sensitivity_of_shifts(part.shifts, k) for k in (1, distance))
        return strongest(self.loss(part, moved, unit), further)

    def directly(
        self, part: N, distance: int, universe: UniverseName, spaces: SensitivitySpaces
    ) -> Measures:
        """The noise against what its query can change; pairs inside D_t are pairs in D too."""
        if part.query is None:
            return ()
        unit = spaces.everywhere(part.query, 1)
        anywhere = self.loss(part, spaces.everywhere(part.query, distance), unit)
        if universe == "D":
            return anywhere
        inside = self.loss(part, spaces.within(part.query, distance), unit)
        return strongest(inside, not_attained(anywhere))

    def needs_steps(self, part: N) -> bool:
        """Only bare shifts do."""
        return part.query is None

    def by_units(self, part: N, distance: int, spaces: SensitivitySpaces) -> Measures:
        """By steps of the plain noise; a support also shows only the projections of steps.

        Two datasets of D_t differ by a sum of the projections of the steps between them, so that
        no difference over its distance is longer than one of these. Where D_t is listed, the
        longest such difference is known.
        """
        found = self.by_steps(part, distance, spaces)
        if part.query is None or part.support is None or self.apart is None:
            return found
        square = unit_l2_squared(spaces.release, part.query)
        if square is None:
            square = spaces.projected_l2_squared(part.query)
        if square is None:
            return found
        return strongest(self.apart(part, square * distance * distance), found)

    def unit_told(self, part: N, spaces: SensitivitySpaces) -> str:
        """Of a support: whether all pairs of D_t were compared."""
        if part.query is None or part.support is None:
            return ""
        if self.apart is None:
            return supports.UNPROJECTED
        square = unit_l2_squared(spaces.release, part.query)
        if square is not None:
            return supports.supremum(self.apart(part, square), attained=True)
        known = spaces.projected_l2_squared(part.query) is not None
        return supports.PROJECTED if known else supports.UNPROJECTED

    def projected(self, part: N, spaces: SensitivitySpaces) -> Measures | None:
        """The noise against the projected sensitivity, where it is known what that shows."""
        nominal = self.nominal(part, spaces)
        if part.query is None:
            return nominal
        square = spaces.projected_l2_squared(part.query)
        moved_by = self.moved_by if part.support is None else self.apart
        if square is None or moved_by is None:
            return None if square is None else nominal
        return strongest(moved_by(part, square), nominal)

    def shows_invariants(self, part: N, spaces: SensitivitySpaces) -> str:
        """Noise with a support leaves everything beside it as it is."""
        if part.query is None or part.support is None:
            return ""
        return supports.shows(part.query, spaces)

    def unstated(self, part: N, notion: FrameworkName, spaces: SensitivitySpaces) -> str:
        """What the support publishes beside the invariants, or cannot be told of it."""
        if part.query is None or part.support is None:
            return ""
        return supports.unstated(part, part.query, notion, spaces)

    def stated_rho(self, part: N) -> Fraction | None:
        """That of bare shifts."""
        if part.query is not None or not self.states_rho:
            return None
        unit = sensitivity_of_shifts(part.shifts, 1)
        return _rho(self.loss(part, unit, unit))


@dataclass(frozen=True, slots=True)
class RandomizerKind(Kind[R]):
    """What acts on records. Without a query it says the same in D_t as in D.

    Attributes:
        loss: of the mechanism and a distance of its metric, 1 or more.
    """

    loss: Callable[[R, int], Measures]
    standard: str

    def nominal(self, part: R, spaces: SensitivitySpaces) -> Measures:
        """The loss between records that differ by one step."""
        return self.loss(part, 1)

    def by_steps(self, part: R, distance: int, spaces: SensitivitySpaces) -> Measures:
        """The loss between records that differ by so many steps."""
        return self.loss(part, distance)


def not_attained(measures: Measures) -> Measures:
    """The same, where no pair of datasets is known that loses all of what the measures say."""
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


def _rho(measures: Measures) -> Fraction | None:
    return next((measure.rho for measure in measures if isinstance(measure, ZCDP)), None)
