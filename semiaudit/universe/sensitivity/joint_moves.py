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
from semiaudit.universe.method import ALL_THREE, Method
from semiaudit.universe.sensitivity import move_patterns
from semiaudit.universe.sensitivity.answers import Answers, Coordinate
from semiaudit.universe.sensitivity.differences import distinct
from semiaudit.universe.sensitivity.dominating_moves import (
    MAX_WIDTH,
    Pattern,
    best_moves,
    dominating,
    packed,
    runs,
)
from semiaudit.universe.sensitivity.one_step import dense_columns, distinct_columns
from semiaudit.universe.sensitivity.question import Question
from semiaudit.universe.sensitivity.sensitivity_numbers import (
    SolvedQuestion,
    bound,
    listed_everywhere,
)

if TYPE_CHECKING:
    from semiaudit.numeric.modular_rank import Integers
    from semiaudit.universe.sensitivity.listed_space import Listed

MAX_WORK = 40_000_000
"""The most pairs of columns, or listed elements, times their coordinates: they are sorted, with
numpy."""

BATCH = 1_000_000
"""Entries that are sorted at a time, 8 MB."""

MAX_PROFILES = 20_000
"""The most distinct elements, up to the order of values, that are compared with each other."""

MAX_ELEMENTS = 3_000
"""The most elements of which none is seen to dominate another."""

MAX_PACKED = 200
"""The most elements that are packed into each other, pair by pair, in Python."""

Element = tuple[Pattern, ...]
"""The absolute values by which each query changes."""

SOURCE = "docs/theory/queries.md, Several queries"


@dataclass(frozen=True, slots=True)
class JointMoves:
    """Representatives of every element of the sensitivity space of several queries.

    Attributes:
        question: which queries, and between which datasets.
        elements: one pattern per query each.
        hull: if True, every element of the space is in the convex hull of what these dominate;
            otherwise one of these dominates it.
        attained: two datasets differ by each of them.
    """

    question: Question
    elements: tuple[Element, ...]
    hull: bool
    attained: bool

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
            self.question.distance,
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
        if self.question.answers.tables[query]:
            return bound(Fraction(l1, 1 if self.question.single else 2), sure, "joint", SOURCE)
        return bound(self.question.most, False, "joint", SOURCE)


class Profiles:
    """Collect stacked vectors in batches, and keep their distinct patterns."""

    def __init__(self, answers: Answers, coordinates: Sequence[Coordinate]) -> None:
        self.blocks = [
            [place for place, (at, _) in enumerate(coordinates) if at in block]
            for block in answers.blocks
        ]
        self.kept: list[Integers] = []
        self.rows = 0

    def add(self, batch: Integers) -> None:
        """Add the rows of a matrix over the coordinates."""
        size = np.abs(batch)
        ordered = [-np.sort(-size[:, block], axis=1) for block in self.blocks]
        self.kept.append(distinct(np.concatenate(ordered, axis=1)))
        self.rows += len(self.kept[-1])
        if self.rows > MAX_PROFILES:
            self._join()

    def _join(self) -> None:
        self.kept = [distinct(np.concatenate(self.kept))] if self.kept else []
        self.rows = sum(map(len, self.kept))

    def elements(self) -> list[Element] | None:
        """Return the distinct elements, without those that another one exceeds value by value."""
        self._join()
        if not self.kept:
            return [((),) * len(self.blocks)]
        if self.rows > MAX_PROFILES:
            return None
        rows = _largest_rows(self.kept[0])
        if rows is None:
            return None
        widths, elements = [len(block) for block in self.blocks], []
        for row in rows.tolist():
            values, element = iter(row), []
            for width in widths:
                block = [next(values) for _ in range(width)]
                element.append(tuple(value for value in block if value))
            elements.append(tuple(element))
        return elements


def _largest_rows(rows: Integers) -> Integers | None:
    """Return rows that no other row exceeds in every entry; None if too many are left."""
    order = np.argsort(-rows.sum(axis=1), kind="stable")
    largest = np.zeros((0, rows.shape[1]), dtype=rows.dtype)
    # A row that exceeds another one has a larger sum, so it was examined before.
    for row in rows[order]:
        if not (largest >= row).all(axis=1).any():
            largest = np.concatenate([largest, row[None, :]])
            if len(largest) > MAX_ELEMENTS:
                return None
    return largest


def undominated(elements: Iterable[Element]) -> list[Element] | None:
    """Drop elements whose patterns all fit into the patterns of another one."""
    ordered = sorted(set(elements), key=lambda element: (_sum(element), element), reverse=True)
    if len(ordered) > MAX_ELEMENTS:
        return None
    if len(ordered) > MAX_PACKED:
        return ordered
    remaining = list(ordered)
    # The smallest are dropped first, so one that fits by way of a dropped one is dropped too.
    for element in reversed(ordered):
        if any(other != element and dominates(other, element) for other in remaining):
            remaining.remove(element)
    return remaining


def dominates(one: Element, other: Element) -> bool:
    """Return whether all of the other's moves are seen to fit into the one's, query by query."""
    if any(sum(p) < sum(q) for p, q in zip(one, other, strict=True)):
        return False
    return all(packed(q, p) == p for p, q in zip(one, other, strict=True))


def _sum(element: Element) -> int:
    return sum(map(sum, element))


def still(question: Question) -> JointMoves:
    """Return the joint moves if no query changes."""
    return JointMoves(question, (((),) * len(question.queries),), hull=False, attained=True)


def of_one_worst(question: SolvedQuestion) -> JointMoves | None:
    """Return one element that moves every query by its worst moves; None if none is known.

    Let the largest squared norm of the stacked answers be the sum of those of all queries. An
    element with this norm has the largest norm in every query, and so each query's worst moves if
    these are attained: no other element of that norm is dominated by them (``best_moves``).
    """
    together, separate = question.sensitivity, question.separate
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
    return JointMoves(question, (tuple(element),), hull=False, attained=True)


def of_steps(question: Question) -> JointMoves | None:
    """Return the joint steps of one record anywhere in D, times how many records can change.

    Every element is a sum of this many steps, so S is in the hull of the multiples of single steps;
    each multiple is an element if the universe has all tables (Cho and Awan, Proposition 24).
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
    return JointMoves(question, tuple(largest), hull, question.has_all_tables)


def _holds_all(question: Question, corners: Sequence[Element]) -> bool:
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


def of_listed(question: Question, listing: Listed | None) -> JointMoves | None:
    """Return the elements of S as listed, or of a set that contains S; None if there are many."""
    if listing is None:
        return None
    vectors = listing.differences.vectors
    if vectors is None or vectors.size > MAX_WORK:
        return None
    if not len(vectors):
        return still(question)
    rows = Profiles(question.answers, listing.coordinates)
    step = max(BATCH // max(vectors.shape[1], 1), 1)
    for start in range(0, len(vectors), step):
        rows.add(vectors[start : start + step])
    elements = rows.elements()
    if elements is None:
        return None
    return _of_elements(question, elements, attained=listing.whole)


def of_patterns(question: Question) -> JointMoves | None:
    """Compute the joint moves, if margins are published.

    They follow from which changing records agree in which attributes.

    The moves are attained without t over product cells, where some table starts every move.
    """
    reach, answers, margins = question.reach, question.answers, question.margins
    if reach.free or answers.matrix is not None or not margins.published or not reach.records:
        return None
    levels = [attribute.size for attribute in question.space.attributes]
    wanted = [frozenset(places) for places in answers.margins]
    distinct = list(dict.fromkeys(margins.asked))
    moves = move_patterns.patterns(levels, margins.published, distinct, reach.records)
    if moves is None:
        return None
    place = {margin: at for at, margin in enumerate(distinct)}
    elements = {
        tuple(_joined(move[place[wanted[at]]] for at in block if wanted[at] in place)
              for block in answers.blocks)
        for move in moves
    }  # fmt: skip
    attained = margins.simple and question.release.published is None
    return _of_elements(question, elements, attained=attained)


def _joined(patterns: Iterable[Pattern]) -> Pattern:
    return tuple(sorted((value for pattern in patterns for value in pattern), reverse=True))


def _of_elements(
    question: Question, elements: Iterable[Element], *, attained: bool
) -> JointMoves | None:
    """Return the elements that no other one is seen to dominate; None if there are too many."""
    largest = undominated(elements)
    return None if largest is None else JointMoves(question, tuple(largest), False, attained)


def _steps(question: Question) -> list[Element] | None:
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


def _one_pair_differs(question: Question, varies: Sequence[bool]) -> bool:
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


JOINT: tuple[Method[SolvedQuestion, JointMoves], ...] = (
    Method("no change", ALL_THREE, lambda q: q.is_inside and not q.sensitivity.l1.value, still),
    Method("one worst element", ALL_THREE, lambda q: q.is_inside, of_one_worst),
    Method("listed elements", ALL_THREE, lambda q: q.is_inside, lambda q: of_listed(q, q.listing)),
    Method(
        "patterns of moves",
        ALL_THREE,
        lambda q: q.is_inside and not q.has_all_tables,
        of_patterns,
    ),
    Method("multiples of steps", ALL_THREE, lambda _: True, of_steps),
)
"""The methods for joint differences, in the order in which they are asked."""

LISTED_JOINT: tuple[Method[SolvedQuestion, JointMoves], ...] = (
    Method(
        "listed elements in D",
        ALL_THREE,
        lambda q: not q.is_inside,
        lambda q: of_listed(q, listed_everywhere(q)),
    ),
    *JOINT,
)
"""The same, where elements are wanted one by one even if their hull has few corners."""
