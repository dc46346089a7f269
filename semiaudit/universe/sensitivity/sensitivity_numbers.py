"""The numbers of a sensitivity space: norms, gauge, rank, elements and dominating moves."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.frozen import cached_property, dataclass
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.audit import Release
from semiaudit.model.bound import Bound, exact
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.query import DominatingMoves, Sensitivity
from semiaudit.numeric.limits import Limits
from semiaudit.universe.sensitivity.answers import Answers, Records
from semiaudit.universe.sensitivity.dominating_moves import (
    best_moves,
    dominating,
    patterns_of,
    runs,
)
from semiaudit.universe.sensitivity.gauge import largest_gauge
from semiaudit.universe.sensitivity.largest_norms import Certified, Reach
from semiaudit.universe.sensitivity.listed_space import Listed, listed
from semiaudit.universe.sensitivity.one_step import (
    Step,
    distinct_columns,
    margins_rank,
    one_step,
    table_changes,
)
from semiaudit.universe.sensitivity.query_classes import CellSystem, cell_system

if TYPE_CHECKING:
    from semiaudit.numeric.modular_rank import Integers

S_GROUP = "Cho and Awan, Definitions 4 and 5 in all of D; norms are homogeneous"
S_SEMI = "Cho and Awan, Definition 4 and section 4.1 inside D_t"
PROPOSITION_24 = "Cho and Awan, Proposition 24"
STILL = "a function of the invariants does not move inside D_t (E15)"
LEMMA_29 = "Cho and Awan, Lemma 29"

MAX_COUNTED_COLUMNS = 40
"""The elements of S in all of D are counted for queries with up to this many different columns: the
number is only reported, and a longer list takes long."""


@dataclass(frozen=True)
class SensitivityQuestion:
    """A query of a release, and the distance of two tables.

    Attributes:
        release: the release with the invariants.
        space: its table of attributes.
        answers: the query.
        records: the records that can occur.
        distance: under the release's metric, 1 or more.
        reach: the distance in records.
    """

    release: Release
    space: TableSpace
    answers: Answers
    records: Records
    distance: int
    reach: Reach

    @property
    def single(self) -> bool:
        """Return True under symmetric_difference, where one step adds or removes one record."""
        return compares_sizes(self.release.adjacency.metric)

    @cached_property
    def step(self) -> Step:
        """Return the norms of one record's step within the reach."""
        return one_step(self.answers, self.records, pairs=not self.reach.free)

    @cached_property
    def unit(self) -> Step | None:
        """Return one step of the K of a K-norm, S in D at distance 1; None if that is {0}."""
        if self.single and self.space.size is not None:
            return None
        step = one_step(self.answers, self.records, pairs=not self.single)
        return step if step.linf else None

    @property
    def most(self) -> int:
        """Return how many elements of S in D at distance 1 add up to any element."""
        return self.reach.most if self.single else self.reach.records

    @property
    def is_table(self) -> bool:
        """Return whether the query is the whole table."""
        return self.answers.is_table


def bound(value: Fraction | int, is_exact: bool, method: str, source: str) -> Bound:
    """Return a number as a bound, exact or an upper bound."""
    return Bound(Fraction(value), "exact" if is_exact else "upper", method, source)


def of_all(question: SensitivityQuestion, *, counted: bool = True) -> Sensitivity:
    """Return S over all tables of the relevant sizes, in closed form.

    k records that all make one longest step attain k times its norms; by the triangle inequality,
    nothing exceeds this. The gauge of a longest step is 1, and that of k of them is k.

    Args:
        counted: list the elements even if that only gives their number and their rank.

    Raises:
        OutOfTimeError: the time limit was reached during a listing.
    """
    step, k, method = question.step, question.reach.records, "closed_form"
    if not k or not step.linf:
        gauge = exact(0, method, LEMMA_29)
    elif question.unit is None:
        gauge = Bound(math.inf, "exact" if step.exact_linf else "upper", method, LEMMA_29)
    else:
        attained = not question.single or question.reach.free or question.is_table
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
    return Sensitivity(
        question.distance,
        bound(k * step.l1, step.exact_l1, method, S_GROUP),
        l2_squared,
        bound(k * step.linf, step.exact_linf, method, S_GROUP),
        gauge,
        rank,
        elements,
        method,
        moves,
    )


def _moves(
    question: SensitivityQuestion,
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


def _counted(
    question: SensitivityQuestion, *, listed: bool
) -> tuple[int | None, int | None, Integers | None]:
    answers, reach = question.answers, question.reach
    if not reach.records or not question.step.linf:
        return 0, 1, None
    if question.is_table:
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
    listed_s = listing[1].differences
    return listing[1].rank, listed_s.elements, listed_s.vectors


def listed_everywhere(question: SensitivityQuestion) -> tuple[CellSystem, Listed] | None:
    """List S over all tables; None if that is not short."""
    columns = distinct_columns(question.answers, question.records, MAX_COUNTED_COLUMNS)
    if columns is None:
        return None
    free = replace(question.release, invariants=(), published=None)
    cells = cell_system(free, question.space, question.answers, None)
    listing = None if cells is None else listed(cells, question.reach, Limits(0.0))
    return None if cells is None or listing is None or not listing.whole else (cells, listing)


def of_function_of_invariants(distance: int) -> Sensitivity:
    """S = {0} (E15)."""
    zero = exact(0, "function_of_invariants", STILL)
    still = DominatingMoves((), attained=True)
    return Sensitivity(distance, zero, zero, zero, zero, 0, 1, "function_of_invariants", still)


def of_listed(question: SensitivityQuestion, cells: CellSystem, listing: Listed) -> Sensitivity:
    """Return S inside D_t as it was listed."""
    method = listing.method
    l2_squared = bound(*listing.l2_squared, method, S_SEMI)
    vectors, norms = listing.differences.vectors, (listing.l1[0], listing.linf[0])
    return Sensitivity(
        question.distance,
        bound(*listing.l1, method, S_SEMI),
        l2_squared,
        bound(*listing.linf, method, S_SEMI),
        _gauge_of_listed(question, cells, listing),
        listing.rank,
        listing.differences.elements if listing.whole else None,
        method,
        _moves(question, norms, l2_squared, len(question.answers.margins), vectors),
    )


def of_certified(question: SensitivityQuestion, certified: Certified) -> Sensitivity:
    """Return S inside D_t if only its largest norms are known."""
    method = certified.method
    source = PROPOSITION_24 if method == "proposition_24" else S_SEMI
    still = not certified.l1[0]
    gauge = _gauge_of_norms(question, certified)
    if gauge is None:
        gauge = bound(question.most, False, "proposition_24", PROPOSITION_24)
    l2_squared = bound(*certified.l2_squared, method, source)
    return Sensitivity(
        question.distance,
        bound(*certified.l1, method, source),
        l2_squared,
        bound(*certified.linf, method, source),
        gauge,
        0 if still else certified.rank,
        1 if still else None,
        method,
        _moves(question, (certified.l1[0], certified.linf[0]), l2_squared, certified.margins, None),
    )


def _gauge_of_norms(question: SensitivityQuestion, norms: Listed | Certified) -> Bound | None:
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
    if question.is_table:
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


def _gauge_of_listed(question: SensitivityQuestion, cells: CellSystem, listing: Listed) -> Bound:
    gauge = _gauge_of_norms(question, listing)
    if gauge is not None:
        return gauge

    ends, vectors = None, listing.differences.vectors
    # No K-norm mechanism answers several queries at once: their gauge is not needed.
    if vectors is not None and not question.answers.stacked:
        if listing.whole and _reaches(question, cells, vectors):
            return exact(question.most, listing.method, LEMMA_29)
        pairs = not question.single
        rows: list[list[int]] = vectors.tolist()
        ends = largest_gauge(
            question.answers, question.records, cells.coordinates, rows, pairs=pairs
        )
    most = Fraction(question.most)
    if ends is None:
        return bound(most, False, "proposition_24", PROPOSITION_24)
    high = min(ends.high, most)
    return bound(high, listing.whole and ends.low >= high, "linear_program", LEMMA_29)


def _reaches(question: SensitivityQuestion, cells: CellSystem, vectors: Integers) -> bool:
    """Return whether an element moves a margin by |v|_1 = 2 for every step.

    Over one margin, the hull of S_DP is that of its own e_a - e_b, whose gauge is |v|_1 / 2; over
    the whole answer, the gauge is at least as large.
    """
    if question.single or not question.answers.margins:
        return False
    for margin in range(len(question.answers.margins)):
        inside = [place for place, (at, _) in enumerate(cells.coordinates) if at == margin]
        largest = abs(vectors[:, inside]).sum(axis=1).max(initial=0)
        if largest == 2 * question.most:
            return True
    return False
