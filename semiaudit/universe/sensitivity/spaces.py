"""Sensitivity spaces of queries, in all of D and inside D_t.

Pairs of tables X, X + u at a distance: (1/2)|u|_1 under the Hamming metrics (the closest orders of
the tables), |u|_1 under ``symmetric_difference``. Every query is linear, so S is Q applied to the
changes u that are possible.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.errors import NOWHERE, Refusal, RefusedError
from semiaudit.frozen import cached_property, dataclass
from semiaudit.model.adjacency import Metric, compares_sizes
from semiaudit.model.audit import Release, size_of
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.invariants import constraints_of, known
from semiaudit.model.invariants.constraint import SameSize
from semiaudit.model.query import Query, Sensitivity
from semiaudit.numeric.limits import Limits
from semiaudit.universe.sensitivity.answers import Answers, Records
from semiaudit.universe.sensitivity.largest_norms import most_changed_records
from semiaudit.universe.system.grouped_table import contradiction
from semiaudit.universe.system.invariant_normal_form import in_one_spelling
from semiaudit.universe.system.listing import NoTableError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from semiaudit.universe.sensitivity.answers import Coordinate
    from semiaudit.universe.sensitivity.bounds import Bounds
    from semiaudit.universe.sensitivity.joint_moves import JointMoves
    from semiaudit.universe.sensitivity.largest_norms import Certified, Reach
    from semiaudit.universe.sensitivity.listed_space import Listed
    from semiaudit.universe.sensitivity.query_classes import CellSystem
    from semiaudit.universe.sensitivity.sensitivity_numbers import SensitivityQuestion
    from semiaudit.universe.sensitivity.subspaces import Subspaces
    from semiaudit.universe.system.plain_system import PlainSystem


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of a sensitivity space.

    Attributes:
        coordinates: the meaning of each entry of a vector: (which margin of the query, or 0; its
            row-major cell, or the row of a matrix). Other coordinates do not change.
        vectors: 0 and pairs of opposite signs up to a limit, in lexicographic order.
        count: the number of elements.
    """

    coordinates: tuple[Coordinate, ...]
    vectors: tuple[tuple[int, ...], ...]
    count: int


def shown(cells: CellSystem, listed: Listed, most: int) -> Elements | None:
    """Return the elements of a space; None if not all of it was listed."""
    vectors = listed.differences.vectors
    if not listed.whole or vectors is None:
        return None
    one_sign = [tuple(vector) for vector in vectors[: max(most // 2, 0)].tolist()]
    signed = [*one_sign, *(tuple(-k for k in vector) for vector in one_sign)]
    elements = tuple(sorted([(0,) * len(cells.coordinates), *signed]))
    return Elements(cells.coordinates, elements, 2 * len(vectors) + 1)


def orthonormal(listed: Listed) -> npt.NDArray[np.float64] | None:
    """Return an orthonormal basis of the span, in floating point.

    None if not all of it was listed.
    """

    import numpy as np

    vectors = listed.differences.vectors
    if not listed.whole or vectors is None:
        return None
    if not len(vectors):
        return np.zeros((0, vectors.shape[1]))
    wide = vectors.astype(float)
    _, sizes, right = np.linalg.svd(wide, full_matrices=False)
    threshold = sizes[0] * max(wide.shape) * np.finfo(float).eps
    rank = max(int((sizes > threshold).sum()), listed.differences.rank)
    return np.asarray(right[:rank])


Queries = tuple[Query, ...]

MAX_SHOWN = 1_000
"""The most elements that are displayed."""

PROGRAM_SHARE = 0.25
"""The part of the remaining time that the programs of one sensitivity space can take, so that all
queries of a release get some."""


@dataclass(frozen=True, slots=True)
class _Space:
    sensitivity: Sensitivity
    cells: CellSystem | None = None
    listed: Listed | None = None


class SensitivitySpaces:
    """The sensitivity spaces of one release, computed on demand and cached.

    Args:
        limits: the limits of integer programs; by default, 60 seconds in total.

    Attributes:
        release: the release with its invariants in normal form, which have the same D_t.
        stated: the release with its invariants as written, which are the rows of C in T = C phi. If
            the size of the datasets is known, the normal form can have more rows than C, and then a
            smaller null space, on which less is visible.

    Raises:
        RefusedError: the kind of an invariant is unknown.
    """

    def __init__(self, release: Release, limits: Limits | None = None) -> None:
        known(release.invariants)

        self.release = in_one_spelling(release)
        self.stated = release
        self.limits = limits
        self._everywhere: dict[tuple[Query, int], Sensitivity] = {}
        self._within: dict[tuple[Queries, int], _Space] = {}
        self._joint: dict[tuple[Queries, int, UniverseName, bool], JointMoves | None] = {}
        self._projected_squares: dict[Query, Fraction | None] = {}
        self._plain: list[PlainSystem | None] = []

    def everywhere(self, query: Query, distance: int) -> Sensitivity:
        """Return S of datasets in D within a distance (Cho and Awan, Definition 4, S_Group).

        The result is exact: S contains k times every step, and every element is a sum of k steps (k
        records, or all n if there are fewer), so that norms are k times those of one step.

        Args:
            query: a query over the table's cells.
            distance: 1 or more, under the release's metric.

        Raises:
            RefusedError: the dataspace has no table over attributes.
        """
        from semiaudit.universe.sensitivity.sensitivity_numbers import of_all

        query = replace(query, mark=NOWHERE)
        key = query, distance
        if key not in self._everywhere:
            space = self.table
            reach = most_changed_records(
                self._metric, distance, space.size, fixed=space.size is not None
            )
            # At distance 1, S is the K of a K-norm, whose rank is needed; a listing is short.
            question = self._question((query,), distance, reach)
            self._everywhere[key] = of_all(question, counted=distance == 1)
        return self._everywhere[key]

    def within(self, query: Query, distance: int) -> Sensitivity:
        """Return S of datasets in D_t within a distance (Cho and Awan, section 4.1, S_Semi).

        The result is exact if S is listed, if its largest norms do not depend on the names of
        levels, or if a largest move is proven to start inside D_t; otherwise it consists of
        certified upper bounds.

        Raises:
            RefusedError: the dataspace has no table over attributes, or t contradicts itself.
        """
        return self._inside((query,), distance).sensitivity

    def joint_within(self, queries: Queries, distance: int) -> Sensitivity:
        """Return S of the stacked answers of several queries, within a distance in D_t.

        The gauge is not computed. Exactness and errors are as for ``within``.
        """
        return self._inside(queries, distance).sensitivity

    def joint_moves(
        self, queries: Queries, distance: int, universe: UniverseName, *, listed: bool = False
    ) -> JointMoves | None:
        """Return the possible differences of two datasets within a distance in all queries at once.

        Args:
            queries: each once.
            listed: list the elements of S one by one even if its hull has few corners.

        Returns:
            None if there are too many.
        """
        queries = tuple(replace(query, mark=NOWHERE) for query in queries)
        key = queries, distance, universe, listed
        if key not in self._joint:
            moves = self._moves(queries, distance, universe, listed=listed)
            self._joint[key] = moves
        return self._joint[key]

    def elements_of(self, query: Query, distance: int, most: int = MAX_SHOWN) -> Elements | None:
        """Return the elements of S inside D_t; None if S is not listed."""
        listing = self.listing(query, distance)
        return None if listing is None else shown(*listing, most)

    def basis(self, query: Query, distance: int) -> npt.NDArray[np.float64] | None:
        """Return an orthonormal basis of span(S) inside D_t: rank x coordinates, in floating point.

        Its transpose times itself is the projector of Algorithm 1. The coordinates are those of
        ``elements_of``. None if S is not listed.
        """
        listing = self.listing(query, distance)
        return None if listing is None else orthonormal(listing[1])

    def listing(self, query: Query, distance: int) -> tuple[CellSystem, Listed] | None:
        """Return S inside D_t, or a set that contains it, as listed; None if it was not."""
        space = self._inside((query,), distance)
        return None if space.cells is None or space.listed is None else (space.cells, space.listed)

    @cached_property
    def subspaces(self) -> Subspaces:
        """Return the subspaces of the changes of the queries."""
        from semiaudit.universe.sensitivity.subspaces import Subspaces

        return Subspaces(self)

    def projected_l2_squared(self, query: Query) -> Fraction | None:
        """Return the largest squared norm of an element of S_DP projected on null(C), T = C phi.

        S_DP is S in D at distance 1. The result is exact, or a certified upper bound, because
        projections shrink. If the answer has linear relations, C is not unique, and the null space
        is that of C and of the relations. None if T is not linear in the query.

        Source: Cho and Awan, Definition 10 (as meant: E21); Gao, Gong and Yu, section 2.1.
        """
        query = replace(query, mark=NOWHERE)
        if query not in self._projected_squares:
            self._projected_squares[query] = self._projected_square(query)
        return self._projected_squares[query]

    def _projected_square(self, query: Query) -> Fraction | None:
        from semiaudit.universe.sensitivity.projection import projected

        space = self.table
        answers = Answers(space, query)
        full = self.everywhere(query, 1).l2_squared.value
        pairs = not compares_sizes(self._metric) or space.size is not None
        return projected(self.stated, space, answers, full, pairs=pairs)

    @property
    def _metric(self) -> Metric:
        return self.release.adjacency.metric

    @property
    def table(self) -> TableSpace:
        """Return the table of attributes for the queries.

        Raises:
            RefusedError: the dataspace has no table.
        """
        space = self.release.dataspace
        if not isinstance(space, TableSpace) or not space.attributes:
            raise RefusedError(
                Refusal(
                    "a query needs a table over attributes",
                    "add dataspace.attributes, or use shifts instead of a query",
                    path="mechanism",
                )
            )
        return space

    @cached_property
    def records(self) -> Records:
        """Return the records that can occur."""

        return Records(self.table)

    def _question(self, queries: Queries, distance: int, reach: Reach) -> SensitivityQuestion:
        from semiaudit.universe.sensitivity.sensitivity_numbers import SensitivityQuestion

        space = self.table
        answers = Answers(space, *queries)
        return SensitivityQuestion(self.release, space, answers, self.records, distance, reach)

    def _question_of_t(
        self, queries: Queries, distance: int
    ) -> tuple[SensitivityQuestion, int | None, bool]:
        size, size_is_known = size_of(self.release, self.table)
        fixed = size_is_known or not compares_sizes(self._metric)
        reach = most_changed_records(self._metric, distance, size, fixed=fixed)
        return self._question(queries, distance, reach), size, fixed

    def _inside(self, queries: Queries, distance: int) -> _Space:
        queries = tuple(replace(query, mark=NOWHERE) for query in queries)
        key = queries, distance
        if key not in self._within:
            try:
                self._within[key] = self._of_t(queries, distance)
            except NoTableError:
                raise RefusedError(contradiction(self.release)) from None
        return self._within[key]

    def _of_t(self, queries: Queries, distance: int) -> _Space:
        """Use the first method that is fast enough: listing S, then certifying its norms."""
        deadline.check()
        from semiaudit.universe.sensitivity.bounds import Bounds
        from semiaudit.universe.sensitivity.listed_space import listed
        from semiaudit.universe.sensitivity.query_classes import cell_system
        from semiaudit.universe.sensitivity.sensitivity_numbers import (
            of_all,
            of_certified,
            of_function_of_invariants,
            of_listed,
        )

        space, release = self.table, self.release
        question, size, fixed = self._question_of_t(queries, distance)
        if self.limits is None:
            self.limits = Limits()
        limits = self.limits.share(PROGRAM_SHARE)
        bounds = Bounds(release, space, question.answers, question.step, fixed=fixed)
        if bounds.still:
            return _Space(of_function_of_invariants(distance))
        cells = cell_system(release, space, question.answers, size)
        if cells is not None:
            if cells.is_determined(fixed=fixed):
                return _Space(of_function_of_invariants(distance))
            listing = listed(cells, question.reach, limits)
            if listing is not None:
                if not listing.exact:
                    listing = listing.within(self._certified(bounds, question, size, limits))
                return _Space(of_listed(question, cells, listing), cells, listing)
        if all(isinstance(c, SameSize) for c in constraints_of(release.invariants)):
            return _Space(of_all(question))
        return _Space(of_certified(question, self._certified(bounds, question, size, limits)))

    def _moves(
        self, queries: Queries, distance: int, universe: UniverseName, *, listed: bool
    ) -> JointMoves | None:
        from semiaudit.universe.sensitivity import joint_moves
        from semiaudit.universe.sensitivity.bounds import Bounds

        deadline.check()
        space = self.table
        if universe == "D":
            reach = most_changed_records(
                self._metric, distance, space.size, fixed=space.size is not None
            )
            question = self._question(queries, distance, reach)
            moves = joint_moves.of_all_listed(question) if listed else None
            return moves or joint_moves.of_all(question)
        inside = self._inside(queries, distance)
        question, _, fixed = self._question_of_t(queries, distance)
        if not inside.sensitivity.l1.value:
            return joint_moves.still(question)
        separate = [self.within(query, distance) for query in queries]
        worst_of_all = joint_moves.of_one_worst(question, inside.sensitivity, separate)
        if worst_of_all is not None:
            return worst_of_all
        if inside.cells is not None and inside.listed is not None:
            moves = joint_moves.of_listed(question, inside.cells, inside.listed)
            if moves is not None:
                return moves
        if all(isinstance(c, SameSize) for c in constraints_of(self.release.invariants)):
            return joint_moves.of_all(question)
        bounds = Bounds(self.release, space, question.answers, question.step, fixed=fixed)
        by_patterns = joint_moves.of_patterns(question, bounds)
        return by_patterns or joint_moves.of_all(question, attained=False)

    def _certified(
        self, bounds: Bounds, question: SensitivityQuestion, size: int | None, limits: Limits
    ) -> Certified:
        # If margins have a junction tree, it determines which moves can start.
        plain = None if bounds.is_glued else self.plain_system(size)
        return bounds.certified(question.reach, plain, self.records, limits)

    def plain_system(self, size: int | None) -> PlainSystem | None:
        """Return the invariants' own system, or None if it is too large; cached."""
        from semiaudit.universe.system.plain_system import plain_system

        if not self._plain:
            self._plain.append(plain_system(self.release, self.table, size))
        return self._plain[0]
