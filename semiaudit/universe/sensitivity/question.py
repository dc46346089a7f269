"""One question about sensitivities: queries, a distance, and all that a method may look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from semiaudit.frozen import cached_property, dataclass
from semiaudit.model.adjacency import compares_sizes, per_record
from semiaudit.model.audit import Release, size_of
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.frameworks import UniverseName
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import SameMargin, SameSize, is_margin
from semiaudit.model.query import Query
from semiaudit.numeric.limits import Limits
from semiaudit.universe.sensitivity.answers import Answers, Records
from semiaudit.universe.sensitivity.one_step import Step, one_step
from semiaudit.universe.sensitivity.queried_release import QueriedRelease
from semiaudit.universe.sensitivity.query_classes import CellSystem, cell_system
from semiaudit.universe.system.closure_counts import Counts, node_counts
from semiaudit.universe.system.components import places_of
from semiaudit.universe.system.decomposable import junction_tree
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


class PublishedMargins:
    """The margins that t contains, and those of the queries that it leaves open.

    Attributes:
        attributes_of: for a published margin with its parent attributes, its own attributes.
        published: the maximal published margins, as sets of attribute indices.
        asked: the margins of the query that no published margin contains: only these can change.
        only_margins: every invariant is a margin or the size.
        simple: only margins, over product cells.
        still: every margin that is asked for is published, or part of a published one.
        tree: a junction tree of the margins that determines all other invariants; None without one.
        counts: for every node of the tree, the counts of its margin; None without t.
    """

    def __init__(
        self, release: Release, space: TableSpace, answers: Answers, *, fixed: bool
    ) -> None:
        self.attributes_of: dict[frozenset[int], tuple[int, ...]] = {}
        constraints = constraints_of(release.invariants)
        for constraint in constraints:
            if isinstance(constraint, SameMargin):
                places = places_of(space, constraint)
                self.attributes_of[with_parents(space, places)] = places
        published = set(self.attributes_of)
        self.published = tuple(
            sorted((m for m in published if not any(m < other for other in published)), key=sorted)
        )
        self.asked = tuple(
            frozenset(places)
            for places in answers.margins
            if not any(set(places) <= margin for margin in self.published) and (places or not fixed)
        )
        self.still = answers.matrix is None and not self.asked
        self.tree = junction_tree(release, space)
        self.counts: tuple[Counts, ...] | None = None
        if self.tree is not None and release.published is not None:
            self.counts = node_counts(release, self.tree)
        self.only_margins = all(is_margin(constraint) for constraint in constraints)
        self.simple = space.product_cells and self.only_margins


def with_parents(space: TableSpace, places: Sequence[int]) -> frozenset[int]:
    """Return the attributes whose levels a margin determines: its own and their parents."""
    ancestors: set[int] = set()
    waiting = list(places)
    while waiting:
        place = waiting.pop()
        ancestors.add(place)
        above = space.attributes[place].within
        if above is not None and space.position(above) not in ancestors:
            waiting.append(space.position(above))
    return frozenset(ancestors)


@dataclass(frozen=True)
class Question:
    """By how much the stacked answers of queries differ between two datasets within a distance.

    Everything else is computed once, when a method first asks for it.

    Attributes:
        queried: the release, with what its questions share.
        queries: one or more.
        distance: under the release's metric, 1 or more.
        universe: the datasets are anywhere in D, or inside one D_t.
    """

    queried: QueriedRelease
    queries: tuple[Query, ...]
    distance: int
    universe: UniverseName

    @cached_property
    def release(self) -> Release:
        """Return the release; in D, without its invariants."""
        release = self.queried.release
        if self.universe == "D":
            return replace(release, invariants=(), published=None)
        return release

    @property
    def space(self) -> TableSpace:
        """Return the table of attributes."""
        return self.queried.table

    @property
    def records(self) -> Records:
        """Return the records that can occur."""
        return self.queried.records

    @property
    def limits(self) -> Limits:
        """Return limits for the programs of one method."""
        return self.queried.limits.share(PROGRAM_SHARE)

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
    def margins(self) -> PublishedMargins:
        """Return the margins that t contains, and those of the queries that it leaves open."""
        return PublishedMargins(self.release, self.space, self.answers, fixed=self.fixed)

    @cached_property
    def plain(self) -> PlainSystem | None:
        """Return the system over the invariants' own classes, which shows what moves can start.

        None if it is too large, or if a junction tree of margins shows it.
        """
        return None if self.margins.tree else self.queried.plain_system(self.size)
