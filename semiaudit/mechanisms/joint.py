"""Joint loss of noise on several queries: one pair of datasets that is worst for all together.

A single part has its own worst pair of datasets. Together, all parts have the same pair: for each
candidate (a change of every query), the parts' losses are composed, and the largest number over all
candidates holds (docs/theory/queries.md, "Several queries").

Additive measures over the parts of a mechanism: epsilon, rho, and the square of mu.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

from semiaudit import deadline
from semiaudit.deadline import OutOfTimeError
from semiaudit.errors import NOWHERE
from semiaudit.frozen import dataclass
from semiaudit.mechanisms import kind_of
from semiaudit.mechanisms.kind import Measures, not_attained
from semiaudit.mechanisms.noise import NoiseKind
from semiaudit.mechanisms.parts import (
    Bundles,
    Known,
    best_of,
    composed,
    has_loss,
    have_common_pairs,
    query_of,
    without_losses,
)
from semiaudit.model.frameworks import UniverseName
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
from semiaudit.model.mechanism import Noise
from semiaudit.model.query import Query
from semiaudit.privacy.composition import summed
from semiaudit.privacy.domination import dominating_loss, product_of_losses
from semiaudit.privacy.ordering.implication import is_perfect, strongest
from semiaudit.privacy.ordering.joining import gaussian_size, joined
from semiaudit.privacy.ordering.matching import loss_implies
from semiaudit.privacy.weakest import weakest
from semiaudit.universe.sensitivity.spaces import SensitivitySpaces

if TYPE_CHECKING:
    from semiaudit.universe.sensitivity.dominating_moves import Pattern
    from semiaudit.universe.sensitivity.joint_moves import Element, JointMoves


def sums_of(parts: Bundles) -> Measures:
    """Return the sums of epsilon, rho and mu squared of parts with a loss, if all have one."""
    losing = [(measures, times) for measures, times in parts if not is_perfect(measures)]
    if not losing:
        return parts[0][0] if parts else ()
    return summed(losing)


def number_of(measure: Measure) -> Fraction:
    """Return the number of an additive measure."""
    match measure:
        case PureDP():
            return measure.epsilon
        case ZCDP():
            return measure.rho
        case GDP():
            return measure.mu_squared
        case ApproxDP() | ApproxZCDP() | PiecewiseLinear() | PrivacyLoss() | WorstLoss():
            raise TypeError(f"{type(measure).__name__} has no number that adds up")
        case _:
            assert_never(measure)


def is_of_sums(measure: Measure, *, hull: bool) -> bool:
    """Return whether a measure's kind follows from the sums over the parts, and not from products.

    Args:
        hull: whether the products are those of the corners of a convex set.
    """
    match measure:
        case PureDP() | ZCDP() | GDP():
            return True
        case ApproxZCDP():
            return hull
        case ApproxDP() | PiecewiseLinear() | PrivacyLoss() | WorstLoss():
            return False
        case _:
            assert_never(measure)


MAX_PRODUCTS = 6
"""The most products of pairs whose worst is computed: each number is computed for each."""

MAX_SINGLE = 3
"""The most products that keep one candidate each; the others are joined to products that lose no
less than any of several."""

MAX_COMPARED = 40
"""The most candidates whose products are compared pair by pair; others are joined without
comparison."""


@dataclass(frozen=True, slots=True)
class JointLoss:
    """A mechanism's parts, for the joint loss on one pair of datasets.

    Attributes:
        parts: all parts, each with its measures for every relevant pair of datasets.
        queries: the distinct queries of the parts.
        spaces: the sensitivity spaces of the queries.
    """

    parts: tuple[Known, ...]
    queries: tuple[Query, ...]
    spaces: SensitivitySpaces

    def measures(
        self,
        separate: Measures,
        distance: int,
        universe: UniverseName,
        otherwise: Callable[[], Measures] = tuple,
        *,
        listed: bool = True,
    ) -> Measures:
        """Return the measures of all parts together, at least as strong as if separate.

        Args:
            separate: the composition of the parts, each against its own worst pair.
            distance, universe: of the pairs of datasets.
            otherwise: computes other valid measures, if the changes of queries do not cover all
                cases.
            listed: list the elements of the space if the corners of its hull are not enough.
        """
        if not separate or not have_common_pairs(self.parts):
            return separate
        with suppress(OutOfTimeError):
            return self._together(separate, distance, universe, otherwise, listed=listed)
        return separate

    def _together(
        self,
        separate: Measures,
        distance: int,
        universe: UniverseName,
        otherwise: Callable[[], Measures],
        *,
        listed: bool,
    ) -> Measures:
        listed = listed and not self.others_have_worst_corners()
        moves = self.spaces.joint_moves(self.queries, distance, universe, listed=listed)
        joint_measures: Measures = ()
        if moves is not None and not (moves.hull and self._corners() == "none"):
            joint_measures = _Candidates(self, moves).measures(separate)
        if joint_measures and set(joint_measures) == set(not_attained(joint_measures)) == set(
            not_attained(separate)
        ):
            return separate  # the loss of single changes is unknown
        separate = not_attained(separate) if joint_measures else separate
        if not has_loss(joint_measures) and not any(
            isinstance(measure, GDP) for measure in joint_measures
        ):
            joint_measures = strongest(joint_measures, without_losses(otherwise()))
        return best_of(joint_measures, separate)

    def _corners(self) -> str:
        kinds = [kind_of(part) for part, _, _ in self.parts if query_of(part) is not None]
        known = {kind.corners if isinstance(kind, NoiseKind) else "none" for kind in kinds}
        return "none" if "none" in known else "sums" if "sums" in known else "all"

    @property
    def others(self) -> Bundles:
        """Return the parts without a query that lose something."""
        return [
            (known, times)
            for part, known, times in self.parts
            if query_of(part) is None and not is_perfect(known)
        ]

    def corners_are_worst(self, *, alone: bool) -> bool:
        """Return whether no point between corners loses more, including the parts without a query.

        Args:
            alone: whether one corner dominates all others, so that the other parts are multiplied
                with one pair.
        """
        return self._corners() == "all" if alone else self.others_have_worst_corners()

    def others_have_worst_corners(self) -> bool:
        """Return whether all parts without a query are noise whose worst case is at corners."""
        for part, known, _ in self.parts:
            if query_of(part) is None and not is_perfect(known):
                kind = kind_of(part)
                if not isinstance(kind, NoiseKind) or kind.corners != "all":
                    return False
        return self._corners() == "all"


class _Candidates:
    def __init__(self, joint: JointLoss, moves: JointMoves) -> None:
        self.joint, self.moves, self.others = joint, moves, joint.others
        self.noisy = [
            (part, known, times, joint.queries.index(replace(part.query, mark=NOWHERE)))
            for part, known, times in joint.parts
            if isinstance(part, Noise) and part.query is not None
        ]
        self.known: dict[tuple[int, Pattern], Measures] = {}
        self.losses: dict[tuple[int, Pattern], PrivacyLoss | None] = {}

    def measures(self, separate: Measures) -> Measures:
        """Return the weakest measures over the candidates; empty if nothing is known.

        Args:
            separate: measures that hold for every candidate.
        """
        elements, moves = self.moves.elements, self.moves
        bundles = [self._of(element) for element in elements]
        if any(not measures for bundle in bundles for measures, _ in bundle):
            return ()
        sums = weakest([sums_of([*bundle, *self.others]) for bundle in bundles])
        if moves.hull and not self.joint.corners_are_worst(alone=len(elements) == 1):
            return sums
        single, rest = self._kept(elements)
        candidates = [composed([*self._of(element), *self.others]) for element in single]
        if not moves.attained or self.others:
            candidates = [not_attained(measures) for measures in candidates]
        if rest:
            products = self._joined(rest)
            if not products:
                return sums
            joint = [composed([((loss,), 1), *self.others]) for loss in products]
            candidates += [_limited(measures, separate) for measures in joint]
        weakest_measures = weakest(candidates)
        if not rest and not moves.hull:
            return weakest_measures
        return strongest(
            tuple(m for m in weakest_measures if not is_of_sums(m, hull=moves.hull)), sums
        )

    def _of(self, element: Element) -> Bundles:
        deadline.check()
        return [
            (self._part(place, element[query]), times)
            for place, (_, _, times, query) in enumerate(self.noisy)
        ]

    def _part(self, place: int, pattern: Pattern) -> Measures:
        """Return the loss of one part on a change; what holds for all pairs holds for this one too.

        In a hull, only the corners' own losses bound the points between them.
        """
        key = place, pattern
        if key not in self.known:
            scores = self._own(place, [pattern])
            known = self.noisy[place][1]
            # A measure that is only known for all changes is not attained by this one.
            known = known if scores else not_attained(known)
            self.known[key] = scores if self.moves.hull else strongest(scores, known)
        return self.known[key]

    def _own(self, place: int, patterns: Sequence[Pattern]) -> Measures:
        part, _, _, query = self.noisy[place]
        kind = kind_of(part)
        if not isinstance(kind, NoiseKind) or part.query is None:
            return ()
        against: Callable[..., Measures] = kind.against
        unit = self.joint.spaces.everywhere(part.query, 1)
        return against(part, self.moves.sensitivity(query, patterns), unit)

    def _kept(self, elements: Sequence[Element]) -> tuple[list[Element], list[_Score]]:
        scored = [(self._score(element), element) for element in elements]
        scored.sort(key=lambda pair: (pair[0].order, pair[1]), reverse=True)
        elements_of_scores: list[tuple[_Score, Element]] = []
        for place, (score, element) in enumerate(scored):
            deadline.check()
            if any(other.covers(score) for other, _ in elements_of_scores):
                continue
            if len(elements_of_scores) == MAX_COMPARED:
                elements_of_scores += scored[place:]
                break
            elements_of_scores.append((score, element))
        if len(elements_of_scores) <= MAX_PRODUCTS:
            return [element for _, element in elements_of_scores], []
        first, rest = elements_of_scores[:MAX_SINGLE], elements_of_scores[MAX_SINGLE:]
        return [element for _, element in first], [score for score, _ in rest]

    def _joined(self, rest: Sequence[_Score]) -> list[PrivacyLoss]:
        """Return a few products, one of which loses no less than each of the rest.

        Each candidate joins the product that grows least by it. Empty if unknown.
        """
        losses: list[PrivacyLoss] = []
        for score in rest:
            deadline.check()
            if score.loss is None:
                return []
            if len(losses) < MAX_PRODUCTS - MAX_SINGLE:
                losses.append(score.loss)
                continue
            wider = [joined([other, score.loss]) for other in losses]
            costs = [
                (gaussian_size(element) - gaussian_size(other), place, element)
                for place, (element, other) in enumerate(zip(wider, losses, strict=True))
                if element is not None
            ]
            if len(costs) < len(losses):
                return []
            _, place, element = min(costs, key=lambda cost: cost[:2])
            losses[place] = element
        return [PrivacyLoss(loss.parts) for loss in losses]

    def _score(self, element: Element) -> _Score:
        bundle = self._of(element)
        losing = [(measures, times) for measures, times in bundle if not is_perfect(measures)]
        numbers = {type(m): number_of(m) for m in sums_of(losing)} if losing else {}
        losses: list[tuple[PrivacyLoss, int]] = []
        for place, (_, _, times, query) in enumerate(self.noisy):
            key = place, element[query]
            if key not in self.losses:
                self.losses[key] = dominating_loss(self.known[key])
            loss = self.losses[key]
            if loss is None:
                return _Score(numbers, None)
            losses.append((loss, times))
        return _Score(numbers, product_of_losses(losses))


@dataclass(frozen=True, slots=True)
class _Score:
    numbers: dict[type[Measure], Fraction]
    loss: PrivacyLoss | None

    @property
    def order(self) -> tuple[Fraction, ...]:
        return tuple(self.numbers.get(kind, Fraction(0)) for kind in (ZCDP, GDP, PureDP))

    def covers(self, other: _Score) -> bool:
        """Return whether all bounds for this candidate hold for the other one too."""
        for kind, value in self.numbers.items():
            if kind not in other.numbers or other.numbers[kind] > value:
                return False
        if GDP in self.numbers and GDP in other.numbers:
            return True
        if self.loss is None or other.loss is None:
            return False
        return loss_implies(other.loss, self.loss)


def _limited(measures: Measures, separate: Measures) -> Measures:
    """Return the measures of a joined product, with a valid loss that replaces larger ones."""
    known = next((m for m in separate if isinstance(m, PrivacyLoss)), None)
    if known is None:
        return measures
    return tuple(
        known if isinstance(m, PrivacyLoss) and not loss_implies(m, known) else m for m in measures
    )
