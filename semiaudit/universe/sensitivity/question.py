"""One question about sensitivities: queries, a distance, and all that a method may look at."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from semiaudit import deadline
from semiaudit.errors import RefusedError
from semiaudit.frozen import cached_property, dataclass
from semiaudit.model.adjacency import compares_sizes, per_record
from semiaudit.model.audit import Release, size_of
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameSize
from semiaudit.model.query import Query, Sensitivity
from semiaudit.numeric.limits import Limits
from semiaudit.universe.method import ALL_THREE, first_answer, unproven
from semiaudit.universe.sensitivity.answers import Answers, Records
from semiaudit.universe.sensitivity.bounds import Bounds
from semiaudit.universe.sensitivity.joint_moves import JOINT, LISTED_JOINT, JointMoves
from semiaudit.universe.sensitivity.listed_space import Listed
from semiaudit.universe.sensitivity.one_step import Step, one_step
from semiaudit.universe.sensitivity.projection import projected
from semiaudit.universe.sensitivity.query_classes import CellSystem, cell_system
from semiaudit.universe.sensitivity.sensitivity_numbers import NORMS, Solution
from semiaudit.universe.system.grouped_table import contradiction
from semiaudit.universe.system.listing import NoTableError

if TYPE_CHECKING:
    from semiaudit.universe.sensitivity.spaces import SensitivitySpaces
    from semiaudit.universe.system.plain_system import PlainSystem

PROGRAM_SHARE = 0.25
"""The part of the remaining time that the programs of one question can take, so that all queries
of a release get some."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The largest number of records of a table that can change.

    Attributes:
        records: the largest number of records that leave (and as many enter); with ``free``, of
            records that enter or leave. 0 or more.
        free: the size is free: records enter and leave by themselves.
    """

    records: int
    free: bool = False

    @property
    def most(self) -> int:
        """Return the largest sum of the absolute changes of the counts."""
        return self.records if self.free else 2 * self.records


@dataclass(frozen=True)
class Question:
    """By how much the stacked answers of queries differ between two datasets within a distance.

    Everything else is computed once, when a method first asks for it.

    Attributes:
        spaces: the release, with what its questions share.
        queries: one or more.
        distance: under the release's metric, 1 or more.
        universe: the datasets are anywhere in D, or inside one D_t.
    """

    spaces: SensitivitySpaces
    queries: tuple[Query, ...]
    distance: int
    universe: UniverseName

    @cached_property
    def release(self) -> Release:
        """Return the release; in D, without its invariants."""
        release = self.spaces.release
        if self.universe == "D":
            return replace(release, invariants=(), published=None)
        return release

    @property
    def space(self) -> TableSpace:
        """Return the table of attributes."""
        return self.spaces.table

    @property
    def records(self) -> Records:
        """Return the records that can occur."""
        return self.spaces.records

    @property
    def limits(self) -> Limits:
        """Return limits for the programs of one method."""
        return self.spaces.limits.share(PROGRAM_SHARE)

    @cached_property
    def answers(self) -> Answers:
        """Return the answers as columns, one for each record."""
        return Answers(self.space, *self.queries)

    @property
    def single(self) -> bool:
        """Return True under symmetric_difference, where one step adds or removes one record."""
        return compares_sizes(self.release.adjacency.metric)

    @property
    def is_inside(self) -> bool:
        """Return whether the datasets are inside one D_t."""
        return self.universe == "D_t"

    @cached_property
    def size(self) -> int | None:
        """Return the number of records of every dataset; None if it is not known."""
        return size_of(self.release, self.space)[0]

    @cached_property
    def fixed(self) -> bool:
        """Return whether datasets that are compared have one size."""
        return size_of(self.release, self.space)[1] or not self.single

    @cached_property
    def reach(self) -> Reach:
        """Return the distance in records."""
        if not self.fixed:
            return Reach(self.distance, free=True)
        records = self.distance // per_record(self.release.adjacency.metric)
        return Reach(records if self.size is None else min(records, self.size))

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

    @cached_property
    def has_all_tables(self) -> bool:
        """Return whether the universe has all tables of its sizes."""
        constraints = constraints_of(self.release.invariants)
        return all(isinstance(constraint, SameSize) for constraint in constraints)

    @cached_property
    def cells(self) -> CellSystem | None:
        """Return the system over the classes that the query needs; None if it is too large."""
        return cell_system(self.release, self.space, self.answers, self.size)

    @cached_property
    def bounds(self) -> Bounds:
        """Return the upper bounds that need no list of the space."""
        return Bounds(self)

    @cached_property
    def plain(self) -> PlainSystem | None:
        """Return the system over the invariants' own classes, which shows what moves can start.

        None if it is too large, or if a junction tree of margins shows it.
        """
        return None if self.bounds.is_glued else self.spaces.plain_system(self.size)

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

    @cached_property
    def joint_moves(self) -> JointMoves | None:
        """Return the possible differences in all queries at once; None if there are too many."""
        deadline.check()
        return first_answer(JOINT, self)

    @property
    def separate(self) -> tuple[Sensitivity, ...]:
        """Return the sensitivity space of each query alone, in numbers."""
        asked = (self.spaces.question((q,), self.distance, self.universe) for q in self.queries)
        return tuple(question.sensitivity for question in asked)

    @cached_property
    def listed_joint_moves(self) -> JointMoves | None:
        """Return the same, in D one by one, even if their hull has few corners."""
        deadline.check()
        return first_answer(LISTED_JOINT, self)

    @cached_property
    def projected_l2_squared(self) -> Fraction | None:
        """Return the largest squared norm of a step projected on null(C); None if T is not C phi.

        A step is an element of S in D at distance 1.
        """
        full = self.sensitivity.l2_squared.value
        pairs = not self.reach.free
        return projected(self.spaces.stated, self.space, self.answers, full, pairs=pairs)
