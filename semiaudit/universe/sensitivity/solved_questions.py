"""The questions about one release with their numbers, joint moves, and subspaces; loads numpy."""

from __future__ import annotations

from dataclasses import replace

from semiaudit import deadline
from semiaudit.errors import NOWHERE
from semiaudit.frozen import cached_property
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.query import Query
from semiaudit.universe.method import first_answer
from semiaudit.universe.sensitivity.joint_moves import JOINT, LISTED_JOINT, JointMoves
from semiaudit.universe.sensitivity.queried_release import QueriedRelease
from semiaudit.universe.sensitivity.sensitivity_numbers import SolvedQuestion
from semiaudit.universe.sensitivity.subspaces import Subspaces

Queries = tuple[Query, ...]


class SolvedQuestions:
    """The questions about one release; what they compute is kept."""

    def __init__(self, queried: QueriedRelease) -> None:
        self._queried = queried
        self._questions: dict[tuple[Queries, int, UniverseName], SolvedQuestion] = {}
        self._joint: dict[tuple[SolvedQuestion, bool], JointMoves | None] = {}

    def question(self, queries: Queries, distance: int, universe: UniverseName) -> SolvedQuestion:
        """As ``SensitivitySpaces.question``."""
        queries = tuple(replace(query, mark=NOWHERE) for query in queries)
        key = queries, distance, universe
        if key not in self._questions:
            alone = queries if len(queries) > 1 else ()
            separate = tuple(self.question((query,), distance, universe) for query in alone)
            self._questions[key] = SolvedQuestion(self._queried, *key, separate)
        return self._questions[key]

    def joint_moves(self, question: SolvedQuestion, *, listed: bool) -> JointMoves | None:
        """As ``SensitivitySpaces.joint_moves``."""
        key = question, listed
        if key not in self._joint:
            deadline.check()
            self._joint[key] = first_answer(LISTED_JOINT if listed else JOINT, question)
        return self._joint[key]

    @cached_property
    def subspaces(self) -> Subspaces:
        """The subspaces of the changes of the queries."""
        return Subspaces(self._queried, self.question)
