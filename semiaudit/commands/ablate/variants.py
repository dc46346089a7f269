"""A release that publishes only a part of its invariants, and the list of parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from semiaudit.commands.ablate.model import VariantKind
from semiaudit.frozen import dataclass
from semiaudit.model.audit import Release
from semiaudit.model.dataspace import TableSpace
from semiaudit.model.invariants import Invariant, known
from semiaudit.model.invariants.constraint import SameMargin
from semiaudit.model.published_invariants import PublishedCounts, publishing_only
from semiaudit.spec.data.published_from_counts import names_of, size_is_fixed


@dataclass(frozen=True, slots=True)
class InvariantSelection:
    """A part of a release's list of invariants, by their indices; ``which`` is the relevant one."""

    kind: VariantKind
    which: int | None
    kept: tuple[int, ...]


def parts_of(number: int) -> Iterator[InvariantSelection]:
    """Yield the parts of ``number`` invariants: all, all without each, each alone, and none."""
    every = tuple(range(number))
    yield InvariantSelection("all", None, every)
    for place in every:
        yield InvariantSelection("without", place, every[:place] + every[place + 1 :])
    for place in every:
        yield InvariantSelection("only", place, (place,))
    if every:
        yield InvariantSelection("none", None, ())


def publishing(release: Release, kept: Sequence[int]) -> Release:
    """Return the release if it published only the invariants at some indices.

    t consists of their values: values of the others are removed, and so is the number of records if
    no remaining invariant determines it. Budgets are removed; their deltas and type I errors stay.

    Args:
        release: if t is read from a file or an engine, it must be counted already.
        kept: indices in ``release.published_invariants``, ascending.

    Raises:
        RefusedError: the kind of an invariant is unknown.
    """
    known(release.invariants)
    restricted = publishing_only(release, kept)
    published = release.published
    if isinstance(published, PublishedCounts) and isinstance(release.dataspace, TableSpace):
        own = [place for place in kept if place < len(release.invariants)]
        published = _forgetful(release.dataspace, published, restricted.invariants, own)
    return replace(restricted, published=published, parts=(), budgets=())


def _forgetful(
    space: TableSpace,
    published: PublishedCounts,
    invariants: Sequence[Invariant],
    kept: Sequence[int],
) -> PublishedCounts | None:
    """Return the part of t that the kept invariants determine; None if there is none."""
    margins = {
        names_of(space, invariant)
        for invariant in invariants
        if isinstance(invariant.constraint, SameMargin)
    }
    places = {place: index for index, place in enumerate(kept)}
    remaining = replace(
        published,
        size=published.size if size_is_fixed(space, invariants) else None,
        margins=tuple((names, counts) for names, counts in published.margins if names in margins),
        others=tuple(
            (places[place], values) for place, values in published.others if place in places
        ),
    )
    return (
        remaining if remaining.size is not None or remaining.margins or remaining.others else None
    )
