"""The numbers of a sensitivity space: norms, gauge, rank, elements and dominating moves."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.errors import RefusedError
from semiaudit.frozen import cached_property, dataclass
from semiaudit.model.bound import Bound, exact
from semiaudit.model.query import DominatingMoves, Sensitivity
from semiaudit.numeric.limits import Limits
from semiaudit.universe.method import ALL_THREE, Method, first_answer, unproven
from semiaudit.universe.sensitivity.bounds import Bounds, Certified
from semiaudit.universe.sensitivity.dominating_moves import (
    best_moves,
    dominating,
    patterns_of,
    runs,
)
from semiaudit.universe.sensitivity.gauge import largest_gauge
from semiaudit.universe.sensitivity.listed_space import Listed, listed
from semiaudit.universe.sensitivity.one_step import (
    distinct_columns,
    margins_rank,
    table_changes,
)
from semiaudit.universe.sensitivity.projection import projected
from semiaudit.universe.sensitivity.query_classes import cell_system
from semiaudit.universe.sensitivity.question import Question
from semiaudit.universe.system.grouped_table import contradiction
from semiaudit.universe.system.listing import NoTableError

if TYPE_CHECKING:
    from semiaudit.numeric.modular_rank import Integers

S_GROUP = "Cho and Awan, Definitions 4 and 5 in all of D; norms are homogeneous"
S_SEMI = "Cho and Awan, Definition 4 and section 4.1 inside D_t"
PROPOSITION_24 = "Cho and Awan, Proposition 24"
STILL = "a function of the invariants does not move inside Dₜ (E15)"
LEMMA_29 = "Cho and Awan, Lemma 29"

MAX_COUNTED_COLUMNS = 40
"""The elements of S in all of D are counted for queries with up to this many different columns: the
number is only reported, and a longer list takes long."""


@dataclass(frozen=True, slots=True)
class Solution:
    """A sensitivity space in numbers and, if it was listed, its elements or a set that has them."""

    sensitivity: Sensitivity
    listing: Listed | None = None


def bound(value: Fraction | int, is_exact: bool, method: str, source: str) -> Bound:
    """Return a number as a bound, exact or an upper bound."""
    return Bound(Fraction(value), "exact" if is_exact else "upper", method, source)


def _of_all_tables(question: Question) -> Solution:
    """Compute S over all tables of the relevant sizes, in closed form.

    k records that all make one longest step attain k times its norms; by the triangle inequality,
    nothing exceeds this. The gauge of a longest step is 1, and that of k of them is k.

    Raises:
        OutOfTimeError: the time limit was reached during a listing.
    """
    # In D at distance 1, S is the K of a K-norm, whose rank is needed, and a list is short. At
    # other distances in D, a list would only give the number of elements and their rank.
    counted = question.universe == "D_t" or question.distance == 1
    step, k, method = question.step, question.reach.records, "closed_form"
    if not k or not step.linf:
        gauge = exact(0, method, LEMMA_29)
    elif question.unit is None:
        gauge = Bound(math.inf, "exact" if step.exact_linf else "upper", method, LEMMA_29)
    else:
        attained = not question.single or question.reach.free or question.answers.is_table
        gauge = bound(question.most, attained and step.exact_linf, method, LEMMA_29)
    l2_squared = bound(k * k * step.l2_squared, step.exact_l2, method, S_GROUP)
    margins = sum(question.records.several(places) for places in question.answers.margins)
    if question.reach.free:
        margins = len(question.answers.margins)
    norms = k * step.l1, k * step.linf
    moves = _moves(question, norms, l2_squared, margins, None)
    rank, elements, vectors = _counted(question, listed=counted or not moves.attained)
    if not moves.attained:
        moves = _moves(question, norms, l2_squared, margins, vectors)
    l1 = bound(k * step.l1, step.exact_l1, method, S_GROUP)
    linf = bound(k * step.linf, step.exact_linf, method, S_GROUP)
    distance = question.distance
    return Solution(
        Sensitivity(distance, l1, l2_squared, linf, gauge, rank, elements, method, moves)
    )


def _moves(
    question: Question,
    norms: tuple[int, int],
    l2_squared: Bound,
    margins: int,
    vectors: Integers | None,
) -> DominatingMoves:
    """Return moves that dominate S: from its elements if they are listed, else from its norms.

    One coordinate that moves by the l1 norm dominates; if no count moves by more than 1, the same
    number of coordinates that move by 1 dominates too. In a margin, at most ``records`` leave and
    as many enter, so two coordinates, or one with a free size, dominate the whole margin.

    Args:
        norms: the largest l1 and linf norm, or upper bounds on them.
        margins: the number of margins of the query that can change; 0 for a matrix.
        vectors: a set that contains S up to sign, if it was listed.
    """
    l1, linf = norms
    candidates = [[(l1, 1)]]
    if linf <= 1:
        candidates.append([(1, l1)])
    if margins and question.answers.matrix is None:
        signs = 1 if question.reach.free else 2
        candidates.append([(question.reach.records, signs * margins)])
    moves = best_moves(candidates, l2_squared)
    if moves.attained or vectors is None:
        return moves
    patterns = patterns_of(vectors)
    if patterns is None:
        return moves
    return best_moves([*candidates, runs(dominating(patterns))], l2_squared)


def _counted(question: Question, *, listed: bool) -> tuple[int | None, int | None, Integers | None]:
    answers, reach = question.answers, question.reach
    if not reach.records or not question.step.linf:
        return 0, 1, None
    if question.answers.is_table:
        cells = question.records.count
        if cells is None:
            return None, None, None
        number = table_changes(cells, reach.records, free=reach.free)
        return cells - (not reach.free), number, None
    rank = None
    if answers.matrix is None and question.space.product_cells:
        rank = margins_rank(answers, pairs=not reach.free)
    listing = listed_everywhere(question) if listed else None
    if listing is None:
        return rank, None, None
    return listing.rank, listing.differences.elements, listing.differences.vectors


def listed_everywhere(question: Question) -> Listed | None:
    """List S over all tables; None if that is not short."""
    columns = distinct_columns(question.answers, question.records, MAX_COUNTED_COLUMNS)
    if columns is None:
        return None
    free = replace(question.release, invariants=(), published=None)
    cells = cell_system(free, question.space, question.answers, None)
    listing = None if cells is None else listed(cells, question.reach, Limits(0.0))
    return None if listing is None or not listing.whole else listing


def _is_function_of_invariants(question: Question) -> bool:
    if question.margins.still:
        return True
    return question.cells is not None and question.cells.is_determined(fixed=question.fixed)


def _of_function_of_invariants(question: Question) -> Solution:
    """S = {0} (E15)."""
    method, distance = "function_of_invariants", question.distance
    zero = exact(0, method, STILL)
    still = DominatingMoves((), attained=True)
    return Solution(Sensitivity(distance, zero, zero, zero, zero, 0, 1, method, still))


def _of_listed(question: Question) -> Solution | None:
    """List S inside D_t; certify the norms that the list leaves open."""
    if question.cells is None:
        return None
    limits = question.limits
    listing = listed(question.cells, question.reach, limits)
    if listing is None:
        return None
    if not listing.exact:
        listing = listing.within(Bounds(question).certified(limits))
    method = listing.method
    l2_squared = bound(*listing.l2_squared, method, S_SEMI)
    vectors, norms = listing.differences.vectors, (listing.l1[0], listing.linf[0])
    sensitivity = Sensitivity(
        question.distance,
        bound(*listing.l1, method, S_SEMI),
        l2_squared,
        bound(*listing.linf, method, S_SEMI),
        _gauge_of_listed(question, listing),
        listing.rank,
        listing.differences.elements if listing.whole else None,
        method,
        _moves(question, norms, l2_squared, len(question.answers.margins), vectors),
    )
    return Solution(sensitivity, listing)


def _of_certified(question: Question) -> Solution:
    """Certify the largest norms of S inside D_t, and nothing else."""
    certified = Bounds(question).certified(question.limits)
    method = certified.method
    source = PROPOSITION_24 if method == "proposition_24" else S_SEMI
    still = not certified.l1[0]
    gauge = _gauge_of_norms(question, certified)
    if gauge is None:
        gauge = bound(question.most, False, "proposition_24", PROPOSITION_24)
    l2_squared = bound(*certified.l2_squared, method, source)
    norms = certified.l1[0], certified.linf[0]
    sensitivity = Sensitivity(
        question.distance,
        bound(*certified.l1, method, source),
        l2_squared,
        bound(*certified.linf, method, source),
        gauge,
        0 if still else certified.rank,
        1 if still else None,
        method,
        _moves(question, norms, l2_squared, certified.margins, None),
    )
    return Solution(sensitivity)


def _gauge_of_norms(question: Question, norms: Listed | Certified) -> Bound | None:
    """Return the gauge if the norms determine it; None if they only give an upper bound.

    For a table K is the hull of the e_i - e_j: the vectors that sum to 0 with |v|_1 <= 2 (match
    what leaves with what enters), so that the gauge is |v|_1 / 2; with a free size K is the l1
    ball. Otherwise it is at most the number of steps, and equal to it if some norm is this multiple
    of the norm of a step.
    """
    unit, most = question.unit, question.most
    if not norms.l1[0]:
        return exact(0, norms.method, LEMMA_29)
    # K is {0}: no multiple of it contains a nonzero vector.
    if unit is None:
        return Bound(math.inf, "exact" if norms.l1[1] else "upper", norms.method, LEMMA_29)
    if question.answers.is_table:
        value = Fraction(norms.l1[0], 1 if question.single else 2)
        return bound(min(value, Fraction(most)), norms.l1[1], norms.method, LEMMA_29)
    alone = isinstance(norms, Certified) and norms.margins == 1 and not question.single
    alone = alone and question.answers.matrix is None
    if alone and norms.l1 == (2 * most, True):
        return exact(most, norms.method, LEMMA_29)
    # K is in the ball of a step's norm, so an element of ``most`` times that norm has a gauge of at
    # least ``most``; Proposition 24 allows no more.
    is_attained = any(
        sure and value == factor * norm
        for (value, sure), factor, norm in (
            (norms.l1, most, unit.l1),
            (norms.l2_squared, most * most, unit.l2_squared),
            (norms.linf, most, unit.linf),
        )
    )
    return exact(most, norms.method, LEMMA_29) if is_attained and unit.exact else None


def _gauge_of_listed(question: Question, listing: Listed) -> Bound:
    gauge = _gauge_of_norms(question, listing)
    if gauge is not None:
        return gauge

    ends, vectors = None, listing.differences.vectors
    # No K-norm mechanism answers several queries at once: their gauge is not needed.
    if vectors is not None and not question.answers.stacked:
        if listing.whole and _reaches(question, listing, vectors):
            return exact(question.most, listing.method, LEMMA_29)
        pairs = not question.single
        rows: list[list[int]] = vectors.tolist()
        ends = largest_gauge(
            question.answers, question.records, listing.coordinates, rows, pairs=pairs
        )
    most = Fraction(question.most)
    if ends is None:
        return bound(most, False, "proposition_24", PROPOSITION_24)
    high = min(ends.high, most)
    return bound(high, listing.whole and ends.low >= high, "linear_program", LEMMA_29)


def _reaches(question: Question, listing: Listed, vectors: Integers) -> bool:
    """Return whether an element moves a margin by |v|_1 = 2 for every step.

    Over one margin, the hull of S_DP is that of its own e_a - e_b, whose gauge is |v|_1 / 2; over
    the whole answer, the gauge is at least as large.
    """
    if question.single or not question.answers.margins:
        return False
    for margin in range(len(question.answers.margins)):
        inside = [place for place, (at, _) in enumerate(listing.coordinates) if at == margin]
        largest = abs(vectors[:, inside]).sum(axis=1).max(initial=0)
        if largest == 2 * question.most:
            return True
    return False


NORMS: tuple[Method[Question, Solution], ...] = (
    Method(
        "function of the invariants",
        ALL_THREE,
        lambda q: q.is_inside and _is_function_of_invariants(q),
        _of_function_of_invariants,
    ),
    Method("listed elements", ALL_THREE, lambda q: q.is_inside, _of_listed),
    Method("all tables", ALL_THREE, lambda q: q.has_all_tables, _of_all_tables),
    Method("certified norms", ALL_THREE, lambda q: q.is_inside, _of_certified),
)
"""The methods for the norms, gauge, and elements of a sensitivity space, in the order in which they
are asked."""


@dataclass(frozen=True)
class SolvedQuestion(Question):
    """A question with the numbers of its sensitivity space, computed when they are first needed.

    Attributes:
        alone: the same question about each of several queries.
    """

    alone: tuple[SolvedQuestion, ...]

    @cached_property
    def solution(self) -> Solution:
        """Return the sensitivity space, and its elements if they were listed.

        Raises:
            RefusedError: t contradicts itself, or no method that is proven for the metric answers.
        """
        if self.is_inside:
            deadline.check()  # in D, a closed form needs no time
        try:
            solution = first_answer(NORMS, self)
        except NoTableError:
            raise RefusedError(contradiction(self.release)) from None
        if solution is None:
            raise RefusedError(unproven(self.release.adjacency, ALL_THREE))
        return solution

    @property
    def sensitivity(self) -> Sensitivity:
        """Return the sensitivity space in numbers."""
        return self.solution.sensitivity

    @property
    def listing(self) -> Listed | None:
        """Return the space, or a set that contains it, as listed; None if it was not."""
        return self.solution.listing

    @property
    def separate(self) -> tuple[Sensitivity, ...]:
        """Return the sensitivity space of each query alone, in numbers."""
        return tuple(question.sensitivity for question in self.alone or (self,))

    @cached_property
    def projected_l2_squared(self) -> Fraction | None:
        """Return the largest squared norm of a step projected on null(C); None if T is not C phi.

        A step is an element of S in D at distance 1.
        """
        full = self.sensitivity.l2_squared.value
        pairs = not self.reach.free
        return projected(self.queried.stated, self.space, self.answers, full, pairs=pairs)
