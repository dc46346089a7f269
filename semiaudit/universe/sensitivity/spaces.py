"""Sensitivity spaces of queries, in all of D and inside D_t.

Pairs of tables X, X + u at a distance: (1/2)|u|_1 under the Hamming metrics (the closest orders of
the tables), |u|_1 under ``symmetric_difference``. Every query is linear, so S is Q applied to the
changes u that are possible.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.errors import NOWHERE, Refusal, RefusedError
from semiaudit.frozen import cached_property
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.invariants import known
from semiaudit.model.query import Query, Sensitivity
from semiaudit.numeric.limits import Limits
from semiaudit.universe.sensitivity.answers import Records
from semiaudit.universe.system.invariant_normal_form import in_one_spelling
from semiaudit.universe.system.plain_system import PlainSystem, plain_system

if TYPE_CHECKING:
    from semiaudit.universe.sensitivity.joint_moves import JointMoves
    from semiaudit.universe.sensitivity.listed_space import Listed
    from semiaudit.universe.sensitivity.question import Question
    from semiaudit.universe.sensitivity.subspaces import Subspaces

Queries = tuple[Query, ...]


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
        self._limits = limits
        self._questions: dict[tuple[Queries, int, UniverseName], Question] = {}
        self._plain: dict[int | None, PlainSystem | None] = {}

    def question(self, queries: Queries, distance: int, universe: UniverseName) -> Question:
        """Return the question by how much queries differ; what it computes is kept.

        Args:
            queries: over the table's cells, each once.
            distance: 1 or more, under the release's metric.
            universe: between datasets anywhere in D, or inside D_t.
        """
        from semiaudit.universe.sensitivity.question import Question  # loads numpy

        queries = tuple(replace(query, mark=NOWHERE) for query in queries)
        key = queries, distance, universe
        if key not in self._questions:
            self._questions[key] = Question(self, queries, distance, universe)
        return self._questions[key]

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
        return self.question((query,), distance, "D").sensitivity

    def within(self, query: Query, distance: int) -> Sensitivity:
        """Return S of datasets in D_t within a distance (Cho and Awan, section 4.1, S_Semi).

        The result is exact if S is listed, if its largest norms do not depend on the names of
        levels, or if a largest move is proven to start inside D_t; otherwise it consists of
        certified upper bounds.

        Raises:
            RefusedError: the dataspace has no table over attributes, or t contradicts itself.
        """
        return self.question((query,), distance, "D_t").sensitivity

    def joint_within(self, queries: Queries, distance: int) -> Sensitivity:
        """Return S of the stacked answers of several queries, within a distance in D_t.

        The gauge is not computed. Exactness and errors are as for ``within``.
        """
        return self.question(queries, distance, "D_t").sensitivity

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
        question = self.question(queries, distance, universe)
        return question.listed_joint_moves if listed else question.joint_moves

    def listing(self, query: Query, distance: int) -> Listed | None:
        """Return S inside D_t, or a set that contains it, as listed; None if it was not."""
        return self.question((query,), distance, "D_t").listing

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
        return self.question((query,), 1, "D").projected_l2_squared

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
    def limits(self) -> Limits:
        """Return the limits of integer programs; without given ones, the time starts now."""
        return self._limits or Limits()

    @cached_property
    def records(self) -> Records:
        """Return the records that can occur."""

        return Records(self.table)

    def plain_system(self, size: int | None) -> PlainSystem | None:
        """Return the invariants' own system, or None if it is too large; cached."""
        if size not in self._plain:
            self._plain[size] = plain_system(self.release, self.table, size)
        return self._plain[size]
