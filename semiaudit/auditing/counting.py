"""Count t from confidential data in a file or an engine; only counts are returned."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from pathlib import Path

from semiaudit.data.connection import EngineAddress
from semiaudit.data.tallies import tallies
from semiaudit.errors import Mark, Problem, SpecError
from semiaudit.model.audit import Release
from semiaudit.model.data_source import CONFINED, Access
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import known
from semiaudit.model.invariants.constraint import SameMargin, attributes_of
from semiaudit.spec.data.published_from_counts import (
    contradictions,
    groupings,
    published_counts,
    size_is_fixed,
)

MOST_CELLS = 5_000_000
"""The most cells of a margin that is counted from a file or an engine."""


def counted(release: Release, access: Access = CONFINED) -> Release:
    """Return the release with t counted from its data, if it names any.

    Args:
        access: the allowed engines, and whether messages can quote values.

    Raises:
        SpecError: the data cannot be read, or contradict the dataspace or a public bound.
    """
    space, source = release.dataspace, release.source
    if source is None:
        return release

    def problem_at(mark: Mark, place: str, what: str, remedy: str) -> Problem:
        return Problem(release.path, mark.line, mark.column, place, what, remedy)

    # Refusals that need no data come first: an engine that is not allowed is never opened, and a
    # margin that is too wide is never counted.
    if source.engine is not None:
        try:
            EngineAddress.of(source.engine, Path(source.folder), access)
        except SpecError as error:
            raise SpecError(
                [
                    problem_at(source.mark, "data.engine", p.message, p.remedy)
                    for p in error.problems
                ]
            ) from None
    place = f"data.{source.kind}"
    if not isinstance(space, TableSpace):
        what, remedy = "needs a table over attributes", "describe the dataspace by attributes"
        raise SpecError([problem_at(source.mark, place, what, remedy)])
    wide = [
        problem_at(
            invariant.mark,
            f"invariants[{index}]",
            f"{invariant} has more than {MOST_CELLS} cells to be counted",
            "publish a coarser margin",
        )
        for index, invariant in enumerate(known(release.invariants))
        if isinstance(invariant.constraint, SameMargin)
        and prod(
            space.attributes[space.position(name)].size
            for name in attributes_of(invariant.constraint, space)
        )
        > MOST_CELLS
    ]
    if wide:
        raise SpecError(wide)

    attribute_groups = groupings(space, release.invariants)
    tallied = tallies(source, Path(source.folder), space.attributes, attribute_groups, access)
    problems = []
    if space.size is not None and space.size != tallied.size:
        what = f"do not have the {space.size} records of dataspace.size"
        if access.show_values:
            what = f"have {tallied.size} records, but dataspace.size is {space.size}"
        problems.append(problem_at(source.mark, place, what, "correct one"))
    show = access.show_values
    for what, index in contradictions(space, release.invariants, tallied.counts, show_values=show):
        mark = source.mark if index is None else release.invariants[index].mark
        where = place if index is None else f"invariants[{index}]"
        problems.append(problem_at(mark, where, what, "correct one of them"))
    if problems:
        raise SpecError(problems)
    # The number of records becomes part of t only if the spec publishes it. Otherwise it would
    # restrict D_t by a count that is not released, and the audit would be of another release.
    size = tallied.size if size_is_fixed(space, release.invariants) else None
    published = published_counts(space, release.invariants, size, tallied.counts, source.mark)
    return replace(release, published=published)
