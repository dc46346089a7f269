"""Everything that a method for a(t) of a table may look at, computed once, when it is needed."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from semiaudit.errors import Refusal, RefusedError
from semiaudit.frozen import cached_property
from semiaudit.model.adjacency import has_places
from semiaudit.model.audit import Release, open_size, size_of
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import constraints_of
from semiaudit.model.invariants.constraint import is_margin
from semiaudit.model.semi_adjacency import Parameter
from semiaudit.numeric.limits import Limits
from semiaudit.universe.system.classes_of_cells import System, Table, build_system, capped, split
from semiaudit.universe.system.components import (
    MAX_LOOKS,
    Classes,
    classes_of,
    components_of,
    places_of,
    possible_cells,
    speaks_of,
)
from semiaudit.universe.system.decomposable import JunctionTree, junction_tree
from semiaudit.universe.system.decomposed import Decomposed, decomposed
from semiaudit.universe.system.grouped_table import GroupedTable, contradiction, grouped_table
from semiaudit.universe.system.listing import tables_of
from semiaudit.universe.witness import check_table

MOST_CELLS_LOOKED_AT = 20_000
"""Components with up to this many cells are sorted into classes in Python, to be listed and for
what t discloses."""

MOST_COEFFICIENTS = 1_000_000
"""The most cells times rows of the margins, for the same purpose."""


class TableProblem:
    """D_t of a table over attributes.

    Attributes:
        release: with its invariants in normal form.
        spelled: the release as the spec has it.
        space: the dataspace of both.
        limits: the limits of integer programs.
        metric: of the release.
        is_given: t is given; otherwise a(t) is the supremum over all t.
        size: the number of records, if it is known.
        fixed: all datasets of D_t have one size.
    """

    def __init__(
        self, release: Release, space: TableSpace, limits: Limits, spelled: Release | None = None
    ) -> None:
        self.release, self.space, self.limits = release, space, limits
        self.spelled = spelled or release
        self.metric = release.adjacency.metric
        self.is_given = release.published is not None
        self.size, self.fixed = size_of(release, space)
        self.constraints = constraints_of(release.invariants)
        if space.attributes and not space.product_cells:
            self._check_possible()

    def _check_possible(self) -> None:
        space = self.space
        for positions in components_of(space, self.constraints):
            cells = prod(space.attributes[place].size for place in positions)
            if cells * len(space.impossible) > MAX_LOOKS:
                classes_of(space, self.constraints, positions)
            if next(possible_cells(space, positions), None) is None:
                what = "leaves no possible combination of levels"
                mark = space.mark
                remedy = "correct dataspace.impossible or the nesting"
                raise RefusedError(Refusal(what, remedy, "dataspace", mark.line, mark.column))

    def over(self, space: TableSpace) -> TableProblem:
        """Return the problem of the same release over another dataspace."""
        return TableProblem(replace(self.release, dataspace=space), space, self.limits)

    def check(self, parameter: Parameter) -> None:
        """Check a witness against the invariants, as the spec has them and in normal form."""
        check_table(self.release, self.space, parameter)
        if self.spelled is not self.release:
            check_table(self.spelled, self.space, parameter)

    @property
    def unanswered(self) -> Refusal:
        """The refusal if no method answers: datasets of different sizes have no distance."""
        return open_size(self.release, self.space)

    @property
    def is_unconstrained(self) -> bool:
        """Return whether D_t is all of D, whose datasets have every size."""
        return not self.fixed and not self.release.invariants

    @cached_property
    def has_only_margins(self) -> bool:
        """Return whether every invariant is a margin, or the size."""
        return all(map(is_margin, self.constraints))

    @cached_property
    def tree(self) -> JunctionTree | None:
        """The junction tree of margins that overlap; None without one."""
        tree = junction_tree(self.release, self.space)
        return tree if tree is not None and tree.overlaps else None

    @cached_property
    def decomposed(self) -> Decomposed | None:
        """D_t along its junction tree; None without t, without a tree, or without a record.

        Raises:
            RefusedError: t contradicts itself or a public bound.
        """
        if self.tree is None or not self.is_given:
            return None
        known = decomposed(self.release, self.tree)
        return known if known.size else None

    @cached_property
    def table(self) -> GroupedTable | None:
        """The table as a product of features; None if t does not fix the count of every class."""
        if not self.fixed:
            return None
        return grouped_table(self.release, self.space, self.size, size_fixed=True)

    @cached_property
    def components(self) -> list[Classes]:
        """The classes of cells of every component of attributes.

        Raises:
            RefusedError: a component has too many cells.
        """
        return [
            classes_of(self.space, self.constraints, positions)
            for positions in components_of(self.space, self.constraints)
        ]

    @cached_property
    def is_small(self) -> bool:
        """Whether the cells of every component can be sorted into classes in Python."""
        for places in components_of(self.space, self.constraints):
            if prod(self.space.attributes[place].size for place in places) > MOST_CELLS_LOOKED_AT:
                return False
            rows = sum(
                prod(self.space.attributes[place].size for place in places_of(self.space, c))
                for c in self.constraints
                if speaks_of(self.space, c, places)
            )
            if rows * sum(1 for _ in possible_cells(self.space, places)) > MOST_COEFFICIENTS:
                return False
        return True

    @cached_property
    def system(self) -> System | None:
        """D_t as an integer system over classes of cells; None if there are too many classes."""
        return build_system(
            self.space, self.release, self.components, self.size if self.fixed else None
        )

    @cached_property
    def split_system(self) -> System | None:
        """The same with a class for every cell, so that every change is one of counts.

        Counts that nothing bounds are cut off, which makes D_t finite and keeps a(t)
        (docs/theory/semi-adjacency.md, Open counts).
        """
        return None if self.system is None else capped(split(self.system))

    @cached_property
    def tables(self) -> list[Table] | None:
        """All tables over the classes; None if there are too many.

        Raises:
            RefusedError: t contradicts itself.
        """
        return self._listed(self.system)

    @cached_property
    def split_tables(self) -> list[Table] | None:
        """All tables over split classes; None if there are too many.

        Raises:
            RefusedError: t contradicts itself.
        """
        return self._listed(self.split_system)

    def _listed(self, system: System | None) -> list[Table] | None:
        tables = None if system is None else tables_of(system)
        if tables == []:
            raise RefusedError(contradiction(self.release))
        return tables

    @property
    def separate(self) -> System | None:
        """The system in which the metric sees every change.

        Without places, a record that moves inside its class makes another table: split classes show
        it.
        """
        return self.system if has_places(self.metric) else self.split_system

    @property
    def separate_tables(self) -> list[Table] | None:
        """All tables of ``separate``; None if there are too many."""
        return self.tables if has_places(self.metric) else self.split_tables
