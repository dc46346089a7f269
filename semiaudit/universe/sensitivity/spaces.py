"""Sensitivity spaces of queries, in all of D and inside D_t.

Pairs of tables X, X + u at a distance: (1/2)|u|_1 under the Hamming metrics (the closest orders of
the tables), |u|_1 under ``symmetric_difference``. Every query is linear, so S is Q applied to the
changes u that are possible.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit.frozen import cached_property
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.query import Query, Sensitivity
from semiaudit.universe.sensitivity.queried_release import QueriedRelease

if TYPE_CHECKING:
    from semiaudit.universe.sensitivity.joint_moves import JointMoves
    from semiaudit.universe.sensitivity.sensitivity_numbers import SolvedQuestion
    from semiaudit.universe.sensitivity.solved_questions import SolvedQuestions
    from semiaudit.universe.sensitivity.subspaces import Subspaces


class SensitivitySpaces(QueriedRelease):
    """The sensitivity spaces of one release, computed on demand and cached."""

    @cached_property
    def _solved(self) -> SolvedQuestions:
        from semiaudit.universe.sensitivity.solved_questions import SolvedQuestions  # loads numpy

        return SolvedQuestions(self)

    def question(
        self, queries: tuple[Query, ...], distance: int, universe: UniverseName
    ) -> SolvedQuestion:
        """Return the question by how much queries differ; what it computes is kept.

        Args:
            queries: over the table's cells, each once.
            distance: 1 or more, under the release's metric.
            universe: between datasets anywhere in D, or inside D_t.
        """
        return self._solved.question(queries, distance, universe)

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

    def joint_moves(
        self,
        queries: tuple[Query, ...],
        distance: int,
        universe: UniverseName,
        *,
        listed: bool = False,
    ) -> JointMoves | None:
        """Return the possible differences of two datasets within a distance in all queries at once.

        Args:
            queries: each once.
            listed: list the elements of S one by one even if its hull has few corners.

        Returns:
            None if there are too many.
        """
        question = self.question(queries, distance, universe)
        return self._solved.joint_moves(question, listed=listed)

    @property
    def subspaces(self) -> Subspaces:
        """Return the subspaces of the changes of the queries."""
        return self._solved.subspaces

    def projected_l2_squared(self, query: Query) -> Fraction | None:
        """Return the largest squared norm of an element of S_DP projected on null(C), T = C phi.

        S_DP is S in D at distance 1. The result is exact, or a certified upper bound, because
        projections shrink. If the answer has linear relations, C is not unique, and the null space
        is that of C and of the relations. None if T is not linear in the query.

        Source: Cho and Awan, Definition 10 (as meant: E21); Gao, Gong and Yu, section 2.1.
        """
        return self.question((query,), 1, "D").projected_l2_squared
