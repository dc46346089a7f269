"""The changes of a query as vectors over all its coordinates, and their null space.

They are used for noise whose law does not depend on norms alone: noise in a subspace, with a
covariance, or of a norm that is a hull.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from semiaudit.errors import NOWHERE
from semiaudit.frozen import dataclass
from semiaudit.model.adjacency import compares_sizes
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import (
    SameSize,
    is_linear,
    linear_rows,
    publishing_constraints,
)
from semiaudit.model.mechanism import Support
from semiaudit.model.query import Query, TableQuery, width
from semiaudit.numeric.modular_rank import Basis
from semiaudit.numeric.row_space import MAX_OPERATIONS
from semiaudit.numeric.semidefinite import RowsOf
from semiaudit.universe.method import ALL_THREE, require_metric
from semiaudit.universe.sensitivity.answer_null_space import (
    MAX_SOLVED,
    AnswerNullSpace,
    answer_equations,
    enclosing_equations,
    null_space,
)
from semiaudit.universe.sensitivity.answers import Answers, places_of_answers
from semiaudit.universe.sensitivity.one_step import MAX_LISTED, distinct_columns
from semiaudit.universe.sensitivity.projection import free_of_margins, is_in_a_margin
from semiaudit.universe.sensitivity.queried_release import QueriedRelease
from semiaudit.universe.sensitivity.sensitivity_numbers import SolvedQuestion

MAX_WIDTH = 1_000
"""Queries of more coordinates are not listed as vectors over all of them."""

NOT_LINEAR = "the invariants are not linear in the query"
SOLVED = f"{MAX_SOLVED} possible cells and {MAX_OPERATIONS} products of whole numbers"
TOO_LARGE = (
    "the table is too large to decide whether the invariants are linear in the query (size limit: "
    f"{SOLVED})"
)

MAX_COLUMNS = 200
"""The most different columns of a query whose differences are enumerated."""


@dataclass(frozen=True, slots=True)
class AnswerChanges:
    """Vectors by which an answer can change; 0 and opposite signs are implied.

    Attributes:
        vectors: over all coordinates of the query.
        whole: True if these are all changes; else every change is among them, but they can include
            others.
    """

    vectors: tuple[tuple[int, ...], ...]
    whole: bool


class Subspaces:
    """The changes of the queries of one release and their subspaces, computed on demand and cached.

    Args:
        queried: the release.
        question: returns the solved question about one query, at a distance, in a universe.
    """

    def __init__(
        self,
        queried: QueriedRelease,
        question: Callable[[tuple[Query], int, UniverseName], SolvedQuestion],
    ) -> None:
        self.queried, self._question = queried, question
        self._changes: dict[tuple[Query, int], AnswerChanges | None] = {}
        self._null: dict[Query, AnswerNullSpace | None] = {}
        self._spans: dict[tuple[Query, int], tuple[tuple[int, ...], ...]] = {}

    def changes(self, query: Query, distance: int) -> AnswerChanges | None:
        """Return S inside D_t at a distance; None if it is not listed."""
        query = replace(query, mark=NOWHERE)
        key = query, distance
        if key not in self._changes:
            self._changes[key] = self._listed(query, distance)
        return self._changes[key]

    def span(self, query: Query, distance: int) -> tuple[tuple[int, ...], ...] | None:
        """Return independent elements of S inside D_t that span it; None if S is not listed.

        They are chosen modulo a prime, so they are independent, and too few only if the prime
        divides a determinant.
        """
        changes = self.changes(query, distance)
        if changes is None or not changes.whole:
            return None
        key = replace(query, mark=NOWHERE), distance
        if key in self._spans:
            return self._spans[key]
        independent = []
        basis = Basis(width(query, self.queried.table))
        rank = self._inside(query, distance).sensitivity.rank
        for vector in changes.vectors:
            if basis.rank == rank:
                break
            if basis.add(np.array([vector], dtype=np.int64)):
                independent.append(vector)
        self._spans[key] = tuple(independent)
        return self._spans[key]

    def steps(self, query: Query) -> tuple[tuple[int, ...], ...] | None:
        """Return S in D at distance 1: changes of one record.

        None if it is too large to enumerate.
        """
        columns = self._columns(query)
        if columns is None or self._empty:
            return None if columns is None else ()
        if not self._pairs:
            return tuple(column for column in columns if any(column))
        steps: dict[tuple[int, ...], None] = {}
        for at, one in enumerate(columns):
            for other in columns[:at]:
                steps[tuple(a - b for a, b in zip(one, other, strict=True))] = None
        return tuple(steps)

    def projected_steps(self, query: Query) -> tuple[tuple[Fraction, ...], ...] | None:
        """Return the steps projected on N; None if N or the steps are unknown."""
        columns, null = self._columns(query), self.null_space(query)
        if columns is None or null is None or not null.projects:
            return None
        if self._empty:
            return ()
        projected = [null.project(column) for column in columns]
        steps: dict[tuple[Fraction, ...], None] = {}
        for at, one in enumerate(projected):
            if not self._pairs:
                steps[one] = None
                continue
            for other in projected[:at]:
                steps[tuple(a - b for a, b in zip(one, other, strict=True))] = None
        return tuple(steps)

    def null_space(self, query: Query) -> AnswerNullSpace | None:
        """Return N; None if T is not linear in the query, or if it takes too long."""
        query = replace(query, mark=NOWHERE)
        if query not in self._null:
            self._null[query] = self._solved(query)
        return self._null[query]

    def enclosing(self, query: Query) -> AnswerNullSpace | None:
        """Return a space that contains every change of the answer inside D_t, at any distance.

        None if it takes too long to compute.

        It is the image of all changes of the table on which the linear invariants are 0, and by
        which no number of records changes, unless datasets of several sizes are compared. The
        invariants need not be a function of the answer. If they are, it is null([C; 1']).
        """
        space = self.queried.table
        constraints = constraints_of(self.queried.stated.invariants)
        linear = [c for c in publishing_constraints(constraints) if is_linear(c)]
        if self._pairs:
            linear.append(SameSize())
        answers = Answers(space, query)
        equations = answer_equations(space, answers, linear)
        if equations is None or equations.rows is None:
            equations = enclosing_equations(space, answers, linear)
        if equations is None:
            return None
        return null_space(equations, width(query, space), places_of_answers(answers))

    def is_linear(self, query: Query) -> bool:
        """Return whether T is known to be linear in the query, so that it has a null space."""
        return self._question((query,), 1, "D").projected_l2_squared is not None

    def nonlinearity(self, query: Query) -> str:
        """Say why T is not known to be linear in the query; empty if it is."""
        space = self.queried.table
        constraints = linear_rows(constraints_of(self.queried.stated.invariants))
        if constraints is None:
            return NOT_LINEAR
        answers = Answers(space, query)
        if answers.is_table or is_in_a_margin(space, answers, constraints):
            return ""
        equations = answer_equations(space, answers, constraints)
        if equations is None:
            return TOO_LARGE
        return NOT_LINEAR if equations.rows is None else ""

    def active(self, query: Query) -> tuple[int, ...]:
        """Return the coordinates that some possible record changes, or all if it takes too long."""
        records, number = self.queried.records, width(query, self.queried.table)
        answers = Answers(self.queried.table, query)
        linked = [c for c in records.components if not set(answers.relevant).isdisjoint(c)]
        whole = self.queried.table.product_cells and answers.matrix is None
        if whole or not records.within(linked, MAX_LISTED):
            return tuple(range(number))
        places = places_of_answers(answers)
        listed = map(answers.column, records.some(linked))
        return tuple(sorted({places[c] for column in listed for c, _ in column}))

    def fills(self, query: Query, distance: int) -> bool:
        """Return whether S inside D_t at a distance is known to span all of N.

        S is in N, so its rank decides.
        """
        null = self.null_space(query)
        return null is not None and self._inside(query, distance).sensitivity.rank == null.dimension

    def projector(
        self, query: Query, support: Support, distance: int | None
    ) -> tuple[int, Fraction] | None:
        """Return the rank of the projector on a support, and the largest entry of its diagonal.

        Args:
            distance: the distance of the support, if it is the sensitivity space.

        Returns:
            None if they are unknown.
        """
        filled = distance is not None and self.fills(query, distance)
        if support == "null_space" or filled:
            space = self.queried.table
            constraints = linear_rows(constraints_of(self.queried.stated.invariants)) or ()
            if isinstance(query, TableQuery) and space.product_cells:
                free = free_of_margins(space, constraints)
                if free is not None:
                    return free, Fraction(free, space.cells)
            null = self.null_space(query)
            if null is None or null.shares is None:
                return None
            return null.dimension, max(null.shares, default=Fraction(0))
        span = None if distance is None else self.span(query, distance)
        if span is None:
            return None

        rows = RowsOf(span)
        places, units = zip(*_units(width(query, self.queried.table)), strict=True)
        projected = zip(places, rows.project_all(units), strict=True)
        diagonal = [row[at] for at, row in projected]
        return rows.rank, max(diagonal, default=Fraction(0))

    def _inside(self, query: Query, distance: int) -> SolvedQuestion:
        return self._question((query,), distance, "D_t")

    @property
    def _pairs(self) -> bool:
        """Return whether a step turns a record into another one; else it adds or removes one."""
        adjacency = self.queried.release.adjacency
        require_metric(adjacency, ALL_THREE)
        return not compares_sizes(adjacency.metric)

    @property
    def _empty(self) -> bool:
        """Return whether no two datasets of D are at distance 1."""
        return not self._pairs and self.queried.table.size is not None

    def _columns(self, query: Query) -> list[tuple[int, ...]] | None:
        space, query = self.queried.table, replace(query, mark=NOWHERE)
        number = width(query, space)
        if number > MAX_WIDTH:
            return None
        answers = Answers(space, query)
        distinct = distinct_columns(answers, self.queried.records, MAX_COLUMNS)
        if distinct is None:
            return None
        places, columns = places_of_answers(answers), []
        for column in distinct:
            entries = [0] * number
            for coordinate, k in column:
                entries[places[coordinate]] = k
            columns.append(tuple(entries))
        return columns

    def _listed(self, query: Query, distance: int) -> AnswerChanges | None:
        space = self.queried.table
        number = width(query, space)
        if number > MAX_WIDTH:
            return None
        if self._inside(query, distance).sensitivity.l1.value == 0:
            return AnswerChanges((), whole=True)
        listing = self._inside(query, distance).listing
        if listing is None:
            return None
        vectors = listing.differences.vectors
        if vectors is None:
            return None
        places = places_of_answers(Answers(space, query))
        at = [places[coordinate] for coordinate in listing.coordinates]
        listed_vectors = []
        for vector in vectors.tolist():
            entries = [0] * number
            for place, value in zip(at, vector, strict=True):
                entries[place] = value
            listed_vectors.append(tuple(entries))
        return AnswerChanges(tuple(listed_vectors), listing.whole)

    def _solved(self, query: Query) -> AnswerNullSpace | None:
        space = self.queried.table
        constraints = linear_rows(constraints_of(self.queried.stated.invariants))
        if constraints is None:
            return None
        answers = Answers(space, query)
        equations = answer_equations(space, answers, constraints)
        return (
            None
            if equations is None
            else null_space(equations, width(query, space), places_of_answers(answers))
        )


def _units(width_: int) -> Iterator[tuple[int, list[int]]]:
    for at in range(width_):
        yield at, [int(place == at) for place in range(width_)]
