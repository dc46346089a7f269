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
from semiaudit.errors import NOWHERE
from semiaudit.frozen import cached_property
from semiaudit.model.audit import Release
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.query import Query, Sensitivity
from semiaudit.numeric.limits import Limits
from semiaudit.universe.method import first_answer
from semiaudit.universe.sensitivity.queried_release import QueriedRelease

if TYPE_CHECKING:
    from semiaudit.universe.sensitivity.joint_moves import JointMoves
    from semiaudit.universe.sensitivity.listed_space import Listed
    from semiaudit.universe.sensitivity.sensitivity_numbers import SolvedQuestion
    from semiaudit.universe.sensitivity.subspaces import Subspaces

Queries = tuple[Query, ...]


class SensitivitySpaces(QueriedRelease):
    """The sensitivity spaces of one release, computed on demand and cached."""

    def __init__(self, release: Release, limits: Limits | None = None) -> None:
        super().__init__(release, limits)
        self._questions: dict[tuple[Queries, int, UniverseName], SolvedQuestion] = {}
        self._joint: dict[tuple[SolvedQuestion, bool], JointMoves | None] = {}

    def question(self, queries: Queries, distance: int, universe: UniverseName) -> SolvedQuestion:
        """Return the question by how much queries differ; what it computes is kept.

        Args:
            queries: over the table's cells, each once.
            distance: 1 or more, under the release's metric.
            universe: between datasets anywhere in D, or inside D_t.
        """
        from semiaudit.universe.sensitivity.sensitivity_numbers import SolvedQuestion  # loads numpy

        queries = tuple(replace(query, mark=NOWHERE) for query in queries)
        key = queries, distance, universe
        if key not in self._questions:
            alone = queries if len(queries) > 1 else ()
            separate = tuple(self.question((query,), distance, universe) for query in alone)
            self._questions[key] = SolvedQuestion(self, *key, separate)
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
        from semiaudit.universe.sensitivity.joint_moves import JOINT, LISTED_JOINT

        key = self.question(queries, distance, universe), listed
        if key not in self._joint:
            deadline.check()
            self._joint[key] = first_answer(LISTED_JOINT if listed else JOINT, key[0])
        return self._joint[key]

    def listing(self, query: Query, distance: int) -> Listed | None:
        """Return S inside D_t, or a set that contains it, as listed; None if it was not."""
        return self.question((query,), distance, "D_t").listing

    @cached_property
    def subspaces(self) -> Subspaces:
        """Return the subspaces of the changes of the queries."""
        from semiaudit.universe.sensitivity.subspaces import Subspaces

        return Subspaces(self, self.question)

    def projected_l2_squared(self, query: Query) -> Fraction | None:
        """Return the largest squared norm of an element of S_DP projected on null(C), T = C phi.

        S_DP is S in D at distance 1. The result is exact, or a certified upper bound, because
        projections shrink. If the answer has linear relations, C is not unique, and the null space
        is that of C and of the relations. None if T is not linear in the query.

        Source: Cho and Awan, Definition 10 (as meant: E21); Gao, Gong and Yu, section 2.1.
        """
        return self.question((query,), 1, "D").projected_l2_squared
