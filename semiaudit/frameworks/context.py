"""The common input of all privacy definitions: a release, its universe, and its losses."""

from __future__ import annotations

from math import isinf

from semiaudit.frozen import cached_property, dataclass
from semiaudit.mechanisms import mechanism_loss
from semiaudit.mechanisms.kind import Asked, KnownLoss, Measures
from semiaudit.mechanisms.mechanism_loss import loss_by_published_bounds, loss_composition_first
from semiaudit.mechanisms.parts import flattened, made_for, queries_of
from semiaudit.model.adjacency import Adjacency, can_be_neighbors, compares_sizes
from semiaudit.model.frameworks import FRAMEWORKS, FrameworkName, UniverseName
from semiaudit.model.guarantee import Alternative
from semiaudit.model.measure import Measure, PiecewiseLinear, PureDP
from semiaudit.model.mechanism import Finite, FiniteNoise, Mechanism
from semiaudit.model.semi_adjacency import Universe
from semiaudit.numeric.rationals import rational_text
from semiaudit.privacy.ordering.implication import is_perfect
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

ONE_DATASET = (
    "Dₜ has only one dataset: the invariants disclose it completely, and nothing is protected"
)

NO_END = "no finite a(t) is proven"

NO_NEIGHBORS = (
    "no two datasets of D are at distance 1, so no number follows: they all have the same number "
    "of records, and the metric counts records that enter or leave"
)

UNCOVERED = (
    "It does not cover the invariants: an attacker who reads them can always distinguish datasets "
    "whose invariants differ."
)

UNBOUNDED = "the sensitivity of a query has no finite bound, so no number follows"


@dataclass(frozen=True, slots=True)
class Stated:
    """A guarantee of a privacy definition, without its name, universe and metric.

    Attributes: as those of ``Guarantee``.
    """

    distance: int | None
    measures: tuple[Measure, ...]
    covers_joint_release: bool
    not_protected: str
    note: str = ""
    alternatives: tuple[Alternative, ...] = ()
    refused: str = ""
    specific: str = ""


def refused(distance: int | None, not_protected: str, why: str) -> Stated:
    """Make a refused guarantee, with the reason."""
    return Stated(distance, (), False, not_protected, refused=why)


@dataclass(frozen=True)
class Context:
    """One release, as input of the privacy definitions."""

    universe: Universe
    adjacency: Adjacency
    mechanism: Mechanism
    spaces: SensitivitySpaces

    @property
    def distance(self) -> int | None:
        """Return the distance of semi-adjacency: the spec's own, or the established a(t)."""
        return self.adjacency.distance or self.universe.semi_adjacency.value

    @property
    def no_distance(self) -> str:
        """Return why there is no distance of semi-adjacency; empty if there is one."""
        chosen = self.universe.semi_adjacency.chosen
        if self.distance is not None:
            return ""
        if chosen.upper is None:
            return NO_END
        return (
            f"a(t) is not established: it is at least {chosen.lower}, and its only upper bound is "
            f"the size of the datasets ({chosen.upper})"
        )

    def no_measure(self, distance: int) -> str:
        """Return why no measure is known: a query without a bound, or no proven loss."""
        spaces = (self.spaces.everywhere(query, distance) for query in queries_of(self.made))
        norms = (bound for space in spaces for bound in (space.l1, space.l2_squared, space.linf))
        if any(isinf(bound.value) for bound in norms):
            return UNBOUNDED
        kinds = dict.fromkeys(part.kind for part, _ in flattened(self.made))
        return (
            f"no privacy loss is proven for {' and '.join(kinds)} at distance {distance}, so no "
            "number follows"
        )

    @property
    def steps(self) -> bool:
        """Return whether the loss at distance 1 extends to larger distances (Definition 1)."""
        return self.universe.metric_is_adjacency_metric

    def answer(self, asked: FrameworkName, distance: int, *, disagree: bool = False) -> KnownLoss:
        """Return the loss that a privacy definition is about, or why there is none (E37).

        Args:
            asked: a privacy definition of the output itself.
            distance: up to which its datasets differ, 0 or more.
            disagree: whether some of these datasets have different invariants.
        """
        both: tuple[Asked, ...] = ("disagreeing", asked) if disagree else (asked,)
        universe = FRAMEWORKS[asked].universe
        loss = self.loss_at(distance, universe, *both) if distance else KnownLoss()
        if universe == "D" and self.shows_no_neighbors(distance, loss.measures):
            return KnownLoss(refused=NO_NEIGHBORS)
        known = loss.measures or loss.refused
        return loss if known else KnownLoss(refused=self.no_measure(distance or 1))

    def shows_no_neighbors(self, distance: int, measures: Measures) -> bool:
        """Return whether nothing is lost only because D has no two datasets at distance 1."""
        if distance != 1 or not compares_sizes(self.adjacency.metric) or not is_perfect(measures):
            return False
        return not can_be_neighbors(self.adjacency.metric, self.spaces.release.dataspace.size)

    @cached_property
    def made(self) -> Mechanism:
        """Return the mechanism, with the distance for which noise inside one D_t is designed."""
        return made_for(self.mechanism, self.distance)

    def loss_at(self, distance: int, universe: UniverseName, *asked: Asked) -> KnownLoss:
        """Return the best known loss of the mechanism in a universe at a distance."""
        has_pairs = self.universe.has_pairs_at(distance)
        return mechanism_loss.loss_at(
            self.made,
            distance,
            universe,
            self.spaces,
            steps=self.steps,
            reached=has_pairs,
            asked=asked,
        )


def composition_first(context: Context, distance: int) -> tuple[Alternative, ...]:
    """Return Proposition 21's weaker order, if there are several parts and steps."""
    if not context.steps:
        return ()
    measures = loss_composition_first(context.made, distance, context.spaces)
    return (Alternative("composition_first", measures),) if measures else ()


def published_bound(context: Context, distance: int) -> tuple[Alternative, ...]:
    """Return the published bounds inside D_t of parts that have better ones."""
    measures = loss_by_published_bounds(context.made, distance, context.spaces)
    return (Alternative("published_bound", measures),) if measures else ()


def certainty_note(mechanism: Mechanism, measures: Measures) -> str:
    """Say that finitely many outcomes give no pure epsilon, and which delta is the least.

    Empty if there is an epsilon, or if another part can be the reason that there is none.
    """
    if not all(isinstance(part, Finite | FiniteNoise) for part, _ in flattened(mechanism)):
        return ""
    if not measures or any(isinstance(measure, PureDP) for measure in measures):
        return ""
    why = "some outcomes are possible for one dataset only, so there is no ε at δ = 0"
    f = next((measure for measure in measures if isinstance(measure, PiecewiseLinear)), None)
    if f is None:
        return why
    return f"{why}, and no ε at a δ below {rational_text(1 - f.vertices[0][1])}"
