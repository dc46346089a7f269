"""Joint differences of two datasets in several queries.

The worst pair of datasets is one pair for all queries of a release. Every element of the stacked
sensitivity space is kept as one pattern per query: the absolute values by which the query changes.
Elements that are dominated in every query are dropped (docs/theory/queries.md, "Several queries").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from semiaudit.frozen import dataclass
from semiaudit.model.bound import Bound, exact
from semiaudit.model.query import DominatingMoves, Sensitivity
from semiaudit.universe.sensitivity import move_patterns
from semiaudit.universe.sensitivity.dominating_moves import (
    MAX_WIDTH,
    Pattern,
    best_moves,
    dominating,
    runs,
)
from semiaudit.universe.sensitivity.one_step import dense_columns, distinct_columns
from semiaudit.universe.sensitivity.profiles import Element, Profiles, undominated
from semiaudit.universe.sensitivity.sensitivity_numbers import (
    SensitivityQuestion,
    bound,
    listed_everywhere,
)

if TYPE_CHECKING:
    from semiaudit.numeric.modular_rank import Integers
    from semiaudit.universe.sensitivity.bounds import Bounds
    from semiaudit.universe.sensitivity.listed_space import Listed
    from semiaudit.universe.sensitivity.query_classes import CellSystem

MAX_WORK = 40_000_000
"""The most pairs of columns, or listed elements, times their coordinates: they are sorted, with
numpy."""

BATCH = 1_000_000
"""Entries that are sorted at a time, 8 MB."""

SOURCE = "docs/theory/queries.md, Several queries"


@dataclass(frozen=True, slots=True)
class JointMoves:
    """Representatives of every element of the sensitivity space of several queries.

    Attributes:
        distance: of the datasets, 1 or more.
        elements: one pattern per query each.
        hull: if True, every element of the space is in the convex hull of what these dominate;
            otherwise one of these dominates it.
        attained: two datasets differ by each of them.
        tables: for every query, whether it is the table.
        most: an upper bound on every gauge.
        single: one step adds or removes a record.
    """

    distance: int
    elements: tuple[Element, ...]
    hull: bool
    attained: bool
    tables: tuple[bool, ...]
    most: int
    single: bool

    def sensitivity(self, query: int, patterns: Sequence[Pattern]) -> Sensitivity:
        """Return the sensitivity space of one query as if its elements were those of some patterns.

        Args:
            query: its index.
            patterns: one or more patterns of this query; with more than one, the norms are upper
                bounds.
        """
        sure = self.attained and len(patterns) == 1
        l1, linf = max(map(sum, patterns)), max(max(p, default=0) for p in patterns)
        l2_squared = max(sum(k * k for k in p) for p in patterns)
        bins = patterns[0] if len(patterns) == 1 else dominating(patterns)
        square = bound(l2_squared, sure, "joint", SOURCE)
        moves = best_moves([runs(bins)], square)
        return Sensitivity(
            self.distance,
            bound(l1, sure, "joint", SOURCE),
            square,
            bound(linf, sure, "joint", SOURCE),
            self._gauge(query, l1, sure=sure),
            rank=None,
            elements=None,
            method="joint",
            moves=DominatingMoves(moves.sizes, moves.attained and sure),
        )

    def _gauge(self, query: int, l1: int, *, sure: bool) -> Bound:
        """Return the gauge: for the table, by its l1 norm; for others, bounded by the steps."""
        if not l1:
            return exact(0, "joint", SOURCE)
        if self.tables[query]:
            return bound(Fraction(l1, 1 if self.single else 2), sure, "joint", SOURCE)
        return bound(self.most, False, "joint", SOURCE)


def still(question: SensitivityQuestion) -> JointMoves:
    """Return the joint moves if no query changes."""
    return _moves(question, [((),) * len(question.answers.blocks)], hull=False, attained=True)


def of_one_worst(
    question: SensitivityQuestion, together: Sensitivity, separate: Sequence[Sensitivity]
) -> JointMoves | None:
    """Return one element that moves every query by its worst moves; None if none is known.

    Let the largest squared norm of the stacked answers be the sum of those of all queries. An
    element with this norm has the largest norm in every query, and so each query's worst moves if
    these are attained: no other element of that norm is dominated by them (``best_moves``).
    """
    square = sum((s.l2_squared.value for s in separate), Fraction(0))
    if together.l2_squared.side != "exact" or together.l2_squared.value != square:
        return None
    element: list[Pattern] = []
    for space in separate:
        if space.moves is None or not space.moves.attained:
            return None
        if sum(number for _, number in space.moves.sizes) > MAX_WIDTH:
            return None
        sizes = space.moves.sizes
        element.append(tuple(int(size) for size, number in sizes for _ in range(number)))
    return _moves(question, [tuple(element)], hull=False, attained=True)


def of_all(question: SensitivityQuestion, *, attained: bool = True) -> JointMoves | None:
    """Return the joint steps of one record anywhere in D, times how many records can change.

    Every element is a sum of this many steps, so S is in the hull of the multiples of single steps;
    each multiple is an element if D has all tables (Cho and Awan, Proposition 24).

    Args:
        attained: the relevant tables are all those of D.
    """
    k = question.reach.records
    if not k or not question.step.linf:
        return still(question)
    steps = _steps(question)
    if steps is None:
        return None
    scaled = [tuple(tuple(k * value for value in p) for p in step) for step in steps]
    largest = undominated(scaled)
    if largest is None:
        return None
    hull = k > 1 and not _holds_all(question, largest)
    return _moves(question, largest, hull=hull, attained=attained)


def _holds_all(question: SensitivityQuestion, corners: Sequence[Element]) -> bool:
    """Return whether one corner dominates every sum of steps, and not only all corners.

    One bin contains everything with no larger l1 norm. In a margin, at most k records leave, and as
    many enter: two bins of k contain this, or one with a free size. For a matrix, no bins are
    known: those of (3, 3) contain three times (1, 1, 0), (1, 0, 1) or (0, 1, 1), but not their sum.
    """
    if len(corners) > 1:
        return False
    answers, k, free = question.answers, question.reach.records, question.reach.free
    varies = [free or question.records.several(places) for places in answers.margins]
    for block, pattern in zip(answers.blocks, corners[0], strict=True):
        if len(pattern) <= 1:
            continue
        if any(at >= len(varies) for at in block):
            return False
        if pattern != (k,) * ((1 if free else 2) * sum(varies[at] for at in block)):
            return False
    return True


def of_all_listed(question: SensitivityQuestion) -> JointMoves | None:
    """Return the elements of S anywhere in D, one by one; None if there are many."""
    listing = listed_everywhere(question)
    return None if listing is None else of_listed(question, *listing)


def of_listed(
    question: SensitivityQuestion, cells: CellSystem, listing: Listed
) -> JointMoves | None:
    """Return the elements of S as listed, or of a set that contains S."""
    vectors = listing.differences.vectors
    if vectors is None or vectors.size > MAX_WORK:
        return None
    if not len(vectors):
        return still(question)
    rows = Profiles(question.answers, cells.coordinates)
    step = max(BATCH // max(vectors.shape[1], 1), 1)
    for start in range(0, len(vectors), step):
        rows.add(vectors[start : start + step])
    elements = rows.elements()
    if elements is None:
        return None
    return _joint_moves(question, elements, hull=False, attained=listing.whole)


def of_patterns(question: SensitivityQuestion, bounds: Bounds) -> JointMoves | None:
    """Compute the joint moves, if margins are published.

    They follow from which changing records agree in which attributes.

    The moves are attained without t over product cells, where some table starts every move.
    """
    reach, answers = question.reach, question.answers
    if reach.free or answers.matrix is not None or not bounds.published or not reach.records:
        return None
    levels = [attribute.size for attribute in question.space.attributes]
    margins = [frozenset(places) for places in answers.margins]
    distinct = list(dict.fromkeys(bounds.asked))
    moves = move_patterns.patterns(levels, bounds.published, distinct, reach.records)
    if moves is None:
        return None
    place = {margin: at for at, margin in enumerate(distinct)}
    elements = {
        tuple(_joined(move[place[margins[at]]] for at in block if margins[at] in place)
              for block in answers.blocks)
        for move in moves
    }  # fmt: skip
    attained = bounds.simple and question.release.published is None
    return _joint_moves(question, elements, hull=False, attained=attained)


def _joined(patterns: Iterable[Pattern]) -> Pattern:
    return tuple(sorted((value for pattern in patterns for value in pattern), reverse=True))


def _joint_moves(
    question: SensitivityQuestion, elements: Iterable[Element], *, hull: bool, attained: bool
) -> JointMoves | None:
    """Return the elements that no other one is seen to dominate; None if there are too many."""
    largest = undominated(elements)
    return None if largest is None else _moves(question, largest, hull=hull, attained=attained)


def _moves(
    question: SensitivityQuestion, elements: Sequence[Element], *, hull: bool, attained: bool
) -> JointMoves:
    tables, most, single = question.answers.tables, question.most, question.single
    return JointMoves(question.distance, tuple(elements), hull, attained, tables, most, single)


def _steps(question: SensitivityQuestion) -> list[Element] | None:
    answers, records, free = question.answers, question.records, question.reach.free
    if answers.matrix is None:
        if free:
            return [tuple((1,) * len(block) for block in answers.blocks)]
        varies = [records.several(places) for places in answers.margins]
        if _one_pair_differs(question, varies):
            return [tuple((1,) * (2 * sum(varies[at] for at in block)) for block in answers.blocks)]
    columns = distinct_columns(answers, records)
    if columns is None:
        return None
    coordinates = sorted({coordinate for column in columns for coordinate, _ in column})
    pairs = len(columns) if free else comb(len(columns), 2)
    if pairs * len(coordinates) > MAX_WORK:
        return None
    dense = dense_columns(columns, coordinates)
    if dense.dtype == object:
        return None
    rows = Profiles(answers, coordinates)
    for batch in [dense] if free else _pairs(dense):
        rows.add(batch)
    return rows.elements()


def _one_pair_differs(question: SensitivityQuestion, varies: Sequence[bool]) -> bool:
    if question.space.product_cells:
        return True
    ends = question.records.ends()
    if ends is None:
        return False
    first, other = (question.answers.column(levels) for levels in ends)
    return [a != b for a, b in zip(first, other, strict=True)] == list(varies)


def _pairs(dense: Integers) -> Iterator[Integers]:
    waiting: list[Integers] = []
    entries = 0
    for place in range(len(dense) - 1):
        waiting.append(dense[place + 1 :] - dense[place])
        entries += waiting[-1].size
        if entries >= BATCH:
            yield np.concatenate(waiting)
            waiting, entries = [], 0
    if waiting:
        yield np.concatenate(waiting)
