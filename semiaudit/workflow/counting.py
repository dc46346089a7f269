"""From confidential data in a file or an engine to t; only counts leave them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from semiaudit.errors import Problem, SpecError
from semiaudit.model.audit import Release
from semiaudit.model.counting import contradictions, groupings, published_counts
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariant import Margin, Total


def counted(release: Release) -> Release:
    """The release with t counted from its data, if it names any.

    Raises:
        SpecError: the data cannot be read, or contradict the dataspace or a public bound.
    """
    space, source = release.dataspace, release.source
    if source is None or not isinstance(space, TableSpace):
        return release
    from semiaudit.data.tallies import tallies

    found = tallies(source, Path(), space.attributes, groupings(space, release.invariants))
    problems = []
    place = f"data.{source.kind}"
    if space.size is not None and space.size != found.size:
        what = f"hold {found.size} records and dataspace.size is {space.size}"
        problems.append(Problem(release.path, *_at(source.mark), place, what, "correct one"))
    for what, index in contradictions(space, release.invariants, found.counts):
        mark = source.mark if index is None else release.invariants[index].mark
        where = place if index is None else f"invariants[{index}]"
        problems.append(Problem(release.path, *_at(mark), where, what, "correct one of them"))
    if problems:
        raise SpecError(problems)
    told = any(isinstance(i, Margin | Total) for i in release.invariants)
    size = found.size if told or space.size is not None else None
    published = published_counts(space, release.invariants, size, found.counts, source.mark)
    return replace(release, published=published)


def _at(mark: object) -> tuple[int, int]:
    return getattr(mark, "line", 0), getattr(mark, "column", 0)
